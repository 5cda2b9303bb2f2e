"""Rounds at points that are kept: each with the labels of all concepts there, as bits, one column per point.

Columns are made by Python code, which may raise, and in which other threads may get in: so a round that is played
without a lock is one at a point whose column is there.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.adeptree._compiled.ledger_kernel import Ledger
    from cython.cimports.adeptree._compiled.round_kernel import RoundKernel
    from cython.cimports.cpython.exc import PyErr_CheckSignals
else:
    from adeptree.roles.round_kernel import PyErr_CheckSignals, RoundKernel
    from adeptree.theory.ledger_kernel import Ledger


class Column:
    """A point: its labels by all concepts, as bits, and the word of its coin."""

    def __init__(self, x: Any, key: Any, word: cython.ulonglong, bits: Any) -> None:
        self.x, self.kind, self.word, self.bits = x, type(key), word, bits
        self.entered = False  # whether it has come


class ColumnsKernel(RoundKernel):
    """Has the columns of points of so many bits; ``read`` makes one and puts it among them."""

    def __init__(self, bits: int, read: Any) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        self.bits, self.read = bits, read
        self.columns, self.column = {}, None
        self.store = 1 << 26  # bytes of columns that are kept: they are thrown away when they are more
        self.asks = False  # whether a point that has not come takes Python code
        self.points = []  # of a batch

    def found(self, x: object) -> Column:
        """Return the column of a point if it is kept."""
        column: Column
        try:
            column = self.columns.get(x)
        except TypeError:  # not hashable
            return None
        # (1, 1.0 and True are equal, and not always all points.)
        return column if column is not None and type(x) is column.kind else None

    def at_once(self, x: object) -> cython.bint:
        """Whether a round at x takes nothing but what is here: no Python code, in which other threads may get in."""
        column: Column = self.found(x)
        return column is not None and (column.entered or not self.asks)

    def quick_look(self, x: Any) -> float:
        """Return the chance of guessing 1 at x; -1 if this is not plain."""
        return RoundKernel.quick_look(self, x) if self.at_once(x) else -1.0

    def quick_round(self, x: Any, y: Any) -> int:
        """Play a round that costs 1; -1 if this is not plain."""
        return RoundKernel.quick_round(self, x, y) if self.at_once(x) else -1

    def place(self, x: object) -> cython.bint:
        """Put x in place."""
        column: Column = self.found(x)
        if column is None:
            if (self.bits / 8 + 400) * len(self.columns) > self.store:  # (400: of the point itself)
                self.columns = {}
            column = self.read(x)
        if column is not self.column:
            self.column = None  # (interpreted, what follows may be interrupted)
            self.word = column.word
            self.seen = self.known = False
            self.column = column
        return True

    def run(
        self, labels: Any, costs: Any, probabilities: Any, first: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> int:
        """Play rounds of a batch. (The columns of its points are made one by one, which may raise.)"""
        i: cython.Py_ssize_t
        ys: cython.longlong[::1] = memoryview(labels)
        prices: cython.double[::1] = memoryview(costs)
        ps: cython.double[::1] = memoryview(probabilities)
        for i in range(first, stop):
            self.place(self.points[i])
            self.prepare()
            ps[i] = self.p
            self.play(cython.cast(cython.int, ys[i]), prices[i] if len(prices) > 0 else 1.0)
            if self.overdue():
                return i + 1
            if i & 63 == 63:
                PyErr_CheckSignals()
        return stop

    def look_many(self, probabilities: Any) -> None:
        """Set the chance of guessing 1 at each point of the batch."""
        i: cython.Py_ssize_t
        for i in range(len(probabilities)):
            probabilities[i] = self.chance(self.points[i])
