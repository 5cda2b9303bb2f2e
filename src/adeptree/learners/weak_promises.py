"""Warn if a new learner's guarantee in advance is no better than that of random guessing."""

from __future__ import annotations

import warnings
from bisect import bisect_left
from typing import TYPE_CHECKING

from adeptree.core.errors import NoBetterThanACoin
from adeptree.learners.guarantees import beats_a_coin

if TYPE_CHECKING:
    from adeptree.learners.adept_learner import Adept
    from adeptree.learners.online_learner import OnlineLearner

LATE_PROMISE = 10_000
"""Without a horizon: warn if random guessing has the better guarantee for more rounds than this."""


def first_useful_round(learner: OnlineLearner) -> int | None:
    """Return approximately the first round whose guarantee in advance beats random guessing; None if there is none."""
    t = 1
    while not _useful_at(learner, t):
        if t > 1 << 50:
            return None
        t *= 2
    return bisect_left(range(t), True, lo=t // 2, key=lambda rounds: _useful_at(learner, rounds))


def _useful_at(learner: OnlineLearner, rounds: int) -> bool:
    return beats_a_coin(learner.bound_after(rounds), rounds, learner.scale)


def warn_if_weak(learner: OnlineLearner, because: str) -> None:
    """Warn, with the reason, if a new learner's guarantee is no better than random guessing."""
    T, scale = learner.horizon, learner.scale
    value = learner.bound_after(T or LATE_PROMISE)
    if value is None or beats_a_coin(value, T or LATE_PROMISE, scale):
        return
    if T is not None:
        text = f"{value:,.1f} over any stream of {T:,} rounds, no less than a coin's {T * scale / 2:,.1f}"
    else:
        first = first_useful_round(learner)
        until = "at any time" if first is None else f"before round {first:,}"
        text = f"no less than a coin's half mistake a round {until}"
    warnings.warn(
        f"the guarantee in advance is {text} ({because}): true, and useless; `bound`, "
        f"which is proven from what was seen, is mostly far smaller",
        NoBetterThanACoin,
        stacklevel=3,
    )


def why_weak(learner: Adept) -> str:
    """Return the reason why a guarantee is no better than random guessing."""
    if isinstance(learner.rate, float):
        return f"at the rate {learner.rate:g}, which is not tuned to it"
    if learner.mistake_bound is None or not learner.engine.runs_base:
        return "for so few rounds the class is large"
    return (
        f"the base learner {type(learner.base).__name__} may err M={learner.mistake_bound:,} times; more rounds, or a "
        f"base learner with a smaller mistake bound, change that"
    )
