"""Rules with segments such as tenants or regions: one common rule, and one rule per segment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from adeptree.core.arguments import check_size
from adeptree.core.errors import InvalidArgument, InvalidInstance, got
from adeptree.core.types import Concept, Instance, Sample
from adeptree.families.combined.row_rules import OnColumn, PartRule, RowRules, Union
from adeptree.families.registry import columns_of
from adeptree.families.rule_values import RowRule, sql_name, sql_text
from adeptree.roles.concept_class import ConceptClass

SHOWN = 3  # number of segments whose rules a text shows


def name_of(value: Any) -> str:
    """Return the name of a segment; a missing value has the empty name, and 1.0 is 1.

    >>> name_of("a"), name_of(1.0), name_of(None), name_of(float("nan"))
    ('a', '1', '', '')
    """
    if value is None or value != value:
        return ""
    try:
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    except ValueError:  # Python does not write longer whole numbers
        raise InvalidInstance(
            "the name of a segment must be a text or a number of at most 4,300 digits; got more digits"
        ) from None


@dataclass(frozen=True)
class SegmentRule(RowRule):
    """A rule for each segment; a segment without one predicts 0."""

    owner: PerSegment
    rules: Mapping[str, Concept]

    def on(self, x: tuple[str, Any]) -> int:
        """Return the label of the segment's rule."""
        rule = self.rules.get(x[0])
        return 0 if rule is None else int(rule(x[1]))

    def condition(self) -> str:
        """Return the condition for label 1, as SQL."""
        by, rules = sql_name(self.owner.by), {name: self.owner.on_rows(rule) for name, rule in self.rules.items()}
        which = {name: f"= {sql_text(name)}" if name else "IS NULL" for name in rules}
        return " OR ".join(f"({by} {which[n]} AND ({rules[n].condition()}))" for n in rules) or "1 = 0"

    def __str__(self) -> str:
        first = list(self.rules.items())[:SHOWN]
        told = [f"{name or 'missing'}: {self.owner.on_rows(rule)}" for name, rule in first]
        told += [f"{len(self.rules) - SHOWN:,} more"] * (len(self.rules) > SHOWN)
        return f"by {self.owner.by} ({'; '.join(told)})"


@dataclass(frozen=True, repr=False)
class PerSegment(ConceptClass):
    """One rule per segment; an instance is the name of a segment and a value. A part of :class:`Segmented`."""

    combines: ClassVar[bool] = True
    rules: ConceptClass
    by: str
    segments: int | None = None

    @property
    def column(self) -> str | None:
        """The column whose value is the instance of a segment's rules; None if they read rows."""
        return self.rules.column if isinstance(self.rules, OnColumn) else None

    @property
    def one(self) -> ConceptClass:
        """The rules of a segment."""
        return self.rules.rules if isinstance(self.rules, OnColumn) else self.rules

    def on_rows(self, rule: Concept) -> Any:
        """Convert a rule of a segment to one on whole rows."""
        return PartRule(self.rules, 0, rule) if isinstance(self.rules, OnColumn) else rule

    def instance(self, x: Any) -> Instance:
        """Return the segment and the instance of its rules, from a row or from such a pair."""
        if isinstance(x, tuple):
            return x
        read = self.rules.read(0, x) if isinstance(self.rules, OnColumn) else self.rules.instance(x)
        return name_of(x.get(self.by)), read

    def key(self, x: Instance) -> Any:
        """Return the values that the rules read, for coins."""
        return self.one.key(x[1])

    def erm(self, sample: Sample) -> Concept:
        """Return a best rule for each segment."""
        pairs: dict[str, list[Any]] = {}
        for (name, value), y in sample:
            pairs.setdefault(name, []).append((value, y))
        return SegmentRule(self, {name: self.one.erm(some) for name, some in pairs.items()})

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw one of three segments and a value."""
        return "abc"[int(rng.integers(3))], self.one.random_instance(rng)

    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Draw a rule for each of three segments."""
        return SegmentRule(self, {name: self.one.random_concept(rng) for name in "abc"})


@dataclass(frozen=True, repr=False)
class Segmented(RowRules):
    """Common rules for all rows, and one rule per segment; ``Adept(rules, by="tenant")`` makes this class.

    Parameters
    ----------
    rules
        Rules about named columns of the row, such as ``RealThresholds().on("score")``.
    by
        The column with the name of the segment. Rows where it is missing form a separate segment.
    segments
        The number of segments, if it is known. Only then is there a guarantee in advance.

    Examples
    --------
    >>> from adeptree import Thresholds
    >>> rules = Segmented(Thresholds(16).on("score"), by="tenant")
    >>> rows = [({"tenant": "a", "score": 3}, 0), ({"tenant": "a", "score": 9}, 1), ({"tenant": "b", "score": 9}, 0)]
    >>> rules.columns, str(rules.erm(rows))
    (('score', 'tenant'), 'by tenant (a: score >= 4; b: score >= 10)')

    """

    rules: ConceptClass
    by: str
    segments: int | None = None
    one_rate: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.by, str) or not self.by:
            raise InvalidArgument(f"by must be the name of a column; {got('by', self.by)}")
        Union((self.rules,))  # checks that they name their columns and have no segments
        if self.segments is not None:
            check_size("segments", self.segments)

    @cached_property
    def parts(self) -> tuple[ConceptClass, ...]:  # type: ignore[override]
        """The common rules, and the rules per segment."""
        return self.rules, PerSegment(self.rules, self.by, self.segments)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the rules, and the segment column."""
        return tuple(dict.fromkeys((*(columns_of(self.rules).names(self.rules) or ()), self.by)))

    def cells(self, x: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns that the rules read, with the segment's name as a text."""
        row = super().cells(x)
        return {**row, self.by: name_of(row[self.by])} if self.by in row else row

    def read(self, part: int, row: Mapping[str, Any]) -> Any:
        """Return the row in the part's form."""
        one = self.rules
        if part == 0 and isinstance(one, OnColumn):
            return {one.column: one.read(0, row)}
        return self.parts[part].instance(row)

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw a row, in one of three segments."""
        return self.instance({**self.rules.random_instance(rng), self.by: "abc"[int(rng.integers(3))]})

    def __repr__(self) -> str:
        known = "" if self.segments is None else f", segments={self.segments}"
        return f"segmented(rules={repr(self.rules)!r}, by={self.by!r}{known})"
