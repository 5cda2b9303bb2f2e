"""The labels of all rows at the points revealed so far, one bit each, and 2-trees among them."""

from __future__ import annotations

import numpy as np

from adeptree.core.types import BoolArray, IntArray, LabelArray
from adeptree.ghost.trees import splitting


class LabelTable:
    """Bit j of row v is the label of row v at the j-th kept point.

    A point is left out if its column is constant or a copy of an earlier one, as for a repeated point.
    """

    def __init__(self) -> None:
        self.points = 0
        self.bits: LabelArray = np.zeros((1, 1), dtype=np.uint8)

    def grow(self, parent: IntArray, label: BoolArray, contested: bool) -> None:
        """Follow the rows to their children; ``contested`` says whether any row got two."""
        bits = self.bits if not contested and len(parent) == len(self.bits) else self.bits[parent]
        if contested or self._is_new(bits, label):
            byte, bit = divmod(self.points, 8)
            bits = np.concatenate([bits, np.zeros_like(bits)], axis=1) if byte == bits.shape[1] else bits.copy()
            bits[:, byte] |= label.astype(np.uint8) << np.uint8(bit)
            self.points += 1
        self.bits = bits

    def _is_new(self, bits: LabelArray, label: BoolArray) -> bool:
        """Say whether a column differs from all others (no test is needed if it was contested)."""
        if label.all() or not label.any():
            return False
        ones = np.bitwise_and.reduce(bits[label], axis=0)
        no_zeros = np.bitwise_or.reduce(bits[~label], axis=0)
        return not bool((ones & ~no_zeros).any())

    def columns(self, rows: IntArray) -> set[int]:
        """Return the columns that split these rows, as ints: bit i is the label of ``rows[i]``."""
        across = np.unpackbits(self.bits[rows], axis=1, count=self.points, bitorder="little")
        packed = np.packbits(across, axis=0, bitorder="little").T
        columns = (int.from_bytes(column.tobytes(), "little") for column in packed)
        return splitting(columns, (1 << len(rows)) - 1)

    def has_two_tree(self, members: IntArray, inside: BoolArray) -> BoolArray:
        """Say for each line of ``members`` (row numbers) whether those ``inside`` have a 2-tree.

        Rows differ from each other, so that is a point with two of them on either side: the bits of
        ``one``/``two`` count, for all points at once, the members seen with a label, up to two.
        """
        shape = (len(members), self.bits.shape[1])
        one = np.zeros((2, *shape), dtype=np.uint8)
        two = np.zeros((2, *shape), dtype=np.uint8)
        for place in range(members.shape[1]):
            bits = self.bits[members[:, place]]
            counted = np.where(inside[:, place], np.uint8(255), np.uint8(0))[:, None]
            for label, seen in enumerate((~bits & counted, bits & counted)):
                two[label] |= one[label] & seen
                one[label] |= seen
        return np.asarray((two[0] & two[1]).any(axis=1), dtype=np.bool_)
