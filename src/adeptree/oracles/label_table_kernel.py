"""The labels of all rows at all points, one bit each, and the choice of cubes (``docs/theory/few-queries.md``).

They are stored twice: for every point the set of rows that label it 1, and for every row the set of points with label
1. A set is an array of words of 64 bits. The interpreter has ints of any size: there every set is one word, so that the
same source takes no longer than sets of Python. Outside of this file a set is an int.

A table grows in place. ``copy`` returns its size, and ``back_to`` cuts it back to that.
"""

from __future__ import annotations

import sys
from array import array
from typing import Any

from adeptree.core import cython_shim as cython
from adeptree.core.compiled import of_kernel

if not cython.compiled:

    def ones_of(bits: int) -> int:
        """Return the number of bits that are 1."""
        return bits.bit_count()

    def lowest(bits: int) -> int:
        """Return the index of the lowest 1."""
        return (bits & -bits).bit_length() - 1


def words(size: cython.Py_ssize_t) -> Any:
    """Return this number of empty words."""
    return array("Q", bytes(8 * size)) if cython.compiled else [0] * size


def set_of(ones: Any, size: cython.Py_ssize_t) -> Any:
    """Convert a set from an int to words."""
    if not cython.compiled:
        return [ones]
    made = array("Q", ones.to_bytes(8 * size, "little"))
    if sys.byteorder == "big":
        made.byteswap()
    return made


def int_of(made: Any) -> Any:
    """Convert a set to an int; its words are not used again."""
    if not cython.compiled:
        return made[0]
    if sys.byteorder == "big":
        made.byteswap()
    return int.from_bytes(made.tobytes(), "little")


@cython.locals(i=cython.Py_ssize_t)
def places(size: cython.Py_ssize_t) -> Any:
    """Return the numbers from 0 on."""
    made = array("q", bytes(8 * size))
    numbers: cython.longlong[::1] = made
    for i in range(size):
        numbers[i] = i
    return made


@cython.locals(i=cython.Py_ssize_t, w=cython.Py_ssize_t)
def moved(old: cython.ulonglong[::1], sets: cython.Py_ssize_t, size: cython.Py_ssize_t, room: cython.Py_ssize_t, wide):
    """Return a larger array for more and wider sets, which begins with the old ones."""
    made = words(room * wide)
    new: cython.ulonglong[::1] = made
    for i in range(sets):
        for w in range(size):
            new[i * wide + w] = old[i * size + w]
    return made


class LabelTable:
    """The labels of all rows at all points, given as a byte each, row by row.

    >>> table = LabelTable(1, 0, b"")
    >>> table.append(bytes([0]), twins=[0])
    >>> table.row(0), table.row(1), table.column(0)
    (b'\\x00', b'\\x01', 2)
    """

    @cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t)
    def __init__(self, rows: cython.Py_ssize_t, points: cython.Py_ssize_t, labels: bytes) -> None:
        self.rows = self.points = self.used = self.wide = self.tall = self.room = self.long = 0
        self.columns = self.bits = self.everyone = words(0)
        self.sequence: Any = None
        self.reserve(rows, points)
        for i in range(rows):
            self.add(self.everyone, 0, i)
            for j in range(points):
                if labels[i * points + j]:
                    self.mark(i, j)
        self.settle(rows, points)

    def __reduce__(self) -> Any:
        whole = self.rows, self.points, self.labels()
        return of_kernel, ("adeptree.oracles.label_table_kernel", "LabelTable", *whole)

    # --- How it grows ------------------------------------------------------------------------------------

    def reserve(self, rows: cython.Py_ssize_t, points: cython.Py_ssize_t) -> cython.int:
        """Allocate room for this many rows and points."""
        if rows <= self.tall and points <= self.room:
            return 0
        tall = max(rows, self.tall + self.tall // 2, 64) if rows > self.tall else self.tall
        room = max(points, self.room + self.room // 2, 64) if points > self.room else self.room
        wide, long = ((tall + 63) // 64, (room + 63) // 64) if cython.compiled else (1, 1)
        columns = moved(self.columns, self.points, self.wide, room, wide)
        bits = moved(self.bits, self.rows, self.long, tall, long)
        self.everyone = moved(self.everyone, 1, self.wide, 1, wide)
        self.columns, self.bits, self.wide, self.long, self.tall, self.room = columns, bits, wide, long, tall, room
        return 0

    @cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t, w=cython.Py_ssize_t, new=cython.Py_ssize_t)
    def append(self, label: bytes, twins: list) -> None:
        """Add a point: every row gets its label, a byte each, and each twin is copied to a new row with label 1."""
        self.reserve(self.rows + len(twins), self.points + 1)
        for i in range(self.rows):
            if label[i]:
                self.mark(i, self.points)
        new = self.rows
        for i in twins:
            for j in range(self.points):
                if self.label(i, j):
                    self.mark(new, j)
            self.mark(new, self.points)
            self.add(self.everyone, 0, new)
            new += 1
        if self.sequence is not None:  # (a twin differs from its row at this point alone, where it has 1)
            after = {row: (row, twin) for row, twin in zip(twins, range(self.rows, new), strict=True)}
            self.sequence = [i for row in self.sequence for i in after.get(row, (row,))]
        self.settle(new, self.points + 1)

    def settle(self, rows: cython.Py_ssize_t, points: cython.Py_ssize_t) -> cython.void:
        """Set the size, with this many words per column in use."""
        self.rows, self.points, self.known = rows, points, [None, None, None, None]
        self.used = (rows + 63) >> 6 if cython.compiled else 1

    def copy(self) -> tuple[int, int]:
        """Return the size, for :meth:`back_to`."""
        return self.rows, self.points

    def in_order(self) -> list:
        """Return the rows in the order of their labels, so that neighbours share long beginnings."""
        if self.sequence is None:
            self.sequence = sorted(range(self.rows), key=self.row)
        return self.sequence

    @cython.locals(i=cython.Py_ssize_t)
    def back_to(self, size: tuple[int, int]) -> None:
        """Truncate the table to an earlier size, dropping partial additions."""
        kept: LabelTable = LabelTable(*size, b"".join([self.row(i)[: size[1]] for i in range(size[0])]))
        self.columns, self.bits, self.everyone, self.wide = kept.columns, kept.bits, kept.everyone, kept.wide
        self.tall, self.room, self.long, self.sequence = kept.tall, kept.room, kept.long, None
        self.settle(kept.rows, kept.points)

    def add(self, sets: cython.ulonglong[::1], start: cython.Py_ssize_t, i: cython.Py_ssize_t) -> cython.void:
        """Add an element to the set at this offset."""
        if cython.compiled:
            sets[start + (i >> 6)] |= cython.cast(cython.ulonglong, 1) << (i & 63)
        else:
            sets[start] |= 1 << i

    def mark(self, row: cython.Py_ssize_t, point: cython.Py_ssize_t) -> cython.void:
        """Set the label to 1."""
        self.add(self.columns, point * self.wide, row)
        self.add(self.bits, row * self.long, point)

    # --- Content -----------------------------------------------------------------------------------

    def label(self, row: cython.Py_ssize_t, point: cython.Py_ssize_t) -> cython.int:
        """Return the label of a row at a point."""
        if cython.compiled:
            return (self.bits[row * self.long + (point >> 6)] >> (point & 63)) & 1
        return self.bits[row] >> point & 1  # type: ignore[unreachable]

    def row(self, row: cython.Py_ssize_t) -> bytes:
        """Return the labels of a row, a byte each."""
        made = bytearray(self.points)
        labels: cython.uchar[::1] = made
        for j in range(self.points):
            labels[j] = self.label(row, j)
        return bytes(made)

    def labels(self) -> bytes:
        """Return the labels of all rows, one after the other."""
        return b"".join([self.row(i) for i in range(self.rows)])

    def column(self, point: cython.Py_ssize_t) -> Any:
        """Return the set of rows with label 1 at a point."""
        return int_of(moved(self.columns[point * self.wide :], 1, self.wide, 1, self.wide))

    @cython.locals(i=cython.Py_ssize_t, w=cython.Py_ssize_t, found=cython.Py_ssize_t)
    def ones(self) -> list:
        """Return, for every row, the number of points with label 1."""
        counts = []
        for i in range(self.rows):
            found = 0
            for w in range(self.long):
                found += ones_of(self.bits[i * self.long + w])
            counts.append(found)
        return counts

    def cube(self, row: cython.Py_ssize_t, columns: Any) -> Any:
        """Return the rows that share the given row's labels in some columns."""
        made = moved(self.everyone, 1, self.wide, 1, self.wide)
        for j in columns:
            self.keep(made, j, self.label(row, j))
        return int_of(made)

    def keep(self, left: cython.ulonglong[::1], point: cython.Py_ssize_t, label: cython.int) -> cython.Py_ssize_t:
        """Keep the rows with this label at a point; return how many there are."""
        if cython.compiled:
            return kept_ones(cython.address(left[0]), cython.address(self.columns[point * self.wide]), label, self.used)  # noqa: F821
        left[0] &= self.columns[point] if label else ~self.columns[point]
        return ones_of(left[0])

    @cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t, w=cython.Py_ssize_t)
    def find(self, labels: bytes) -> cython.Py_ssize_t:
        """Return the row with these labels, a byte each, or -1."""
        sought: cython.ulonglong[::1] = words(self.long)
        for j in range(self.points):
            if labels[j]:
                self.add(sought, 0, j)
        for i in range(self.rows):
            w = 0
            while w < self.long and self.bits[i * self.long + w] == sought[w]:
                w += 1
            if w == self.long:
                return i
        return -1

    @cython.locals(i=cython.Py_ssize_t, k=cython.Py_ssize_t, w=cython.Py_ssize_t, zero=cython.ulonglong)
    @cython.locals(one=cython.ulonglong, zeros=cython.ulonglong, ones=cython.ulonglong, bits=cython.ulonglong)
    def two_by_two(self, rows: cython.longlong[::1], lines: cython.Py_ssize_t) -> list:
        """Return, for each line of rows (-1: none), True if two have label 0 and two label 1 at the same point."""
        size: cython.Py_ssize_t = len(rows) // lines
        found = [False] * lines
        for i in range(lines):
            for w in range(self.long):
                zero = one = zeros = ones = 0
                for k in range(i * size, i * size + size):
                    if rows[k] >= 0:
                        bits = self.bits[rows[k] * self.long + w]
                        ones |= one & bits
                        one |= bits
                        zeros |= zero & ~bits
                        zero |= ~bits
                if zeros & ones:
                    found[i] = True
                    break
        return found

    # --- The choice of a cube without rows known to take the label, and with many undecided rows -----

    def best_cube(self, row: cython.Py_ssize_t, undecided: Any, positive: Any, label: cython.int) -> list:
        """Return columns; the rows that share the given row's labels there are not positive, and many are undecided.

        It tries two candidates, prunes each until every label is needed, and returns the one with more undecided rows
        (the greedy one on a tie).
        """
        known, unknown = set_of(positive, self.wide), set_of(undecided, self.wide)
        out, lose = self.counted(positive, known, 2 * label), self.counted(undecided, unknown, 2 * label + 1)
        left, others = positive.bit_count(), undecided.bit_count()
        greedy = self.prime(row, self.greedy(row, unknown[:], known[:], out, lose, left, others), known[:])
        path = self.prime(row, self.path(row, known[:], left), known[:])
        better = greedy == path or self.covered(row, greedy, unknown[:]) >= self.covered(row, path, unknown[:])
        return greedy if better else path

    def covered(self, row: cython.Py_ssize_t, columns: list, members: cython.ulonglong[::1]) -> cython.Py_ssize_t:
        """Return how many members have the labels of a row in some columns (-1 without columns: then all do)."""
        left = -1
        for j in columns:
            left = self.keep(members, j, self.label(row, j))
        return left

    def live(self, members, words, size):
        """Keep only the words (of ``size``) that hold members; return the number of words kept."""
        left = 0
        for i in range(size):
            if members[words[i]]:
                words[left] = words[i]
                left += 1
        return left

    def common(self, point, members, words, size):
        """Return the number of members with label 1 at a point; ``words`` lists the words that hold members."""
        if cython.compiled:
            column = cython.address(self.columns[point * self.wide])
            return common_ones(column, cython.address(members[0]), cython.address(words[0]), size, self.used)  # noqa: F821
        return ones_of(self.columns[point] & members[0])

    @cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t)
    def counted(self, members: Any, listed: Any, use: cython.Py_ssize_t) -> Any:
        """Return, for every point, the number of members with label 1; updated from the last set if few rows differ."""
        known, one = self.known[use], cython.cast(object, 1)
        changed = known[0] ^ members if known else None
        if changed is None or 4 * changed.bit_count() > self.used:
            counts = self.counts(listed[:])
        else:
            self.known[use], counts = None, known[1]
            while changed:
                i = changed.bit_length() - 1
                changed ^= one << i
                self.shift(counts, i, 1 if members >> i & 1 else -1)
        self.known[use] = members, counts
        return counts

    def shift(self, counts: cython.longlong[::1], row: cython.Py_ssize_t, by: cython.int) -> cython.void:
        """Add to the counts of the points where a row has label 1."""
        for j in range(self.points):
            if self.label(row, j):
                counts[j] += by

    def greedy(self, row, gained, included, out, lose, left, others):
        """Add the label that excludes most positive rows for each undecided row it loses, until none is left."""
        chosen: list = []
        columns: cython.longlong[::1] = places(self.points)
        in_: cython.longlong[::1] = places(self.used)
        of: cython.longlong[::1] = places(self.used)
        open_, ins, ofs = self.points, self.used, self.used
        while left:
            best, k, score = -1, 0, -1.0
            for i in range(open_):
                j = columns[i]
                label = self.label(row, j)
                excluded = self.common(j, included, in_, ins) if chosen else out[j]
                excluded = left - excluded if label else excluded
                if excluded:  # a label that excludes no row now excludes none later
                    columns[k] = j
                    k += 1
                    lost = self.common(j, gained, of, ofs) if chosen else lose[j]
                    value = excluded / ((others - lost if label else lost) + 0.5)
                    if value > score:
                        best, score = j, value
            if best < 0:
                raise ValueError("the row given is among the positive ones")
            chosen.append(best)
            open_, label = k, self.label(row, best)
            left, others = self.keep(included, best, label), self.keep(gained, best, label)
            ins, ofs = self.live(included, in_, ins), self.live(gained, of, ofs)
        return chosen

    def path(self, row: cython.Py_ssize_t, included: cython.ulonglong[::1], left: cython.Py_ssize_t) -> list:
        """Scan the points in order of arrival, and take the labels that exclude a remaining positive row.

        These are the columns where a positive row first differs (the branches off the labels' path in the trie).
        """
        chosen = []
        words: cython.longlong[::1] = places(self.used)
        size = self.live(included, words, self.used)
        for j in range(self.points):
            if left == 0:
                break
            label, same = self.label(row, j), self.common(j, included, words, size)
            if (same if label else left - same) < left:
                chosen.append(j)
                left = self.keep(included, j, label)
                size = self.live(included, words, size)
        return chosen

    def prime(self, row: cython.Py_ssize_t, chosen: list, positive: Any) -> list:
        """Drop labels, the earliest first, while the rest still exclude all positive rows."""
        kept, rest, left = [], [], positive
        for j in reversed(chosen):
            left = left[:]
            rest.append(left[:])  # the positive rows that remain under the labels after this one
            self.keep(left, j, self.label(row, j))
        included: cython.ulonglong[::1] = positive
        for j in chosen:
            others: cython.ulonglong[::1] = rest.pop()
            for w in range(self.used):
                if included[w] & others[w]:  # it is needed
                    kept.append(j)
                    self.keep(included, j, self.label(row, j))
                    break
        return kept

    # --- For a yes/no oracle ----------------------------------------------------------------

    @cython.locals(i=cython.Py_ssize_t, k=cython.Py_ssize_t)
    def measure(self, rows: cython.longlong[::1], distances: cython.longlong[::1]) -> None:
        """Lower the distances of other rows to their distance from the nearest of these rows, if that is less."""
        for i in range(self.rows):
            for k in range(len(rows) if distances[i] > 1 else 0):
                distances[i] = min(distances[i], self.apart(i, rows[k], distances[i]))

    def apart(self, row: cython.Py_ssize_t, other: cython.Py_ssize_t, limit: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return at how many points two rows differ, counted up to a limit."""
        if cython.compiled:
            one, two = cython.address(self.bits[row * self.long]), cython.address(self.bits[other * self.long])
            return apart_ones(one, two, self.long, limit)  # noqa: F821 - of the .pxd
        return ones_of(self.bits[row] ^ self.bits[other])

    @cython.locals(i=cython.Py_ssize_t, w=cython.Py_ssize_t, bits=cython.ulonglong)
    def weigh(self, rows: cython.longlong[::1], weights: cython.double[::1]) -> Any:
        """Return, for every point, the weight of the rows with label 1, added in their order."""
        made = array("d", bytes(8 * self.points))
        sums: cython.double[::1] = made
        for i in range(len(rows)):
            for w in range(self.long):
                bits = self.bits[rows[i] * self.long + w]
                while bits:
                    sums[64 * w + lowest(bits)] += weights[i]
                    bits &= bits - 1
        return made

    def count(self, rows: Any) -> Any:
        """Return for every point how many of these rows, a set, label it 1."""
        return self.counts(set_of(rows, self.wide))

    def counts(self, members: cython.ulonglong[::1]) -> Any:
        """Return the same for rows that are given in words."""
        words: cython.longlong[::1] = places(self.used)
        size = self.live(members, words, self.used)
        made = array("q", bytes(8 * self.points))
        counts: cython.longlong[::1] = made
        for j in range(self.points):
            counts[j] = self.common(j, members, words, size)
        return made
