"""The record of a family of rules: everything that the rest of adeptree needs to know about it.

A class of rules alone is enough for Algorithm 2: with an oracle it has a frontier, and with a frontier a base learner.
A family replaces these general parts by better ones: a frontier in closed form, an optimal base learner, an engine that
represents all paths at once, and a syntax for specs, columns and the command line. Code outside a family's folder reads
the record and never asks for its type.

``Family`` is the record; ``Columns`` and ``OnColumns`` describe its rules on tables.
"""

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
    """The conversion of a table's columns to instances of a class; by default one column of numbers does."""

    value: Callable[[Any, Sequence[str]], Any] = _first_number
    """Function that makes an instance from the class and the texts of its columns."""
    array: Callable[[Any, Sequence[Sequence[str]]], Any] | None = None
    """Function that makes many instances from the class and its columns of texts, NaN for cells that are not numbers.

    If it is None or raises ValueError, ``value`` reads row by row."""
    names: Callable[[Any], Sequence[str] | None] = lambda concept_class: None
    """The columns that the class itself names; instances then map these names to numbers."""
    mapping: bool = False
    """True if instances map column names to values, for any columns."""
    count: Callable[[Any], int] = lambda concept_class: 1
    """Number of columns the class reads."""
    preferred: Callable[[Any], str | None] = lambda concept_class: None
    """The default column."""
    placeholder: str = r"\bx(\d*)\b"
    """Pattern of a column in the text of a rule, with the column's number (or nothing) as its group."""
    gaps: bool = False
    """True if every cell is accepted: texts are values, and an empty cell is a missing value."""
    points: Callable[[Any], int | None] = lambda concept_class: None
    """Number of distinct instances, if it is small."""


@dataclass(frozen=True)
class OnColumns:
    """Rules on named columns, in the syntax of ``--rules``: ``stumps(age, bmi)``, ``blocklist(sender, d=3)``."""

    word: str
    build: Callable[..., ConceptClass]
    """Function that makes the class from the columns' names and the number (0 if there is none)."""
    examples: dict[str, str] = field(default_factory=dict)
    """Example texts, each with a one-line description."""
    many: bool = False
    """True if the rules read several columns; without names, all of them."""
    times: bool = False
    """True if columns may be times; ``build`` then takes them as ``times=``."""
    limit: str = ""
    """Name of the numeric parameter, such as the largest number of values or intervals."""
    default: float = 0
    """Default of the number; 0 if it is required. Whole numbers only, unless the default is a float."""
    limits: str = ""
    """The things that the number limits, to complete the message "say how many"."""


@dataclass(frozen=True)
class Family:
    """One family of rules. A field that is None is inherited from the family of a parent class.

    Parameters
    ----------
    name
        Name in specs: ``name(n=256)``. Empty if no text describes the rules.
    kind
        The concept class, with its subclasses unless they have their own family.
    make
        Function that a spec calls; by default ``kind``.
    frontier
        Function that makes the frontier of a class.
    base
        Function that makes the default base learner of a class.
    bases
        The base learners that saved files may name, next to ``base`` where that is a class.
    engines
        Engines in place of the paths, the fastest first; the first that accepts a problem is used.
    columns
        The conversion of a table's columns to instances.
    on_columns
        Syntax of the rules on named columns in ``--rules``, if there is one.
    example
        An example spec for ``adeptree rules`` and the docs.
    line
        A one-line description. Families that have one are shipped families and appear in all lists.
    small
        A spec with few concepts or points, for tests; by default the example.
    golden
        The golden game of the family, played on ``small``: ``adversary``, ``rounds`` and the options of ``Adept``, if
        they differ from the defaults.
    holds_code
        True if objects hold functions of the user, which a text cannot restore.
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
