"""Randomized, k- and bandit Littlestone dimensions and RandSOA, against games played out from the raw history."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction as Q
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from long_form import LONG

import adeptree as at
from adeptree.checks import check
from adeptree.core.errors import InvalidArgument, TooLarge
from adeptree.theory.littlestone import MistakeTree
from reproduction.littlestone_variants import (
    bandit_littlestone_dimension,
    k_littlestone_dimension,
    randomized_littlestone_dimension,
)
from reproduction.optimal_mistakes import BanditMistakes, BanditTree, OptimalMistakes
from reproduction.rand_soa import RandSOA

Row = tuple[int, ...]


def thresholds(n: int) -> list[Row]:
    return [tuple(int(x >= a) for x in range(n)) for a in range(n + 1)]


def singletons(n: int) -> list[Row]:
    return [tuple(int(x == a) for x in range(n)) for a in range(n)]


def warmuth() -> list[Row]:
    """Warmuth's class on a circle of five: 1 0 0 1 from some place on, and any label at the fifth."""
    found = set()
    for start, other in itertools.product(range(5), (0, 1)):
        row = [other] * 5
        for step, label in enumerate((1, 0, 0, 1)):
            row[(start + step) % 5] = label
        found.add(tuple(row))
    return sorted(found)


def some_tables(count: int, seed: int, labels: int = 2) -> list[list[Row]]:
    rng = random.Random(seed)
    shapes = [(rng.randint(1, 5), rng.randint(1, 4)) for _ in range(count)]
    return [sorted({tuple(rng.randrange(labels) for _ in range(n)) for _ in range(m)}) for m, n in shapes]


def value(rows: Any, k: int = 0, randomized: bool = False) -> Q:
    game = OptimalMistakes(rows, k, randomized)
    return game.value(game.start)


def played_out(rows: list[Row], k: int, randomized: bool, rounds: int) -> Q:
    """The game of this many rounds, given only the number of errors of each concept."""

    @cache
    def go(errors: Row, left: int) -> Q:
        best = Q(0)
        for x in range(len(rows[0])) if left else ():
            told = [tuple(e + (row[x] != y) for e, row in zip(errors, rows, strict=True)) for y in (0, 1)]
            then = {y: go(after, left - 1) for y, after in enumerate(told) if min(after) <= k}
            # The learner's loss when the chance of 1 is p; with coins the best p is 0, 1 or where the lines cross.
            tried = [Q(0), Q(1)]
            if randomized and len(then) == 2:
                tried.append(min(Q(1), max(Q(0), (1 + then[1] - then[0]) / 2)))
            best = max(best, min(max(abs(p - y) + rest for y, rest in then.items()) for p in tried))
        return best

    return go((0,) * len(rows), rounds)


@pytest.mark.parametrize("rows", some_tables(40, seed=1))
def test_dimensions_are_the_values_of_the_game_played_out(rows: list[Row]) -> None:
    for k in (0, 1):
        exact = value(rows, k)
        assert exact == played_out(rows, k, False, int(exact) + 1), "one round more gives nothing more"
    assert value(rows, 0, True) == played_out(rows, 0, True, len(rows))
    assert value(rows) == at.littlestone_dimension(at.FiniteClass(rows))
    assert value(rows) / 2 <= value(rows, 0, True) <= value(rows)


@pytest.mark.parametrize("rows", [[(0,), (1,)], singletons(2), thresholds(2), [(0, 1)]])
def test_with_coins_and_errors_long_games_come_near_from_below(rows: list[Row]) -> None:
    exact = value(rows, 1, True)
    values = [played_out(rows, 1, True, rounds) for rounds in (4, 8, 16)]
    assert values[0] <= values[1] <= values[2] <= exact <= values[2] + Q(1, 50)


def test_known_values() -> None:
    for n in range(1, 4):
        assert value(list(itertools.product((0, 1), repeat=n)), 0, True) == Q(n, 2)
    assert [value(singletons(n), 0, True) for n in range(2, 9)] == [1 - Q(1, 2 ** (n - 1)) for n in range(2, 9)]
    for size in range(2, 17):
        m = size.bit_length() - 1
        assert value(thresholds(size - 1), 0, True) == Q(m, 2) + Q(size - 2**m, 2 ** (m + 1))
    assert [len(warmuth()), value(warmuth()), value(warmuth(), 0, True)] == [10, 3, Q(13, 8)]
    assert [value(singletons(3), k) for k in (0, 1, 2)] == [1, 3, 5]
    assert [value(singletons(3), k, True) for k in (1, 2)] == [Q(67, 32), Q(857, 256)]
    assert [value(thresholds(3), k) for k in (1, 2)] == [4, 6]
    assert [value(thresholds(3), k, True) for k in (1, 2)] == [Q(19, 8), Q(235, 64)]
    for k in range(6):
        drawn = k + Q((2 * k + 1) * math.comb(2 * k, k), 2 ** (2 * k + 1))
        assert [value([(0,), (1,)], k), value([(0,), (1,)], k, True)] == [2 * k + 1, drawn]
        assert value([(0, 1)], k) == value([(0, 1)], k, True) == k


def bandit_played_out(rows: list[Row], labels: int, rounds: int) -> int:
    @cache
    def go(left: frozenset[Row], rounds: int) -> int:
        best = 0
        for x in range(len(rows[0])) if rounds else ():
            options = []
            for guess in range(labels + 1):  # one of them is made by no concept
                told = (frozenset(row for row in left if (row[x] == guess) == right) for right in (False, True))
                options.append(max(1 - j + go(after, rounds - 1) for j, after in enumerate(told) if after))
            best = max(best, min(options))
        return best

    return go(frozenset(rows), rounds)


@pytest.mark.parametrize("rows", some_tables(40, seed=2, labels=3))
def test_bandit_dimension_is_the_value_of_the_game_played_out(rows: list[Row]) -> None:
    dimension, tree = bandit_littlestone_dimension(rows, witness=True)
    assert dimension == bandit_played_out(rows, 3, dimension + 1)
    check_bandit_tree(frozenset(rows), tree, dimension)


def check_bandit_tree(left: frozenset[Row], tree: BanditTree | None, depth: int) -> None:
    assert left
    if tree is None:
        assert depth == 0
        return
    assert tree.depth == depth
    assert set(tree.wrong) == {row[tree.x] for row in left}
    for guess, below in tree.wrong.items():
        check_bandit_tree(frozenset(row for row in left if row[tree.x] != guess), below, depth - 1)


def test_bandit_of_all_functions_and_of_two_labels() -> None:
    for labels, n in ((3, 1), (3, 2), (4, 1), (4, 2)):
        assert BanditMistakes(list(itertools.product(range(labels), repeat=n))).dimension() == n * (labels - 1)
    for rows in some_tables(20, seed=3):
        assert bandit_littlestone_dimension(at.FiniteClass(rows)) == value(rows)
    c = at.FiniteClass(["01", "10"], points=["a", "b"])
    assert bandit_littlestone_dimension(c, witness=True) == (1, BanditTree("a", {0: None, 1: None}))


def paths(tree: MistakeTree | None) -> list[list[tuple[Any, int]]]:
    if tree is None:
        return [[]]
    return [[(tree.x, y), *path] for y, below in ((0, tree.zero), (1, tree.one)) for path in paths(below)]


@pytest.mark.parametrize("rows", [*some_tables(25, seed=4), warmuth(), thresholds(5)])
def test_witnesses(rows: list[Row]) -> None:
    c = at.FiniteClass(rows)
    drawn, tree = randomized_littlestone_dimension(c, witness=True)
    assert drawn == randomized_littlestone_dimension(c) == k_littlestone_dimension(c, 0, randomized=True)
    assert all(c.realizable(path) for path in paths(tree))
    assert drawn == sum(Q(len(path), 2 ** len(path)) for path in paths(tree)) / 2
    for k in (0, 1):
        depth, deep = k_littlestone_dimension(c, k, witness=True)
        assert depth == k_littlestone_dimension(c, k) == (0 if deep is None else deep.depth)
        for path in paths(deep):
            assert min(sum(row[x] != y for x, y in path) for row in rows) <= k


def test_what_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"no finite tree .* take k=0"):
        k_littlestone_dimension(at.Thresholds(2), 1, randomized=True, witness=True)
    with pytest.raises(InvalidArgument, match=r"bandit Littlestone dimension .* cannot be listed"):
        bandit_littlestone_dimension(at.RealThresholds())
    with pytest.raises(InvalidArgument, match="whole numbers"):
        bandit_littlestone_dimension([[0.5]])
    with pytest.raises(InvalidArgument, match="concept class"):
        randomized_littlestone_dimension([[0]])  # type: ignore[call-overload]
    with pytest.raises(InvalidArgument, match="k must be an int"):
        k_littlestone_dimension(at.Thresholds(2), -1)
    with pytest.raises(InvalidArgument, match="RandSOA needs a class whose concepts can be listed"):
        RandSOA(at.RealThresholds())
    small = OptimalMistakes(singletons(40), randomized=True, budget=1000)
    with pytest.raises(TooLarge, match="smaller class"):
        small.value(small.start)
    with pytest.raises(TooLarge, match="81 times 2 were given"):
        k_littlestone_dimension(at.Thresholds(80), 1)
    with pytest.raises(TooLarge, match="concepts"):
        bandit_littlestone_dimension(np.eye(151, dtype=int))


@pytest.mark.parametrize("k", [0, 1])
@pytest.mark.parametrize("rows", [*some_tables(12, seed=5), thresholds(3)])
def test_randsoa_loses_at_most_the_optimum_to_every_adversary(rows: list[Row], k: int) -> None:
    game = OptimalMistakes(rows, k, randomized=True)

    @cache
    def worst(state: Any, left: int) -> Q:
        found = [Q(0)]
        for x in range(len(rows[0])) if left else ():
            ones = sum(row[x] << i for i, row in enumerate(rows))
            p = game.chance(state, ones)
            after = {y: game.after(state, ones, y) for y in (0, 1)}
            found += [abs(p - y) + worst(then, left - 1) for y, then in after.items() if then[0]]
        return max(found)

    lost = worst(game.start, 12)
    assert lost <= game.value(game.start)
    assert k or lost == game.value(game.start), "no learner does better"


@pytest.mark.parametrize("c", [at.FiniteClass(warmuth()), at.Thresholds(5), at.FiniteClass(singletons(4))])
def test_the_learner_plays_the_optimum_and_its_bound_holds(c: at.FiniteClass, tmp_path: Path) -> None:
    optimum, tree = randomized_littlestone_dimension(c, witness=True)
    mean = 0.0
    for path in paths(tree):
        learner = RandSOA(c)
        for x, y in path:
            learner.learn(x, y)
            assert learner.regret <= learner.bound <= optimum
        mean += learner.expected_loss / 2 ** len(path)
        assert learner.best_loss == 0
    assert mean == pytest.approx(float(optimum), abs=1e-12)
    learner.save(tmp_path / "learner")
    again = at.load(tmp_path / "learner")
    points = list(c.instances())
    assert [again.predict_proba(x) for x in points] == [learner.predict_proba(x) for x in points]


def test_noise_beyond_k_ends_the_promise_and_not_the_game() -> None:
    learner = RandSOA(at.Thresholds(4), k=1)
    for y in (0, 1, 0, 1):
        assert learner.bound < math.inf
        learner.learn(2, y)
    assert (learner.best_loss, learner.bound) == (2, math.inf)
    learner.learn(2, 1)
    assert learner.predict_proba(2) == 1 == learner.predict_proba(3)
    late = RandSOA(at.Thresholds(4))
    first, second = late.answer(1), late.answer(2)
    late.learn(second, 1)
    late.learn(first, 0)
    assert late.bound == math.inf


def test_the_learner_keeps_the_contract_of_learners() -> None:
    large = [at.FiniteClass(warmuth()), at.Stumps(cuts={"age": [30, 50], "bmi": [25]})]
    for c in (at.FiniteClass(thresholds(3)), at.Stumps(cuts={"age": [30], "bmi": [25]}), *(large if LONG else [])):
        report = check(partial(RandSOA, c, k=1))
        assert report.passed and list(report.skipped) == ["check_regret_bound"], "noise may be more than k"
