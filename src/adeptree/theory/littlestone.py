"""Exact Littlestone dimension of 0/1 tables, with a mistake tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import ArrayLike, Instance
from adeptree.theory import bit_tables
from adeptree.theory.bounds import sauer

MEMO_BYTES = 1 << 28
"""Approximate limit, in bytes, of a solver's memory of proven results."""


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
    """Littlestone dimension of sets of rows of one table; proven results are kept between calls.

    >>> solver = LittlestoneSolver([[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]])
    >>> solver.dimension(), solver.dimension(0b0011), solver.dimension(0)
    (2, 1, -1)
    """

    def __init__(self, table: ArrayLike, budget: int = bit_tables.DEFAULT_BUDGET) -> None:
        """Take the table; ``budget`` is the number of search steps allowed to each call."""
        bits = bit_tables.checked(table)
        self._rows = len(bits)
        distinct, group = bit_tables.distinct_rows(bits)
        self._group = None if len(distinct) == len(bits) else group
        self._everything = (1 << len(distinct)) - 1
        self._index = bit_tables.distinct_columns(distinct)
        self._columns = list(self._index)
        self._steps = bit_tables.Steps(budget, len(distinct), "Littlestone")
        # For each k, the largest number of rows of a class of dimension below k on all columns.
        self._sauer = [0, *(sauer(len(self._columns), k) for k in range(len(distinct).bit_length() + 1))]
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
        present = np.zeros(self._everything.bit_length(), dtype=np.uint8)
        present[self._group[bit_tables.unpack(concepts, self._rows)]] = 1
        return bit_tables.mask(present)

    def _reaches(self, concepts: int, k: int, columns: list[int]) -> bool:
        """Return True if the dimension is at least k; ``columns`` may omit those that cut off one concept."""
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
        balanced = bit_tables.splits(concepts, columns, at_least=min(2, 1 << k - 1))
        kept = [column for _, _, column in balanced]
        failed: list[int] = []
        passed: list[int] = []
        for count, small, column in balanced:
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
