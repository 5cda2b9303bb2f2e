"""The round of every learner: look, act, play, charge; compiled with the structures.

A structure places a point (:meth:`place`), divides the weight there (:meth:`look`) and commits a round (:meth:`take`).
One call is one whole round: the structure and the ledger change together, and nothing interrupts compiled code in
between. All other calls (an odd type, a point outside, the end of the horizon) are left to the learner.
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
        """Do nothing: Python itself looks for signals between two instructions."""


REVIEW = cython.declare(cython.int, 2)
REVIEWED = cython.declare(cython.int, 3)
ASKED = cython.declare(cython.int, 4)


class RoundKernel(Actions):
    """The base of all kernels: rate, limits, coins and the ledger."""

    def __init__(self, ledger: Ledger, seed: int) -> None:
        Actions.__init__(self)
        self.ledger = ledger
        self.seed = seed
        self.end = inf  # rounds that may be answered
        self.scale = 1.0  # what a round costs at most, as was said
        self.stay_rounds = self.stay_loss = self.stay_gap = inf  # the rate may change once one of these is reached
        self.due = False
        self.stale = False  # whether the sums may be those of another rate
        self.asked = 0
        self.actions, self.plays = array("i"), 0  # what is drawn in the batch that is played
        self.stamp = 0  # counts commits
        self.word = 0  # of the point in place, for its coin
        self.seen = False  # whether the point in place was asked about,
        self.known = False  # and whether p and log_odds are right there
        self.ahead = 1  # rounds between the last one and the one looked at
        self.opening = False  # whether the point only enters,
        self.book = self.kind = self.owner = None  # where tickets are kept, their type, and the number of the learner
        self.queue = None  # the points of a batch
        self.raised = None  # and the exception of a commit in Python, for the learner to raise

    # --- What a structure writes -------------------------------------------------------------------

    def place(self, x: object) -> cython.bint:
        """Put x in place (if it is another point: ``seen = known = False``); no if it is not plainly a point."""
        return False

    def quick(self, x: object) -> cython.bint:
        """Whether a quick call may put x in place."""
        return True

    def for_ticket(self, x: object) -> object:
        """Return what a ticket keeps of x, which is in place; None if the learner must say."""
        return x if type(x) is float or type(x) is int or type(x) is str or type(x) is tuple else None

    def give(self, points: Any) -> None:
        """Take the points of a batch: a list, where a structure does not want another form."""
        self.queue = points

    def place_at(self, i: cython.Py_ssize_t) -> cython.int:
        """Put the i-th point of the batch in place."""
        self.place(self.queue[i])
        return 0

    def warm(self, first: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Read what the coming points of the batch, at most 32, will need, so that memory is waited for once."""

    def look(self) -> cython.void:
        """Set ``p`` (and ``log_odds``, where ``log_ratio`` is not overridden) for the point in place, as of now."""

    def reserve(self) -> cython.int:
        """Make room for one more point: the only part of a round that may fail, so it comes first."""
        return 0

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Let the point in place have this label, at this cost (0: it only enters, and its label comes later)."""

    def least(self) -> cython.double:
        """L*: the least loss of a path."""
        return 0.0

    def log_total(self) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - least)); NaN if the prior does not conserve mass."""
        return inf - inf

    def count(self) -> cython.longlong:
        """The number of paths; 2^61 stands for that number or more."""
        return 1

    def ask(self) -> cython.void:
        """Count what Algorithm 2 asks in a round, 2 queries per path; 2^61 stands for that number or more."""
        most: cython.longlong = 2305843009213693952
        self.asked = min(self.asked + 2 * self.count(), most)

    def rebuild(self) -> cython.void:
        """Recompute the sums that depend on the rate."""

    def spell(self) -> cython.void:
        """Set ``word`` for the point just looked at, where ``look`` is not called."""

    # --- What a structure writes whose best rule may change (``structures/sharing_kernel.py``) ---------

    def look_lanes(self, one: cython.double[::1], whole: cython.double[::1]) -> cython.void:
        """Add the weight that says 1 at the point in place, and all weight, per lane; commit nothing."""

    def take_lanes(
        self,
        label: cython.int,
        cost: cython.double,
        right1: cython.double[::1],
        right0: cython.double[::1],
        place: cython.Py_ssize_t,
    ) -> cython.void:
        """Multiply the weights that say 1 or 0 at the point in place; the round has this place in the ring."""

    def add_lanes(self, whole: cython.double[::1]) -> cython.void:
        """Add all weights, per lane."""

    def share_lanes(self, kept: cython.double[::1], dealt: cython.double[::1]) -> cython.void:
        """Let every weight w become kept w + dealt pi, pi its part of the whole prior."""

    def refresh(
        self,
        k: cython.Py_ssize_t,
        since: cython.longlong,
        until: cython.longlong,
        labels: cython.int[::1],
        costs: cython.double[::1],
    ) -> cython.double:
        """Let these rounds into a window, and others leave; return the least loss of a rule there."""
        return inf

    def says(self, k: cython.Py_ssize_t) -> cython.bint:
        """Return what the cheapest rule of a window says at the point in place."""
        return False

    # --- Rounds ------------------------------------------------------------------------------------

    def set_rate(self, eta: float) -> None:
        """Set the rate of the coming rounds."""
        if eta != self.eta or self.stale:
            self.stale = True  # (interpreted, what follows may be interrupted)
            self.eta = eta
            self.known = False
            self.rebuild()
            self.stale = False

    def set_limits(self, rounds: float, best_loss: float, gap: float) -> None:
        """Set the thresholds at which the rate must be re-examined, and clear the pending flag."""
        self.stay_rounds, self.stay_loss, self.stay_gap = rounds, best_loss, gap
        self.due = False

    def see(self) -> cython.void:
        """Look at the point in place, if that was not done; ask about it, once."""
        if not self.seen:
            self.ask()
            self.seen = True
        if not self.known:
            self.look()
            self.known = True

    def overdue(self) -> cython.bint:
        """End a round: return whether the rate must be looked at before the next one."""
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
        """Draw the action, commit and charge at the point in place, which is prepared; :meth:`overdue` ends it."""
        ledger: Ledger = self.ledger
        now: cython.double = self.p
        self.act(ledger.picked < self.most_picked)
        action: cython.int = self.drawn(coin(self.seed, ledger.answered + 1, self.word))
        if self.plays < len(self.actions):
            self.actions[self.plays] = action
            self.plays += 1
        if self.policy >= REVIEWED:  # (labels of some rounds are seen)
            if not self.wants(action, coin(mixed(self.seed), ledger.answered + 1, self.word)):
                self.pass_by(action, False)
                return
            cost /= self.q  # (a round whose label is seen with the chance q stands for 1/q rounds)
        log_odds: cython.double = self.against(label, cost)
        self.torn = True
        self.take(label, cost)
        self.seen = self.known = False
        self.stamp += 1
        ledger.answer(action == REVIEW or self.policy == ASKED, self.beyond_mix, False)
        handed: cython.double = self.handed(label, cost)
        ledger.charge(self.q1, self.r, action, label, cost, handed, now, log_odds, self.eta)

    def pass_by(self, action: cython.int, wanted: cython.bint) -> cython.void:
        """Let the point in place enter with this action; its label is not wanted, or comes later."""
        self.torn, self.opening = True, wanted
        self.take(0, 0.0)
        self.opening = False
        self.seen = self.known = False
        self.stamp += 1
        self.ledger.answer(action == REVIEW or (wanted and self.policy == ASKED), self.beyond_mix, self.q == 0.0)

    def prepare(self) -> cython.int:
        """Make room and look at the point in place."""
        if not cython.compiled:
            self.torn = True  # (an interrupt may leave half of the new room)
        self.reserve()
        self.see()
        return 0

    def enter(self) -> cython.bint:
        """Begin a quick call, if nothing is in its way."""
        me: cython.longlong = get_ident()
        if self.busy != 0 or self.torn or self.due or self.ledger.answered >= self.end:
            return False
        self.busy = me
        return True

    # --- Quick calls: all checks compiled ------------------------------------------------------------

    def quick_look(self, x: Any) -> float:
        """Return the chance of guessing 1 at x; -1 if this is not plain, so that the learner must check it."""
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
                self.discard()  # parts of a look that was interrupted may be another point's
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
        """Keep tickets of this type in the attributes of a book (``learners/tickets.py``): answers may be quick."""
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
                number = self.ledger.answered + 1
                self.act(self.ledger.picked < self.most_picked)
                action = self.drawn(coin(self.seed, number, self.word))
                guess = None if action == REVIEW else action
                fields = (number, kept, self.q1, guess, self.ledger.rounds, self.owner, self.r, self.q, True)
                ticket = tuple.__new__(self.kind, fields)
                self.book["given"][number] = ticket  # (no code in Python runs from here on)
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
        ticket: tuple = cython.cast(tuple, known)  # (a tuple with names)
        given: dict = self.book["given"]
        counts: list = self.book["labelled"]
        number: object = ticket[0]
        x: object = ticket[1]
        action: cython.int = REVIEW if ticket[3] is None else ticket[3]
        if (
            given.get(number) is not known
            or number in self.book["settled"]
            or self.policy >= REVIEWED
            or not (self.quick(x) and self.place(x))
        ):
            return -1
        overlaps = self.ledger.rounds - ticket[4]
        self.settle(x, label, self.cost1 if label else self.cost0, ticket[2], ticket[6], action, overlaps, ticket[7])
        del given[number]
        counts[action] += 1
        return self.due

    def chance(self, x: Any) -> float:
        """Return the chance of guessing 1 at a point of the class."""
        if not self.place(x):
            return -1.0
        self.see()
        return self.p

    def decide(self, x: Any) -> tuple[float, float, float, int, bool]:
        """Return the chances of saying 1, of a review and of a label at x; the action; is its label wanted?"""
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
        """Play rounds of a batch (no ``costs``: each costs 1); return the first not played, as the rate is due."""
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
        """Set the chance of guessing 1 at each point of the batch, all as of now."""
        i: cython.Py_ssize_t
        ps: cython.double[::1] = memoryview(probabilities)
        for i in range(len(probabilities)):
            self.place_at(i)
            self.see()
            ps[i] = self.p
            if i & 1023 == 1023:
                PyErr_CheckSignals()

    def open(self, x: Any, action: cython.int, wanted: cython.bint = True) -> bool:
        """Let x enter, to be labelled later if that is wanted; the round is answered with this action."""
        if not self.place(x):
            return False
        self.prepare()
        self.act(self.ledger.picked < self.most_picked)
        self.pass_by(action, wanted)
        if wanted:
            self.ledger.waiting += 1
        else:
            self.overdue()
        self.torn = False  # (the rate stays: a label that comes at once is charged as by ``learn``)
        return True

    def settle(self, x, label, cost, p, r, action, overlaps, q=1.0):
        """Charge an answered round whose point has entered; ``overlaps`` labels of others came in between."""
        if not self.place(x):
            return False
        if not cython.compiled:
            self.torn = True  # (an interrupt may leave half of the new room)
        self.reserve()  # (in an altered file, the point of a ticket may not have entered)
        # Of a round that was answered before, the prior is as of now: no round is coming.
        self.known, self.ahead = False, 0
        self.look()
        self.charge_answered(label, cost / q, p, r, action)
        self.ahead = 1
        self.ledger.delayed(overlaps)
        self.ledger.waiting -= 1
        self.overdue()
        return True

    def charge_answered(self, label, cost, p, r, action):
        """Commit the round at the point in place, just looked at, which was answered with p; leave it torn."""
        now: cython.double = self.p
        log_odds: cython.double = self.against(label, cost)
        self.torn = True
        self.take(label, cost)
        self.seen = self.known = False
        self.stamp += 1
        handed: cython.double = self.handed(label, cost)
        self.ledger.charge(p, r, action, label, cost, handed, now, log_odds, self.eta)

    def discard(self) -> None:
        """Forget the look at the point in place."""
        self.seen = self.known = self.opening = False
        self.raised = None


@cython.cfunc
@cython.inline
def label_in(y: object) -> cython.int:
    """Return a label that is plainly 0 or 1, else -1."""
    if y is True or (type(y) is int and y == 1):
        return 1
    return 0 if y is False or (type(y) is int and y == 0) else -1
