"""Rules made of cuts, by listing every labelling of the points: slow, and plainly what docs/theory/anytime.md says."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from adeptree.families.line.line_domain import nearer_to_high
from adeptree.theory.mixture import log_sum


@dataclass
class SlowCuts:
    """``cuts`` cuts (None: Poisson of mean 1) drawn from the measure of one cut, ``prior``, on a line."""

    line: Any
    prior: Any
    cuts: int | None
    ends: list[Any] = field(init=False)  # gap i is (ends[i], ends[i + 1]]
    wrong: list[int] = field(default_factory=lambda: [0])
    contested: list[int] = field(default_factory=lambda: [0])
    costs: dict[Any, list[float]] = field(default_factory=dict)  # of saying 0, of saying 1

    def __post_init__(self) -> None:
        self.ends = [self.line.before, self.line.end]

    def enter(self, x: Any) -> None:
        """Divide the gap of a new point."""
        if x in self.costs:
            return
        self.costs[x] = [0.0, 0.0]
        i = sum(end < x for end in self.ends) - 1
        guess = bool(nearer_to_high(self.ends[i], self.ends[i + 1], x, self.line))
        self.ends.insert(i + 1, x)
        self.contested[i] += 1
        self.contested.insert(i + 1, self.contested[i])
        self.wrong.insert(i + 1, self.wrong[i] + guess)
        self.wrong[i] += not guess

    def charge(self, x: Any, label: int, weight: float) -> None:
        """Let x have this label."""
        self.enter(x)
        self.costs[x][1 - label] += weight

    def log_gaps(self) -> np.ndarray[Any, Any]:
        """Return ln of the mass of one cut in each gap."""
        ends = np.array(self.ends, dtype=self.line.dtype)
        share = np.log(self.line.count(ends[:-1] + self.line.step, ends[1:])) - math.log(self.line.cuts)
        k, n = np.array(self.wrong), np.array(self.contested)
        mass: np.ndarray[Any, Any] = self.prior.log_mass(0, k, n, share if self.prior.counts else None)
        return mass

    def labellings(self) -> dict[tuple[int, ...], float]:
        """Return ln of the prior mass of every labelling of the points, from left to right."""
        logs = self.log_gaps()
        found: dict[tuple[int, ...], list[float]] = {}
        if self.cuts is None:
            flip = np.log(-np.expm1(-2 * np.exp(logs)) / 2)
            stay = np.log((1 + np.exp(-2 * np.exp(logs))) / 2)
            for labels in product((0, 1), repeat=len(logs) - 1):
                steps = np.diff([0, *labels]) != 0
                found[labels] = [float(np.where(steps, flip[:-1], stay[:-1]).sum())]
        else:
            for gaps in combinations_with_replacement(range(len(logs)), self.cuts):
                counts = np.bincount(gaps, minlength=len(logs))
                mass = sum(logs[list(gaps)]) - sum(map(math.lgamma, (counts + 1).tolist())) + math.lgamma(self.cuts + 1)
                found.setdefault(tuple((np.cumsum(counts)[:-1] % 2).tolist()), []).append(float(mass))
        return {labels: log_sum(np.array(masses)) for labels, masses in found.items()}

    def losses(self) -> dict[tuple[int, ...], float]:
        """Return the loss of every labelling."""
        costs = [self.costs[x] for x in self.ends[1:-1]]
        return {
            labels: math.fsum(cost[y] for cost, y in zip(costs, labels, strict=True)) for labels in self.labellings()
        }

    def odds(self, x: Any, rate: float) -> tuple[float, float]:
        """Return the share that says 1 at x, and its log-odds."""
        kept = (list(self.ends), list(self.wrong), list(self.contested), dict(self.costs))
        self.enter(x)
        at, losses = self.ends.index(x) - 1, self.losses()
        best = min(losses.values())
        sides = [
            log_sum(np.array([m - rate * (losses[u] - best) for u, m in self.labellings().items() if u[at] == y]))
            for y in (0, 1)
        ]
        self.ends, self.wrong, self.contested, self.costs = kept
        log_odds = sides[1] - sides[0]
        return (1 / (1 + math.exp(-log_odds)) if log_odds > -700 else math.exp(log_odds)), log_odds

    def odds_along(self, x: Any, rate: float) -> float:
        """Return the log-odds of 1 at x by one pass along the line: for more points than can be listed."""
        kept = (list(self.ends), list(self.wrong), list(self.contested), dict(self.costs))
        self.enter(x)
        logs, states = self.log_gaps(), 2 if self.cuts is None else self.cuts + 1
        # By cuts so far (or their parity), and by the label at x once it was passed.
        here = {(0, None): 0.0}
        for i, mass in enumerate(logs.tolist()):
            there: dict[Any, list[float]] = {}
            for (k, said), weight in here.items():
                for to in range(0 if self.cuts is None else k, states):
                    if self.cuts is not None:
                        step = (to - k) * mass - math.lgamma(to - k + 1)
                    elif to == k:
                        step = math.log1p(math.expm1(-2 * math.exp(mass)) / 2)
                    else:
                        step = math.log(-math.expm1(-2 * math.exp(mass)) / 2)
                    point = self.ends[i + 1]
                    loss = self.costs[point][to % 2] - min(self.costs[point]) if i + 1 < len(logs) else 0.0
                    answer = to % 2 if point == x and i + 1 < len(logs) else said
                    there.setdefault((to, answer), []).append(weight + step - rate * loss)
            here = {key: log_sum(np.array(ways)) for key, ways in there.items()}
        ends = {key: weight for key, weight in here.items() if self.cuts is None or key[0] == self.cuts}
        sides = [log_sum(np.array([w for (_, said), w in ends.items() if said == y])) for y in (0, 1)]
        self.ends, self.wrong, self.contested, self.costs = kept
        return sides[1] - sides[0]

    def best(self) -> tuple[float, float]:
        """Return the least loss, and ln of the mass of all labellings that have it."""
        losses, masses = self.losses(), self.labellings()
        least = min(losses.values())
        return least, log_sum(np.array([masses[u] for u in masses if losses[u] == least]))

    def log_potential(self, rate: float) -> float:
        """Return ln of the sum of mass times e^(-rate (loss - least))."""
        losses = self.losses()
        least = min(losses.values())
        return log_sum(np.array([m - rate * (losses[u] - least) for u, m in self.labellings().items()]))

    def probable(self, rate: float) -> tuple[float, float]:
        """Return the loss and ln of the mass of the most probable labelling."""
        losses, masses = self.losses(), self.labellings()
        u = max(masses, key=lambda u: masses[u] - rate * losses[u])
        return losses[u], masses[u]
