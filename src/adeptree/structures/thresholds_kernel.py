"""Thresholds without a list of paths: ADEPT's exact distribution in O(log t) per round (paper's prior: O(M log t)).

A path is a gap between neighbouring points. It errs on the 1s below it and on the 0s above it, so its loss is the
number of all 0s, plus the 1s minus 0s below it. A node holds the least loss of the gaps under it, as if its first point
were the first of all, and the sum of their prior mass times e^(-eta (loss - least)). It also holds the 1s minus 0s of
its points, which is added to the loss of all gaps to its right. With the paper's prior, whose masses change in every
round but depend only on k(v), there is one sum per k.
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import fabs, inf, log

    from adeptree.structures.line_tree_kernel import LineTree
    from adeptree.theory.mass_kernel import log_plus

UNIT = cython.declare(cython.Py_ssize_t, 4)
BUCKET = cython.declare(cython.Py_ssize_t, 32)
BASE = cython.declare(cython.Py_ssize_t, 2)  # large arrays begin 16 bytes into a page, so two nodes fill a cache line


class ThresholdsKernel(LineTree):
    """The tree of gaps; with the paper's prior, for a horizon of T rounds and mistake bound M."""

    # ``sums`` holds, per node, the least loss, 1s minus 0s, one sum per column, and the split.

    def __init__(
        self,
        floats: bool,
        first: cython.longlong,
        last: cython.longlong,
        shares: Any,
        betas: Any,
        count_share: float,
        horizon: cython.longlong = 0,
        mistakes: cython.longlong = -1,
    ) -> None:
        self.T, self.M = horizon, mistakes
        self.columns = mistakes + 1 if mistakes >= 0 else 1
        self.base, self.stride = BASE, 3 + self.columns
        self.row = array("d", [1.0] * (self.columns + 1))  # one more, because k may be M + 1 past the horizon
        self.sums, self.weight = array("d"), array("d", bytes(8 * BUCKET))
        LineTree.__init__(self, floats, first, last, shares, betas, count_share)

    @cython.locals(here=cython.double, i=cython.Py_ssize_t, k=cython.Py_ssize_t)
    def weigh_slots(self, first: cython.Py_ssize_t, count: cython.Py_ssize_t) -> cython.void:
        """Compute the weights of the gaps of a bucket."""
        gain: cython.double = 0.0
        least: cython.double = self.gain[first]
        most: cython.double = least
        i = 0
        while i + 1 < count:  # two sums at a time: shorter dependency chains
            here = gain + self.gain[first + i]
            gain += self.gain[first + i] + self.gain[first + i + 1]
            self.weight[i], self.weight[i + 1] = here, gain
            least = min(least, min(here, gain))
            most = max(most, max(here, gain))
            i += 2
        if i < count:
            gain += self.gain[first + i]
            self.weight[i] = gain
            least, most = min(least, gain), max(most, gain)
        self.low, self.over = least, gain
        if self.M < 0 and self.whole and most - least < self.table:
            for i in range(count):
                k = cython.cast(cython.Py_ssize_t, self.weight[i] - least)
                self.weight[i] = self.mass[first + i] * self.decay[k]
        elif self.M < 0:
            for i in range(count):
                self.weight[i] = self.mass[first + i] * self.shrunk(self.weight[i] - least)
        else:
            for i in range(count):
                self.weight[i] = self.shrunk(self.weight[i] - least)

    def sum_leaf(self, v: cython.Py_ssize_t) -> cython.void:
        """Sum up the gaps of a bucket."""
        first: cython.Py_ssize_t = (-1 - self.child[v]) * UNIT
        count: cython.Py_ssize_t = self.counts[-1 - self.child[v]]
        at: cython.Py_ssize_t = BASE + v * self.stride
        i: cython.Py_ssize_t
        self.weigh_slots(first, count)
        self.sums[at], self.sums[at + 1] = self.low, self.over
        if self.M < 0:
            self.sums[at + 2] = self.sum_slots(first, 0, count)
            return
        for i in range(at + 2, at + 2 + self.columns):
            self.sums[i] = 0.0
        for i in range(count):
            self.sums[at + 2 + self.wrong[first + i]] += self.weight[i]

    def sum_node(self, v: cython.Py_ssize_t) -> cython.void:
        """Sum up the children; the losses on the right are larger by the left child's 1s minus 0s."""
        at: cython.Py_ssize_t = BASE + v * self.stride
        left: cython.Py_ssize_t = BASE + self.child[v] * self.stride
        right: cython.Py_ssize_t = left + self.stride
        loss: cython.double = self.sums[left]
        other: cython.double = self.sums[right] + self.sums[left + 1]
        worse: cython.Py_ssize_t = loss > other  # without a branch, which would be mispredicted
        share: cython.double = self.shrunk(fabs(other - loss))
        better: cython.Py_ssize_t = left + worse * self.stride
        rest: cython.Py_ssize_t = right - worse * self.stride
        i: cython.Py_ssize_t
        self.sums[at] = loss if loss < other else other
        self.sums[at + 1] = self.sums[left + 1] + self.sums[right + 1]
        for i in range(2, 2 + self.columns):
            self.sums[at + i] = self.sums[better + i] + self.sums[rest + i] * share

    @cython.locals(left=cython.Py_ssize_t, worse=cython.Py_ssize_t, sums=cython.p_double, decay=cython.p_double)
    @cython.locals(loss=cython.double, other=cython.double, apart=cython.double, share=cython.double)
    def sum_way(self, depth: cython.Py_ssize_t) -> cython.void:
        """Apply ``sum_node`` up to the root. In a large tree this dominates a round, so each node is read once."""
        d: cython.Py_ssize_t = depth
        v: cython.Py_ssize_t = self.way[d]
        reach: cython.double = self.table if self.whole else -1.0
        if self.M >= 0:
            LineTree.sum_way(self, depth)
            return
        if cython.compiled:
            sums, decay = cython.address(self.sums[BASE]), cython.address(self.decay[0])
        else:
            sums, decay = memoryview(self.sums)[BASE:], self.decay
        while d > 0:
            d -= 1
            left = 4 * ((v - 1) | 1)  # of two siblings, the left one is odd
            v = self.way[d]
            loss, other = sums[left], sums[left + 4] + sums[left + 1]
            worse = loss > other
            apart = fabs(other - loss)
            share = decay[cython.cast(cython.Py_ssize_t, apart)] if apart < reach else self.shrunk(apart)
            sums[4 * v] = loss if loss < other else other
            sums[4 * v + 1] = sums[left + 1] + sums[left + 5]
            sums[4 * v + 2] = sums[left + 2 + 4 * worse] + sums[left + 6 - 4 * worse] * share

    def weigh(self, v: cython.Py_ssize_t) -> cython.double:
        """Return the weight of the gaps under a node, relative to its least loss."""
        at: cython.Py_ssize_t = BASE + v * self.stride + 2
        total: cython.double = 0.0
        if self.M < 0:
            return self.sums[at]
        for i in range(self.columns):
            total += self.row[i] * self.sums[at + i]
        return total

    def fill_row(self) -> cython.void:
        """Set ``row[k]`` to W(k) = sum_{j <= M - k} C(n, j), up to a factor; n rounds follow the current one."""
        n: cython.longlong = max(0, self.T - self.ledger.answered - self.ahead)
        m: cython.longlong = min(self.M, n)
        term: cython.double = 1.0
        # C(n, j) / C(n, m), from j = m down; then summed from j = 0 up, all terms being positive.
        j = m
        while j >= 0:
            self.row[self.M - j] = term
            term = term * j / (n - j + 1)
            j -= 1
        j = 1
        while j <= m:
            self.row[self.M - j] += self.row[self.M - j + 1]
            j += 1
        while j <= self.M:  # a number of mistakes above the rounds left adds nothing
            self.row[self.M - j] = self.row[self.M - m]
            j += 1

    def sum_slots(self, first: cython.Py_ssize_t, begin: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.double:
        """Return the weight of a range of gaps of the weighed bucket, as two independent sums."""
        i: cython.Py_ssize_t = begin
        total = other = 0.0
        if self.M < 0:
            while i + 1 < end:
                total += self.weight[i]
                other += self.weight[i + 1]
                i += 2
            return total + other + (self.weight[i] if i < end else 0.0)
        for i in range(begin, end):
            total += self.weight[i] * self.row[self.wrong[first + i]]
        return total

    @cython.locals(i=cython.Py_ssize_t, left=cython.Py_ssize_t, right=cython.Py_ssize_t)
    @cython.locals(over=cython.double, loss=cython.double, weight=cython.double)
    def look(self) -> cython.void:
        """Compute the odds, relative to the best gap: gaps below x predict 1 there, gaps above it 0."""
        v: cython.Py_ssize_t = self.root
        d: cython.Py_ssize_t = 0
        # The loss of a subtree's gaps on points to its left, minus L*.
        lost: cython.double = -self.sums[BASE + v * self.stride]
        far: cython.double = max(self.nothing, cython.cast(cython.double, self.table))
        one: cython.double = 0.0
        zero: cython.double = 0.0
        share: cython.double = 1.0
        if self.M >= 0:
            self.fill_row()
        self.locate()
        # The siblings on the path down, while the next node has weight above 0 (the direction of the path is not a
        # branch, which would be mispredicted half of the time),
        while d < self.depth and lost + self.sums[BASE + v * self.stride] <= far:
            left = self.child[v]
            i = BASE + left * self.stride
            d += 1
            v = self.way[d]
            right = v - left
            over = self.sums[i + 1]
            loss = lost + (1 - right) * over + self.sums[i + (1 - right) * self.stride]
            weight = self.weigh(left + 1 - right) * self.shrunk(loss)
            one += right * weight
            zero += (1 - right) * weight
            lost += right * over
        # then the bucket of x, whose weights are relative to its own least loss.
        if lost + self.sums[BASE + v * self.stride] > far:
            self.p = one / (one + zero)
            return
        share = self.shrunk(lost + self.sums[BASE + v * self.stride])
        left, i = self.bucket * UNIT, self.counts[self.bucket]
        self.weigh_slots(left, i)
        one += share * self.sum_slots(left, 0, self.at - left)
        zero += share * self.sum_slots(left, self.at - left + 1, i)
        here = share * self.weight[self.at - left]
        i = self.wrong[self.at]
        if self.M >= 0 and self.cut:
            one += here * self.row[i + 1 - self.guess]
            zero += here * self.row[i + self.guess]
        elif self.M >= 0:
            zero += here * self.row[i]
        elif self.cut:
            here = here / self.mass[self.at]
            one += here * self.mass1
            zero += here * self.mass0
        else:
            zero += here
        self.p = one / (one + zero)

    @cython.locals(d=cython.Py_ssize_t, i=cython.Py_ssize_t, left=cython.Py_ssize_t)
    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1 at x, exact even if one side is negligible."""
        v: cython.Py_ssize_t = self.root
        # Relative to L*, because rate times loss may have too few digits.
        lost: cython.double = -self.sums[BASE + v * self.stride]
        one: cython.double = -inf
        zero: cython.double = -inf
        for d in range(1, self.depth + 1):
            left = self.child[v]
            v = self.way[d]
            if v != left:
                one = log_plus(one, log(self.weigh(left)) - self.eta * (lost + self.sums[BASE + left * self.stride]))
                lost += self.sums[BASE + left * self.stride + 1]
            else:
                loss = lost + self.sums[BASE + left * self.stride + 1] + self.sums[BASE + (left + 1) * self.stride]
                zero = log_plus(zero, log(self.weigh(left + 1)) - self.eta * loss)
        for i in range(self.bucket * UNIT, self.bucket * UNIT + self.counts[self.bucket]):
            lost += self.gain[i]
            if i < self.at:
                one = log_plus(one, log(self.mass[i] if self.M < 0 else self.row[self.wrong[i]]) - self.eta * lost)
            elif i > self.at or not self.cut:
                zero = log_plus(zero, log(self.mass[i] if self.M < 0 else self.row[self.wrong[i]]) - self.eta * lost)
            elif self.M < 0:
                one = log_plus(one, log(self.mass1) - self.eta * lost)
                zero = log_plus(zero, log(self.mass0) - self.eta * lost)
            else:
                one = log_plus(one, log(self.row[self.wrong[i] + 1 - self.guess]) - self.eta * lost)
                zero = log_plus(zero, log(self.row[self.wrong[i] + self.guess]) - self.eta * lost)
        return one - zero

    def least(self) -> cython.double:
        """L*: the least loss of a gap."""
        return self.zeros + self.sums[BASE + self.root * self.stride]

    def log_total(self) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - L*)); NaN with the paper's prior."""
        return log(self.sums[BASE + self.root * self.stride + 2]) if self.M < 0 else inf - inf

    def count(self) -> cython.longlong:
        """Return the number of gaps."""
        return self.cells

    def heavier(self, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.bint:
        """Return True if a gap has more prior mass than another."""
        return self.mass[i] > self.mass[j] if self.M < 0 else self.wrong[i] < self.wrong[j]

    def floor(self, v: cython.Py_ssize_t, falls: cython.bint) -> cython.double:
        """Return the least loss under a node, as if its first point were the first of all."""
        return inf if falls else self.sums[BASE + v * self.stride]

    def over_of(self, v: cython.Py_ssize_t) -> cython.double:
        """Return the 1s minus 0s under a node."""
        return self.sums[BASE + v * self.stride + 1]
