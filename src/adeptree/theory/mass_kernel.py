"""The prior mass of a path, for kernels: the formulas of ``priors.py``, one path at a time.

The mass of a conserving prior (such as KT) depends on k, n and the share of the concepts. The paper's depends on the
round and on k only: W_t(k) is computed for all k once per round.
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, inf, log, log1p

NONE = cython.declare(cython.longlong, -(1 << 62))  # value of ``left`` while no round's masses are known


def log_plus(a: cython.double, b: cython.double) -> cython.double:
    """Return ln(e^a + e^b)."""
    if a < b:
        return b + log1p(exp(a - b))
    return a + log1p(exp(b - a)) if a > -inf else a


def sets_within(n: cython.longlong, most: cython.longlong) -> cython.longlong:
    """Return the number of sets of at most this many of n items; 2^61 if the count needs larger numbers.

    >>> sets_within(5, 2), sets_within(200, 100) == 2**61
    (16, True)
    """
    j: cython.longlong
    large: cython.longlong = 2305843009213693952
    term: cython.longlong = 1
    total: cython.longlong = 1
    for j in range(1, min(most, n) + 1):
        if cython.cast(cython.double, term) * (n - j + 1) > 4.6e18:  # the product must stay below 2^62
            return large
        term = term * (n - j + 1) // j
        total += term
        if total > large:
            return large
    return total


class Masses:
    """Prior masses of paths on which the base learner errs fewer than ``most`` times.

    A conserving prior is given by share and b of each part, and ``count_share``; the paper's by a horizon and a mistake
    bound.
    """

    def __init__(
        self,
        most: cython.Py_ssize_t,
        parts: Any,
        count_share: cython.double,
        horizon: cython.longlong = 0,
        bound: cython.longlong = -1,
    ) -> None:
        self.settled = bound < 0
        self.most = most
        self.parts, self.count_share = len(parts), count_share
        self.shares, self.betas = array("d", [share for share, _ in parts]), array("d", [b for _, b in parts])
        self.right, self.room = array("d"), 0
        self.horizon, self.bound, self.left = horizon, bound, NONE
        self.log_capacity = array("d", bytes(8 * most))  # ln W of the current round, by number of mistakes
        self.capacity = array("d", [1.0] * most)  # W scaled to maximum 1; all 1 for a conserving prior

    def reserve(self, n: cython.Py_ssize_t) -> cython.int:
        """Tabulate each part's mass after up to n contested rounds without a mistake."""
        i: cython.Py_ssize_t
        m: cython.Py_ssize_t
        room: cython.Py_ssize_t = 2 * n + 64
        mass: cython.double
        table: cython.double[::1]
        if self.settled and n >= self.room:
            table = array("d", bytes(8 * room * self.parts))
            for i in range(self.parts):
                mass = self.shares[i]
                for m in range(room):
                    table[i * room + m] = mass
                    mass = mass * ((m + self.betas[i]) / (m + 0.5 + self.betas[i]))
            self.right, self.room = table, room
        return 0

    def part(self, i: cython.Py_ssize_t, k: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.double:
        """Return the mass of one part after k mistakes in n contested rounds (their order does not matter)."""
        j: cython.Py_ssize_t
        m: cython.Py_ssize_t = n - k
        mass: cython.double = self.right[i * self.room + m]
        for j in range(1, k + 1):
            mass = mass * ((j - 0.5) / (m + j - 0.5 + self.betas[i]))
        return mass

    def log_mass(self, k: cython.Py_ssize_t, n: cython.Py_ssize_t, share: cython.double) -> cython.double:
        """Return ln of the mass after k mistakes in n contested rounds, given the share of the concepts."""
        i: cython.Py_ssize_t
        total: cython.double = self.count_share * share
        if not self.settled:
            return self.log_capacity[k]
        for i in range(self.parts):
            total += self.part(i, k, n)
        return log(total)

    def set_round(self, t: cython.longlong) -> cython.void:
        """Set W_t(k) = sum_{j <= M - k} C(T - t, j)."""
        n: cython.longlong = self.horizon - t  # past the horizon there is nothing to sum
        term: cython.double = 0.0
        total: cython.double = 0.0
        j: cython.longlong
        if self.settled or n == self.left:
            return
        self.left = NONE  # interpreted code may be interrupted below
        for j in range(self.most):
            self.log_capacity[j] = 0.0  # beyond M, reached only by predictions after the last round
        for j in range(self.bound + 1):
            if 0 < j <= n:
                term += log((n - j + 1.0) / j)
                total = log_plus(total, term)
            if self.bound - j < self.most:
                self.log_capacity[self.bound - j] = total
        for j in range(self.most):
            self.capacity[j] = exp(self.log_capacity[j] - self.log_capacity[0])
        self.left = n
