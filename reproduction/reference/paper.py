"""Reference implementation of the paper: Algorithms 1 and 2, line by line and slowly.

It imports nothing of adeptree. A class is the list of its concepts, and an oracle's answer is looked up in that list.
Weights are whole numbers times e^(-eta L), and every formula is written out where it is used. Each algorithm takes the
rounds (x, y) of a stream and returns the numbers that it would have predicted.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from reproduction.reference.listed_classes import Concepts, Labels, Listed

Pairs = Sequence[tuple[Any, int]]
Rate = str | float
""""paper", "first-order", "first-order, kept" (docs/theory/anytime.md, section 5) or a constant."""


class StateMachine(Protocol):
    """The base learner A of the paper, with its state passed explicitly."""

    def start(self) -> Any:
        """Return the state before the first round."""

    def predict(self, state: Any, x: Any, /) -> int:
        """Return the predicted label of x."""

    def update(self, state: Any, x: Any, y: int, /) -> Any:
        """Return the state after the label y at x."""


@dataclass(frozen=True)
class Trace:
    """The numbers of an algorithm on a stream, one entry per round."""

    p: list[float] = field(default_factory=list)
    """Chance of guessing 1."""
    active: list[list[Prefix]] = field(default_factory=list)
    """V_t, the active prefixes after the round."""
    widths: list[int] = field(default_factory=list)
    queries: list[int] = field(default_factory=list)
    bound: float = math.nan
    """ln(1/pi)/eta + Delta at the end, where there is one."""

    def history(self) -> list[dict[Labels, tuple[int, int]]]:
        """Return k(v) and L(v) of every active prefix v after each round."""
        return [
            {tuple(map(int, f"{v.labels:0{t}b}")): (v.mistakes, v.loss) for v in active}
            for t, active in enumerate(self.active, start=1)
        ]


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


def extensions(
    concept_class: Listed, A: StateMachine, active: Collection[Prefix], x: Any, M: int
) -> list[tuple[Prefix, int]]:
    """Step 2 of Algorithm 2: the extensions u = v∘b that survive both prunings, with b."""
    found = []
    for v in active:
        sides = [concept_class.with_label(v.concepts, x, b) for b in (0, 1)]
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


def capacity(n: int, r: int) -> int:
    """W: the number of schedules of n rounds with at most r mistakes."""
    return sum(math.comb(n, j) for j in range(r + 1))


def log_experts(T: int, M: int) -> float:
    """ln N, N the number of schedules of at most M mistakes."""
    return math.log(capacity(T, M))


def paper_rate(T: int, M: int) -> float:
    """Initialize (iv) of Algorithm 2; M is read as T where it is larger."""
    m = min(M, T)
    return math.sqrt(8 * m * math.log(math.e * T / m) / T) if m else 0.0


def first_order_rate(T: int, M: int, best: int) -> float:
    """The corollary's rate, with the constants of docs/evidence/paper-to-code.md."""
    return min(0.5, math.sqrt(log_experts(T, M) / (best + 1)))


def rate_at(rate: Rate, T: int, M: int, best: int) -> float:
    """Return eta where the best prefix has lost ``best``."""
    if isinstance(rate, float):
        return rate
    return paper_rate(T, M) if rate == "paper" else first_order_rate(T, M, best)


def regret_bound(T: int, M: int) -> float:
    """The main theorem's bound on the regret."""
    m = min(M, T)
    return math.sqrt(T * m * math.log(math.e * T / m) / 2) if m else 0.0


def algorithm_2(
    concept_class: Listed,
    A: StateMachine,
    rounds: Pairs,
    T: int,
    M: int,
    rate: Rate = "paper",
    commits: Collection[int] | None = None,
) -> Trace:
    """Algorithm 2 with horizon T. With ``commits`` its lazy rollback version: only those rounds are committed.

    "first-order, kept" is the corollary's rate until L* + 1 has grown by 5 % (docs/theory/anytime.md, section 5).
    """
    active, trace, r, kept = [Prefix(concept_class.all, A.start())], Trace(), 0, 0
    eta = math.nan
    for t, (x, y) in enumerate(rounds, start=1):
        best = min(v.loss for v in active)
        if best >= kept:
            eta = rate_at(rate, T, M, best)
            kept = max(best + 1, math.ceil((best + 1) * 1.05) - 1) if rate == "first-order, kept" else 0
        found = extensions(concept_class, A, active, x, M)
        left = max(0, T - (r + 1))
        weights = [capacity(left, M - u.mistakes) * math.exp(-eta * (u.loss - best)) for u, _ in found]
        trace.p.append(share_of_ones(weights, [b for _, b in found]))
        trace.queries.append(2 * len(active))
        if commits is None or t in commits:
            active, r = charged(found, y), r + 1
        trace.active.append(active)
        trace.widths.append(len(active))
    return trace


def algorithm_1(
    concept_class: Listed, A: StateMachine, rounds: Pairs, T: int, M: int, delete: bool, rate: Rate = "paper"
) -> Trace:
    """Algorithm 1: Hedge over all schedules of at most M mistakes; ``delete`` experts with unrealizable labels.

    An expert is a schedule, the concepts that agree with all its labels (none, once they are unrealizable), the state
    of A, and its loss. Where a single label is realizable, A predicts that label.
    """
    trace = Trace()
    schedules = [schedule for schedule in range(1 << T) if schedule.bit_count() <= M]
    experts = [(schedule, concept_class.all, A.start(), 0) for schedule in schedules]
    for t, (x, y) in enumerate(rounds):
        best = min(loss for *_, loss in experts)
        eta, extended = rate_at(rate, T, M, best), []
        for schedule, concepts, state, loss in experts:
            sides = [concept_class.with_label(concepts, x, b) for b in (0, 1)]
            guess = A.predict(state, x) if bool(sides[0]) == bool(sides[1]) else int(bool(sides[1]))
            label = guess ^ (schedule >> t & 1)
            if sides[label] or not delete:
                extended.append((schedule, sides[label], A.update(state, x, label), loss, label))
        weights = [math.exp(-eta * (loss - best)) for *_, loss, _ in extended]
        trace.p.append(share_of_ones(weights, [label for *_, label in extended]))
        experts = [(schedule, concepts, state, loss + (b != y)) for schedule, concepts, state, loss, b in extended]
        trace.widths.append(len(experts))
    return trace
