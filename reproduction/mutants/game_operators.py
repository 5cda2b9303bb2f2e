"""Mutation operators for games and the cited learners."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from adeptree.roles.base_learner import PerPath
from reproduction.voting_rows import NONE


def never_opens(was: Any) -> Any:
    """One phase is all there is."""
    return lambda self: None if self.phases else was(self)


def noisy(was: Any) -> Any:
    """Every fifth label is flipped."""
    return lambda self, history, x, p: was(self, history, x, p) ^ int(x % 5 == 0)


def unbounded(was: Any) -> Any:
    """A budgeted learner may ask in every round."""
    return lambda t, T, Q: T


def path_by_path(was: Any) -> Any:
    """A base learner that runs on single paths, with separate queries."""
    return lambda self, frontier: PerPath(self)


def point_dropped(was: Any) -> Any:
    """Ask about a history without its first point."""
    return lambda self, points, labels, x, y: was(self, points[1:], labels[1:], x, y)


def at_most_forty(was: Any) -> Any:
    """A mistake bound that is cut off."""
    return lambda *args, **named: min(40, was(*args, **named))


def fair_coins(was: Any) -> Any:
    """A prior that does not look at the base learner's mistakes."""
    return lambda self, mistakes, contested: -np.log(2.0) * contested


def ties_say_one(was: Any) -> Any:
    """In families 1 wins unless 0 has more votes."""

    def vote(self: Any, council: Any, ones: Any) -> Any:
        zero = was(self, council, (council.functions != NONE) & ~ones)
        return np.where(council.notes[:, 1] > 0, ~zero, was(self, council, ones))

    return vote


def without_errors(was: Any) -> Any:
    """No learner has erred."""
    return lambda council, ones: was(council._replace(errors=0 * council.errors), ones)


def ones_first(was: Any) -> Any:
    """A function takes 1 where it can."""
    return lambda self, split: was(self, replace(split, can0=~split.can1))


def alternating(was: Any) -> Any:
    """The opposite of what came before."""
    return lambda self: 1 - self._label if self._round > 1 else 0


def same_block(was: Any) -> Any:
    """A new phase has a new positive block only."""

    def opens(self: Any) -> None:
        was(self)
        self.phases[-1] = (self.phases[-1][0], self.phases[0][1])

    return opens


def one_block_less(was: Any) -> Any:
    """The best union lacks its first block."""

    def judge(self: Any, sample: Any) -> Any:
        found = was(self, sample)
        found._blocks = frozenset(sorted(found._blocks)[1:])
        return found

    return judge


def flipped_again(was: Any) -> Any:
    """Flip with the same chance once more."""
    return lambda self, history, x, p: was(self, history, x, p) ^ int(self.rng.random() < self.noise)


def stray_flips(was: Any) -> Any:
    """Flip now and then, noise or not."""
    return lambda self, history, x, p: was(self, history, x, p) ^ int(self.rng.random() < 0.02)


def first_target(was: Any) -> Any:
    """A target that stays."""

    def instance(self: Any, history: Any) -> Any:
        if history:
            kept, x = self._target, was(self, history)
            self._target = kept
            return x
        return was(self, history)

    return instance


def half_of_the_class(was: Any) -> Any:
    """Draw again where the first says 0 at the last point."""

    def drawn(self: Any, rng: Any) -> Any:
        first = was(self, rng)
        return first if first(list(self.instances())[-1]) else was(self, rng)

    return drawn


def first_point(was: Any) -> Any:
    """The first point of the class, now and then."""

    def instance(self: Any, history: Any) -> Any:
        x = was(self, history)
        return next(iter(self.concept_class.instances())) if self.rng.random() < 0.1 else x

    return instance


def below_the_root(was: Any) -> Any:
    """The first node is left out."""

    def start(self: Any, rounds: int, seed: int) -> None:
        was(self, rounds, seed)
        self._node = self._node and self._node.one

    return start


def one_below(was: Any) -> Any:
    """Label 1 below the tree, whatever fits."""
    return lambda self, history, x, p: 1 if self._node is None else was(self, history, x, p)


def without_the_first(was: Any) -> Any:
    """Answer as if the first ghost were not there."""

    def realizable(self: Any, sample: Any) -> bool:
        ghosts, self._ghosts = self._ghosts, self._ghosts[1:]
        try:
            return bool(was(self, sample))
        finally:
            self._ghosts = ghosts

    return realizable


def leaking(was: Any) -> Any:
    """A point that tells its block: odd or even, in its lowest and in its highest bit."""

    def fresh(self: Any, block: int) -> int:
        x = was(self, block)
        bits = 1 | 1 << 61
        told = x & ~bits | bits * (block % 2)
        self._block[told] = self._block.pop(x)
        return int(told)

    return fresh


def other_label(was: Any) -> Any:
    """The opposite is predicted."""
    return lambda self, split: ~was(self, split)


def one_after_queries(was: Any) -> Any:
    """The coin of the round after a query always says 1."""

    def instance(self: Any, history: Any) -> Any:
        if not self.query_rounds or self.query_rounds[-1] != self._round or not self._round:
            return was(self, history)
        coin, self._coin = self._coin, lambda: 1
        x = was(self, history)
        self._coin = coin
        return x

    return instance


def one_in_queries(was: Any) -> Any:
    """The label is looked at again after a query."""
    return lambda self, history, x, p: 1 if self._round in self.query_rounds[-1:] else was(self, history, x, p)


def calls_thirty_times(was: Any) -> Any:
    """Every call is made thirty times."""

    def call(self: Any, sample: Any) -> bool:
        for _ in range(29):
            was(self, sample)
        return bool(was(self, sample))

    return call
