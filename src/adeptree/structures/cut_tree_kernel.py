"""Rules with d cuts on a line: what their kernels share.

**The prior.** d cuts are drawn independently, each from the measure that shares out the mass of one cut among the gaps
(``LineTree``); the label is 0 to the left of all cuts and flips at every cut. A gap with j cuts in it contributes
mass^j / j!, all of it times d!. Where a gap is divided, (a + b)^j / j! = sum_i a^i / i! b^(j-i) / (j-i)!, so that the
labellings of the points seen divide the mass among them and none is lost: a conserving flow prior. Two cuts in one gap
cancel and a cut beyond the last point is not seen, so labellings with fewer flips are included.

**Queries** are two per labelling and look, and labellings may be more than 64 bits count. So a round only counts its
look, by the number of points there were, and the numbers are put together as Python's ints every now and then.
"""

from __future__ import annotations

from array import array
from math import comb
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, log

    from adeptree.structures.line_tree_kernel import LineTree

UNIT = cython.declare(cython.Py_ssize_t, 4)
REACH = cython.declare(cython.double, 667.0)  # d masses, each times unit, multiply to between e^-667 and e^667
KEPT = cython.declare(cython.Py_ssize_t, 1024)
MOST = 24
"""Cuts at most: the product of so many masses is a double, as long as no gap has less than 1e-24 of one cut's mass."""


class CutTree(LineTree):
    """The tree; a subclass writes the sums, ``look``, ``least`` and ``top``, the weight of the root.

    ``measure`` is what ``LineTree`` wants to know of the line and of the prior of one cut.
    """

    def __init__(self, measure: Any, cuts: cython.Py_ssize_t) -> None:
        self.d = cuts
        # Masses are multiplied by ``unit``, so that products use the doubles above 1, too.
        self.unit, self.lowest = exp(REACH / cuts), exp(-2.0 * REACH / cuts)
        self.looks = array("q", bytes(8 * KEPT))
        self.first_look, self.asked_before = 0, 0
        LineTree.__init__(self, *measure)

    def scaled(self, mass: cython.double) -> cython.double:
        """Return the mass of a gap as it is multiplied."""
        return (mass if mass > self.lowest else self.lowest) * self.unit

    # --- Account -----------------------------------------------------------------------------------

    def top(self) -> cython.double:
        """Return the weight of all ways to place d cuts, relative to the best."""
        return 1.0

    def log_prior(self, weight: float) -> float:
        """Return ln of a sum of products of d scaled masses, as prior mass."""
        j: cython.Py_ssize_t
        orders: cython.double = 1.0
        for j in range(2, self.d + 1):
            orders *= j
        return log(weight) - self.d * log(self.unit) + log(orders)  # (lgamma is not the same everywhere)

    def log_total(self) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - L*))."""
        return self.log_prior(self.top())

    def log_best_mass(self) -> float:
        """Return ln of the prior mass of all labellings of least loss, by going through the slots."""
        i: cython.Py_ssize_t
        s: cython.Py_ssize_t
        bucket: cython.Py_ssize_t
        k: cython.Py_ssize_t
        j: cython.Py_ssize_t
        d: cython.Py_ssize_t = self.d
        mass: cython.double
        ways: cython.double
        found: cython.Py_ssize_t = self.list_nodes(0)
        # By cuts so far: the least loss, and the mass of the ways that have it.
        losses: cython.double[::1] = array("d", [0.0] + [1e300] * d)
        masses: cython.double[::1] = array("d", [1.0] + [0.0] * d)
        for i in range(found):
            if self.child[self.order[i]] >= 0:
                continue
            bucket = -1 - self.child[self.order[i]]
            for s in range(bucket * UNIT, bucket * UNIT + self.counts[bucket]):
                for k in range(0, d + 1, 2):
                    losses[k] += self.gain[s]
                mass = self.scaled(self.mass[s])
                k = d
                while k > 0:
                    ways = 1.0
                    for j in range(1, k + 1):
                        ways *= mass / j
                        if losses[k - j] < losses[k]:
                            losses[k], masses[k] = losses[k - j], masses[k - j] * ways
                        elif losses[k - j] == losses[k]:
                            masses[k] += masses[k - j] * ways
                    k -= 1
        return self.log_prior(masses[d])

    def count(self) -> cython.longlong:
        """The number of labellings, those of m points with at most d flips; 2^62 stands for as many or more."""
        m: cython.longlong = self.cells - 1
        j: cython.Py_ssize_t
        term: cython.double = 1.0
        total: cython.double = 1.0
        most: cython.double = 4611686018427387904.0
        for j in range(1, self.d + 1):
            term = term * (m - j + 1) / j if j <= m else 0.0
            total += term
        return cython.cast(cython.longlong, total if total < most else most)

    def ask(self) -> cython.void:
        """Count the look."""
        self.looks[self.cells - 1 - self.first_look] += 1

    def reserve(self) -> cython.int:
        """Have room to count looks at one more point, too."""
        if self.cells - self.first_look >= KEPT:
            self.asked_in_all()
        return LineTree.reserve(self)

    def asked_in_all(self) -> int:
        """Return the number of queries; the sum of C(m, j) over m = a .. b-1 is C(b, j + 1) - C(a, j + 1)."""
        i: cython.Py_ssize_t = 0
        begin: cython.Py_ssize_t
        while i < KEPT:
            begin = i
            while i < KEPT and self.looks[i] == self.looks[begin]:
                i += 1
            if self.looks[begin]:
                a, b, looks = int(self.first_look) + begin, int(self.first_look) + i, int(self.looks[begin])
                for j in range(1, int(self.d) + 2):
                    self.asked_before = self.asked_before + 2 * looks * (comb(b, j) - comb(a, j))
        for i in range(KEPT):
            self.looks[i] = 0
        self.first_look = self.cells - 1
        return self.asked_before

    def set_asked(self, count: int) -> None:
        """Continue counting from here."""
        self.asked_in_all()
        self.asked_before = count
