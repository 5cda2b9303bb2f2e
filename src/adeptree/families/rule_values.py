"""Value objects for rules; ``str`` returns readable text."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adeptree.core.dataframes import table_rows
from adeptree.core.types import Instance


def number_text(value: float) -> str:
    """Format a number exactly, without ".0".

    >>> number_text(40.0), number_text(0.125), number_text(17)
    ('40', '0.125', '17')
    """
    return str(value).removesuffix(".0")


class RowRule:
    """A rule about rows; called with a data frame or columns by name, it returns one label per row, as an array.

    A subclass defines ``on``, the label of one row, and ``condition``, the SQL condition for label 1.
    """

    on: Callable[[Any], int]
    condition: Callable[[], str]

    def __call__(self, x: Any) -> Any:
        """Return the label of a row, or the labels of all rows of a frame."""
        rows = None if type(x) is dict and _single(x) else table_rows(x)
        return self.on(x) if rows is None else np.array([self.on(row) for row in rows], dtype=np.int64)

    def to_sql(self) -> str:
        """Return the rule as an SQL expression with the value 0 or 1; a missing value is NULL."""
        return f"CASE WHEN {self.condition()} THEN 1 ELSE 0 END"


def _single(x: dict[Any, Any]) -> bool:
    """Return True if a mapping is plainly one row."""
    return type(next(iter(x.values()), None)) in (int, float, str, bool)


def sql_name(column: str) -> str:
    """Quote an SQL identifier.

    >>> print(sql_name('a "b"'))
    "a ""b\"""
    """
    quote = '"'
    return quote + column.replace(quote, 2 * quote) + quote


def sql_text(text: str) -> str:
    """Quote an SQL text.

    >>> print(sql_text("it's"))
    'it''s'
    """
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True)
class Constant(RowRule):
    """The same label everywhere.

    >>> str(Constant(1)), Constant(1)("anything"), Constant(1).to_sql()
    ('always 1', 1, 'CASE WHEN 1 = 1 THEN 1 ELSE 0 END')
    """

    label: int

    def on(self, x: Instance) -> int:
        """Return the label."""
        return self.label

    def condition(self, column: str = "") -> str:
        """Return the condition for label 1, as SQL."""
        return f"1 = {self.label}"

    def __str__(self) -> str:
        return f"always {self.label}"


@dataclass(frozen=True)
class Threshold:
    """1 from ``start`` on.

    >>> rule = Threshold(17)
    >>> str(rule), rule(16), rule(17), str(Threshold(42.5))
    ('x >= 17', 0, 1, 'x >= 42.5')
    """

    start: float

    def __call__(self, x: Instance) -> int:
        """Return 1 if x is at least the threshold."""
        return int(x >= self.start)

    def condition(self, column: str) -> str:
        """Return the condition for label 1, as SQL on a column."""
        return f"{sql_name(column)} >= {float(self.start)!r}"

    def __str__(self) -> str:
        return f"x >= {number_text(self.start)}"


@dataclass(frozen=True)
class Interval:
    """1 on ``start <= x < stop``.

    >>> str(Interval(3, 9)), str(Interval(3, 3)), str(Interval(2.5, math.inf))
    ('3 <= x < 9', 'never 1 (empty interval)', 'x >= 2.5')
    """

    start: float
    stop: float

    def __call__(self, x: Instance) -> int:
        """Return 1 if x lies inside."""
        return int(self.start <= x < self.stop)

    def condition(self, column: str) -> str:
        """Return the condition for label 1, as SQL on a column."""
        name, parts = sql_name(column), []
        if self.start > -math.inf:
            parts.append(f"{name} >= {float(self.start)!r}")
        if self.stop < math.inf:
            parts.append(f"{name} < {float(self.stop)!r}")
        return f"({' AND '.join(parts) or f'{name} IS NOT NULL'})"

    def __str__(self) -> str:
        if self.start >= self.stop:
            return "never 1 (empty interval)"
        start, stop = number_text(self.start), number_text(self.stop)
        if self.start == -math.inf:
            return "always 1" if self.stop == math.inf else f"x < {stop}"
        return f"x >= {start}" if self.stop == math.inf else f"{start} <= x < {stop}"


@dataclass(frozen=True)
class IntervalUnion:
    """1 on any of some intervals.

    >>> rule = IntervalUnion((Interval(1, 4), Interval(7, 9)))
    >>> str(rule), rule(3), rule(5), str(IntervalUnion(()))
    ('1 <= x < 4 or 7 <= x < 9', 1, 0, 'never 1 (no interval)')
    """

    intervals: tuple[Interval, ...]

    def __call__(self, x: Instance) -> int:
        """Return 1 if x lies inside one of them."""
        return int(any(interval(x) for interval in self.intervals))

    def condition(self, column: str) -> str:
        """Return the condition for label 1, as SQL on a column."""
        return f"({' OR '.join(one.condition(column) for one in self.intervals) or '1 = 0'})"

    def __str__(self) -> str:
        return " or ".join(map(str, self.intervals)) or "never 1 (no interval)"


@dataclass(frozen=True)
class Stump(RowRule):
    """One comparison of one named feature.

    >>> rule = Stump("age", 40.0, above=True)
    >>> str(rule), rule({"age": 41}), str(Stump("age", 40.0, above=False)), rule({"age": [39, 40]}).tolist()
    ('age >= 40', 1, 'age < 40', [0, 1])
    """

    feature: str
    cut: float
    above: bool

    def on(self, x: Mapping[str, Any]) -> int:
        """Return 1 if the feature is on the rule's side of the cut."""
        return int((x[self.feature] >= self.cut) == self.above)

    def condition(self) -> str:
        """Return the condition for label 1, as SQL."""
        return f"{sql_name(self.feature)} {'>=' if self.above else '<'} {float(self.cut)!r}"

    def __str__(self) -> str:
        return f"{self.feature} {'>=' if self.above else '<'} {number_text(self.cut)}"


@dataclass(frozen=True)
class BlockUnion:
    """1 exactly on the listed blocks; ``block_of`` maps an instance to its block.

    >>> rule = BlockUnion(("spam.example", "ads.example"), block_of=lambda x: x)
    >>> str(rule), rule("ads.example"), rule("friend.example")
    ("block in {'spam.example', 'ads.example'}", 1, 0)
    """

    blocks: tuple[Hashable, ...]
    block_of: Any = field(compare=False, repr=False)

    def __call__(self, x: Instance) -> int:
        """Return 1 if x lies in one of the blocks."""
        return int(self.block_of(x) in self.blocks)

    def condition(self, column: str) -> str:
        """Return the condition for label 1, as SQL on a column."""
        blocks = [sql_text(block) if isinstance(block, str) else repr(block) for block in self.blocks]
        return f"{sql_name(column)} IN ({', '.join(blocks)})" if blocks else "1 = 0"

    def __str__(self) -> str:
        if not self.blocks:
            return "never 1 (no block)"
        return "block in {" + ", ".join(repr(b) for b in self.blocks) + "}"


@dataclass(frozen=True)
class Monomial:
    """A conjunction of literals, or (``any_of``) a disjunction of them.

    ``literals`` holds i for "bit i is 1" and ``~i`` for "bit i is 0".

    >>> rule = Monomial((0, ~2), any_of=False)
    >>> str(rule), rule((1, 0, 0)), rule((1, 0, 1))
    ('x0 and not x2', 1, 0)
    """

    literals: tuple[int, ...]
    any_of: bool

    def __call__(self, x: Instance) -> int:
        """Return 1 if all (any) of the literals hold."""
        holds = (x[i] == 1 if i >= 0 else x[~i] == 0 for i in self.literals)
        return int(any(holds) if self.any_of else all(holds))

    def __str__(self) -> str:
        clash = any(~i in self.literals for i in self.literals)
        if clash or not self.literals:
            return f"always {int(self.any_of == clash)}"
        names = (f"x{i}" if i >= 0 else f"not x{~i}" for i in self.literals)
        return (" or " if self.any_of else " and ").join(names)


@dataclass(frozen=True)
class Parity:
    """1 when an odd number of the chosen bits are 1.

    >>> rule = Parity((0, 3))
    >>> str(rule), rule((1, 0, 0, 1)), rule((1, 0, 0, 0))
    ('x0 xor x3', 0, 1)
    """

    bits: tuple[int, ...]

    def __call__(self, x: Instance) -> int:
        """Return the parity of the chosen bits."""
        return sum(int(x[i]) for i in self.bits) % 2

    def __str__(self) -> str:
        return " xor ".join(f"x{i}" for i in self.bits) or "always 0"


@dataclass(frozen=True)
class TableRow:
    """One row of an explicit table.

    >>> rule = TableRow(2, (0, 1, 1), points=("a", "b", "c"))
    >>> str(rule), rule("b")
    ("concept 2: 1 on {'b', 'c'}", 1)
    """

    index: int
    row: tuple[int, ...]
    points: tuple[Hashable, ...] | None = None

    def __call__(self, x: Instance) -> int:
        """Return the table's label at x (a member of ``points``, or a column index)."""
        return self.row[x if self.points is None else self.points.index(x)]

    def __str__(self) -> str:
        names = range(len(self.row)) if self.points is None else self.points
        ones = [repr(name) for name, label in zip(names, self.row, strict=True) if label]
        if len(ones) in (0, len(self.row)):
            return f"concept {self.index}: always {int(bool(ones))}"
        return f"concept {self.index}: 1 on {{{', '.join(ones)}}}"
