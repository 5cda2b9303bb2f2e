"""The cells of a line as plain arrays, and the shape of the tree over them: what is saved, and built from again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adeptree.core.errors import DamagedFile, InvalidArgument, got
from adeptree.core.types import Concept, IntArray
from adeptree.families.line.line_domain import FLOATS
from adeptree.families.line.thresholds import RealThresholds, Thresholds
from adeptree.families.rule_values import Threshold

LARGEST_GRID = 2**62
"""Points are kept as int64."""
FILLED = 48
"""Cells a bucket gets when a tree is built anew: three quarters of what it holds."""
DEEPEST = 100
"""No tree of the engine is deeper, so no saved one may be."""


@dataclass(frozen=True)
class Line:
    """How a class writes its cells: a cell begins after the point ``low - offset`` and ends with the point ``high``."""

    kind: Any
    first: float
    end: float
    offset: int

    @classmethod
    def of(cls, concept_class: Any) -> Line:
        """Return the line of a class of thresholds.

        >>> Line.of(Thresholds(8)).end
        8
        """
        if isinstance(concept_class, Thresholds) and concept_class.n <= LARGEST_GRID:
            return cls(np.int64, -1, concept_class.n, 1)
        if isinstance(concept_class, RealThresholds):
            return cls(np.float64, -math.inf, math.inf, 0)
        raise InvalidArgument(
            f"the ordered engine is for thresholds(n) with n up to 2^62 and for real_thresholds(); "
            f'{got("concept_class", concept_class)}; use engine="paths"'
        )

    def concept(self, low: Any, high: Any) -> Concept:
        """Return a concept of a cell: what the frontier of the class returns for that row."""
        return Threshold(int(low)) if self.offset else FLOATS.threshold(low, high)


@dataclass(frozen=True)
class Cells:
    """All paths of a line, in order: ``low`` and ``high`` as the frontier of the class has them, one row per path."""

    low: NDArray[Any]
    high: NDArray[Any]
    mistakes: IntArray
    contested: IntArray
    losses: IntArray

    def __len__(self) -> int:
        return len(self.low)

    def in_order(self) -> Cells:
        """Return the same cells from left to right."""
        order = np.argsort(self.low, kind="stable")
        return Cells(*(column[order] for column in (self.low, self.high, self.mistakes, self.contested, self.losses)))


@dataclass(frozen=True)
class Shape:
    """How many cells each bucket has, from left to right, and how many buckets each node, in preorder."""

    counts: IntArray
    sizes: IntArray

    @classmethod
    def for_cells(cls, cells: int) -> Shape:
        """Return the most balanced shape.

        >>> shape = Shape.for_cells(100)
        >>> shape.counts.tolist(), shape.sizes.tolist()
        ([48, 48, 4], [3, 1, 2, 1, 1])
        """
        counts = np.full(-(-cells // FILLED), FILLED, dtype=np.int64)
        counts[-1] = cells - FILLED * (len(counts) - 1)
        sizes, waiting = [], [len(counts)]
        while waiting:
            sizes.append(size := waiting.pop())
            if size > 1:
                waiting += [size - size // 2, size // 2]
        return cls(counts, np.array(sizes, dtype=np.int64))

    def check(self, cells: int, bucket: int) -> None:
        """Refuse a shape that is no tree over that many cells (it would be read as addresses)."""
        fits = self.counts.min(initial=1) >= 1 and self.counts.max(initial=1) < bucket and self.counts.sum() == cells
        waiting = [(len(self.counts), 0)]
        for size in self.sizes.tolist():
            if not fits or not waiting:
                break
            due, depth = waiting.pop()
            fits = 1 <= size <= due and depth <= DEEPEST
            if waiting and waiting[-1][1] == depth:  # a left child: the rest of the parent is its sibling's
                fits &= size < due
                waiting[-1] = (due - size, depth)
            else:
                fits &= size == due
            if size > 1:
                waiting += [(0, depth + 1), (size, depth + 1)]
        if not fits or waiting or len(self.sizes) != 2 * len(self.counts) - 1:
            raise DamagedFile("the saved tree of the ordered engine does not fit its cells; use an earlier copy")

    def nodes(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return the number of each node in preorder (siblings get neighbouring ones), its left child's number (at a
        leaf -1 - bucket), and the first bucket of its right child.

        >>> [part.tolist() for part in Shape.for_cells(100).nodes()]
        [[0, 1, 2, 3, 4], [1, -1, 3, -2, -3], [1, 0, 2, 0, 0]]
        """
        leaf = self.sizes == 1
        inner = np.flatnonzero(~leaf)
        before = np.cumsum(leaf) - leaf  # leaves to the left
        number, child, beyond = np.zeros_like(self.sizes), -1 - before, np.zeros_like(self.sizes)
        child[inner] = 1 + 2 * np.arange(len(inner))
        beyond[inner] = before[inner] + self.sizes[inner + 1]
        number[inner + 1] = child[inner]
        number[inner + 2 * self.sizes[inner + 1]] = child[inner] + 1
        return number, child, beyond
