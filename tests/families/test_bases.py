"""Base learners: never more than M mistakes, whatever the order; rows do what the state machine does."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from long_form import times
from past_machines import OfThePast, Past
from strategies import (
    Family,
    Stream,
    blocks,
    intervals,
    monomials,
    parities,
    small_families,
    stumps,
    table,
    thresholds,
)

import adeptree as at
from adeptree import research
from adeptree.families.listed import EnumerableClass
from adeptree.families.registry import base_for, default_base, frontier_of
from adeptree.roles.base_learner import BaseLearner, PerPath
from adeptree.theory.littlestone import LittlestoneSolver
from reproduction.reference.listed_classes import MostConcepts, listed, littlestone_dimension
from reproduction.reference.paper import algorithm_2


def worst(family: Family, base: BaseLearner, repeats: int) -> int:
    """The most mistakes on any realizable sequence, each point up to ``repeats`` times, in any order.

    Sequences that lead to the same state with the same fitting rules and points left are walked once.
    """
    known: dict[Any, int] = {}

    def play(state: Any, left: tuple[int, ...], rules: tuple[int, ...]) -> int:
        key = (state, left, rules)
        if key not in known:
            best = 0
            for i, times in enumerate(left):
                if not times:
                    continue
                x = family.c.instance(family.points[i])
                predicted = base.predict(state, x)
                after = (*left[:i], times - 1, *left[i + 1 :])
                for y in (0, 1):
                    fitting = tuple(r for r in rules if family.rules[r](family.points[i]) == y)
                    if fitting:
                        mistakes = play(base.update(state, x, y), after, fitting)
                        best = max(best, mistakes + int(predicted != y))
            known[key] = best
        return known[key]

    return play(base.start(), (repeats,) * len(family.points), tuple(range(len(family.rules))))


NATURAL = [
    *((thresholds(n), 2) for n in (1, 2, 3, 4, 7)),
    *((intervals(n), 1) for n in (1, 2, 3, 4, 5, 6, 7)),
    (intervals(4), 2),
    *((blocks(d, n), 2) for d, n in ((1, 3), (2, 4))),
    *((monomials(2, monotone, any_of), 2) for monotone in (False, True) for any_of in (False, True)),
    *((monomials(3, True, any_of), 1) for any_of in (False, True)),
    (parities(2), 2),
    (parities(3), 1),
    (stumps(a=[1, 2]), 1),
    (table(["000", "011", "101", "110", "111"]), 2),
]


@pytest.mark.parametrize(("family", "repeats"), NATURAL, ids=lambda value: repr(value))
def test_natural_learners_keep_their_bound(family: Family, repeats: int) -> None:
    base = default_base(family.c)
    bound = base.mistake_bound
    assert bound is not None
    found = worst(family, base, repeats)
    assert found <= bound
    if not isinstance(family.c, at.Stumps):  # Halving there; all others are optimal
        assert found == bound == family.c.littlestone_dimension


@pytest.mark.parametrize("kind", [at.SOA, at.Halving])
@pytest.mark.parametrize(
    "family",
    [
        thresholds(5),
        intervals(4),
        monomials(2, False, False),
        parities(2),
        stumps(a=[1], b=[1]),
        table(["0110", "1001", "1111", "0000", "1000", "0011"]),
        table(["10"]),
    ],
    ids=repr,
)
def test_version_space_learners_keep_their_bound(kind: Any, family: Family) -> None:
    base = kind().bind(family.c)
    size = len(family.rows)
    assert base.mistake_bound == (littlestone_dimension(family.rows) if kind is at.SOA else size.bit_length() - 1)
    found = worst(family, base, 1)
    assert found <= base.mistake_bound
    if kind is at.SOA:
        assert found == base.mistake_bound


@pytest.mark.parametrize("seed", range(8))
def test_soa_is_forced_to_exactly_the_dimension_by_the_mistake_tree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    c = at.FiniteClass(rng.integers(2, size=(14, 6)))
    base = at.SOA().bind(c)
    node = LittlestoneSolver(c.table).tree()
    state, mistakes, sample = base.start(), 0, []
    while node is not None:
        y = 1 - base.predict(state, node.x)
        state, mistakes = base.update(state, node.x, y), mistakes + 1
        sample.append((node.x, y))
        node = node.one if y else node.zero
    assert mistakes == base.mistake_bound == c.littlestone_dimension
    assert c.realizable(sample)


def rows_and_bases() -> list[Any]:
    found = [*small_families(), *map(intervals, range(2, 14)), thresholds(20), parities(4)]
    natural = [(family, None) for family in found]
    listed = [family for family in found if isinstance(family.c, EnumerableClass)]
    return natural + [(family, kind) for family in listed for kind in (at.SOA, at.Halving)]


@pytest.mark.parametrize(("family", "kind"), rows_and_bases(), ids=repr)
def test_rows_do_what_the_state_machine_does(family: Family, kind: Any) -> None:
    for seed in range(0, 6, times(2, 1)):
        base = base_for(None if kind is None else kind(), family.c)
        frontier = frontier_of(family.c)
        fast, slow = base.rows(frontier), PerPath(base)
        rng = np.random.default_rng(seed)
        for x, _ in family.stream(seed, 9):
            for point in (*family.points[:8], x):
                split = frontier.split(family.c.instance(point))
                contested = split.contested
                assert (fast.predict(split)[contested] == slow.predict(split)[contested]).all()
            children = split.children
            if seed > 3:  # some children pruned
                kept = rng.random(len(children.parent)) < 0.8
                kept[0] = True
                children = children.only(kept)
            fast.grow(children)
            slow.grow(children)
            frontier.grow(children)


@pytest.mark.parametrize("n", [3, 5, 7, 9])
def test_interval_rows_after_every_beginning(n: int) -> None:
    """The row without a 1 counts its own mistakes: every order of three points, then every point."""
    c = at.Intervals(n)
    base = research.IntervalSearch(c)
    for beginning in itertools.permutations(range(n), 3):
        frontier = frontier_of(c)
        fast, slow = base.rows(frontier), PerPath(base)
        for x in beginning:
            children = frontier.split(x).children
            fast.grow(children)
            slow.grow(children)
            frontier.grow(children)
        for x in range(n):
            split = frontier.split(x)
            assert (fast.predict(split)[split.contested] == slow.predict(split)[split.contested]).all()


@pytest.mark.parametrize("seed", range(5))
def test_version_spaces_are_the_naive_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = frozenset(tuple(row) for row in rng.integers(2, size=(9, 5)).tolist())
    c = at.FiniteClass(sorted(rows))
    for base, naive in ((at.SOA(c), listed(rows)), (at.Halving(c), listed(rows, MostConcepts))):
        state, left = base.start(), naive.start()
        for _ in range(8):  # labels at random, so that the version space becomes empty too
            x, y = int(rng.integers(5)), int(rng.integers(2))
            assert all(base.predict(state, z) == naive.predict(left, z) for z in range(5))
            state, left = base.update(state, x, y), naive.update(left, x, y)


def test_ties_are_zero() -> None:
    both = at.FiniteClass(["01", "10"])
    for kind in (at.SOA, at.Halving):
        base = kind(both)
        assert [base.predict(base.start(), x) for x in (0, 1)] == [0, 0]
    bisection = at.Bisection(at.Thresholds(3))  # 0..3: at 1, two on either side
    assert [bisection.predict(bisection.start(), x) for x in range(3)] == [0, 0, 1]
    lopsided = at.FiniteClass(["00", "10", "11"])
    assert at.Halving(lopsided).predict(0b111, 0) == 1 and at.SOA(lopsided).predict(0b111, 0) == 1
    assert at.Halving(lopsided).predict(0b111, 1) == 0 and at.SOA(lopsided).predict(0b111, 1) == 0
    deep = at.FiniteClass(["0000", "1000", "1100", "1110"])  # at column 0: one against three
    assert at.Halving(deep).predict(0b1111, 0) == at.SOA(deep).predict(0b1111, 0) == 1
    wide = at.FiniteClass(["000", "001", "100", "110", "111"])  # at column 0: 2 against 3, both of dimension 1
    assert at.Halving(wide).predict(0b11111, 0) == 1 and at.SOA(wide).predict(0b11111, 0) == 0


# ------------------------------------------------------------------------------------ a user's own machine


class AlwaysZero:
    """A silly machine: it counts its points and predicts 0."""

    mistake_bound = 3

    def start(self) -> int:
        return 0

    def predict(self, state: int, x: Any) -> int:
        return 0

    def update(self, state: int, x: Any, y: int) -> int:
        return state + 1


def always_zero(past: Past, x: Any) -> int:
    return 0


class Memory:
    """Follow the nearest labelled point below, else 0: a threshold learner with a tuple as its state."""

    def start(self) -> tuple[tuple[int, int], ...]:
        return ()

    def predict(self, state: tuple[tuple[int, int], ...], x: int) -> int:
        return memory(state, x)

    def update(self, state: tuple[tuple[int, int], ...], x: int, y: int) -> tuple[tuple[int, int], ...]:
        return (*state, (x, y))


def memory(past: Past, x: int) -> int:
    return max(((z, y) for z, y in past if z <= x), default=(0, 0))[1]


@pytest.mark.parametrize("seed", range(6))
def test_own_machines_run_and_are_right_on_forced_rounds(seed: int) -> None:
    family = thresholds(3)
    stream: Stream = [(x, y) for x, y in family.stream(seed, 9)]
    for machine, slow in ((AlwaysZero(), always_zero), (Memory(), memory)):
        M = 3
        expected = algorithm_2(listed(family.rows), OfThePast(slow), stream, 9, M)
        history = expected.history()
        learner = at.Adept(family.c, horizon=9, base=machine, mistake_bound=M)
        for t, (x, y) in enumerate(stream):
            assert abs(learner.predict_proba(x) - expected.p[t]) < 1e-12
            learner.learn(x, y)
            assert sorted(learner.paths.mistakes.tolist()) == sorted(k for k, _ in history[t].values())


def test_a_silly_machine_errs_only_where_it_has_a_choice() -> None:
    learner = at.Adept(at.FiniteClass(["1111"]), horizon=4, base=AlwaysZero())
    assert learner.mistake_bound == 3
    for x in range(4):
        assert learner.predict_proba(x) == 1.0
        learner.learn(x, 1)
    assert learner.paths.mistakes.tolist() == [0] and learner.width == 1


def test_wrong_bases_are_refused() -> None:
    for wrong in (3, "soa", object(), at.SOA):
        with pytest.raises(at.errors.InvalidArgument):
            at.Adept(at.Thresholds(4), horizon=3, base=wrong)
    with pytest.raises(at.errors.InvalidArgument, match="Bisection is made for Thresholds"):
        at.Adept(at.Intervals(4), horizon=3, base=at.Bisection())
    with pytest.raises(at.errors.InvalidArgument, match="base="):
        at.Adept(at.OracleClass(realizable=lambda s: True, mistake_bound=1), horizon=3)
    with pytest.raises(at.errors.InvalidArgument, match="give mistake_bound=M"):
        at.Adept(at.Thresholds(4), horizon=3, base=Memory())
    with pytest.raises(at.errors.InvalidArgument, match="must be bound"):
        at.Halving().start()
