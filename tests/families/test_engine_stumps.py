"""Stumps as a mixture of lines: the numbers of all their rules, listed, round by round; exact when saved."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from kernel_forms import forms_of, play_many
from long_form import times
from stump_lines import SlowStumps

import adeptree as at
from adeptree.core.compiled import COMPILED
from adeptree.core.errors import DamagedFile, InvalidInstance
from adeptree.families.line import two_way_engine
from adeptree.families.registry import default_base
from adeptree.families.rule_values import Constant
from adeptree.families.stumps import stumps_engine
from adeptree.families.stumps.stumps_engine import StumpsEngine
from adeptree.roles.engine import Problem
from adeptree.theory.coins import word_of
from adeptree.theory.priors import KTPrior, MixedPrior, PaperPrior

KINDS = ("real", "given")
STREAMS = ("spread", "ties", "repeated", "powers", "sorted", "one value")
LINES = "adeptree.structures.column_tree_kernel"
KERNELS: tuple[Any, ...] = (
    (stumps_engine, "_KERNEL", "adeptree.structures.mixture_kernel"),
    (stumps_engine, "_LINES", LINES),
    (two_way_engine, "_KERNEL", LINES),
)
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


def problem(kind: str, seed: int, order: str, T: int = 90) -> tuple[Any, Pairs]:
    """A class, and a stream for it."""
    pairs, rng = stream(seed, order, T), np.random.default_rng(seed)
    names = list(pairs[0][0])
    c: Any = at.RealStumps(names)
    if kind == "given":
        c = at.Stumps(cuts={name: np.round(2 * rng.normal(size=rng.integers(1, 12)), 1).tolist() for name in names})
    return c, pairs


def made(kind: str, seed: int, order: str, prior: str = "mixed", T: int = 40) -> tuple[Any, Any, Pairs]:
    """An engine, the list of all its rules, and a stream."""
    c, pairs = problem(kind, seed, order, T)
    return engine_of(c, prior), SlowStumps(c, prior), pairs


def engine_of(c: Any, prior: str = "mixed", rate: float = 0.3) -> Any:
    engine = StumpsEngine(c, KTPrior() if prior == "kt" else MixedPrior())
    engine.rate = rate
    return engine


def agree(engine: Any, slow: SlowStumps, x: dict[str, float]) -> None:
    mine, known = engine.odds(x), slow.weigh(x)
    assert mine.p == pytest.approx(known["p"], abs=1e-12)
    assert mine.log_odds == pytest.approx(known["log_odds"], abs=1e-9, rel=1e-12)
    assert known["mass"] == pytest.approx(0, abs=1e-12)  # no mass is made or lost
    if slow.past:
        assert engine.best_loss == pytest.approx(known["least"], abs=1e-9)
        assert engine.log_potential() == pytest.approx(known["log_potential"], abs=1e-9)


@pytest.mark.parametrize("order", STREAMS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_of_all_rules(kind: str, order: str) -> None:
    for seed, (rate, prior) in enumerate(
        [(0.3, "mixed"), (0.3, "kt"), (1e-9, "mixed"), (40.0, "mixed"), (1e6, "kt"), (0.0, "kt")]
    ):
        engine, slow, pairs = made(kind, seed, order, prior)
        for t, (x, y) in enumerate(pairs):
            if t % 15 == 7:
                rate *= 0.8
            engine.rate = slow.rate = rate
            if t % 3 != 1:  # (rounds without a look before them, too)
                agree(engine, slow, x)
            weight = (1, 1, 2, 0.5)[t % 4] if seed % 2 else 1
            engine.commit(x, y, weight)
            slow.commit(x, y, weight)
        agree(engine, slow, pairs[3][0])
        assert engine.leader().log_prior == pytest.approx(slow.weigh(pairs[3][0])["leader"], abs=1e-9)
        assert engine.leader().mistakes is None and engine.leader().contested is None


@pytest.mark.parametrize("kind", KINDS)
def test_many_points(kind: str) -> None:
    engine, slow, pairs = made(kind, 3, "spread", T=300)
    slow.rate = engine.rate
    for x, y in pairs:
        engine.commit(x, y)
        slow.commit(x, y, 1)
    for x, _ in pairs[::50]:
        agree(engine, slow, x)


@pytest.mark.parametrize("order", STREAMS)
@pytest.mark.parametrize("kind", KINDS)
def test_late_labels(kind: str, order: str) -> None:
    engine, slow, pairs = made(kind, 5, order)
    slow.rate = engine.rate
    rng, waiting = np.random.default_rng(0), []
    for t, (x, y) in enumerate(pairs):
        agree(engine, slow, x)
        engine.kernel.open(x, 0)
        slow.commit(x, 0, 0.0)
        waiting.append((x, y))
        while waiting and rng.random() < 0.6:
            point, label = waiting.pop(int(rng.integers(len(waiting))))
            theirs = slow.weigh(point)["p"]
            assert engine.kernel.settle(point, label, 1.0, 0.5, 0.0, 0, 0)
            assert engine.kernel.p == pytest.approx(theirs, abs=1e-12), t
            slow.commit(point, label, 1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_rule_is_the_oracles(kind: str) -> None:
    for seed, order in enumerate(STREAMS):
        c, pairs = problem(kind, seed, order, T=30)
        engine = engine_of(c)
        for t, (x, y) in enumerate(pairs):
            engine.commit(x, y)
            if t % times(3, 1):
                continue
            assert engine.best_rule() == c.erm(pairs[: t + 1])
            assert sum(engine.best_rule()(x) != y for x, y in pairs[: t + 1]) == engine.best_loss


@pytest.mark.parametrize("kind", KINDS)
def test_rules_near_the_best(kind: str) -> None:
    """Constants come once, and first; every rule has its own labels within a feature, and the reported loss."""
    c, pairs = problem(kind, 4, "ties", T=40)
    learner = at.Adept(c)
    for x, y in pairs:
        learner.learn(x, y)
    near = learner.rules_within(6, limit=1000)
    losses = [sum(one.rule(x) != y for x, y in pairs) for one in near]
    assert losses == [one.loss for one in near] == sorted(losses) and losses[-1] <= losses[0] + 6 and not near.more
    names = {name for x, _ in pairs for name in x}
    for name in names:
        said = [tuple(one.rule(x) for x, _ in pairs) for one in near if getattr(one.rule, "feature", name) == name]
        assert len(set(said)) == len(said)
    everything = learner.rules_within(len(pairs), limit=10_000)
    constants = [one for one in everything if isinstance(one.rule, Constant)]
    assert [str(one.rule) for one in sorted(constants, key=lambda one: str(one.rule))] == ["always 0", "always 1"]
    for constant in constants:
        assert next(one for one in everything if one.loss == constant.loss) in constants
    assert len(learner.rules_within(len(pairs), limit=5)) == 5 and learner.rules_within(len(pairs), limit=5).more


@pytest.mark.parametrize("order", STREAMS)
@pytest.mark.parametrize("kind", KINDS)
def test_saved_and_restored_to_the_bit(kind: str, order: str) -> None:
    c, pairs = problem(kind, 7, order, T=120)
    engine = engine_of(c)
    for t, (x, y) in enumerate(pairs[:60]):
        engine.commit(x, y, 1 + t % 3 / 3)
    again = engine_of(c)
    again.restore(copy.deepcopy(engine.state()))
    for other in (again, pickle.loads(pickle.dumps(engine))):
        mine = copy.deepcopy(engine)
        for x, y in pairs[60:]:
            assert other.odds(x) == mine.odds(x)
            other.commit(x, y)
            mine.commit(x, y)
        assert other.leader() == mine.leader()
        assert other.best_rule() == mine.best_rule()
        assert repr(other.state()) == repr(mine.state())


def damaged(state: dict[str, Any]) -> list[dict[str, Any]]:
    """A state in which one thing is wrong, in many ways."""
    columns = state["columns"]
    line, wrong = columns[-1], list[tuple[str, Any]]()
    wrong += [("zeros", -1.0), ("charged", math.nan), ("whole", 1), ("keys", line["keys"].astype(np.float64))]
    for name, value in [("keys", 5), ("gain", math.inf), ("mass", 0.0), ("mass", 2.0), ("part", -1.0), ("wrong", 99)]:
        column = line[name].copy()
        column[column.argmax()] = value
        wrong.append((name, column))
    wrong += [(name, line[name] + 1) for name in ("sizes", "counts")]
    wrong += [(name, line[name][1:]) for name in ("keys", "counts", "part")]
    found = [state | {"columns": [*columns[:-1], line | {name: value}]} for name, value in wrong]
    found += [state | {"columns": columns[1:]}, state | {"columns": [*columns, line]}]
    if "names" in state:
        names = state["names"]
        found += [state | {"names": [*names[:-1], names[1]]}, state | {"names": names[1:]}]
        found += [state | {"lost": [1.0]}, state | {"lost": [math.nan, 0.0]}]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_what_no_engine_saved_is_refused(kind: str) -> None:
    c, pairs = problem(kind, 7, "repeated", T=60)
    engine = engine_of(c)
    for x, y in pairs:
        engine.commit(x, y)
    state = engine.state()
    engine_of(c).restore(state)
    for wrong in damaged(state):
        with pytest.raises((ValueError, DamagedFile)):
            engine_of(c).restore(wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_batches_are_single_rounds(kind: str) -> None:
    c, pairs = problem(kind, 2, "ties", T=80)
    one, many = engine_of(c), engine_of(c)
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
    table: Any = np.array([list(x.values()) for x in xs])
    assert one.probabilities(table).tolist() == one.probabilities(xs).tolist()
    for wrong in (table[:, 1:], table[0], np.where(table == table[0], math.nan, table)):
        with pytest.raises(InvalidInstance, match="one per feature"):
            one.batch(wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_plain_is_left_alone(kind: str) -> None:
    c, pairs = problem(kind, 2, "ties", T=20)
    engine = engine_of(c)
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
    c, pairs = problem(kind, 2, "ties", T=20)
    engine = engine_of(c)
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
    c, pairs = problem(kind, 4, order, T=60)
    states = []
    for form in (0, 1):
        for module, name, source in KERNELS:
            monkeypatch.setattr(module, name, forms_of(source)[form])
        engine = engine_of(c, rate=5.0)
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
    rng, engine = np.random.default_rng(0), engine_of(at.RealStumps(["a", "b"]))
    T = 20_000 if COMPILED else 2_000
    engine.batch(rng.random((T, 2)))
    play_many(engine, rng.integers(0, 2, T), np.empty(0), np.empty(T), 0)
    for member in engine.members:
        line = member.kernel
        held = 4 * line.room * (8 + 8 + 8 + 8 + 4 + 4) + line.room * 4 + line.node_room * (48 + 8 + 16 + 4)
        assert held < 80 * T


def test_a_certificate_names_no_base_learner_that_did_not_run() -> None:
    rng = np.random.default_rng(1)
    classes: list[Any] = [at.RealStumps(["a", "b"]), at.Stumps(cuts={"a": [0.2, 0.5]})]
    classes += [at.TableStumps(["a", "b"]), at.TableSteps(["a"]), at.RealIntervals(), at.RealSteps()]
    for c in classes:
        learner = at.Adept(c)
        for _ in range(30):
            learner.learn(c.random_instance(rng), int(rng.integers(2)))
        told = learner.certificate()
        assert (told.base, told.mistakes, told.contested) == (None, None, None)
        assert type(learner.base).__name__ not in str(told) and "no base learner runs" in str(told)
    paths = at.Adept(at.RealStumps(["a"]), engine="paths")
    paths.learn({"a": 1.0}, 1)
    assert paths.certificate().base == "CellVote" and "the base learner CellVote" in str(paths.certificate())
