"""Shattered trees among functions that are known by their labels on the revealed points.

A k-tree in a set of functions is a complete binary tree of depth k whose inner nodes are points and
whose leaves are functions with the labels of their path; a 0-tree is one function. Functions are bits
of an int, and a column (a point) is the int of the functions with label 1 there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from adeptree.core.types import BoolArray, IntArray, LabelArray
from adeptree.theory.bit_tables import masks


def splitting(columns: Iterable[int], members: int) -> set[int]:
    """Return the columns that split the members, each once (also up to swapping the labels).

    >>> splitting([0b0011, 0b1100, 0b1111], 0b1111)
    {3}
    """
    lowest = members & -members
    cuts = set()
    for column in columns:
        ones = column & members
        side = ones if ones & lowest else members & ~ones
        if side != members:
            cuts.add(side)
    return cuts


def has_tree(columns: Collection[int], members: int, depth: int) -> bool:
    """Say whether the members contain a tree of that depth.

    Every two members must differ in some column.

    >>> has_tree([0b0011, 0b0101], 0b1111, 2), has_tree([0b0001, 0b0011, 0b0111], 0b1111, 2)
    (True, True)
    >>> has_tree([0b0001, 0b0010, 0b0100], 0b1111, 2)
    False
    """
    size = members.bit_count()
    if size < 1 << depth:
        return False
    if depth <= 1:
        return True
    half = 1 << (depth - 1)
    balanced = [column & members for column in columns if half <= (column & members).bit_count() <= size - half]
    if depth == 2:
        return bool(balanced)
    return any(
        has_tree(splitting(columns, ones), ones, depth - 1)
        and has_tree(splitting(columns, members & ~ones), members & ~ones, depth - 1)
        for ones in splitting(balanced, members)
    )


class TreeLabels:
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
        return splitting(masks(across.T.view(np.bool_)), (1 << len(rows)) - 1)

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
