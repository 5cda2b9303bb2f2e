"""Shattered trees among functions given by their labels on the revealed points.

A k-tree in a set of functions is a complete binary tree of depth k whose inner nodes are points and
whose leaves are functions with the labels of their path; a 0-tree is one function. Functions are bits
of an int, and a column (a point) is the int of the functions with label 1 there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from adeptree.core.types import IntArray


def splitting(columns: Iterable[int], members: int) -> set[int]:
    """Return the columns that split the members, each once up to swapping the labels.

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
    """Return True if the members contain a tree of this depth.

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


def columns_of(table: Any, rows: IntArray) -> set[int]:
    """Return the columns of a table of labels that split these rows, as ints: bit i is the label of ``rows[i]``."""
    each = [table.row(row) for row in rows.tolist()]
    return splitting(
        [sum(label << i for i, label in enumerate(column)) for column in zip(*each, strict=True)], (1 << len(rows)) - 1
    )
