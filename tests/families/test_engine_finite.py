"""The compiled engine of listed classes against the paths engine: same cells in the same order, same numbers."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adeptree as at
from adeptree.core.errors import InvalidArgument, MissingExtra
from adeptree.families.finite import partition_engine as finite
from adeptree.families.finite.partition_engine import FiniteEngine
from adeptree.families.finite.version_space import Halving
from adeptree.learners.adept import Paths
from adeptree.roles.engine import Limits
from adeptree.theory.priors import KTPrior, PaperPrior

pytest.importorskip("numba")

RATES = [0.0, 0.05, 0.7, 30.0]


def prior_of(name: str, T: int, c: Any) -> PaperPrior | KTPrior:
    return PaperPrior(T, c.size.bit_length() - 1) if name == "paper" else KTPrior()


def both(c: Any, name: str, T: int, rate: float) -> tuple[Paths, FiniteEngine]:
    prior = prior_of(name, T, c)
    paths, engine = Paths(c, Halving(c), prior), FiniteEngine(c, prior)
    paths.rate = engine.rate = rate
    return paths, engine


def random_class(seed: int, concepts: int = 40, points: int = 9) -> at.FiniteClass:
    return at.FiniteClass(np.random.default_rng(seed).integers(2, size=(concepts, points)))


def agree(paths: Paths, engine: FiniteEngine) -> None:
    assert (engine.width, engine.best_loss, engine.queries) == (paths.width, paths.best_loss, paths.queries)
    assert str(engine.best_rule()) == str(paths.best_rule())
    ours, theirs = engine.leader(), paths.leader()
    assert (ours.loss, ours.log_prior) == pytest.approx((theirs.loss, theirs.log_prior), abs=1e-9)
    assert engine.log_potential() == pytest.approx(paths.log_potential(), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 50),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 1)), min_size=1, max_size=25),
    st.sampled_from(["paper", "kt"]),
    st.lists(st.sampled_from(RATES), min_size=1, max_size=4),
)
def test_equals_the_paths_engine(seed: int, pairs: list[tuple[int, int]], name: str, rates: list[float]) -> None:
    paths, engine = both(random_class(seed), name, len(pairs), 0.0)
    for t, (x, y) in enumerate(pairs):
        paths.rate = engine.rate = rates[t % len(rates)]
        assert engine.probability(x) == pytest.approx(paths.probability(x), abs=1e-9)
        paths.commit(x, y)
        engine.commit(x, y)
        agree(paths, engine)


@pytest.mark.parametrize("name", ["paper", "kt"])
@pytest.mark.parametrize("rate", [0.3, 20.0])
def test_heavy_repeats(name: str, rate: float) -> None:
    """eta L up to 6,000: only differences to the best loss may meet the rate."""
    pairs = [(0, 1)] * 150 + [(3, 0)] * 100 + [(0, 0)] * 200 + [(x % 9, x % 2) for x in range(50)]
    paths, engine = both(random_class(3), name, len(pairs), rate)
    out = np.empty(len(pairs))
    assert engine.run([x for x, _ in pairs], np.array([y for _, y in pairs]), out, Limits()) == len(pairs)
    expected = np.empty(len(pairs))
    paths.run([x for x, _ in pairs], np.array([y for _, y in pairs]), expected, Limits())
    assert out.tolist() == pytest.approx(expected.tolist(), abs=1e-9)
    agree(paths, engine)


@pytest.mark.parametrize("c", [at.Thresholds(30), at.Stumps(cuts={"a": [1, 2, 3], "b": [0]}), at.Intervals(9)])
def test_any_listed_class(c: Any) -> None:
    rng = np.random.default_rng(5)
    paths, engine = (Paths(c, Halving(c), KTPrior()), FiniteEngine(c, KTPrior()))
    paths.rate = engine.rate = 0.4
    for _ in range(40):
        x, y = c.instance(c.random_instance(rng)), int(rng.integers(2))
        assert engine.probability(x) == pytest.approx(paths.probability(x), abs=1e-9)
        paths.commit(x, y)
        engine.commit(x, y)
        assert (engine.width, engine.best_loss) == (paths.width, paths.best_loss)


@pytest.mark.parametrize("name", ["paper", "kt"])
def test_either_engine_goes_on_where_the_other_stopped(name: str) -> None:
    c, rng = random_class(8), np.random.default_rng(8)
    pairs = [(int(rng.integers(9)), int(rng.integers(2))) for _ in range(40)]
    paths, engine = both(c, name, 40, 0.5)
    for x, y in pairs[:20]:
        paths.commit(x, y)
        engine.commit(x, y)
    from_paths, from_engine = both(c, name, 40, 0.5)[1], both(c, name, 40, 0.5)[0]
    again = both(c, name, 40, 0.5)[1]
    from_paths.restore(paths.state())
    from_engine.restore(engine.state())
    again.restore(engine.state())
    for x, y in pairs[20:]:
        p = engine.probability(x)
        assert [e.probability(x) for e in (again, from_paths)] == [p, p]
        assert from_engine.probability(x) == pytest.approx(p, abs=1e-9)
        for e in (engine, again, from_paths, from_engine):
            e.commit(x, y)


def test_looking_commits_nothing_and_is_counted_once() -> None:
    _, engine = both(random_class(2), "paper", 20, 0.5)
    engine.commit(0, 1)
    before, width = engine.queries.asked, engine.width
    p = engine.probability(1)
    assert engine.probability(1) == p and engine.queries.asked == before + 2 * width
    assert engine.probability(0) != p and engine.probability(1) == p
    assert (engine.width, engine.queries.asked) == (width, before + 6 * width)
    engine.discard()
    engine.probability(1)
    assert engine.queries.asked == before + 8 * width


def test_past_the_horizon_no_rounds_are_left() -> None:
    """LazyAdept looks on after its last commit, where a path may have more mistakes than T."""
    c = random_class(4)
    paths, engine = both(c, "paper", 2, 0.5)
    for x in (0, 1):
        paths.commit(x, 1)
        engine.commit(x, 1)
    for x in range(9):
        assert engine.probability(x) == pytest.approx(paths.probability(x), abs=1e-9)


def test_a_mistake_bound_below_halvings_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="at least 5"):
        FiniteEngine(random_class(1), PaperPrior(100, 3))


def test_without_numba_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "adeptree.families.finite.partition_kernels", None)
    finite._kernels.cache_clear()
    with pytest.raises(MissingExtra, match=r"adeptree\[fast\]"):
        FiniteEngine(random_class(1), KTPrior())
