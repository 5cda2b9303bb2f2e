"""Fixed share, for drift: every rule that is a leaf of a structure keeps a weight.

After each charged round a share of the total weight is redistributed according to the prior, so that every weight w
becomes A w + B pi. There are several *lanes*: pairs of a rate and a share with separate weights
(``docs/theory/drift.md``); with review there is one. The leaves keep the weights (``shared_line_kernel.py``).

*Followers* are rules too: each predicts like the best rule of the last W rounds, where W is the span of a window. On a
line a :class:`Window` holds these rounds and the cut with the least loss in them.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, inf, log, log1p

    from adeptree.core.arrays_kernel import longer
    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.theory.ledger_kernel import Ledger

LOWEST = cython.declare(cython.longlong, -0x7FFFFFFFFFFFFFFF)  # below and above all keys
HIGHEST = cython.declare(cython.longlong, 0x7FFFFFFFFFFFFFFF)


class SharingKernel(RoundKernel):
    """The round of structures with drift: ``inner`` places points, ``leaves`` keep the weights.

    ``lanes`` holds the rates, the shares and ln of the masses of lanes; a share of -1 stands for 1/(t + 1) after t
    charged rounds. With one lane the rate is that of the learner. ``spans`` are the windows of followers, the first of
    which is 0, for all rounds; each has ``part`` of the prior. ``room`` is the number of last rounds that must be
    stored.
    """

    def __init__(self, inner: Any, leaves: Any, lanes: Any, spans: Any, room: int, unit: float, part: float) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        self.inner, self.leaves, self.unit, self.part = inner, list(leaves), unit, part
        self.rates, self.shares, self.log_scale = (array("d", column) for column in lanes)
        self.lanes, self.spans, self.followers = len(self.rates), array("q", spans), len(spans)
        self.clock, self.next, self.spread = 0, 1, 0.0
        self.one, self.whole, self.right1, self.right0, self.beyond = (
            array("d", bytes(8 * self.lanes)) for _ in range(5)
        )
        self.followed = array("d", [part] * (self.lanes * self.followers))
        self.votes = array("i", bytes(4 * (self.followers + 1)))
        self.chosen = array("i", bytes(4 * (self.followers + 1)))
        self.labels, self.costs = array("i", bytes(4 * room)), array("d", bytes(8 * room))
        self.mix = array("d", [rate * exp(mass) for rate, _, mass in zip(*lanes, strict=True)])

    # --- Points ------------------------------------------------------------------------------------

    def place(self, x: object) -> cython.bint:
        """Make x the current point."""
        if not self.inner.place(x):
            return False
        self.arrive()
        return True

    def for_ticket(self, x: object) -> object:
        """Return the data that a ticket keeps about x."""
        return self.inner.for_ticket(x)

    def place_at(self, i: cython.Py_ssize_t) -> cython.int:
        """Make the i-th point of the batch the current one."""
        self.inner.place_at(i)
        self.arrive()
        return 0

    def arrive(self) -> cython.void:
        """Detect if the current point has changed."""
        if not self.inner.seen:
            self.seen = self.known = False

    def warm(self, first: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Prefetch memory for the next points of the batch."""
        self.inner.warm(first, stop)

    def reserve(self) -> cython.int:
        """Make room for one more round."""
        return self.inner.reserve()

    # --- A round -----------------------------------------------------------------------------------

    @cython.locals(i=cython.Py_ssize_t, k=cython.Py_ssize_t, one=cython.double, whole=cython.double)
    def look(self) -> cython.void:
        """Compute the odds from the weights of all lanes, each times its rate."""
        one = whole = 0.0
        for i in range(self.lanes):
            self.one[i] = self.whole[i] = 0.0
        for i in range(len(self.leaves)):
            cython.cast(RoundKernel, self.leaves[i]).look_lanes(self.one, self.whole)
        for k in range(self.followers):
            self.votes[k] = cython.cast(RoundKernel, self.leaves[self.chosen[k]]).says(k)
            for i in range(self.lanes):
                whole = self.followed[k * self.lanes + i]
                self.whole[i] += whole
                self.one[i] += whole if self.votes[k] else 0.0
        whole = 0.0
        for i in range(self.lanes):
            one += self.mix[i] * self.one[i]
            whole += self.mix[i] * self.whole[i]
        self.p = min(1.0, max(0.0, one / whole))
        self.log_odds = log(self.p) - log(1.0 - self.p) if 0.0 < self.p < 1.0 else inf if self.p > 0.5 else -inf
        self.inner.spell()
        self.word = self.inner.word

    def refresh_all(self, k: cython.Py_ssize_t, since: cython.longlong, until: cython.longlong) -> cython.void:
        """Update a window in all leaves, and choose the leaf with its best rule."""
        best: cython.double = inf
        for i in range(len(self.leaves)):
            loss = cython.cast(RoundKernel, self.leaves[i]).refresh(k, since, until, self.labels, self.costs)
            if loss < best:
                best = loss
                self.chosen[k] = i

    @cython.locals(i=cython.Py_ssize_t, k=cython.Py_ssize_t, wrong=cython.double)
    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Add the point, charge the rules that are wrong there, and share."""
        place: cython.Py_ssize_t = self.clock % len(self.costs) if cost > 0.0 else -1
        loss: cython.double = cost / self.unit * (1.0 - self.p if label else self.p)
        for i in range(self.lanes):
            if self.lanes == 1:
                wrong = exp(-self.eta * cost)
                self.right1[i], self.right0[i] = (1.0, wrong) if label else (wrong, 1.0)
            else:
                wrong = loss - cost / self.unit
                self.right1[i] = 1.0 + self.rates[i] * (loss if label else wrong)
                self.right0[i] = 1.0 + self.rates[i] * (wrong if label else loss)
        for i in range(len(self.leaves)):
            cython.cast(RoundKernel, self.leaves[i]).take_lanes(label, cost, self.right1, self.right0, place)
        self.inner.seen = self.inner.known = False
        if place < 0:
            return
        for k in range(self.followers):
            for i in range(self.lanes):
                self.followed[k * self.lanes + i] *= self.right1[i] if self.votes[k] else self.right0[i]
        self.labels[place], self.costs[place] = label, cost
        self.clock += 1
        self.deal_out()
        if self.lanes > 1:
            self.spread += max(loss, 1.0 - loss) ** 2
            for i in range(self.lanes):
                if i == 0 or self.rates[i] != self.rates[i - 1]:
                    self.beyond[i] += loss - log1p(self.rates[i] * loss) / self.rates[i]
        for k in range(1, self.followers):
            if self.clock % step(self.spans[k]) == 0:
                self.refresh_all(k, self.clock - step(self.spans[k]), self.clock)
        if self.followers and self.clock >= self.next:
            self.refresh_all(0, self.clock, self.clock)
            self.next = self.clock + step(self.clock)

    def deal_out(self) -> cython.void:
        """Normalise each lane to 1, and redistribute its share according to the prior."""
        top: cython.double = -inf
        for i in range(self.lanes):
            self.whole[i] = 0.0
        for i in range(len(self.leaves)):
            cython.cast(RoundKernel, self.leaves[i]).add_lanes(self.whole)
        for k in range(self.followers):
            for i in range(self.lanes):
                self.whole[i] += self.followed[k * self.lanes + i]
        for i in range(self.lanes):
            share = 1.0 / (self.clock + 1.0) if self.shares[i] < 0.0 else self.shares[i]
            self.log_scale[i] += log(self.whole[i])
            self.one[i], self.whole[i] = (1.0 - share) / self.whole[i], share
            top = max(top, self.log_scale[i])
        for i in range(len(self.leaves)):
            cython.cast(RoundKernel, self.leaves[i]).share_lanes(self.one, self.whole)
        for k in range(self.followers):
            for i in range(self.lanes):
                weight = self.followed[k * self.lanes + i]
                self.followed[k * self.lanes + i] = self.one[i] * weight + self.whole[i] * self.part
        for i in range(self.lanes):
            self.mix[i] = self.rates[i] * exp(self.log_scale[i] - top)

    # --- Account -----------------------------------------------------------------------------------

    def least(self) -> cython.double:
        """L*: the least loss of a rule over all rounds."""
        return self.inner.least()

    def log_total(self) -> cython.double:
        """Return ln of the sum of weights, each times e^(eta L*); the single lane has the learner's rate."""
        return self.log_scale[0] + self.eta * self.least() if self.lanes == 1 else inf - inf

    def count(self) -> cython.longlong:
        """Return the number of rules."""
        return self.inner.count()

    def ask(self) -> cython.void:
        """Count the queries, as without sharing."""
        self.inner.ask()
        self.inner.seen = True
        RoundKernel.ask(self)

    def kept(self) -> dict[str, Any]:
        """Return the state for a file."""
        names = {"log_scale": self.log_scale, "followed": self.followed, "beyond": self.beyond, "mix": self.mix}
        arrays: dict[str, Any] = {**names, "labels": self.labels, "costs": self.costs, "chosen": self.chosen}
        return {name: np.array(value) for name, value in arrays.items()} | {
            "clock": int(self.clock),
            "next": int(self.next),
            "spread": float(self.spread),
        }

    def resume(self, kept: dict[str, Any]) -> None:
        """Restore the checked result of :meth:`kept`."""
        # Views, because interpreted code then reads Python numbers and not NumPy's.
        views = {name: memoryview(value.copy()) for name, value in kept.items() if isinstance(value, np.ndarray)}
        self.log_scale, self.followed = views["log_scale"], views["followed"]
        self.beyond, self.mix = views["beyond"], views["mix"]
        self.labels, self.costs, self.chosen = views["labels"], views["costs"], views["chosen"]
        self.clock, self.next, self.spread = kept["clock"], kept["next"], kept["spread"]
        self.seen = self.known = False
        for k in range(1, self.followers):  # windows are filled again from the last rounds
            each = step(self.spans[k])
            t = max(0, self.clock // each * each + -self.spans[k] // each * each)
            while t + each <= self.clock:
                self.refresh_all(k, t, t + each)
                t += each


def step(span: cython.longlong) -> cython.longlong:
    """Return the number of rounds between two updates of a window: 4 % of its span."""
    return span // 25 if span >= 25 else 1


def ring_size(spans: Any) -> int:
    """Return the number of last rounds that must be stored."""
    longest = max(spans, default=0)
    return longest + step(longest) + 1 if longest else 1  # type: ignore[no-any-return]


class Window:
    """Points in order, each with the cost of predicting 0 there (negative for a label 0), and the best cut.

    They are those of the last ``span`` rounds (0: all), and are updated once in :func:`step` rounds.
    """

    def __init__(self, span: int) -> None:
        self.span, self.count, self.fresh, self.half, self.room = span, 0, 0, 0, 0
        self.keys, self.rounds, self.gains = array("q"), array("q"), array("d")
        self.loss, self.rises, self.low, self.high, self.side0, self.side1 = 0.0, True, LOWEST, LOWEST, 0.0, 0.0
        self.grow(span + step(span) + 1)

    def grow(self, room: cython.Py_ssize_t) -> cython.int:
        """Allocate two halves of this size, one of them in use, and room at the end for rounds that will enter."""
        self.keys, self.gains = longer(self.keys, 3 * room), longer(self.gains, 3 * room)
        self.rounds, self.room = longer(self.rounds, 3 * room), room
        return 0

    def enter(self, key: cython.longlong, gain: cython.double, t: cython.longlong) -> cython.void:
        """Queue a round to enter, in order."""
        i: cython.Py_ssize_t = 2 * self.room + self.fresh
        while i > 2 * self.room and self.keys[i - 1] > key:
            self.keys[i], self.gains[i], self.rounds[i] = self.keys[i - 1], self.gains[i - 1], self.rounds[i - 1]
            i -= 1
        self.keys[i], self.gains[i], self.rounds[i] = key, gain, t
        self.fresh += 1

    @cython.locals(old=cython.Py_ssize_t, new=cython.Py_ssize_t, to=cython.Py_ssize_t, limit=cython.longlong)
    def merge(self, until: cython.longlong) -> cython.void:
        """Add the queued rounds, and remove those that are more than a span old."""
        end: cython.Py_ssize_t = self.half * self.room + self.count
        old, self.half = self.half * self.room, 1 - self.half
        to = self.half * self.room
        for new in range(2 * self.room, 2 * self.room + self.fresh + 1):
            limit = self.keys[new] if new < 2 * self.room + self.fresh else HIGHEST
            while old < end and self.keys[old] <= limit:
                self.keys[to], self.gains[to], self.rounds[to] = self.keys[old], self.gains[old], self.rounds[old]
                to += self.rounds[old] + self.span >= until
                old += 1
            if new < 2 * self.room + self.fresh:
                self.keys[to], self.gains[to], self.rounds[to] = limit, self.gains[new], self.rounds[new]
                to += 1
        self.count, self.fresh = to - self.half * self.room, 0

    @cython.locals(i=cython.Py_ssize_t, at=cython.Py_ssize_t, other=cython.Py_ssize_t, zeros=cython.double)
    @cython.locals(least=cython.double, most=cython.double, over=cython.double, total=cython.double)
    def choose(self, falls: cython.bint, single: cython.bint) -> cython.void:
        """Find the best cut among rising rules and, if ``falls``, falling ones.

        If rules are about ``single`` points, it is the point with the least or largest gain. Rounds without a point
        come first, at ``LOWEST``; they count in ``side0`` and ``side1``, the losses of 0 and 1 there.
        """
        first: cython.Py_ssize_t = self.half * self.room
        end: cython.Py_ssize_t = first + self.count
        while first < end and self.keys[first] == LOWEST:
            self.side0 += self.gains[first] if self.gains[first] > 0.0 else 0.0
            self.side1 -= self.gains[first] if self.gains[first] < 0.0 else 0.0
            first += 1
        at = other = first - 1  # the last point to the left of the best cut, per direction
        least = most = over = zeros = total = 0.0
        for i in range(first, end):
            over += self.gains[i]
            total += self.gains[i]
            zeros -= self.gains[i] if self.gains[i] < 0.0 else 0.0
            if i + 1 == end or self.keys[i + 1] != self.keys[i]:
                if over < least:
                    least, at = over, i
                if over > most:
                    most, other = over, i
                over = 0.0 if single else over
        if single:
            total, zeros = total + self.side0 - self.side1, zeros + self.side1
        self.rises = not falls or least + most <= total
        self.loss = zeros + (least if self.rises else total - most)
        self.loss += 0.0 if single else min(self.side0, self.side1)
        at = at if self.rises else other
        self.low = self.keys[at] if at >= first else LOWEST
        self.high = LOWEST if at < first else self.keys[at + 1] if at + 1 < end else HIGHEST
