"""The prior mass of a path, for kernels: the formulas of ``priors.py``, one path at a time.

A mass of KT and its kin follows from k, n and the share of the concepts, and is looked up in sums of logarithms. The
paper's depends on the round and on k alone: W_t(k) is computed for all k once per round.
"""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.libc.math import INFINITY as inf
    from cython.cimports.libc.math import exp, log, log1p
else:
    from math import exp, inf, log, log1p


def log_plus(a: cython.double, b: cython.double) -> cython.double:
    """Return ln(e^a + e^b)."""
    if a < b:
        return b + log1p(exp(a - b))
    return a + log1p(exp(b - a)) if a > -inf else a


class Masses:
    """Masses of paths on which the base learner errs less than ``most`` times.

    Of a settled prior there are ``log_shares`` of its parts, ``count_share`` and ``tables(n)``, which returns their
    ``BetaTables``, n numbers long, one after the other; of the paper's, a horizon and a mistake bound.
    """

    def __init__(
        self,
        most: cython.Py_ssize_t,
        log_shares: Any,
        count_share: cython.double,
        tables: Any,
        horizon: cython.longlong = 0,
        bound: cython.longlong = -1,
    ) -> None:
        self.settled = bound < 0
        self.most = most
        self.log_shares, self.count_share, self.make_tables = array("d", log_shares), count_share, tables
        self.tables, self.length = array("d"), 0
        self.horizon, self.bound, self.left = horizon, bound, -1
        self.log_capacity = array("d", bytes(8 * most))  # ln W of the round last set, by number of mistakes,
        self.capacity = array("d", [1.0] * most)  # and W, the largest being 1; all 1 where masses are settled

    def reserve(self, n: cython.Py_ssize_t) -> cython.int:
        """Make ready for paths with up to n contested rounds."""
        if self.settled and n >= self.length:
            self.tables = memoryview(self.make_tables(2 * n + 64))
            self.length = 2 * n + 64
        return 0

    def log_mass(self, k: cython.Py_ssize_t, n: cython.Py_ssize_t, share: cython.double) -> cython.double:
        """Return ln of the mass after k mistakes in n contested rounds, given the share of the concepts."""
        j: cython.Py_ssize_t
        parts: cython.Py_ssize_t = len(self.log_shares)
        total: cython.double = -inf
        if not self.settled:
            return self.log_capacity[k]
        if self.count_share > 0.0:
            total = log(self.count_share * share)
        for j in range(parts):
            total = log_plus(
                total,
                self.log_shares[j]
                + (self.tables[k] + self.tables[(1 + j) * self.length + n - k])
                - self.tables[(1 + parts + j) * self.length + n],
            )
        return total

    def set_round(self, t: cython.longlong) -> cython.void:
        """Set W_t(k) = sum_{j <= M - k} C(T - t, j)."""
        n: cython.longlong = self.horizon - t  # (where it is over, there is nothing to sum)
        term: cython.double = 0.0
        total: cython.double = 0.0
        j: cython.longlong
        if self.settled or n == self.left:
            return
        self.left = n
        for j in range(self.most):
            self.log_capacity[j] = 0.0  # beyond M, where only a look after the last round gets
        for j in range(self.bound + 1):
            if 0 < j <= n:
                term += log((n - j + 1.0) / j)
                total = log_plus(total, term)
            if self.bound - j < self.most:
                self.log_capacity[self.bound - j] = total
        for j in range(self.most):
            self.capacity[j] = exp(self.log_capacity[j] - self.log_capacity[0])
