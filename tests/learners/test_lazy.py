"""LazyAdept: the speculative, sample-blind wrapper of the tradeoff theorem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_form import times

import adeptree as at
from adeptree.core.errors import HorizonReached, InvalidArgument


def stream(c: Any, T: int, seed: int) -> list[tuple[Any, int]]:
    run = at.play(at.Hedge(c, T), at.Stochastic(c, noise=0.2), seed=seed)
    return [(r.x, r.y) for r in run]


@settings(deadline=None, derandomize=True, max_examples=40)
@given(seed=st.integers(0, 1000), T=st.integers(1, 60), share=st.floats(0.05, 1.0))
def test_on_the_sampled_rounds_it_is_adept_on_the_subsequence_alone(seed: int, T: int, share: float) -> None:
    c = at.Thresholds(32)
    K = max(1, int(share * T))
    lazy, pairs = at.LazyAdept(c, T, commits=K, seed=seed), stream(c, T, seed)
    probabilities = lazy.learn_many(*zip(*pairs, strict=True))
    assert len(lazy.sampled_rounds) == K
    alone = at.Adept(c, K, engine="paths")  # to the last bit: rounds that are rolled back are the paths'
    sampled = [t - 1 for t in lazy.sampled_rounds]
    expected = alone.learn_many([pairs[t][0] for t in sampled], [pairs[t][1] for t in sampled])
    assert probabilities[sampled].tolist() == expected.tolist()
    assert lazy.width == alone.width


def test_all_commits_is_adept() -> None:
    c = at.Intervals(16)
    pairs = stream(c, 40, 2)
    lazy, adept = at.LazyAdept(c, 40, exponent=1), at.Adept(c, 40, engine="paths")
    xs, ys = zip(*pairs, strict=True)
    assert lazy.learn_many(xs, ys).tolist() == adept.learn_many(xs, ys).tolist()
    assert (lazy.queries.asked, lazy.best_loss) == (adept.queries.asked, adept.best_loss)


def test_every_subset_of_rounds_is_equally_likely() -> None:
    counts: dict[tuple[int, ...], int] = {}
    games = times(1000, 3000)
    for seed in range(games):
        lazy = at.LazyAdept(at.FiniteClass([[0], [1]]), 5, commits=2, seed=seed)
        lazy.learn_many([0] * 5, [0] * 5)
        key = tuple(lazy.sampled_rounds)
        counts[key] = counts.get(key, 0) + 1
    assert len(counts) == 10
    assert all(abs(n - games / 10) < 5 * (games * 0.09) ** 0.5 for n in counts.values())


def test_prediction_is_blind_to_the_sampling() -> None:
    """Two runs whose samples first differ in round t predict the same in rounds 1..t."""
    c = at.Thresholds(16)
    pairs = stream(c, 30, 7)
    runs = []
    for seed in range(12):
        lazy = at.LazyAdept(c, 30, commits=8, seed=seed)
        runs.append((lazy.learn_many(*zip(*pairs, strict=True)).tolist(), set(lazy.sampled_rounds)))
    for p, sample in runs:
        for q, other in runs:
            first = min(sample ^ other, default=30)
            assert p[:first] == q[:first]


def test_a_round_that_is_rolled_back_still_counts_its_queries() -> None:
    c = at.Thresholds(64)
    lazy = at.LazyAdept(c, 50, commits=1, seed=0)
    widths = []
    for x, y in stream(c, 50, 1):
        widths.append(lazy.width)
        lazy.predict_proba(x)
        lazy.predict_proba(x)
        lazy.learn(x, y)
    assert lazy.queries.asked == 2 * sum(widths)
    assert set(widths) == {1, 2}


def test_after_the_last_commit_the_state_is_frozen_and_capacities_are_one() -> None:
    c = at.Thresholds(64)
    lazy = at.LazyAdept(c, 200, commits=5, seed=1)
    pairs = stream(c, 200, 3)
    lazy.learn_many(*zip(*pairs[: lazy_last(lazy, pairs)], strict=True))
    before = {x: lazy.predict_proba(x) for x in range(64)}
    lazy.learn(*pairs[-1])
    assert {x: lazy.predict_proba(x) for x in range(64)} == before
    inner = lazy.inner
    split = inner.paths.frontier.split(7)
    guess = inner.paths.base_rows.predict(split)
    weights = {0: 0.0, 1: 0.0}
    for parent, label in zip(split.children.parent, split.children.label, strict=True):
        if split.contested[parent] and label != guess[parent] and inner.paths.mistakes[parent] == inner.mistake_bound:
            continue
        weights[int(label)] += 2.718281828459045 ** (-inner.learning_rate * int(inner.paths.losses[parent]))
    assert before[7] == pytest.approx(weights[1] / (weights[0] + weights[1]), abs=1e-12)


def lazy_last(lazy: at.LazyAdept, pairs: list[tuple[Any, int]]) -> int:
    """The round of the last commit, found by a twin run."""
    twin = at.LazyAdept(lazy.concept_class, lazy.horizon, commits=lazy.commits, seed=lazy.seed)
    twin.learn_many(*zip(*pairs, strict=True))
    return twin.sampled_rounds[-1]


def test_horizon_and_arguments() -> None:
    c = at.Thresholds(8)
    assert at.LazyAdept(c, 100).commits == 10
    assert at.LazyAdept(c, 1000, exponent=1 / 3).commits == 10
    lazy = at.LazyAdept(c, 2, commits=1)
    lazy.learn_many([1, 2], [0, 1])
    with pytest.raises(HorizonReached):
        lazy.predict_proba(3)
    for bad in ({"exponent": 0.5, "commits": 3}, {"exponent": 0}, {"exponent": 1.5}, {"commits": 0}, {"commits": 101}):
        with pytest.raises(InvalidArgument):
            at.LazyAdept(c, 100, **bad)


def test_best_loss_is_over_all_rounds() -> None:
    c = at.Thresholds(16)
    pairs = stream(c, 60, 5)
    lazy, adept = at.LazyAdept(c, 60, commits=6), at.Adept(c, 60)
    for x, y in pairs:
        lazy.learn(x, y)
        adept.learn(x, y)
        assert lazy.best_loss == adept.best_loss
    assert lazy.regret == lazy.expected_loss - lazy.best_loss


def test_save_and_load_in_the_middle(tmp_path: Path) -> None:
    c = at.Intervals(16)
    pairs = stream(c, 40, 8)
    whole = at.LazyAdept(c, 40, commits=12, seed=4)
    expected = whole.learn_many(*zip(*pairs, strict=True)).tolist()
    for stop in (1, 13, 39):
        lazy = at.LazyAdept(c, 40, commits=12, seed=4)
        lazy.learn_many(*zip(*pairs[:stop], strict=True))
        lazy.save(tmp_path / "lazy")
        again = at.load(tmp_path / "lazy")
        assert again.learn_many(*zip(*pairs[stop:], strict=True)).tolist() == expected[stop:]
        assert again.sampled_rounds == whole.sampled_rounds  # type: ignore[attr-defined]
        assert (again.regret, again.queries) == (whole.regret, whole.queries)
