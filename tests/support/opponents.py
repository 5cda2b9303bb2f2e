"""Opponents that try to break a printed bound: each plays whole games and yields the learner after every round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import adeptree as at

Opponent = Callable[[at.Adept, list[Any], int, np.random.Generator], Iterator[at.Adept]]


def less_likely(p: float) -> int:
    return int(p < 0.5)


def greedy(learner: at.Adept, points: list[Any], T: int, rng: np.random.Generator) -> Iterator[at.Adept]:
    """Random points, always the label the learner holds less likely."""
    for _ in range(T):
        x = points[int(rng.integers(len(points)))]
        learner.learn(x, less_likely(learner.predict_proba(x)))
        yield learner


def unsure(learner: at.Adept, points: list[Any], T: int, rng: np.random.Generator) -> Iterator[at.Adept]:
    """The point where the learner is least sure, and the less likely label: bisection on a line."""
    for _ in range(T):
        some = [points[i] for i in rng.choice(len(points), min(8, len(points)), replace=False)]
        x = min(some, key=lambda x: abs(learner.predict_proba(x) - 0.5))
        learner.learn(x, less_likely(learner.predict_proba(x)))
        yield learner


def one_point(learner: at.Adept, points: list[Any], T: int, rng: np.random.Generator) -> Iterator[at.Adept]:
    """One point for ever, the less likely label."""
    for _ in range(T):
        learner.learn(points[0], less_likely(learner.predict_proba(points[0])))
        yield learner


def all_equal(learner: at.Adept, points: list[Any], T: int, rng: np.random.Generator) -> Iterator[at.Adept]:
    """All labels 1: realizable for most classes, and what the base learner thinks least of."""
    for t in range(T):
        learner.learn(points[t % len(points)], 1)
        yield learner


def pendulum(learner: at.Adept, points: list[Any], T: int, rng: np.random.Generator) -> Iterator[at.Adept]:
    """Labels of one rule, then of another, in longer and longer swings."""
    rules = [learner.concept_class.random_concept(rng) for _ in range(2)]
    swing, left, side = 4, 4, 0
    for _ in range(T):
        x = points[int(rng.integers(len(points)))]
        learner.learn(x, int(rules[side](x)))
        left -= 1
        if not left:
            swing, side = 2 * swing, 1 - side
            left = swing
        yield learner


def take_over(learner: at.Adept, points: list[Any], T: int, rng: np.random.Generator) -> Iterator[at.Adept]:
    """Coin flips while cheap paths are best, so that the rate falls; then one rule, met late, is right for ever."""
    rule = learner.concept_class.random_concept(rng)
    for t in range(T):
        x = points[int(rng.integers(len(points)))] if t > T // 3 else points[0]
        learner.learn(x, int(rule(x)) if t > T // 3 else less_likely(learner.predict_proba(x)))
        yield learner


def coin(learner: at.Adept, points: list[Any], T: int, rng: np.random.Generator) -> Iterator[at.Adept]:
    """Random labels."""
    for _ in range(T):
        learner.learn(points[int(rng.integers(len(points)))], int(rng.integers(2)))
        yield learner


ALL: dict[str, Opponent] = {
    play.__name__: play for play in (greedy, unsure, one_point, all_equal, pendulum, take_over, coin)
}
