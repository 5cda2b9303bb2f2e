"""Streams whose rule switches, for the learners that track it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import adeptree as at


def points(c: at.ConceptClass, rng: np.random.Generator, T: int) -> list[Any]:
    """Return random points of a class; of blocks, few different ones."""
    return [int(rng.integers(5)) if isinstance(c, at.BlockUnions) else c.random_instance(rng) for _ in range(T)]


def drifting(
    c: at.ConceptClass, rng: np.random.Generator, T: int, switches: int, noise: float
) -> list[tuple[Any, int]]:
    """Return points labelled by one rule after the other, some labels flipped."""
    cuts = sorted(rng.choice(np.arange(1, T), size=switches, replace=False).tolist())
    xs = points(c, rng, T)
    pairs = []
    for start, end in itertools.pairwise([0, *cuts, T]):
        rule = c.erm([(x, int(rng.random() < 0.5)) for x in xs[:3]])
        pairs += [(x, int(rule(x)) ^ int(rng.random() < noise)) for x in xs[start:end]]
    return pairs
