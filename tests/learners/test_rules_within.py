"""All rules within k of the best: against every concept of the class, written out by hand."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from long_form import times
from strategies import Family, every_engine, steady

import adeptree as at
from adeptree import errors

REAL_POINTS = (-1.5, 0.0, 2.0, 2.5, 1e6)


def _real(c: at.ConceptClass, grid: Family) -> Family:
    """The same labellings on floats."""
    place = REAL_POINTS.index
    rules = tuple((lambda x, rule=rule: rule(place(x))) for rule in grid.rules)
    return replace(grid, c=c, points=REAL_POINTS, rules=rules)


def _stumps(c: at.ConceptClass) -> Family:
    values = (-1.0, 1.0, 2.0)
    cuts = strategies.stumps(a=[0.5, 1.5, 9.0], b=[0.5, 1.5, 9.0])
    points = tuple({"a": a, "b": b} for a, b in itertools.product(values, values))
    return replace(cuts, c=c, points=points)


n = len(REAL_POINTS)
FAMILIES = [
    *strategies.small_families(),
    _real(at.RealThresholds(), strategies.thresholds(n)),
    _real(at.RealIntervals(), strategies.intervals(n)),
    _real(at.RealIntervalUnions(2), strategies.unions(n, 2)),
    _stumps(at.RealStumps(["a", "b"])),
]


def expected(family: Family, rounds: list[tuple[Any, int, float]], k: float) -> dict[tuple[int, ...], float]:
    """Every labelling of the points seen that loses at most k more than the best, with its loss."""
    loss: dict[tuple[int, ...], float] = {}
    for rule in family.rules:
        labels = tuple(rule(x) for x, _, _ in rounds)
        loss[labels] = sum(w for label, (_, y, w) in zip(labels, rounds, strict=True) if label != y)
    reach = min(loss.values()) + k + 1e-9
    return {labels: value for labels, value in loss.items() if value <= reach}


@st.composite
def games(draw: st.DrawFn) -> tuple[Family, list[tuple[Any, int, float]], float]:
    family = draw(st.sampled_from(FAMILIES))
    weight = draw(st.sampled_from([st.just(1.0), st.sampled_from([0.0, 1.0, 3.0]), st.sampled_from([0.1, 0.3, 0.7])]))
    round_ = st.tuples(st.integers(0, len(family.points) - 1), st.integers(0, 1), weight)
    rounds = [(family.points[i], y, w) for i, y, w in draw(st.lists(round_, max_size=14))]
    return family, rounds, draw(st.sampled_from([0.0, 1.0, 2.0, 5.0, 0.25, 0.8]))


@every_engine
@given(games())
@settings(steady, max_examples=times(60, 400))
def test_they_are_all_labellings_within_reach(
    engine: str, game: tuple[Family, list[tuple[Any, int, float]], float]
) -> None:
    family, rounds, k = game
    learner = at.Adept(family.c, engine=engine, max_weight=3)
    for x, y, w in rounds:
        learner.learn(x, y, weight=w)
    before, asked = learner.certificate(), repr(learner.queries)
    found, best = learner.rules_within(k), learner.best_rule()
    assert dict(learner.certificate()) == dict(before) and repr(learner.queries) == asked
    wanted = expected(family, rounds, k)
    labellings = {tuple(near.rule(x) for x, _, _ in rounds): near.loss for near in found}
    # A mixture of features (stumps) lists what each of them has to say, and the constants once.
    said = {(getattr(near.rule, "feature", ""), *(near.rule(x) for x, _, _ in rounds)) for near in found}
    assert len(said if learner.engine.kind.endswith("stump-lines") else labellings) == len(found) and not found.more
    assert labellings.keys() == wanted.keys()
    assert labellings == pytest.approx(wanted)
    assert np.all(np.diff([near.loss for near in found]) >= -1e-9)
    if all(w == int(w) for _, _, w in rounds):  # (else equals may differ by rounding)
        assert str(found[0].rule) == str(best)
    # With a limit these are the first of them, and ``more`` is True.
    for limit in {1, len(found), len(found) + 1}:
        first = learner.rules_within(k, limit)
        assert first.more == (limit < len(found)) and len(first) == min(limit, len(found))
        assert [near.loss for near in first] == pytest.approx([near.loss for near in found][:limit])


@every_engine
@pytest.mark.parametrize("family", [strategies.thresholds(4), strategies.intervals(4)], ids=repr)
def test_rounded_sums_hide_no_rule(family: Family, engine: str) -> None:
    for seed in range(40):
        rng = random.Random(seed)
        rounds = [(rng.choice(family.points), rng.randrange(2), rng.choice([0.1, 0.3, 0.7])) for _ in range(14)]
        learner = at.Adept(family.c, engine=engine)
        for x, y, w in rounds:
            learner.learn(x, y, weight=w)
        for k in (0.2, 0.8, 1.0, 2.0):
            found = {tuple(near.rule(x) for x, _, _ in rounds) for near in learner.rules_within(k)}
            assert found == expected(family, rounds, k).keys()


def test_steps_list_none_but_path_by_path() -> None:
    with pytest.raises(errors.InvalidArgument, match="unions of intervals"):
        at.Adept(at.RealSteps()).rules_within(1)
    learner = at.Adept(at.RealSteps(), engine="paths")
    learner.learn_many([1, 2, 3], [0, 1, 0])
    assert [near.loss for near in learner.rules_within(1)] == [0, 1, 1, 1]


def test_far_too_many_are_cut_off_at_the_limit() -> None:
    rng = np.random.default_rng(0)
    xs, ys = rng.random(600), rng.integers(0, 2, 600)
    for c in (at.RealThresholds(), at.RealIntervals(), at.RealIntervalUnions(3), at.BlockUnions(4)):
        learner = at.Adept(c)
        learner.learn_many(xs if c != at.BlockUnions(4) else (100 * xs).astype(int).tolist(), ys)
        found = learner.rules_within(90, limit=300)
        losses = [near.loss for near in found]
        assert len(found) == 300 and found.more and losses == sorted(losses) and losses[0] <= learner.best_loss
        for near in found[:: len(found) // 7]:
            points = xs if c != at.BlockUnions(4) else (100 * xs).astype(int).tolist()
            assert near.loss == sum(near.rule(x) != y for x, y in zip(points, ys, strict=True))


@every_engine
@pytest.mark.parametrize("c", [at.RealStumps(["b", "a"]), at.Stumps({"b": [1.5, 2.5], "a": [1.5, 2.5]})])
def test_of_features_that_repeat_each_other_the_first_is_named(engine: str, c: Any) -> None:
    learner = at.Adept(c, engine=engine)
    learner.learn_many([{"a": v, "b": v} for v in (1.0, 2.0, 3.0)], [0, 0, 1])
    cut = "2.5" if c.spec_name == "stumps" else "3"
    assert str(learner.rules_within(1)[0]) == f"b >= {cut} (loss 0)"
    named = [str(near.rule) for near in learner.rules_within(3)]
    if engine == "paths":  # rules that label all rows alike are one path; in a mixture each feature has its own
        assert all(name.startswith(("b", "always")) for name in named)
    else:
        first, other = ([name[1:] for name in named if name.startswith(f"{feature} ")] for feature in "ba")
        assert first == other
        assert named.count("always 0") == named.count("always 1") == 1


def test_costs_count_as_the_learner_counts_them() -> None:
    learner = at.Adept(at.Thresholds(4), costs=(5, 1))
    learner.learn_many([0, 1, 2, 3, 2], [0, 1, 0, 1, 0])
    assert [(str(near.rule), near.loss) for near in learner.rules_within(3)] == [
        ("x >= 1", 2),
        ("x >= 0", 3),
        ("x >= 3", 5),
    ]


def test_dropped_paths_may_have_been_near() -> None:
    learner = at.Adept(at.Thresholds(16), max_width=3)
    learner.learn_many([3, 12, 8, 5, 7], [0, 1, 1, 1, 0])
    assert learner.rules_within(0).more and len(learner.rules_within(9)) == 3


def test_late_labels_are_seen_points() -> None:
    learner = at.Adept(at.Thresholds(4))
    ticket = learner.answer(2)
    learner.learn(1, 0)
    assert {str(near.rule) for near in learner.rules_within(0)} == {"x >= 2", "x >= 3"}
    learner.learn(ticket, 1)
    assert [str(near.rule) for near in learner.rules_within(0)] == ["x >= 2"]


@pytest.mark.parametrize("k", [-1, "2", None, float("nan"), True])
def test_k_is_a_number_of_losses(k: Any) -> None:
    with pytest.raises(errors.InvalidArgument, match="k must be a number"):
        at.Adept(at.Thresholds(4)).rules_within(k)
