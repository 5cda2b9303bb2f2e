"""Rules on one column of a table, each group of rules weighed alone: slow, and plainly what the docs say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adeptree.families.line.cuts_engine import CutsEngine, StepsEngine
from adeptree.families.line.thresholds_engine import ThresholdsEngine
from adeptree.families.tables.table_engine import TablePrior


class SlowTable:
    """The definition: every column's rules apart, texts listed, missing values with a separate label."""

    def __init__(self, c: Any, prior: str, rate: float) -> None:
        self.c, self.rate, self.prior = c, rate, TablePrior(prior, c)
        kind: Any = ThresholdsEngine if c.one_cut else CutsEngine if c.inner.cuts else StepsEngine
        self.lines: dict[tuple[str, int], Any] = {}
        for name in c.features:
            for down in range(1 + c.falls):
                self.lines[name, down] = kind(c.inner, self.prior.one)
                self.lines[name, down].rate = rate
        self.met: dict[str, list[Any]] = {name: [] for name in c.features}
        self.past: list[tuple[dict[str, Any], int, float]] = []

    def weights(self, x: dict[str, Any]) -> list[tuple[float, float]]:
        """Return ln of the weight of 1 and of 0 of every group of rules."""
        found = []
        for name in self.c.features:
            cell = x.get(name)
            number = isinstance(cell, float)
            gaps = [(y, w) for row, y, w in self.past if not isinstance(row.get(name), float)]
            for down in range(1 + self.c.falls):
                line = self.lines[name, down]
                base = line.log_potential() - self.rate * line.best_loss
                for side in (0, 1):
                    lost = sum(w for y, w in gaps if y != side)
                    log_odds = line.odds(cell).log_odds if number else math.inf if side != down else -math.inf
                    log_odds = -log_odds if down else log_odds
                    weight = base - math.log(2) - self.rate * lost
                    found.append((weight - np.logaddexp(0, -log_odds), weight - np.logaddexp(0, log_odds)))
            # A value that is new is met first, as the rules that tell it from those to come have agreed until now.
            values = self.met[name] + ([cell] if not number and cell not in self.met[name] else [])
            for chosen, mass in self.sets(len(values)):
                inside = [values[slot - 1] for slot in chosen]
                for equal in (True, False):
                    says = [row.get(name) in inside for row, _, _ in self.past]
                    lost = sum(w for (_, y, w), said in zip(self.past, says, strict=True) if (said == equal) != y)
                    weight = math.log(mass) - self.rate * lost
                    here = not number and cell in inside
                    found.append((weight, -math.inf) if here == equal else (-math.inf, weight))
        return found

    def sets(self, n: int) -> list[tuple[tuple[int, ...], float]]:
        """Return all sets of at most d of n values, by drawing: k values at last, the i-th with chance 1/(i + 1)."""
        d, masses = self.c.values, dict[tuple[int, ...], float]()
        for k in range(1, d + 1):
            drawn: dict[tuple[int, ...], float] = {(): 1 / d}
            for i in range(1, n + 1):
                for chosen, mass in list(drawn.items()):
                    if len(chosen) < k:
                        drawn[*chosen, i], drawn[chosen] = mass / (i + 1), mass * i / (i + 1)
            for chosen, mass in drawn.items():
                masses[chosen] = masses.get(chosen, 0) + mass
        return list(masses.items())

    def odds(self, x: dict[str, Any]) -> tuple[float, float]:
        one, zero = (np.logaddexp.reduce(side) for side in zip(*self.weights(x), strict=True))
        return float(np.exp(one - np.logaddexp(one, zero))), float(one - zero)

    def commit(self, x: dict[str, Any], y: int, weight: float) -> None:
        for name in self.c.features:
            cell = x.get(name)
            if isinstance(cell, float):
                for down in range(1 + self.c.falls):
                    self.lines[name, down].commit(cell, 1 - y if down else y, weight)
            elif cell not in self.met[name]:
                self.met[name].append(cell)
        self.past.append((x, y, weight))

    def set_rate(self, rate: float) -> None:
        """Set the rate of all rules."""
        self.rate = rate
        for line in self.lines.values():
            line.rate = rate

    def log_weight(self) -> float:
        """Return ln of the sum of prior mass times e^(-rate loss) over all rules."""
        return float(np.logaddexp.reduce([w for pair in self.weights({}) for w in pair])) - math.log(self.prior.kinds)
