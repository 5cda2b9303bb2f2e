"""The engine of listed classes against the paths engine: same cells in the same order, same numbers."""

from __future__ import annotations

import copy
import importlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adeptree as at
from adeptree.core.errors import InvalidArgument, InvalidInstance
from adeptree.core.words import word_of
from adeptree.families.bits.bit_engine import BitEngine
from adeptree.families.finite.partition_engine import FiniteEngine
from adeptree.families.finite.version_space import Halving
from adeptree.families.registry import default_base, frontier_of
from adeptree.learners.adept import Paths
from adeptree.roles.engine import Problem
from adeptree.theory.priors import KTPrior, MixedPrior, PaperPrior, Prior

RATES = [0.0, 1e-9, 0.05, 0.7, 30.0, 1e6]
PRIORS = ["paper", "kt", "mixed"]
COSTS = [1, 1, 1, 3, 0.25, 0]
ON_BITS = [at.Conjunctions(4), at.Disjunctions(4), at.Conjunctions(5, monotone=True), at.Parities(5)]


def prior_of(name: str, T: int, c: Any) -> Prior:
    if name == "paper":
        return PaperPrior(T, c.size.bit_length() - 1)
    return KTPrior() if name == "kt" else MixedPrior(None, frontier_of(c).log_size)


def both(c: Any, name: str, T: int, rate: float) -> tuple[Paths, FiniteEngine]:
    prior = prior_of(name, T, c)
    on_bits = c in ON_BITS
    paths = Paths(c, default_base(c) if on_bits else Halving(c), prior)
    engine = (BitEngine if on_bits else FiniteEngine)(c, prior)
    paths.rate = engine.rate = rate
    engine.kernel.scale = 1e9  # of the learner, who would slow down
    return paths, engine


def random_class(seed: int, concepts: int = 40, points: int = 9) -> at.FiniteClass:
    return at.FiniteClass(np.random.default_rng(seed).integers(2, size=(concepts, points)))


def same_odds(paths: Paths, engine: FiniteEngine, x: Any) -> None:
    ours, theirs = engine.odds(x), paths.odds(x)
    assert ours.p == pytest.approx(theirs.p, abs=1e-12)
    assert ours.log_odds == pytest.approx(theirs.log_odds, rel=1e-12, abs=1e-9)


def agree(paths: Paths, engine: FiniteEngine) -> None:
    assert (engine.width, engine.queries.asked) == (paths.width, paths.queries.asked)
    assert engine.best_loss == paths.best_loss
    assert str(engine.best_rule()) == str(paths.best_rule())
    ours, theirs = engine.rows(), paths.rows()
    for name in ("losses", "mistakes", "contested"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist()
    assert ours.log_mass.tolist() == pytest.approx(theirs.log_mass.tolist(), abs=1e-9)
    assert engine.log_potential() == pytest.approx(paths.log_potential(), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 50),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 1), st.sampled_from(COSTS)), min_size=1, max_size=25),
    st.sampled_from(PRIORS),
    st.lists(st.sampled_from(RATES), min_size=1, max_size=4),
)
def test_equals_the_paths_engine(seed: int, rounds: list[Any], name: str, rates: list[float]) -> None:
    paths, engine = both(random_class(seed), name, len(rounds), 0.0)
    for t, (x, y, cost) in enumerate(rounds):
        paths.rate = engine.rate = rates[t % len(rates)]
        same_odds(paths, engine, x)
        paths.commit(x, y, cost)
        engine.commit(x, y, cost)
        agree(paths, engine)
