"""The shape of a tree over buckets of slots, as it is saved and rebuilt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adeptree.core.declared_state import need
from adeptree.core.types import IntArray

BUCKET = 32
"""Slots per bucket of ``line_tree_kernel.py``; a full one is divided at once."""
DEEPEST = 100
"""Largest depth of an engine's tree, hence of a saved one."""


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
