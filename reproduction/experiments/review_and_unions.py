"""Beyond the paper: review as a third action (Theorems R, R-late, R-drawn), and unions of rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import adeptree as at
from reproduction.experiment import Cell, Row, Verdict, column, part
from reproduction.stats import ROUNDING, at_most, mean

CONFIDENCE = 0.9


def run(cell: Cell) -> Row:
    """Play one cell of a part."""
    return PARTS[cell["part"]](cell)


def largest_rate(a: float, b: float, c: float, delay: int = 0) -> float:
    """Return eta*, by its definition and a bisection."""

    def fits(eta: float) -> bool:
        late = math.exp(2 * eta * delay * max(a, b))
        one = c * late * (math.exp(eta * a) - 1) <= (a - c) * (1 - math.exp(-eta * b))
        return one and c * late * (math.exp(eta * b) - 1) <= (b - c) * (1 - math.exp(-eta * a))

    low, high = 0.0, 50.0 / max(a, b)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


class Explicit:
    """Every rule with its mass and its loss."""

    def __init__(self, masses: Sequence[float], rules: Sequence[Callable[[Any], int]], eta: float) -> None:
        self.masses, self.rules, self.eta = np.array(masses), rules, eta
        self.losses = np.zeros(len(masses))

    def share(self, x: Any) -> float:
        """Return the share of the weight that says 1."""
        weights = self.masses * np.exp(-self.eta * (self.losses - self.losses.min()))
        ones = np.array([rule(x) for rule in self.rules]) == 1
        return float(weights[ones].sum() / weights.sum())

    def learn(self, x: Any, y: int, cost: float) -> None:
        """Charge the rules that are wrong."""
        self.losses += cost * (np.array([rule(x) for rule in self.rules]) != y)


def thresholds(n: int) -> list[Callable[[Any], int]]:
    """Return the rules x >= 0, ..., x >= n."""
    return [lambda x, cut=cut: int(x >= cut) for cut in range(n + 1)]  # type: ignore[misc]


def _prompt(cell: Cell) -> Row:
    """Steer to points where the cost exceeds the mix loss most, or where the learner is least sure."""
    (a, b, c), n, rng = cell["costs"], cell["n"], np.random.default_rng(cell["seed"])
    eta = largest_rate(a, b, c)
    slow = Explicit([1 / (n + 1)] * (n + 1), thresholds(n), eta)
    review = at.Review(c, policy=cell["policy"])
    learner = at.Adept(at.Thresholds(n), costs=(a, b), review=review, prior="uniform", seed=cell["seed"])
    gaps, over, worst = list[float](), list[float](), -math.inf
    for _ in range(cell["T"]):
        xs = rng.permutation(n)[:8].tolist()
        x = min(xs, key=lambda x: abs(slow.share(x) - rng.choice([0.02, 0.5, 0.98])))
        p, y = slow.share(x), int(rng.random() < 0.5)
        gaps.append(abs(learner.predict_proba(x) - p))
        ticket = learner.answer(x)
        paid = ticket.r * c + ((1 - ticket.p - ticket.r) * a if y else ticket.p * b)
        against, cost = (1 - p, a) if y else (p, b)
        over.append(paid + math.log(1 - against + against * math.exp(-eta * cost)) / eta)
        learner.learn(ticket, y)
        slow.learn(x, y, cost)
        worst = max(worst, learner.expected_loss - slow.losses.min())
    return {"p_gap": max(gaps), "over": max(over), "share": worst * eta / math.log(n + 1)}


def _late(cell: Cell) -> Row:
    """Two rules that disagree, every label against the guess and ``delay`` labels late."""
    (a, b, c), delay = cell["costs"], cell["delay"]
    learner = at.Adept(at.Thresholds(1), costs=(a, b), review=at.Review(c, delay=delay), prior="uniform")
    waiting: list[at.Ticket] = []
    for _ in range(cell["T"]):
        waiting.append(learner.answer(0))
        if len(waiting) > delay:
            oldest = waiting.pop(0)
            learner.learn(oldest, int(oldest.p * b < (1 - oldest.p - oldest.r) * a))
    promise = math.log(2) / largest_rate(a, b, c, delay)
    return {"share": learner.regret / promise, "promise_gap": abs((learner.in_advance or math.inf) / promise - 1)}


def _drawn(cell: Cell) -> Row:
    """Play a tied stream: does the drawn cost ever exceed what is promised with probability 90 %?"""
    learner = at.Adept(at.Thresholds(1), review=at.Review(0.25, promise="drawn"), prior="uniform", seed=cell["seed"])
    most, over = (math.log(2) - math.log(1 - CONFIDENCE)) / 0.7404, False
    for _ in range(cell["T"]):
        learner.learn(0, int(learner.ledger.loss_of_ones > learner.ledger.loss_of_zeros))
        over = over or learner.realised_loss - learner.best_loss > most
    return {"over": float(over)}


def _union(cell: Cell) -> Row:
    """Models next to thresholds, with votes that are missing."""
    rng, n = np.random.default_rng(cell["seed"]), 6

    def follow(name: str, gap: int) -> Callable[[Any], int]:
        return lambda row: int(row[name] >= 0.5) if name in row else gap

    votes = [follow(name, gap) for name in ("a", "b") for gap in (0, 1)]
    cuts: list[Callable[[Any], int]] = [lambda row, rule=rule: rule(row["x"]) for rule in thresholds(n)]  # type: ignore[misc]
    masses = [0.75 / 4] * 4 + [0.25 / (n + 1)] * (n + 1)
    rules = at.union(at.Experts("a", "b"), at.Thresholds(n).on("x"), shares=(3, 1))
    learner, slow = at.Adept(rules, prior="uniform", rate=0.4), Explicit(masses, votes + cuts, 0.4)
    gaps = []
    for _ in range(cell["T"]):
        row = {name: float(rng.random()) for name in ("a", "b") if rng.random() < 0.8} | {"x": int(rng.integers(n))}
        y = int(rng.random() < 0.5)
        gaps.append(abs(learner.predict_proba(row) - slow.share(row)))
        learner.learn(row, y)
        slow.learn(row, y, 1.0)
    return {"p_gap": max(gaps), "loss_gap": abs(learner.best_loss - slow.losses.min())}


PARTS: dict[str, Callable[[Cell], Row]] = {"prompt": _prompt, "late": _late, "drawn": _drawn, "union": _union}


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """What runs is what docs/theory/decide.md says, and what is proven holds."""
    if prompt := part(rows, "prompt"):
        yield at_most("difference in p, review and explicit weights", column(prompt, "p_gap"), ROUNDING)
        yield at_most("expected cost of a round beyond its mix loss", column(prompt, "over"), ROUNDING)
        yield at_most("regret with review / ln(number of rules)/eta*", column(prompt, "share"), 1.0)
    if late := part(rows, "late"):
        yield at_most("regret with announced delay / ln 2/eta_d", column(late, "share"), 1.0 + ROUNDING)
        yield at_most("difference to that promise, relatively", column(late, "promise_gap"), ROUNDING)
    if drawn := part(rows, "drawn"):
        share = mean(column(drawn, "over"))
        yield at_most("share of runs whose drawn cost exceeds the promise at 90 %", [share], 1 - CONFIDENCE)
    if union := part(rows, "union"):
        yield at_most("difference in p, a union and all its rules", column(union, "p_gap"), ROUNDING)
        yield at_most("difference in the least loss, a union and all its rules", column(union, "loss_gap"), ROUNDING)
