"""The stumps on one feature: a line of gaps between its values, each the place of two cells, rising and falling.

A falling stump is wrong wherever the rising one with its cut is right, so both directions share a tree: below a node
the losses of rising cells are those of thresholds, and those of falling ones the same with the other sign. A cell has
mass here if it alone follows its path; the others (``stumps_kernel``) weigh nothing here. The mass of a path depends
on k, n and how many cuts it has, and is computed from these.
"""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.adeptree._compiled.line_tree_kernel import LineTree, between, value_of
    from cython.cimports.adeptree._compiled.ordered_tree_kernel import OrderedTree
    from cython.cimports.adeptree._compiled.shares_kernel import Shares
    from cython.cimports.libc.math import INFINITY as inf
    from cython.cimports.libc.math import exp, floor
else:
    from math import exp, floor, inf

    from adeptree.families.line.line_tree_kernel import LineTree, between, value_of
    from adeptree.families.line.ordered_tree_kernel import OrderedTree
    from adeptree.families.stumps.shares_kernel import Shares

UNIT = cython.declare(cython.Py_ssize_t, 4)
FLOOR = cython.declare(cython.double, 1e-290)
MANY = cython.declare(cython.double, 1048576.0)  # a falling cell's k and n are kept as k + MANY n


class StumpLine(LineTree):
    """The tree of one feature. Of rising cells ``mass``, ``wrong`` and ``contested`` are those of the slot; of falling
    ones ``part`` has the mass, and k and n in one number.
    """

    def __init__(self, floats: bool, first: cython.longlong, last: cython.longlong, shares: Shares, lead: Any) -> None:
        self.shares_of = shares
        self.lead = lead
        self.sums, self.base, self.stride = array("d"), 0, 5
        self.inner = self.fall = False
        self.up_low = self.up_high = self.down_low = self.down_high = 0.0
        self.over = self.least_up = self.sum_up = self.least_down = self.sum_down = 0.0
        self.least1 = self.sum1 = self.least0 = self.sum0 = 0.0
        LineTree.__init__(self, floats, first, last, (0.0, 0.0), (0.5, 0.5), 0.0)
        self.mass[0] = 0.0
        self.rebuild()

    def reserve(self) -> cython.int:
        """Have room for one more point."""
        return OrderedTree.reserve(self)

    def lengthen(self) -> cython.int:
        """All lines have one table of e^(-eta k)."""
        if self.lead is None:
            return LineTree.lengthen(self)
        self.decay, self.table = self.lead.decay, self.lead.table
        return 0

    # --- Sums --------------------------------------------------------------------------------------

    def shrunk(self, loss: cython.double) -> cython.double:
        """Return e^(-eta loss)."""
        i: cython.Py_ssize_t
        if self.whole and loss < self.table:
            i = cython.cast(cython.Py_ssize_t, loss)
            return self.decay[i]
        return 0.0 if loss > self.nothing else exp(-self.eta * loss)

    def sum_range(self, first: cython.Py_ssize_t, end: cython.Py_ssize_t, gain: cython.double) -> cython.void:
        """Sum up gaps of one bucket, before which there are ``gain`` 1s minus 0s; ``over`` is what there is after."""
        up: cython.double = inf
        down: cython.double = inf
        sum_up: cython.double = 0.0
        sum_down: cython.double = 0.0
        over: cython.double = gain
        i: cython.Py_ssize_t
        for i in range(first, end):
            over += self.gain[i]
            if over < up and self.mass[i] > 0.0:
                up = over
            if -over < down and self.part[2 * i] > 0.0:
                down = -over
        over = gain
        for i in range(first, end):
            over += self.gain[i]
            if self.mass[i] > 0.0:
                sum_up += self.mass[i] * self.shrunk(over - up)
            if self.part[2 * i] > 0.0:
                sum_down += self.part[2 * i] * self.shrunk(-over - down)
        self.over = over
        self.least_up, self.sum_up, self.least_down, self.sum_down = up, sum_up, down, sum_down

    def sum_leaf(self, v: cython.Py_ssize_t) -> cython.void:
        """Sum up the gaps of a bucket: 1s minus 0s, then least loss and sum of either direction."""
        first: cython.Py_ssize_t = (-1 - self.child[v]) * UNIT
        at: cython.Py_ssize_t = 5 * v
        self.sum_range(first, first + self.counts[-1 - self.child[v]], 0.0)
        self.sums[at] = self.over
        self.sums[at + 1], self.sums[at + 2] = self.least_up, self.sum_up
        self.sums[at + 3], self.sums[at + 4] = self.least_down, self.sum_down

    def sum_node(self, v: cython.Py_ssize_t) -> cython.void:
        """Sum up the children."""
        at: cython.Py_ssize_t = 5 * v
        left: cython.Py_ssize_t = 5 * self.child[v]
        gain: cython.double = self.sums[left]
        self.sums[at] = gain + self.sums[left + 5]
        self.merge(at + 1, left + 1, left + 6, gain)
        self.merge(at + 3, left + 3, left + 8, -gain)

    def merge(
        self, at: cython.Py_ssize_t, left: cython.Py_ssize_t, right: cython.Py_ssize_t, shift: cython.double
    ) -> cython.void:
        """Set a pair of least loss and sum to that of two, the losses of the right one being worse by ``shift``."""
        loss: cython.double = self.sums[left]
        other: cython.double = self.sums[right] + shift
        total: cython.double = self.sums[left + 1]
        if loss <= other:
            if self.sums[right + 1] > 0.0:
                total += self.sums[right + 1] * self.shrunk(other - loss)
        else:
            total = self.sums[right + 1] + (total * self.shrunk(loss - other) if total > 0.0 else 0.0)
            loss = other
        self.sums[at], self.sums[at + 1] = loss, total

    def add1(self, loss: cython.double, mass: cython.double) -> cython.void:
        """Count a mass of this loss that says 1 at x."""
        if mass > 0.0 and loss >= self.least1:
            self.sum1 += mass * self.shrunk(loss - self.least1)
        elif mass > 0.0:
            self.sum1 = mass + (self.sum1 * self.shrunk(self.least1 - loss) if self.sum1 > 0.0 else 0.0)
            self.least1 = loss

    def add0(self, loss: cython.double, mass: cython.double) -> cython.void:
        """Count a mass of this loss that says 0 at x."""
        if mass > 0.0 and loss >= self.least0:
            self.sum0 += mass * self.shrunk(loss - self.least0)
        elif mass > 0.0:
            self.sum0 = mass + (self.sum0 * self.shrunk(self.least0 - loss) if self.sum0 > 0.0 else 0.0)
            self.least0 = loss

    def lowest(self) -> cython.double:
        """Return the least loss of a cell that has mass here."""
        return min(self.zeros + self.sums[1], self.charged - self.zeros + self.sums[3])

    # --- A round -----------------------------------------------------------------------------------

    def divide(self) -> cython.void:
        """Say what the base learner predicts at x, and how the masses of both cells are divided: up to x, beyond it."""
        k: cython.Py_ssize_t
        n: cython.Py_ssize_t
        low: cython.double = between(self.keys[self.at], self.x)
        high: cython.double = between(self.x, self.above)
        code: cython.double = self.part[2 * self.at + 1]
        value: cython.double
        self.inner = self.x < self.above  # else all cuts of the gap are up to x
        self.up_low, self.down_low = self.mass[self.at], self.part[2 * self.at]
        self.up_high = self.down_high = 0.0
        if not self.inner:
            return
        if self.floats:
            value = value_of(self.x)
            self.guess = value_of(self.above) / 2 - value / 2 < value / 2 - value_of(self.keys[self.at]) / 2
            self.fall = not self.guess
        else:
            self.guess, self.fall = high < low, low < high
        low, high = low * self.shares_of.per_cut, high * self.shares_of.per_cut
        if self.up_low > 0.0:
            self.shares_of.divide(self.wrong[self.at], self.contested[self.at])
            self.up_low = low + (self.shares_of.agree if self.guess else self.shares_of.against)
            self.up_high = high + (self.shares_of.against if self.guess else self.shares_of.agree)
        if self.down_low > 0.0:
            n = cython.cast(cython.Py_ssize_t, floor(code / MANY))
            k = cython.cast(cython.Py_ssize_t, code - MANY * n)
            self.shares_of.divide(k, n)
            self.down_low = low + (self.shares_of.against if self.fall else self.shares_of.agree)
            self.down_high = high + (self.shares_of.agree if self.fall else self.shares_of.against)

    def insert(self) -> cython.void:
        """Divide the gap of x: the part up to x stays in its slot, x and the part beyond it follow."""
        self.widen()
        at: cython.Py_ssize_t = self.at
        j: cython.Py_ssize_t = at + 1
        code: cython.double
        self.copy_slots(at + 2, at + 1, self.bucket * UNIT + self.counts[self.bucket] - at - 1)
        self.keys[j], self.gain[j], self.mass[j] = self.x, 0.0, 0.0
        self.wrong[j] = self.contested[j] = 0
        self.part[2 * j] = self.part[2 * j + 1] = 0.0
        if self.inner and self.mass[at] > 0.0:
            self.mass[at], self.mass[j] = max(self.up_low, FLOOR), max(self.up_high, FLOOR)
            self.wrong[j] = self.wrong[at] + self.guess
            self.wrong[at] += 1 - self.guess
            self.contested[at] += 1
            self.contested[j] = self.contested[at]
            self.shares_of.longest = max(self.shares_of.longest, self.contested[j])
            self.shares_of.singles += 1
        if self.inner and self.part[2 * at] > 0.0:
            code = self.part[2 * at + 1] + MANY
            self.part[2 * at], self.part[2 * j] = max(self.down_low, FLOOR), max(self.down_high, FLOOR)
            self.part[2 * at + 1], self.part[2 * j + 1] = code + self.fall, code + (1 - self.fall)
            self.shares_of.longest = max(self.shares_of.longest, cython.cast(cython.Py_ssize_t, floor(code / MANY)))
            self.shares_of.singles += 1
        self.counts[self.bucket] += 1
        self.cells += 1
        self.at = j

    def see_line(self) -> cython.void:
        """Divide the weight of this line's cells at x into what says 1 and what says 0, each with its least loss."""
        v: cython.Py_ssize_t = 0
        d: cython.Py_ssize_t
        left: cython.Py_ssize_t
        first: cython.Py_ssize_t
        up: cython.double = self.zeros  # what rising cells lose at least, left of the nodes on the way,
        down: cython.double = self.charged - self.zeros  # and falling ones
        self.least1 = self.least0 = inf
        self.sum1 = self.sum0 = 0.0
        self.locate()
        for d in range(1, self.depth + 1):
            left = 5 * self.child[v]
            v = self.way[d]
            if 5 * v != left:
                self.add1(up + self.sums[left + 1], self.sums[left + 2])
                self.add0(down + self.sums[left + 3], self.sums[left + 4])
                up += self.sums[left]
                down -= self.sums[left]
            else:
                self.add0(up + self.sums[left] + self.sums[left + 6], self.sums[left + 7])
                self.add1(down - self.sums[left] + self.sums[left + 8], self.sums[left + 9])
        first = self.bucket * UNIT
        self.sum_range(first, self.at, 0.0)
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
            self.add1(down, self.part[2 * self.at])
        self.sum_range(self.at + 1, first + self.counts[self.bucket], 0.0)
        self.add0(up + self.least_up, self.sum_up)
        self.add1(down + self.least_down, self.sum_down)

    def take_line(self, label: cython.int, cost: cython.double) -> cython.void:
        """Let x in, and charge the cells that are wrong there."""
        if self.cut:
            self.insert()
        self.charge(label, cost)
        self.climb()

    def adopt(
        self, low: cython.longlong, down: cython.bint, k: cython.longlong, n: cython.longlong, mass: cython.double
    ) -> cython.void:
        """Take over the path of the cell that begins at ``low``, which no other cell follows any more."""
        self.x = low
        self.locate()
        if down:
            self.part[2 * self.at], self.part[2 * self.at + 1] = mass, k + MANY * n
        else:
            self.mass[self.at], self.wrong[self.at], self.contested[self.at] = mass, k, n
        self.shares_of.singles += 1
        self.climb()
