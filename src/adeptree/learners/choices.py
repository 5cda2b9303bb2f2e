"""What the arguments of a learner mean: which M, which prior, which rate."""

from __future__ import annotations

from typing import Any

from adeptree import bounds
from adeptree.bases import BaseLearner
from adeptree.classes.base import ConceptClass, check_size
from adeptree.errors import InvalidArgument, got
from adeptree.learners.priors import KTPrior, PaperPrior, Prior
from adeptree.learners.rates import Adaptive, Anytime, Constant, FirstOrder, RateRule, check_rate

RATES = ("paper", "first-order", "anytime", "adaptive")


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """Return the value if it is one of those allowed."""
    if value not in allowed:
        raise InvalidArgument(f"{name} must be one of {', '.join(map(repr, allowed))}; {got(name, value)}")
    return value


def mistake_bound(given: int | None, base: BaseLearner, concept_class: ConceptClass) -> int | None:
    """Return M: what the user said, else what the base learner proves, else what the class declares, else None."""
    for bound in (given, base.mistake_bound, getattr(concept_class, "mistake_bound", None)):
        if bound is not None:
            return check_size("mistake_bound", bound, at_least=0)
    return None


def needed_mistake_bound(given: int | None, base: BaseLearner, concept_class: ConceptClass) -> int:
    """Return M, for a learner that cannot do without it."""
    bound = mistake_bound(given, base, concept_class)
    if bound is None:
        raise InvalidArgument(
            f"no mistake bound is known for {base!r} on {concept_class!r}; give mistake_bound=M, the most mistakes "
            f"the base learner makes on a realizable sequence, or horizon=None, which needs none"
        )
    return bound


def prior(
    name: str | None, horizon: int | None, M: int | None, base: BaseLearner, concept_class: ConceptClass
) -> Prior:
    """Return the prior: the paper's where T is given, KT without."""
    name = one_of("prior", name or ("kt" if horizon is None else "paper"), ("paper", "kt"))
    if name == "kt":
        return KTPrior()
    if horizon is None:
        raise InvalidArgument('prior="paper" needs a horizon; give one, or prior="kt"')
    return PaperPrior(horizon, needed_mistake_bound(M, base, concept_class))


def rate_name(value: Any, prior: Prior) -> str | float:
    """Return the rate asked for: by default the paper's for the paper's prior, else the adaptive one."""
    if value is None:
        return "paper" if prior.name == "paper" else "adaptive"
    return check_rate(value, RATES)


def rate_rule(value: str | float, prior: Prior, horizon: int | None, M: int | None, on_grid: bool) -> RateRule:
    """Return the rule that a rate names; ``on_grid`` keeps a first-order rate for stretches."""
    if isinstance(value, float):
        return Constant(value)
    if value == "adaptive":
        return Adaptive(M=M)
    if M is None:
        raise InvalidArgument(f'rate="{value}" needs a mistake bound; give mistake_bound=, or rate="adaptive"')
    if value == "anytime":
        return Anytime(M)
    if horizon is None:
        raise InvalidArgument(f'rate="{value}" needs a horizon; give one, or rate="adaptive" or "anytime"')
    if value == "paper":
        return Constant(bounds.paper_rate(horizon, M))
    log_experts = prior.log_total if prior.name == "paper" else bounds.kt_cost(horizon, M)
    return FirstOrder(log_experts, on_grid)
