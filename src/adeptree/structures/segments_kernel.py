"""One rule per segment: a product of structures, one for each segment.

A point is a pair of a segment's name and a point of its structure. A path is a path in every segment; its mass and
weight are products, and its loss is a sum. So p is that of the point's segment, and only its structure changes in a
round. All segments without rounds are equal: one structure represents them, until a round assigns it to a segment.
Lines share one arena, with a root each (``ArenaKernel``); a segment then takes a few hundred bytes.

**Two levels.** One learner for all rows and one per segment, each with a separate rate (``rate_each``), are combined by
Hedge. Each learner has an adaptive rate, like ``Adaptive`` of ``learners/rates.py``, and an excess: its loss as
answered minus its mix loss as settled. The rate of the kernel is the rate of Hedge, whose two experts follow one part
each (``docs/theory/decide.md``, Segments).
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import inf, log, log2, nan

    from adeptree.core.arrays_kernel import longer
    from adeptree.roles.actions_kernel import sigmoid
    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.structures.line_tree_kernel import LineTree
    from adeptree.structures.mixture_kernel import MixtureKernel
    from adeptree.theory.ledger_kernel import Ledger, mixability_gap

EACH = cython.declare(cython.Py_ssize_t, 6)  # numbers of a line: root, zeros, charged, cells, clock, ln Z
MANY = cython.declare(cython.double, 2.0**60)
OWN = cython.declare(cython.Py_ssize_t, 5)  # of a part with its own rate: rate, kappa, excess, rounds, last rate
KAPPA = cython.declare(cython.double, 2.0)
FIRST = cython.declare(cython.double, 4.0)  # the first rate, in units of 1 / W
GRID = cython.declare(cython.double, 1.05)
STEPS = cython.declare(cython.double, 8.0)  # number of tabulated prices per doubling of the rounds
NOTHING = cython.declare(cython.double, 745.0)


class SegmentsKernel(RoundKernel):
    """The segments; ``make`` returns the engine of a new one, whose total mass is 1."""

    def __init__(self, make: Any) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        self.make, self.engines, self.parts = make, [], []
        self.places, self.name, self.own = {}, "", array("d")
        self.rated, self.first_rate, self.by, self.column = False, 0.0, None, None
        self.lost = self.log_sum = 0.0
        self.paths = 1.0
        self.begin(0)
        self.visit(0)

    def begin(self, k: cython.Py_ssize_t) -> cython.int:
        """Make the structure of the k-th segment."""
        engine: Any = self.make()
        engine.rate = self.eta
        self.engines.append(engine)
        self.parts.append(engine.kernel)
        return 0

    def visit(self, k: cython.Py_ssize_t) -> cython.void:
        """Make the structure of the k-th segment the current ``part``."""
        self.at = -1  # an interrupted interpreted call visits again next time
        self.part = cython.cast(RoundKernel, self.parts[k])
        self.at = k

    def keep(self) -> cython.void:
        """Store the changes of a round in the current structure."""

    def follow_rate(self) -> cython.int:
        """Set the rate of the current structure: that of all segments, or its own."""
        self.part.set_rate(self.own[OWN * self.at] if self.rated else self.eta)
        return 0

    def price(self) -> cython.double:
        """Return ln(1 / prior mass) of the best rule of the current segment."""
        price: cython.double = self.engines[self.at].price()
        return price

    def rate_each(self) -> cython.int:
        """Give every segment a separate rate, before the first round."""
        self.rated, self.own = True, array("d", bytes(8 * OWN))
        return 0

    def meet(self, name: object) -> cython.int:
        """Assign a structure to a new segment, and make the next unused one."""
        count: cython.Py_ssize_t = len(self.places)
        k: cython.Py_ssize_t = OWN * count
        self.begin(count + 1)
        if self.rated:
            if k + 2 * OWN > len(self.own):
                self.own = longer(self.own, k + (k >> 3) + 8 * OWN)
            self.own[k], self.own[k + 1] = self.first_rate, KAPPA
            self.own[k + 4] = self.first_rate if self.first_rate > 0.0 else 1.0  # many rates: prices at rate 1
        self.visit(count)
        if self.rated:
            self.follow_rate()
        self.places[name] = count
        self.paths *= self.part.count()
        return 0

    # --- Rounds ------------------------------------------------------------------------------------

    def place(self, x: object) -> cython.bint:
        """Make a pair (name, point of the segment), or a row with both, the current point."""
        k: cython.Py_ssize_t
        if type(x) is dict and self.by is not None:
            name, value = x.get(self.by), x if self.column is None else x.get(self.column)
            if type(name) is int and -MANY < name < MANY:
                name = str(name)
            name = "" if name is None else name
        elif type(x) is tuple and len(x) == 2:
            name, value = x
        else:
            return False
        if type(name) is not str:
            return False
        k = self.places.get(name, len(self.places))
        if k != self.at:
            self.visit(k)
            self.seen = self.known = self.part.seen = False
        if not self.part.place(value):
            self.discard()
            return False
        self.name = name
        if not self.part.seen:
            self.seen = self.known = False
        return True

    def look(self) -> cython.void:
        """Compute the odds in the segment; the other segments have the same weight on both sides."""
        self.part.look()
        self.p, self.word = self.part.p, self.part.word

    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1."""
        return self.part.log_ratio()

    def reserve(self) -> cython.int:
        """Allocate room for one more round; a new segment keeps its structure."""
        if self.at == len(self.places):
            self.meet(self.name)
        return self.part.reserve()

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Add the point and charge the rules that are wrong there."""
        part: RoundKernel = self.part
        self.count_out()
        part.take(label, cost)
        part.seen = part.known = False
        self.count_in()
        self.keep()

    def count_out(self) -> cython.void:
        """Subtract the current segment from the totals."""
        self.lost -= self.part.least()
        self.paths /= self.part.count()
        if not self.rated:
            self.log_sum -= self.part.log_total()

    def count_in(self) -> cython.void:
        """Add the current segment to the totals."""
        self.lost += self.part.least()
        self.paths *= self.part.count()
        if not self.rated:
            self.log_sum += self.part.log_total()

    def slow_down(self) -> cython.int:
        """Apply the new rate of the current segment."""
        self.visit(self.at)
        return self.follow_rate()

    # --- Account -----------------------------------------------------------------------------------

    def least(self) -> cython.double:
        """L*: the sum of the least losses."""
        return self.lost

    def log_total(self) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - L*)) over all segments, at one rate."""
        return inf - inf if self.rated else self.log_sum

    def count(self) -> cython.longlong:
        """Return the number of paths, a product over segments; 2^60 stands for that number or more."""
        return cython.cast(cython.longlong, self.paths if self.paths < MANY else MANY)

    def ask(self) -> cython.void:
        """Count the queries, 2 per path; 2^61 stands for that number or more."""
        most: cython.longlong = 2305843009213693952
        self.part.ask()  # it may be a mixture, which counts in its parts
        self.part.seen = True
        self.asked = min(self.asked + 2 * self.count(), most)

    def rebuild(self) -> cython.void:
        """Compute the sums that depend on the rate again, in every segment."""
        k: cython.Py_ssize_t = len(self.places)
        at: cython.Py_ssize_t = max(self.at, 0)
        self.visit(k)  # the unassigned structure: its weight is the mass of one segment
        self.follow_rate()
        self.lost, self.log_sum, self.paths = 0.0, 0.0 if self.rated else -k * self.part.log_total(), 1.0
        while k > 0:
            k -= 1
            self.visit(k)
            self.follow_rate()
            self.count_in()
        self.visit(at)

    def discard(self) -> None:
        """Discard the prediction at the current point."""
        RoundKernel.discard(self)
        self.part.discard()


class ArenaKernel(SegmentsKernel):
    """Segments on a new ``line`` (thresholds of one or both directions), each with a tree in its arena."""

    def __init__(self, line: LineTree) -> None:
        line.smallest = 1  # most segments have few points
        self.line = self.part = line
        self.kept = array("d")
        SegmentsKernel.__init__(self, None)

    def begin(self, k: cython.Py_ssize_t) -> cython.int:
        """Create the tree of the k-th segment, with one gap."""
        if EACH * (k + 1) > len(self.kept):
            self.kept = longer(self.kept, EACH * (k + (k >> 3) + 8))
        self.kept[EACH * k], self.kept[EACH * k + 3] = self.line.new_root(), 1.0
        self.kept[EACH * k + 1] = self.kept[EACH * k + 2] = self.kept[EACH * k + 4] = self.kept[EACH * k + 5] = 0.0
        return 0

    def visit(self, k: cython.Py_ssize_t) -> cython.void:
        """Make the tree of the k-th segment the current one."""
        line: LineTree = self.line
        self.at = -1
        line.root = cython.cast(cython.Py_ssize_t, self.kept[EACH * k])
        line.cells = cython.cast(cython.longlong, self.kept[EACH * k + 3])
        line.zeros, line.charged = self.kept[EACH * k + 1], self.kept[EACH * k + 2]
        line.clock, line.log_z = self.kept[EACH * k + 4], self.kept[EACH * k + 5]
        if self.rated:
            line.eta = self.own[OWN * k]
            line.nothing = NOTHING / line.eta if line.eta > 0.0 else inf
        self.at = k

    def keep(self) -> cython.void:
        """Store the changes of a round in the line."""
        k: cython.Py_ssize_t = EACH * self.at
        self.kept[k + 1], self.kept[k + 2], self.kept[k + 3] = self.line.zeros, self.line.charged, self.line.cells
        self.kept[k + 4], self.kept[k + 5] = self.line.clock, self.line.log_z

    def follow_rate(self) -> cython.int:
        """Update the sums of the current tree at its rate; at one common rate all trees share a table of e^(-eta k)."""
        if self.rated:
            self.line.table = 0
        if self.rated or self.line.eta == self.eta:
            self.line.sum_again()
        else:
            self.line.eta = self.eta
            self.line.rebuild()
        return 0

    def price(self) -> cython.double:
        """Return ln(1 / prior mass) of the best rule of the current tree."""
        leader: Any = self.line.leader()  # type: ignore[attr-defined]
        mass: cython.double = leader[3]
        return -log(mass) if mass < 1.0 else 0.0

    def rate_each(self) -> cython.int:
        """Give every segment a separate rate, before the first round."""
        self.line.longest, self.line.table = 0.0, 0
        return SegmentsKernel.rate_each(self)


class TwoLevelsKernel(MixtureKernel):
    """Hedge over a structure for all rows and a structure per segment, with separate rates.

    ``price`` returns the price of the best rule for all rows. ``prices[i]`` is the largest price of a rule after
    ceil(2^(i/8)) rounds (0: not known), and ``floor`` the share of it that a rate assumes.
    """

    def __init__(
        self, parts: Any, names: Any, readers: Any, log_shares: Any, word_of: Any, price: Any, prices: Any, floor: float
    ) -> None:
        MixtureKernel.__init__(self, parts, names, readers, log_shares, word_of)
        self.pooled, self.segments, self.price, self.first_rate = parts[0], parts[1], price, FIRST
        self.prices, self.floor = array("d", prices), floor
        self.own, self.lost = array("d", [0.0, KAPPA, 0.0, 0.0, 0.0]), array("d", [0.0, 0.0])
        self.said = {}  # the predictions of both parts for every ticket
        self.ticket = 0  # the ticket whose label comes
        self.odds = 0.0  # ln of the weight of the first part over that of the second
        self.first = self.second = 0.5  # predictions of the parts at the current point

    def follow(self, pooled: RoundKernel, segments: SegmentsKernel) -> None:
        """Follow parts with many rates each: their rate is 0 here, and their bound is a price at rate 1."""
        self.pooled, self.segments, self.first_rate = pooled, segments, 0.0
        self.own[4] = 1.0

    # --- Points ------------------------------------------------------------------------------------

    def place(self, x: object) -> cython.bint:
        """Make a row the current one, or that of a ticket: a pair of the row and the ticket's number."""
        ticket: cython.longlong = 0
        if type(x) is tuple and len(x) == 2:
            x, ticket = x
        if not MixtureKernel.place(self, x):
            return False
        if ticket != self.ticket:
            self.ticket, self.known = ticket, False
        return True

    def look(self) -> cython.void:
        """Average the parts by their weights; for a ticket, their predictions when it was answered."""
        self.look_at_parts()
        self.first, self.second = self.pooled.p, self.segments.p
        if self.ticket != 0 and self.ticket in self.said:
            self.first, self.second = self.said[self.ticket]
        self.odds = self.eta * (self.lost[1] - self.lost[0])
        self.p = min(1.0, sigmoid(self.odds) * self.first + sigmoid(-self.odds) * self.second)

    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1."""
        return log(self.p / (1.0 - self.p)) if 0.0 < self.p < 1.0 else inf if self.p > 0.5 else -inf

    def reserve(self) -> cython.int:
        """Make room for one more round."""
        self.segments.first_rate = self.first_rate / self.scale
        return MixtureKernel.reserve(self)

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Add the row, charge both parts, and update their rates."""
        at: cython.Py_ssize_t = OWN * self.segments.at
        if self.opening:
            self.said[self.ledger.answered + 1] = (self.first, self.second)
            MixtureKernel.take(self, label, cost)
            return
        one: cython.double = cost * (1.0 - self.first if label else self.first)
        two: cython.double = cost * (1.0 - self.second if label else self.second)
        # Hedge's mix loss is that of two experts whose losses differ by this amount.
        if two > one:
            self.ledger.own_gap = mixability_gap(sigmoid(-self.odds), -self.odds, self.eta, two - one)
        else:
            self.ledger.own_gap = mixability_gap(sigmoid(self.odds), self.odds, self.eta, one - two)
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
        """Charge the account of a part with the loss of its prediction, just before it takes the round."""
        now: cython.double = 1.0 - part.p if label else part.p
        odds: cython.double = 0.0
        if own[at] * cost > 4.0:
            odds = -part.log_ratio() if label else part.log_ratio()
        own[at + 2] += lost - cost * now + mixability_gap(now, odds, own[at], cost)
        own[at + 3] += 1.0
        if own[at] > 0.0:
            own[at + 4] = own[at]

    def slower(self, own: cython.double[::1], at: cython.Py_ssize_t, each: cython.bint) -> cython.bint:
        """Lower the rate of the common part, or of the current segment, if its excess has outgrown the price."""
        kappa: cython.double = own[at + 1]
        if own[at] == 0.0 or own[at + 2] < 2.0 * GRID * kappa / own[at]:
            return False
        i = cython.cast(cython.Py_ssize_t, STEPS * log2(own[at + 3]))
        price: cython.double = nan
        while price != price:
            try:
                price = self.segments.price() if each else self.price()
            except KeyboardInterrupt as error:  # the round is charged: the learner raises this at its end
                self.raised = error
        kappa = max(kappa, max(price, self.prices[min(i, len(self.prices) - 1)] * self.floor / 2.0))
        own[at] = min(own[at], 2.0 * kappa / own[at + 2])
        own[at + 1] = kappa
        return True

    # --- Account -----------------------------------------------------------------------------------

    def rebuild(self) -> cython.void:
        """Set the first rate of the common part; later the rate of Hedge changes no weight of a part."""
        if self.own[3] == 0.0 and self.first_rate > 0.0:
            self.own[0] = self.own[4] = self.first_rate / self.scale
            self.pooled.set_rate(self.own[0])

    def proven(self) -> tuple[float, float]:
        """Return, for each part, the loss of its best rule plus the bound on its regret, minus its loss."""
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
