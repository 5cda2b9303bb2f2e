"""A family of rules: everything that the rest of the house needs to know of it, in one record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adeptree.core.cell_text import number
from adeptree.roles.base_learner import BaseLearner
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.engine import Engine
from adeptree.roles.frontier import Frontier


def _first_number(concept_class: Any, texts: Sequence[str]) -> Any:
    return number(texts[0])


@dataclass(frozen=True)
class Columns:
    """How the columns of a table become the instances of a class; by default one column of numbers does."""

    value: Callable[[Any, Sequence[str]], Any] = _first_number
    """The instance, of the class and the texts of its columns."""
    array: Callable[[Any, Sequence[Sequence[str]]], Any] | None = None
    """Many instances at once, for ``instances_of``, of the class and its columns of texts: all are good, but where NaN
    stands for what is no number. Where it is None, or raises ValueError, ``value`` reads row by row."""
    names: Callable[[Any], Sequence[str] | None] = lambda concept_class: None
    """The columns that the class itself names: instances are then mappings of these names to numbers."""
    mapping: bool = False
    """Whether instances are mappings of column names to values, whatever columns there are."""
    count: Callable[[Any], int] = lambda concept_class: 1
    """How many columns it wants."""
    preferred: Callable[[Any], str | None] = lambda concept_class: None
    """The column it reads if no other is named."""
    placeholder: str = r"\bx(\d*)\b"
    """What stands for a column in the text of a rule, with the column's number (or nothing) as its group."""
    gaps: bool = False
    """Whether any cell will do: a text is a value, and a missing one is a gap."""
    points: Callable[[Any], int | None] = lambda concept_class: None
    """How many different instances there are, where they are few."""


@dataclass(frozen=True)
class OnColumns:
    """Rules on columns of a stream, as ``--rules`` has them: ``stumps(age, bmi)``, ``blocklist(sender, d=3)``."""

    word: str
    build: Callable[..., ConceptClass]
    """The class, of the columns' names and of the number (0 where there is none)."""
    examples: dict[str, str] = field(default_factory=dict)
    """Texts of such rules, each with a line for a person."""
    many: bool = False
    """Whether it reads several columns; without names all of them."""
    times: bool = False
    """Whether columns may be times, which ``build`` is then told by ``times=``."""
    limit: str = ""
    """The name of a number that is given, how many values or intervals are meant at most."""
    default: float = 0
    """The number if none is given; 0 if it must be. A whole number, unless this is a float."""
    limits: str = ""
    """What it limits, after "say how many"."""


@dataclass(frozen=True)
class Family:
    """One family of rules. What is None comes from the family of a parent class, so a subclass says little.

    Parameters
    ----------
    name
        As in specs: ``name(n=256)``. Empty for a kind that no text describes.
    kind
        The concept class; objects of its subclasses are meant too, unless these have a family of their own.
    make
        What a spec calls; by default ``kind``.
    frontier
        The frontier of a class.
    base
        The natural base learner of a class.
    bases
        The base learners that saved files may name, next to ``base`` where that is a class.
    engines
        What can stand for the paths, the fastest first; the first that accepts a problem is taken.
    columns
        How the columns of a table become instances.
    on_columns
        Its form in ``--rules`` on named columns, if it has one.
    example
        A spec, for ``adeptree rules`` and the docs.
    line
        A line about its rules, for a person; what has one is a shipped family of rules, listed wherever these are.
    small
        A spec of few concepts or points, for tests; by default the example.
    golden
        The golden game of the family, played on ``small``: ``adversary``, ``rounds`` and the options of ``Adept``,
        where they are not the usual ones.
    holds_code
        Whether its objects hold functions of the user's, so that no text can bring them back.
    """

    name: str
    kind: type[Any]
    make: Callable[..., ConceptClass] | None = None
    frontier: Callable[[Any], Frontier] | None = None
    base: Callable[[Any], BaseLearner] | None = None
    bases: tuple[type[BaseLearner], ...] = ()
    engines: tuple[type[Engine], ...] = ()
    columns: Columns | None = None
    on_columns: OnColumns | None = None
    example: str = ""
    line: str = ""
    small: str = ""
    golden: Mapping[str, Any] = field(default_factory=dict)
    holds_code: bool = False
