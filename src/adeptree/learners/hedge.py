"""Hedge over the concepts of a class that can be listed: the baseline that knows everything."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adeptree import bounds
from adeptree.classes.base import ConceptClass, EnumerableClass
from adeptree.errors import InvalidArgument, got
from adeptree.frontiers.base import Queries
from adeptree.learners.base import OnlineLearner, Rate, bound_now, check_rate, rate_now
from adeptree.learners.mixture import log_weights, probability_of_one
from adeptree.types import Concept, Instance, IntArray


class Hedge(OnlineLearner):
    """Exponential weights over all concepts, one weight each; regret at most sqrt(T ln|C| / 2).

    >>> from adeptree import Thresholds
    >>> hedge = Hedge(Thresholds(16), horizon=100)
    >>> hedge.learn(3, 0)
    >>> hedge.width, hedge.best_loss, str(hedge.best_rule())
    (17, 0, 'x >= 4')
    """

    kind = "hedge"

    def __init__(self, concept_class: ConceptClass, horizon: int, rate: Rate = "paper", seed: int = 0) -> None:
        super().__init__(concept_class, horizon, seed)
        if not isinstance(concept_class, EnumerableClass):
            raise InvalidArgument(
                f"Hedge needs a class whose concepts can be listed; {got('concept_class', concept_class)}; use Adept"
            )
        concept_class._check_listable()
        self.listed = concept_class
        self.rate = check_rate(rate, ("paper", "first-order"))
        self.losses: IntArray = np.zeros(concept_class.size, dtype=np.int64)
        self._queries = Queries()

    @property
    def learning_rate(self) -> float:
        """eta of the coming round: sqrt(8 ln|C| / T) unless told otherwise."""
        log_size = math.log(self.listed.size)
        return rate_now(self.rate, math.sqrt(8 * log_size / self.horizon), log_size, self.best_loss)

    def _probability(self, x: Instance, raw: Any) -> float:
        weight = log_weights(np.zeros(len(self.losses)), self.losses, self.best_loss, self.learning_rate)
        return probability_of_one(weight, self.listed.labels(x) == 1)

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        self.losses = self.losses + (self.listed.labels(x) != label)

    @property
    def best_loss(self) -> int:
        """Loss of the best concept."""
        return int(self.losses.min())

    @property
    def bound(self) -> float:
        """The proven bound on the expected regret."""
        paper = bounds.hedge_regret(self.horizon, self.listed.size)
        return bound_now(self.rate, paper, self.horizon, math.log(self.listed.size), self.best_loss)

    @property
    def width(self) -> int:
        """Number of concepts."""
        return self.listed.size

    @property
    def queries(self) -> Queries:
        """None: Hedge asks no oracle."""
        return self._queries

    def best_rule(self) -> Concept:
        """Return the best concept."""
        return self.listed.concept(int(self.losses.argmin()))

    def settings(self) -> dict[str, Any]:
        """Return the arguments that rebuild this learner."""
        return {"horizon": self.horizon, "rate": self.rate, "seed": self.seed}

    def _state(self) -> dict[str, Any]:
        return {"losses": self.losses}

    def _restore(self, state: dict[str, Any]) -> None:
        self.losses = state["losses"]
