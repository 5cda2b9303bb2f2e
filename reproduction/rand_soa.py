"""The optimal learner with coins of a small class: RandSOA."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from adeptree.core.arguments import check_size
from adeptree.core.types import Concept, Instance, IntArray
from adeptree.families.listed import check_listed
from adeptree.learners.custom_learner import CustomLearner
from adeptree.learners.guarantees import not_rounded_below
from adeptree.learners.loading import register_learner
from adeptree.roles.concept_class import ConceptClass
from adeptree.theory import bit_tables
from reproduction.optimal_mistakes import OptimalMistakes, State


@register_learner
class RandSOA(CustomLearner):
    """The optimal learner that draws its labels, on streams whose best rule errs at most k times.

    Expected mistakes are at most ``RL_k``, the randomized k-Littlestone dimension, and no learner has fewer on every
    such stream. By Filmus, Hanneke, Mehalel and Moran (COLT 2023, arXiv 2302.13849). For small classes: the value of
    every set of rules that it meets is computed exactly. Once all rules have erred more than k times it plays on as if
    k were what the best of them has, and nothing is promised.

    Parameters
    ----------
    concept_class
        The rules, which must be listable.
    k
        The number of errors of the best rule that the learner assumes.
    horizon
        T, the number of rounds, if there is an end.
    seed
        Seed of the random guesses.

    Examples
    --------
    >>> from adeptree import FiniteClass
    >>> learner = RandSOA(FiniteClass(["100", "010", "001"]))
    >>> learner.optimum, learner.predict_proba(0)
    (Fraction(3, 4), 0.25)
    """

    kind = "rand-soa"
    endless = True

    def __init__(self, concept_class: ConceptClass, k: int = 0, horizon: int | None = None, seed: int = 0) -> None:
        super().__init__(concept_class, horizon, seed)
        self._listed = check_listed("RandSOA", concept_class)
        self.k = check_size("k", k, at_least=0)
        self._game = OptimalMistakes(self._listed.to_finite().table, self.k, randomized=True)
        self.losses: IntArray = np.zeros(self._listed.size, dtype=np.int64)

    @property
    def optimum(self) -> Fraction:
        """RL_k: what is proven of the expected mistakes while the best rule has erred at most k times."""
        return self._game.value(self._game.start)

    @property
    def _now(self) -> State:
        most = max(self.k, self.best_loss)
        return tuple(bit_tables.mask(self.losses <= most - b) for b in range(self.k + 1))

    def _probability(self, x: Instance, raw: Any) -> float:
        return float(self._game.chance(self._now, bit_tables.mask(self._listed.labels(x))))

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        self.losses = self.losses + (self._listed.labels(x) != label)

    @property
    def best_loss(self) -> int:
        """Loss of the best concept."""
        return int(self.losses.min())

    @property
    def bound(self) -> float:
        """Proven bound on ``regret`` now: RL_k less the best loss, and less what an adversary has still in hand."""
        if self.best_loss > self.k or self.late:
            return math.inf
        proven = float(self.optimum - self._game.value(self._now)) - self.best_loss
        return not_rounded_below(self.regret, proven, self.rounds)

    @property
    def width(self) -> int:
        """Number of concepts."""
        return self._listed.size

    def best_rule(self) -> Concept:
        """Return the best concept."""
        return self._listed.concept(int(self.losses.argmin()))
