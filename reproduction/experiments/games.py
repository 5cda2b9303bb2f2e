"""Streams of the experiments by name, and helpers that play and record a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import adeptree as at
from adeptree.families.listed import EnumerableClass
from adeptree.games.adversaries import Instances
from reproduction.experiment import Cell

NOISE = {"realizable": 0.0, "noise 5%": 0.05, "noise 10%": 0.1, "noise 30%": 0.3, "random labels": 0.5}
"""Streams whose labels are a random concept's, each flipped with this probability."""
CURVE_POINTS = 120
"""Points of a curve that is kept in a row; the report needs no more."""


def adversary(name: str, c: at.ConceptClass, rounds: int, instances: Instances | None = None) -> at.Adversary:
    """Return the adversary of a name; ``instances`` replaces the class's own random points."""
    if name in NOISE:
        return at.Stochastic(c, noise=NOISE[name], instances=instances)
    if name == "drifting":
        return at.Drifting(c, period=max(1, rounds // 10), noise=0.05, instances=instances)
    others: dict[str, Any] = {"greedy": at.Greedy, "mistake tree": at.LittlestoneTree}
    return others[name](c, instances=instances)  # type: ignore[no-any-return]


def played(learner: at.OnlineLearner, cell: Cell) -> at.Transcript:
    """Play the stream, the rounds and the seed of a cell."""
    stream = adversary(cell["stream"], learner.concept_class, cell["T"])
    return at.play(learner, stream, rounds=cell["T"], seed=cell["seed"])


def played_on_new_points(learner: at.OnlineLearner, concept_class: at.ConceptClass, cell: Cell) -> at.Transcript:
    """Play different points of the class in random order, with random labels: the hardest for memory and queries."""
    T = cell["T"]
    listed = concept_class.instances() if isinstance(concept_class, EnumerableClass) else range(T)
    return at.play(learner, random_pairs(list(listed), T, cell["seed"]))


def random_pairs(points: Sequence[Any], rounds: int, seed: int) -> list[tuple[Any, int]]:
    """Return that many different points in random order, with random labels."""
    rng = np.random.default_rng([seed, rounds])
    chosen = rng.permutation(len(points))[:rounds].tolist()
    labels = rng.integers(0, 2, size=rounds).tolist()
    return [(points[i], int(y)) for i, y in zip(chosen, labels, strict=True)]


def curve(values: Sequence[float], points: int = CURVE_POINTS) -> dict[str, list[float]]:
    """Return at most ``points`` of the values with their round numbers, the first and the last among them.

    >>> curve([5.0, 6.0, 7.0], points=2)
    {'t': [1, 3], 'value': [5.0, 7.0]}
    """
    places = np.unique(np.linspace(0, len(values) - 1, min(points, len(values))).round().astype(int))
    return {"t": (places + 1).tolist(), "value": [round(float(values[i]), 6) for i in places]}
