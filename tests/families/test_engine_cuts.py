"""Rules with cuts on a line: the kernels against listing all labellings, each other, and themselves interpreted."""

from __future__ import annotations

import importlib
import math
import pickle
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cut_labellings import SlowCuts
from kernel_forms import play_many

import adeptree as at
from adeptree import research
from adeptree.core.compiled import COMPILED
from adeptree.core.errors import DamagedFile
from adeptree.families.line.cuts_engine import CutsEngine, CutsPrior, StepsEngine
from adeptree.families.line.line_domain import FLOATS, Grid
from adeptree.families.line.line_engine import LineEngine
from adeptree.roles.engine import Problem
from adeptree.theory.priors import KTPrior, MixedPrior, PaperPrior

RATES = (1e-9, 0.4, 4.0, 60.0, 1e6)
CLASSES = (
    at.RealIntervals(), at.Intervals(9), at.Intervals(2**40), at.RealIntervalUnions(2), at.IntervalUnions(7, 2),
    at.RealIntervalUnions(1), at.RealSteps(),
)  # fmt: skip


def made(concept_class: Any, prior: str = "mixed", rate: float = 0.4) -> CutsEngine:
    kind = StepsEngine if concept_class.cuts is None else CutsEngine
    engine = kind(concept_class, KTPrior() if prior == "kt" else MixedPrior())
    engine.rate = rate
    engine.kernel.scale = 9.0
    return engine


def slow(engine: Any) -> SlowCuts:
    return SlowCuts(engine.line, engine.prior.one, engine.prior.cuts)


def stream(line: Any, rounds: int, seed: int) -> Iterator[tuple[Any, int, float]]:
    """Ties, repeats, neighbours, runs in order; whole weights and others."""
    rng = random.Random(seed)
    for t in range(rounds):
        if line.of_floats:
            x = rng.choice([rng.random(), rng.randrange(5) / 4, t / 8, math.nextafter(0.5, 1.0), -1e-300])
        else:
            x = rng.choice([rng.randrange(line.n), min(t, line.n - 1), line.n - 1])
        yield x, rng.randrange(2), rng.choice([1.0, 1.0, 2.0, 0.25])


@pytest.mark.parametrize("prior", ["kt", "mixed"])
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("concept_class", CLASSES, ids=repr)
def test_engines_equal_a_list_of_all_labellings(concept_class: Any, rate: float, prior: str) -> None:
    engine = made(concept_class, prior, rate)
    reference, steps = slow(engine), concept_class.cuts is None
    for x, y, weight in stream(engine.line, 9, seed=round(rate)):
        p, log_odds = reference.odds(x, rate)
        odds = engine.odds(x)
        assert odds.p == pytest.approx(p, abs=1e-11) and odds.log_odds == pytest.approx(log_odds, rel=1e-11, abs=1e-10)
        engine.commit(x, y, weight)
        reference.charge(x, y, weight)
        assert engine.width == len(reference.labellings())
        leader, least = engine.leader(), reference.best()
        if steps:
            loss, log_mass = reference.probable(rate)
            assert leader.log_prior - rate * leader.loss == pytest.approx(log_mass - rate * loss, rel=1e-12, abs=1e-9)
            expected = reference.log_potential(rate) + rate * (leader.loss - least[0])
        else:
            assert (leader.loss, leader.log_prior) == pytest.approx(least, abs=1e-9)
            expected = reference.log_potential(rate)
        assert engine.log_potential() == pytest.approx(expected, rel=1e-11, abs=1e-9)
        rule = engine.best_rule()
        lost = sum(cost[rule(point)] for point, cost in reference.costs.items())
        assert lost == pytest.approx(leader.loss, abs=1e-9) == engine.best_loss


@pytest.mark.parametrize("rate", [1e-9, 0.4, 4.0, 60.0])
@pytest.mark.parametrize("concept_class", [at.RealIntervals(), at.RealIntervalUnions(2), at.RealSteps()], ids=repr)
def test_trees_of_many_buckets_equal_a_pass_along_the_line(concept_class: Any, rate: float) -> None:
    engine = made(concept_class, rate=rate)
    reference, rng = slow(engine), random.Random(13)
    for t in range(150):
        x = rng.choice([rng.random(), t / 150])
        y = rng.randrange(2) if t % 3 else int(x * 8) % 2
        weight = rng.choice([1.0, 2.0, 9.0])
        engine.commit(x, y, weight)
        reference.charge(x, y, weight)
        if t % 10 == 9:
            for point in (x, rng.random(), 2.0, -1.0):
                expected = reference.odds_along(point, rate)
                assert engine.odds(point).log_odds == pytest.approx(expected, rel=1e-10, abs=1e-10)


class Rare(SlowCuts):
    """The same, with gaps of next to no mass."""

    def log_gaps(self) -> Any:
        return super().log_gaps() + math.log(1e-15)


@pytest.mark.parametrize("rate", [0.4, 60.0, 1e4])
@pytest.mark.parametrize("concept_class", [at.RealIntervalUnions(2), at.RealSteps()], ids=repr)
def test_gaps_of_next_to_no_mass(concept_class: Any, rate: float) -> None:
    """At high rates steps flip at nearly every point, and the products of a bucket are below all doubles."""
    engine: Any = made(concept_class, rate=rate)
    reference, rng = Rare(engine.line, engine.prior.one, engine.prior.cuts), random.Random(17)
    xs = [rng.random() for _ in range(150)]
    for x in xs:
        y, weight = rng.randrange(2), rng.choice([1.0, 2.0])
        engine.commit(x, y, weight)
        reference.charge(x, y, weight)
    state = engine.state()
    LineEngine.restore(engine, state | {"mass": state["mass"] * 1e-15})  # (steps would compare their saved weight)
    for x in xs[:40]:  # (only points seen: new ones divide what is no longer there)
        assert engine.odds(x).log_odds == pytest.approx(reference.odds_along(x, rate), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("concept_class", CLASSES, ids=repr)
def test_no_mass_is_lost_and_no_labelling_costs_more_than_was_said(concept_class: Any) -> None:
    engine = made(concept_class)
    reference = slow(engine)
    for t, (x, y, weight) in enumerate(stream(engine.line, 8, seed=3), start=1):
        reference.charge(x, y, weight)
        masses = reference.labellings().values()
        assert math.fsum(map(math.exp, masses)) == pytest.approx(1.0, abs=1e-12)
        price = engine.prior.price(t)
        assert (price is None) == (concept_class.cuts is None)
        assert price is None or -min(masses) <= price + 1e-9


@pytest.mark.parametrize("concept_class", CLASSES, ids=repr)
def test_late_labels(concept_class: Any) -> None:
    engine = made(concept_class)
    reference, waiting = slow(engine), []
    for x, y, weight in stream(engine.line, 9, seed=5):
        p = engine.probability(x)
        assert engine.kernel.open(x, 0)
        reference.enter(x)
        waiting.append((x, y, weight, p))
        if len(waiting) == 3:
            for point, label, cost, before in reversed(waiting):
                assert engine.kernel.settle(point, label, cost, before, 0.0, 0, 1)
                reference.charge(point, label, cost)
            waiting.clear()
        point = 0.3 if engine.line.of_floats else 3
        assert engine.probability(point) == pytest.approx(reference.odds(point, 0.4)[0], abs=1e-11)


@pytest.mark.parametrize("rate", RATES)
def test_one_cut_is_a_threshold_and_two_are_an_interval(rate: float) -> None:
    """A longer stream: other code for the same numbers."""
    measure = made(at.RealIntervals()).measure()
    thresholds = _module("thresholds_kernel").ThresholdsKernel(*measure)
    intervals = _module("intervals_kernel").IntervalsKernel(measure)
    cuts = _module("cuts_kernel").CutsKernel
    pairs = [(thresholds, cuts(measure, 1)), (intervals, cuts(measure, 2))]
    for one, two in pairs:
        for kernel in (one, two):
            kernel.set_rate(rate)
            kernel.scale = 9.0
        for x, y, weight in stream(FLOATS, 400 if COMPILED else 150, seed=1):
            assert one.chance(x) == pytest.approx(two.chance(x), abs=1e-12)
            assert one.log_ratio() == pytest.approx(two.log_ratio(), rel=1e-12, abs=1e-11)
            assert one.learn(x, y, weight) and two.learn(x, y, weight)
            assert one.least() == pytest.approx(two.least(), abs=1e-9)


@pytest.mark.skipif(not COMPILED, reason="there is no machine code here")
@pytest.mark.parametrize("rate", [1e-9, 0.4, 1e6])
@pytest.mark.parametrize(
    ("module", "kind", "more"),
    [
        ("intervals_kernel", "IntervalsKernel", ()),
        ("cuts_kernel", "CutsKernel", (4,)),
        ("steps_kernel", "StepsKernel", (1.0,)),
    ],
)
def test_machine_code_gives_the_bits_of_the_source(module: str, kind: str, more: tuple[Any, ...], rate: float) -> None:
    measure = made(at.RealIntervals()).measure()
    pair = [
        getattr(importlib.import_module(f"{room}.{module}"), kind)(measure, *more)
        for room in ("adeptree._compiled", "adeptree.structures")
    ]
    for kernel in pair:
        kernel.set_rate(rate)
        kernel.scale = 9.0
    for t, (x, y, weight) in enumerate(stream(FLOATS, 160, seed=2)):
        seen = [(kernel.chance(x).hex(), kernel.log_ratio().hex(), kernel.learn(x, y, weight)) for kernel in pair]
        assert seen[0] == seen[1]
        if t % 40 == 39:
            for kernel in pair:
                kernel.set_rate(kernel.eta * 0.9)
    account = [kernel.probable() if more == (1.0,) else (kernel.log_best_mass(), kernel.log_total()) for kernel in pair]
    assert account[0] == account[1]


@pytest.mark.parametrize("concept_class", CLASSES, ids=repr)
def test_saved_in_the_middle_it_goes_on_to_the_bit(concept_class: Any) -> None:
    engine = made(concept_class)
    rounds = list(stream(engine.line, 300 if COMPILED else 120, seed=7))
    for x, y, weight in rounds[: len(rounds) // 2]:
        engine.commit(x, y, weight)
    again = made(concept_class)
    again.restore(
        {name: np.array(value) if isinstance(value, np.ndarray) else value for name, value in engine.state().items()}
    )
    copied = pickle.loads(pickle.dumps(engine))
    copied.kernel.scale = 9.0
    assert copied.queries.asked == engine.queries.asked > 0
    for x, y, weight in rounds[len(rounds) // 2 :]:
        assert engine.odds(x) == again.odds(x) == copied.odds(x)
        for one in (engine, again, copied):
            one.commit(x, y, weight)
    assert engine.leader() == again.leader() and copied.queries.asked == engine.queries.asked


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("keys", lambda a: a[::-1].copy()),
        ("wrong", lambda a: a - 9),
        ("mass", lambda a: a * 0),
        ("mass", lambda a: a + 1),
        ("gain", lambda a: a + math.nan),
        ("counts", lambda a: a + 1),
        ("part", lambda a: a[1:]),
        ("zeros", lambda a: -1.0),
        ("contested", lambda a: a.astype(np.float64)),
    ],
)
def test_damaged_files_are_refused(name: str, wrong: Any) -> None:
    engine = made(at.RealIntervals())
    for x, y, weight in stream(engine.line, 60, seed=7):
        engine.commit(x, y, weight)
    state = engine.state()
    with pytest.raises((DamagedFile, ValueError)):
        made(at.RealIntervals()).restore(state | {name: wrong(state[name])})


@pytest.mark.parametrize("concept_class", CLASSES, ids=repr)
def test_batches_are_rounds(concept_class: Any) -> None:
    rounds = list(stream(concept_class.line, 200 if COMPILED else 60, seed=11))
    one, many = made(concept_class), made(concept_class)
    xs, ys = [x for x, _, _ in rounds], np.array([y for _, y, _ in rounds])
    costs = np.array([weight for _, _, weight in rounds])
    found = np.empty(len(xs))
    assert many.batch(xs) == len(xs)
    assert play_many(many, ys, costs, found, 0) == len(xs)
    for i, (x, y, weight) in enumerate(rounds):
        assert one.probability(x) == found[i]
        one.commit(x, y, weight)
    assert one.queries.asked == many.queries.asked and one.best_loss == many.best_loss
    assert many.probabilities(xs[:9]).tolist() == [one.probability(x) for x in xs[:9]]


def test_queries_are_exact_up_to_61_bits() -> None:
    engine = made(at.RealIntervalUnions(6))
    rng, asked, most = random.Random(0), 0, 2**61
    points: set[float] = set()
    for t in range(300):
        x = float(t) if rng.random() < 0.9 else 0.0
        asked += 2 * sum(math.comb(len(points), j) for j in range(13))
        engine.commit(x, t % 2)
        points.add(x)
        if t == 100:
            assert engine.queries.asked == asked > 2**50
    assert asked > most == engine.queries.asked
    assert engine.width == most < sum(math.comb(len(points), j) for j in range(13))
    engine.queries.asked = 5
    engine.probability(0.0)
    assert engine.queries.asked == most
    engine.queries.asked = 3**99  # (of an altered file)
    assert engine.queries.asked == most


def test_which_problems_are_accepted() -> None:
    intervals, base = at.Intervals(16), research.IntervalSearch(at.Intervals(16))
    assert CutsEngine.accepts(Problem(intervals, base, MixedPrior())) is None
    assert "prior='paper'" in (CutsEngine.accepts(Problem(intervals, base, PaperPrior(9, 3))) or "")
    assert "all paths" in (CutsEngine.accepts(Problem(intervals, base, MixedPrior(), max_width=3)) or "")
    assert "all paths" in (CutsEngine.accepts(Problem(intervals, at.Halving(), MixedPrior())) or "")


@pytest.mark.parametrize("rate", [0.4, 1e6])
def test_a_point_repeated_beyond_all_doubles(rate: float) -> None:
    """e^(-eta gain) underflows on every point, to either side; the odds are still those of all labellings."""
    for concept_class in (at.RealIntervalUnions(2), at.RealSteps()):
        engine = made(concept_class, rate=rate)
        engine.kernel.scale = 1e9
        reference = slow(engine)
        for t in range(7):
            for x, y, weight in ((t / 8, t % 2, 4000.0), (t / 8, 1 - t % 2, 100.0)):
                engine.commit(x, y, weight)
                reference.charge(x, y, weight)
        for x in (0.0, 0.1, 0.5, 0.55, 0.9):
            assert engine.odds(x).log_odds == pytest.approx(reference.odds(x, rate)[1], rel=1e-12)


def test_memory_per_value() -> None:
    engine, rng = made(at.RealIntervals()), np.random.default_rng(0)
    points = 20_000 if COMPILED else 2_000
    engine.batch(rng.random(points).tolist())
    play_many(engine, rng.integers(0, 2, points), np.empty(0), np.empty(points), 0)
    kernel = engine.kernel
    # keys, gain and mass per slot, two ints; an int per unit of 4; per node 7 sums, a split and four ints; per two
    # nodes two ints.
    held = 4 * kernel.room * 32 + kernel.room * 4 + kernel.node_room * (56 + 8 + 16 + 4)
    assert held < 70 * points


def _module(name: str) -> Any:
    from adeptree.core.compiled import kernel

    return kernel(f"adeptree.structures.{name}")


def test_grids_have_the_cuts_of_thresholds() -> None:
    prior = CutsPrior("mixed", Grid(7), 2)
    assert prior.price(10**9) == pytest.approx(2 * (math.log(8) + math.log(3)))
    assert CutsPrior("kt", FLOATS, 2).price(10) is None
