"""Intervals, exactly, in O(log t) per round: the rules with two cuts of ``cuts_kernel.py``, written out.

Of a stretch of the line (a node) a tree keeps the 1s minus 0s of its points, ``gain``, and three pairs of a least loss
and a weight, mass times e^(-eta (loss - least)): of a cut in it where 1s begin (``up``), of a cut where they end
(``down``), and of both (``both``). Losses are relative to saying 1 everywhere, so a stretch of 1s costs nothing and one
of 0s its gain.
"""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.adeptree._compiled.cut_tree_kernel import CutTree
    from cython.cimports.libc.math import exp, log
else:
    from math import exp, log

    from adeptree.families.line.cut_tree_kernel import CutTree

UNIT = cython.declare(cython.Py_ssize_t, 4)
NONE = cython.declare(cython.double, 1e300)  # the least loss of nothing
GAIN = cython.declare(cython.Py_ssize_t, 0)
UP = cython.declare(cython.Py_ssize_t, 1)
DOWN = cython.declare(cython.Py_ssize_t, 3)
BOTH = cython.declare(cython.Py_ssize_t, 5)
STRIDE = cython.declare(cython.Py_ssize_t, 8)


@cython.final
@cython.cclass
class IntervalsKernel(CutTree):
    """The tree of pairs."""

    # What lies before x, by cuts so far; what lies beyond it, by cuts before it; and the labels at x.
    loss0: cython.double
    weight0: cython.double
    loss1: cython.double
    weight1: cython.double

    def __init__(self, measure: Any) -> None:
        self.sums, self.base, self.stride = array("d"), 0, STRIDE
        CutTree.__init__(self, measure, 2)

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def joined(
        self, loss: cython.double, weight: cython.double, other: cython.double, more: cython.double
    ) -> cython.double:
        """Return the weight of two pairs together, relative to the lesser loss."""
        apart: cython.double = other - loss
        far: cython.double = -apart if apart < 0.0 else apart
        i: cython.Py_ssize_t
        if self.whole and far < self.table:
            i = cython.cast(cython.Py_ssize_t, far)
            far = self.decay[i]
        else:
            far = 0.0 if far > self.nothing else exp(-self.eta * far)
        return weight * far + more if apart < 0.0 else weight + more * far

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def sized(self, mass: cython.double) -> cython.double:
        """Return the mass of a gap as it is multiplied (``scaled``, called in every slot)."""
        return (mass if mass > self.lowest else self.lowest) * self.unit

    @cython.cfunc
    @cython.exceptval(check=False)
    def sum_leaf(self, v: cython.Py_ssize_t) -> cython.void:
        """Go through the slots of a bucket: at its point a slot is charged, in its gap cuts are placed."""
        first: cython.Py_ssize_t = (-1 - self.child[v]) * UNIT
        i: cython.Py_ssize_t
        gain: cython.double = 0.0
        mass: cython.double
        up: cython.double = NONE
        ups: cython.double = 0.0
        down: cython.double = NONE
        downs: cython.double = 0.0
        both: cython.double = NONE
        boths: cython.double = 0.0
        for i in range(first, first + self.counts[-1 - self.child[v]]):
            gain += self.gain[i]
            down += self.gain[i]
            both += self.gain[i]
            mass = self.sized(self.mass[i])
            # One cut was before and one is here; or both are here.
            boths = self.joined(both, boths, up, ups * mass)
            both = up if up < both else both
            boths = self.joined(both, boths, gain, 0.5 * mass * mass)
            both = gain if gain < both else both
            ups = self.joined(up, ups, gain, mass)
            up = gain if gain < up else up
            downs = self.joined(down, downs, 0.0, mass)
            down = down if down < 0.0 else 0.0
        i = v * STRIDE
        self.sums[i] = gain
        self.sums[i + 1], self.sums[i + 2] = up, ups
        self.sums[i + 3], self.sums[i + 4] = down, downs
        self.sums[i + 5], self.sums[i + 6] = both, boths

    @cython.cfunc
    @cython.exceptval(check=False)
    def sum_node(self, v: cython.Py_ssize_t) -> cython.void:
        """Put the two children together."""
        at: cython.Py_ssize_t = v * STRIDE
        left: cython.Py_ssize_t = self.child[v] * STRIDE
        right: cython.Py_ssize_t = left + STRIDE
        before: cython.double = self.sums[left]
        beyond: cython.double = self.sums[right]
        mine: cython.double = self.sums[left + UP]
        other: cython.double = before + self.sums[right + UP]
        self.sums[at + UP + 1] = self.joined(mine, self.sums[left + UP + 1], other, self.sums[right + UP + 1])
        self.sums[at + UP] = mine if mine < other else other
        mine, other = self.sums[left + DOWN] + beyond, self.sums[right + DOWN]
        self.sums[at + DOWN + 1] = self.joined(mine, self.sums[left + DOWN + 1], other, self.sums[right + DOWN + 1])
        self.sums[at + DOWN] = mine if mine < other else other
        mine, other = self.sums[left + BOTH] + beyond, before + self.sums[right + BOTH]
        weight: cython.double = self.joined(mine, self.sums[left + BOTH + 1], other, self.sums[right + BOTH + 1])
        mine = mine if mine < other else other
        other = self.sums[left + UP] + self.sums[right + DOWN]
        self.sums[at + BOTH + 1] = self.joined(
            mine, weight, other, self.sums[left + UP + 1] * self.sums[right + DOWN + 1]
        )
        self.sums[at + BOTH] = mine if mine < other else other
        self.sums[at + GAIN] = before + beyond

    @cython.cfunc
    @cython.exceptval(check=False)
    def look(self) -> cython.void:
        """Weigh both labels at x: what lies before x, by its 0, 1 or 2 cuts, times what lies beyond with the rest."""
        v: cython.Py_ssize_t = 0
        at: cython.Py_ssize_t
        left: cython.Py_ssize_t
        i: cython.Py_ssize_t
        mass: cython.double
        loss: cython.double
        # Before x: no cut (it weighs 1), one, two. Beyond x: no cut (it weighs 1), one, two.
        a0: cython.double = 0.0
        a1: cython.double = NONE
        u1: cython.double = 0.0
        a2: cython.double = NONE
        u2: cython.double = 0.0
        b0: cython.double = 0.0
        b1: cython.double = NONE
        w1: cython.double = 0.0
        b2: cython.double = NONE
        w2: cython.double = 0.0
        self.locate()
        for i in range(1, self.depth + 1):
            left = self.child[v]
            v = self.way[i]
            if v != left:
                at = left * STRIDE
                a2 += self.sums[at]
                loss = a1 + self.sums[at + DOWN]
                u2 = self.joined(a2, u2, loss, u1 * self.sums[at + DOWN + 1])
                a2 = loss if loss < a2 else a2
                loss = a0 + self.sums[at + BOTH]
                u2 = self.joined(a2, u2, loss, self.sums[at + BOTH + 1])
                a2 = loss if loss < a2 else a2
                loss = a0 + self.sums[at + UP]
                u1 = self.joined(a1, u1, loss, self.sums[at + UP + 1])
                a1 = loss if loss < a1 else a1
                a0 += self.sums[at]
            else:
                at = (left + 1) * STRIDE
                b2 += self.sums[at]
                loss = b1 + self.sums[at + UP]
                w2 = self.joined(b2, w2, loss, w1 * self.sums[at + UP + 1])
                b2 = loss if loss < b2 else b2
                loss = b0 + self.sums[at + BOTH]
                w2 = self.joined(b2, w2, loss, self.sums[at + BOTH + 1])
                b2 = loss if loss < b2 else b2
                loss = b0 + self.sums[at + DOWN]
                w1 = self.joined(b1, w1, loss, self.sums[at + DOWN + 1])
                b1 = loss if loss < b1 else b1
                b0 += self.sums[at]
        for i in range(self.bucket * UNIT, self.at + 1):
            a0 += self.gain[i]
            a2 += self.gain[i]
            if i < self.at or self.cut:
                mass = self.sized(self.mass[i] if i < self.at else self.mass1)
                u2 = self.joined(a2, u2, a1, u1 * mass)
                a2 = a1 if a1 < a2 else a2
                u2 = self.joined(a2, u2, a0, 0.5 * mass * mass)
                a2 = a0 if a0 < a2 else a2
                u1 = self.joined(a1, u1, a0, mass)
                a1 = a0 if a0 < a1 else a1
        i = self.bucket * UNIT + self.counts[self.bucket] - 1
        while i >= self.at:
            mass = self.sized(self.mass0 if self.cut and i == self.at else self.mass[i])
            w2 = self.joined(b2, w2, b1, w1 * mass)
            b2 = b1 if b1 < b2 else b2
            w2 = self.joined(b2, w2, b0, 0.5 * mass * mass)
            b2 = b0 if b0 < b2 else b2
            w1 = self.joined(b1, w1, b0, mass)
            b1 = b0 if b0 < b1 else b1
            if i > self.at:
                b0 += self.gain[i]
                b2 += self.gain[i]
            i -= 1
        # One cut before and one beyond: 1. Two and none, or none and two: 0.
        self.loss1, self.weight1 = a1 + b1, u1 * w1
        a2, b2 = a2 + b0, a0 + b2
        self.weight0 = self.joined(a2, u2, b2, w2)
        self.loss0 = a2 if a2 < b2 else b2
        loss = self.loss0 - self.loss1
        mass = self.joined(0.0, 0.0, self.loss1 - self.loss0, self.weight1) if loss < 0.0 else self.weight1
        self.p = mass / self.joined(self.loss1, self.weight1, self.loss0, self.weight0)

    @cython.ccall
    @cython.exceptval(check=False)
    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1 at x, right also where one side is nothing beside the other."""
        return log(self.weight1) - log(self.weight0) + self.eta * (self.loss0 - self.loss1)

    @cython.ccall
    @cython.exceptval(check=False)
    def least(self) -> cython.double:
        """L*: the least loss of an interval."""
        return self.zeros + self.sums[BOTH]

    @cython.cfunc
    @cython.exceptval(check=False)
    def top(self) -> cython.double:
        """Return the weight of all ways to place two cuts, relative to the best."""
        return self.sums[BOTH + 1]
