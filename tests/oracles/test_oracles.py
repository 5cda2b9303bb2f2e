"""Oracles and their layers: LearnLib's cache laws, transparency in any order, budgets, ERM variants."""

from __future__ import annotations

import copy
import doctest
import os
import pickle
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adeptree import (
    Adept,
    Bisection,
    BlockUnions,
    ConceptClass,
    FiniteClass,
    Intervals,
    OracleClass,
    Thresholds,
)
from adeptree.checks import Checking
from adeptree.core.errors import (
    BudgetExhausted,
    ContradictoryOracle,
    InvalidArgument,
    InvalidInstance,
    OracleError,
)
from adeptree.core.types import Concept, Sample
from adeptree.oracles import (
    Budgeting,
    Caching,
    ClassErm,
    ClassOracle,
    ConsistencyOracle,
    Counting,
    ErmAsConsistency,
    ErmOracle,
    FunctionErm,
    FunctionOracle,
    Kind,
    Layer,
    Oracle,
)
from adeptree.oracles.sources import errors_of
from adeptree.research import DefaultZero, IntervalSearch
from reproduction.erm_oracles import RealizableErm, RestrictedErm

Pairs = list[tuple[Any, int]]
LINE = Thresholds(8)
A: Pairs = [(2, 0), (5, 1)]
A_AGAIN: Pairs = [(5, 1), (2, 0), (5, 1)]
B: Pairs = [(2, 1), (5, 0)]
C: Pairs = [(3, 1)]


class Bits(ConsistencyOracle):
    """Bits only, by the one method that is needed; notes how it was asked and closed."""

    def __init__(self, concept_class: ConceptClass = LINE) -> None:
        self.concept_class = concept_class
        self.batches: list[int] = []
        self.releases = 0

    def realizable(self, sample: Sample) -> bool:
        return self.concept_class.realizable(sample)

    def realizable_many(self, samples: Any) -> list[bool]:
        self.batches.append(len(samples))
        return super().realizable_many(samples)

    def _release(self) -> None:
        self.releases += 1


class Finds(ConsistencyOracle):
    """Witnesses, by the one method that is needed."""

    def find(self, sample: Sample) -> Concept | None:
        return LINE.erm(sample) if LINE.realizable(sample) else None


# ------------------------------------------------------------------------------------------------ the oracles


def test_one_method_makes_an_oracle() -> None:
    bits, finds = Bits(), Finds()
    assert (bits.answers, bits.gives_witnesses) == (frozenset({"realizable"}), False)
    assert (finds.answers, finds.gives_witnesses) == (frozenset({"realizable", "find"}), True)
    for oracle in (bits, finds):
        assert [oracle.realizable(s) for s in (A, B, [])] == oracle.realizable_many([A, B, []]) == [True, False, True]
    assert [str(c) for c in finds.find_many([A, B])] == ["x >= 3", "None"]
    with pytest.raises(InvalidArgument, match="no witnesses"):
        bits.find(A)
    with pytest.raises(InvalidArgument, match="answers only realizable; got kind='find'"):
        bits.ask_many("find", [A])


def test_a_batch_method_alone_is_enough_too() -> None:
    class Batches(ConsistencyOracle):
        def find_many(self, samples: Any) -> list[Concept | None]:
            return [LINE.erm(s) if LINE.realizable(s) else None for s in samples]

    oracle = Batches()
    assert oracle.gives_witnesses
    assert (str(oracle.find(A)), oracle.realizable(B)) == ("x >= 3", False)
    assert oracle.realizable_many([A, B]) == [True, False]


def test_a_batch_with_too_few_answers_is_noticed() -> None:
    class Short(ConsistencyOracle):
        def realizable(self, sample: Sample) -> bool:
            return True

        def realizable_many(self, samples: Any) -> list[bool]:
            return [True]

    with pytest.raises(OracleError, match="batch of 2 samples got 1 answers"):
        Counting(Short()).realizable_many([A, B])


def test_functions_are_checked() -> None:
    def broken(sample: Sample) -> bool:
        raise RuntimeError("solver died")

    with pytest.raises(OracleError, match="RuntimeError: solver died"):
        FunctionOracle(realizable=broken).realizable(A)
    with pytest.raises(OracleError, match="must return True or False"):
        FunctionOracle(realizable=lambda sample: 1).realizable(A)  # type: ignore[arg-type, return-value]
    with pytest.raises(OracleError, match="RuntimeError: solver died"):
        FunctionErm(broken).best(A)  # type: ignore[arg-type]
    with pytest.raises(OracleError, match="callable concept"):
        FunctionErm(lambda sample: 3).best(A)  # type: ignore[arg-type, return-value]
    assert str(FunctionOracle(find=Finds().find).find(A)) == "x >= 3"
    for wrong in (lambda: ClassOracle(3), lambda: ClassErm("x"), lambda: Counting(LINE), lambda: FunctionErm(3)):  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match="got "):
            wrong()


def test_bits_only_classes_give_bits_only_oracles() -> None:
    oracle = ClassOracle(OracleClass(realizable=LINE.realizable))
    assert not oracle.gives_witnesses
    assert oracle.realizable(A)
    with pytest.raises(InvalidArgument, match="answers only realizable"):
        oracle.find(A)


# ----------------------------------------------------------------------------------------------- LearnLib's laws


@pytest.fixture
def cached() -> tuple[Counting, Caching]:
    inside = Counting(ClassOracle(LINE))
    return inside, Caching(inside)


@pytest.mark.parametrize("kind", ["realizable", "find"])
def test_cache_laws(cached: tuple[Counting, Caching], kind: Kind) -> None:
    inside, cache = cached
    assert cache.ask_many(kind, []) == []
    assert inside.queries == 0  # an empty batch poses 0
    first = cache.ask_many(kind, [A, B])
    assert (inside.queries, cache.misses, cache.hits) == (2, 2, 0)
    assert cache.ask_many(kind, [A, B]) == first
    assert inside.queries == 2  # a repeat poses 0
    assert cache.ask_many(kind, [B, C, A])[::2] == first[::-1]
    assert inside.queries == 3  # a mixed batch poses only the new
    cache.clear()
    assert cache.ask_many(kind, [A, A_AGAIN, A])[0] == first[0]
    assert inside.queries == 4  # duplicates in one batch pose 1, in any order and with repeats
    assert cache.hits + cache.misses == 2 + 2 + 3 + 3


def test_a_cache_forwards_the_rest_as_one_batch() -> None:
    bits = Bits()
    cache = Caching(bits)
    cache.realizable_many([A, B, A_AGAIN, C, []])
    cache.realizable_many([A, [(7, 0)], C])
    assert bits.batches == [4, 1]


def test_answers_imply_answers(cached: tuple[Counting, Caching]) -> None:
    inside, cache = cached
    assert cache.find(A) is not None
    assert cache.realizable(A)
    assert not cache.realizable(B)
    assert cache.find(B) is None  # falsy answers are hits too
    assert inside.queries == 2
    assert cache.realizable(C)
    assert cache.find(C) is not None  # the bit alone does not name a concept
    assert inside.queries == 4


def test_repeats_matter_to_erm() -> None:
    inside = Counting(ClassErm(LINE))
    cache = Caching(inside)
    once, twice = [(2, 1), (5, 0)], [(2, 1), (5, 0), (5, 0)]
    assert [str(c) for c in cache.best_many([once, twice, twice[::-1]])] == ["x >= 0", "x >= 6", "x >= 6"]
    assert inside.queries == 2


def test_a_cache_keeps_nothing_of_a_call_that_raised() -> None:
    budget = Budgeting(ClassOracle(LINE), queries=1)
    cache = Caching(budget)
    with pytest.raises(BudgetExhausted):
        cache.realizable_many([A, B])
    assert (cache.hits, cache.misses, budget.asked) == (0, 0, 0)
    budget.grant(1)
    assert cache.realizable_many([A, B]) == [True, False]


def test_keys_of_instances() -> None:
    seen = Counting(FunctionOracle(realizable=lambda sample: True))
    cache = Caching(seen)
    for x in ([1, 2], (1, 2), np.array([1, 2]), {"a": [1]}, {"a": (1,)}):
        cache.realizable([(x, 1)])
    assert seen.queries == 2
    with pytest.raises(InvalidInstance, match="key="):
        cache.realizable([({1, 2}, 1)])
    by_length = Caching(seen, key=len)
    by_length.realizable_many([[({1, 2}, 1)], [({3, 4}, 1)]])
    assert seen.queries == 3


# ------------------------------------------------------------------------------------------------- transparency

LAYERS: list[Callable[[Oracle], Oracle]] = [
    Counting,
    Caching,
    lambda oracle: Budgeting(oracle, queries=10_000),
    lambda oracle: Checking(oracle, oracle),
]
SMALL: list[ConceptClass] = [LINE, Intervals(6), BlockUnions(1), FiniteClass([[0, 1, 1], [1, 1, 0], [0, 0, 1]])]
SAMPLES = st.lists(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), max_size=5), max_size=5)


def _told(oracle: Oracle, samples: list[Pairs]) -> list[object]:
    """Everything that the answers say, one by one and as batches."""
    said: list[object] = []
    for kind in sorted(oracle.answers):
        one_by_one = [oracle.ask_many(kind, [s])[0] for s in samples]
        for answer in [*one_by_one, *oracle.ask_many(kind, samples), *oracle.ask_many(kind, samples)]:
            said.append((str(answer), [answer(x) for x in range(3)]) if callable(answer) else answer)
    single: list[Callable[[Sample], Any]] = [getattr(oracle, kind) for kind in sorted(oracle.answers)]
    return said + [str(ask(sample)) for ask in single for sample in samples]


@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from(SMALL),
    st.sampled_from([ClassOracle, ClassErm, lambda c: Bits(c), lambda c: ErmAsConsistency(ClassErm(c))]),
    st.lists(st.sampled_from(LAYERS), max_size=6),
    SAMPLES,
)
def test_layers_are_transparent_in_any_order(
    concept_class: ConceptClass,
    source: Callable[[ConceptClass], Oracle],
    layers: list[Callable[[Oracle], Oracle]],
    samples: list[Pairs],
) -> None:
    bare = source(concept_class)
    oracle = source(concept_class)
    for layer in layers:
        oracle = layer(oracle)
    assert (oracle.answers, oracle.gives_witnesses) == (bare.answers, bare.gives_witnesses)
    assert _told(oracle, samples) == _told(bare, samples)


@settings(max_examples=60, deadline=None)
@given(st.permutations([Counting, Caching]), SAMPLES)
def test_every_query_is_a_hit_or_a_miss(order: list[Any], samples: list[Pairs]) -> None:
    inner = Counting(ClassOracle(LINE))
    oracle: Oracle = inner
    for layer in order:
        oracle = layer(oracle)
    outer = Counting(oracle)
    outer.realizable_many(samples)
    cache = next(o for o in _chain(outer) if isinstance(o, Caching))
    assert outer.queries == len(samples) == cache.hits + cache.misses
    assert outer.points == sum(map(len, samples))
    assert inner.queries == cache.misses == len({frozenset(s) for s in samples})


def _chain(oracle: Oracle) -> Iterator[Oracle]:
    while isinstance(oracle, Layer):
        yield oracle
        oracle = oracle.oracle


def test_seconds_of_failed_calls_count_too() -> None:
    def slow(sample: Any) -> bool:
        time.sleep(0.01)
        if len(sample) > 1:
            raise ZeroDivisionError
        return True

    timer = Counting(FunctionOracle(realizable=slow))
    assert timer.seconds == 0.0
    timer.realizable([(1, 1)])
    assert (before := timer.seconds) >= 0.01
    with pytest.raises(OracleError):
        timer.realizable(B)
    assert timer.seconds >= before + 0.01


# ------------------------------------------------------------------------------------------------------ budgets


def test_a_refused_call_costs_nothing() -> None:
    bits = Bits()
    budget = Budgeting(bits, queries=3)
    budget.realizable(A)
    with pytest.raises(BudgetExhausted, match=r"budget of 3 .* 1 asked, 2 left, 3 wanted") as caught:
        budget.realizable_many([A, B, C])
    assert (caught.value.asked, caught.value.left, caught.value.wanted) == (1, 2, 3)
    assert (budget.asked, budget.left, bits.batches) == (1, 2, [1])
    assert budget.realizable_many([A, B]) == [True, False]  # a smaller call still fits
    assert budget.realizable_many([]) == []  # nothing costs nothing
    with pytest.raises(BudgetExhausted, match="3 asked, 0 left, 1 wanted"):
        budget.realizable(A)
    budget.grant(1)
    assert budget.realizable(A)
    again = pickle.loads(pickle.dumps(caught.value))  # errors travel between processes
    assert (str(again), again.wanted) == (str(caught.value), 3)


def test_only_calls_that_were_made_are_paid_for() -> None:
    def fails(sample: Sample) -> bool:
        raise RuntimeError("no licence")

    budget = Budgeting(FunctionOracle(realizable=fails), queries=2)
    for error in (OracleError, OracleError, BudgetExhausted):  # retries are limited
        with pytest.raises(error):
            budget.realizable(A)
    outer = Budgeting(Budgeting(ClassOracle(LINE), queries=1), queries=5)
    outer.realizable(A)
    with pytest.raises(BudgetExhausted, match="budget of 1 "):
        outer.realizable(B)
    assert (outer.asked, outer.left) == (1, 4)


@pytest.mark.parametrize("queries", [-1, 1.5, True, "3"])
def test_a_budget_is_a_number(queries: Any) -> None:
    with pytest.raises(InvalidArgument, match="queries must be an int >= 0"):
        Budgeting(ClassOracle(LINE), queries=queries)


# ----------------------------------------------------------------------------------------- whole runs of a learner

GAMES: list[tuple[ConceptClass, Any]] = [
    (Thresholds(16), Bisection(Thresholds(16))),
    (Intervals(8), IntervalSearch(Intervals(8))),
    (BlockUnions(1), DefaultZero(BlockUnions(1))),
]


def _stream(rounds: int = 12, n: int = 8, seed: int = 0) -> Pairs:
    draw = random.Random(seed)
    return [(draw.randrange(n), draw.randrange(2)) for _ in range(rounds)]


def _adept(oracle: Oracle, base: Any, horizon: int = 30) -> Adept:
    return Adept(OracleClass.from_oracle(oracle), horizon=horizon, base=base)


@pytest.mark.parametrize(("concept_class", "base"), GAMES)
@pytest.mark.parametrize("source", [ClassOracle, Bits])
def test_posed_is_what_counting_outside_saw(
    concept_class: ConceptClass, base: Any, source: Callable[[ConceptClass], Oracle]
) -> None:
    inside = Counting(source(concept_class))
    outside = Counting(Caching(inside))
    learner = _adept(outside, base)
    direct = Adept(concept_class, horizon=30, base=base)
    for x, y in _stream():
        assert learner.predict_proba(x) == pytest.approx(direct.predict_proba(x), abs=1e-12)
        assert learner.queries.posed == outside.queries
        learner.learn(x, y)
        direct.learn(x, y)
    assert learner.queries.posed == outside.queries <= learner.queries.asked == direct.queries.asked
    assert inside.queries <= outside.queries


@pytest.mark.parametrize(("concept_class", "base"), GAMES)
@pytest.mark.parametrize("source", [ClassOracle, Bits])
def test_a_budget_that_ends_in_the_middle_of_a_round_changes_nothing(
    concept_class: ConceptClass, base: Any, source: Callable[[ConceptClass], Oracle]
) -> None:
    budget = Budgeting(source(concept_class), queries=0)
    outside = Counting(Caching(budget))
    stopped, free = _adept(outside, base), _adept(source(concept_class), base)
    raised = 0
    for x, y in _stream():
        before = _account(stopped)
        while True:
            try:
                p = stopped.predict_proba(x)
                break
            except BudgetExhausted as error:
                raised += 1
                assert (error.left, _account(stopped)) == (0, before)
                with pytest.raises(BudgetExhausted):
                    stopped.learn(x, y)
                assert _account(stopped) == before
                budget.grant(error.wanted)  # for one call: the cache carries the answers over to the next try
        assert p == free.predict_proba(x)
        stopped.learn(x, y)
        free.learn(x, y)
        assert _account(stopped) == _account(free)
    assert raised == budget.asked > 5  # each call was interrupted once
    assert stopped.queries.posed == outside.queries  # refused ones too
    assert budget.asked <= free.queries.posed  # but no answer was paid for twice


def _account(learner: Adept) -> tuple[Any, ...]:
    return (learner.rounds, learner.width, learner.expected_loss, learner.best_loss)


def test_the_same_questions_under_any_hash_seed() -> None:
    script = (
        "from adeptree import *\nfrom adeptree.oracles import *\nfrom adeptree.research import DefaultZero\n"
        "class Told(Layer):\n"
        "    def _through(self, kind, samples):\n"
        "        print(kind, *samples)\n"
        "        return self.oracle.ask_many(kind, samples)\n"
        "c = OracleClass.from_oracle(Told(Caching(ClassOracle(BlockUnions(1)))))\n"
        "Adept(c, horizon=9, base=DefaultZero(BlockUnions(1))).learn_many('abcab', [0, 1, 1, 0, 1])"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            check=True,
            text=True,
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1] != ""


# ----------------------------------------------------------------------------------------------------- checking


def test_checking_catches_a_liar() -> None:
    honest = ClassOracle(LINE)
    optimist = FunctionOracle(realizable=lambda sample: True)
    for pair in (Checking(optimist, honest), Checking(Bits(), optimist)):
        assert pair.realizable_many([A, C]) == [True, True]
        with pytest.raises(ContradictoryOracle, match=r"\[\(2, 1\), \(5, 0\)\].* says not realizable"):
            pair.realizable_many([A, B])


def test_checking_looks_at_concepts() -> None:
    lazy = FunctionOracle(find=lambda sample: lambda x: 0)
    with pytest.raises(ContradictoryOracle, match="misses 1 of the labels"):
        Checking(lazy, Bits()).find(A)
    with pytest.raises(ContradictoryOracle, match=r"says errors=1, .* says errors=0"):
        Checking(FunctionErm(lambda sample: lambda x: 0), ClassErm(LINE)).best(A)
    assert Checking(ClassErm(LINE), ClassErm(LINE)).best(B) is not None
    with pytest.raises(InvalidArgument, match="answers best"):
        Checking(ClassErm(LINE), ClassOracle(LINE))


def test_checking_stops_a_learner_unchanged() -> None:
    calls = iter(range(10**6))
    forgetful = FunctionOracle(realizable=lambda sample: next(calls) < 4 and LINE.realizable(sample))
    learner = _adept(Checking(forgetful, ClassOracle(LINE)), Bisection(LINE))
    with pytest.raises(ContradictoryOracle):
        for x, y in _stream():
            before = _account(learner)
            learner.learn(x, y)
    assert _account(learner) == before
    assert learner.rounds > 0


# ------------------------------------------------------------------------------------------------------ ERM


def test_restricted_erm_answers_on_what_was_observed() -> None:
    oracle = RestrictedErm(ClassErm(LINE))
    assert errors_of(oracle.best([]), A) <= 2
    oracle.observe(2)
    with pytest.raises(InvalidArgument, match=r"observed so far; got x=5 \(int\); call observe"):
        oracle.best(A)
    outer = Counting(oracle)
    outer.observe(5)  # layers pass on what they do not know
    assert (str(outer.best(A)), errors_of(outer.best(B), B), outer.queries) == ("x >= 3", 1, 2)
    with pytest.raises(InvalidArgument, match="answers best"):
        RestrictedErm(ClassOracle(LINE))


def test_realizable_erm_answers_only_where_something_fits() -> None:
    oracle = Counting(RealizableErm(ClassErm(LINE)))
    assert (str(oracle.best(A)), oracle.best(B), oracle.queries) == ("x >= 3", None, 2)
    consistency = ErmAsConsistency(oracle)
    assert consistency.realizable_many([A, B]) == [True, False]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(SMALL), st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), max_size=6))
def test_erm_as_consistency_agrees_with_the_class(concept_class: ConceptClass, sample: Pairs) -> None:
    erm = Counting(ClassErm(concept_class))
    oracle = ErmAsConsistency(erm)
    concept = oracle.find(sample)
    assert oracle.realizable(sample) == (concept is not None) == concept_class.realizable(sample)
    assert concept is None or errors_of(concept, sample) == 0
    assert erm.queries == 2


def test_restricted_erm_is_enough_for_adept() -> None:
    erm = RestrictedErm(ClassErm(LINE))
    learner, direct = _adept(ErmAsConsistency(erm), Bisection(LINE)), Adept(LINE, horizon=30)
    for x, y in _stream():
        erm.observe(x)
        assert learner.predict_proba(x) == pytest.approx(direct.predict_proba(x), abs=1e-12)
        learner.learn(x, y)
        direct.learn(x, y)


def test_an_erm_oracle_says_how_to_ask_it_for_consistency() -> None:
    class Zero(ErmOracle):
        def best(self, sample: Sample) -> Concept:
            return lambda x: 0

    assert [c("x") for c in Zero().best_many([A, B])] == [0, 0]
    assert Zero().ask_many("best", []) == []
    for oracle in (Zero(), Counting(Zero())):
        with pytest.raises(InvalidArgument, match=r"answers only best; .* ErmAsConsistency"):
            oracle.realizable(A)
    with pytest.raises(InvalidArgument, match="expected an oracle such as"):
        OracleClass.from_oracle(LINE.realizable)


# --------------------------------------------------------------------------------------------------- closing


@pytest.mark.parametrize("layer", LAYERS)
def test_an_empty_batch_reaches_nobody(layer: Callable[[Oracle], Oracle]) -> None:
    bits, timer = Bits(), Counting(ClassErm(LINE))
    assert layer(bits).realizable_many([]) == bits.batches == []
    assert layer(timer).best_many([]) == []
    assert timer.queries == 0


@pytest.mark.parametrize("layer", [*LAYERS, lambda oracle: Checking(Bits(), oracle)])
def test_close_goes_all_the_way_in(layer: Callable[[Oracle], Oracle]) -> None:
    bits = Bits()
    with layer(Counting(bits)) as oracle:
        assert oracle.realizable(A)
        assert bits.releases == 0
    oracle.close()
    assert bits.releases == 1  # forwarded, and once
    for closed in (oracle, bits):
        with pytest.raises(OracleError, match="closed"):
            closed.ask_many("realizable", [A])


def test_sources_close_too() -> None:
    for oracle in (ClassOracle(LINE), ClassErm(LINE), FunctionErm(LINE.erm)):
        oracle.close()
        ask = oracle.find if oracle.gives_witnesses else oracle.best
        with pytest.raises(OracleError, match="closed"):
            ask(A)


def test_a_block_closes_even_when_it_raises() -> None:
    bits = Bits()
    with pytest.raises(ZeroDivisionError), Caching(bits):
        raise ZeroDivisionError
    assert bits.releases == 1


def test_layers_look_inside_for_what_they_lack_and_can_be_copied() -> None:
    oracle = Counting(Caching(Budgeting(ClassOracle(LINE), queries=5)))
    oracle.realizable_many([A, A])
    assert (oracle.left, oracle.hits, oracle.concept_class) == (4, 1, LINE)
    assert not hasattr(oracle, "colour")
    assert not hasattr(oracle, "_known")
    twin = copy.deepcopy(oracle)
    twin.realizable(B)
    assert (twin.left, oracle.left) == (3, 4)
    assert repr(twin) == "Counting(Caching(Budgeting(ClassOracle(thresholds(n=8)))))"


def test_the_page_is_true() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "oracle-layers.md"
    failed, ran = doctest.testfile(str(page), module_relative=False)
    assert (failed, ran > 30) == (0, True)
