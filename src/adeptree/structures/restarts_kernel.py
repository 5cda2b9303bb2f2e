"""Restarts: fixed share for any structure, through copies that begin in different rounds.

After each charged round t an empty copy begins, with the share 1/(t + 1) of the total weight. Expired copies are
removed (``docs/theory/drift.md``, Theorem 3). The first copy never expires.
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, expm1, inf, log, log1p

    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.structures.mixture_kernel import MixtureKernel

from adeptree.theory.sharing import last_round

MOST = 66  # most copies at a time: the first, and one per power of 2


class RestartsKernel(MixtureKernel):
    """Copies of a structure; the first is an argument, and ``make(eta)`` returns the engine of a new one.

    ``log_share`` holds ln of the weights of the copies, whose sum is at most 1.
    """

    def __init__(self, first: Any, make: Any) -> None:
        MixtureKernel.__init__(self, [first.kernel], [], [], [], None)
        self.log_share = self.weight = array("d", bytes(8 * MOST))
        self.make, self.fresh, self.engines, self.births, self.clock = make, None, [first], [0], 0
        self.ends, self.end_of_fresh = [inf], inf
        self.log_z = 0.0

    def place(self, x: object) -> cython.bint:
        """Make x the current point of every copy."""
        i: cython.Py_ssize_t
        for i in range(len(self.parts)):
            if not cython.cast(RoundKernel, self.parts[i]).place(x):
                return False
        self.arrive()
        return True

    def place_at(self, i: cython.Py_ssize_t) -> cython.int:
        """Make the i-th point of the batch the current one in every existing copy."""
        return RoundKernel.place_at(self, i)

    def quick(self, x: object) -> cython.bint:
        """Return False: the learner checks every point."""
        return False

    def weigh(self) -> cython.double:
        """Return ln of the largest weight."""
        top: cython.double = -inf
        for i in range(len(self.parts)):
            top = max(top, self.weight[i])
        return top

    def spell(self) -> cython.void:
        """Set the word to that of the first copy."""
        part: RoundKernel = cython.cast(RoundKernel, self.parts[0])
        part.spell()
        self.word = part.word

    def reserve(self) -> cython.int:
        """Allocate room in every copy, and create the next one."""
        MixtureKernel.reserve(self)
        if self.fresh is None or self.fresh.rate != self.eta:
            self.fresh, self.end_of_fresh = self.make(self.eta), last_round(self.clock + 1)
        return 0

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Add the point, charge every copy its mix loss, and restart."""
        i: cython.Py_ssize_t
        kept: cython.Py_ssize_t = 0
        part: RoundKernel
        whole: cython.double = 0.0
        self.log_z += log1p((1.0 - self.p if label else self.p) * expm1(-self.eta * cost))
        for i in range(len(self.parts)):
            part = cython.cast(RoundKernel, self.parts[i])
            self.weight[i] += log1p((1.0 - part.p if label else part.p) * expm1(-self.eta * cost))
            whole += exp(self.weight[i])
            part.take(label, cost)  # with late labels the point may be new to the copy
            part.seen = part.known = False
        if cost <= 0.0:
            return
        self.clock += 1
        whole = log(whole) + log1p(1.0 / self.clock)
        for i in range(len(self.parts)):
            if cython.cast(cython.double, self.ends[i]) > self.clock:
                self.weight[kept] = self.weight[i] - whole
                self.births[kept], self.engines[kept], self.ends[kept] = self.births[i], self.engines[i], self.ends[i]
                kept += 1
        self.weight[kept] = -log(self.clock + 1.0)
        self.births[kept:], self.engines[kept:], self.ends[kept:] = [self.clock], [self.fresh], [self.end_of_fresh]
        self.parts, self.fresh = [engine.kernel for engine in self.engines], None

    def least(self) -> cython.double:
        """L*: the least loss of a rule over all rounds."""
        return cython.cast(RoundKernel, self.parts[0]).least()

    def log_total(self) -> cython.double:
        """Return minus the mix losses so far, times the rate, relative to L*, so that Hedge can combine learners."""
        return self.log_z + self.eta * self.least()

    def count(self) -> cython.longlong:
        """Return the number of rules."""
        return cython.cast(RoundKernel, self.parts[0]).count()

    def resume(self, engines: list[Any], births: list[int], log_share: Any, clock: int, log_z: float) -> None:
        """Restore checked copies."""
        self.log_z = log_z
        self.engines, self.births, self.clock = engines, births, clock
        self.ends = [last_round(birth) for birth in births]
        self.parts = [engine.kernel for engine in engines]
        self.log_share = self.weight = array("d", [*log_share, *[0.0] * MOST])
        self.seen = self.known = False
