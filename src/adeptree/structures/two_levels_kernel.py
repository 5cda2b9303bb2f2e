"""Two levels: a learner for all rows, a learner per segment, each at a rate of its own, and Hedge over the two.

The two parts are a line for all rows and the lines of the segments. Each of these lines has its own adaptive rate, as
``Adaptive`` of ``learners/rates.py`` has it, and its own excess: its loss as answered minus its mix loss as settled.
The rate of the kernel is that of Hedge, whose two experts are "follow this part" (``docs/theory/decide.md``, Segments).
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, inf, log, log2

    from adeptree.structures.line_tree_kernel import LineTree
    from adeptree.structures.mixture_kernel import MixtureKernel
    from adeptree.theory.ledger_kernel import mixability_gap

OWN = cython.declare(cython.Py_ssize_t, 5)  # numbers of a line: rate, kappa, excess, rounds, rate of the last round
FIRST = cython.declare(cython.double, 4.0)  # the first rate, in units of 1 / W
KAPPA = cython.declare(cython.double, 2.0)
GRID = cython.declare(cython.double, 1.05)
STEPS = cython.declare(cython.double, 8.0)  # prices that are given per doubling of the rounds


class TwoLevelsKernel(MixtureKernel):
    """The mixture of a line for all rows (a mixture of one) and of segments with rates of their own.

    ``prices[i]`` is what a rule of a line may cost after ceil(2^(i/8)) rounds (0: not known), ``floor`` the share of it
    that a rate reckons with.
    """

    def __init__(
        self, parts: Any, names: Any, readers: Any, log_shares: Any, word_of: Any, prices: Any, floor: float
    ) -> None:
        MixtureKernel.__init__(self, parts, names, readers, log_shares, word_of)
        self.pooled, self.segments, self.line = parts[0], parts[1], parts[0].parts[0]
        self.prices, self.floor = array("d", prices), floor
        self.own, self.lost = array("d", [0.0, KAPPA, 0.0, 0.0, 0.0]), array("d", [0.0, 0.0])
        self.said = {}  # what the two parts said, of every ticket
        self.ticket = 0  # the one whose label comes
        self.odds = 0.0  # ln of the weight of the first part over that of the second
        self.first = self.second = 0.5  # what the parts said of the point in place

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
        self.segments.first_rate = FIRST / self.scale
        return MixtureKernel.reserve(self)

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Let the row in, charge both parts, and bring their rates up to date."""
        at: cython.Py_ssize_t = OWN * self.segments.at
        segment: LineTree = self.segments.line
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
        if self.slower(self.own, 0, self.line):
            self.pooled.eta = self.own[0]
            self.pooled.rebuild()
        if self.slower(self.segments.own, at, segment):
            self.segments.log_sum -= segment.log_total()
            self.segments.visit(self.segments.at)
            segment.sum_again()
            self.segments.log_sum += segment.log_total()
        if self.ticket != 0:
            self.said.pop(self.ticket, None)
            self.ticket = 0

    def enter_account(self, own, at, part, lost, label, cost):
        """Charge the account of a line, which lost so much by what it had said, just before it takes the round."""
        now: cython.double = 1.0 - part.p if label else part.p
        odds: cython.double = 0.0
        if own[at] * cost > 4.0:
            odds = -part.log_ratio() if label else part.log_ratio()
        own[at + 2] += lost - cost * now + mixability_gap(now, odds, own[at], cost)
        own[at + 3] += 1.0
        own[at + 4] = own[at]

    def slower(self, own: cython.double[::1], at: cython.Py_ssize_t, line: LineTree) -> cython.bint:
        """Lower the rate of a line, whose tree is in use, if its excess has outgrown the price."""
        i: cython.Py_ssize_t
        kappa: cython.double = own[at + 1]
        if own[at + 2] < 2.0 * GRID * kappa / own[at]:
            return False
        i = cython.cast(cython.Py_ssize_t, STEPS * log2(own[at + 3]))
        kappa = max(kappa, max(price_of(line), self.prices[min(i, len(self.prices) - 1)] * self.floor / 2.0))
        own[at] = min(own[at], 2.0 * kappa / own[at + 2])
        own[at + 1] = kappa
        return True

    # --- Account -----------------------------------------------------------------------------------

    def rebuild(self) -> cython.void:
        """Let the line for all rows begin at its first rate; later the rate of Hedge changes no weight of a line."""
        if self.own[3] == 0.0:
            self.own[0] = self.own[4] = self.pooled.eta = FIRST / self.scale
            self.pooled.known = False
            self.pooled.rebuild()

    def proven(self) -> tuple[float, float]:
        """Return, for each part, the loss of its best rule plus what is proven of its regret, minus its loss."""
        k: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        one: cython.double = self.line.least() + self.own[2] - self.lost[0]
        two: cython.double = self.segments.least() - self.lost[1]
        if self.own[3] > 0.0:
            one += price_of(self.line) / self.own[4]
        for k in range(len(self.segments.places)):
            at = OWN * k
            self.segments.visit(k)
            two += self.segments.own[at + 2]
            if self.segments.own[at + 3] > 0.0:
                two += price_of(self.segments.line) / self.segments.own[at + 4]
        self.segments.visit(0)
        self.segments.seen = self.segments.known = False
        return one, two


def price_of(line: LineTree) -> cython.double:
    """Return ln(1 / prior mass) of the best rule of the tree in use."""
    leader: Any = line.leader()  # type: ignore[attr-defined]
    mass: cython.double = leader[3]
    return -log(mass) if mass < 1.0 else 0.0


def share(odds: cython.double) -> cython.double:
    """Return the share of log-odds."""
    return 1.0 / (1.0 + exp(-odds)) if odds >= 0.0 else exp(odds) / (1.0 + exp(odds))
