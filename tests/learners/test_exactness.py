"""Adept is Algorithm 2, and gives the numbers of explicit experts: Algorithm 1 with deletion."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
import reference as ref
from hypothesis import given
from reference import Base, Rate, Rows
from strategies import (
    Family,
    Stream,
    finite,
    intervals,
    parities,
    paths_of,
    small_families,
    steady,
    tables_and_streams,
    thresholds,
)

import adeptree as at
from adeptree.families.registry import default_base

CLOSE = 1e-9
BASES: dict[str, tuple[type[Any], Any]] = {"SOA": (at.SOA, ref.soa), "Halving": (at.Halving, ref.halving)}
RATES: dict[str, tuple[Any, Rate]] = {
    "paper": ("paper", ref.paper_rate),
    "first-order": ("first-order", ref.first_order_rate),
    "0.9": (0.9, ref.constant_rate(0.9)),
}

every_base = pytest.mark.parametrize("base", BASES)
every_rate = pytest.mark.parametrize("rate", RATES)
drawn = tables_and_streams()


def bound_of(base: str, rows: Rows) -> int:
    return ref.ldim(rows) if base == "SOA" else len(rows).bit_length() - 1


def played(learner: at.OnlineLearner, stream: Stream) -> list[float]:
    return [float(p) for p in learner.learn_many([x for x, _ in stream], [y for _, y in stream])]


def near(found: list[float], expected: list[float]) -> bool:
    return len(found) == len(expected) and max(map(abs, map(float.__sub__, found, expected))) < CLOSE


@every_base
@every_rate
@steady
@given(drawn)
def test_adept_is_bpss_with_deleted_experts(base: str, rate: str, drawn: tuple[Rows, Stream, int]) -> None:
    rows, stream, T = drawn
    kind, slow = BASES[base]
    name, formula = RATES[rate]
    M = bound_of(base, rows)
    expected = ref.algorithm1(stream, T, M, slow(rows), ref.oracle_of(rows), formula, delete=True)
    learner = at.Adept(finite(rows), horizon=T, base=kind(), rate=name)
    assert learner.mistake_bound == M
    assert near(played(learner, stream), expected)


@every_base
@steady
@given(drawn)
def test_adept_is_algorithm_2_prefix_by_prefix(base: str, drawn: tuple[Rows, Stream, int]) -> None:
    rows, stream, T = drawn
    kind, slow = BASES[base]
    M = bound_of(base, rows)
    expected, history = ref.algorithm2(stream, T, M, slow(rows), ref.oracle_of(rows))
    learner = at.Adept(finite(rows), horizon=T, base=kind(), engine="paths")
    for t, (x, y) in enumerate(stream):
        assert abs(learner.predict_proba(x) - expected[t]) < CLOSE
        learner.learn(x, y)
        found = {}
        for row in range(learner.width):
            concept = learner.paths.frontier.concept(row)
            prefix = tuple(concept(point) for point, _ in stream[: t + 1])
            found[prefix] = (int(learner.paths.mistakes[row]), int(learner.paths.losses[row]))
        assert found == history[t]


@every_base
@every_rate
@steady
@given(tables_and_streams(longest=9, rows=6))
def test_adept_is_plain_bpss_when_the_oracle_always_says_yes(
    base: str, rate: str, drawn: tuple[Rows, Stream, int]
) -> None:
    rows, stream, T = drawn
    kind, slow = BASES[base]
    name, formula = RATES[rate]
    M = bound_of(base, rows)
    expected = ref.algorithm1(stream, T, M, slow(rows), ref.always_yes, formula)
    c = at.OracleClass(realizable=lambda sample: True, mistake_bound=M, repeats="ask")
    learner = at.Adept(c, horizon=T, base=kind(finite(rows)), rate=name, on_excess="prune")
    assert learner.mistake_bound == M
    assert near(played(learner, stream), expected)


@every_base
@every_rate
@pytest.mark.parametrize("prune", [True, False])
@steady
@given(tables_and_streams(longest=8, rows=6))
def test_shipped_bpss_is_algorithm_1(base: str, rate: str, prune: bool, drawn: tuple[Rows, Stream, int]) -> None:
    rows, stream, T = drawn
    kind, slow = BASES[base]
    name, formula = RATES[rate]
    expected = ref.algorithm1(stream, T, bound_of(base, rows), slow(rows), ref.oracle_of(rows), formula, delete=prune)
    learner = at.Bpss(finite(rows), horizon=T, base=kind(), rate=name, prune=prune)
    assert near(played(learner, stream), expected)
    best = min(sum(row[x] != y for x, y in stream) for row in rows)
    assert learner.best_loss == best
    rule = learner.best_rule()
    assert sum(rule(x) != y for x, y in stream) == best


@every_base
@every_rate
@pytest.mark.parametrize("seed", range(6))
def test_full_games_of_twelve_rounds(base: str, rate: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = frozenset(tuple(row) for row in rng.integers(2, size=(12, 6)).tolist())
    stream = [(int(rng.integers(6)), int(rng.integers(2))) for _ in range(12)]
    kind, slow = BASES[base]
    name, formula = RATES[rate]
    expected = ref.algorithm1(stream, 12, bound_of(base, rows), slow(rows), ref.oracle_of(rows), formula, delete=True)
    assert near(played(at.Adept(finite(rows), horizon=12, base=kind(), rate=name), stream), expected)


def test_adept_is_not_plain_bpss_once_pruning_bites() -> None:
    rows = frozenset({(0, 0), (1, 1)})
    stream: Stream = [(0, 1), (1, 1), (0, 0)]
    deleted = ref.algorithm1(stream, 3, 1, ref.soa(rows), ref.oracle_of(rows), delete=True)
    plain = ref.algorithm1(stream, 3, 1, ref.soa(rows), ref.oracle_of(rows), delete=False)
    found = played(at.Adept(finite(rows), horizon=3), stream)
    assert near(found, deleted)
    assert max(map(abs, map(float.__sub__, found, plain))) > 0.05


@steady
@given(drawn, st.integers(0, 6))
def test_any_larger_mistake_bound_is_algorithm_1_too(drawn: tuple[Rows, Stream, int], more: int) -> None:
    rows, stream, T = drawn
    M = ref.ldim(rows) + more
    expected = ref.algorithm1(stream, T, M, ref.soa(rows), ref.oracle_of(rows), delete=True)
    assert near(played(at.Adept(finite(rows), horizon=T, mistake_bound=M), stream), expected)


@steady
@given(drawn, st.integers(0, 2))
def test_too_small_a_bound_with_pruning_is_algorithm_2_to_the_letter(drawn: tuple[Rows, Stream, int], M: int) -> None:
    rows, stream, T = drawn
    learner = at.Adept(finite(rows), horizon=T, mistake_bound=M, on_excess="prune")
    expected, history = ref.algorithm2(stream, T, M, ref.soa(rows), ref.oracle_of(rows))
    for t, (x, y) in enumerate(stream):
        assert abs(learner.predict_proba(x) - expected[t]) < CLOSE
        learner.learn(x, y)
        assert learner.width == len(history[t])
        paths = learner.engine.rows()
        assert sorted(zip(paths.mistakes.tolist(), paths.losses.tolist(), strict=True)) == sorted(history[t].values())


def bisection(n: int) -> Base:
    """The thresholds that fit are a range; follow the larger part of it, 0 on a tie."""

    def predict(past: ref.Pairs, x: Any) -> int:
        fitting = [a for a in range(n + 1) if all((z >= a) == bool(y) for z, y in past)]
        return int(2 * sum(x >= a for a in fitting) > len(fitting))

    return predict


@steady
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 1)), min_size=1, max_size=12))
def test_the_natural_base_of_thresholds(stream: Stream) -> None:
    rows = thresholds(7).rows
    expected = ref.algorithm1(stream, 12, 3, bisection(7), ref.oracle_of(rows), delete=True)
    assert near(played(at.Adept(at.Thresholds(7), horizon=12), stream), expected)


@every_base
@pytest.mark.parametrize("seed", range(3))
def test_first_order_below_its_cap(base: str, seed: int) -> None:
    """Only when the best loss outgrows 4 ln N does the rate leave 1/2: long, hopeless streams."""
    rng = np.random.default_rng(seed)
    rows = frozenset({(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 1)})  # wrong on columns 0 and 1, whatever one does
    stream = [(int(x), int(x < 2 or rng.random() < 0.5)) for x in rng.integers(4, size=70)]
    kind, slow = BASES[base]
    expected, _ = ref.algorithm2(
        stream, 70, bound_of(base, rows), slow(rows), ref.oracle_of(rows), ref.first_order_rate
    )
    learner = at.Adept(finite(rows), horizon=70, base=kind(), rate="first-order")
    assert near(played(learner, stream), expected)
    assert learner.learning_rate < 0.4


@pytest.mark.parametrize("family", [*small_families(), intervals(7), parities(4)], ids=repr)
@every_rate
def test_every_class_with_its_natural_base_is_algorithm_2(family: Family, rate: str) -> None:
    machine = default_base(family.c)
    name, formula = RATES[rate]

    def replay(past: ref.Pairs, i: int) -> int:
        """The scalar state machine, run through the whole past."""
        state = machine.start()
        for j, y in past:
            state = machine.update(state, family.c.instance(family.points[j]), y)
        return int(machine.predict(state, family.c.instance(family.points[i])))

    for seed in range(3):
        rng = np.random.default_rng(seed)
        numbers = [
            (int(i), int(y))
            for i, y in zip(rng.integers(len(family.points), size=8), rng.integers(2, size=8), strict=True)
        ]
        M = machine.mistake_bound
        assert M is not None
        expected, history = ref.algorithm2(numbers, 8, M, replay, ref.oracle_of(family.rows), formula)
        for engine in ("auto", "paths"):
            learner = at.Adept(family.c, horizon=8, rate=name, engine=engine)
            assert near(played(learner, [(family.points[i], y) for i, y in numbers]), expected)
            if (rows := paths_of(learner)) is not None:
                found = zip(rows.mistakes.tolist(), rows.losses.tolist(), strict=True)
                assert sorted(found) == sorted(history[-1].values())
