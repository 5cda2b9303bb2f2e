"""Stumps by listing them: gaps and masses from Algorithm 2's own paths of thresholds, per feature and direction."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import adeptree as at
from adeptree.families.line.cuts_engine import CutsPrior
from adeptree.families.registry import default_base
from adeptree.learners.adept import Paths
from adeptree.theory.mixture import log_sum


class SlowStumps:
    """All stumps of a class with their masses."""

    def __init__(self, c: Any, prior: str) -> None:
        self.c, self.prior, self.rate = c, prior, 0.0
        self.given = c.cuts if isinstance(c, at.Stumps) else {}
        self.names: list[str] = list(self.given or c.features)
        self.past: list[tuple[dict[str, float], int, float]] = []
        self._paths: dict[str, tuple[Any, list[Any]]] = {}  # of each feature, after the points last asked about

    def paths_of(self, name: str, rows: list[dict[str, float]]) -> tuple[Any, list[float]]:
        """Return the paths of one feature after these rows, and the points they are about."""
        cuts = self.given.get(name)
        line: Any = at.RealThresholds() if cuts is None else at.Thresholds(len(cuts) + 1)
        values: list[Any] = [float(row.get(name, 0.0)) for row in rows]
        if cuts is not None:
            values = [int(np.searchsorted(cuts, value, side="right")) for value in values]
        points = list(dict.fromkeys(values))
        paths, played = self._paths.get(name, (None, []))
        if paths is None or points[: len(played)] != played:
            paths, played = Paths(line, default_base(line), CutsPrior(self.prior, line.line, 1).one), []
        for value in points[len(played) :]:
            paths.commit(value, 0, 0)
        self._paths[name] = paths, points
        return paths, values

    def rules(self, rows: list[dict[str, float]]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Return ln of the mass of every rule, and its labels of these rows."""
        share = -math.log(2 * len(self.names))
        masses, labels = [], []
        for name in self.names:
            paths, values = self.paths_of(name, rows)
            rising = np.array(values)[None, :] >= np.asarray(paths.frontier.high)[:, None]
            masses += [paths.rows().log_mass + share] * 2
            labels += [rising, ~rising]
        return np.concatenate(masses), np.concatenate(labels)

    def weigh(self, x: dict[str, float]) -> dict[str, float]:
        """Return p and its log-odds at x, L*, ln of the largest mass that has it, and ln of the whole weight."""
        masses, labels = self.rules([row for row, _, _ in self.past] + [x])
        ys = np.array([y for _, y, _ in self.past], dtype=bool)
        losses = (labels[:, :-1] != ys) @ np.array([weight for *_, weight in self.past], dtype=np.float64)
        least = losses.min()
        logs = masses - self.rate * (losses - least)
        one, zero = (log_sum(logs[labels[:, -1] == side]) for side in (True, False))
        return {
            "p": 1 / (1 + math.exp(zero - one)) if zero - one < 700 else 0.0,
            "log_odds": one - zero,
            "least": least,
            "leader": masses[losses <= least + 1e-9].max(),
            "log_potential": log_sum(logs),
            "mass": log_sum(masses),
        }

    # --- As the other references ---------------------------------------------------------------------

    def set_rate(self, rate: float) -> None:
        """Set the rate."""
        self.rate = rate

    def commit(self, x: dict[str, float], y: int, weight: float) -> None:
        """Let x have this label."""
        self.past.append((x, y, weight))

    def log_weight(self) -> float:
        """Return ln of the sum of prior mass times e^(-rate loss)."""
        known = self.weigh(dict.fromkeys(self.names, 0.0))
        return known["log_potential"] - self.rate * known["least"]
