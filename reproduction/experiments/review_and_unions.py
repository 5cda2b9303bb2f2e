"""Beyond the paper: review as a third action, reviewed labels, unions of rules, segments and drift, all together."""

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


def _segments(cell: Cell) -> Row:
    """One rule for all next to one per segment, with review; with drift each part shares on its own clock."""
    (a, b, c), n, rng = cell["costs"], 8, np.random.default_rng(cell["seed"])
    eta, cuts = largest_rate(a, b, c), np.arange(n + 1)
    rules, drift = at.Thresholds(n).on("x"), cell["drift"] and "sharing"
    learner = at.Adept(rules, costs=(a, b), review=c, prior="uniform", by="tenant", drift=drift, seed=cell["seed"])
    weights, clock, log_z = {"": np.full(n + 1, 1 / (n + 1))}, dict[str, int](), np.zeros(2)
    lost = {name: np.zeros(n + 1) for name in ("", "a", "b", "c")}
    gaps = []
    for _ in range(cell["T"]):
        name, x = "abc"[int(rng.integers(3))], int(rng.integers(n))
        row, says = {"tenant": name, "x": x}, x >= cuts
        each = [weights.setdefault(part, np.full(n + 1, 1 / (n + 1))) for part in ("", name)]
        shares = np.exp(log_z - log_z.max())
        p = sum(z * w[says].sum() for z, w in zip(shares, each, strict=True)) / shares.sum()
        gaps.append(abs(learner.predict_proba(row) - p))
        y = int(p < 0.5) if rng.random() < 0.3 else int(x >= 2 * "abc".index(name))
        learner.learn(row, y)
        for i, of in enumerate(("", name)):
            lost[of] += (a if y else b) * (says != y)
            w = weights[of] * np.exp(-eta * (a if y else b) * (says != y))
            log_z[i] += math.log(w.sum())
            clock[of] = clock.get(of, 0) + 1
            alpha = 1 / (clock[of] + 1) if drift else 0.0
            weights[of] = (1 - alpha) * w / w.sum() + alpha / (n + 1)
    times = {of: math.log(t) if drift else 0.0 for of, t in clock.items()}
    own = sum(lost[of].min() + (math.log(n + 1) + times[of]) / eta for of in lost if of in times and of)
    pooled = lost[""].min() + (math.log(n + 1) + times[""]) / eta
    return {"p_gap": max(gaps), "share": learner.expected_loss / (min(own, pooled) + math.log(2) / eta)}


def _sequences(cell: Cell) -> Row:
    """Drift with review: an adversary that reads p, and three changes; the best sequences by dynamic programming."""
    (a, b, c), n, rng = cell["costs"], 8, np.random.default_rng(cell["seed"])
    learner = at.Adept(at.Thresholds(n), costs=(a, b), review=c, prior="uniform", drift="sharing", seed=cell["seed"])
    eta, T, cuts, best = largest_rate(a, b, c), cell["T"], np.arange(n + 1), np.zeros((4, n + 1))
    for t in range(T):
        x = int(rng.integers(n))
        y = int(x >= 1 + 6 * (4 * t // T % 2)) if cell["seed"] % 2 else int(learner.predict_proba(x) < 0.5)
        learner.learn(x, y)
        best[1:] = np.minimum(best[1:], best.min(axis=1)[:-1, np.newaxis])
        best += (a if y else b) * ((x >= cuts) != y)
    shares = []
    for m, least in enumerate(best.min(axis=1)):
        switching = math.log(T) + sum(math.log(T - j) for j in range(1, m + 1))
        shares.append((learner.expected_loss - least) * eta / ((m + 1) * math.log(n + 1) + switching))
    return {
        "share": max(shares),
        "stated": float(learner.sequence_bound(1) * eta / (2 * math.log(n + 1) + 2 * math.log(T))),
    }


def noisy(n: int, T: int, share: float) -> tuple[list[int], list[int]]:
    """Return points, and the labels of x >= 3, this share of them wrong."""
    rng = np.random.default_rng(1)
    xs = [int(x) for x in rng.integers(n, size=(T,))]
    return xs, [int(x >= 3) ^ int(rng.random() < share) for x in xs]


def _reviewed(cell: Cell) -> Row:
    """Labels of reviewed cases only: cost, the estimated loss of a fixed rule, and the promise."""
    (a, b, c), n, T = cell["costs"], 8, int(cell["T"])
    xs, ys = noisy(n, T, 0.2)
    options: dict[str, Any] = {"costs": (a, b), "review": c, "feedback": "reviewed", "prior": "uniform"}
    learner = at.Adept(at.Thresholds(n), T, seed=cell["seed"], **options)
    paid = 0.0
    for x, y in zip(xs, ys, strict=True):
        ticket = learner.answer(x)
        if ticket.action == "review":
            learner.learn(ticket, y)
        paid += c if ticket.action == "review" else (a if y else b) * (ticket.action != y)
    true = sum((a if y else b) * (int(x >= 3) != y) for x, y in zip(xs, ys, strict=True))
    near = {str(one.rule): one.loss for one in learner.rules_within(1e9)}
    eta = largest_rate(a, b, c)
    promise = 2 * math.sqrt(c * math.log(n + 1) * T / eta)
    return {"paid": paid - true, "promise": promise, "estimate": near["x >= 3"] - true, "true": float(true)}


def _asked(cell: Cell) -> Row:
    """Labels that the learner asks for: its chances by explicit weights, and as above; and how many it asks for."""
    (a, b), n, T = cell["costs"], 8, int(cell["T"])
    xs, ys = noisy(n, T, 0.05)
    eta, most = math.sqrt(8 * math.log(n + 1) / T) / max(a, b), max(a, b)
    slow = Explicit([1 / (n + 1)] * (n + 1), thresholds(n), eta)
    learner = at.Adept(at.Thresholds(n), T, costs=(a, b), feedback="asked", prior="uniform", seed=cell["seed"])
    gaps, paid, wrong = list[float](), 0.0, 0.0
    for x, y in zip(xs, ys, strict=True):
        p, ticket, cost = slow.share(x), learner.answer(x), float(a if y else b)
        q = min(1.0, 4 * p * (1 - p) + eta * most / 3)
        gaps.append(max(abs(ticket.p - p), abs(ticket.q - q)))
        wrong += abs(p - y)
        paid += cost * abs(p - y)
        if ticket.ask:
            learner.learn(ticket, y)
            slow.learn(x, y, cost / q)
    true = sum((a if y else b) * (int(x >= 3) != y) for x, y in zip(xs, ys, strict=True))
    near = {str(one.rule): one.loss for one in learner.rules_within(1e9)}
    told = {"paid": paid - true, "estimate": near["x >= 3"] - true, "true": float(true), "p_gap": max(gaps)}
    few = 4 * wrong + eta * most * T / 3
    return told | {"promise": max(a, b) * math.sqrt(math.log(n + 1) * T / 2), "asked": learner.rounds / few}


PARTS: dict[str, Callable[[Cell], Row]] = {"prompt": _prompt, "late": _late, "drawn": _drawn, "union": _union}
PARTS |= {"segments": _segments, "sequences": _sequences, "reviewed": _reviewed, "asked": _asked}


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """The learners match docs/theory/decide.md, and its theorems hold."""
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
    if segments := part(rows, "segments"):
        yield at_most("difference in p, segments and all their rules", column(segments, "p_gap"), ROUNDING)
        claim = "cost / the better of one rule and one per segment, with its price"
        yield at_most(claim, column(segments, "share"), 1.0 + ROUNDING)
    if sequences := part(rows, "sequences"):
        yield at_most("regret to sequences with review / their price / eta*", column(sequences, "share"), 1.0)
        yield at_most("what is stated for one change / its price / eta*", column(sequences, "stated"), 1.0 + ROUNDING)
    for name, promise in (("reviewed", "2 sqrt(c K T/eta*)"), ("asked", "sqrt(K T/2)")):
        if some := part(rows, name):
            off = [float(row["estimate"] / row["true"]) for row in some]
            spread = 4 * float(np.std(off)) / math.sqrt(len(off))
            claim = f"bias of the estimated loss of a rule, {name} labels / 4 standard errors"
            yield at_most(claim, [abs(mean(off)) / max(spread, 1e-12)], 1.0)
            paid, most = mean(column(some, "paid")), mean(column(some, "promise"))
            yield at_most(f"mean regret with {name} labels / {promise}", [paid / most], 1.0)
    if asked := part(rows, "asked"):
        yield at_most("difference in p and in the chance of asking, explicit weights", column(asked, "p_gap"), ROUNDING)
        claim = "mean number of labels asked for / (4 mistakes + sum of rates/3)"
        yield at_most(claim, [mean(column(asked, "asked"))], 1.0)
