"""Experts: a list of rules with equal masses, one weight each; the structure of Hedge."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adeptree.core.types import Concept, FloatArray, Instance, IntArray, LabelArray
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.engine import Engine, Leader, Odds, Rows
from adeptree.theory.losses import Losses, charged
from adeptree.theory.mixture import SAFE_RATE, odds_of_one, share_of_ones


class ListedExperts(Engine):
    """Exponential weights over a list of rules.

    ``labels`` returns the label of every rule at a point, and ``rule`` the rule of a number.
    """

    kind = "experts"
    runs_base = False

    def __init__(
        self,
        concept_class: ConceptClass,
        size: int,
        labels: Callable[[Instance], LabelArray],
        rule: Callable[[int], Concept],
    ) -> None:
        super().__init__()
        self.concept_class, self._labels, self._rule = concept_class, labels, rule
        self.losses: Losses = np.zeros(size, dtype=np.int64)
        self._weights: FloatArray | None = None

    def probability(self, x: Instance) -> float:
        """Return the share of the weight that predicts 1 at x."""
        return share_of_ones(self._weigh(), self._labels(x) == 1)

    def odds(self, x: Instance) -> Odds:
        """Return the share with its log-odds, which the charge needs at large rates only."""
        says_one, weights = self._labels(x) == 1, self._weigh()
        p = share_of_ones(weights, says_one)
        if self.rate > SAFE_RATE:  # at large rates one side may underflow
            return Odds(p, odds_of_one(-self.rate * (self.losses - self.losses.min()), says_one)[1])
        q = share_of_ones(weights, ~says_one)
        return Odds(p, math.log(p / q) if p and q else math.copysign(math.inf, p - q))

    def _weigh(self) -> FloatArray:
        """Return exp(-eta (L - L*)) of every rule, computed from its loss, so that rounding does not accumulate."""
        if self._weights is None:
            lag = self.losses - self.losses.min()
            with np.errstate(under="ignore"):
                if lag.dtype.kind == "i":  # whole losses have few distinct values: one exponential for each
                    self._weights = np.exp(-self.rate * np.arange(int(lag.max()) + 1))[lag]
                else:
                    self._weights = np.exp(-self.rate * lag)
        return self._weights

    def commit(self, x: Instance, label: int, weight: float = 1) -> None:
        """Charge the rules that are wrong."""
        self.losses, self._weights = charged(self.losses, self._labels(x) != label, weight), None

    def rate_changed(self) -> None:
        """Compute the weights at the new rate."""
        self._weights = None

    def rows(self) -> Rows:
        """Return the rules, each with the same mass."""
        none: IntArray = np.zeros(len(self.losses), dtype=np.int64)
        return Rows(self.losses, none, none, np.full(len(none), -math.log(len(none))))

    def leader(self) -> Leader:
        """Return all best rules together, as one path with the sum of their masses."""
        return Leader(self.best_loss, None, None, min(0.0, self.rows().log_best_mass()))

    def rules_of(self, places: Sequence[int]) -> list[Concept]:
        """Return the rules with these numbers."""
        return [self._rule(place) for place in places]

    def state(self) -> dict[str, Any]:
        """Return the losses."""
        return {"losses": self.losses}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the losses."""
        self.losses, self._weights = state["losses"], None
