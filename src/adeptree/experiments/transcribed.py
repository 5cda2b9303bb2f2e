"""The paper's algorithms once more, line by line and slowly: what the library's numbers are compared with.

Nothing of ``theory/``, ``learners/`` or any frontier is used. A class is the list of its concepts, an oracle's answer
is looked up in that list, weights are whole numbers times e^(-eta L), and every formula is written out where it is
used. The stream is one that was played: each function takes its rounds (x, y) and returns what would have been said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from adeptree.roles.base_learner import StateMachine

Concepts = tuple[int, ...]
"""Some concepts of the list, by their places."""
Pairs = Sequence[tuple[Any, int]]


@dataclass(frozen=True)
class Told:
    """What a transcribed algorithm says: the chance of guessing 1 and the prefixes of each round, and its bound."""

    p: list[float] = field(default_factory=list)
    widths: list[int] = field(default_factory=list)
    queries: list[int] = field(default_factory=list)
    bound: float = math.nan
    """ln(1/pi)/eta + Delta at the end, where there is one."""


class Listed:
    """A class as the list of its concepts, and the Standard Optimal Algorithm on it."""

    def __init__(self, points: Iterable[Any], table: Iterable[Sequence[int]]) -> None:
        place = {x: i for i, x in enumerate(points)}
        self.labels = [tuple(int(label) for label in row) for row in table]
        self.place: Callable[[Any], int] = place.__getitem__
        self.dimension = cache(self._dimension)

    @property
    def all(self) -> Concepts:
        """All of them."""
        return tuple(range(len(self.labels)))

    def with_label(self, concepts: Concepts, x: Any, label: int) -> Concepts:
        """Return those that say the label at x: none, if the sample that gave the others is then unrealizable."""
        return tuple(c for c in concepts if self.labels[c][self.place(x)] == label)

    def _dimension(self, concepts: Concepts) -> int:
        """Return the Littlestone dimension: the deepest tree that they shatter, -1 of none."""
        if len(concepts) < 2:
            return len(concepts) - 1
        deepest = 0
        for i in range(len(self.labels[0])):
            sides = [tuple(c for c in concepts if self.labels[c][i] == label) for label in (0, 1)]
            if all(sides):
                deepest = max(deepest, 1 + min(map(self.dimension, sides)))
        return deepest

    # SOA as the paper's A: its state is the concepts that are left.

    def start(self) -> Concepts:
        """Return all of them."""
        return self.all

    def predict(self, concepts: Concepts, x: Any) -> int:
        """Return the label that leaves the larger dimension, 0 where both do."""
        zero, one = (self.dimension(self.with_label(concepts, x, label)) for label in (0, 1))
        return int(one > zero)

    update = with_label


@dataclass(frozen=True)
class Prefix:
    """v: the concepts that follow it, the state of A, k(v), n(v) (where both labels were realizable) and L(v)."""

    concepts: Concepts
    state: Any
    mistakes: int = 0
    contested: int = 0
    loss: int = 0
    labels: int = 0
    """As the digits of a binary number."""


def extensions(listed: Listed, A: StateMachine, active: Collection[Prefix], x: Any, M: int) -> list[tuple[Prefix, int]]:
    """Step 2 of Algorithm 2: the extensions u = v∘b that survive both prunings, with b."""
    found = []
    for v in active:
        sides = [listed.with_label(v.concepts, x, b) for b in (0, 1)]
        both = all(sides)
        guess = A.predict(v.state, x) if both else int(bool(sides[1]))
        for b in (0, 1):
            mistakes = v.mistakes + (b != guess)
            if sides[b] and mistakes <= M:
                state, labels = A.update(v.state, x, b), 2 * v.labels + b
                u = Prefix(sides[b], state, mistakes, v.contested + both, v.loss, labels)
                found.append((u, b))
    return found


def share_of_ones(weights: Sequence[float], labels: Sequence[int]) -> float:
    """Step 3: the share of the weight that says 1."""
    return math.fsum(w for w, b in zip(weights, labels, strict=True) if b) / math.fsum(weights)


def charged(found: Iterable[tuple[Prefix, int]], y: int) -> list[Prefix]:
    """Step 4: L_t(u) = L_{t-1}(v) + [u_t != y_t]."""
    return [replace(u, loss=u.loss + (b != y)) for u, b in found]


def log_experts(T: int, M: int) -> float:
    """ln N, N the number of schedules of at most M mistakes."""
    return math.log(sum(math.comb(T, j) for j in range(M + 1)))


def paper_rate(T: int, M: int) -> float:
    """Initialize (iv) of Algorithm 2."""
    return math.sqrt(8 * M * math.log(math.e * T / M) / T)


def first_order_rate(T: int, M: int, best: int) -> float:
    """The corollary's rate, with the constants of docs/paper-to-code.md."""
    return min(0.5, math.sqrt(log_experts(T, M) / (best + 1)))


def algorithm_2(
    listed: Listed,
    A: StateMachine,
    rounds: Pairs,
    T: int,
    M: int,
    rate: str = "paper",
    commits: Collection[int] | None = None,
) -> Told:
    """Algorithm 2 of T rounds. With ``commits`` its lazy rollback version: only those rounds are committed.

    "first-order, kept" is the corollary's rate until L* + 1 has grown by 5 % (docs/anytime.md, section 5).
    """
    active, told, r, kept = [Prefix(listed.all, A.start())], Told(), 0, 0
    eta = paper_rate(T, M)
    for t, (x, y) in enumerate(rounds, start=1):
        best = min(v.loss for v in active)
        if rate != "paper" and best >= kept:
            eta = first_order_rate(T, M, best)
            kept = max(best + 1, math.ceil((best + 1) * 1.05) - 1) if rate == "first-order, kept" else 0
        found = extensions(listed, A, active, x, M)
        left = max(0, T - (r + 1))
        weights = [
            sum(math.comb(left, j) for j in range(M - u.mistakes + 1)) * math.exp(-eta * (u.loss - best))
            for u, _ in found
        ]
        told.p.append(share_of_ones(weights, [b for _, b in found]))
        told.queries.append(2 * len(active))
        if commits is None or t in commits:
            active, r = charged(found, y), r + 1
        told.widths.append(len(active))
    return told


def algorithm_1(listed: Listed, rounds: Pairs, T: int, M: int, delete: bool) -> Told:
    """Algorithm 1: Hedge over all schedules of at most M mistakes; ``delete`` those that are no longer realizable.

    An expert is a schedule, the concepts that agree with all its labels (none, once they are unrealizable) and its
    loss. The base learner is SOA.
    """
    eta, told = paper_rate(T, M), Told()
    schedules = [schedule for schedule in range(1 << T) if schedule.bit_count() <= M]
    experts = [(schedule, listed.all, 0) for schedule in schedules]
    for t, (x, y) in enumerate(rounds):
        said = []
        for schedule, concepts, loss in experts:
            label = listed.predict(concepts, x) ^ (schedule >> t & 1)
            said.append((schedule, listed.with_label(concepts, x, label), loss, label))
        if delete:
            said = [expert for expert in said if expert[1]]
        told.p.append(share_of_ones([math.exp(-eta * loss) for *_, loss, _ in said], [label for *_, label in said]))
        experts = [(schedule, concepts, loss + (label != y)) for schedule, concepts, loss, label in said]
        told.widths.append(len(experts))
    return told


SPARSE = (8, 64, 512)


def log_beta(k: int, n: int, b: float) -> float:
    """ln B(k + 1/2, n - k + b) / B(1/2, b)."""
    whole = math.lgamma(0.5) + math.lgamma(b) - math.lgamma(0.5 + b)
    return math.lgamma(k + 0.5) + math.lgamma(n - k + b) - math.lgamma(n + 0.5 + b) - whole


class Mixed:
    """The default prior: KT, rules on which the base hardly errs and, if counted, shares of concepts, a part each."""

    def __init__(self, concepts: int | None, M: int) -> None:
        self.concepts, self.M = concepts, M
        self.floor = 1 / 2 if concepts else 1 / 4

    def see(self, x: Any) -> None:
        """Take note of a point."""

    def mass(self, u: Prefix) -> float:
        """pi(u)."""
        parts = [math.exp(log_beta(u.mistakes, u.contested, 0.5))]
        parts.append(sum(math.exp(log_beta(u.mistakes, u.contested, b)) for b in SPARSE) / len(SPARSE))
        if self.concepts:
            parts.append(len(u.concepts) / self.concepts)
        return sum(parts) / len(parts)

    def cost(self, best: Sequence[Prefix]) -> float:
        """ln(1/pi) of a prefix of least loss."""
        return -math.log(max(map(self.mass, best)))

    def price(self, t: int) -> float:
        """K_t: what no prefix exceeds."""
        m = min(self.M, t)
        kt = min(t * math.log(2), m * math.log(math.e * t / m)) + math.log(t) / 2 + math.log(2)
        return min(kt, math.log(self.concepts)) + math.log(3) if self.concepts else kt + math.log(2)


class KT(Mixed):
    """The KT prior alone."""

    def __init__(self, M: int) -> None:
        super().__init__(None, M)

    def mass(self, u: Prefix) -> float:
        """Of Krichevsky and Trofimov."""
        return math.exp(log_beta(u.mistakes, u.contested, 0.5))

    def price(self, t: int) -> float:
        """Nothing for a choice among parts."""
        return super().price(t) - math.log(2)


class TwoCuts(Mixed):
    """Two cuts, each drawn by itself from the prior of thresholds: an interval is where exactly one is passed."""

    def __init__(self, thresholds: Listed, A: StateMachine, M: int) -> None:
        super().__init__(len(thresholds.labels), M)
        self.thresholds, self.A = thresholds, A
        self.one = [Prefix(thresholds.all, A.start())]
        self.by_labels: dict[int, float] = {}

    def see(self, x: Any) -> None:
        """Extend the thresholds, and draw both cuts."""
        self.one = [u for u, _ in extensions(self.thresholds, self.A, self.one, x, self.M)]
        masses, self.by_labels = [(u.labels, super(TwoCuts, self).mass(u)) for u in self.one], {}
        for first, p in masses:
            for second, q in masses:
                self.by_labels[first ^ second] = self.by_labels.get(first ^ second, 0.0) + p * q

    def mass(self, u: Prefix) -> float:
        """The chance of the labels."""
        return self.by_labels[u.labels]

    def cost(self, best: Sequence[Prefix]) -> float:
        """Of all labels of least loss together, which is less."""
        return -math.log(math.fsum(map(self.mass, best)))

    def price(self, t: int) -> float:
        """Twice that of one."""
        return 2 * super().price(t)


def anytime(listed: Listed, A: StateMachine, rounds: Pairs, M: int, prior: Mixed) -> Told:
    """The default learner, which needs neither T nor M: docs/anytime.md, Theorem A."""
    active, told = [Prefix(listed.all, A.start())], Told()
    eta, kappa, gap, last = 4.0, 2.0, 0.0, 4.0
    for t, (x, y) in enumerate(rounds, start=1):
        prior.see(x)
        found = extensions(listed, A, active, x, M)
        best = min(v.loss for v in active)
        weights = [prior.mass(u) * math.exp(-eta * (u.loss - best)) for u, _ in found]
        p = share_of_ones(weights, [b for _, b in found])
        loss = abs(p - y)
        gap += loss + math.log(1 - loss + loss * math.exp(-eta)) / eta
        active, last = charged(found, y), eta
        least = min(v.loss for v in active)
        cost = prior.cost([v for v in active if v.loss == least])
        if gap >= 2 * 1.05 * kappa / eta:
            kappa = max(kappa, cost, prior.price(t) * prior.floor / 2)
            eta = min(eta, 2 * kappa / gap)
        told.p.append(p)
        told.widths.append(len(active))
    return Told(told.p, told.widths, bound=min(cost / last + gap, float(len(rounds))))
