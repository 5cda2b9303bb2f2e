"""Mutation operators: each takes a function and returns its mutated replacement."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from adeptree.learners.lazy import _Committed
from adeptree.learners.rates import ConstantRate
from adeptree.roles.frontier import Queries
from reproduction.mutants.mutation_testing import Change


def times(factor: float) -> Change:
    """Multiply what a function returns, or what a property holds."""

    def change(was: Any) -> Any:
        if isinstance(was, property):
            get: Any = was.fget
            return property(lambda self: factor * get(self))
        return lambda *args, **named: factor * was(*args, **named)

    return change


def after_init(change: Callable[[Any], None]) -> Change:
    """Change every object right after it is made."""

    def changed(was: Any) -> Any:
        @wraps(was)  # settings() reads the names of the arguments
        def init(self: Any, *args: Any, **named: Any) -> None:
            was(self, *args, **named)
            change(self)

        return init

    return changed


def whole_horizon(learner: Any) -> None:
    """The learner inside plays T rounds."""
    inner = learner.inner
    learner.inner = _Committed(
        inner.concept_class, learner.horizon, base=inner.base, rate=inner.rate, engine="paths", seed=learner.seed
    )


class _ThisRound:
    """A sampler that takes every round as long as one is wanted."""

    def random(self) -> float:
        return 0.0


def first_rounds(learner: Any) -> None:
    """The first K rounds are sampled."""
    learner._sampler = _ThisRound()


class _Peeking:
    """A sampler whose next number can be looked at before it is drawn."""

    def __init__(self, sampler: Any) -> None:
        self.sampler = sampler
        self.next: float | None = None

    def look(self) -> float:
        self.next = self.sampler.random() if self.next is None else self.next
        return self.next

    def random(self) -> float:
        drawn, self.next = self.look(), None
        return drawn


def not_blind(learner: Any) -> None:
    """Guess by a coin wherever the round will not be sampled."""
    learner._sampler = peeking = _Peeking(learner._sampler)
    blind = learner._probability

    def probability(x: Any, raw: Any) -> float:
        wanted = learner.commits - len(learner.sampled_rounds)
        return blind(x, raw) if peeking.look() * (learner.horizon - learner.rounds) < wanted else 0.5

    learner._probability = probability


def peeks(was: Any) -> Any:
    """Skip a coin if the next number of the sampler decides so."""

    def guess(self: Any, x: Any, point: Any) -> int:
        drawn = deepcopy(self._sampler).random() * (self.horizon - self.rounds)
        sampled = drawn < self.commits - len(self.sampled_rounds)
        return int(self._look(point) > 0.5) if sampled else int(was(self, x, point))

    return guess


def wrong_label(was: Any) -> Any:
    """The opposite is learnt."""
    return lambda self, x, y, *rest, **named: was(self, x, 1 - int(y), *rest, **named)


def asks_twice(was: Any) -> Any:
    """Another sample is asked about, too."""

    def realizable(self: Any, sample: Any) -> bool:
        pairs = tuple(sample)
        was(self, pairs[:-1] + pairs[:1])
        return bool(was(self, pairs))

    return realizable


def half_gap(was: Any) -> Any:
    """Half of Delta is forgotten."""
    return lambda learner: was(learner) - learner.gap / 2


def fixed(was: Any) -> Any:
    """The rate stays as it was first."""
    return lambda self, seen: None if self.eta else was(self, seen)


def next_to_nothing(was: Any) -> Any:
    """Every rate is next to nothing."""
    return lambda *args, **named: ConstantRate(1e-12)


def flat(was: Any) -> Any:
    """All masses are 1."""
    return lambda self, t, mistakes, *rest: np.zeros(len(mistakes))


def one_more(was: Any) -> Any:
    """One more than there is."""
    return property(lambda self: was.fget(self) + 1)


def without_losses(was: Any) -> Any:
    """Losses count nothing."""
    return lambda mass, loss, best, rate: was(mass, loss, best, 0.0)


def paper_instead(was: Any) -> Any:
    """A first-order rate that is the paper's constant one."""

    def look(self: Any, seen: Any) -> None:
        was(self, seen)
        self.eta = 0.05

    return look


def always_best(was: Any) -> Any:
    """Report the best rule as kept."""
    return lambda *args, **named: replace(was(*args, **named), best_is_kept=True)


def lazier(was: Any) -> Any:
    """Fewer rounds are committed."""
    return lambda horizon, exponent, commits: was(horizon, exponent and exponent - 0.25, commits)


def counted_again(was: Any) -> Any:
    """Half of the queries are counted again."""

    def split(self: Any, x: Any) -> Any:
        found = was(self, x)
        self.queries.asked += self.width
        return found

    return split


def asks_too(was: Any) -> Any:
    """Every prediction asks about all paths."""

    def extend(self: Any, x: Any) -> Any:
        self.frontier.split(x)
        return was(self, x)

    return extend


def losses_forgotten(was: Any) -> Any:
    """The losses of paths are 0 after a commit."""

    def commit(self: Any, *args: Any) -> None:
        was(self, *args)
        self.losses = 0 * self.losses

    return commit


def one_less(was: Any) -> Any:
    """Predict 1 - p in place of p."""
    return lambda *args: 1 - was(*args)


def doubled_mistakes(was: Any) -> Any:
    """k(u) = k(v) + 2 [b != p]."""

    def extend(self: Any, x: Any) -> Any:
        found = was(self, x)
        if not found.split.splits:
            return found
        return replace(found, mistakes=2 * found.mistakes - self.mistakes[found.children.parent])

    return extend


def one_lost(was: Any) -> Any:
    """The last path, where it is contested, cannot take 1."""

    def ask(self: Any, x: Any) -> Any:
        found = was(self, x)
        if self.width >= 5 and self.strategy in ("bits", "cubes"):
            found.can[1][-1] &= not found.can[0][-1]
        return found

    return ask


def turned_round(was: Any) -> Any:
    """The other label on contested rows."""
    return lambda self, partition, split: was(self, partition, split) ^ split.contested


def steeper(was: Any) -> Any:
    """The number of queries has a larger exponent."""
    return property(lambda self: Queries(int(was.fget(self).asked ** 1.3), was.fget(self).posed))


def literally(was: Any) -> Any:
    """The oracle is asked path by path."""
    return lambda concept_class, way: was(concept_class, "literal")


def thirty_times(was: Any) -> Any:
    """Every call counts thirty times."""

    def through(self: Any, kind: Any, samples: Any) -> Any:
        self.account.posed += 29 * len(samples)
        return was(self, kind, samples)

    return through


def unpruned(was: Any) -> Any:
    """No expert is deleted."""
    return after_init(lambda learner: setattr(learner, "prune", False))(was)


def forgetful(was: Any) -> Any:
    """Mistake pruning that loses the last path, too."""

    def within(self: Any, mistakes: Any) -> Any:
        kept = np.ones(len(mistakes), dtype=bool)
        kept[-1] = len(mistakes) < 4
        return kept

    return within


def instead(value: Any) -> Change:
    """Put another thing in its place."""
    return lambda was: value


def always(value: Any) -> Change:
    """Return the same whatever is asked."""
    return lambda was: lambda *args, **named: value


def ones_only(was: Any) -> Any:
    """Samples lose their 0s."""
    return lambda self, sample: was(self, [(x, y) for x, y in sample if y])


def ties_to_one(was: Any) -> Any:
    """At least as many will do."""

    def compare(self: Any, partition: Any, split: Any) -> Any:
        zeros, ones = partition.counts(split.x, len(split.can0))
        return ones >= zeros

    return compare
