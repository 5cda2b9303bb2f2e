"""Intervals, exactly, in O(log t) per round: the case of two cuts of ``cuts_kernel.py``, written out.

A node (a stretch of the line) holds ``gain``, the 1s minus 0s of its points, and three pairs of a least loss and a
weight, the sum of mass times e^(-eta (loss - least)): for a cut in it where 1s begin (``up``), a cut where they end
(``down``), and both (``both``). Losses are relative to predicting 1 everywhere, so a stretch of 1s costs 0 and a
stretch of 0s costs its gain.
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, log

    from adeptree.structures.cuts_kernel import CutTree

UNIT = cython.declare(cython.Py_ssize_t, 4)
NONE = cython.declare(cython.double, 1e300)  # least loss of an empty set
UP = cython.declare(cython.Py_ssize_t, 1)
DOWN = cython.declare(cython.Py_ssize_t, 3)
BOTH = cython.declare(cython.Py_ssize_t, 5)
STRIDE = cython.declare(cython.Py_ssize_t, 8)


class IntervalsKernel(CutTree):
    """The tree of pairs."""

    def __init__(self, measure: Any) -> None:
        self.sums, self.base, self.stride = array("d"), 0, STRIDE
        CutTree.__init__(self, measure, 2)

    @cython.locals(i=cython.Py_ssize_t, mass=cython.double)
    def sum_leaf(self, v: cython.Py_ssize_t) -> cython.void:
        """Sum the slots of a bucket: charge each slot at its point, and place cuts in its gap."""
        first: cython.Py_ssize_t = (-1 - self.child[v]) * UNIT
        at: cython.Py_ssize_t = v * STRIDE
        rising: cython.double[5] = [0.0, NONE, 0.0, NONE, 0.0]  # no cut so far, then ``up``, then ``both``
        down: cython.double[2] = [NONE, 0.0]
        for i in range(first, first + self.counts[-1 - self.child[v]]):
            charge(rising, self.gain[i])
            down[0] += self.gain[i]
            mass = sized(self, self.mass[i])
            put(self, rising, mass)
            join(self, down, 0, 0.0, mass)
        self.sums[at] = rising[0]
        self.sums[at + UP], self.sums[at + UP + 1] = rising[1], rising[2]
        self.sums[at + DOWN], self.sums[at + DOWN + 1] = down[0], down[1]
        self.sums[at + BOTH], self.sums[at + BOTH + 1] = rising[3], rising[4]

    def sum_node(self, v: cython.Py_ssize_t) -> cython.void:
        """Combine the two children."""
        at: cython.Py_ssize_t = v * STRIDE
        l: cython.Py_ssize_t = self.child[v] * STRIDE  # noqa: E741
        r: cython.Py_ssize_t = l + STRIDE
        before: cython.double = self.sums[l]
        beyond: cython.double = self.sums[r]
        up: cython.double[2] = [self.sums[l + UP], self.sums[l + UP + 1]]
        down: cython.double[2] = [self.sums[l + DOWN] + beyond, self.sums[l + DOWN + 1]]
        both: cython.double[2] = [self.sums[l + BOTH] + beyond, self.sums[l + BOTH + 1]]
        join(self, both, 0, before + self.sums[r + BOTH], self.sums[r + BOTH + 1])
        join(self, both, 0, up[0] + self.sums[r + DOWN], up[1] * self.sums[r + DOWN + 1])
        join(self, up, 0, before + self.sums[r + UP], self.sums[r + UP + 1])
        join(self, down, 0, self.sums[r + DOWN], self.sums[r + DOWN + 1])
        self.sums[at] = before + beyond
        self.sums[at + UP], self.sums[at + UP + 1] = up[0], up[1]
        self.sums[at + DOWN], self.sums[at + DOWN + 1] = down[0], down[1]
        self.sums[at + BOTH], self.sums[at + BOTH + 1] = both[0], both[1]

    @cython.locals(left=cython.Py_ssize_t, i=cython.Py_ssize_t)
    def look(self) -> cython.void:
        """Weigh both labels at x: entries before x with 0, 1 or 2 cuts, times entries beyond x with the rest."""
        v: cython.Py_ssize_t = 0
        near: cython.double[5] = [0.0, NONE, 0.0, NONE, 0.0]
        far: cython.double[5] = [0.0, NONE, 0.0, NONE, 0.0]
        self.locate()
        for i in range(1, self.depth + 1):
            left = self.child[v]
            v = self.way[i]
            if v != left:
                follow(self, near, left * STRIDE, UP, DOWN)
            else:
                follow(self, far, (left + 1) * STRIDE, DOWN, UP)
        for i in range(self.bucket * UNIT, self.at + 1):
            charge(near, self.gain[i])
            if i < self.at or self.cut:
                put(self, near, sized(self, self.mass[i] if i < self.at else self.mass1))
        i = self.bucket * UNIT + self.counts[self.bucket] - 1
        while i >= self.at:
            put(self, far, sized(self, self.mass0 if self.cut and i == self.at else self.mass[i]))
            if i > self.at:
                charge(far, self.gain[i])
            i -= 1
        # One cut before x and one beyond predict 1. Two on one side predict 0.
        self.loss1, self.weight1 = near[1] + far[1], near[2] * far[2]
        near[3] += far[0]
        join(self, near, 3, near[0] + far[3], far[4])
        self.loss0, self.weight0 = near[3], near[4]
        one: cython.double[2] = [self.loss0, 0.0]
        whole: cython.double[2] = [self.loss1, self.weight1]
        join(self, one, 0, self.loss1, self.weight1)
        join(self, whole, 0, self.loss0, self.weight0)
        self.p = one[1] / whole[1]

    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1 at x, exact even if one side is negligible."""
        return log(self.weight1) - log(self.weight0) + self.eta * (self.loss0 - self.loss1)

    def least(self) -> cython.double:
        """L*: the least loss of an interval."""
        return self.zeros + self.sums[BOTH]

    def count(self) -> cython.longlong:
        """Return the number of labellings: the empty one, and one for every pair of ends."""
        m: cython.longlong = self.cells - 1
        return 1 + m * (m + 1) // 2

    def top(self) -> cython.double:
        """Return the weight of all ways to place two cuts, relative to the best."""
        return self.sums[BOTH + 1]


# --- One side of x: the loss without a cut, then the pairs of one cut and of two ---------------------


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def join(
    line: IntervalsKernel, side: cython.p_double, at: cython.Py_ssize_t, loss: cython.double, weight: cython.double
) -> cython.void:
    """Add ways of this loss and weight to a pair, whose weight is relative to the lesser loss."""
    apart: cython.double = loss - side[at]
    far: cython.double = -apart if apart < 0.0 else apart
    i: cython.Py_ssize_t
    if line.whole and far < line.table:
        i = cython.cast(cython.Py_ssize_t, far)
        far = line.decay[i]
    else:
        far = 0.0 if far > line.nothing else exp(-line.eta * far)
    side[at + 1] = side[at + 1] * far + weight if apart < 0.0 else side[at + 1] + weight * far
    side[at] = loss if apart < 0.0 else side[at]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def charge(side: cython.p_double, gain: cython.double) -> cython.void:
    """Charge the ways that predict 0 at a point."""
    side[0] += gain
    side[3] += gain


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def put(line: IntervalsKernel, side: cython.p_double, mass: cython.double) -> cython.void:
    """Place cuts in a gap: the second one, both, or the first one."""
    join(line, side, 3, side[1], side[2] * mass)
    join(line, side, 3, side[0], 0.5 * mass * mass)
    join(line, side, 1, side[0], mass)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def follow(
    line: IntervalsKernel, side: cython.p_double, at: cython.Py_ssize_t, up: cython.Py_ssize_t, down: cython.Py_ssize_t
) -> cython.void:
    """Extend a side by a node; on the far side, ``up`` and ``down`` are exchanged."""
    side[3] += line.sums[at]
    join(line, side, 3, side[1] + line.sums[at + down], side[2] * line.sums[at + down + 1])
    join(line, side, 3, side[0] + line.sums[at + BOTH], line.sums[at + BOTH + 1])
    join(line, side, 1, side[0] + line.sums[at + up], line.sums[at + up + 1])
    side[0] += line.sums[at]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def sized(line: IntervalsKernel, mass: cython.double) -> cython.double:
    """Return the scaled mass of a gap; a fast form of ``scaled`` for inner loops."""
    return (mass if mass > line.lowest else line.lowest) * line.unit
