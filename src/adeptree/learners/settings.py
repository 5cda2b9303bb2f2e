"""Resolve the arguments of a learner: M, the prior, the rate and the options that depend on them."""

from __future__ import annotations

import math
from typing import Any

from adeptree.core.arguments import check_size, one_of
from adeptree.core.errors import InvalidArgument, UnsupportedCombination, got
from adeptree.learners.rates import (
    Adaptive,
    Anytime,
    ConstantRate,
    FirstOrder,
    LanesRate,
    RateRule,
    ReviewedRate,
    ReviewRate,
    check_rate,
)
from adeptree.roles.base_learner import BaseLearner
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.frontier import Frontier
from adeptree.theory import bounds
from adeptree.theory.decide import ASKED, REVIEWED, Review
from adeptree.theory.priors import PaperPrior, Prior, settled_prior
from adeptree.theory.sharing import Drift

PRIORS = ("paper", "kt", "mixed", "uniform")
RATES = ("paper", "first-order", "anytime", "adaptive")


def review(value: Any) -> Review | None:
    """Convert a cost, a :class:`Review` or the list in a file to a review."""
    if value is None or isinstance(value, Review):
        return value
    return Review(*value) if isinstance(value, (list, tuple)) else Review(value)


def check_combination(used: list[str], prior: str | None, max_width: int | None) -> str | None:
    """Return the prior, by default "mixed" if an option needs one that conserves mass; raise an error for others."""
    if used and prior == "paper":
        raise UnsupportedCombination(
            f'prior="paper" loses mass, so that {used[0]} has no guarantee with it; use prior="mixed"'
        )
    if used and max_width is not None:
        raise UnsupportedCombination(
            f"with max_width={max_width} paths are dropped, so that {used[0]} has no guarantee; leave max_width out"
        )
    return prior or ("mixed" if used else None)


def mistake_bound(given: int | None, base: BaseLearner, concept_class: ConceptClass) -> int | None:
    """Return M: the user's, else the base learner's, else the one that the class declares, else None."""
    for bound in (given, base.mistake_bound, concept_class.mistake_bound):
        if bound is not None:
            return check_size("mistake_bound", bound, at_least=0)
    return None


def needed_mistake_bound(given: int | None, base: BaseLearner, concept_class: ConceptClass) -> int:
    """Return M; raise an error if it is not known."""
    bound = mistake_bound(given, base, concept_class)
    if bound is None:
        raise InvalidArgument(
            f"no mistake bound is known for {base!r} on {concept_class!r}; give mistake_bound=M, the most mistakes "
            f'the base learner makes on a realizable sequence, or prior="mixed", which needs none'
        )
    return bound


def prior(
    name: str | None,
    horizon: int | None,
    M: int | None,
    base: BaseLearner,
    concept_class: ConceptClass,
    frontier: Frontier | None,
) -> Prior:
    """Return the prior: the paper's if T is given, else the mixed one. Without a frontier, parts have their own."""
    name = one_of("prior", name or ("mixed" if horizon is None else "paper"), PRIORS)
    if name != "paper":
        facts = (0.0, False) if frontier is None else (frontier.log_size, frontier.of_floats)
        found = settled_prior(name, M, *facts)
        if found is None:
            raise InvalidArgument(
                f'prior="uniform" needs rules that can be listed, and {concept_class!r} does not count its rules; '
                f'use prior="mixed"'
            )
        return found
    if horizon is None:
        raise InvalidArgument('prior="paper" needs a horizon; give one, or prior="mixed"')
    return PaperPrior(horizon, needed_mistake_bound(M, base, concept_class))


def rate_name(value: Any, prior: Prior, largest: float | None, drifts: bool, asked: str | None) -> str | float:
    """Return the requested rate: by default the paper's for the paper's prior, else the adaptive one.

    ``largest`` is the largest rate of a review, and its default; ``asked`` is the default with ``feedback="asked"``.
    With drift the default is all rates at once.
    """
    if asked is not None:
        value = asked if value is None else value
        if value in ("first-order", "adaptive"):
            raise UnsupportedCombination(
                f'with feedback="asked" losses are estimates, which a rate must not follow; {got("rate", value)}; '
                f'leave rate out, or give "paper", "anytime" or a positive number'
            )
        if drifts and value == "anytime":
            raise UnsupportedCombination('feedback="asked" with drift= needs a constant rate; give horizon= or rate=')
        return check_rate(value, RATES)
    if largest is not None:
        if value is None or value == "review":
            return "review"
        if not isinstance(value, (int, float)) or not 0 < value <= largest * (1 + 1e-12):
            raise UnsupportedCombination(
                f"with review= the rate must be a positive number of at most {largest:.6g}, beyond which a review has "
                f"no guarantee; {got('rate', value)}; leave rate out"
            )
        return float(value)
    if drifts and (value is None or isinstance(value, str)):
        if value not in (None, "lanes"):
            raise UnsupportedCombination(
                f"with drift= the rate must be left out or a positive number; {got('rate', value)}; leave rate out"
            )
        return "lanes"
    if value is None:
        return "paper" if prior.name == "paper" else "adaptive"
    return check_rate(value, RATES)


STEEPEST = 30.0
"""With drift: the largest rate times cost of a round; beyond it, 1 - p has too few digits."""


def check_drift(drift: Drift | None, review: Review | None, step: float) -> None:
    """With drift: raise an error for options without a guarantee or with too few digits."""
    if drift is not None and review is not None and review.delay:
        raise UnsupportedCombination(
            f"with drift= a delay has no guarantee; {got('delay', review.delay)}; leave it out"
        )
    if drift is not None and step > STEEPEST:
        raise UnsupportedCombination(
            f"with drift= the rate times the largest cost of a round may be up to {STEEPEST:g}; got {step:.4g}; give a "
            f"{'smaller rate=' if review is None else 'larger cost of a review, or a smaller rate='}"
        )


def check_feedback(feedback: str, review: Review | None, most: int | None, drifts: bool, horizon: int | None) -> str:
    """Return the feedback mode; raise an error for options that it excludes."""
    if one_of("feedback", feedback, ("all", "reviewed", "asked")) == "asked":
        if review is not None:
            raise UnsupportedCombination(
                f'feedback="asked" refuses review=; {got("review", review)}; leave it out, or use feedback="reviewed"'
            )
        if most is not None:
            check_size("max_labels", most, at_least=0)
        return feedback
    if most is not None:
        raise InvalidArgument(f'max_labels= needs feedback="asked"; {got("max_labels", most)}; leave it out')
    if feedback == "all":
        return feedback
    if review is None or review != Review(review.cost):
        raise UnsupportedCombination(
            f'feedback="reviewed" needs review=, a cost or Review(cost) without other settings; {got("review", review)}'
        )
    if drifts and horizon is None:
        raise UnsupportedCombination('feedback="reviewed" with drift= needs a constant rate; give horizon=')
    return feedback


def put_policy(kernel: Any, review: Review | None, partial: bool, weight: float, most_labels: int | None) -> None:
    """Set a kernel's policy: which cases to review, and which labels to ask for."""
    if review is not None:
        review.put_on(kernel, weight)
        if partial:
            kernel.policy, kernel.best_rate = REVIEWED, review.rate(kernel.cost1, kernel.cost0) / weight
    elif partial:
        kernel.set_policy(0.0, weight, ASKED, 0.0, math.inf if most_labels is None else most_labels)


def rate_rule(
    value: str | float,
    prior: Prior,
    horizon: int | None,
    M: int | None,
    on_grid: bool = False,
    scale: float = 1.0,
    largest: float | None = None,
    paid: float | None = None,
) -> RateRule:
    """Return the rate rule of a name; ``on_grid`` keeps a first-order rate for stretches.

    ``paid`` is the cost of a review (0 without review), if labels are seen for reviewed or asked cases only.
    """
    if paid is not None and prior.price(horizon or 1) is None:
        raise UnsupportedCombination(f"feedback= needs a price of every rule: {prior.unknown}")
    if largest is not None and paid:
        if value != "review":
            raise UnsupportedCombination(f'feedback="reviewed" sets the rate; {got("rate", value)}; leave rate out')
        return ReviewedRate(largest, paid, prior.price, horizon)
    if largest is not None:
        return ReviewRate(largest if value == "review" else float(value))
    if value == "lanes":
        return LanesRate(0.0)
    if isinstance(value, float):
        return ConstantRate(value)
    if value == "adaptive":
        return Adaptive(price=prior.price, floor=prior.floor, scale=scale)
    price = prior.price(horizon or 1)
    if price is None:
        raise InvalidArgument(f'rate="{value}" needs a mistake bound; give mistake_bound=, or rate="adaptive"')
    if value == "anytime":
        return Anytime(prior.price, scale)
    if horizon is None:
        raise InvalidArgument(f'rate="{value}" needs a horizon; give one, or rate="adaptive" or "anytime"')
    if value == "first-order":
        return FirstOrder(price, on_grid)
    if prior.name == "paper" and M is not None:
        return ConstantRate(bounds.paper_rate(horizon, M) / scale)
    return ConstantRate(bounds.tuned_rate(horizon, price) / scale)
