"""The compiled engine of intervals: the numpy rows, number for number."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adeptree as at
from adeptree.core.errors import InvalidArgument, MissingExtra
from adeptree.families.line import interval_rows
from adeptree.families.line import interval_sweep as sweep
from adeptree.families.line.interval_sweep import SweepEngine
from adeptree.families.registry import base_for
from adeptree.learners.adept import Paths
from adeptree.roles.engine import Limits
from adeptree.theory.priors import KTPrior, PaperPrior, Prior

pytest.importorskip("numba")

Stream = list[tuple[Any, int]]

CLASSES: list[tuple[Any, int]] = [
    (at.Intervals(1), 1),
    (at.Intervals(9), 9),
    (at.Intervals(25), 25),
    (at.Intervals(60), 60),
]


class NumpyPaths(Paths):
    """The numpy engine with its natural base learner."""

    def __init__(self, concept_class: Any, prior: Prior) -> None:
        super().__init__(concept_class, base_for(None, concept_class), prior)

    def round(self, x: Any, label: int, rate: float) -> float:
        self.rate = rate
        p = self.probability(x)
        self.commit(x, label)
        return p


def random_stream(points: int, rounds: int, seed: int) -> Stream:
    rng = np.random.default_rng(seed)
    return [(int(rng.integers(points)), int(rng.integers(2))) for _ in range(rounds)]


def sorted_stream(points: int, rounds: int, seed: int) -> Stream:
    return sorted(random_stream(points, rounds, seed))


def repeated_stream(points: int, rounds: int, seed: int) -> Stream:
    return random_stream(min(points, 3), rounds, seed)


def same_rows(mine: dict[str, Any], theirs: dict[str, Any]) -> None:
    for name, value in mine.items():
        if isinstance(value, dict):
            same_rows(value, theirs[name])
        else:
            assert np.array_equal(value, theirs[name]), name


def engine_of(concept_class: Any, prior: Prior, rate: float = 0.4) -> SweepEngine:
    engine = SweepEngine(concept_class, prior)
    engine.rate = rate
    return engine


def paper(concept_class: Any, T: int) -> PaperPrior:
    return PaperPrior(T, concept_class.littlestone_dimension)


def played(engine: SweepEngine, stream: Stream) -> list[float]:
    probabilities = []
    for x, y in stream:
        probabilities.append(engine.probability(x))
        engine.commit(x, y)
    return probabilities


def batch(engine: SweepEngine, stream: Stream, limits: Limits | None = None) -> tuple[int, np.ndarray[Any, Any]]:
    xs, ys = [x for x, _ in stream], np.array([y for _, y in stream])
    probabilities = np.full(len(stream), np.nan)
    return engine.run(xs, ys, probabilities, limits or Limits()), probabilities


@pytest.mark.parametrize(("concept_class", "points"), CLASSES, ids=repr)
@pytest.mark.parametrize("make", [random_stream, sorted_stream, repeated_stream])
def test_rows_and_probabilities_are_those_of_adept(
    concept_class: Any, points: int, make: Callable[[int, int, int], Stream]
) -> None:
    stream = make(points, 70, 1)
    learner = at.Adept(concept_class, horizon=70, engine="paths")
    numpy_rows = NumpyPaths(concept_class, paper(concept_class, 70))
    engine = engine_of(concept_class, paper(concept_class, 70), learner.learning_rate)
    for x, y in stream:
        p = learner.predict_proba(x)
        assert engine.probability(x) == pytest.approx(p, abs=1e-12)
        assert numpy_rows.round(x, y, learner.learning_rate) == pytest.approx(p, abs=1e-12)
        learner.learn(x, y)
        engine.commit(x, y)
        same_rows(engine.state(), numpy_rows.state())
        assert (engine.width, engine.best_loss) == (learner.width, learner.best_loss)
        assert engine.queries == learner.queries
        assert str(engine.best_rule()) == str(learner.best_rule())


@pytest.mark.parametrize(("concept_class", "points"), CLASSES, ids=repr)
@pytest.mark.parametrize("make", [random_stream, sorted_stream, repeated_stream])
def test_kt_prior_and_rates_that_change(
    concept_class: Any, points: int, make: Callable[[int, int, int], Stream]
) -> None:
    numpy_rows, engine = NumpyPaths(concept_class, KTPrior()), engine_of(concept_class, KTPrior())
    for t, (x, y) in enumerate(make(points, 60, 2)):
        engine.rate = 3.0 / math.sqrt(t + 1)
        p = engine.probability(x)
        assert numpy_rows.round(x, y, engine.rate) == pytest.approx(p, abs=1e-12)
        engine.commit(x, y)
        same_rows(engine.state(), numpy_rows.state())
        # KT loses no mass: at rate 0 all of it is there.
        engine.rate = 0.0
        assert engine.log_potential() == pytest.approx(0.0, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(
    which=st.sampled_from(CLASSES),
    seed=st.integers(0, 10**6),
    rounds=st.integers(1, 60),
    rate=st.sampled_from([0.0, 1e-3, 0.3, 2.0, 40.0]),
    kt=st.booleans(),
    cut=st.integers(0, 60),
)
def test_batches_switches_and_files_change_nothing(
    which: tuple[Any, int], seed: int, rounds: int, rate: float, kt: bool, cut: int
) -> None:
    concept_class, points = which
    stream = random_stream(points, rounds, seed)
    prior: Prior = KTPrior() if kt else paper(concept_class, rounds)
    numpy_rows = NumpyPaths(concept_class, prior)
    expected = [numpy_rows.round(x, y, rate) for x, y in stream]
    steps = engine_of(concept_class, prior, rate)
    assert played(steps, stream) == pytest.approx(expected, abs=1e-9)
    # In one batch.
    whole = engine_of(concept_class, prior, rate)
    done, probabilities = batch(whole, stream)
    assert done == rounds
    same_rows(whole.state(), numpy_rows.state())
    assert whole.queries == steps.queries == numpy_rows.queries
    for mine, theirs in [(whole.leader(), numpy_rows.leader()), (steps.leader(), whole.leader())]:
        assert dataclasses.astuple(mine) == pytest.approx(dataclasses.astuple(theirs), abs=1e-9)
    assert whole.log_potential() == pytest.approx(numpy_rows.log_potential(), abs=1e-9)
    # Begun with numpy, then compiled; begun, saved and loaded.
    start = NumpyPaths(concept_class, prior)
    for x, y in stream[:cut]:
        start.round(x, y, rate)
    switched, loaded, first = (engine_of(concept_class, prior, rate) for _ in range(3))
    switched.restore(start.state())
    batch(first, stream[:cut])
    loaded.restore(first.state())
    for engine in (switched, loaded):
        assert played(engine, stream[cut:]) == pytest.approx(expected[cut:], abs=1e-9)
        same_rows(engine.state(), numpy_rows.state())
    assert probabilities.tolist() == pytest.approx(expected, abs=1e-9)
    # And back to numpy.
    back = NumpyPaths(concept_class, prior)
    back.restore(first.state())
    assert [back.round(x, y, rate) for x, y in stream[cut:]] == pytest.approx(expected[cut:], abs=1e-9)


def test_speculation_commits_nothing_and_asks_once() -> None:
    concept_class = at.Intervals(30)
    engine = engine_of(concept_class, KTPrior())
    played(engine, random_stream(30, 20, 3))
    before, asked = engine.state(), engine.queries.asked
    p = engine.probability(7)
    assert engine.probability(7) == p
    assert engine.queries.asked == asked + 2 * engine.width
    q = engine.probability(29)
    assert engine.queries.asked == asked + 4 * engine.width
    same_rows(engine.state(), before)
    engine.discard()
    assert (engine.probability(7), engine.probability(29)) == (p, q)
    assert engine.queries.asked == asked + 8 * engine.width
    # A new rate is a new weight, but no new question.
    engine.rate = 2.0
    assert engine.probability(29) != q
    assert engine.queries.asked == asked + 8 * engine.width


def test_committing_without_looking_asks_too() -> None:
    engine = engine_of(at.Intervals(9), KTPrior())
    engine.commit(4, 1)
    engine.commit(4, 1)
    assert (engine.queries.asked, engine.width) == (2 * 1 + 2 * 2, 2)


def test_a_batch_does_not_ask_again_what_was_looked_at() -> None:
    stream = random_stream(60, 20, 10)
    engine, numpy_rows = engine_of(at.Intervals(60), KTPrior()), NumpyPaths(at.Intervals(60), KTPrior())
    for paths in (engine, numpy_rows):
        paths.probability(stream[0][0])
        paths.run([x for x, _ in stream], np.array([y for _, y in stream]), np.empty(20), Limits())
    assert engine.queries == numpy_rows.queries


@pytest.mark.parametrize("limits", [Limits(best_loss=3), Limits(gap=0.2), Limits(best_loss=5, gap=0.5)])
@pytest.mark.parametrize("concept_class", [at.Intervals(60), at.Intervals(9)], ids=repr)
def test_a_batch_stops_where_steps_would(concept_class: Any, limits: Limits) -> None:
    stream = random_stream(9, 80, 4)
    compiled, stepping = engine_of(concept_class, KTPrior()), engine_of(concept_class, KTPrior())
    done, probabilities = batch(compiled, stream, limits)
    expected = np.full(80, np.nan)
    xs, ys = [x for x, _ in stream], np.array([y for _, y in stream])
    assert done == super(SweepEngine, stepping).run(xs, ys, expected, limits) < 80
    assert probabilities[:done].tolist() == expected[:done].tolist()
    same_rows(compiled.state(), stepping.state())
    assert batch(compiled, stream[done:])[1].tolist() == batch(stepping, stream[done:])[1].tolist()


def test_masses_beyond_the_range_of_doubles() -> None:
    # With an M of 300 capacities span more than e^600, so paths are weighed in log space.
    concept_class = at.Intervals(8)
    prior = PaperPrior(2000, 300)
    assert prior.log_total > 600
    stream = random_stream(8, 40, 5)
    numpy_rows, engine = NumpyPaths(concept_class, prior), engine_of(concept_class, prior)
    expected = [numpy_rows.round(x, y, 0.4) for x, y in stream]
    done, probabilities = batch(engine, stream)
    assert done == 40
    assert probabilities.tolist() == pytest.approx(expected, abs=1e-9)


def test_kt_masses_that_leave_the_range_of_doubles_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "SAFE_LOG", 6.0)
    concept_class, stream = at.Intervals(60), random_stream(60, 60, 6)
    numpy_rows, engine = NumpyPaths(concept_class, KTPrior()), engine_of(concept_class, KTPrior())
    expected = [numpy_rows.round(x, y, 0.4) for x, y in stream]
    assert engine._in_range()
    done, probabilities = batch(engine, stream)
    assert done == 60
    assert not engine._in_range()
    assert probabilities.tolist() == pytest.approx(expected, abs=1e-9)
    assert engine.queries == numpy_rows.queries


@pytest.mark.parametrize("n", [2**31 - 2, 2**31, 2**60])
def test_lines_of_any_length(n: int) -> None:
    rng = np.random.default_rng(7)
    stream = [(int(x), int(y)) for x, y in zip(rng.integers(0, n, 50), rng.integers(0, 2, 50), strict=True)]
    stream += [(0, 1), (n - 1, 0), (0, 0), (n - 1, 1)]
    concept_class = at.Intervals(n)
    prior = paper(concept_class, len(stream))
    numpy_rows, engine = NumpyPaths(concept_class, prior), engine_of(concept_class, prior)
    expected = [numpy_rows.round(x, y, 0.4) for x, y in stream]
    assert played(engine, stream) == pytest.approx(expected, abs=1e-9)
    same_rows(engine.state(), numpy_rows.state())


def test_losses_far_apart_and_a_stale_table() -> None:
    # Loss differences beyond what the table holds: e^(-40 d) is nothing from d = 18 on.
    stream = [(5, 1)] * 50 + [(2, 0), (7, 0)] * 30
    numpy_rows, engine = NumpyPaths(at.Intervals(9), KTPrior()), engine_of(at.Intervals(9), KTPrior(), 40.0)
    expected = [numpy_rows.round(x, y, 40.0) for x, y in stream]
    assert played(engine, stream) == pytest.approx(expected, abs=1e-9)
    assert int(engine.store.losses.max()) - engine.best_loss > 18


def test_leader_is_the_heaviest_of_the_best() -> None:
    engine = engine_of(at.Intervals(60), KTPrior())
    played(engine, [(x, y) for x in (50, 10, 30, 20) for y in (0, 1)])
    rows = engine.state()
    best = rows["losses"] == rows["losses"].min()
    assert best.sum() == 11
    log_mass = KTPrior().log_mass(8, rows["mistakes"][best], rows["contested"][best])
    leader = engine.leader()
    assert (leader.loss, leader.log_prior) == (rows["losses"].min(), log_mass.max())
    assert (leader.mistakes, leader.contested) in zip(rows["mistakes"][best], rows["contested"][best], strict=True)


def test_the_passes_read_21_bytes_per_path() -> None:
    engine = engine_of(at.Intervals(65536), paper(at.Intervals(65536), 300))
    batch(engine, random_stream(65536, 300, 9))
    rows = engine.store.rows
    assert sum(array.nbytes for array in (rows.columns, rows.mistakes, rows.losses)) == 21 * len(rows.losses)
    assert (rows.contested.nbytes, rows.masses.nbytes) == (4 * len(rows.losses), 0)
    assert engine.nbytes < 27 * len(rows.losses) + 200_000


def test_what_it_cannot_do_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = Paths(at.Intervals(9), base_for(None, at.Intervals(9)), KTPrior(), max_width=2)
    for x in (2, 7, 5):
        cut.commit(x, 1)
    with pytest.raises(InvalidArgument, match="paths were dropped"):
        SweepEngine(at.Intervals(9), KTPrior()).restore(cut.state())
    assert SweepEngine.available() == (True, "")
    monkeypatch.setitem(__import__("sys").modules, "adeptree.families.line.interval_passes", None)
    monkeypatch.delattr("adeptree.families.line.interval_passes")
    interval_rows.load_kernels.cache_clear()
    with pytest.raises(MissingExtra, match=r"adeptree\[fast\]"):
        interval_rows.load_kernels()
