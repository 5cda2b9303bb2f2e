"""Thresholds of both directions, a rising and a falling one per gap of a line, in O(log t) per round.

A falling rule is wrong wherever the rising rule with the same cut is right, so both share a tree. The loss of a rising
rule is that of a threshold (the cost of all 0s, plus 1s minus 0s to the left of the cut), and a falling rule has the
opposite sign. For each direction a node holds the least loss, as if its first point were the first of all, and the sum
of prior mass times e^(-eta (loss - least)).

Both rules of a gap have the prior mass of its cut.
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, inf, log

    from adeptree.structures.line_tree_kernel import LineTree, is_plain
    from adeptree.theory.ledger_kernel import word_of_float

UNIT = cython.declare(cython.Py_ssize_t, 4)


class TwoWayLine(LineTree):
    """The tree of both directions; ``measure`` holds the line and the prior of one cut, for ``LineTree``."""

    def __init__(self, measure: Any) -> None:
        self.sums, self.base, self.stride = array("d"), 0, 6
        self.over = self.least_up = self.sum_up = self.least_down = self.sum_down = 0.0
        self.least1 = self.sum1 = self.least0 = self.sum0 = 0.0
        LineTree.__init__(self, *measure)

    # --- Sums --------------------------------------------------------------------------------------

    def sum_range(self, first: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.void:
        """Sum up gaps of one bucket, relative to the first; ``over`` is the 1s minus 0s of all."""
        up: cython.double = inf
        top: cython.double = -inf
        sum_up: cython.double = 0.0
        sum_down: cython.double = 0.0
        over: cython.double = 0.0
        i: cython.Py_ssize_t
        for i in range(first, end):
            over += self.gain[i]
            up = over if over < up else up
            top = over if over > top else top
        over = 0.0
        if self.whole and top - up < self.table:  # the usual case, which takes half of a round
            for i in range(first, end):
                over += self.gain[i]
                sum_up += self.mass[i] * self.decay[cython.cast(cython.Py_ssize_t, over - up)]
                sum_down += self.mass[i] * self.decay[cython.cast(cython.Py_ssize_t, top - over)]
        else:
            for i in range(first, end):
                over += self.gain[i]
                sum_up += self.mass[i] * faded(self, over - up)
                sum_down += self.mass[i] * faded(self, top - over)
        self.over = over
        self.least_up, self.sum_up, self.least_down, self.sum_down = up, sum_up, -top, sum_down

    def sum_leaf(self, v: cython.Py_ssize_t) -> cython.void:
        """Sum up the gaps of a bucket: 1s minus 0s, then least loss and sum per direction."""
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

    def merge(self, at, left, right, shift):
        """Combine two pairs of least loss and sum; the losses of the right one are larger by ``shift``."""
        loss: cython.double = self.sums[left]
        other: cython.double = self.sums[right] + shift
        total: cython.double = self.sums[left + 1]
        if loss <= other:
            total += self.sums[right + 1] * faded(self, other - loss)
        else:
            total = self.sums[right + 1] + total * faded(self, loss - other)
            loss = other
        self.sums[at], self.sums[at + 1] = loss, total

    # --- A round -----------------------------------------------------------------------------------

    def add1(self, loss: cython.double, mass: cython.double) -> cython.void:
        """Add a mass with this loss to the side that predicts 1 at x."""
        if mass > 0.0 and loss >= self.least1:
            self.sum1 += mass * faded(self, loss - self.least1)
        elif mass > 0.0:
            self.sum1 = mass + (self.sum1 * faded(self, self.least1 - loss) if self.sum1 > 0.0 else 0.0)
            self.least1 = loss

    def add0(self, loss: cython.double, mass: cython.double) -> cython.void:
        """Add a mass with this loss to the side that predicts 0 at x."""
        if mass > 0.0 and loss >= self.least0:
            self.sum0 += mass * faded(self, loss - self.least0)
        elif mass > 0.0:
            self.sum0 = mass + (self.sum0 * faded(self, self.least0 - loss) if self.sum0 > 0.0 else 0.0)
            self.least0 = loss

    def look(self) -> cython.void:
        """Compute the weights that predict 1 and 0 at x, each with its least loss."""
        v: cython.Py_ssize_t = self.root
        d: cython.Py_ssize_t
        left: cython.Py_ssize_t
        first: cython.Py_ssize_t
        up: cython.double = self.zeros  # least loss of rising rules to the left of the path,
        down: cython.double = self.charged - self.zeros  # and of falling rules
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
            self.add1(up, self.mass1)
            self.add0(up, self.mass0)
            self.add0(down, self.mass1)
            self.add1(down, self.mass0)
        else:
            self.add0(up, self.mass[self.at])
            self.add1(down, self.mass[self.at])
        self.sum_range(self.at + 1, first + self.counts[self.bucket])
        self.add0(up + self.least_up, self.sum_up)
        self.add1(down + self.least_down, self.sum_down)
        if self.least1 <= self.least0:
            self.p = self.sum1 / (self.sum1 + self.sum0 * faded(self, self.least0 - self.least1))
        else:
            self.p = self.sum1 * faded(self, self.least1 - self.least0)
            self.p = self.p / (self.p + self.sum0)

    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1 at x."""
        return log(self.sum1) - log(self.sum0) - self.eta * (self.least1 - self.least0)

    def least(self) -> cython.double:
        """L*: the least loss of a rule."""
        at: cython.Py_ssize_t = 6 * self.root
        return min(self.zeros + self.sums[at + 1], self.charged - self.zeros + self.sums[at + 3])

    def log_total(self) -> cython.double:
        """Return ln of the sum of prior mass (1 per direction) times e^(-eta (loss - L*))."""
        at: cython.Py_ssize_t = 6 * self.root
        ahead: cython.double = self.charged - 2.0 * self.zeros + self.sums[at + 3] - self.sums[at + 1]
        if ahead >= 0.0:
            return log(self.sums[at + 2] + self.sums[at + 4] * faded(self, ahead))
        return log(self.sums[at + 2] * faded(self, -ahead) + self.sums[at + 4])

    def floor(self, v: cython.Py_ssize_t, falls: cython.bint) -> cython.double:
        """Return the least loss under a node, as if its first point were the first of all."""
        return self.sums[6 * v + 3] if falls else self.sums[6 * v + 1]

    def over_of(self, v: cython.Py_ssize_t) -> cython.double:
        """Return the 1s minus 0s under a node."""
        return self.sums[6 * v]

    def count(self) -> cython.longlong:
        """Return the number of rules: two per gap."""
        return 2 * self.cells


class RankedLine(TwoWayLine):
    """The line of a feature with given cuts, in order: the point of a value is the number of cuts that it reaches."""

    def __init__(self, measure: Any, cuts: Any) -> None:
        self.cuts, self.given, self.value = array("d", cuts), array("d"), 0.0
        TwoWayLine.__init__(self, measure)

    def place(self, x: object) -> cython.bint:
        """Make x the current point if it is a plain finite number."""
        if not is_plain(x):
            return False
        self.meet(x)  # type: ignore[arg-type]
        return True

    def place_at(self, i: cython.Py_ssize_t) -> cython.int:
        """Make the i-th value of the batch the current one."""
        self.meet(self.given[i])
        return 0

    def give(self, values: Any) -> None:
        """Set the values of a batch."""
        self.given = memoryview(values)

    def warm(self, first: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Do nothing: the tree is small."""

    def meet(self, value: cython.double) -> cython.void:
        """Make a value the current one, if it changes."""
        low: cython.Py_ssize_t = 0
        high: cython.Py_ssize_t = len(self.cuts)
        middle: cython.Py_ssize_t
        if value == self.value and self.x != self.first:
            return
        while low < high:
            middle = (low + high) // 2
            if self.cuts[middle] <= value:
                low = middle + 1
            else:
                high = middle
        self.value, self.x = value, low
        self.seen = self.known = False

    def locate(self) -> cython.void:
        """Find the slot of the point; the coin belongs to the value."""
        LineTree.locate(self)
        self.word = word_of_float(self.value)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def faded(line: TwoWayLine, loss: cython.double) -> cython.double:
    """Return e^(-eta loss), from the table if possible; for inner loops."""
    i: cython.Py_ssize_t
    if line.whole and loss < line.table:
        i = cython.cast(cython.Py_ssize_t, loss)
        return line.decay[i]
    return 0.0 if loss > line.nothing else exp(-line.eta * loss)
