"""Counts of the concepts that follow a path, against listing: on grids, in tables, among parities, and over doubles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.families.line.counting_cuts import DOUBLES, doubles_between
from adeptree.families.registry import frontier_of
from adeptree.theory.priors import MixedPrior

LISTED: list[Any] = [
    at.Thresholds(9),
    at.Intervals(7),
    at.Parities(4),
    at.Stumps({"a": [1.0, 2.0], "b": [0.5]}),
    at.FiniteClass(np.random.default_rng(0).integers(0, 2, (13, 5))),
]


@pytest.mark.parametrize("c", LISTED, ids=repr)
def test_counts_are_those_of_a_list(c: Any) -> None:
    rng, frontier, xs = np.random.default_rng(1), frontier_of(c), []
    rules = [c.concept(i) for i in range(c.size)]
    assert frontier.log_size == pytest.approx(math.log(c.size))
    for _ in range(8):
        x = c.random_instance(rng)
        children = frontier.split(x).children
        logs = frontier.log_counts(children)
        frontier.grow(children)
        xs.append(x)
        for row, log in enumerate(logs):
            shown = frontier.concept(row)
            same = sum(all(rule(z) == shown(z) for z in xs) for rule in rules)
            assert math.exp(log) == pytest.approx(same)


def test_doubles_are_counted_one_by_one() -> None:
    for low in (-1.0, -5e-324, -0.0, 0.0, 1.0, 2.0 - 2**-52, 1e300):
        value = low
        for steps in range(4):
            assert doubles_between(low, value) == steps
            value = math.nextafter(value, math.inf)
    assert doubles_between(-math.inf, math.inf) == DOUBLES == 2 * (2**63 - 2**52)
    assert doubles_between(-1.0, 1.0) == 2 * 1023 * 2**52


@pytest.mark.parametrize("c", [at.RealThresholds(), at.RealIntervals(), at.RealStumps(["a", "b"])], ids=repr)
def test_over_floats_the_shares_add_up_to_one(c: at.ConceptClass) -> None:
    learner, rng = at.Adept(c, engine="paths"), np.random.default_rng(2)
    for _ in range(40):
        learner.learn(c.random_instance(rng), int(rng.integers(2)))
        share = learner.paths.log_share
        assert share is not None and math.fsum(np.exp(share)) == pytest.approx(1.0, abs=1e-9)
        assert math.fsum(np.exp(learner.paths.rows().log_mass)) == pytest.approx(1.0, abs=1e-9)
        assert -learner.paths.rows().log_mass.min() <= (learner.prior.price(learner.rounds) or 0.0) + 1e-9


def test_where_nothing_is_counted_the_parts_are_halves() -> None:
    for c in (at.BlockUnions(2), at.Conjunctions(3)):
        prior = at.Adept(c).prior
        assert isinstance(prior, MixedPrior) and prior.log_size is None and prior.kt == 0.5 and prior.counts == 0.0
        assert frontier_of(c).log_size is None
        with pytest.raises(at.errors.InvalidArgument, match="log_size is None"):
            frontier_of(c).log_counts(frontier_of(c).split(c.random_instance(np.random.default_rng(0))).children)


def test_a_class_of_one_rule_has_all_the_mass() -> None:
    learner = at.Adept(at.FiniteClass([[0, 1]]))
    learner.learn_many([0, 1, 0], [1, 1, 0])
    assert learner.engine.rows().log_mass == pytest.approx([0.0], abs=1e-15)
    assert learner.regret == 0.0 <= learner.bound < 1e-15


def test_masses_carried_along_are_those_computed_anew() -> None:
    for c in LISTED:
        learner, rng = at.Adept(c, engine="paths"), np.random.default_rng(3)
        for _ in range(30):
            learner.learn(c.random_instance(rng), int(rng.integers(2)))
        paths = learner.paths
        anew = learner.prior.log_mass(paths.rounds, paths.mistakes, paths.contested, paths.log_share)
        assert paths.rows().log_mass == pytest.approx(anew, abs=1e-12)
