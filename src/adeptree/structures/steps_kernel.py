"""Rules with any number of cuts on a line, exactly, in O(log t) per round.

**The prior.** The number of cuts is Poisson with mean ``rate_of_cuts``, each drawn from the measure of one cut
(``LineTree``); the label is 0 to the left of all cuts and flips at every cut. Only parity matters: in a gap of mass m
the label stays with probability (1 + e^(-2 lambda m)) / 2 and flips with (1 - e^(-2 lambda m)) / 2. These matrices
multiply when masses add, so dividing a gap loses no mass: a conserving flow prior. A labelling with cuts in the gaps
g_1 .. g_d has mass at least e^-lambda lambda^d m(g_1) ... m(g_d).

**The sums.** A node (a stretch of the line) is the 2 x 2 matrix of the weights of all labellings that begin with p and
end with q. It ends with a gap, so the ratio of the entries of a row is at most the odds of flipping there. Its first
point, though, may separate the rows by more than the range of doubles. So a row is stored relative to its larger entry,
and ``lead`` is ln of (row 1 / row 0). No probability depends on a common factor of both rows, so it is dropped.
``log_weight`` is ln of the total weight: a round multiplies it by 1 - q + q e^(-eta cost), where q is the wrong share.
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, expm1, log, log1p

    from adeptree.structures.line_tree_kernel import LineTree
    from adeptree.theory.ledger_kernel import softplus

UNIT = cython.declare(cython.Py_ssize_t, 4)
STRIDE = cython.declare(cython.Py_ssize_t, 8)  # row 0, row 1, lead, e^lead as the shares of row 0 and row 1; split
LEAST = cython.declare(cython.double, 1e-100)  # least mass, small enough that no sum depends on it
SMALL = cython.declare(cython.double, 1e-200)
LARGE = cython.declare(cython.double, 1e200)  # 1 / SMALL
LOG_LARGE = cython.declare(cython.double, 460.51701859880916)


class StepsKernel(LineTree):
    """The tree of matrices, for a Poisson number of cuts with this mean."""

    def __init__(self, measure: Any, rate_of_cuts: cython.double) -> None:
        self.rate_of_cuts, self.log_weight, self.sums, self.base, self.stride = rate_of_cuts, 0.0, array("d"), 0, STRIDE
        LineTree.__init__(self, *measure)

    def flip(self, mass: cython.double) -> cython.double:
        """Return the probability of an odd number of cuts in a gap."""
        return -0.5 * expm1(-2.0 * self.rate_of_cuts * (mass if mass > LEAST else LEAST))

    def keep(self, v, a, b, c, d, lead):
        """Store a matrix with rows (a, b) and (c, d), the second one times e^lead."""
        at: cython.Py_ssize_t = v * STRIDE
        top: cython.double = a if a > b else b
        bottom: cython.double = c if c > d else d
        self.sums[at], self.sums[at + 1] = a / top, b / top
        self.sums[at + 2], self.sums[at + 3] = c / bottom, d / bottom
        lead = lead + log(bottom / top)
        self.sums[at + 4] = lead
        self.sums[at + 5] = 1.0 if lead <= 0.0 else exp(-lead) if lead < 745.0 else 0.0
        self.sums[at + 6] = 1.0 if lead >= 0.0 else exp(lead) if lead > -745.0 else 0.0

    @cython.locals(i=cython.Py_ssize_t, weight=cython.double)
    def sum_leaf(self, v: cython.Py_ssize_t) -> cython.void:
        """Multiply the slots of a bucket: the first point contributes only its lead, then gap, point, gap, ..."""
        first: cython.Py_ssize_t = (-1 - self.child[v]) * UNIT
        odd: cython.double = self.flip(self.mass[first])
        even: cython.double = 1.0 - odd
        a: cython.double = even
        b: cython.double = odd
        c: cython.double = odd
        d: cython.double = even
        lead: cython.double = self.eta * self.gain[first]
        lifted: cython.int = 0  # times that row 0 was rescaled, minus times that row 1 was
        for i in range(first + 1, first + self.counts[-1 - self.child[v]]):
            if self.gain[i] >= 0.0:
                weight = self.shrunk(self.gain[i])
                a, c = a * weight, c * weight
            else:
                weight = self.shrunk(-self.gain[i])
                b, d = b * weight, d * weight
            odd = self.flip(self.mass[i])
            even = 1.0 - odd
            a, b = a * even + b * odd, a * odd + b * even
            c, d = c * even + d * odd, c * odd + d * even
            if a + b < SMALL:
                a, b, lifted = a * LARGE, b * LARGE, lifted + 1
            if c + d < SMALL:
                c, d, lifted = c * LARGE, d * LARGE, lifted - 1
        self.keep(v, a, b, c, d, lead + LOG_LARGE * lifted)

    def sum_node(self, v: cython.Py_ssize_t) -> cython.void:
        """Multiply the two children."""
        l: cython.Py_ssize_t = self.child[v] * STRIDE  # noqa: E741
        r: cython.Py_ssize_t = l + STRIDE
        zero: cython.double = self.sums[r + 5]
        one: cython.double = self.sums[r + 6]
        a: cython.double = self.sums[r] * zero
        b: cython.double = self.sums[r + 1] * zero
        c: cython.double = self.sums[r + 2] * one
        d: cython.double = self.sums[r + 3] * one
        self.keep(
            v,
            self.sums[l] * a + self.sums[l + 1] * c,
            self.sums[l] * b + self.sums[l + 1] * d,
            self.sums[l + 2] * a + self.sums[l + 3] * c,
            self.sums[l + 2] * b + self.sums[l + 3] * d,
            self.sums[l + 4],
        )

    @cython.locals(at=cython.Py_ssize_t, left=cython.Py_ssize_t, i=cython.Py_ssize_t, more=cython.double)
    @cython.locals(odd=cython.double, gain=cython.double, rest0=cython.double, rest1=cython.double)
    def look(self) -> cython.void:
        """Weigh both labels at x: the matrices before x times those beyond it."""
        v: cython.Py_ssize_t = 0
        zero: cython.double = 1.0
        one: cython.double = 0.0
        rest0 = rest1 = 1.0
        self.locate()
        for i in range(1, self.depth + 1):
            left = self.child[v]
            v = self.way[i]
            if v != left:
                at = left * STRIDE
                zero, one = zero * self.sums[at + 5], one * self.sums[at + 6]
                more = zero * self.sums[at] + one * self.sums[at + 2]
                one = zero * self.sums[at + 1] + one * self.sums[at + 3]
                zero, one = more / (more + one), one / (more + one)
            else:
                at = (left + 1) * STRIDE
                more = (self.sums[at] * rest0 + self.sums[at + 1] * rest1) * self.sums[at + 5]
                rest1 = (self.sums[at + 2] * rest0 + self.sums[at + 3] * rest1) * self.sums[at + 6]
                # A row that is negligible next to the other stays negligible, because a gap follows on its left.
                rest0, rest1 = more / (more + rest1), rest1 / (more + rest1)
        for i in range(self.bucket * UNIT, self.at):
            gain = self.gain[i]
            if gain >= 0.0:
                zero = zero * self.shrunk(gain)
            else:
                one = one * self.shrunk(-gain)
            odd = self.flip(self.mass[i])
            more = zero * (1.0 - odd) + one * odd
            one = zero * odd + one * (1.0 - odd)
            zero, one = more / (more + one), one / (more + one)
        i = self.bucket * UNIT + self.counts[self.bucket] - 1
        while i >= self.at:
            odd = self.flip(self.mass0 if self.cut and i == self.at else self.mass[i])
            more = rest0 * (1.0 - odd) + rest1 * odd
            rest1 = rest0 * odd + rest1 * (1.0 - odd)
            rest0, rest1 = more / (more + rest1), rest1 / (more + rest1)
            if i > self.at:
                gain = self.gain[i]
                if gain >= 0.0:
                    rest0 = rest0 * self.shrunk(gain)
                else:
                    rest1 = rest1 * self.shrunk(-gain)
            i -= 1
        # The point of the slot: if x is new, a gap follows it; else it is x, and its odds may exceed the range of
        # doubles.
        gain = self.gain[self.at]
        if self.cut:
            if gain >= 0.0:
                zero = zero * self.shrunk(gain)
            else:
                one = one * self.shrunk(-gain)
            odd = self.flip(self.mass1)
            zero, one = zero * (1.0 - odd) + one * odd, zero * odd + one * (1.0 - odd)
            gain = 0.0
        self.log_odds = self.eta * gain + log(one / zero) + log(rest1 / rest0)
        self.p = 1.0 / (1.0 + exp(-self.log_odds)) if self.log_odds > -700.0 else exp(self.log_odds)

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Add x, which was looked at before, and charge the labellings that are wrong there."""
        wrong: cython.double = -self.log_odds if label else self.log_odds
        self.log_weight += softplus(wrong - self.eta * cost) - softplus(wrong)
        LineTree.take(self, label, cost)

    def rebuild(self) -> cython.void:
        """Recompute the sums that depend on the rate."""
        LineTree.rebuild(self)
        loss, _, log_total, _ = self.probable()
        self.log_weight = log_total - self.eta * loss

    # --- Account -----------------------------------------------------------------------------------

    def least(self) -> cython.double:
        """Return the mix loss of all labellings, -ln (sum of mass times e^(-eta loss)) / eta."""
        return -self.log_weight / self.eta if self.eta > 0.0 else 0.0

    def log_total(self) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - least)): 0, because ``least`` is the mix loss."""
        return 0.0

    def count(self) -> cython.longlong:
        """Return the number of labellings of m points, 2^m; 2^61 stands for that number or more."""
        one: cython.longlong = 1
        return one << min(self.cells - 1, 61)

    @cython.locals(i=cython.Py_ssize_t, s=cython.Py_ssize_t, bucket=cython.Py_ssize_t, from0=cython.bint)
    @cython.locals(from1=cython.bint, loss1=cython.double, log0=cython.double, one=cython.double, scale=cython.double)
    def probable(self) -> tuple[float, float, float, bytes]:
        """Find the most probable labelling, with the largest mass times e^(-eta loss), by a scan of the slots.

        Returns its loss, ln of its prior mass, ln of the sum of prior mass times e^(-eta (loss - its loss)), and the
        labels of the points from left to right.
        """
        n: cython.Py_ssize_t = 0
        found: cython.Py_ssize_t = self.list_nodes(0)
        odd: cython.double = 0.0
        loss0: cython.double = 0.0  # by last label: excess loss over memorising, ln of the mass
        loss1 = log0 = 0.0
        log1: cython.double = -1e300
        zero: cython.double = 1.0  # the sum over all labellings, (zero, one) e^scale
        one = scale = 0.0
        least: cython.double = self.zeros
        came: Any = bytearray(2 * self.cells)  # the previous point has the other label
        for i in range(found):
            if self.child[self.order[i]] >= 0:
                continue
            bucket = -1 - self.child[self.order[i]]
            for s in range(bucket * UNIT, bucket * UNIT + self.counts[bucket]):
                if n > 0:
                    flip, stay = log(odd), log1p(-odd)
                    from0 = log1 + flip - self.eta * loss1 > log0 + stay - self.eta * loss0
                    from1 = log0 + flip - self.eta * loss0 > log1 + stay - self.eta * loss1
                    came[2 * n], came[2 * n + 1] = from0, from1
                    kept = log0
                    log0 = log1 + flip if from0 else log0 + stay
                    log1 = kept + flip if from1 else log1 + stay
                    kept = loss0
                    loss0 = loss1 if from0 else loss0
                    loss1 = kept if from1 else loss1
                    kept = zero * (1.0 - odd) + one * odd
                    one = zero * odd + one * (1.0 - odd)
                    zero = kept
                gain = self.gain[s]
                if gain >= 0.0:
                    loss0 += gain
                    zero = zero * self.shrunk(gain)
                else:
                    loss1 -= gain
                    least += gain
                    one = one * self.shrunk(-gain)
                kept = zero + one
                zero, one, scale = zero / kept, one / kept, scale + log(kept)
                odd = self.flip(self.mass[s])
                n += 1
        label: cython.int = log1 - self.eta * loss1 > log0 - self.eta * loss0
        loss: cython.double = loss1 if label else loss0
        mass: cython.double = log1 if label else log0
        labels = bytearray(n - 1)
        for i in range(n - 1, 0, -1):
            labels[i - 1] = label
            label = label ^ came[2 * i + label]
        return least + loss, mass, scale + self.eta * loss, bytes(labels)
