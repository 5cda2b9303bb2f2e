"""The B-tree of kept weights: its numbers are those of all gaps, computed from gains, in any order of rounds."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kernel_forms import forms_of, play_many

import adeptree as at
from adeptree.core.compiled import COMPILED
from adeptree.families.line.two_way_engine import TwoWayEngine
from adeptree.theory.mixture import log_sum
from adeptree.theory.priors import KTPrior, MixedPrior

ORDERS = ("spread", "repeated", "ascending", "descending", "against p", "there and back")
COSTS = ("one", "small and large", "real")
Round = tuple[float, int, float]


def engine_of(rate: float = 0.3, prior: str = "mixed") -> Any:
    engine = TwoWayEngine(at.RealThresholds(), MixedPrior() if prior == "mixed" else KTPrior())
    engine.rate = rate
    return engine


def rounds(order: str, costs: str, T: int, engine: Any) -> Iterator[Round]:
    """Points, labels and costs; labels may be against what the engine says, or turn at half of the time."""
    rng = np.random.default_rng(len(order) + T)
    xs = rng.normal(size=T)
    if order == "repeated":
        xs = np.round(xs * 8) / 8
    elif order in ("ascending", "descending"):
        xs = np.sort(xs)[:: 1 if order == "ascending" else -1]
    elif order == "there and back":
        xs = np.where(rng.random(T) < 0.1, xs, -3.0)
    for t, x in enumerate(xs.tolist()):
        y = int((x > 0.2) ^ (rng.random() < 0.2))
        if order == "against p":
            y = int(engine.probability(x) < 0.5)
        elif order == "there and back":
            y = int(t < T // 2)
        cost = {"one": 1.0, "small and large": 10.0 ** rng.integers(-6, 7), "real": rng.random() * 3}[costs]
        yield x, y, cost


def direct(engine: Any, x: float) -> dict[str, float]:
    """The numbers at a point that was seen, from keys, gains and masses alone."""
    kept, line = engine.gaps(), engine.kernel
    over, low = np.cumsum(kept["gain"]), kept["low"]
    losses = np.concatenate([line.zeros + over, line.charged - line.zeros - over])
    logs = np.tile(np.log(kept["mass"]), 2) - engine.rate * (losses - losses.min())
    ones = np.concatenate([low < x, low >= x])
    one, zero = log_sum(logs[ones]), log_sum(logs[~ones])
    return {
        "p": np.exp(one - np.logaddexp(one, zero)),
        "odds": one - zero,
        "total": log_sum(logs),
        "least": losses.min(),
    }


def agree(engine: Any, x: float) -> None:
    known, mine = direct(engine, x), engine.odds(x)
    scale = 1 + engine.kernel.charged
    near = 1e-11 + 1e-14 * engine.rate * scale  # (losses are summed in other orders)
    assert mine.p == pytest.approx(known["p"], rel=near, abs=1e-300)
    assert mine.log_odds == pytest.approx(known["odds"], rel=near, abs=near)
    assert engine.kernel.log_total() == pytest.approx(known["total"], rel=near, abs=near)
    assert engine.kernel.least() == pytest.approx(known["least"], rel=0, abs=1e-13 * scale)


@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("order", ORDERS)
def test_the_numbers_are_those_of_all_gaps(order: str, costs: str) -> None:
    T = 2_500 if COMPILED else 800
    for rate in (0.02, 1.0, 30.0):
        engine, seen = engine_of(rate / 1e3 if costs == "small and large" else rate), list[float]()
        for t, (x, y, cost) in enumerate(rounds(order, costs, T, engine)):
            engine.commit(x, y, cost)
            seen.append(x)
            if t % 97 == 0 or t == T - 1:
                agree(engine, seen[(7 * t) % len(seen)])
                agree(engine, x)
            if t % 700 == 699:
                engine.rate = engine.rate * 0.7


def test_a_weight_that_became_nothing_comes_back() -> None:
    """All weights right of 0 fall by e^-800, which underflows, and rise again."""
    engine = engine_of(1.0)
    for x in range(10):
        engine.commit(float(x), x % 2)
    for label in (1, 0, 0, 1):
        for _ in range(800):
            engine.commit(0.0, label)
        agree(engine, 5.0)


def test_rounding_errors_do_not_add_up() -> None:
    """Labels that cancel out multiply all weights by e^-0.3 e^0.3, which as doubles is not 1."""
    engine = engine_of(0.3)
    for x in range(600):
        engine.commit(float(x), x % 2)
    known = engine.probability(500.0)
    for t in range(200_000 if COMPILED else 40_000):
        engine.commit(2.0, t % 2)
    assert engine.probability(500.0) == pytest.approx(known, rel=1e-13)
    assert engine.probability(500.0) == pytest.approx(direct(engine, 500.0)["p"], rel=1e-13)


def test_buckets_of_tiny_masses() -> None:
    """Points on both sides of 0 halve a mass a thousand times: e^-200 times that of a bucket underflows."""
    engine, low, high, wrong = engine_of(1.0, "kt"), -1.0, 1.0, 0
    engine.commit(low, 0)
    engine.commit(high, 1)
    for t in range(965):
        # A point above 0 leaves the gap what the base learner says if it is nearer to the upper end, one below 0 else.
        points = sorted((high * 0.3, high * 0.7, low * 0.3, low * 0.7), key=lambda x: (x > 0) != (high > -low))
        agree_at = [(high - x < x - low) == (x > 0) for x in points]
        wanted = 2 * wrong > t if True in agree_at and False in agree_at else agree_at[0]
        x = points[agree_at.index(wanted)]
        wrong += not wanted
        low, high = (low, x) if x > 0 else (x, high)
        engine.commit(x, t % 2)
    assert engine.gaps()["mass"].min() < 1e-250
    for label in (1, 0):
        for t in range(700):
            engine.commit(low, label)
            if t % 50 == 0:
                agree(engine, low)
                agree(engine, -1.0)


@pytest.mark.skipif(not COMPILED, reason="long")
@pytest.mark.parametrize("order", ["spread", "against p", "one side"])
def test_a_long_run(order: str) -> None:
    """Many levels, and gains of tens of thousands."""
    rng, T, engine = np.random.default_rng(3), 150_000, engine_of(0.05)
    xs = rng.normal(size=T)
    ys = (xs > 0.1) ^ (rng.random(T) < 0.3) if order == "spread" else np.arange(T) % 2 == 0
    ys = np.ones(T) if order == "one side" else ys
    assert engine.batch(xs) == T
    assert play_many(engine, ys.astype(np.int64), np.empty(0), np.empty(T), 0) == T
    for x in xs[rng.integers(0, T, 20)].tolist():
        agree(engine, x)
    assert engine.kernel.least() == direct(engine, 0.0)["least"]
    best = min(engine.rules_within(0, 10**6), key=lambda near: near.loss)
    assert sum(best.rule(x) != y for x, y in zip(xs.tolist(), ys.tolist(), strict=True)) == engine.best_loss


@pytest.mark.parametrize("order", ["spread", "ascending", "descending", "repeated"])
def test_best_rules_are_those_of_a_list(order: str) -> None:
    engine, pairs = engine_of(), list[tuple[float, int]]()
    for t, (x, y, _) in enumerate(rounds(order, "one", 900, engine)):
        engine.commit(x, y)
        pairs.append((x, y))
        if t % 150 == 149:
            over = np.cumsum(engine.gaps()["gain"])
            losses = np.concatenate([engine.kernel.zeros + over, engine.kernel.charged - engine.kernel.zeros - over])
            assert engine.best_loss == losses.min()
            assert len(engine.rules_within(2, 10**6)) == int((losses <= losses.min() + 2).sum())
            for near in engine.rules_within(2, 20):
                assert sum(near.rule(x) != y for x, y in pairs) == near.loss


@pytest.mark.skipif(not COMPILED, reason="there is no machine code")
@pytest.mark.parametrize("prior", ["mixed", "kt"])
@pytest.mark.parametrize("costs", COSTS)
@pytest.mark.parametrize("order", ["spread", "ascending", "descending", "repeated"])
def test_machine_code_and_source_give_the_same_bits(order: str, costs: str, prior: str) -> None:
    lines = [
        module.ColumnTree(engine_of(prior=prior).measure())
        for module in forms_of("adeptree.structures.column_tree_kernel")
    ]
    stands = []
    for line in lines:
        found = []
        line.set_rate(0.4)
        for t, (x, y, cost) in enumerate(rounds(order, costs, 1_600, None)):
            if t % 400 == 399:
                line.set_rate(0.4 / (1 + t / 400))
            found.append((line.chance(x).hex(), line.log_ratio().hex() if t % 10 == 0 else ""))
            line.learn(x, y, cost)
        slots = {name: np.asarray(column).tobytes() for name, column in line.slots().items()}
        stands.append((found, slots, line.least().hex(), line.log_total().hex(), line.count()))
    assert stands[0] == stands[1]
    assert max(lines[0].slots()["sizes"]) <= 16


@pytest.mark.parametrize(("order", "costs"), [("spread", "real"), ("ascending", "one"), ("repeated", "one")])
def test_saved_at_any_moment_to_the_bit(order: str, costs: str) -> None:
    """Weights are saved unchanged: a game that continues from a save has the same bits."""
    engine, T = engine_of(0.9), 900 if COMPILED else 400
    played = list(rounds(order, costs, T, engine))
    others: list[Any] = []
    for t, (x, y, cost) in enumerate(played):
        for other in others:
            assert other.probability(x).hex() == engine.probability(x).hex()
            other.commit(x, y, cost)
        engine.commit(x, y, cost)
        others = others[-2:]
        again = engine_of(0.9)
        again.restore(copy.deepcopy(engine.state()))
        others.append(again)
        if t % 50 == 0:
            assert repr(again.state()) == repr(engine.state())
            assert again.best_rule() == engine.best_rule()


def test_weights_that_no_gains_have_are_refused() -> None:
    engine = engine_of()
    for x, y, cost in rounds("spread", "one", 700, engine):
        engine.commit(x, y, cost)
    state = engine.state()
    engine_of().restore(state)
    wrong: list[dict[str, Any]] = []
    for name in ("up", "down"):
        column = state[name].copy()
        column[column.argmax()] *= 1.5
        wrong.append({name: column})
    for entry, field in [(0, 2), (0, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 0), (2, 1), (0, 9), (9, 5)]:
        sums = state["sums"].copy()
        sums[entry, field] = sums[entry, field] * 1.7 + (1e7 if field == 9 else 0.9)
        wrong.append({"sums": sums})
    sizes = state["sizes"]
    for changed in (sizes[::-1], np.where(sizes > 1, sizes - 1, sizes), np.append(sizes, 0), sizes * 2, sizes[1:]):
        wrong.append({"sizes": np.ascontiguousarray(changed)})
    wrong += [{"built": -1.0}, {"sums": state["sums"][:, 1:]}, {"up": state["up"][1:]}]
    for one in wrong:
        with pytest.raises(ValueError, match="cannot be what a learner saved"):
            engine_of().restore({**state, **one})
