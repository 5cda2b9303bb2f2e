"""Exact VC and Littlestone dimensions of 0/1 tables, with witnesses.

Concepts are rows of a 0/1 table, points are columns, and a set of concepts is one Python int used as a
bit mask over the rows. The searches stop with TooLarge after a fixed number of steps, never by the clock,
so the same table is always accepted or always refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from adeptree.core.errors import InvalidArgument, TooLarge, got
from adeptree.core.types import Instance, LabelArray

DEFAULT_BUDGET = 200_000_000
"""Search steps before refusal: one step is one column looked at inside one set of up to 1000 concepts."""

STEPS_PER_SCAN = 10
"""What a scan of columns costs beside its columns, in steps."""

MEMO_BYTES = 1 << 28
"""Roughly how much memory a solver keeps for what it has already proved."""


@dataclass(frozen=True)
class MistakeTree:
    """A tree that forces ``depth`` mistakes: every path of labels from the root is realizable.

    >>> print(MistakeTree(2, MistakeTree(1), MistakeTree(3)))
    2
    +-0- 1
    |    +-0- *
    |    +-1- *
    +-1- 3
         +-0- *
         +-1- *
    """

    x: Instance
    zero: MistakeTree | None = None
    one: MistakeTree | None = None

    @property
    def depth(self) -> int:
        """Number of points on the shortest path from the root."""
        return 1 + min(0 if below is None else below.depth for below in (self.zero, self.one))

    def map(self, name: Callable[[Any], Instance]) -> MistakeTree:
        """Return the same tree with every x replaced by ``name(x)``."""
        zero, one = (None if below is None else below.map(name) for below in (self.zero, self.one))
        return MistakeTree(name(self.x), zero, one)

    def __str__(self) -> str:
        """Draw the tree: below each point what follows label 0 and label 1; ``*`` ends a path."""
        return "\n".join(self._lines())

    def _lines(self) -> list[str]:
        lines = [str(self.x)]
        for label, below, bar in ((0, self.zero, "|    "), (1, self.one, "     ")):
            first, *rest = ["*"] if below is None else below._lines()
            lines.append(f"+-{label}- {first}")
            lines += [bar + line for line in rest]
        return lines


class LittlestoneSolver:
    """Littlestone dimension of sets of rows of one table; what was proved is kept between calls.

    >>> solver = LittlestoneSolver([[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]])
    >>> solver.dimension(), solver.dimension(0b0011), solver.dimension(0)
    (2, 1, -1)
    """

    def __init__(self, table: ArrayLike, budget: int = DEFAULT_BUDGET) -> None:
        """Take the table; ``budget`` is the number of search steps allowed to each call."""
        bits = _checked(table)
        self._given = _masks(bits)
        self._rows = len(bits)
        distinct, group = _distinct_rows(bits)
        self._group = None if len(distinct) == len(bits) else group
        self._everything = (1 << len(distinct)) - 1
        self._index = _distinct_columns(distinct)
        self._columns = list(self._index)
        self._steps = _Steps(budget, len(distinct), "Littlestone")
        self._sauer = _sauer_sizes(len(distinct), len(self._columns))
        self._low: dict[int, int] = {}
        self._high: dict[int, int] = {}
        self._memo_limit = MEMO_BYTES // (200 + len(distinct) // 7)

    def dimension(self, concepts: int | None = None) -> int:
        """Return the Littlestone dimension of the rows in the mask (None: all rows; no row: -1)."""
        inner = self._inner(concepts)
        if not inner:
            return -1
        self._steps.restart()
        k = self._low.get(inner, 0)
        while self._reaches(inner, k + 1, self._columns):
            k += 1
        self._low[inner] = self._high[inner] = k
        return k

    def restrict(self, concepts: int, point_column: int, label: int) -> int:
        """Return the mask of those concepts that say ``label`` at the column."""
        ones = concepts & self._given[point_column]
        return ones if label else concepts ^ ones

    def tree(self) -> MistakeTree | None:
        """Return a mistake tree of full depth for all rows, its x being columns; None in dimension 0.

        >>> print(LittlestoneSolver([[0, 0], [0, 1]]).tree())
        1
        +-0- *
        +-1- *
        """
        return self._tree(self._everything, self.dimension())

    def _tree(self, concepts: int, k: int) -> MistakeTree | None:
        if k < 1:
            return None
        column = self._find_split(concepts, k, self._columns)
        ones = concepts & column
        return MistakeTree(self._index[column], self._tree(concepts ^ ones, k - 1), self._tree(ones, k - 1))

    def _inner(self, concepts: int | None) -> int:
        """Turn a mask over the given rows into one over the distinct rows."""
        if concepts is None:
            return self._everything
        if concepts < 0 or concepts.bit_length() > self._rows:
            raise InvalidArgument(f"concepts must be a mask over {self._rows} rows; {got('concepts', concepts)}")
        if self._group is None:
            return concepts
        raw = np.frombuffer(concepts.to_bytes((self._rows + 7) // 8, "little"), dtype=np.uint8)
        chosen = np.unpackbits(raw, count=self._rows, bitorder="little").astype(np.bool_)
        present = np.zeros(self._everything.bit_length(), dtype=np.uint8)
        present[self._group[chosen]] = 1
        return _mask(present)

    def _reaches(self, concepts: int, k: int, columns: list[int]) -> bool:
        """Tell whether the dimension is at least k; columns may omit those that cut off one concept."""
        size = concepts.bit_count()
        if size < 1 << k:
            return False
        if k < 2 or size > self._sauer[k]:
            return True
        if k == 2:
            self._steps.spend(len(columns))
            return any(1 < (concepts & column).bit_count() < size - 1 for column in columns)
        if self._low.get(concepts, 0) >= k:
            return True
        if self._high.get(concepts, k) < k:
            return False
        found = self._find_split(concepts, k, columns) != 0
        self._remember(concepts, k, found)
        return found

    def _remember(self, concepts: int, k: int, found: bool) -> None:
        if len(self._low) + len(self._high) >= self._memo_limit:
            self._low.clear()
            self._high.clear()
        if found:
            self._low[concepts] = k
        else:
            self._high[concepts] = k - 1

    def _find_split(self, concepts: int, k: int, columns: list[int]) -> int:
        """Return a column both of whose sides reach k - 1, or 0 (no kept column is constant)."""
        self._steps.spend(len(columns))
        splits = _splits(concepts, columns, at_least=min(2, 1 << k - 1))
        kept = [column for _, _, column in splits]
        failed: list[int] = []
        passed: list[int] = []
        for count, small, column in splits:
            if count < 1 << k - 1:
                break
            self._steps.spend(len(failed) + len(passed))
            sides = (small, concepts ^ small)
            # The dimension is monotone: a subset of a failed side fails, a superset of a passed one passes.
            if any(side & bad == side for bad in failed for side in sides):
                continue
            for side in sides:
                if any(side & good == good for good in passed):
                    continue
                if not self._reaches(side, k - 1, kept):
                    failed.append(side)
                    break
                passed.append(side)
            else:
                return column
        return 0


def _splits(concepts: int, columns: list[int], at_least: int) -> list[tuple[int, int, int]]:
    """List the different splits of the set, most balanced first: (smaller count, smaller side, column)."""
    size = concepts.bit_count()
    seen: dict[int, tuple[int, int, int]] = {}
    for column in columns:
        side = concepts & column
        count = side.bit_count()
        if 2 * count >= size:
            other = concepts ^ side
            side = other if 2 * count > size else min(side, other)
            count = size - count if 2 * count > size else count
        if count >= at_least and side not in seen:
            seen[side] = (count, side, column)
    return sorted(seen.values(), key=lambda split: -split[0])


class _Steps:
    """The budget of one search."""

    def __init__(self, budget: int, rows: int, name: str) -> None:
        self._budget = budget
        self._unit = 1 + max(0, rows - 1000) // 500
        self._rows = rows
        self._name = name
        self.restart()

    def restart(self) -> None:
        self._left = self._budget

    def spend(self, columns: int) -> None:
        self._left -= columns * self._unit
        if self._left < 0:
            raise TooLarge(
                f"the {self._name} dimension of this class of {self._rows} concepts was not settled within "
                f"{self._budget} search steps; take a smaller class or give a larger budget"
            )


def vc_of_table(table: ArrayLike, budget: int = DEFAULT_BUDGET) -> tuple[int, tuple[int, ...]]:
    """Return the VC dimension of the rows and a largest shattered set of columns.

    >>> vc_of_table([[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1]])
    (2, (1, 2))
    """
    bits, _ = _distinct_rows(_checked(table))
    if not len(bits):
        return -1, ()
    everything = (1 << len(bits)) - 1
    index = _distinct_columns(bits)
    splits = _splits(everything, list(index), at_least=1)
    steps = _Steps(budget, len(bits), "VC")
    best: tuple[int, ...] = ()
    found: tuple[int, ...] | None = ()
    while found is not None:
        best = found
        wanted = len(best) + 1
        columns = [column for count, _, column in splits if count >= 1 << wanted - 1]
        found = _shattered([everything], columns, wanted, steps)
    return len(best), tuple(sorted(index[column] for column in best))


def _shattered(cells: list[int], columns: list[int], wanted: int, steps: _Steps) -> tuple[int, ...] | None:
    """Find ``wanted`` columns that together shatter every cell; each one alone leaves room for the others."""
    if len(columns) < wanted:
        return None
    if wanted == 1:
        return (columns[0],)
    for i, column in enumerate(columns[: len(columns) - wanted + 1]):
        halves, rest = _halve(cells, column, columns[i + 1 :], wanted - 1, steps)
        found = _shattered(halves, rest, wanted - 1, steps)
        if found is not None:
            return (column, *found)
    return None


def _halve(
    cells: list[int], column: int, columns: list[int], wanted: int, steps: _Steps
) -> tuple[list[int], list[int]]:
    """Cut every cell by the column; return the halves, smallest first, and the columns still of use.

    A useful column leaves ``2 ** (wanted - 1)`` concepts on both sides of every half. The smallest cells
    come first because they refuse most columns, and the cutting stops when too few are left.
    """
    need = 1 << wanted - 1
    halves: list[int] = []
    for cell in cells:
        one = cell & column
        for half in (one, cell ^ one):
            most = half.bit_count() - need
            steps.spend(len(columns) + STEPS_PER_SCAN)
            columns = [other for other in columns if need <= (half & other).bit_count() <= most]
            if len(columns) < wanted:
                return [], []
            halves.append(half)
    return sorted(halves, key=int.bit_count), columns


def _checked(table: ArrayLike) -> LabelArray:
    array = np.asarray(table)
    if array.ndim != 2 or not bool(np.isin(array, (0, 1)).all()):
        raise InvalidArgument(
            "table must be a two-dimensional array of 0 and 1, one row per concept; "
            f"got an array of shape {array.shape} and type {array.dtype}"
        )
    return array.astype(np.uint8)


def _mask(bits: LabelArray) -> int:
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def _masks(table: LabelArray) -> list[int]:
    return [_mask(column) for column in table.T]


def _distinct_rows(table: LabelArray) -> tuple[LabelArray, np.ndarray[Any, np.dtype[np.int64]]]:
    """Return the table without repeated rows, in order of first appearance, and each row's number in it."""
    numbers: dict[bytes, int] = {}
    packed = np.packbits(table, axis=1)
    group = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in packed], dtype=np.int64)
    first = np.unique(group, return_index=True)[1]
    return table[first], group


def _distinct_columns(table: LabelArray) -> dict[int, int]:
    """Map the mask of every column to its number, without constant, repeated or complementary columns."""
    everything = (1 << len(table)) - 1
    index: dict[int, int] = {}
    for j, column in enumerate(_masks(table)):
        if 0 < column < everything and column not in index and column ^ everything not in index:
            index[column] = j
    return index


def _sauer_sizes(rows: int, columns: int) -> list[int]:
    """For each k the most rows a class of dimension below k can have on so many columns (Sauer's lemma)."""
    sizes = [0]
    for k in range(rows.bit_length() + 1):
        sizes.append(sizes[-1] + comb(columns, k))
    return sizes
