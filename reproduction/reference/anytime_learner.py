"""Reference implementation of the default learner, which needs neither T nor M, and of its priors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from reproduction.reference.listed_classes import Listed
from reproduction.reference.paper import Pairs, Prefix, StateMachine, Trace, charged, extensions, share_of_ones

SPARSE = (8, 64, 512)


def log_beta(k: int, n: int, b: float) -> float:
    """ln B(k + 1/2, n - k + b) / B(1/2, b)."""
    whole = math.lgamma(0.5) + math.lgamma(b) - math.lgamma(0.5 + b)
    return math.lgamma(k + 0.5) + math.lgamma(n - k + b) - math.lgamma(n + 0.5 + b) - whole


class Mixed:
    """The default prior: equal parts of KT, rules on which the base hardly errs and, if counted, uniform concepts."""

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
        """K_t: the largest cost of a prefix."""
        m = min(self.M, t)
        kt = min(t * math.log(2), m * math.log(math.e * t / m)) + math.log(t) / 2 + math.log(2)
        return min(kt, math.log(self.concepts)) + math.log(3) if self.concepts else kt + math.log(2)


class KT(Mixed):
    """The KT prior alone."""

    def __init__(self, M: int) -> None:
        super().__init__(None, M)

    def mass(self, u: Prefix) -> float:
        """The prior of Krichevsky and Trofimov."""
        return math.exp(log_beta(u.mistakes, u.contested, 0.5))

    def price(self, t: int) -> float:
        """Nothing for a choice among parts."""
        return super().price(t) - math.log(2)


class TwoCuts(Mixed):
    """Two cuts, drawn independently from the prior of thresholds: an interval is where exactly one is passed."""

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
        """The price of all labels of least loss together, which is smaller."""
        return -math.log(math.fsum(map(self.mass, best)))

    def price(self, t: int) -> float:
        """Twice that of one."""
        return 2 * super().price(t)


def anytime(concept_class: Listed, A: StateMachine, rounds: Pairs, M: int, prior: Mixed) -> Trace:
    """The default learner, which needs neither T nor M: docs/theory/anytime.md, Theorem A."""
    active, trace = [Prefix(concept_class.all, A.start())], Trace()
    eta, kappa, gap, last = 4.0, 2.0, 0.0, 4.0
    for t, (x, y) in enumerate(rounds, start=1):
        prior.see(x)
        found = extensions(concept_class, A, active, x, M)
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
        trace.p.append(p)
        trace.widths.append(len(active))
    return Trace(trace.p, widths=trace.widths, bound=min(cost / last + gap, float(len(rounds))))
