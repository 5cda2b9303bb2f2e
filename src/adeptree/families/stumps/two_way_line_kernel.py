"""A line of gaps with two rules each, the threshold that rises there and the one that falls, in O(log t) per round.

What falls is wrong wherever what rises with the same cut is right, so both share a tree: below a node the losses of
rising rules are those of thresholds (1s minus 0s to the left of the cut, more than all 0s cost), and those of falling
ones the same with the other sign. Of either direction a node keeps the least loss, as if its first point were the first
of all, and the sum of prior mass times e^(-eta (loss - least)).

Both rules of a gap have the prior mass of its cut; a subclass may give them masses of their own.
"""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.adeptree._compiled.line_tree_kernel import LineTree
    from cython.cimports.libc.math import INFINITY as inf
    from cython.cimports.libc.math import exp, log
else:
    from math import exp, inf, log

    from adeptree.families.line.line_tree_kernel import LineTree

UNIT = cython.declare(cython.Py_ssize_t, 4)


class TwoWayLine(LineTree):
    """The tree of one feature. The masses of falling rules are in ``falling``, ``step`` places apart."""

    def __init__(self, measure: Any, step: cython.Py_ssize_t = 1) -> None:
        self.step = step
        self.sums, self.falling, self.base, self.stride = array("d"), array("d"), 0, 6
        self.up_low = self.up_high = self.down_low = self.down_high = 0.0
        self.over = self.least_up = self.sum_up = self.least_down = self.sum_down = 0.0
        self.least1 = self.sum1 = self.least0 = self.sum0 = 0.0
        LineTree.__init__(self, *measure)

    def make_room(self, room: cython.Py_ssize_t, nodes: cython.Py_ssize_t) -> cython.int:
        """Have room for this many units and nodes. If that fails, nothing is lost."""
        LineTree.make_room(self, room, nodes)
        self.falling = self.mass if self.step == 1 else self.part
        return 0

    # --- Sums --------------------------------------------------------------------------------------

    def shrunk(self, loss: cython.double) -> cython.double:
        """Return e^(-eta loss)."""
        return faded(self, loss)

    def sum_range(self, first: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.void:
        """Sum up gaps of one bucket, the first of which stands for itself; ``over`` is the 1s minus 0s of all."""
        up: cython.double = inf
        down: cython.double = inf
        sum_up: cython.double = 0.0
        sum_down: cython.double = 0.0
        over: cython.double = 0.0
        i: cython.Py_ssize_t
        if self.step == 1:
            for i in range(first, end):
                over += self.gain[i]
                up = over if over < up else up
                down = -over if -over < down else down
        else:  # some may have no mass
            for i in range(first, end):
                over += self.gain[i]
                if over < up and self.mass[i] > 0.0:
                    up = over
                if -over < down and self.falling[self.step * i] > 0.0:
                    down = -over
        over = 0.0
        for i in range(first, end):
            over += self.gain[i]
            if self.mass[i] > 0.0:
                sum_up += self.mass[i] * faded(self, over - up)
            if self.falling[self.step * i] > 0.0:
                sum_down += self.falling[self.step * i] * faded(self, -over - down)
        self.over = over
        self.least_up, self.sum_up, self.least_down, self.sum_down = up, sum_up, down, sum_down

    def sum_leaf(self, v: cython.Py_ssize_t) -> cython.void:
        """Sum up the gaps of a bucket: 1s minus 0s, then least loss and sum of either direction."""
        first: cython.Py_ssize_t = (-1 - self.child[v]) * UNIT
        at: cython.Py_ssize_t = 6 * v
        self.sum_range(first, first + self.counts[-1 - self.child[v]])
        self.sums[at] = self.over
        self.sums[at + 1], self.sums[at + 2] = self.least_up, self.sum_up
        self.sums[at + 3], self.sums[at + 4] = self.least_down, self.sum_down

    def sum_node(self, v: cython.Py_ssize_t) -> cython.void:
        """Sum up the children."""
        at: cython.Py_ssize_t = 6 * v
        left: cython.Py_ssize_t = 6 * self.child[v]
        gain: cython.double = self.sums[left]
        self.sums[at] = gain + self.sums[left + 6]
        self.merge(at + 1, left + 1, left + 7, gain)
        self.merge(at + 3, left + 3, left + 9, -gain)

    def merge(
        self, at: cython.Py_ssize_t, left: cython.Py_ssize_t, right: cython.Py_ssize_t, shift: cython.double
    ) -> cython.void:
        """Set a pair of least loss and sum to that of two, the losses of the right one being worse by ``shift``."""
        loss: cython.double = self.sums[left]
        other: cython.double = self.sums[right] + shift
        total: cython.double = self.sums[left + 1]
        if loss <= other:
            if self.sums[right + 1] > 0.0:
                total += self.sums[right + 1] * faded(self, other - loss)
        else:
            total = self.sums[right + 1] + (total * faded(self, loss - other) if total > 0.0 else 0.0)
            loss = other
        self.sums[at], self.sums[at + 1] = loss, total

    # --- A round -----------------------------------------------------------------------------------

    def divide(self) -> cython.void:
        """Divide the masses of both rules at x as the cuts are: up to x, and beyond it."""
        LineTree.divide(self)
        self.up_low = self.down_low = self.mass1
        self.up_high = self.down_high = self.mass0

    def add1(self, loss: cython.double, mass: cython.double) -> cython.void:
        """Count a mass of this loss that says 1 at x."""
        if mass > 0.0 and loss >= self.least1:
            self.sum1 += mass * faded(self, loss - self.least1)
        elif mass > 0.0:
            self.sum1 = mass + (self.sum1 * faded(self, self.least1 - loss) if self.sum1 > 0.0 else 0.0)
            self.least1 = loss

    def add0(self, loss: cython.double, mass: cython.double) -> cython.void:
        """Count a mass of this loss that says 0 at x."""
        if mass > 0.0 and loss >= self.least0:
            self.sum0 += mass * faded(self, loss - self.least0)
        elif mass > 0.0:
            self.sum0 = mass + (self.sum0 * faded(self, self.least0 - loss) if self.sum0 > 0.0 else 0.0)
            self.least0 = loss

    def gather(self) -> cython.void:
        """Divide the weight of all rules at x into what says 1 and what says 0, each with its least loss."""
        v: cython.Py_ssize_t = 0
        d: cython.Py_ssize_t
        left: cython.Py_ssize_t
        first: cython.Py_ssize_t
        up: cython.double = self.zeros  # what rising rules lose at least, left of the nodes on the way,
        down: cython.double = self.charged - self.zeros  # and falling ones
        self.least1 = self.least0 = inf
        self.sum1 = self.sum0 = 0.0
        self.locate()
        for d in range(1, self.depth + 1):
            left = 6 * self.child[v]
            v = self.way[d]
            if 6 * v != left:
                self.add1(up + self.sums[left + 1], self.sums[left + 2])
                self.add0(down + self.sums[left + 3], self.sums[left + 4])
                up += self.sums[left]
                down -= self.sums[left]
            else:
                self.add0(up + self.sums[left] + self.sums[left + 7], self.sums[left + 8])
                self.add1(down - self.sums[left] + self.sums[left + 9], self.sums[left + 10])
        first = self.bucket * UNIT
        self.sum_range(first, self.at)
        self.add1(up + self.least_up, self.sum_up)
        self.add0(down + self.least_down, self.sum_down)
        up += self.over + self.gain[self.at]
        down -= self.over + self.gain[self.at]
        if self.cut:
            self.add1(up, self.up_low)
            self.add0(up, self.up_high)
            self.add0(down, self.down_low)
            self.add1(down, self.down_high)
        else:
            self.add0(up, self.mass[self.at])
            self.add1(down, self.falling[self.step * self.at])
        self.sum_range(self.at + 1, first + self.counts[self.bucket])
        self.add0(up + self.least_up, self.sum_up)
        self.add1(down + self.least_down, self.sum_down)

    def share(self) -> cython.void:
        """Set p to the share of what was gathered that says 1."""
        if self.least1 <= self.least0:
            self.p = self.sum1 / (self.sum1 + self.sum0 * faded(self, self.least0 - self.least1))
        else:
            self.p = self.sum1 * faded(self, self.least1 - self.least0)
            self.p = self.p / (self.p + self.sum0)

    def look(self) -> cython.void:
        """Divide the weight."""
        self.gather()
        self.share()

    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1 at x."""
        return log(self.sum1) - log(self.sum0) - self.eta * (self.least1 - self.least0)

    def least(self) -> cython.double:
        """L*: the least loss of a rule that has mass here."""
        return min(self.zeros + self.sums[1], self.charged - self.zeros + self.sums[3])

    def log_total(self) -> cython.double:
        """Return ln of the sum of prior mass, 1 of either direction, times e^(-eta (loss - L*))."""
        ahead: cython.double = self.charged - 2.0 * self.zeros + self.sums[3] - self.sums[1]
        if ahead >= 0.0:
            return log(self.sums[2] + self.sums[4] * faded(self, ahead))
        return log(self.sums[2] * faded(self, -ahead) + self.sums[4])

    def count(self) -> cython.longlong:
        """The number of rules: two per gap."""
        return 2 * self.cells


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def faded(line: TwoWayLine, loss: cython.double) -> cython.double:
    """Return e^(-eta loss), from the table if it is there (called in every step)."""
    i: cython.Py_ssize_t
    if line.whole and loss < line.table:
        i = cython.cast(cython.Py_ssize_t, loss)
        return line.decay[i]
    return 0.0 if loss > line.nothing else exp(-line.eta * loss)
