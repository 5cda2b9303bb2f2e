"""The round of every learner: look, act, play, charge; compiled with the structures.

A structure places a point (:meth:`place`), computes the odds there (:meth:`look`) and commits a round (:meth:`take`).
Let p be the share of the weight that predicts 1, and l the share that is wrong once the label is known. A round draws
its action with a coin, multiplies the weight of each wrong path by e^(-eta cost), and charges the ledger

    the expected cost, l cost,    and the mix loss, -ln(1 - l + l e^(-eta cost)) / eta.

At a constant rate the mix losses of all rounds add up to -ln(final weight / initial weight) / eta, which is at most
L* + ln(1 / pi) / eta. So the regret is at most ln(1 / pi) / eta plus the sum of the differences of the two charges.

One call is one whole round: the structure and the ledger change together, and nothing interrupts compiled code in
between. All other calls (an unusual type, a point outside the domain, the end of the horizon) are left to the learner
in Python. Read :meth:`learn`, :meth:`prepare`, :meth:`play` and :meth:`overdue` first. ``quick_round`` is the same
round with all checks compiled; ``open`` and ``settle`` divide it in two for a late label.
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import inf
    from threading import get_ident

    from adeptree.roles.actions_kernel import Actions
    from adeptree.theory.ledger_kernel import Ledger, coin, mixed

    def PyErr_CheckSignals() -> None:  # noqa: N802
        """Do nothing: interpreted, Python checks for signals between instructions."""


REVIEW = cython.declare(cython.int, 2)
REVIEWED = cython.declare(cython.int, 3)
ASKED = cython.declare(cython.int, 4)


class RoundKernel(Actions):
    """The base class of all kernels: rate, limits, coins and the ledger."""

    def __init__(self, ledger: Ledger, seed: int) -> None:
        Actions.__init__(self)
        self.ledger = ledger
        self.seed = seed
        self.end = inf  # number of rounds that may be answered
        self.scale = 1.0  # the announced largest cost of a round
        self.stay_rounds = self.stay_loss = self.stay_gap = inf  # the rate is re-examined once one of these is reached
        self.due = False
        self.stale = False  # the sums may belong to another rate
        self.asked = 0
        self.actions, self.plays = array("i"), 0  # actions drawn in the current batch
        self.stamp = 0  # counts commits
        self.word = 0  # key of the current point, for its coin
        self.seen = False  # queries at the current point are counted
        self.known = False  # p and log_odds are up to date there
        self.ahead = 1  # rounds between the last round and the one predicted
        self.opening = False  # the point enters without a label
        self.book = self.kind = self.owner = None  # the book of tickets, their type, and the learner's number
        self.queue = None  # the points of a batch
        self.raised = None  # an exception of a commit in Python, raised by the learner

    # --- What a structure writes -------------------------------------------------------------------

    def place(self, x: object) -> cython.bint:
        """Make x the current point (a new one: ``seen = known = False``); return False unless x is plainly a point."""
        return False

    def quick(self, x: object) -> cython.bint:
        """Return True if a quick call may place x."""
        return True

    def for_ticket(self, x: object) -> object:
        """Return the data that a ticket keeps about the current point; None if the learner must decide."""
        return x if type(x) is float or type(x) is int or type(x) is str or type(x) is tuple else None

    def give(self, points: Any) -> None:
        """Set the points of a batch: a list, unless the structure uses another form."""
        self.queue = points

    def place_at(self, i: cython.Py_ssize_t) -> cython.int:
        """Make the i-th point of the batch the current point."""
        self.place(self.queue[i])
        return 0

    def warm(self, first: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Prefetch memory for the next points of the batch, at most 32."""

    def look(self) -> cython.void:
        """Set ``p`` (and ``log_odds``, unless ``log_ratio`` is overridden) at the current point."""

    def reserve(self) -> cython.int:
        """Allocate room for one more point; only this step of a round may fail, so it comes first."""
        return 0

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Commit this label of the current point at this cost; at cost 0 it only enters, to be labelled later."""

    def least(self) -> cython.double:
        """L*: the least loss of a path."""
        return 0.0

    def log_total(self) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - least)); NaN if the prior does not conserve mass."""
        return inf - inf

    def count(self) -> cython.longlong:
        """Return the number of paths; 2^61 stands for that number or more."""
        return 1

    def ask(self) -> cython.void:
        """Count the queries of Algorithm 2 in a round, 2 per path; 2^61 stands for that number or more."""
        most: cython.longlong = 2305843009213693952
        self.asked = min(self.asked + 2 * self.count(), most)

    def rebuild(self) -> cython.void:
        """Recompute the sums that depend on the rate."""

    def spell(self) -> cython.void:
        """Set ``word`` for the current point when ``look`` is not called."""

    # --- Methods of structures that support drift (``structures/sharing_kernel.py``) ---------

    def look_lanes(self, one: cython.double[::1], whole: cython.double[::1]) -> cython.void:
        """Add the weight that predicts 1 at the current point, and all weight, per lane; commit nothing."""

    def take_lanes(
        self,
        label: cython.int,
        cost: cython.double,
        right1: cython.double[::1],
        right0: cython.double[::1],
        place: cython.Py_ssize_t,
    ) -> cython.void:
        """Multiply the weights that predict 1 or 0 at the current point; the round has this place in the ring."""

    def add_lanes(self, whole: cython.double[::1]) -> cython.void:
        """Add all weights, per lane."""

    def share_lanes(self, kept: cython.double[::1], dealt: cython.double[::1]) -> cython.void:
        """Replace every weight w by kept w + dealt pi, where pi is its share of the prior."""

    def refresh(
        self,
        k: cython.Py_ssize_t,
        since: cython.longlong,
        until: cython.longlong,
        labels: cython.int[::1],
        costs: cython.double[::1],
    ) -> cython.double:
        """Add these rounds to a window and remove others; return the least loss of a rule there."""
        return inf

    def says(self, k: cython.Py_ssize_t) -> cython.bint:
        """Return the label that the best rule of a window predicts at the current point."""
        return False

    # --- Rounds ------------------------------------------------------------------------------------

    def set_rate(self, eta: float) -> None:
        """Set the rate of the coming rounds."""
        if eta != self.eta or self.stale:
            self.stale = True  # interpreted code may be interrupted below
            self.eta = eta
            self.known = False
            self.rebuild()
            self.stale = False

    def set_limits(self, rounds: float, best_loss: float, gap: float) -> None:
        """Set the thresholds at which the rate must be re-examined, and clear the pending flag."""
        self.stay_rounds, self.stay_loss, self.stay_gap = rounds, best_loss, gap
        self.due = False

    def see(self) -> cython.void:
        """Compute the odds at the current point if they are out of date; count its queries once."""
        if not self.seen:
            self.ask()
            self.seen = True
        if not self.known:
            self.look()
            self.known = True

    def overdue(self) -> cython.bint:
        """End a round: return True if the rate must be re-examined before the next one."""
        ledger: Ledger = self.ledger
        self.due = (
            ledger.excess >= self.stay_gap
            or ledger.answered + 2 * ledger.overlaps >= self.stay_rounds
            or (self.stay_loss < inf and self.least() >= self.stay_loss)
            or ledger.heaviest > self.scale
        )
        self.torn = False
        return self.due

    def play(self, label: cython.int, cost: cython.double) -> cython.void:
        """Draw the action, commit and charge the round at the prepared point; :meth:`overdue` ends the round."""
        ledger: Ledger = self.ledger
        now: cython.double = self.p
        self.act(ledger.picked < self.most_picked)
        action: cython.int = self.drawn(coin(self.seed, ledger.answered + 1, self.word))
        if self.plays < len(self.actions):
            self.actions[self.plays] = action
            self.plays += 1
        if self.policy >= REVIEWED:  # labels are seen in some rounds only
            if not self.wants(action, coin(mixed(self.seed), ledger.answered + 1, self.word)):
                self.pass_by(action, False)
                return
            cost /= self.q  # importance weighting: a label seen with probability q counts for 1/q rounds
        log_odds: cython.double = self.against(label, cost)
        self.torn = True
        self.take(label, cost)
        self.seen = self.known = False
        self.stamp += 1
        ledger.answer(action == REVIEW or self.policy == ASKED, self.beyond_mix, False)
        handed: cython.double = self.handed(label, cost)
        ledger.charge(self.q1, self.r, action, label, cost, handed, now, log_odds, self.eta)

    def pass_by(self, action: cython.int, wanted: cython.bint) -> cython.void:
        """Let the current point enter with this action; its label is not wanted, or comes later."""
        self.torn, self.opening = True, wanted
        self.take(0, 0.0)
        self.opening = False
        self.seen = self.known = False
        self.stamp += 1
        self.ledger.answer(action == REVIEW or (wanted and self.policy == ASKED), self.beyond_mix, self.q == 0.0)

    def prepare(self) -> cython.int:
        """Allocate room and compute the odds at the current point."""
        if not cython.compiled:
            self.torn = True  # an interrupt may leave the new room half made
        self.reserve()
        self.see()
        return 0

    def enter(self) -> cython.bint:
        """Begin a quick call, if the fast path applies."""
        me: cython.longlong = get_ident()
        if self.busy != 0 or self.torn or self.due or self.ledger.answered >= self.end:
            return False
        self.busy = me
        return True

    # --- Quick calls: all checks compiled ------------------------------------------------------------

    def quick_look(self, x: Any) -> float:
        """Return the probability of guessing 1 at x; -1 if the learner must take the slow path."""
        p: cython.double = -1.0
        whole: cython.bint = False
        if not self.enter():
            return p
        try:
            if self.quick(x) and self.place(x):
                self.see()
                p = self.p
            whole = True
        finally:
            self.busy = 0
            if not whole:
                self.discard()  # an interrupted look may have left parts of another point
        return p

    def quick_round(self, x: Any, y: Any) -> int:
        """Play a round of weight 1, or settle a ticket: return 1 if the rate is due, -1 if the slow path is needed."""
        due: cython.int = -1
        whole: cython.bint = False
        label: cython.int = label_in(y)
        if label < 0 or not self.enter():
            return due
        try:
            if type(x) is self.kind:
                due = self.settle_ticket(x, label)
            elif self.quick(x) and self.place(x):
                self.prepare()
                self.play(label, self.cost1 if label else self.cost0)
                due = self.overdue()
            whole = self.raised is None
            if not whole:
                raise self.raised
        finally:
            self.busy = 0
            if not whole:
                self.discard()
        return due

    def lend(self, book: Any, kind: Any, owner: int) -> None:
        """Keep tickets of this type in a book's attributes (``learners/tickets.py``), which allows quick answers."""
        self.book, self.kind, self.owner = book, kind, owner

    def quick_answer(self, x: Any) -> Any:
        """Return the ticket of an answer; None if the slow path is needed."""
        ticket = None
        whole: cython.bint = False
        action: cython.int
        if not cython.compiled or self.book is None or self.policy >= REVIEWED or not self.enter():
            return None
        try:
            kept = self.for_ticket(x) if self.quick(x) and self.place(x) else None
            if kept is not None:
                self.prepare()
                number: object = self.ledger.answered + 1
                self.act(self.ledger.picked < self.most_picked)
                action = self.drawn(coin(self.seed, self.ledger.answered + 1, self.word))
                guess = None if action == REVIEW else action
                r: object = 0.0 if self.r == 0.0 else self.r
                q: object = 1.0 if self.q == 1.0 else self.q
                ticket = ticket_of(self.kind, number, kept, self.q1, guess, self.ledger.rounds, self.owner, r, q)  # noqa: F821
                cython.cast(dict, self.book["given"])[number] = ticket  # no Python code runs from here on
                self.pass_by(action, True)
                self.ledger.waiting += 1
                self.torn = False
            whole = True
        finally:
            self.busy = 0
            if not whole:
                self.discard()
        return ticket

    def settle_ticket(self, known: object, label: cython.int) -> cython.int:
        """Settle an open ticket of the learner as :meth:`quick_round` does."""
        ticket: tuple = cython.cast(tuple, known)  # a named tuple
        given: dict = self.book["given"]
        settled: dict = self.book["settled"]
        counts: list = self.book["labelled"]
        number: object = ticket[0]
        x: object = ticket[1]
        action: cython.int = REVIEW if ticket[3] is None else ticket[3]
        closed: cython.bint = given.get(number) is not known or (settled and number in settled)
        if closed or self.policy >= REVIEWED or not (self.quick(x) and self.place(x)):
            return -1
        overlaps = self.ledger.rounds - cython.cast(cython.longlong, ticket[4])
        cost: cython.double = self.cost1 if label else self.cost0
        self.settle_here(label, cost, ticket[2], ticket[6], action, overlaps, ticket[7])
        del given[number]
        counts[action] += 1
        return self.due

    def chance(self, x: Any) -> float:
        """Return the probability of guessing 1 at a point of the class."""
        if not self.place(x):
            return -1.0
        self.see()
        return self.p

    def decide(self, x: Any) -> tuple[float, float, float, int, bool]:
        """Return the chances of 1, of a review and of a seen label at x, the drawn action, and if a label is wanted."""
        number: cython.longlong = self.ledger.answered + 1
        if self.place(x):
            self.see()
        self.act(self.ledger.picked < self.most_picked)
        action: cython.int = self.drawn(coin(self.seed, number, self.word))
        return self.q1, self.r, self.q, action, self.wants(action, coin(mixed(self.seed), number, self.word))

    def learn(self, x: Any, label: cython.int, cost: cython.double = 1.0) -> bool:
        """Play a round at a point of the class."""
        if not self.place(x):
            return False
        self.prepare()
        self.play(label, cost)
        self.overdue()
        return True

    def run(
        self, labels: Any, costs: Any, probabilities: Any, first: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> int:
        """Play rounds of a batch (without ``costs`` each costs 1) until the rate is due; return the next one."""
        i: cython.Py_ssize_t
        ys: cython.longlong[::1] = memoryview(labels)
        prices: cython.double[::1] = memoryview(costs)
        ps: cython.double[::1] = memoryview(probabilities)
        cost: cython.double = 1.0
        weighed: cython.bint = len(costs) > 0
        for i in range(first, stop):
            if cython.compiled and (i - first) % 32 == 0:
                self.warm(i, min(i + 32, stop))
            self.place_at(i)
            self.prepare()
            ps[i] = self.p
            if weighed:
                cost = prices[i]
            self.play(cython.cast(cython.int, ys[i]), cost)
            if self.overdue():
                return i + 1
            if i & 1023 == 1023:
                PyErr_CheckSignals()
        return stop

    def look_many(self, probabilities: Any) -> None:
        """Set the probability of guessing 1 at each point of the batch, without learning in between."""
        i: cython.Py_ssize_t
        ps: cython.double[::1] = memoryview(probabilities)
        for i in range(len(probabilities)):
            self.place_at(i)
            self.see()
            ps[i] = self.p
            if i & 1023 == 1023:
                PyErr_CheckSignals()

    def open(self, x: Any, action: cython.int, wanted: cython.bint = True) -> bool:
        """Answer a round with this action; x enters, to be labelled later if the label is wanted."""
        if not self.place(x):
            return False
        self.prepare()
        self.act(self.ledger.picked < self.most_picked)
        self.pass_by(action, wanted)
        if wanted:
            self.ledger.waiting += 1
        else:
            self.overdue()
        self.torn = False  # the rate stays, so a label that comes at once is charged as by ``learn``
        return True

    def settle(self, x, label, cost, p, r, action, overlaps, q=1.0):
        """Charge an answered round whose point has entered; ``overlaps`` other labels came in between."""
        return self.place(x) and self.settle_here(label, cost, p, r, action, overlaps, q)

    def settle_here(self, label, cost, p, r, action, overlaps, q):
        """Charge an answered round at the current point."""
        if not cython.compiled:
            self.torn = True  # an interrupt may leave the new room half made
        self.reserve()  # in an altered file, the point of a ticket may not have entered
        # The prior is the current one: the round was answered before, so none is coming.
        self.known, self.ahead = False, 0
        self.look()
        self.charge_answered(label, cost / q, p, r, action)
        self.ahead = 1
        self.ledger.delayed(overlaps)
        self.ledger.waiting -= 1
        self.overdue()
        return True

    def charge_answered(self, label, cost, p, r, action):
        """Commit the round at the current point, which was answered with p; the caller clears the torn flag."""
        now: cython.double = self.p
        log_odds: cython.double = self.against(label, cost)
        self.torn = True
        self.take(label, cost)
        self.seen = self.known = False
        self.stamp += 1
        handed: cython.double = self.handed(label, cost)
        self.ledger.charge(p, r, action, label, cost, handed, now, log_odds, self.eta)

    def discard(self) -> None:
        """Discard the prediction at the current point."""
        self.seen = self.known = self.opening = False
        self.raised = None


@cython.cfunc
@cython.inline
def label_in(y: object) -> cython.int:
    """Return the label if it is plainly 0 or 1, else -1."""
    if y is True or (type(y) is int and y == 1):
        return 1
    return 0 if y is False or (type(y) is int and y == 0) else -1
