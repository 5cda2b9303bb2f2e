"""The stumps on one feature: a line of gaps between its values, each the place of two cells, rising and falling.

A cell has mass here if it alone follows its path; the others (``stumps_kernel``) weigh nothing here. The mass of a
path depends on k, n and how many cuts it has, and is computed from these.
"""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.adeptree._compiled.line_tree_kernel import between, value_of
    from cython.cimports.adeptree._compiled.shares_kernel import Shares
    from cython.cimports.adeptree._compiled.two_way_line_kernel import TwoWayLine
    from cython.cimports.libc.math import floor
else:
    from math import floor

    from adeptree.families.line.line_tree_kernel import between, value_of
    from adeptree.families.stumps.shares_kernel import Shares
    from adeptree.families.stumps.two_way_line_kernel import TwoWayLine

UNIT = cython.declare(cython.Py_ssize_t, 4)
FLOOR = cython.declare(cython.double, 1e-290)
MANY = cython.declare(cython.double, 1048576.0)  # a falling cell's k and n are kept as k + MANY n


class StumpLine(TwoWayLine):
    """The tree of one feature. Of rising cells ``mass``, ``wrong`` and ``contested`` are those of the slot; of falling
    ones ``part`` has the mass, and k and n in one number.
    """

    def __init__(self, floats: bool, first: cython.longlong, last: cython.longlong, shares: Shares) -> None:
        self.shares_of = shares
        self.inner = self.fall = False
        TwoWayLine.__init__(self, (floats, first, last, (0.0, 0.0), (0.5, 0.5), 0.0), 2)
        self.mass[0] = 0.0
        self.rebuild()

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
