"""An online learner in one file: exponential weights at a fixed rate, one weight per rule.

Copy it, rename it, run it: ``python learner.py``. The page about it is docs/develop/learner.md.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adeptree.core.types import Concept, Instance
from adeptree.families.listed import EnumerableClass
from adeptree.learners.custom_learner import CustomLearner
from adeptree.learners.loading import register_learner


@register_learner  # makes it known to adeptree.load, by its kind
class Weights(CustomLearner):
    """Hedge at a rate fixed in advance: regret at most ln|C| / rate + rate T / 8 (Cesa-Bianchi & Lugosi, Thm 2.2)."""

    kind = "weights"

    def __init__(self, concept_class: EnumerableClass, horizon: int, rate: float = 0.5, seed: int = 0) -> None:
        super().__init__(concept_class, horizon, seed)
        self._listed, self.rate = concept_class, rate
        self.losses = np.zeros(concept_class.size, dtype=np.int64)

    # --- A round: the look commits nothing, the commit replaces what it changes (so that it can be undone) ----

    def _probability(self, x: Instance, raw: Any) -> float:
        weight = np.exp(-self.rate * (self.losses - self.losses.min()))
        return float(weight[self._listed.labels(x) == 1].sum() / weight.sum())

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        self.losses = self.losses + (self._listed.labels(x) != label)  # not +=

    # --- The account: what it knows, and what is proven of its regret -----------------------------------------

    @property
    def best_loss(self) -> int:
        """Return the loss of the best rule in hindsight."""
        return int(self.losses.min())

    @property
    def bound(self) -> float:
        """Return what is proven of the regret now."""
        return min(math.log(self._listed.size) / self.rate + self.rate * self.rounds / 8, self.rounds)

    @property
    def width(self) -> int:
        """Return how many experts are kept."""
        return self._listed.size

    def best_rule(self) -> Concept:
        """Return the best rule."""
        return self._listed.concept(int(self.losses.argmin()))

    # --- Saving comes by itself: the arguments are attributes of the same names, and ``losses`` is what was learnt ---


if __name__ == "__main__":
    from functools import partial

    import adeptree as at
    from adeptree.checks import check

    print("learner:", check(partial(Weights, at.Thresholds(6))))
    run = at.play(Weights(at.Thresholds(64), horizon=300), at.Greedy(at.Thresholds(64)))
    print("game:    regret", round(run.regret, 1), "<=", round(run.bound, 1))
