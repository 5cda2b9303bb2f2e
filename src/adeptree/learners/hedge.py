"""Hedge over the concepts of a class that can be listed: the baseline that knows everything."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adeptree.core.arguments import check_size
from adeptree.core.errors import InvalidArgument
from adeptree.core.types import BoolArray, Concept, FloatArray, Instance, IntArray, LabelArray
from adeptree.families.listed import EnumerableClass, check_listed
from adeptree.learners.online_learner import OnlineLearner, Rate
from adeptree.learners.promises import warn_if_weak
from adeptree.learners.rates import Adaptive, ConstantRate, FirstOrder, RateRule, Seen, check_rate
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.engine import Odds
from adeptree.theory import bounds
from adeptree.theory.mixture import SAFE_RATE, odds_of_one, share_of_ones


class Hedge(OnlineLearner):
    """Exponential weights over all concepts, one weight each; regret at most sqrt(T ln|C| / 2).

    Parameters
    ----------
    concept_class
        The rules to compete with, which must be listable (an ``EnumerableClass``).
    horizon
        T, the number of rounds. None (the default) has no end.
    rate
        "paper" (needs a horizon), "first-order", "adaptive" or a positive number. Default: "paper" with a horizon,
        else "adaptive".
    seed
        Of the guesses.

    Examples
    --------
    >>> from adeptree import Thresholds
    >>> hedge = Hedge(Thresholds(16), horizon=100)
    >>> hedge.learn(3, 0)
    >>> hedge.width, hedge.best_loss, str(hedge.best_rule())
    (17, 0, 'x >= 4')
    """

    kind = "hedge"
    endless = True

    def __init__(
        self, concept_class: ConceptClass, horizon: int | None = None, rate: Rate | None = None, seed: int = 0
    ) -> None:
        super().__init__(concept_class, horizon, seed)
        self.listed = self._experts(concept_class)
        asked = ("adaptive" if horizon is None else "paper") if rate is None else rate
        self.rate: Rate = check_rate(asked, ("paper", "first-order", "adaptive"))
        self.log_size = math.log(self.listed.size)
        self.rate_rule = self._rule()
        self.losses: IntArray = np.zeros(self.listed.size, dtype=np.int64)
        self.ledger.last_rate = self._eta = self.learning_rate
        self._weights: FloatArray | None = None
        warn_if_weak(self, f"it weighs {self.listed.size:,} concepts")

    def _experts(self, concept_class: ConceptClass) -> EnumerableClass:
        """Return what is weighed."""
        return check_listed("Hedge", concept_class)

    def _says(self, x: Instance) -> LabelArray:
        """Return the label of every expert at x."""
        return self.listed.labels(x)

    def _parts(self) -> list[Any]:
        return [*super()._parts(), self.rate_rule]

    def _rule(self) -> RateRule:
        if isinstance(self.rate, float):
            return ConstantRate(self.rate)
        if self.rate == "adaptive":
            # Every concept costs ln N, always: the rule reckons with all of it from the start.
            return Adaptive(max(2.0, self.log_size), price=self._price, floor=2.0)
        if self.rate == "first-order":
            return FirstOrder(self.log_size)
        if self.horizon is None:
            raise InvalidArgument('rate="paper" needs a horizon; give one, or rate="adaptive"')
        return ConstantRate(bounds.tuned_rate(self.horizon, self.log_size))

    def _price(self, t: int) -> float:
        return self.log_size

    @property
    def learning_rate(self) -> float:
        """eta of the coming round: sqrt(8 ln|C| / T) unless told otherwise."""
        return self.rate_rule.eta

    def _probability(self, x: Instance, raw: Any) -> float:
        return share_of_ones(self._weigh(), self._says(x) == 1)

    def _weigh(self) -> FloatArray:
        """Return exp(-eta (L - L*)) of every concept, always from integers, so that nothing drifts."""
        if self._weights is None:
            lag = self.losses - self.losses.min()
            # Losses are few different numbers: one exponential for each.
            with np.errstate(under="ignore"):
                self._weights = np.exp(-self.learning_rate * np.arange(int(lag.max()) + 1))[lag]
        return self._weights

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        self.losses = self.losses + (self._says(x) != label)
        self._weights = None

    def _odds(self, x: Instance, raw: Any) -> Odds:
        says_one: BoolArray = self._says(x) == 1
        p = share_of_ones(self._weigh(), says_one)
        if self.learning_rate <= SAFE_RATE:
            return Odds(p, math.nan)  # the gap needs no log-odds there
        return Odds(p, odds_of_one(-self.learning_rate * (self.losses - self.losses.min()), says_one)[1])

    def _charge(self, p: float, guess: int, label: int, cost: float, now: Odds) -> None:
        super()._charge(p, guess, label, cost, now)
        seen = Seen(self.answered + 2 * self.overlaps, self.best_loss, self.ledger.excess, lambda: self.log_size)
        self.rate_rule.look(seen)
        self._eta = self.learning_rate

    @property
    def best_loss(self) -> int:
        """Loss of the best concept."""
        return int(self.losses.min())

    @property
    def bound(self) -> float:
        """What is proven of ``regret`` now: ln(1 / share of the best concepts)/eta + Delta + drift."""
        best = int((self.losses == self.losses.min()).sum())
        return self._proven(math.log(self.listed.size / best), self.regret)

    def bound_after(self, rounds: int) -> float | None:
        """Return what is proven in advance of any stream of so many rounds: sqrt(T ln|C| / 2) at the tuned rate."""
        check_size("rounds", rounds, at_least=0)
        value = None if self.late or rounds > self._end else self.rate_rule.in_advance(rounds, self.log_size)
        return None if value is None else min(value, float(rounds))

    @property
    def width(self) -> int:
        """Number of concepts."""
        return self.listed.size

    def best_rule(self) -> Concept:
        """Return the best concept."""
        return self.listed.concept(int(self.losses.argmin()))

    def _state(self) -> dict[str, Any]:
        return {"losses": self.losses, "rate": self.rate_rule.state()}

    def _restore(self, state: dict[str, Any]) -> None:
        self.losses, self._weights = state["losses"], None
        self.rate_rule.restore(state["rate"])
        self._eta = self.learning_rate
