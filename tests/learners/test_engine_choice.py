"""The engines in a learner: whichever computes, the numbers are the same, from the first round on."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from strategies import steady

import adeptree as at
from adeptree import errors

TABLE = at.FiniteClass(np.random.default_rng(2).integers(0, 2, (40, 12)))
LINES = [at.Thresholds(40), at.RealThresholds(), at.BlockUnions(2), at.BlockUnions(1), TABLE]
SETTINGS: list[dict[str, Any]] = [
    {},
    {"prior": "kt"},
    {"prior": "kt", "rate": 0.6},
    {"horizon": 80},
    {"horizon": 80, "rate": "first-order"},
    {"horizon": 80, "prior": "kt", "rate": "paper"},
]


def learners(c: at.ConceptClass, options: dict[str, Any]) -> tuple[at.Adept, at.Adept]:
    if isinstance(c, at.RealThresholds) and "horizon" in options:
        options = options | {"mistake_bound": 80}
    if isinstance(c, at.FiniteClass):
        options = options | {"base": at.Halving()}
    paths, auto = at.Adept(c, engine="paths", **options), at.Adept(c, engine="auto", **options)
    proven = "mistake_bound" not in options  # where M is only said, a path may have to be dropped
    assert paths.engine.kind == "paths"
    assert auto.engine.collapsed or not (isinstance(c, (at.Thresholds, at.RealThresholds)) and proven)
    if options.get("rate") == "first-order":  # kept for stretches where a structure stands for the paths
        assert auto.rate_rule.grid == auto.engine.collapsed  # type: ignore[attr-defined]
        paths.rate_rule.grid = auto.rate_rule.grid  # type: ignore[attr-defined]
    return paths, auto


@pytest.mark.parametrize("options", SETTINGS, ids=repr)
@pytest.mark.parametrize("c", LINES, ids=repr)
def test_a_structure_changes_no_number(c: at.ConceptClass, options: dict[str, Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    stream = [(int(rng.integers(12)), int(rng.integers(2))) for _ in range(80)]
    paths, auto = learners(c, options)
    engine = type(auto.engine)
    for t, (x, y) in enumerate(stream):
        if t == 40:
            auto.save(tmp_path / "middle")
            auto = at.load(tmp_path / "middle")  # type: ignore[assignment]
        if t % 3:
            assert auto.predict_proba(x) == pytest.approx(paths.predict_proba(x), abs=1e-9)
        paths.learn(x, y)
        auto.learn(x, y)
    assert type(auto.engine) is engine, "nothing moves in the middle"
    assert auto.queries == paths.queries and auto.width == paths.width
    theirs, ours = dict(paths.certificate()), dict(auto.certificate())
    for name in ("engine", "contested", "mistakes", "best_rule"):  # a best path need not be the same one
        theirs.pop(name), ours.pop(name)
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert sum(auto.best_rule()(x) != y for x, y in stream) == paths.best_loss


@steady
@given(st.lists(st.tuples(st.integers(0, 39), st.integers(0, 1)), min_size=1, max_size=60), st.sampled_from(SETTINGS))
def test_a_batch_on_a_structure_equals_the_paths(stream: list[tuple[int, int]], options: dict[str, Any]) -> None:
    for c in (at.Thresholds(40), at.RealThresholds(), at.BlockUnions(2)):
        paths, auto = learners(c, options)
        xs, ys = np.array([x for x, _ in stream]), np.array([y for _, y in stream])
        assert auto.learn_many(xs, ys) == pytest.approx(paths.learn_many(xs, ys), abs=1e-9)
        assert auto.regret == pytest.approx(paths.regret, abs=1e-9)


def test_first_order_on_a_grid_keeps_its_bound() -> None:
    rng = np.random.default_rng(3)
    xs = rng.integers(0, 255, 3000)
    ys = ((xs >= 99) ^ (rng.random(3000) < 0.2)).astype(int)
    grid = at.Adept(at.Thresholds(255), horizon=3000, rate="first-order", engine="collapsed")
    every = at.Adept(at.Thresholds(255), horizon=3000, rate="first-order", engine="paths")
    grid.learn_many(xs, ys)
    every.learn_many(xs, ys)
    assert every.regret <= every.bound and grid.regret <= grid.bound
    assert every.in_advance is not None and grid.in_advance is not None and every.in_advance < grid.in_advance
    assert every.bound_for(best_loss=600) < grid.bound_for(best_loss=600) < grid.in_advance  # type: ignore[operator]
    assert grid.learning_rate != every.learning_rate
    assert every.learning_rate <= grid.learning_rate <= every.learning_rate * 1.05


def test_where_nothing_collapses_it_says_so() -> None:
    c = at.OracleClass(realizable=lambda sample: True, littlestone_dimension=3)
    with pytest.raises(errors.InvalidArgument, match='has no such engine: use engine="auto"'):
        at.Adept(c, engine="collapsed")
    assert at.Adept(c).engine.kind == "paths"


def test_a_limited_width_keeps_the_paths() -> None:
    learner = at.Adept(at.Thresholds(100), max_width=5)
    learner.learn_many(np.arange(100), np.zeros(100, dtype=int))
    assert learner.paths.width == 5
    with pytest.raises(errors.InvalidArgument, match="all paths kept"):
        at.Adept(at.Thresholds(100), prior="kt", max_width=5, engine="collapsed")


@pytest.mark.parametrize(
    ("c", "options", "why"),
    [
        (at.Thresholds(31), {"base": at.Halving()}, "made for Bisection and NearestLabel, all paths kept"),
        (at.Thresholds(31), {"mistake_bound": 2, "horizon": 50}, "all paths kept"),
        (at.Thresholds(31), {"mistake_bound": 300, "horizon": 10**6}, "may be up to 650"),
    ],
    ids=["base", "small M", "large M"],
)
@pytest.mark.filterwarnings("ignore::adeptree.core.errors.NoBetterThanACoin")
def test_what_a_structure_cannot_do_it_is_not_used_for(c: Any, options: dict[str, Any], why: str) -> None:
    with pytest.raises(errors.InvalidArgument, match=f'{why}.*use engine="auto"'):
        at.Adept(c, engine="collapsed", **options)
    assert at.Adept(c, **options).engine.kind == "paths"


@pytest.mark.parametrize("c", [at.Thresholds(100), at.RealThresholds()], ids=repr)
@pytest.mark.parametrize(
    "options",
    [{}, {"prior": "kt", "rate": 4.5}, {"prior": "kt", "costs": (2, 1)}, {"rate": 60.0}, {"horizon": 120}],
    ids=repr,
)
def test_late_labels_weights_and_bold_rates_are_no_reason_for_the_paths(c: Any, options: dict[str, Any]) -> None:
    if isinstance(c, at.RealThresholds) and "horizon" in options:
        options = options | {"prior": "kt"}
    paths, auto = at.Adept(c, engine="paths", **options), at.Adept(c, engine="collapsed", **options)
    rng, waiting = np.random.default_rng(5), []
    for t in range(100):
        x, y, weight = int(rng.integers(60)), int(rng.integers(2)), (1, 2, 0.25, 0)[int(rng.integers(4))]
        if t % 3 == 0:
            waiting.append((paths.answer(x), auto.answer(x)))
            assert waiting[-1][0].p == pytest.approx(waiting[-1][1].p, abs=1e-9)
        elif t % 3 == 1 and len(waiting) > 3:
            for learner, ticket in zip((paths, auto), waiting.pop(int(rng.integers(len(waiting)))), strict=True):
                learner.learn(ticket, y, weight=weight)
        else:
            for learner in (paths, auto):
                learner.learn(x, y, weight=weight)
    assert auto.learn_many([3, 9], [1, 0], weights=[2, 1]) == pytest.approx(
        paths.learn_many([3, 9], [1, 0], weights=[2, 1]), abs=1e-9
    )
    theirs, ours = dict(paths.certificate()), dict(auto.certificate())
    for name in ("engine", "contested", "mistakes", "best_rule", "realised_loss", "realised_bound"):
        theirs.pop(name, None), ours.pop(name, None)
    assert ours == pytest.approx(theirs, abs=1e-9) and auto.queries == paths.queries


def test_the_collapsed_engine_keeps_no_list_of_paths() -> None:
    learner = at.Adept(at.Thresholds(100), prior="kt")
    learner.learn_many(np.arange(50), np.zeros(50, dtype=int))
    with pytest.raises(errors.InvalidArgument, match='build with engine="paths"'):
        _ = learner.paths


@pytest.mark.parametrize("options", SETTINGS, ids=repr)
@pytest.mark.parametrize("c", LINES, ids=repr)
def test_a_saved_run_goes_on_to_the_last_bit(c: at.ConceptClass, options: dict[str, Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    stream = [(int(rng.integers(12)), int(rng.integers(2))) for _ in range(60)]
    _, whole = learners(c, options)
    for x, y in stream[:30]:
        whole.learn(x, y)
    whole.save(tmp_path / "middle")
    again = at.load(tmp_path / "middle")
    assert isinstance(again, at.Adept) and type(again.engine) is type(whole.engine)
    for x, y in stream[30:]:
        assert again.predict_proba(x) == whole.predict_proba(x)
        whole.learn(x, y)
        again.learn(x, y)


@pytest.mark.parametrize("c", LINES, ids=repr)
def test_many_looks_are_single_looks(c: at.ConceptClass) -> None:
    one, many = (learners(c, {})[1] for _ in range(2))
    xs = np.array([3, 3, 7, 0, 11, 11, 3])
    for player in (one, many):
        player.learn_many(np.array([5, 1, 9]), np.array([1, 0, 1]))
        player.predict_proba(3)
    assert many.predict_proba_many(xs).tolist() == [one.predict_proba(x) for x in xs.tolist()]
    assert many.queries == one.queries and many.rounds == one.rounds == 3
    for player in (one, many):
        player.learn(3, 1)
    assert many.regret == one.regret and many.queries == one.queries
    assert len(many.predict_proba_many([])) == 0


@pytest.mark.parametrize("c", LINES, ids=repr)
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda learner: pickle.loads(pickle.dumps(learner))])
def test_a_learner_can_be_copied_whatever_engine_it_has(c: Any, duplicate: Any) -> None:
    learner = learners(c, {"horizon": 50})[1]
    learner.learn_many([0, 1, 2, 1, 0], [1, 0, 1, 0, 1])
    twin = duplicate(learner)
    assert type(twin.engine) is type(learner.engine) and dict(twin.certificate()) == dict(learner.certificate())
    for x, y in [(1, 1), (5, 0), (1, 0)]:
        assert twin.predict_proba(x) == learner.predict_proba(x)
        learner.learn(x, y)
        assert twin.rounds == learner.rounds - 1, "a copy lives on its own"
        twin.learn(x, y)
