"""The shapes of trees over buckets of slots, as they are saved and rebuilt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adeptree.core.declared_state import need
from adeptree.core.types import IntArray

BUCKET = 32
"""Slots per bucket of ``line_tree_kernel.py``; a full one is divided at once."""
DEEPEST = 100
"""Largest depth of an engine's tree, hence of a saved one."""
FAN = 16
"""Entries of a node of ``column_tree_kernel.py``."""


@dataclass(frozen=True)
class Shape:
    """The number of cells per bucket, from left to right, and of buckets per node, in preorder."""

    counts: IntArray
    sizes: IntArray

    def check(self, cells: int) -> None:
        """Raise ValueError unless this is a tree over this number of cells, because kernels use it as addresses."""
        fits = self.counts.min(initial=1) >= 1 and self.counts.max(initial=1) < BUCKET and self.counts.sum() == cells
        waiting = [(len(self.counts), 0)]
        for size in self.sizes.tolist():
            if not fits or not waiting:
                break
            due, depth = waiting.pop()
            fits = 1 <= size <= due and depth <= DEEPEST
            if waiting and waiting[-1][1] == depth:  # a left child: its sibling has the rest of the parent
                fits &= size < due
                waiting[-1] = (due - size, depth)
            else:
                fits &= size == due
            if size > 1:
                waiting += [(0, depth + 1), (size, depth + 1)]
        need(fits and not waiting and len(self.sizes) == 2 * len(self.counts) - 1, "sizes")

    def nodes(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return the number of each node in preorder (siblings get neighbouring ones), its left child's number (at a
        leaf -1 - bucket), and the first bucket of its right child.

        >>> shape = Shape(np.array([24, 24, 2]), np.array([3, 1, 2, 1, 1]))
        >>> [part.tolist() for part in shape.nodes()]
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


@dataclass(frozen=True)
class FanShape(Shape):
    """The number of cells of each bucket, from left to right, and of entries of each node, in preorder; 0 is a leaf."""

    def check(self, cells: int) -> None:
        """Refuse a shape that is not a tree over this number of cells, with all leaves in one level."""
        waiting, leaves = [0], list[int]()
        for size in self.sizes.tolist():
            need(waiting and size <= FAN and waiting[-1] <= DEEPEST, "sizes")
            depth = waiting.pop()
            waiting += [depth + 1] * size
            leaves += [depth] * (size == 0)
        need(not waiting and len(leaves) == len(self.counts) and min(leaves) == max(leaves), "sizes")
        need(self.counts.min() >= 1 and self.counts.max() < BUCKET and self.counts.sum() == cells, "counts")

    def nodes(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return the number of each entry in preorder (16 n + j: the j-th of node n), the node below it (at a leaf
        -1 - bucket), and the first bucket below it.

        >>> shape = FanShape(np.array([24, 24, 2]), np.array([3, 0, 0, 0]))
        >>> [part.tolist() for part in shape.nodes()]
        [[0, 16, 17, 18], [1, -1, -2, -3], [0, 0, 1, 2]]
        """
        inner = self.sizes > 0
        below = np.cumsum(~inner)
        child: IntArray = np.where(inner, np.cumsum(inner), 0 - below)
        waiting, number = [0], np.zeros_like(self.sizes)
        for i, size in enumerate(self.sizes.tolist()):
            number[i] = waiting.pop()
            waiting += range(FAN * int(child[i]) + size - 1, FAN * int(child[i]) - 1, -1) if size else ()
        return number, child, below - ~inner
