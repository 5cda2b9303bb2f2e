"""Fixed share written out: the weights of all rules, one by one, with lanes and followers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.theory.sharing import Drift


@dataclass(frozen=True)
class Rule:
    """A cut on a column, of either direction, with its prior mass: 1 where the value is above ``low``."""

    column: int
    low: float
    rises: bool
    mass: float

    def __call__(self, row: Sequence[float]) -> int:
        return int((row[self.column] > self.low) == self.rises)


def step(span: int) -> int:
    """Return how often a window is brought up to date."""
    return max(1, span // 25)


def best_cut(points: list[tuple[float, int, float]], falls: bool) -> tuple[float, Callable[[float], int]]:
    """Return the least loss of a cut on points (value, label, cost), and what the first such cut says."""
    values = sorted({value for value, _, _ in points})
    found: list[tuple[float, float, float, bool]] = []
    for rises in (True, False) if falls else (True,):
        for low, high in zip([-math.inf, *values], [-math.inf, *values[1:], math.inf], strict=False):
            wrong = [cost for value, y, cost in points if int((value > low) == rises) != y]
            found.append((math.fsum(wrong), low, high, rises))
    loss, low, high, rises = min(found, key=lambda one: one[0])

    def says(x: float) -> int:
        if x <= low or x >= high:
            return int((x >= high) == rises)
        return int((x - low > high - x) == rises)

    return loss, says


def play(
    rules: list[Rule],
    rows: list[list[float]],
    labels: list[int],
    costs: list[float],
    drift: Drift,
    eta: float,
    falls: bool,
) -> tuple[list[float], Any]:
    """Return the chance of 1 in every round, and the weights of all lanes at the end."""
    rates, shares, logs = (np.array(column)[:, None] for column in drift.lanes())
    spans, columns = drift.spans, len(rows[0])
    prior = np.array([rule.mass * (0.1 if spans else 1.0) for rule in rules] + [0.9 / len(spans) for _ in spans])
    weights: Any = np.exp(logs) * prior
    chances: list[float] = []
    followed: list[tuple[int, Callable[[float], int]]] = [(0, lambda x: 1) for _ in spans]
    when = 1
    for t, (row, y, cost) in enumerate(zip(rows, labels, costs, strict=True)):
        for k, span in enumerate(spans):
            if t >= when if span == 0 else t and t % step(span) == 0:
                first = 0 if span == 0 else max(0, t - span)
                past = [[(rows[s][column], labels[s], costs[s]) for s in range(first, t)] for column in range(columns)]
                cuts = [best_cut(points, falls) for points in past]
                column = min(range(columns), key=lambda i: cuts[i][0])
                followed[k] = column, cuts[column][1]
        when = t + step(t) if t >= when else when
        says = np.array([rule(row) for rule in rules] + [vote(row[column]) for column, vote in followed])
        p = float((rates * weights * says).sum() / (rates * weights).sum())
        wrong, loss = says != y, cost / drift.unit * abs(p - y)
        factor = np.exp(-eta * cost * wrong) if drift.one_lane else 1 + rates * (loss - cost / drift.unit * wrong)
        weights = weights * factor
        total, share = weights.sum(axis=1, keepdims=True), np.where(shares < 0, 1 / (t + 2), shares)
        weights = (1 - share) * weights + share * total * prior
        weights = weights / weights.sum() if drift.one_lane else weights
        chances.append(p)
    return chances, weights


def sequence_losses(wrong: Any, costs: Sequence[float], most: int) -> list[float]:
    """Return the loss of the best sequence of rules with 0 to ``most`` switches, by dynamic programming."""
    best = np.zeros((most + 1, wrong.shape[0]))
    for t, cost in enumerate(costs):
        before = best.min(axis=1)
        best[1:] = np.minimum(best[1:], before[:-1, None])
        best += cost * wrong[:, t]
    return [float(row.min()) for row in best]
