"""Rules about the cells of one column; they accept raw rows and read cells like the learner."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from adeptree.core.errors import InvalidArgument
from adeptree.families.rule_values import Constant, Interval, IntervalUnion, RowRule, Threshold, sql_name, sql_text
from adeptree.families.tables.table_cells import cell_of
from adeptree.families.tables.times import TimeCell

Lookup = Callable[[Mapping[str, Any]], Any] | None
"""Function that finds a rule's cell in a row, if it is not the value of the feature's name."""


def _refuse_times(feature: str, lookup: Lookup) -> None:
    if isinstance(lookup, TimeCell):
        raise InvalidArgument(
            f"a rule about times has no SQL that every database reads; got {feature}; write it in the SQL of yours, or "
            f"use rules on other columns"
        )


@dataclass(frozen=True)
class NumberRule(RowRule):
    """A rule about the numbers of a column, with the label ``gap`` for cells that are empty or texts.

    >>> rule = NumberRule("age", Threshold(40.0), gap=1)
    >>> str(rule), rule({"age": 39.0}), rule({}), str(NumberRule("age", Interval(-float("inf"), 40), gap=0))
    ('age >= 40 or age is missing', 0, 1, 'age < 40')
    """

    feature: str
    rule: Threshold | Interval | IntervalUnion | Constant
    gap: int
    lookup: Lookup = field(default=None, compare=False, repr=False)

    def on(self, x: Mapping[str, Any]) -> int:
        """Return the rule's label for a number; else the label ``gap``."""
        cell = self.lookup(x) if self.lookup else cell_of(self.feature, x.get(self.feature))
        return self.rule(cell) if isinstance(cell, float) else self.gap

    def condition(self) -> str:
        """Return the condition for label 1, as SQL on a column of numbers and NULL."""
        _refuse_times(self.feature, self.lookup)
        name = sql_name(self.feature)
        if isinstance(self.rule, Constant):
            return (
                f"{name} IS {'NOT ' * (self.rule.label > self.gap)}NULL"
                if self.rule.label != self.gap
                else f"1 = {self.gap}"
            )
        found = self.rule.condition(self.feature)
        return f"{found} OR {name} IS NULL" if self.gap else found

    def __str__(self) -> str:
        if isinstance(self.rule, Constant):
            return f"{self.feature} is {'a' if self.rule.label else 'no'} number"
        text = re.sub(r"\bx\b", lambda _: self.feature, str(self.rule))
        return f"{text} or {self.feature} is missing" if self.gap else text


@dataclass(frozen=True, init=False)
class ValueRule(RowRule):
    """A rule that tests if a column has one of these texts (None: missing), or none of them.

    >>> rule = ValueRule("sex", "female", equal=True)
    >>> str(rule), rule({"sex": "female"}), rule({}), str(ValueRule("sex", None, equal=False))
    ('sex == female', 1, 0, 'sex is not missing')
    >>> str(ValueRule("flag", "NL", "FR", equal=True)), str(ValueRule("flag", "NL", None, equal=False))
    ('flag in {NL, FR}', 'flag != NL and flag is not missing')
    """

    feature: str
    values: tuple[str | None, ...]
    equal: bool
    lookup: Lookup = field(default=None, compare=False, repr=False)

    def __init__(self, feature: str, *values: str | None, equal: bool, lookup: Lookup = None) -> None:
        self.__dict__.update(feature=feature, values=values, equal=equal, lookup=lookup)

    def on(self, x: Mapping[str, Any]) -> int:
        """Return the label of a row; a number is not a value."""
        cell = self.lookup(x) if self.lookup else cell_of(self.feature, x.get(self.feature))
        return int((cell in self.values) == self.equal)

    def condition(self) -> str:
        """Return the condition for label 1, as SQL."""
        _refuse_times(self.feature, self.lookup)
        name, texts = sql_name(self.feature), [sql_text(value) for value in self.values if value is not None]
        found = [f"{name} IN ({', '.join(texts)})"] * bool(texts) + [f"{name} IS NULL"] * (None in self.values)
        among = " OR ".join(found)
        return among if self.equal else f"CASE WHEN {among} THEN 0 ELSE 1 END = 1"

    def __str__(self) -> str:
        texts = [value for value in self.values if value is not None]
        one, several, is_missing = ("==", "in", "is") if self.equal else ("!=", "not in", "is not")
        said = [f"{self.feature} {one} {texts[0]}"] if len(texts) == 1 else []
        said += [f"{self.feature} {several} {{{', '.join(texts)}}}"] if len(texts) > 1 else []
        said += [f"{self.feature} {is_missing} missing"] if len(texts) < len(self.values) else []
        return (" or " if self.equal else " and ").join(said)
