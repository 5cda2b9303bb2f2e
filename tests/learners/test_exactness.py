"""Adept is Algorithm 2, and gives the numbers of explicit experts: Algorithm 1 with deletion."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from past_machines import OfThePast, Past
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
from reproduction.reference.listed_classes import (
    AnyLabels,
    Listed,
    MostConcepts,
    Rows,
    listed,
    littlestone_dimension,
)
from reproduction.reference.paper import Rate, algorithm_1, algorithm_2

CLOSE = 1e-9
BASES: dict[str, tuple[type[Any], type[Listed]]] = {"SOA": (at.SOA, Listed), "Halving": (at.Halving, MostConcepts)}

every_base = pytest.mark.parametrize("base", BASES)
every_rate = pytest.mark.parametrize("rate", ["paper", "first-order", 0.9])
drawn = tables_and_streams()


def bound_of(base: str, rows: Rows) -> int:
    return littlestone_dimension(rows) if base == "SOA" else len(rows).bit_length() - 1


def played(learner: at.OnlineLearner, stream: Stream) -> list[float]:
    return [float(p) for p in learner.learn_many([x for x, _ in stream], [y for _, y in stream])]


def near(found: list[float], expected: list[float]) -> bool:
    return len(found) == len(expected) and max(map(abs, map(float.__sub__, found, expected))) < CLOSE


@every_base
@every_rate
@steady
@given(drawn)
def test_adept_is_bpss_with_deleted_experts(base: str, rate: Rate, drawn: tuple[Rows, Stream, int]) -> None:
    rows, stream, T = drawn
    kind, slow = BASES[base]
    M = bound_of(base, rows)
    expected = algorithm_1(listed(rows), listed(rows, slow), stream, T, M, True, rate).p
    learner = at.Adept(finite(rows), horizon=T, base=kind(), rate=rate)
    assert learner.mistake_bound == M
    assert near(played(learner, stream), expected)


@every_base
@steady
@given(drawn)
def test_adept_is_algorithm_2_prefix_by_prefix(base: str, drawn: tuple[Rows, Stream, int]) -> None:
    rows, stream, T = drawn
    kind, slow = BASES[base]
    M = bound_of(base, rows)
    expected = algorithm_2(listed(rows), listed(rows, slow), stream, T, M)
    history = expected.history()
    learner = at.Adept(finite(rows), horizon=T, base=kind(), engine="paths")
    for t, (x, y) in enumerate(stream):
        assert abs(learner.predict_proba(x) - expected.p[t]) < CLOSE
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
    base: str, rate: Rate, drawn: tuple[Rows, Stream, int]
) -> None:
    rows, stream, T = drawn
    kind, slow = BASES[base]
    M = bound_of(base, rows)
    expected = algorithm_1(AnyLabels(), listed(rows, slow), stream, T, M, False, rate).p
    c = at.OracleClass(realizable=lambda sample: True, mistake_bound=M, repeats="ask")
    learner = at.Adept(c, horizon=T, base=kind(finite(rows)), rate=rate, on_excess="prune")
    assert learner.mistake_bound == M
    assert near(played(learner, stream), expected)


@every_base
@every_rate
@pytest.mark.parametrize("prune", [True, False])
@steady
@given(tables_and_streams(longest=8, rows=6))
def test_shipped_bpss_is_algorithm_1(base: str, rate: Rate, prune: bool, drawn: tuple[Rows, Stream, int]) -> None:
    rows, stream, T = drawn
    kind, slow = BASES[base]
    M = bound_of(base, rows)
    expected = algorithm_1(listed(rows), listed(rows, slow), stream, T, M, prune, rate).p
    learner = at.Bpss(finite(rows), horizon=T, base=kind(), rate=rate, prune=prune)
    assert near(played(learner, stream), expected)
    best = min(sum(row[x] != y for x, y in stream) for row in rows)
    assert learner.best_loss == best
    rule = learner.best_rule()
    assert sum(rule(x) != y for x, y in stream) == best


@every_base
@every_rate
@pytest.mark.parametrize("seed", range(6))
def test_full_games_of_twelve_rounds(base: str, rate: Rate, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = frozenset(tuple(row) for row in rng.integers(2, size=(12, 6)).tolist())
    stream = [(int(rng.integers(6)), int(rng.integers(2))) for _ in range(12)]
    kind, slow = BASES[base]
    expected = algorithm_1(listed(rows), listed(rows, slow), stream, 12, bound_of(base, rows), True, rate).p
    assert near(played(at.Adept(finite(rows), horizon=12, base=kind(), rate=rate), stream), expected)


def test_adept_is_not_plain_bpss_once_pruning_bites() -> None:
    rows = frozenset({(0, 0), (1, 1)})
    stream: Stream = [(0, 1), (1, 1), (0, 0)]
    deleted = algorithm_1(listed(rows), listed(rows), stream, 3, 1, delete=True).p
    plain = algorithm_1(listed(rows), listed(rows), stream, 3, 1, delete=False).p
    found = played(at.Adept(finite(rows), horizon=3), stream)
    assert near(found, deleted)
    assert max(map(abs, map(float.__sub__, found, plain))) > 0.05


@steady
@given(drawn, st.integers(0, 6))
def test_any_larger_mistake_bound_is_algorithm_1_too(drawn: tuple[Rows, Stream, int], more: int) -> None:
    rows, stream, T = drawn
    M = littlestone_dimension(rows) + more
    expected = algorithm_1(listed(rows), listed(rows), stream, T, M, delete=True).p
    assert near(played(at.Adept(finite(rows), horizon=T, mistake_bound=M), stream), expected)


@steady
@given(drawn, st.integers(0, 2))
def test_too_small_a_bound_with_pruning_is_algorithm_2_to_the_letter(drawn: tuple[Rows, Stream, int], M: int) -> None:
    rows, stream, T = drawn
    learner = at.Adept(finite(rows), horizon=T, mistake_bound=M, on_excess="prune")
    expected = algorithm_2(listed(rows), listed(rows), stream, T, M)
    history = expected.history()
    for t, (x, y) in enumerate(stream):
        assert abs(learner.predict_proba(x) - expected.p[t]) < CLOSE
        learner.learn(x, y)
        assert learner.width == len(history[t])
        paths = learner.engine.rows()
        assert sorted(zip(paths.mistakes.tolist(), paths.losses.tolist(), strict=True)) == sorted(history[t].values())


def bisection(n: int) -> OfThePast:
    """The thresholds that fit are a range; follow the larger part of it, 0 on a tie."""

    def predict(past: Past, x: Any) -> int:
        fitting = [a for a in range(n + 1) if all((z >= a) == bool(y) for z, y in past)]
        return int(2 * sum(x >= a for a in fitting) > len(fitting))

    return OfThePast(predict)


@steady
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 1)), min_size=1, max_size=12))
def test_the_natural_base_of_thresholds(stream: Stream) -> None:
    rows = thresholds(7).rows
    expected = algorithm_1(listed(rows), bisection(7), stream, 12, 3, delete=True).p
    assert near(played(at.Adept(at.Thresholds(7), horizon=12), stream), expected)


@every_base
@pytest.mark.parametrize("seed", range(3))
def test_first_order_below_its_cap(base: str, seed: int) -> None:
    """Only when the best loss outgrows 4 ln N does the rate leave 1/2: long, hopeless streams."""
    rng = np.random.default_rng(seed)
    rows = frozenset({(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 1)})  # wrong on columns 0 and 1, whatever one does
    stream = [(int(x), int(x < 2 or rng.random() < 0.5)) for x in rng.integers(4, size=70)]
    kind, slow = BASES[base]
    expected = algorithm_2(listed(rows), listed(rows, slow), stream, 70, bound_of(base, rows), "first-order").p
    learner = at.Adept(finite(rows), horizon=70, base=kind(), rate="first-order")
    assert near(played(learner, stream), expected)
    assert learner.learning_rate < 0.4


@pytest.mark.parametrize("family", [*small_families(), intervals(7), parities(4)], ids=repr)
@every_rate
def test_every_class_with_its_natural_base_is_algorithm_2(family: Family, rate: Rate) -> None:
    machine = default_base(family.c)

    def replay(past: Past, i: int) -> int:
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
        expected = algorithm_2(listed(family.rows), OfThePast(replay), numbers, 8, M, rate)
        history = expected.history()
        for engine in ("auto", "paths"):
            learner = at.Adept(family.c, horizon=8, rate=rate, engine=engine)
            assert near(played(learner, [(family.points[i], y) for i, y in numbers]), expected.p)
            if (rows := paths_of(learner)) is not None:
                found = zip(rows.mistakes.tolist(), rows.losses.tolist(), strict=True)
                assert sorted(found) == sorted(history[-1].values())
