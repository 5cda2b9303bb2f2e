"""Combined rules: several parts, each of which reads columns of a row and has a share of the prior.

``rules.on("score")`` reads one column, ``a | b`` has the rules of both, and ``Experts`` follows votes or scores.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from adeptree.core.arguments import check_number
from adeptree.core.errors import InvalidArgument, InvalidInstance, got
from adeptree.core.escaping import counted
from adeptree.core.types import Concept, Instance, Sample
from adeptree.families.registry import columns_of
from adeptree.families.rule_values import RowRule
from adeptree.families.specs import parse
from adeptree.families.stumps.real_stumps import names_of
from adeptree.families.tables.table_cells import plain_value
from adeptree.roles.concept_class import ConceptClass

PLAIN = frozenset({str, int, float, bool, type(None)})
"""Types of values that each part checks on its own."""


@dataclass(frozen=True)
class PartRule(RowRule):
    """A rule of a part, on whole rows."""

    owner: RowRules
    part: int
    rule: Concept

    def on(self, x: Mapping[str, Any]) -> int:
        """Return the label of the part's rule in a row."""
        return int(self.rule(self.owner.read(self.part, x)))

    def condition(self) -> str:
        """Return the condition for label 1, as SQL."""
        one: Any = self.rule
        if not hasattr(one, "condition"):
            raise InvalidArgument(f"the rule {self} has no SQL; thresholds, intervals, values and stumps have")
        found: str = one.condition() if isinstance(one, RowRule) else one.condition(self.owner.columns[0])
        return found

    def __str__(self) -> str:
        return self.owner.text(self.part, self.rule)


class RowRules(ConceptClass):
    """The rules of several parts; instances are rows, mappings of column names to values."""

    combines: ClassVar[bool] = True
    parts: tuple[ConceptClass, ...]
    """The rules of each part."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns that the rules read."""

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each part, for coins."""
        return tuple(map(str, range(len(self.parts))))

    @property
    def shares(self) -> tuple[float, ...]:
        """Each part's share of the prior; by default equal."""
        return (1 / len(self.parts),) * len(self.parts)

    @abstractmethod
    def read(self, part: int, row: Mapping[str, Any]) -> Any:
        """Return the instance of a part in a row."""

    def text(self, part: int, rule: Concept) -> str:
        """Return the text of a part's rule."""
        return str(rule)

    def instance(self, x: Any) -> Instance:
        """Return the columns that the rules read, without missing values."""
        if not isinstance(x, Mapping):
            raise InvalidInstance(
                f"x must be a mapping of column names to values ({', '.join(self.columns)}); {got('x', x)}"
            )
        row = self.cells(x)
        for part in range(len(self.parts)):
            self.read(part, row)
        return row

    def cells(self, x: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns that are read and not missing, with NumPy values converted to Python's."""
        values = {name: plain_value(name, x[name]) for name in self.columns if name in x}
        return {name: value for name, value in values.items() if value is not None and value == value}  # drops NaN

    def read_raw(self, part: int, row: Mapping[str, Any]) -> Any:
        """Return the instance of a part in a raw row, as :meth:`instance` and :meth:`read` would."""
        return self.read(part, row if PLAIN.issuperset(map(type, row.values())) else self.cells(row))

    def key(self, x: Instance) -> Any:
        """Return the instances of all parts."""
        read = {
            name: (part, self.read(i, x)) for i, (name, part) in enumerate(zip(self.names, self.parts, strict=True))
        }
        return {name: part.key(cell) for name, (part, cell) in read.items() if cell is not None}

    def erm(self, sample: Sample) -> Concept:
        """Return the best of the parts' best rules."""
        pairs = self.clean(sample)
        found = [
            PartRule(self, i, part.erm([(self.read(i, x), y) for x, y in pairs])) for i, part in enumerate(self.parts)
        ]
        return min(found, key=lambda rule: sum(rule(x) != y for x, y in pairs))

    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Draw a part, and a rule of it."""
        part = int(rng.integers(len(self.parts)))
        return PartRule(self, part, self.parts[part].random_concept(rng))


@dataclass(frozen=True, repr=False)
class OnColumn(RowRules):
    """Rules about one value, read from a named column of a row; ``rules.on("score")`` makes one.

    >>> from adeptree import Thresholds
    >>> rules = Thresholds(16).on("score")
    >>> rules, str(rules.erm([({"score": 3, "tenant": "a"}, 0), ({"score": 9}, 1)]))
    (on_column(rules='thresholds(n=16)', column='score'), 'score >= 4')
    """

    rules: ConceptClass
    column: str
    spec_name = "on_column"

    def __post_init__(self) -> None:
        names_of([self.column or 0], "column")  # refuses an empty name
        if columns_of(self.rules).names(self.rules) is not None:
            raise InvalidArgument(f"{self.rules!r} names the columns it reads already; leave .on({self.column!r}) out")

    @property
    def parts(self) -> tuple[ConceptClass, ...]:  # type: ignore[override]
        """The rules."""
        return (self.rules,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The column."""
        return (self.column,)

    names = columns

    def read(self, part: int, row: Mapping[str, Any]) -> Any:
        """Return the value of the column."""
        if row.get(self.column) is None:
            raise InvalidInstance(f"column {self.column!r} must not be missing; the row has {', '.join(row) or 'none'}")
        value = row[self.column]
        whole = type(value) is float and value.is_integer() and abs(value) < 2**53
        try:
            return self.rules.instance(value)
        except InvalidInstance as error:
            if whole:  # a whole number in a column of floats
                return self.read(part, {**row, self.column: int(value)})
            raise InvalidInstance(f"column {self.column!r}: {error}") from None

    def text(self, part: int, rule: Concept) -> str:
        """Return the rule with the column's name."""
        return re.sub(columns_of(self.rules).placeholder, lambda _: self.column, str(rule))

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw a value."""
        return {self.column: self.rules.random_instance(rng)}

    def __repr__(self) -> str:
        return f"on_column(rules={repr(self.rules)!r}, column={self.column!r})"


@dataclass(frozen=True, repr=False)
class Union(RowRules):
    """The rules of all parts, each with its share of the prior; ``a | b`` makes one, and so does :func:`union`.

    >>> from adeptree import Experts, RealStumps, Thresholds
    >>> rules = Experts("lr", "ht", at=0.5) | Thresholds(16).on("score")
    >>> rules.columns, rules.shares, len((rules | RealStumps(["age"])).parts)
    (('lr', 'ht', 'score'), (0.5, 0.5), 3)
    """

    parts: tuple[ConceptClass, ...]
    given: tuple[float, ...] = ()
    spec_name = "union"

    def __post_init__(self) -> None:
        for part in self.parts:
            if not isinstance(part, ConceptClass) or columns_of(part).names(part) is None or part.one_rate:
                raise InvalidArgument(
                    f"rules to combine must name the columns they read; {got('rules', part)}; "
                    f'use rules.on("column"), or learner.rules in place of rules with segments'
                )

    @property
    def shares(self) -> tuple[float, ...]:
        """Each part's share of the prior."""
        return self.given or super().shares

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of all parts."""
        return tuple(dict.fromkeys(name for part in self.parts for name in columns_of(part).names(part) or ()))

    def read(self, part: int, row: Mapping[str, Any]) -> Any:
        """Return the row in the part's form."""
        return self.parts[part].instance(row)

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw a row for every part; a column that several parts read has the value of one of them."""
        drawn = [part.random_instance(rng) for part in self.parts]
        for first in drawn:
            with suppress(InvalidInstance):
                return self.instance({name: cell for row in (*drawn, first) for name, cell in row.items()})
        raise InvalidArgument(f"{self!r} cannot draw a row that all parts accept; give the adversary instances=")

    def __repr__(self) -> str:
        shares = f", shares={self.given!r}" if self.given else ""
        return f"union({[repr(part) for part in self.parts]!r}{shares})"


def union(*rules: Any, shares: Sequence[float] | None = None) -> Union:
    """Return the rules of all parts; shares of the prior are equal, unless given.

    >>> from adeptree import Thresholds
    >>> union(Thresholds(8).on("a"), Thresholds(8).on("b"), shares=(3, 1)).shares
    (0.75, 0.25)
    """
    given = rules[0] if len(rules) == 1 and isinstance(rules[0], (list, tuple)) else rules
    parts = [parse(part) if isinstance(part, str) else part for part in given]
    if not parts:
        raise InvalidArgument("a union needs rules, e.g. union(Experts('lr'), RealThresholds().on('score')); got none")
    if shares is None:  # unions with equal shares are flattened
        return Union(tuple(inner for part in parts for inner in _even_parts(part)))
    wanted = f"{counted(len(parts), 'number')} from 1e-9 to 1e9, one per part"
    if not isinstance(shares, (list, tuple)) or len(shares) != len(parts):
        raise InvalidArgument(f"shares must be {wanted}; {got('shares', shares)}")
    for share in shares:
        check_number("each of the shares", share, wanted, lambda one: 1e-9 <= one <= 1e9)
    return Union(tuple(parts), tuple(share / sum(shares) for share in shares))


def _even_parts(part: Any) -> tuple[ConceptClass, ...]:
    return part.parts if isinstance(part, Union) and not part.given else (part,)
