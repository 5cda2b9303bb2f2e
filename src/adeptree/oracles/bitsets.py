"""Bit sets over the rows of a frontier, and the table of all rows' labels as one bit set a point.

A set of rows is an array of 64-bit words: row i is bit ``i % 64`` of word ``i // 64``. Rows keep their
numbers and new ones are appended, so columns grow at their end and are never packed anew.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adeptree.core.types import BoolArray, IntArray

WordArray = NDArray[np.uint64]

WORD = 64
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


def words_for(rows: int) -> int:
    """Return how many words a set of rows needs (at least one, so that no array is empty)."""
    return max(1, -(-rows // WORD))


def pack(members: BoolArray) -> WordArray:
    """Return the bit set of the rows where ``members`` holds.

    >>> pack(np.array([True, False, True])).tolist()
    [5]
    """
    room = np.zeros((*members.shape[:-1], words_for(members.shape[-1]) * WORD), dtype=np.bool_)
    room[..., : members.shape[-1]] = members
    return np.packbits(room, axis=-1, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def unpack(words: WordArray, rows: int) -> BoolArray:
    """Return a bit set as one bool per row.

    >>> unpack(np.array([5], dtype=np.uint64), 3).tolist()
    [True, False, True]
    """
    octets = np.ascontiguousarray(words).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=rows, bitorder="little").view(np.bool_)


def count(words: WordArray) -> int:
    """Return the number of rows in a set."""
    return int(np.bitwise_count(words).sum())


def counts(sets: WordArray) -> IntArray:
    """Return the number of rows in each of many sets."""
    result: IntArray = np.bitwise_count(sets).sum(axis=1, dtype=np.int64)
    return result


def first(words: WordArray) -> int:
    """Return the lowest row of a set that is not empty."""
    place = int((words != 0).argmax())
    word = int(words[place])
    return place * WORD + (word & -word).bit_length() - 1


def single(row: int, words: int) -> WordArray:
    """Return the set of one row."""
    alone = np.zeros(words, dtype=np.uint64)
    alone[row // WORD] = np.uint64(1 << row % WORD)
    return alone


class LabelColumns:
    """The labels of all rows, one bit set a point.

    >>> table = LabelColumns()
    >>> table.append(np.array([False]), twins=np.array([0]))
    >>> table.labels().tolist()
    [[False], [True]]
    """

    def __init__(self) -> None:
        self.rows = 1
        self.points = 0
        self.room: WordArray = np.zeros((8, 1), dtype=np.uint64)
        """Columns and words beyond those in use are zero."""

    @classmethod
    def of(cls, labels: BoolArray) -> LabelColumns:
        """Return the table with the given rows (first axis) and points (second axis)."""
        table = cls()
        table.rows, table.points = labels.shape
        table.room = pack(np.ascontiguousarray(labels.T)) if table.points else np.zeros((8, 1), dtype=np.uint64)
        table._reserve(table.points, table.rows)
        return table

    @property
    def words(self) -> int:
        """Words in use in every column."""
        return words_for(self.rows)

    @property
    def columns(self) -> WordArray:
        """One bit set a point: the rows that label it 1."""
        return self.room[: self.points, : self.words]

    def everyone(self) -> WordArray:
        """Return the set of all rows."""
        full = np.full(self.words, ALL)
        if self.rows % WORD:
            full[-1] = np.uint64((1 << self.rows % WORD) - 1)
        return full

    def labels_of(self, row: int) -> BoolArray:
        """Return one row's labels."""
        bit = np.uint64(1 << row % WORD)
        result: BoolArray = (self.room[: self.points, row // WORD] & bit) != 0
        return result

    def labels(self) -> BoolArray:
        """Return all labels: rows by points."""
        return np.ascontiguousarray(unpack(self.columns, self.rows).T)

    def differing(self, labels: BoolArray) -> WordArray:
        """Return for every point the rows that do not have the given label there (with stray bits past the end)."""
        return self.columns ^ np.where(labels, ALL, np.uint64(0))[:, None]

    def where(self, labels: BoolArray) -> int | None:
        """Return the row with exactly these labels, if there is one."""
        left = self.everyone() & ~np.bitwise_or.reduce(self.differing(labels), axis=0, initial=np.uint64(0))
        return first(left) if left.any() else None

    def append(self, label: BoolArray, twins: IntArray) -> None:
        """Add a point: every row takes its label, and each twin is doubled by a new row with label 1."""
        rows, points = self.rows, self.points
        self._reserve(points + 1, rows + len(twins))
        room = self.room.copy()  # a round that is not finished must leave no trace
        room[points, : words_for(rows)] = pack(label)
        if len(twins):
            bits = (room[:points, twins // WORD] >> (twins % WORD).astype(np.uint64)).astype(np.uint8) & 1
            start, offset = divmod(rows, WORD)
            extra = np.zeros((points + 1, offset + len(twins)), dtype=np.bool_)
            extra[:points, offset:] = bits
            extra[points, offset:] = True
            packed = pack(extra)
            room[: points + 1, start : start + packed.shape[1]] |= packed
        self.room, self.rows, self.points = room, rows + len(twins), points + 1

    def _reserve(self, points: int, rows: int) -> None:
        """Make room by doubling, so that growing costs a constant per label."""
        have_points, have_words = self.room.shape
        words = words_for(rows)
        if points <= have_points and words <= have_words:
            return
        wider = have_words if words <= have_words else max(words, 2 * have_words)
        longer = have_points if points <= have_points else max(points, 2 * have_points)
        room = np.zeros((longer, wider), dtype=np.uint64)
        room[:have_points, :have_words] = self.room
        self.room = room
