"""Points known in advance: Transductive against Hedge on the listed labellings, and thresholds of unknown order."""

from __future__ import annotations

import itertools
import math
import random
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree import research
from adeptree.checks import check
from adeptree.core.errors import InvalidArgument, InvalidInstance
from reproduction.unknown_order import OPEN, UnknownOrder

BISECTION = [7, 3, 11, 1, 5, 9, 13, 0, 2, 4, 6, 8, 10, 12, 14]


def by_oracle(c: Any, **options: Any) -> at.OracleClass:
    return at.OracleClass(find=c.find, vc_dimension=c.vc_dimension, **options)


def labellings(c: Any, points: list[Any]) -> list[tuple[int, ...]]:
    """All labellings of the distinct points, by asking about every one."""
    distinct = list(dict.fromkeys(points))
    every = itertools.product((0, 1), repeat=len(distinct))
    return [row for row in every if c.realizable(zip(distinct, row, strict=True))]


@pytest.mark.parametrize(
    ("c", "points"),
    [
        (at.Thresholds(16), [3, 9, 1, 9, 14]),
        (at.Intervals(9), [8, 0, 4, 5, 2, 2]),
        (at.RealThresholds(), [0.5, -3.0, 2.25]),
        (by_oracle(at.Intervals(9)), [8, 0, 4, 5, 2]),
        (at.OracleClass(realizable=at.Thresholds(9).realizable, mistake_bound=3), [3, 1, 2]),
    ],
)
@pytest.mark.parametrize("rate", ["paper", "adaptive", "first-order", 0.3])
def test_it_is_hedge_on_the_listed_labellings(c: Any, points: list[Any], rate: Any) -> None:
    distinct = list(dict.fromkeys(points))
    rows = labellings(c, points)
    learner = research.Transductive(c, points, horizon=200, rate=rate)
    hedge = at.Hedge(at.FiniteClass(rows, points=distinct), horizon=200, rate=rate)
    assert learner.width == len(rows)
    asked = learner.queries.asked
    rng = random.Random(7)
    stream = [(rng.choice(points), rng.randrange(2)) for _ in range(120)]
    for x, y in stream:
        assert learner.predict_proba(x) == pytest.approx(hedge.predict_proba(x), abs=1e-9)
        learner.learn(x, y)
        hedge.learn(x, y)
        assert (learner.best_loss, learner.queries.asked) == (hedge.best_loss, asked)
        assert learner.regret <= learner.bound == pytest.approx(hedge.bound, abs=1e-9)
    rule = learner.best_rule()
    assert sum(rule(x) != y for x, y in stream) == learner.best_loss
    if rate == "paper":
        assert learner.in_advance == pytest.approx(math.sqrt(200 / 2 * math.log(len(rows))))


@pytest.mark.parametrize("strategy", ["paper", "auto"])
def test_it_asks_twice_its_width_per_point_and_nothing_afterwards(strategy: str) -> None:
    calls = []

    def find(sample: Any) -> Any:
        calls.append(sample)
        return at.Thresholds(15).find(sample)

    points = random.Random(1).sample(range(15), 15)
    learner = research.Transductive(at.OracleClass(find=find, strategy=strategy), points * 3, horizon=400)
    # (n thresholds on n - 1 points, whatever their order.)
    assert learner.queries.asked == 2 * sum(range(1, 16)) == 240
    assert learner.queries.posed == len(calls) and (len(calls) == 240) == (strategy == "paper")
    calls.clear()
    at.play(learner, at.Stochastic(at.Thresholds(15), noise=0.2), rounds=100)
    learner.best_rule()
    assert learner.queries.asked == 240 and not calls


@pytest.mark.parametrize("seed", range(4))
def test_regret_is_in_vc_on_streams_that_react(seed: int) -> None:
    points = np.random.default_rng(seed).random(40).tolist()
    learner = research.Transductive(at.RealThresholds(), points, horizon=500, seed=seed)
    rng = random.Random(seed)
    for _ in range(500):
        x = min(rng.sample(points, 5), key=lambda x: abs(learner.predict_proba(x) - 0.5))
        learner.learn(x, int(learner.predict_proba(x) < 0.5))
    assert learner.regret <= learner.bound <= math.sqrt(250 * math.log(41)) == learner.in_advance


def test_points_that_were_not_announced_are_refused() -> None:
    learner = research.Transductive(at.Thresholds(100), [3, 70])
    for call in (learner.predict_proba, learner.predict, learner.answer, lambda x: learner.learn(x, 1)):
        with pytest.raises(InvalidInstance, match=r"one of the 2 points announced .* x=4 .* use Adept"):
            call(4)
    with pytest.raises(InvalidInstance, match="announced"):
        learner.learn_many([3, 4], [0, 1])
    assert learner.rounds == 0, "a batch is checked before its first round"
    with pytest.raises(InvalidArgument, match="at least one"):
        research.Transductive(at.Thresholds(100), [])
    with pytest.raises(InvalidArgument, match="concept class"):
        research.Transductive([[0, 1]], [0])  # type: ignore[arg-type]


def test_saved_and_gone_on_with(tmp_path: Path) -> None:
    learner = research.Transductive(at.Thresholds(100), [70, 3, 9], horizon=50)
    learner.learn_many([3, 9, 70, 9], [0, 1, 1, 0])
    learner.save(tmp_path / "learner")
    again = at.load(tmp_path / "learner")
    assert isinstance(again, research.Transductive) and again.queries == learner.queries
    for x in (3, 9, 70):
        assert again.predict_proba(x) == learner.predict_proba(x)
    assert str(again.best_rule()) == str(learner.best_rule())
    assert at.Thresholds(100).concept(0)(3) == 1 and learner.best_rule()(3) == 0


def test_they_keep_the_contract_of_learners() -> None:
    c = at.Stumps(cuts={"age": [30, 50], "bmi": [25]})
    assert check(partial(research.Transductive, c, points=list(c.instances()))).skipped == {}
    report = check(partial(UnknownOrder, at.Thresholds(6), points=range(6)))
    assert report.passed and list(report.skipped) == ["check_regret_bound"]


def optimum(rows: list[tuple[int, ...]]) -> int:
    """The game in the order of the columns, played out by both sides."""

    @cache
    def go(left: frozenset[tuple[int, ...]], t: int) -> int:
        if t == len(rows[0]):
            return 0
        sides = {y: frozenset(row for row in left if row[t] == y) for y in (0, 1)}
        then = {y: go(side, t + 1) for y, side in sides.items() if side}
        return min(max((p != y) + rest for y, rest in then.items()) for p in (0, 1))

    return go(frozenset(rows), 0)


@pytest.mark.parametrize("seed", range(40))
def test_rank_is_the_optimum_of_the_game_in_this_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = (rng.random((int(rng.integers(1, 20)), 6)) < rng.choice([0.2, 0.5], 6)).astype(int)
    c = at.FiniteClass(table)
    order = rng.permutation(6).tolist()
    learner = research.Transductive(c, order)
    assert learner.rank == optimum(labellings(c, order))
    assert learner.rank <= at.littlestone_dimension(c)


def test_ranks_of_thresholds() -> None:
    assert [research.Transductive(at.Thresholds(15), order).rank for order in (range(15), BISECTION)] == [1, 4]


def chain(order: list[int], ties: str, rng: random.Random) -> tuple[dict[int, int], at.OracleClass]:
    """Thresholds in this order, and an oracle that returns the smallest, the largest or any rule that fits."""
    place = {x: i for i, x in enumerate(order)}

    def find(sample: Any) -> Any:
        low = max((place[x] + 1 for x, y in sample if y), default=0)
        high = min((place[x] for x, y in sample if not y), default=len(order))
        if low > high:
            return None
        cut = {"smallest": low, "largest": high, "random": rng.randint(low, high)}[ties]
        return lambda x: int(place[x] < cut)

    return place, at.OracleClass(find=find)


@pytest.mark.parametrize("ties", ["smallest", "largest", "random"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 9, 40, 400])
def test_unknown_order_errs_and_asks_logarithmically(n: int, ties: str) -> None:
    calls = []
    for seed in range(12):
        rng = random.Random(seed)
        place, c = chain(rng.sample(range(n), n), ties, rng)
        learner = UnknownOrder(c, range(n), seed=seed)
        # The cut is put where it hurts: each label is the opposite of what is predicted, while some rule fits.
        low, high = 0, n
        for x in rng.sample(range(n), n):
            asked = learner.queries.posed
            p = learner.predict_proba(x)
            if learner.queries.posed > asked:
                says = learner.cut[learner.label == OPEN]
                assert set(says) == {0, 1} and len(says) <= 4 * sum(says) <= 3 * len(says), "a quarter on either side"
            assert p in (0, 1)
            y = int(place[x] < low) if not low <= place[x] < high else 1 - int(p)
            low, high = (max(low, place[x] + 1), high) if y else (low, min(high, place[x]))
            learner.learn(x, y)
        assert learner.best_loss == 0
        assert learner.realised_loss == learner.expected_loss <= math.log(n, 4 / 3) + 2
        calls.append(learner.queries.posed)
    assert np.mean(calls) <= 8 * math.log(n, 4 / 3)
    assert n > 2 or sum(calls) == 0


def test_unknown_order_goes_on_after_saving_and_remembers_repeats(tmp_path: Path) -> None:
    place, c = chain(random.Random(5).sample(range(60), 60), "smallest", random.Random(5))
    learner = UnknownOrder(c, range(60), horizon=200, seed=3)
    learner.learn_many(range(30), [int(place[x] < 20) for x in range(30)])
    learner.save(tmp_path / "learner")
    again = at.load(tmp_path / "learner", concept_class=c)
    for x in range(60):
        assert again.predict_proba(x) == learner.predict_proba(x)
        assert x >= 30 or learner.predict_proba(x) == int(place[x] < 20)
    assert again.queries == learner.queries
    line = UnknownOrder(at.Thresholds(20), [3, 9, 4], horizon=9)  # (no oracle: tried on points that were announced)
    line.learn(9, 1)
    line.save(tmp_path / "line")
    assert at.load(tmp_path / "line").predict_proba(9) == 1


def test_unknown_order_refuses_what_is_no_chain() -> None:
    constants = at.OracleClass(find=lambda sample: None)
    with pytest.raises(InvalidArgument, match=r"no chain of rules; use Transductive"):
        UnknownOrder(constants, range(9)).predict_proba(3)
    learner = UnknownOrder(at.Thresholds(20), range(9))
    for call in (learner.predict_proba, lambda x: learner.learn_many([3, x], [0, 1])):
        with pytest.raises(InvalidInstance, match="announced"):
            call(10)
    assert learner.rounds == 0
