"""Beyond the paper: half-planes without a solver. Their rows, the bound of each row, and lines on drawn points."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

import adeptree as at
from adeptree.solvers.lp import Halfspaces
from reproduction.experiment import Cell, Row, Verdict, column, groups, part
from reproduction.reference.anytime_learner import log_beta
from reproduction.reference.half_plane_search import labellings
from reproduction.stats import ROUNDING, at_least, at_most, mean

Point = tuple[Any, Any]
Line = tuple[tuple[int, int, int], int]
"""Integers a, b, c, and the label of points on the line a x + b y + c = 0; the label is 1 where that is positive."""
PRIORS = {"kt": [(1.0, 0.5)], "mixed": [(1 / 2, 0.5), (1 / 6, 8.0), (1 / 6, 64.0), (1 / 6, 512.0)]}
"""Share and b of each part (docs/theory/anytime.md)."""
CONSTANT = 0.7
"""The constant rate of the games that are not played at the adaptive one."""


def run(cell: Cell) -> Row:
    """Play one cell of a part."""
    return PARTS[cell["part"]](cell)


def drawn(kind: str, count: int, rng: np.random.Generator) -> list[Point]:
    """Return independent points of a distribution."""
    if kind == "normal":
        return [(float(a), float(b)) for a, b in rng.normal(size=(count, 2))]
    if kind == "circle":
        return [(math.cos(a), math.sin(a)) for a in rng.uniform(0, 2 * math.pi, count).tolist()]
    sizes = {"grid": (5, 5), "line": (9, 1)}[kind]
    return [(a, b) for a, b in rng.integers(sizes, size=(count, 2)).tolist()]


def log_price(prior: str, k: int, n: int) -> float:
    """Return ln(1 / pi(k, n)), by the definition of the prior."""
    return -math.log(math.fsum(share * math.exp(log_beta(k, n, b)) for share, b in PRIORS[prior]))


# --- The rows ----------------------------------------------------------------------------------------


class Explicit:
    """Every labelling with its line, k, n and loss, from an exhaustive search; new lines are those of the learner."""

    def __init__(self, eta: float) -> None:
        self.eta = eta
        self.points: list[Point] = []
        self.rows: dict[tuple[int, ...], tuple[Line, int, int, int]] = {(): (((0, 0, 0), 0), 0, 0, 0)}

    def divided(self, x: Point) -> dict[tuple[int, ...], tuple[Line, int, int, int]]:
        """Return the rows with the label of x: those that exist, each with the line of its parent."""
        if x in self.points:
            place = self.points.index(x)
            return {(*labels, labels[place]): row for labels, row in self.rows.items()}
        after = labellings([(Fraction(a), Fraction(b)) for a, b in [*self.points, x]])
        found = {}
        for labels, (line, k, n, lost) in self.rows.items():
            both = [y for y in (0, 1) if (*labels, y) in after]
            for y in both:
                found[*labels, y] = (line, k + (len(both) > 1 and says(line, x) != y), n + (len(both) > 1), lost)
        return found

    def learn(self, x: Point, y: int, found: dict[tuple[int, ...], tuple[Line, int, int, int]], lines: Any) -> int:
        """Take the round, and return in how many rows this search and the learner's lines differ."""
        repeated = x in self.points
        self.points += [] if repeated else [x]
        theirs = {tuple(says(line, p) for p in self.points): line for line in lines}
        ours = {(labels[:-1] if repeated else labels): (row, labels[-1] != y) for labels, row in found.items()}
        self.rows = {
            labels: (theirs.get(labels, row[0]), row[1], row[2], row[3] + wrong)
            for labels, (row, wrong) in ours.items()
        }
        return len(theirs.keys() ^ ours.keys()) + abs(len(lines) - len(ours))


def says(line: Line, x: Point) -> int:
    """Return the label of a point, computed in fractions."""
    (a, b, c), closed = line
    value = a * Fraction(x[0]) + b * Fraction(x[1]) + c
    return closed if value == 0 else int(value > 0)


def _rows(cell: Cell) -> Row:
    rng, eta, apart = np.random.default_rng(cell["seed"]), 0.5, 0
    p_gap = loss_gap = 0.0
    learner, explicit = at.Adept(Halfspaces(2), prior="kt", rate=eta, seed=cell["seed"]), Explicit(eta)
    for x in drawn(cell["points"], cell["T"], rng):
        found, y = explicit.divided(x), int(rng.integers(2))
        weight = [0.0, 0.0]
        for labels, (_, k, n, lost) in found.items():
            weight[labels[-1]] += math.exp(-log_price("kt", k, n) - eta * lost)
        p_gap = max(p_gap, abs(learner.predict_proba(x) - weight[1] / sum(weight)))
        learner.learn(x, y)
        engine: Any = learner.engine
        lines = [(engine.kernel.line(row), int(engine.cells("closed")[row])) for row in range(learner.width)]
        apart = max(apart, explicit.learn(x, y, found, lines))
        loss_gap = max(loss_gap, abs(learner.best_loss - min(row[3] for row in explicit.rows.values())))
    return {"apart": apart, "p_gap": p_gap, "loss_gap": loss_gap, "width": learner.width}


# --- The bound ---------------------------------------------------------------------------------------


def _noisy(learner: at.Adept, cell: Cell, rng: np.random.Generator) -> Iterator[tuple[Point, int]]:
    """Label drawn points by a half-plane, and flip a share of the labels."""
    a, b, c = rng.normal(size=3).tolist()
    for x in drawn(cell["points"], cell["T"], rng):
        yield x, int(a * x[0] + b * x[1] >= c / 2) ^ int(rng.random() < cell["noise"])


def _greedy(learner: at.Adept, cell: Cell, rng: np.random.Generator) -> Iterator[tuple[Point, int]]:
    """Choose the least certain of eight drawn points, and the label that costs more."""
    for _ in range(cell["T"]):
        chances = {x: learner.predict_proba(x) for x in drawn(cell["points"], 8, rng)}
        x = min(chances, key=lambda x: abs(chances[x] - 0.5))
        yield x, loses(chances[x])


def _bisecting(learner: at.Adept, cell: Cell, rng: np.random.Generator) -> Iterator[tuple[Point, int]]:
    """Take the middle of what is open on a line, and the label that costs more: the opponent of Theorem 3."""
    low, high = Fraction(0), Fraction(1)
    for _ in range(cell["T"]):
        x = (low + high) / 2, 0
        y = loses(learner.predict_proba(x))
        low, high = (low, x[0]) if y else (x[0], high)
        yield x, y


def loses(p: float) -> int:
    """Return the label with a chance of at most one half."""
    return int(p <= 0.5)


STREAMS = {"noise": _noisy, "greedy": _greedy, "bisecting": _bisecting}


def _regret(cell: Cell) -> Row:
    """Recount the bound of Theorem 2 for every row after every round."""
    rate: Any = CONSTANT if cell["rate"] == "constant" else cell["rate"]
    learner = at.Adept(Halfspaces(2), prior=cell["prior"], rate=rate, seed=cell["seed"])
    expected = gap = share = stated = 0.0
    prices: dict[Any, float] = {}
    for t, (x, y) in enumerate(STREAMS[cell["stream"]](learner, cell, np.random.default_rng(cell["seed"])), start=1):
        eta, loss = learner.learning_rate, abs(learner.predict_proba(x) - y)
        learner.learn(x, y)
        expected += loss
        gap += loss + math.log1p(loss * math.expm1(-eta)) / eta
        rows = learner.engine.rows()
        kinds = list(zip(rows.mistakes.tolist(), rows.contested.tolist(), strict=True))
        prices |= {kn: log_price(cell["prior"], *kn) for kn in set(kinds) - prices.keys()}
        bounds = np.array([prices[kn] for kn in kinds]) / eta + gap
        share = max(share, float(((expected - rows.losses) / bounds).max()))
        if cell["rate"] == "constant":
            best = min(float(bounds[rows.losses == rows.losses.min()].min()), t)
            stated = max(stated, abs(learner.bound - best) / best)
    return {"share": share, "stated": stated, "lost": (expected - learner.best_loss) / (cell["T"] / 2)}


# --- Drawn points ------------------------------------------------------------------------------------


def most_mistakes(T: int) -> float:
    """Return the bound of Theorem 4."""
    return 4 + math.fsum(min(1.0, (math.log(8 * s**3) + 1) / (s - 3)) for s in range(4, T))


def _drawn(cell: Cell) -> Row:
    """Count the mistakes in the row of a half-plane that is fixed before the points; only that row has loss 0."""
    rng = np.random.default_rng([cell["seed"], cell["T"]])
    a, b = rng.normal(size=2).tolist()
    points = drawn(cell["points"], cell["T"], rng)
    labels = [int(cell["rule"] != "empty" and a * x + b * y >= 0) for x, y in points]
    learner = at.Adept(Halfspaces(2), prior="kt", rate=0.5, seed=cell["seed"])
    learner.learn_many(points, labels)
    leader = learner.engine.leader()
    return {"k": leader.mistakes, "n": leader.contested, "loss": learner.best_loss}


PARTS: dict[str, Callable[[Cell], Row]] = {"rows": _rows, "regret": _regret, "drawn": _drawn}


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """The rows are all labellings, no row has more regret than Theorem 2 allows, and lines err seldom."""
    if listed := part(rows, "rows"):
        note = "after each round; drawn, on a grid with repeated points, and on a line"
        yield at_most(
            "labellings in which the rows and an exhaustive search differ", column(listed, "apart"), 0.0, note
        )
        yield at_most("difference in p, half-planes and all labellings", column(listed, "p_gap"), ROUNDING, note)
        yield at_most("difference in L*, half-planes and all labellings", column(listed, "loss_gap"), 0.0, note)
    if games := part(rows, "regret"):
        claim = "regret / bound of Theorem 2, worst row and round"
        yield at_most(claim, column(games, "share"), 1 + ROUNDING, "docs/theory/half-planes.md, for every row")
        if constant := [r for r in games if r["rate"] == "constant"]:
            yield at_most("difference in the stated bound, relatively", column(constant, "stated"), ROUNDING)
        if forced := [r for r in games if r["stream"] == "bisecting"]:
            claim = "regret against the opponent of Theorem 3 / (T/2)"
            yield at_least(claim, column(forced, "lost"), 1 - ROUNDING, "so no learner can promise anything")
    if fixed := part(rows, "drawn"):
        cases = groups(fixed, "points", "rule", "T").items()
        shares = [mean(column(some, "k")) / most_mistakes(T) for (_, _, T), some in cases]
        note = f"T = {min(r['T'] for r in fixed)}..{max(r['T'] for r in fixed)}; normal, and on a circle"
        yield at_most("mean mistakes of a fixed half-plane / sum of Theorem 4", shares, 1.0, note)
        yield at_most("loss of the row of the fixed half-plane", column(fixed, "loss"), 0.0)
