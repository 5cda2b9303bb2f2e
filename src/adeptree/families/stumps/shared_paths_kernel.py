"""The paths of stumps that several cells follow: rows of a table, each with the list of its cells.

A cell is a gap (low, high] for the cut of one feature, in one direction. A new point divides a row by cutting some of
its cells, or because not all of them say the same. A row that is left with one cell goes over to the line of its
feature. Constants that are concepts of their own (where cuts are given) are cells beyond all points; they stay here.
"""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.adeptree._compiled.arrays_kernel import longer
    from cython.cimports.adeptree._compiled.line_tree_kernel import between
    from cython.cimports.adeptree._compiled.stump_line_kernel import StumpLine
    from cython.cimports.libc.math import INFINITY as inf
else:
    from math import inf

    from adeptree.core.arrays_kernel import longer
    from adeptree.families.line.line_tree_kernel import between
    from adeptree.families.stumps.stump_line_kernel import StumpLine

FLOOR = cython.declare(cython.double, 1e-290)
BEYOND = cython.declare(cython.longlong, 9223372036854775806)  # where constants stand


class SharedPaths:
    """Rows with k, n, mass and loss; cells with row, line, direction and gap.

    The base learner is the vote of the cells, each for what is nearest there, or (``by_count``) that of all cuts.
    """

    def __init__(self, shares: Any, by_count: bool) -> None:
        self.shares = shares
        self.by_count = by_count
        self.rows = self.cells = 0
        self.opening = False  # whether x has features that are new: until now they were on the first line
        self.k = self.n = self.low = self.high = self.x = array("q")
        self.mass = self.loss = self.vote = self.lean = self.cuts = self.masses = array("d")
        self.row = self.line = self.down = self.can = self.child = self.tally = array("i")
        self.row_room(4)
        self.cell_room(8)
        self.rows = 1
        self.mass[0] = 1.0

    def row_room(self, room: cython.Py_ssize_t) -> cython.int:
        """Have room for this many rows."""
        self.k, self.n = longer(self.k, room), longer(self.n, room)
        self.mass, self.loss = longer(self.mass, room), longer(self.loss, room)
        self.can, self.masses = longer(self.can, 2 * room), longer(self.masses, 2 * room)
        self.vote, self.cuts = longer(self.vote, room), longer(self.cuts, 2 * room)
        self.child, self.tally = longer(self.child, room), longer(self.tally, room)
        return 0

    def cell_room(self, room: cython.Py_ssize_t) -> cython.int:
        """Have room for this many cells."""
        self.row, self.line, self.down = longer(self.row, room), longer(self.line, room), longer(self.down, room)
        self.low, self.high = longer(self.low, room), longer(self.high, room)
        return 0

    def line_room(self, room: cython.Py_ssize_t) -> cython.int:
        """Have room for the values of this many features."""
        self.x, self.lean = longer(self.x, room), longer(self.lean, room)
        return 0

    def reserve(self) -> cython.int:
        """Have room for a round: every row may become two, and on every line two cells may be cut."""
        if 2 * self.rows > len(self.k):
            self.row_room(3 * self.rows)
        if self.cells + 2 * len(self.x) + 4 > len(self.row):
            self.cell_room(self.cells + self.cells // 2 + 2 * len(self.x) + 4)
        return 0

    def add(
        self,
        row: cython.Py_ssize_t,
        line: cython.Py_ssize_t,
        down: cython.bint,
        low: cython.longlong,
        high: cython.longlong,
    ) -> cython.void:
        """Let a cell belong to a row; there is room."""
        i: cython.Py_ssize_t = self.cells
        self.row[i], self.line[i], self.down[i] = row, line, down
        self.low[i], self.high[i] = low, high
        self.cells += 1

    def lowest(self) -> cython.double:
        """Return the least loss of a row."""
        least: cython.double = inf
        r: cython.Py_ssize_t
        for r in range(self.rows):
            least = min(least, self.loss[r])
        return least

    def look(self, lead: StumpLine) -> cython.void:
        """See what the rows can say at x (in ``x``, with the guess for a gap that is cut there in ``lean``), and add
        their masses to those that the lead has found.
        """
        divided: cython.bint = False
        cut: cython.bint
        i: cython.Py_ssize_t
        r: cython.Py_ssize_t
        x: cython.longlong
        for r in range(self.rows):
            self.can[2 * r] = self.can[2 * r + 1] = 0
        for i in range(self.cells):
            x, r = self.x[self.line[i]], 2 * self.row[i]
            cut = (self.low[i] < x < self.high[i]) or (self.opening and self.line[i] == 0)
            self.can[r + ((self.high[i] <= x) != self.down[i])] = 1
            if cut:
                self.can[r] = self.can[r + 1] = 1
        for r in range(self.rows):
            self.masses[2 * r] = self.mass[r] if self.can[2 * r] else 0.0
            self.masses[2 * r + 1] = self.mass[r] if self.can[2 * r + 1] else 0.0
            if self.can[2 * r] and self.can[2 * r + 1]:
                divided = True
        if divided:
            self.divide()
        self.add_up(lead)

    def divide(self) -> cython.void:
        """Count the votes of the rows that can say either label, and divide their masses."""
        guess: cython.bint
        one: cython.Py_ssize_t
        i: cython.Py_ssize_t
        r: cython.Py_ssize_t
        x: cython.longlong
        vote: cython.double
        for r in range(self.rows):
            self.vote[r] = self.cuts[2 * r] = self.cuts[2 * r + 1] = 0.0
        for i in range(self.cells):
            r = self.row[i]
            if not (self.can[2 * r] and self.can[2 * r + 1]):
                continue
            x = self.x[self.line[i]]
            if self.low[i] < x < self.high[i]:
                vote = self.lean[self.line[i]]
                one = 2 * r + 1 - self.down[i]  # of a rising cell the cuts up to x say 1
                self.cuts[one] += between(self.low[i], x)
                self.cuts[4 * r + 1 - one] += between(x, self.high[i])
            else:
                vote = 1.0 if self.high[i] <= x else -1.0
                self.cuts[2 * r + ((self.high[i] <= x) != self.down[i])] += between(self.low[i], self.high[i])
            self.vote[r] += -vote if self.down[i] else vote
        for r in range(self.rows):
            if self.can[2 * r] and self.can[2 * r + 1]:
                if self.by_count:
                    self.vote[r] = self.cuts[2 * r + 1] - self.cuts[2 * r]
                guess = self.vote[r] > 0.0
                self.shares.divide(self.k[r], self.n[r])
                self.masses[2 * r + guess] = self.shares.agree
                self.masses[2 * r + 1 - guess] = self.shares.against
                for one in range(2 * r, 2 * r + 2):
                    self.masses[one] = max(self.masses[one] + self.shares.per_cut * self.cuts[one], FLOOR)

    def add_up(self, lead: StumpLine) -> cython.void:
        """Add the masses of either label to those that the lead has found."""
        least: cython.double
        total: cython.double
        lost: cython.double
        label: cython.Py_ssize_t
        i: cython.Py_ssize_t
        r: cython.Py_ssize_t
        for label in range(2):
            least = inf
            for r in range(self.rows):
                if self.loss[r] < least and self.masses[2 * r + label] > 0.0:
                    least = self.loss[r]
            total = 0.0
            for r in range(self.rows):
                if self.masses[2 * r + label] > 0.0:
                    lost = self.loss[r] - least
                    if lead.whole and lost < lead.table:
                        i = cython.cast(cython.Py_ssize_t, lost)
                        total += self.masses[2 * r + label] * lead.decay[i]
                    else:
                        total += self.masses[2 * r + label] * lead.shrunk(lost)
            if label:
                lead.add1(least, total)
            else:
                lead.add0(least, total)

    def take(self, label: cython.int, cost: cython.double, lines: list[Any]) -> cython.void:
        """Divide rows and cells as they were just looked at; rows that one cell is left of go over to their lines."""
        rows: cython.Py_ssize_t = self.rows
        cells: cython.Py_ssize_t = self.cells
        guess: cython.bint
        i: cython.Py_ssize_t
        r: cython.Py_ssize_t
        to: cython.Py_ssize_t
        x: cython.longlong
        for r in range(rows):
            if not (self.can[2 * r] and self.can[2 * r + 1]):
                if self.can[2 * r + 1] != label:
                    self.loss[r] += cost
                self.child[r] = -1
                continue
            # The path that goes on with 1 becomes a new row.
            guess, to = self.vote[r] > 0.0, self.rows
            self.rows += 1
            self.child[r] = to
            self.n[r] += 1
            self.k[to], self.n[to] = self.k[r] + (1 - guess), self.n[r]
            self.k[r] += guess
            self.mass[r], self.mass[to] = self.masses[2 * r], self.masses[2 * r + 1]
            self.loss[to] = self.loss[r] if label else self.loss[r] + cost
            self.loss[r] += cost if label else 0.0
            self.tally[r] = self.tally[to] = 0
            self.shares.longest = max(self.shares.longest, self.n[r])
        if self.rows > rows:
            for i in range(cells):
                r = self.row[i]
                if self.child[r] < 0:
                    continue
                x = self.x[self.line[i]]
                if self.low[i] < x < self.high[i]:  # of a rising cell the cuts up to x say 1, of a falling one 0
                    to = self.child[r] if self.down[i] else r
                    self.add(to, self.line[i], self.down[i], x, self.high[i])
                    self.tally[to] += 1
                    self.high[i] = x
                if (self.high[i] <= x) != self.down[i]:
                    self.row[i] = self.child[r]
                self.tally[self.row[i]] += 1
            for r in range(rows):
                if self.child[r] >= 0 and (self.tally[r] == 1 or self.tally[self.child[r]] == 1):
                    self.leave(lines)
                    break

    def leave(self, lines: list[Any]) -> cython.void:
        """Let rows with a single cell (which is no constant) go over to their lines."""
        cells: cython.Py_ssize_t = self.cells
        i: cython.Py_ssize_t
        r: cython.Py_ssize_t
        self.cells = 0
        for i in range(cells):
            r = self.row[i]
            if self.tally[r] == 1 and self.low[i] < BEYOND:
                cython.cast(StumpLine, lines[self.line[i]]).adopt(
                    self.low[i], self.down[i], self.k[r], self.n[r], self.mass[r]
                )
                self.tally[r] = 0
            else:
                self.add(r, self.line[i], self.down[i], self.low[i], self.high[i])
        if self.cells < cells:
            self.close_up()

    def close_up(self) -> cython.void:
        """Number the rows that still have cells anew."""
        rows: cython.Py_ssize_t = self.rows
        i: cython.Py_ssize_t
        r: cython.Py_ssize_t
        self.rows = 0
        for r in range(rows):
            if self.tally[r] > 0:
                self.child[r] = i = self.rows
                self.k[i], self.n[i], self.mass[i], self.loss[i] = self.k[r], self.n[r], self.mass[r], self.loss[r]
                self.tally[i] = self.tally[r]
                self.rows += 1
        for i in range(self.cells):
            self.row[i] = self.child[self.row[i]]

    def kept(self) -> dict[str, Any]:
        """Return rows and cells as arrays."""
        rows: dict[str, Any] = {"k": self.k, "n": self.n, "mass": self.mass, "loss": self.loss}
        cells: dict[str, Any] = {"row": self.row, "line": self.line, "down": self.down}
        cells |= {"low": self.low, "high": self.high}
        return {name: memoryview(column)[: self.rows] for name, column in rows.items()} | {
            name: memoryview(column)[: self.cells] for name, column in cells.items()
        }

    def resume(self, kept: dict[str, Any]) -> None:
        """Take over what :meth:`kept` returned, checked."""
        i: cython.Py_ssize_t
        self.rows, self.cells = len(kept["k"]), 0
        self.row_room(max(2 * self.rows, len(self.k)))
        self.cell_room(max(len(self.row), len(kept["row"]) + 2 * len(self.x) + 4))
        for i in range(self.rows):
            self.k[i], self.n[i], self.tally[i] = kept["k"][i], kept["n"][i], 0
            self.mass[i], self.loss[i] = kept["mass"][i], kept["loss"][i]
        for i in range(len(kept["row"])):
            self.add(kept["row"][i], kept["line"][i], kept["down"][i], kept["low"][i], kept["high"][i])
            self.tally[self.row[i]] += 1
