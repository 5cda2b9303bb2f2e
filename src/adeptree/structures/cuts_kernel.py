"""Rules with any number d of cuts on a line, exactly, in O(d^2 log t) per round: unions of m intervals (d = 2m).

**The prior.** d cuts are drawn independently, each from the measure that distributes the mass of one cut over the gaps
(``LineTree``); the label is 0 to the left of all cuts and flips at every cut. A gap with j cuts in it contributes
mass^j / j!, all of it times d!. When a gap is divided, (a + b)^j / j! = sum_i a^i / i! b^(j-i) / (j-i)!, so no mass is
lost: a conserving flow prior. Two cuts in one gap cancel, and a cut beyond the last point has no effect, so labellings
with fewer flips are included.

**The sums.** Only the parity of the cuts so far decides a label. So a node (a stretch of the line) has an entry for
each label p with which it begins and each number k of cuts inside: the least loss of all ways to place them, and the
sum of mass times e^(-eta (loss - least)). Neighbours multiply, (p, k) = sum_j (p, j) x (p + j, k - j). Losses are
relative to predicting 1 everywhere, which loses ``zeros``; predicting 0 at a point costs its gain more.
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, log

    from adeptree.structures.line_tree_kernel import LineTree
    from adeptree.theory.mass_kernel import sets_within

UNIT = cython.declare(cython.Py_ssize_t, 4)
NONE = cython.declare(cython.double, 1e300)  # least loss of an empty set
REACH = cython.declare(cython.double, 667.0)  # products of d masses, each times unit, stay within e^-667 and e^667


class CutTree(LineTree):
    """A tree for rules with cuts; a subclass defines the sums, ``look``, ``least`` and ``top``, the weight of the root.

    ``measure`` holds the arguments of ``LineTree``: the line and the prior of one cut.
    """

    def __init__(self, measure: Any, cuts: cython.Py_ssize_t) -> None:
        self.d = cuts
        # Masses are multiplied by ``unit``, so that products use the whole range of doubles.
        self.unit, self.lowest = exp(REACH / cuts), exp(-2.0 * REACH / cuts)
        LineTree.__init__(self, *measure)

    def scaled(self, mass: cython.double) -> cython.double:
        """Return the scaled mass of a gap."""
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
        return log(weight) - self.d * log(self.unit) + log(orders)  # lgamma differs between platforms

    def log_total(self) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - L*))."""
        return self.log_prior(self.top())

    @cython.locals(i=cython.Py_ssize_t, s=cython.Py_ssize_t, bucket=cython.Py_ssize_t, k=cython.Py_ssize_t)
    @cython.locals(j=cython.Py_ssize_t, mass=cython.double, ways=cython.double)
    def log_best_mass(self) -> float:
        """Return ln of the prior mass of all labellings of least loss, by a scan of the slots."""
        d: cython.Py_ssize_t = self.d
        found: cython.Py_ssize_t = self.list_nodes(0)
        # By the number of cuts so far: the least loss, and the mass of the ways with that loss.
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
        """The number of labellings, those of m points with at most d flips; 2^61 stands for that number or more."""
        return sets_within(self.cells - 1, self.d)


@cython.final
@cython.cclass
class CutsKernel(CutTree):
    """The tree of products for rules with ``cuts`` cuts."""

    # ``sums`` holds pairs (least loss, weight): rows for the points before x, beyond x, and in a gap, by number of
    # cuts; the two labels at x; and from ``base`` on, per node, (0, 0..d) and (1, 0..d-1).
    row: cython.Py_ssize_t  # numbers in d + 1 pairs

    def __init__(self, measure: Any, cuts: cython.Py_ssize_t) -> None:
        self.row = 2 * (cuts + 1)
        self.stride = 2 * self.row - 1
        self.base = 3 * self.row + 4
        self.sums = array("d", bytes(8 * self.base))
        self.sums[2 * self.row + 1] = 1.0
        CutTree.__init__(self, measure, cuts)

    # --- Pairs -------------------------------------------------------------------------------------

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def decayed(self, loss: cython.double) -> cython.double:
        """Return e^(-eta loss); a fast form of ``shrunk`` for inner loops."""
        i: cython.Py_ssize_t
        if self.whole and loss < self.table:
            i = cython.cast(cython.Py_ssize_t, loss)
            return self.decay[i]
        return 0.0 if loss > self.nothing else exp(-self.eta * loss)

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def add(self, at: cython.Py_ssize_t, loss: cython.double, weight: cython.double) -> cython.void:
        """Add ways of this least loss and weight to a pair."""
        least: cython.double = self.sums[at]
        if loss < least:
            self.sums[at + 1] = self.sums[at + 1] * self.decayed(least - loss) + weight
            self.sums[at] = loss
        elif loss == least:
            self.sums[at + 1] += weight
        else:
            self.sums[at + 1] += weight * self.decayed(loss - least)

    @cython.cfunc
    @cython.exceptval(check=False)
    def begin(self, at: cython.Py_ssize_t, size: cython.Py_ssize_t, one: cython.Py_ssize_t) -> cython.void:
        """Set this number of pairs to empty, except one that holds a single way of loss 0."""
        i: cython.Py_ssize_t
        for i in range(size):
            self.sums[at + 2 * i], self.sums[at + 2 * i + 1] = NONE, 0.0
        self.sums[at + 2 * one], self.sums[at + 2 * one + 1] = 0.0, 1.0

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def pass_point(
        self, at: cython.Py_ssize_t, size: cython.Py_ssize_t, p: cython.Py_ssize_t, gain: cython.double
    ) -> cython.void:
        """Charge the entries of a row with first label p that predict 0 at a point."""
        i: cython.Py_ssize_t = p
        while i < size:
            self.sums[at + 2 * i] += gain
            i += 2

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def spread(self, mass: cython.double) -> cython.Py_ssize_t:
        """Return the index of the gap with this mass as a node; its row is the same for both labels."""
        j: cython.Py_ssize_t
        at: cython.Py_ssize_t = 2 * self.row
        mass = self.scaled(mass)
        for j in range(1, self.d + 1):
            self.sums[at + 2 * j + 1] = self.sums[at + 2 * j - 1] * mass / j
        return at

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def follow(
        self,
        at: cython.Py_ssize_t,
        size: cython.Py_ssize_t,
        p: cython.Py_ssize_t,
        node: cython.Py_ssize_t,
        row: cython.Py_ssize_t,
    ) -> cython.void:
        """Multiply a row with first label p by a node; the node's two rows have this distance."""
        k: cython.Py_ssize_t = size - 1
        j: cython.Py_ssize_t
        to: cython.Py_ssize_t
        entry: cython.Py_ssize_t
        while k >= 0:
            to = at + 2 * k
            self.sums[to] += self.sums[node + ((p + k) & 1) * row]
            for j in range(k):
                if self.sums[at + 2 * j + 1] > 0.0:
                    entry = node + ((p + j) & 1) * row + 2 * (k - j)
                    self.add(
                        to,
                        self.sums[at + 2 * j] + self.sums[entry],
                        self.sums[at + 2 * j + 1] * self.sums[entry + 1],
                    )
            k -= 1

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def precede(self, node: cython.Py_ssize_t, row: cython.Py_ssize_t) -> cython.void:
        """Multiply the node by the entries beyond it."""
        k: cython.Py_ssize_t
        j: cython.Py_ssize_t
        to: cython.Py_ssize_t
        entry: cython.Py_ssize_t
        for k in range(self.d + 1):
            to, entry = self.row + 2 * k, node + (k & 1) * row
            self.sums[to] += self.sums[entry]
            for j in range(1, self.d - k + 1):
                if self.sums[to + 2 * j + 1] > 0.0:
                    self.add(
                        to,
                        self.sums[entry + 2 * j] + self.sums[to + 2 * j],
                        self.sums[entry + 2 * j + 1] * self.sums[to + 2 * j + 1],
                    )

    # --- The tree ----------------------------------------------------------------------------------

    @cython.cfunc
    @cython.exceptval(check=False)
    def sum_leaf(self, v: cython.Py_ssize_t) -> cython.void:
        """Multiply the slots of a bucket."""
        first: cython.Py_ssize_t = (-1 - self.child[v]) * UNIT
        at: cython.Py_ssize_t = self.base + v * self.stride
        gap: cython.Py_ssize_t
        i: cython.Py_ssize_t
        self.begin(at, self.d + 1, 0)
        self.begin(at + self.row, self.d, 0)
        for i in range(first, first + self.counts[-1 - self.child[v]]):
            self.pass_point(at, self.d + 1, 0, self.gain[i])
            self.pass_point(at + self.row, self.d, 1, self.gain[i])
            gap = self.spread(self.mass[i])
            self.follow(at, self.d + 1, 0, gap, 0)
            self.follow(at + self.row, self.d, 1, gap, 0)

    @cython.cfunc
    @cython.exceptval(check=False)
    def sum_node(self, v: cython.Py_ssize_t) -> cython.void:
        """Multiply the two children."""
        at: cython.Py_ssize_t = self.base + v * self.stride
        left: cython.Py_ssize_t = self.base + self.child[v] * self.stride
        i: cython.Py_ssize_t
        for i in range(self.stride - 1):
            self.sums[at + i] = self.sums[left + i]
        self.follow(at, self.d + 1, 0, left + self.stride, self.row)
        self.follow(at + self.row, self.d, 1, left + self.stride, self.row)

    @cython.cfunc
    @cython.exceptval(check=False)
    def look(self) -> cython.void:
        """Weigh both labels at x: entries before x times entries beyond it, by the cuts so far."""
        first: cython.Py_ssize_t
        labels: cython.Py_ssize_t = 3 * self.row
        v: cython.Py_ssize_t = 0
        left: cython.Py_ssize_t
        i: cython.Py_ssize_t
        self.locate()
        first = self.bucket * UNIT
        self.begin(0, self.d + 1, 0)
        self.begin(self.row, self.d + 1, self.d)
        for i in range(1, self.depth + 1):
            left = self.child[v]
            v = self.way[i]
            if v != left:
                self.follow(0, self.d + 1, 0, self.base + left * self.stride, self.row)
            else:
                self.precede(self.base + (left + 1) * self.stride, self.row)
        for i in range(first, self.at + 1):
            self.pass_point(0, self.d + 1, 0, self.gain[i])
            if i < self.at:
                self.follow(0, self.d + 1, 0, self.spread(self.mass[i]), 0)
        i = first + self.counts[self.bucket] - 1
        while i > self.at:
            self.precede(self.spread(self.mass[i]), 0)
            self.pass_point(self.row, self.d + 1, 0, self.gain[i])
            i -= 1
        if self.cut:
            self.follow(0, self.d + 1, 0, self.spread(self.mass1), 0)
        self.precede(self.spread(self.mass0 if self.cut else self.mass[self.at]), 0)
        self.sums[labels] = self.sums[labels + 2] = NONE
        self.sums[labels + 1] = self.sums[labels + 3] = 0.0
        for i in range(self.d + 1):
            left = self.row + 2 * i
            self.add(
                labels + 2 * (i & 1),
                self.sums[2 * i] + self.sums[left],
                self.sums[2 * i + 1] * self.sums[left + 1],
            )
        one: cython.double = self.sums[labels + 3]
        zero: cython.double = self.sums[labels + 1]
        ahead: cython.double = self.sums[labels] - self.sums[labels + 2]
        if ahead > 0.0:
            zero = zero * self.decayed(ahead)
        else:
            one = one * self.decayed(-ahead)
        self.p = one / (one + zero)

    @cython.ccall
    @cython.exceptval(check=False)
    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1 at x, exact even if one side is negligible."""
        at: cython.Py_ssize_t = 3 * self.row
        ahead: cython.double = self.sums[at] - self.sums[at + 2]
        return log(self.sums[at + 3]) - log(self.sums[at + 1]) + self.eta * ahead

    @cython.ccall
    @cython.exceptval(check=False)
    def least(self) -> cython.double:
        """L*: the least loss of a labelling."""
        return self.zeros + self.sums[self.base + 2 * self.d]

    @cython.cfunc
    @cython.exceptval(check=False)
    def top(self) -> cython.double:
        """Return the weight of all ways to place d cuts, relative to the best."""
        return self.sums[self.base + 2 * self.d + 1]
