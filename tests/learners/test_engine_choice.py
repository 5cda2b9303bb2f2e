"""The engines in a learner: whichever computes, the numbers are the same, also where one hands over to another."""

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
from adeptree.learners import engine_choice as choosing

pytest.importorskip("numba")

TABLE = at.FiniteClass(np.random.default_rng(2).integers(0, 2, (40, 12)))
LINES = [at.Thresholds(40), at.RealThresholds(), at.BlockUnions(2), at.Intervals(12), at.BlockUnions(1), TABLE]
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
    if options.get("rate") == "first-order":  # kept for stretches where a structure may stand for the paths
        assert auto.rate_rule.grid == isinstance(c, (at.Thresholds, at.BlockUnions))  # type: ignore[attr-defined]
        paths.rate_rule.grid = auto.rate_rule.grid  # type: ignore[attr-defined]
    return paths, auto


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hand over at once."""
    monkeypatch.setattr(choosing, "LONG", 2)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("options", SETTINGS, ids=repr)
@pytest.mark.parametrize("c", LINES, ids=repr)
def test_handing_over_changes_no_number(c: at.ConceptClass, options: dict[str, Any], tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    stream = [(int(rng.integers(12)), int(rng.integers(2))) for _ in range(80)]
    paths, auto = learners(c, options)
    for t, (x, y) in enumerate(stream):
        if t == 40:
            auto.save(tmp_path / "middle")
            auto = at.load(tmp_path / "middle")  # type: ignore[assignment]
        if t % 3:
            assert auto.predict_proba(x) == pytest.approx(paths.predict_proba(x), abs=1e-9)
        paths.learn(x, y)
        auto.learn(x, y)
    assert auto.queries == paths.queries and auto.width == paths.width
    theirs, ours = dict(paths.certificate()), dict(auto.certificate())
    for name in ("engine", "contested", "mistakes", "best_rule"):  # a best path need not be the same one
        theirs.pop(name), ours.pop(name)
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert sum(auto.best_rule()(x) != y for x, y in stream) == paths.best_loss


@steady
@given(
    st.lists(st.tuples(st.integers(0, 39), st.integers(0, 1)), min_size=1, max_size=60), st.sampled_from(SETTINGS[1:])
)
def test_collapsed_equals_paths(stream: list[tuple[int, int]], options: dict[str, Any]) -> None:
    for c in (at.Thresholds(40), at.BlockUnions(2)):
        collapsed = at.Adept(c, engine="collapsed", **options)
        if options.get("rate") == "first-order":
            continue  # on a grid there
        paths = at.Adept(c, engine="paths", **options)
        xs, ys = np.array([x for x, _ in stream]), np.array([y for _, y in stream])
        assert collapsed.learn_many(xs, ys) == pytest.approx(paths.learn_many(xs, ys), abs=1e-9)
        assert collapsed.regret == pytest.approx(paths.regret, abs=1e-9)


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


@pytest.mark.parametrize("c", [at.Intervals(8), at.Conjunctions(3), at.Stumps({"a": [1.0]})], ids=repr)
def test_where_nothing_collapses_it_says_so(c: at.ConceptClass) -> None:
    with pytest.raises(errors.InvalidArgument, match='use engine="auto"'):
        at.Adept(c, engine="collapsed")


def test_a_limited_width_keeps_the_paths() -> None:
    learner = at.Adept(at.Thresholds(100), max_width=5)
    learner.learn_many(np.arange(100), np.zeros(100, dtype=int))
    assert learner.paths.width == 5
    with pytest.raises(errors.InvalidArgument, match="all paths kept"):
        at.Adept(at.Thresholds(100), prior="kt", max_width=5, engine="collapsed")


@pytest.mark.parametrize("options", [{}, {"prior": "kt", "rate": 4.5}, {"prior": "kt", "costs": (2, 1)}], ids=repr)
def test_what_a_compiled_engine_cannot_do_it_is_not_used_for(options: dict[str, Any]) -> None:
    with pytest.raises(errors.InvalidArgument, match=r'rates up to 4 and rounds of weight 1.*use engine="auto"'):
        at.Adept(at.Thresholds(100), engine="collapsed", **options)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(choosing, "LONG", 2)
        learner = at.Adept(at.Thresholds(100), **options)
        learner.learn_many(np.arange(50), np.zeros(50, dtype=int))
        assert learner.paths.width == 51


@pytest.mark.usefixtures("soon")
def test_late_labels_and_weights_keep_the_paths_or_are_refused_with_a_sentence() -> None:
    late, heavy, moved = (at.Adept(at.Thresholds(100), prior="kt") for _ in range(3))
    late.answer(3)
    late.learn_many(np.arange(50), np.zeros(50, dtype=int))
    heavy.learn(3, 1, weight=2)
    heavy.learn_many(np.arange(50), np.zeros(50, dtype=int))
    assert late.paths.width == heavy.paths.width == 51
    batch = at.Adept(at.Thresholds(100), prior="kt")
    batch.learn_many(np.arange(50), np.zeros(50, dtype=int), weights=[1] * 49 + [2])
    assert batch.paths.width == 51
    moved.learn_many(np.arange(50), np.zeros(50, dtype=int))
    before = dict(moved.certificate())
    calls = (
        lambda: moved.answer(3),
        lambda: moved.learn(3, 1, weight=2),
        lambda: moved.learn_many([1, 2], [0, 1], weights=[1, 2]),
    )
    for call in calls:
        with pytest.raises(errors.InvalidArgument, match=r'has taken over.*engine="paths"'):
            call()
    assert dict(moved.certificate()) == before and before["engine"] == "ordered"


@pytest.mark.usefixtures("soon")
def test_the_collapsed_engine_keeps_no_list_of_paths() -> None:
    learner = at.Adept(at.Thresholds(100), prior="kt")
    learner.learn_many(np.arange(50), np.zeros(50, dtype=int))
    with pytest.raises(errors.InvalidArgument, match='build with engine="paths"'):
        _ = learner.paths


@pytest.mark.usefixtures("soon")
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


@pytest.mark.usefixtures("soon")
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


@pytest.mark.parametrize("c", [at.FiniteClass([[0, 1, 1], [1, 0, 1]]), at.Intervals(8)])
def test_a_learner_can_be_copied_whatever_engine_it_has(c: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adeptree.learners.engine_choice.LONG", 0)
    learner = at.Adept(c, 50, base=at.Halving() if isinstance(c, at.FiniteClass) else None)
    learner.learn_many([0, 1, 2, 1, 0], [1, 0, 1, 0, 1])
    assert learner.engine.kind in ("finite", "sweep")
    for twin in (copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
        assert twin.predict_proba(1) == learner.predict_proba(1)
