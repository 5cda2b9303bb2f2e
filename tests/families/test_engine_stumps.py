"""The engine of stumps gives the numbers of the paths themselves, round by round, and stays exact when saved."""

from __future__ import annotations

import copy
import math
import pickle
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from kernel_forms import play_many

import adeptree as at
from adeptree.core.compiled import COMPILED
from adeptree.core.errors import DamagedFile, InvalidInstance
from adeptree.families.registry import default_base, frontier_of
from adeptree.families.stumps import stumps_engine
from adeptree.families.stumps.open_stumps import OpenStumps
from adeptree.families.stumps.stumps_engine import StumpsEngine
from adeptree.learners.adept import Paths
from adeptree.roles.engine import Problem
from adeptree.theory.coins import word_of
from adeptree.theory.priors import KTPrior, MixedPrior, PaperPrior, Prior

KINDS = ("real", "given", "open")
STREAMS = ("spread", "ties", "repeated", "powers", "sorted", "one value")
Pairs = list[tuple[dict[str, float], int]]


def stream(seed: int, order: str, T: int = 90, F: int = 4) -> Pairs:
    """Noisy labels of a stump; features may tie, repeat each other (turned round or not), or never change."""
    rng = np.random.default_rng(seed)
    X = rng.random((T, F)) * 4 - 2
    if order == "ties":
        X = np.round(X, 1)
    elif order == "repeated":
        X = np.round(X * 2)
        X[:, 1], X[:, 2] = X[:, 0] * 2 + 1, -X[:, 0]
    elif order == "powers":
        X[:, -1] = X[:, 0] ** 3
        X = np.where(rng.random((T, F)) < 0.5, X, np.round(X, 1))
    elif order == "sorted":
        X[:, 0] = np.sort(X[:, 0])
        X[:, 1] = -X[:, 0]
    elif order == "one value":
        X[:, 1], X[:, 2] = 1.5, 0.0
    again = rng.random(T) < 0.1
    X[again] = X[0]
    ys = (X[:, 0] >= 0.1) ^ (rng.random(T) < rng.choice([0.0, 0.1, 0.4]))
    names = [f"f{i}" for i in range(F)]
    return [(dict(zip(names, row, strict=True)), int(y)) for row, y in zip(X.tolist(), ys, strict=True)]


def problem(kind: str, seed: int, order: str, prior: str = "mixed", T: int = 90) -> tuple[Any, Prior, Pairs]:
    """A class, its prior, and a stream for it."""
    pairs, rng = stream(seed, order, T), np.random.default_rng(seed)
    names = list(pairs[0][0])
    c: Any = at.RealStumps(names)
    if kind == "given":
        c = at.Stumps(cuts={name: np.round(2 * rng.normal(size=rng.integers(1, 12)), 1).tolist() for name in names})
    if kind == "open":
        c = OpenStumps()
        pairs = [({name: value for name, value in x.items() if rng.random() < 0.4}, y) for x, y in pairs]
    frontier = frontier_of(c)
    return c, KTPrior() if prior == "kt" else MixedPrior(None, frontier.log_size, frontier.of_floats), pairs


def both(c: Any, prior: Prior, rate: float) -> tuple[StumpsEngine, Paths]:
    engine, paths = StumpsEngine(c, prior), Paths(c, default_base(c), prior)
    engine.rate = paths.rate = rate
    return engine, paths


def agree(engine: StumpsEngine, paths: Paths) -> None:
    assert engine.width == paths.width
    assert engine.best_loss == pytest.approx(paths.best_loss, abs=1e-9)
    assert engine.queries.asked == paths.queries.asked
    ours, theirs = engine.leader(), paths.leader()
    assert ours.loss == pytest.approx(theirs.loss, abs=1e-9)
    assert ours.log_prior == pytest.approx(theirs.log_prior, abs=1e-9)
    assert engine.log_potential() == pytest.approx(paths.log_potential(), abs=1e-9)


@pytest.mark.parametrize("order", STREAMS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_paths_numbers(kind: str, order: str) -> None:
    for seed, (rate, prior) in enumerate(
        [(0.3, "mixed"), (0.3, "kt"), (1e-9, "mixed"), (40.0, "mixed"), (1e6, "kt"), (0.0, "kt")]
    ):
        c, its, pairs = problem(kind, seed, order, prior)
        engine, paths = both(c, its, rate)
        for t, (x, y) in enumerate(pairs):
            if t % 25 == 17:
                rate *= 0.8
                engine.rate = paths.rate = rate
            mine, known = engine.odds(x), paths.odds(x)
            assert mine.p == pytest.approx(known.p, abs=1e-12), (seed, t)
            assert mine.log_odds == pytest.approx(known.log_odds, abs=1e-9, rel=1e-12), (seed, t)
            weight = (1, 1, 2, 0.5)[t % 4] if seed % 2 else 1
            engine.commit(x, y, weight)
            paths.commit(x, y, weight)
            if t % 10 == 0:
                agree(engine, paths)
        agree(engine, paths)
        rows, listed = engine.rows(), paths.rows()
        ours, theirs = (np.stack([r.losses, r.mistakes, r.contested]) for r in (rows, listed))
        assert np.array_equal(ours[:, np.lexsort(ours)], theirs[:, np.lexsort(theirs)])
        assert np.allclose(np.sort(rows.log_mass), np.sort(listed.log_mass), atol=1e-9)
        assert math.fsum(np.exp(rows.log_mass)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_many_points(kind: str) -> None:
    c, prior, pairs = problem(kind, 3, "spread", T=400)
    engine, paths = both(c, prior, 0.2)
    for x, y in pairs:
        assert engine.probability(x) == pytest.approx(paths.probability(x), abs=1e-12)
        engine.commit(x, y)
        paths.commit(x, y)
    agree(engine, paths)


@pytest.mark.parametrize("order", STREAMS)
@pytest.mark.parametrize("kind", KINDS)
def test_rounds_without_a_look_before_them(kind: str, order: str) -> None:
    c, prior, pairs = problem(kind, 6, order)
    engine, paths = both(c, prior, 0.3)
    for x, y in pairs:
        engine.commit(x, y)
        paths.commit(x, y)
    agree(engine, paths)
    for x, _ in pairs:
        assert engine.probability(x) == pytest.approx(paths.probability(x), abs=1e-12)


def test_constants_that_no_stump_agrees_with() -> None:
    c = at.Stumps(cuts={"f0": [-0.5, 0.0], "f1": [0.1], "f2": [0.5, 0.6], "f3": [-1.0, 1.0]})
    engine, paths = both(c, MixedPrior(None, math.log(c.size)), 0.3)
    for x, y in stream(1, "spread"):
        assert engine.probability(x) == pytest.approx(paths.probability(x), abs=1e-12)
        engine.commit(x, y)
        paths.commit(x, y)
    agree(engine, paths)
    assert engine.width == c.size
    again = StumpsEngine(c, engine.prior)
    again.restore(engine.state())
    assert repr(again.state()) == repr(engine.state())


@pytest.mark.parametrize("order", STREAMS)
@pytest.mark.parametrize("kind", KINDS)
def test_late_labels(kind: str, order: str) -> None:
    c, prior, pairs = problem(kind, 5, order)
    engine, paths = both(c, prior, 0.4)
    rng, waiting = np.random.default_rng(0), []
    for t, (x, y) in enumerate(pairs):
        assert engine.probability(x) == pytest.approx(paths.probability(x), abs=1e-12), t
        engine.kernel.open(x)
        paths.open(t, x)
        waiting.append((t, x, y))
        while waiting and rng.random() < 0.6:
            ticket, point, label = waiting.pop(int(rng.integers(len(waiting))))
            theirs = paths.odds_of(ticket)
            assert engine.kernel.settle(point, label, 1.0, 0.5, 0, 0)
            assert engine.kernel.p == pytest.approx(theirs.p, abs=1e-12), t
            paths.settle(ticket, label)
            agree(engine, paths)


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_rule_is_the_oracles(kind: str) -> None:
    for seed, order in enumerate(STREAMS):
        c, prior, pairs = problem(kind, seed, order, T=30)
        engine, _ = both(c, prior, 0.3)
        for t, (x, y) in enumerate(pairs):
            engine.commit(x, y)
            if kind != "open":
                assert engine.best_rule() == c.erm(pairs[: t + 1])
            assert sum(engine.best_rule()(x) != y for x, y in pairs[: t + 1]) == engine.best_loss


@pytest.mark.parametrize("order", STREAMS)
@pytest.mark.parametrize("kind", KINDS)
def test_saved_and_restored_to_the_bit(kind: str, order: str) -> None:
    c, prior, pairs = problem(kind, 7, order, T=120)
    engine, _ = both(c, prior, 0.3)
    for x, y in pairs[:60]:
        engine.commit(x, y)
    again = StumpsEngine(c, prior)
    again.restore(copy.deepcopy(engine.state()))
    again.rate = 0.3
    for other in (again, pickle.loads(pickle.dumps(engine))):
        mine = copy.deepcopy(engine)
        for x, y in pairs[60:]:
            assert other.odds(x) == mine.odds(x)
            other.commit(x, y)
            mine.commit(x, y)
        assert other.leader() == mine.leader()
        assert other.best_rule() == mine.best_rule()
        assert repr(other.state()) == repr(mine.state())


def damaged(state: dict[str, Any]) -> list[tuple[str, Any]]:
    """A state in which one thing is wrong, in many ways."""
    found: list[tuple[str, Any]] = [("zeros", -1.0), ("charged", math.nan), ("whole", 1), ("names", ["a", "a"])]
    for name, value in [("keys", 5), ("gain", math.inf), ("mass", 0.0), ("mass", 2.0), ("part", -1.0), ("wrong", 99)]:
        column = state[name].copy()
        column[column.argmax()] = value
        found.append((name, column))
    found += [(name, state[name] + 1) for name in ("cells", "buckets", "sizes", "counts")]
    found += [(name, state[name][1:]) for name in ("keys", "counts", "part")]
    found += [("keys", state["keys"].astype(np.float64))]
    for name, value in [("row", 99), ("row", -1), ("line", 99), ("down", 2), ("low", 7), ("high", 7), ("mass", 0.0)]:
        column = state["table"][name].copy()
        column[0] = column[0] + value if name in ("low", "high") else value
        found.append(("table", state["table"] | {name: column}))
    found += [("table", state["table"] | {name: state["table"][name][1:]}) for name in ("k", "loss", "low")]
    found += [("table", state["table"] | {"n": state["table"]["n"] - 99})]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_what_no_engine_saved_is_refused(kind: str) -> None:
    c, prior, pairs = problem(kind, 7, "repeated", T=60)
    engine, _ = both(c, prior, 0.3)
    for x, y in pairs:
        engine.commit(x, y)
    state = engine.state()
    StumpsEngine(c, prior).restore(state)
    for name, value in damaged(state):
        with pytest.raises((ValueError, DamagedFile)):
            StumpsEngine(c, prior).restore(state | {name: value})


@pytest.mark.parametrize("kind", KINDS)
def test_batches_are_single_rounds(kind: str) -> None:
    c, prior, pairs = problem(kind, 2, "ties", T=80)
    one, many = both(c, prior, 0.3)[0], both(c, prior, 0.3)[0]
    xs, ys = [x for x, _ in pairs], np.array([y for _, y in pairs])
    found, costs = np.empty(len(xs)), np.full(len(xs), 1.0)
    assert many.batch(xs) == len(xs)
    assert play_many(many, ys, costs, found, 0) == len(xs)
    for i, (x, y) in enumerate(pairs):
        assert one.probability(x) == found[i]
        one.commit(x, y)
    assert repr(one.state()) == repr(many.state())
    assert one.kernel.ledger.copy() == many.kernel.ledger.copy()
    assert one.probabilities(xs[:5]).tolist() == [one.probability(x) for x in xs[:5]]
    if kind != "open":
        table: Any = np.array([list(x.values()) for x in xs])
        assert one.probabilities(table).tolist() == one.probabilities(xs).tolist()
        for wrong in (table[:, 1:], table[0], np.where(table == table[0], math.nan, table)):
            with pytest.raises(InvalidInstance, match="one per feature"):
                one.batch(wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_plain_is_left_alone(kind: str) -> None:
    c, prior, pairs = problem(kind, 2, "ties", T=20)
    engine, _ = both(c, prior, 0.3)
    for x, y in pairs:
        engine.commit(x, y)
    x = dict.fromkeys(pairs[0][0], 1.0)
    before, state = engine.probability(x), repr(engine.state())
    for value in (math.nan, math.inf, "1", None, True, np.float64(1.0), 10**400, 1j):
        assert engine.kernel.quick_look(x | {"f0": value}) == -1
        assert not engine.kernel.learn(x | {"f0": value}, 1)
    for other in ([1.0], None, list(x.items())):
        assert engine.kernel.quick_look(other) == -1
    assert engine.kernel.quick_look(x | {"f0": 1}) == engine.kernel.quick_look(x | {"f0": 1.0}) == before
    assert repr(engine.state()) == state


@pytest.mark.parametrize("kind", KINDS)
def test_coins_are_those_of_the_point(kind: str) -> None:
    c, prior, pairs = problem(kind, 2, "ties", T=20)
    engine, _ = both(c, prior, 0.3)
    for x, y in pairs:
        engine.probability(x)
        assert engine.kernel.word == word_of(c.instance(x))
        engine.commit(x, y)


def test_which_problems_it_accepts() -> None:
    c = at.RealStumps(["a", "b"])
    cuts = at.Stumps(cuts={"a": [1, 2]})
    assert StumpsEngine.accepts(Problem(c, default_base(c), MixedPrior())) is None
    assert StumpsEngine.accepts(Problem(cuts, default_base(cuts), KTPrior())) is None
    assert "paper" in str(StumpsEngine.accepts(Problem(c, default_base(c), PaperPrior(10, 3))))
    assert StumpsEngine.accepts(Problem(c, default_base(c), KTPrior(), mistake_bound=3)) is not None
    assert StumpsEngine.accepts(Problem(cuts, at.SOA(cuts), KTPrior())) is not None


@pytest.mark.skipif(not COMPILED, reason="there is no machine code")
@pytest.mark.parametrize("order", STREAMS)
@pytest.mark.parametrize("kind", KINDS)
def test_machine_code_and_source_give_the_same_bits(kind: str, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    c, prior, pairs = problem(kind, 4, order)
    states = []
    for module in ("adeptree._compiled.stumps_kernel", "adeptree.families.stumps.stumps_kernel"):
        monkeypatch.setattr(stumps_engine, "_KERNEL", import_module(module))
        engine = StumpsEngine(c, prior)
        engine.rate = 5.0
        found = []
        for t, (x, y) in enumerate(pairs):
            engine.rate = max(0.1, engine.rate * 0.97)
            odds = engine.odds(x)
            found.append((odds.p.hex(), odds.log_odds.hex()))
            engine.commit(x, y, 1 + t % 3 / 2)
        ledger = [float(entry).hex() for entry in engine.kernel.ledger.copy()]
        states.append((found, repr(engine.state()), ledger, engine.width, engine.kernel.asked, engine.kernel.word))
    assert states[0] == states[1]


def test_memory_per_value() -> None:
    rng, engine = np.random.default_rng(0), StumpsEngine(at.RealStumps(["a", "b"]), MixedPrior(None, 1.0, True))
    T = 20_000 if COMPILED else 2_000
    engine.batch(rng.random((T, 2)))
    play_many(engine, rng.integers(0, 2, T), np.empty(0), np.empty(T), 0)
    for line in engine.kernel.lines:  # type: ignore[attr-defined]
        held = 4 * line.room * (8 + 8 + 8 + 16 + 4 + 4) + line.room * 4 + line.node_room * (40 + 8 + 16 + 4)
        assert held < 80 * T
