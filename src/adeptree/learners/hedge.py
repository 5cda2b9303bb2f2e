"""Hedge over the concepts of a class that can be listed: the baseline with full information."""

from __future__ import annotations

import math

from adeptree.core.errors import InvalidArgument
from adeptree.families.listed import check_listed
from adeptree.learners.adept_learner import Adept
from adeptree.learners.online_learner import OnlineLearner, Rate
from adeptree.learners.rates import Adaptive, ConstantRate, FirstOrder, RateRule, check_rate
from adeptree.learners.weak_promises import warn_if_weak
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.engine import Engine
from adeptree.structures.experts import ListedExperts
from adeptree.theory import bounds
from adeptree.theory.losses import Losses
from adeptree.theory.priors import CountedPrior


class Hedge(Adept):
    """Exponential weights over all concepts of a class, one weight each; regret at most sqrt(T ln|C| / 2).

    It is :class:`Adept` on a listed class with a uniform prior and without a base learner.

    Parameters
    ----------
    concept_class
        The rules to compete with, which must be listable (an ``EnumerableClass``).
    horizon
        T, the number of rounds. Default: None, not limited.
    rate
        "paper" (needs a horizon), "first-order", "adaptive" or a positive number. Default: "paper" with a horizon,
        else "adaptive".
    seed
        Seed of the random guesses.
    costs, max_weight
        Parameters of :class:`Adept`.

    Examples
    --------
    >>> from adeptree import Thresholds
    >>> hedge = Hedge(Thresholds(16), horizon=100)
    >>> hedge.learn(3, 0)
    >>> hedge.width, hedge.best_loss, str(hedge.best_rule())
    (17, 0, 'x >= 4')
    >>> [str(near) for near in hedge.rules_within(0, limit=2)]
    ['x >= 4 (loss 0)', 'x >= 5 (loss 0)']
    """

    kind = "hedge"

    def __init__(
        self,
        concept_class: ConceptClass,
        horizon: int | None = None,
        rate: Rate | None = None,
        seed: int = 0,
        *,
        costs: tuple[float, float] = (1, 1),
        max_weight: float = 1,
    ) -> None:
        OnlineLearner.__init__(self, concept_class, horizon, seed)  # not Adept's: no base learner, no M
        self._set_costs(costs, max_weight)
        experts = self._experts()
        self.prior = CountedPrior(math.log(experts.width))
        asked = ("adaptive" if horizon is None else "paper") if rate is None else rate
        self.rate = check_rate(asked, ("paper", "first-order", "adaptive"))
        self.rate_rule = self._rule()
        self._use(experts)
        warn_if_weak(self, f"it weighs {experts.width:,} concepts")

    def _experts(self) -> ListedExperts:
        """Return the weighted concepts."""
        listed = check_listed("Hedge", self.concept_class)
        return ListedExperts(self.concept_class, listed.size, listed.labels, listed.concept)

    def _rule(self) -> RateRule:
        log_size = self.prior.price(1) or 0.0
        if isinstance(self.rate, float):
            return ConstantRate(self.rate)
        if self.rate == "adaptive":
            # The price of every concept is always ln N, so the rate uses it from the start.
            return Adaptive(max(2.0, log_size), price=self.prior.price, floor=self.prior.floor, scale=self.scale)
        if self.rate == "first-order":
            return FirstOrder(log_size)
        if self.horizon is None:
            raise InvalidArgument('rate="paper" needs a horizon; give one, or rate="adaptive"')
        return ConstantRate(bounds.tuned_rate(self.horizon, log_size) / self.scale)

    @property
    def losses(self) -> Losses:
        """The loss of every concept."""
        losses: Losses = self.engine.rows().losses
        return losses

    def _engine_named(self, kind: str) -> Engine:
        return self.engine
