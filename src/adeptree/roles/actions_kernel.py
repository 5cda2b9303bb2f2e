"""The action of a round (0, 1, review, ask for the label), and the guard that admits one call at a time.

One call at a time: a second caller is refused, and so is every caller after an interrupted commit. Actions follow
Theorem R of ``docs/theory/decide.md``. If labels are seen only with a known probability ``q``, they follow Theorems S
and Q.

``p`` is the share of the weight that predicts 1. Without review it is also the probability of action 1. With review,
the probabilities ``q1`` (of action 1) and ``r`` (of a review) are chosen so that each label costs at most its mix loss.
"""

from __future__ import annotations

from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, expm1, log1p
    from threading import Lock, get_ident

    from adeptree.theory.ledger_kernel import mixability_gap

from adeptree.core.errors import BusyLearner, TornLearner

BUSY = (
    "a learner is used by one thread at a time, and a call came while another one was inside; give every thread its "
    "own learner, or put one threading.Lock around all uses of this one"
)
TORN = (
    "an exception interrupted the commit of a round, so that this learner's numbers are not known to be right; "
    "load the last save with adeptree.load(path), or build the learner again"
)
FEWEST = cython.declare(cython.int, 0)
CHEAPEST = cython.declare(cython.int, 1)
DRAWN = cython.declare(cython.int, 2)
REVIEWED = cython.declare(cython.int, 3)  # labels are seen in reviewed rounds only,
ASKED = cython.declare(cython.int, 4)  # or in those in which the learner asks for them
REVIEW = cython.declare(cython.int, 2)  # the action that is not a label


class Actions:
    """The running call, the cost of a round, and the probabilities of its actions.

    In compiled code a flag is enough to admit one caller: nothing interrupts it, and the interpreter's lock guards it.
    """

    def __init__(self) -> None:
        self.busy = 0  # the thread whose call is running; 0 if there is none
        self.torn = False  # a commit began and did not end
        self.lock = None if cython.compiled else Lock()
        self.eta = 0.0
        self.p = 0.5
        self.log_odds = 0.0
        self.cost1 = self.cost0 = 1.0  # costs of a miss and of a false alarm, at weight 1
        self.handing = 0.0  # cost of a review; 0 if reviews are not allowed
        self.weight_acted = 1.0  # the largest weight announced; actions are chosen for it
        self.policy = FEWEST
        self.lateness = 0.0  # the most that late labels can move the loss of a path
        self.most_picked = 0.0  # the largest number of reviews, or of labels asked for
        self.best_rate = 0.0  # eta*, if labels are seen in reviewed rounds only
        self.q1 = 0.5
        self.r = 0.0
        self.q = 1.0  # probability that the label of the round is seen
        self.beyond_mix = 0.0  # most that the round can cost beyond its mix loss, if that is less than 1

    # --- One call at a time ------------------------------------------------------------------------

    def turn(self) -> Any:
        """Return the context of one call, whose entry and exit cannot be interrupted; refuse a second call."""
        if cython.compiled:
            return self
        me: cython.longlong = get_ident()
        if self.lock.locked():
            raise BusyLearner(BUSY)
        if self.torn:
            raise TornLearner(TORN)
        self.busy = me
        return self.lock

    def __enter__(self) -> None:
        me: cython.longlong = get_ident()
        if self.busy != 0:
            raise BusyLearner(BUSY)
        if self.torn:
            raise TornLearner(TORN)
        self.busy = me

    def __exit__(self, *raised: object) -> None:
        self.busy = 0

    def inside(self) -> bool:
        """True if a call of this thread is already running."""
        me: cython.longlong = get_ident()
        return self.busy == me and (cython.compiled or self.lock.locked())

    def check(self) -> None:
        """Raise an error if another thread's call is running, or if a commit was interrupted."""
        me: cython.longlong = get_ident()
        if self.busy != 0 if cython.compiled else self.lock.locked():
            if self.busy != me:
                raise BusyLearner(BUSY)
        elif self.torn:
            raise TornLearner(TORN)

    # --- The action of a round ---------------------------------------------------------------------

    def set_policy(self, cost: float, most: float, policy: int, delay: float, most_picked: float) -> None:
        """Set the cost of a review (0: no reviews) or the policy of asking, for rounds of up to this weight."""
        self.handing, self.weight_acted, self.policy, self.most_picked = cost, most, policy, most_picked
        self.lateness = delay * most * max(self.cost1, self.cost0)

    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1 at the point just looked at."""
        return self.log_odds

    def against(self, label: cython.int, cost: cython.double) -> cython.double:
        """Return the log-odds against the label; a ledger needs them only at large rates."""
        if self.eta * cost <= 4.0:
            return 0.0
        return -self.log_ratio() if label else self.log_ratio()

    def handed(self, label: cython.int, cost: cython.double) -> cython.double:
        """Return the cost of a review, weight times c, in a round in which a wrong guess costs this much."""
        return self.handing * cost / (self.cost1 if label else self.cost0) if self.handing > 0.0 else 0.0

    def act(self, may_pick: cython.bint) -> cython.void:
        """Set the probabilities of action 1, of a review and of a seen label, at the current point."""
        a: cython.double = self.cost1 * self.weight_acted
        b: cython.double = self.cost0 * self.weight_acted
        c: cython.double = self.handing * self.weight_acted
        eta: cython.double = self.eta
        ones: cython.double = self.p
        zeros: cython.double = 1.0 - self.p
        if c == 0.0:
            self.q1, self.r = self.p, 0.0
            if self.policy == ASKED:
                self.ask_by_chance(a, b, may_pick)
            return
        if self.policy == REVIEWED:
            self.act_reviewed(a, b, c)
            return
        if self.lateness > 0.0 or eta * max(a, b) > 4.0:  # log-odds, because 1 - p may have lost its digits
            odds = self.log_ratio()
            ones, zeros = sigmoid(odds + eta * self.lateness), sigmoid(eta * self.lateness - odds)
        m1 = a - log1p(ones * expm1(eta * a)) / eta  # the mix losses for label 1 and for label 0
        m0 = b - log1p(zeros * expm1(eta * b)) / eta
        r = max(0.0, (1.0 - m1 / a - m0 / b) / (1.0 - c / a - c / b))  # fewest reviews: both mix losses are met
        q0 = (m1 - r * c) / a
        if not may_pick:  # the excess over the mix loss is r (ab/(a + b) - c) for either label
            q0, r = (m1 + r * (a * b / (a + b) - c)) / a, 0.0
        elif self.policy == DRAWN:
            if m1 >= c:
                r = expm1(eta * (a - m1)) / (expm1(eta * (a - c)) * exp(eta * (c - m1)))
                q0 = 1.0 - r
            else:
                r = expm1(eta * (b - m0)) / (expm1(eta * (b - c)) * exp(eta * (c - m0)))
                q0 = 0.0
        elif self.policy == CHEAPEST:
            if self.p * a >= c and (1.0 - self.p) * b >= c:
                r = min(1.0, m1 / c, m0 / c)
                q0 = 1.0 - r if m0 < c else 0.0
            elif (m1 >= c and self.p * a < c) or (m0 < c and (1.0 - self.p) * b < c):
                r = (a - m1) / (a - c) if self.p * a < c else m0 / c
                q0 = 1.0 - r
            else:
                r = m1 / c if self.p * a < c else (b - m0) / (b - c)
                q0 = 0.0
        self.r = min(1.0, max(0.0, r))
        self.q1 = min(1.0 - self.r, max(0.0, 1.0 - self.r - q0))

    def act_reviewed(self, a: cython.double, b: cython.double, c: cython.double) -> cython.void:
        """Set the probabilities when labels are seen in reviewed rounds only (Theorem S)."""
        floor: cython.double = min(1.0, self.eta / self.best_rate)
        needed: cython.double = self.needed(self.best_rate, a, b, c)
        low: cython.double = floor
        high: cython.double = 1.0
        self.beyond_mix = 0.0
        if needed <= floor:
            high, self.beyond_mix = floor, c * (floor - needed)
        else:
            for _ in range(60):
                middle = (low + high) / 2
                if self.needed(self.eta / middle, a, b, c) > middle:
                    low = middle
                else:
                    high = middle
            needed = self.needed(self.eta / high, a, b, c)
        self.r = self.q = high
        self.q1 = min(1.0 - high, self.q1 * (1.0 - high) / (1.0 - needed) if needed < 1.0 else 0.0)

    def needed(self, rate: cython.double, a: cython.double, b: cython.double, c: cython.double) -> cython.double:
        """Return the smallest probability of a review that meets both mix losses of a rate; set that of action 1."""
        m1: cython.double = a - log1p(self.p * expm1(rate * a)) / rate
        m0: cython.double = b - log1p((1.0 - self.p) * expm1(rate * b)) / rate
        r: cython.double = min(1.0, max(0.0, (1.0 - m1 / a - m0 / b) / (1.0 - c / a - c / b)))
        self.q1 = min(1.0 - r, max(0.0, (m0 - r * c) / b))
        return r

    def ask_by_chance(self, a: cython.double, b: cython.double, may_ask: cython.bint) -> cython.void:
        """Set the probability of asking for the label (Theorem Q), and the round's gap for the worse label."""
        if not may_ask:
            self.q, self.beyond_mix = 0.0, max((1.0 - self.p) * a, self.p * b)
            return
        self.q = min(1.0, 4.0 * self.p * (1.0 - self.p) + self.eta * max(a, b) / 3.0)
        if self.q > 0.0:
            one = mixability_gap(1.0 - self.p, self.against(1, a / self.q), self.eta / self.q, a)
            self.beyond_mix = max(one, mixability_gap(self.p, self.against(0, b / self.q), self.eta / self.q, b))

    def wants(self, action: cython.int, coin: cython.double) -> cython.bint:
        """Return True if the learner wants the label: after a review, if a coin asks for it, or in every round."""
        if self.policy == ASKED:
            return coin < self.q
        return self.policy != REVIEWED or action == REVIEW

    def drawn(self, coin: cython.double) -> cython.int:
        """Draw the action of the round with a coin: 0, 1, or 2 for a review."""
        if coin < self.q1:
            return 1
        return REVIEW if coin >= 1.0 - self.r and self.r > 0.0 else 0


def sigmoid(odds: cython.double) -> cython.double:
    """Return the probability with these log-odds."""
    return 1.0 / (1.0 + exp(-odds)) if odds >= 0.0 else exp(odds) / (1.0 + exp(odds))
