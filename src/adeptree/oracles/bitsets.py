"""The labels of all rows of a frontier, both ways: a row's labels as bytes, a point's labels as one set of rows.

A set of rows is a whole number whose bit i is row i: Python combines and counts such numbers word by word, faster than
arrays of words do for the few thousand rows that a frontier has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from adeptree.core.types import BoolArray, IntArray


def pack(members: BoolArray) -> int:
    """Return the set of the rows where ``members`` holds.

    >>> pack(np.array([True, False, True]))
    5
    """
    return int.from_bytes(np.packbits(members, bitorder="little").tobytes(), "little")


def pack_all(members: BoolArray) -> list[int]:
    """Return a set for every row of ``members``."""
    octets = np.packbits(members, axis=1, bitorder="little")
    blob, size = octets.tobytes(), octets.shape[1]
    return [int.from_bytes(blob[i : i + size], "little") for i in range(0, len(blob), size)]


def unpack(rows: int, size: int) -> BoolArray:
    """Return a set of rows as one bool per row.

    >>> unpack(5, 4).tolist()
    [True, False, True, False]
    """
    octets = np.frombuffer(rows.to_bytes(-(-size // 8), "little"), dtype=np.uint8)
    return np.unpackbits(octets, count=size, bitorder="little").view(np.bool_)


def first(rows: int) -> int:
    """Return the lowest row of a set that is not empty."""
    return (rows & -rows).bit_length() - 1


@dataclass(frozen=True)
class LabelTable:
    """The labels of all rows at all points; it is never changed, but followed by another.

    >>> table = LabelTable().append(np.array([False]), twins=np.array([0]))
    >>> table.rows, table.columns, table.labels().tolist()
    ((b'\\x00', b'\\x01'), (2,), [[False], [True]])
    """

    rows: tuple[bytes, ...] = (b"",)
    """For every row its labels, one byte per point."""
    columns: tuple[int, ...] = ()
    """For every point the set of rows that label it 1."""

    @classmethod
    def of(cls, labels: BoolArray) -> LabelTable:
        """Return the table with the given rows (first axis) and points (second axis)."""
        return cls(tuple(row.tobytes() for row in np.ascontiguousarray(labels)), tuple(pack_all(labels.T)))

    @cached_property
    def everyone(self) -> int:
        """The set of all rows."""
        return (1 << len(self.rows)) - 1

    @cached_property
    def number(self) -> dict[bytes, int]:
        """Which row has some labels."""
        return {row: i for i, row in enumerate(self.rows)}

    def labels(self) -> BoolArray:
        """Return all labels: rows by points."""
        return np.frombuffer(b"".join(self.rows), dtype=np.bool_).reshape(len(self.rows), len(self.columns))

    def cube(self, row: int, columns: Iterable[int]) -> int:
        """Return the rows that have the labels of the given one in some columns."""
        rows, labels = self.everyone, self.rows[row]
        for j in columns:
            rows &= self.columns[j] if labels[j] else ~self.columns[j]
        return rows

    def append(self, label: BoolArray, twins: IntArray) -> LabelTable:
        """Add a point: every row takes its label, and each twin is doubled by a new row with label 1."""
        doubled = [self.rows[i] + b"\1" for i in twins.tolist()]
        ends = label.view(np.uint8).tolist()
        rows = (*(row + (b"\1" if end else b"\0") for row, end in zip(self.rows, ends, strict=True)), *doubled)
        columns = (*self.columns, pack(label))
        if doubled:
            added = np.frombuffer(b"".join(doubled), dtype=np.bool_).reshape(len(doubled), -1).T
            columns = tuple(old | new << len(self.rows) for old, new in zip(columns, pack_all(added), strict=True))
        return LabelTable(rows, columns)
