"""Two levels: a learner for all rows, a learner per segment, each at a rate of its own, and Hedge over the two.

The two parts are a structure for all rows and the structures of the segments. Each of these has its own adaptive rate,
as ``Adaptive`` of ``learners/rates.py`` has it, and its own excess: its loss as answered minus its mix loss as settled.
The rate of the kernel is that of Hedge, whose two experts are "follow this part" (``docs/theory/decide.md``, Segments).
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, inf, log, log2

    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.structures.mixture_kernel import MixtureKernel
    from adeptree.structures.segments_kernel import SegmentsKernel
    from adeptree.theory.ledger_kernel import mixability_gap

OWN = cython.declare(cython.Py_ssize_t, 5)  # numbers of a part: rate, kappa, excess, rounds, rate of the last round
FIRST = cython.declare(cython.double, 4.0)  # the first rate, in units of 1 / W
KAPPA = cython.declare(cython.double, 2.0)
GRID = cython.declare(cython.double, 1.05)
STEPS = cython.declare(cython.double, 8.0)  # prices that are given per doubling of the rounds


class TwoLevelsKernel(MixtureKernel):
    """The mixture of a structure for all rows and of segments with rates of their own.

    ``price`` returns that of the best rule for all rows. ``prices[i]`` is what a rule may cost after ceil(2^(i/8))
    rounds (0: not known), ``floor`` the share of it that a rate reckons with.
    """

    def __init__(
        self, parts: Any, names: Any, readers: Any, log_shares: Any, word_of: Any, price: Any, prices: Any, floor: float
    ) -> None:
        MixtureKernel.__init__(self, parts, names, readers, log_shares, word_of)
        self.pooled, self.segments, self.price, self.first_rate = parts[0], parts[1], price, FIRST
        self.prices, self.floor = array("d", prices), floor
        self.own, self.lost = array("d", [0.0, KAPPA, 0.0, 0.0, 0.0]), array("d", [0.0, 0.0])
        self.said = {}  # what the two parts said, of every ticket
        self.ticket = 0  # the one whose label comes
        self.odds = 0.0  # ln of the weight of the first part over that of the second
        self.first = self.second = 0.5  # what the parts said of the point in place

    def follow(self, pooled: RoundKernel, segments: SegmentsKernel) -> None:
        """Follow parts that have many rates each: theirs is 0 here, and what is proven of them is a price at rate 1."""
        self.pooled, self.segments, self.first_rate = pooled, segments, 0.0
        self.own[4] = 1.0

    # --- Points ------------------------------------------------------------------------------------

    def place(self, x: object) -> cython.bint:
        """Put a row in place, or that of a ticket: a pair of the row and the number of the ticket."""
        ticket: cython.longlong = 0
        if type(x) is tuple and len(x) == 2:
            x, ticket = x
        if not MixtureKernel.place(self, x):
            return False
        if ticket != self.ticket:
            self.ticket, self.known = ticket, False
        return True

    def look(self) -> cython.void:
        """Follow the parts by their weights; of a ticket, by what they said when it was answered."""
        self.look_at_parts()
        self.first, self.second = self.pooled.p, self.segments.p
        if self.ticket != 0 and self.ticket in self.said:
            self.first, self.second = self.said[self.ticket]
        self.odds = self.eta * (self.lost[1] - self.lost[0])
        self.p = min(1.0, share(self.odds) * self.first + share(-self.odds) * self.second)

    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1."""
        return log(self.p / (1.0 - self.p)) if 0.0 < self.p < 1.0 else inf if self.p > 0.5 else -inf

    def reserve(self) -> cython.int:
        """Make room for one more round."""
        self.segments.first_rate = self.first_rate / self.scale
        return MixtureKernel.reserve(self)

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Let the row in, charge both parts, and bring their rates up to date."""
        at: cython.Py_ssize_t = OWN * self.segments.at
        if self.opening:
            self.said[self.ledger.answered + 1] = (self.first, self.second)
            MixtureKernel.take(self, label, cost)
            return
        one: cython.double = cost * (1.0 - self.first if label else self.first)
        two: cython.double = cost * (1.0 - self.second if label else self.second)
        # Hedge's mix loss is that of two experts, one of which loses so much more than the other.
        if two > one:
            self.ledger.own_gap = mixability_gap(share(-self.odds), -self.odds, self.eta, two - one)
        else:
            self.ledger.own_gap = mixability_gap(share(self.odds), self.odds, self.eta, one - two)
        self.enter_account(self.own, 0, self.pooled, one, label, cost)
        self.enter_account(self.segments.own, at, self.segments, two, label, cost)
        MixtureKernel.take(self, label, cost)
        self.lost[0] += one
        self.lost[1] += two
        if self.slower(self.own, 0, False):
            self.pooled.set_rate(self.own[0])
        if self.slower(self.segments.own, at, True):
            self.segments.slow_down()
        if self.ticket != 0:
            self.said.pop(self.ticket, None)
            self.ticket = 0

    def enter_account(self, own, at, part, lost, label, cost):
        """Charge the account of a part, which lost so much by what it had said, just before it takes the round."""
        now: cython.double = 1.0 - part.p if label else part.p
        odds: cython.double = 0.0
        if own[at] * cost > 4.0:
            odds = -part.log_ratio() if label else part.log_ratio()
        own[at + 2] += lost - cost * now + mixability_gap(now, odds, own[at], cost)
        own[at + 3] += 1.0
        if own[at] > 0.0:
            own[at + 4] = own[at]

    def slower(self, own: cython.double[::1], at: cython.Py_ssize_t, each: cython.bint) -> cython.bint:
        """Lower the rate of the part for all, or of the segment in use, if its excess has outgrown the price."""
        i: cython.Py_ssize_t
        kappa: cython.double = own[at + 1]
        if own[at] == 0.0 or own[at + 2] < 2.0 * GRID * kappa / own[at]:
            return False
        i = cython.cast(cython.Py_ssize_t, STEPS * log2(own[at + 3]))
        price: cython.double = self.segments.price() if each else self.price()
        kappa = max(kappa, max(price, self.prices[min(i, len(self.prices) - 1)] * self.floor / 2.0))
        own[at] = min(own[at], 2.0 * kappa / own[at + 2])
        own[at + 1] = kappa
        return True

    # --- Account -----------------------------------------------------------------------------------

    def rebuild(self) -> cython.void:
        """Let the part for all rows begin at its first rate; later the rate of Hedge changes no weight of a part."""
        if self.own[3] == 0.0 and self.first_rate > 0.0:
            self.own[0] = self.own[4] = self.first_rate / self.scale
            self.pooled.set_rate(self.own[0])

    def proven(self) -> tuple[float, float]:
        """Return, for each part, the loss of its best rule plus what is proven of its regret, minus its loss."""
        k: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        one: cython.double = self.pooled.least() + self.own[2] - self.lost[0]
        two: cython.double = self.segments.least() - self.lost[1]
        if self.own[3] > 0.0:
            one += self.price() / self.own[4]
        for k in range(len(self.segments.places)):
            at = OWN * k
            self.segments.visit(k)
            two += self.segments.own[at + 2]
            if self.segments.own[at + 3] > 0.0:
                two += self.segments.price() / self.segments.own[at + 4]
        self.segments.visit(0)
        self.segments.discard()
        return one, two


def share(odds: cython.double) -> cython.double:
    """Return the share of log-odds."""
    return 1.0 / (1.0 + exp(-odds)) if odds >= 0.0 else exp(odds) / (1.0 + exp(odds))
