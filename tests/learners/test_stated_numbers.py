"""Numbers that a learner states, computed again by hand: sums of what waits, rates on their grids, queries."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree import bounds, errors
from reproduction.rand_soa import RandSOA

C = at.Thresholds(15)
TWO = at.FiniteClass([[0], [1]])


# --- Answers that wait ----------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["auto", "paths"])
@pytest.mark.parametrize("costs", [(1, 1), (3, 3), (0.1, 0.1), (2, 0.5)])
def test_answers_that_wait_count_at_what_a_round_costs_at_most(costs: tuple[float, float], engine: str) -> None:
    """Their variance counts with the square of it, and their worst case with itself; given up or not."""
    learner, rng, scale = at.Adept(C, costs=costs, engine=engine), np.random.default_rng(3), max(costs)
    variance = 0.0
    for _ in range(150):
        x, y = int(rng.integers(15)), int(rng.integers(2))
        p = learner.predict_proba(x)
        variance += costs[1 - y] ** 2 * p * (1 - p)
        learner.learn(x, y)
    waiting = [learner.answer(int(rng.integers(15))) for _ in range(9)]
    learner.give_up(waiting[4])
    variance += scale**2 * sum(ticket.p * (1 - ticket.p) for ticket in waiting)
    worst = scale * sum(max(ticket.p, 1 - ticket.p) for ticket in waiting)
    for confidence in (0.5, 0.95):
        expected = learner.regret + bounds.excess(variance, 1 - confidence, scale) + worst
        assert expected < 150 * scale - learner.best_loss  # else the trivial bound would be stated
        assert learner.realised_bound(confidence) == pytest.approx(expected, rel=1e-9)
        assert learner.certificate(confidence).realised_bound == learner.realised_bound(confidence)


def test_in_another_unit_all_that_is_stated_is_the_same() -> None:
    one, seven = at.Adept(C), at.Adept(C, costs=(7, 7))
    rng = np.random.default_rng(5)
    for _ in range(200):
        x, y = int(rng.integers(15)), int(rng.integers(2))
        for learner in (one, seven):
            learner.learn(x, y)
    for learner in (one, seven):
        for x in range(5):
            learner.answer(x)
    for name in ("regret", "bound", "best_loss", "expected_loss", "realised_loss"):
        assert getattr(seven, name) == pytest.approx(7 * getattr(one, name), rel=1e-9)
    assert seven.realised_bound() == pytest.approx(7 * one.realised_bound(), rel=1e-9)


@pytest.mark.parametrize("engine", ["auto", "paths"])
def test_a_round_heavier_than_announced_ends_what_is_stated_of_draws(engine: str) -> None:
    for weight, holds in ((2, True), (2.0001, False), (3, False), (19, False), (21, False)):
        learner = at.Adept(C, max_weight=2, engine=engine)
        learner.learn(3, 1)
        learner.learn(3, 0, weight)
        assert math.isfinite(learner.realised_bound()) is holds
        assert (learner.in_advance is not None) is holds
        assert ("with probability" in str(learner.certificate())) is holds


# --- What is promised of streams with a small best loss ---------------------------------------------------


def test_where_nothing_is_promised_nothing_is_promised_of_a_best_loss() -> None:
    def build(**settings: Any) -> at.Adept:
        return at.Adept(at.Thresholds(63), 300, rate="first-order", **settings)

    assert build().bound_for(5) is not None and build(max_width=4).bound_for(5) is None
    assert build().bound_for(5, rounds=301) is None and build().bound_for(5, rounds=300) is not None
    assert build(costs=(1, 2)).bound_for(5) is None
    assert build(mistake_bound=1, on_excess="prune").bound_for(5) is None
    assert at.Adept(at.RealSteps()).bound_for(5, rounds=100) is None
    heavy, light, late = build(), build(), build()
    heavy.learn(3, 1, 2)
    light.learn(3, 1, 0.5)
    late.answer(3)
    assert late.bound_for(5) is not None
    late.learn(4, 1)
    for learner in (heavy, light, late):
        assert learner.in_advance is None and learner.bound_for(5) is None and learner.bound_for(0) is None


# --- Rates -----------------------------------------------------------------------------------------------


def test_the_late_rate_of_hedge_follows_what_lateness_costs() -> None:
    """eta (Delta + drift) stays within the grid of 2 kappa: on Delta alone it would be 4 times the regret here."""
    learner, drifted = at.Hedge(TWO), 0.0
    tickets: list[at.Ticket] = []
    for _ in range(1000):
        tickets.append(learner.answer(0))
        if len(tickets) > 20:
            ticket = tickets.pop(0)
            learner.learn(ticket, int(ticket.p < 0.5))
        assert learner.learning_rate * (learner.gap + learner.drift) <= 1.05 * 2 * max(2.0, math.log(2)) + 1e-9
        drifted = max(drifted, learner.drift / max(1.0, learner.gap))
    assert drifted > 2  # else this says nothing
    V = learner.rounds + 2 * learner.overlaps
    assert learner.regret <= bounds.adaptive_regret_in_advance(V, math.log(2), 2.0)


FLOORS: dict[str, tuple[at.ConceptClass, Any, float, Callable[[int], float]]] = {
    "counted": (at.Thresholds(4095), 5, 0.5, lambda t: min(bounds.kt_cost(t, 12), math.log(4096)) + math.log(3)),
    "no counts": (at.BlockUnions(25), "a", 0.25, lambda t: bounds.kt_cost(t, 25) + math.log(2)),
    "floats": (at.RealThresholds(), 0.5, 0.125, lambda t: math.log(2.0**64 - 2.0**53) + math.log(16)),
}


@pytest.mark.parametrize("engine", ["auto", "paths"])
@pytest.mark.parametrize("name", FLOORS)
def test_the_adaptive_rate_reckons_with_its_share_of_what_a_path_may_cost(name: str, engine: str) -> None:
    """At one point the best path costs little, so that the floor x K decides: eta = x K / Lambda at each change."""
    c, x, share, price = FLOORS[name]
    learner, changes, reckoned = at.Adept(c, engine=engine), 0, 4.0
    for t in range(400):
        before = learner.learning_rate
        learner.learn(x, t % 2)
        eta, lost = learner.learning_rate, learner.gap + learner.drift
        expected = before
        if before * lost >= 1.05 * reckoned:
            reckoned = max(reckoned, share * price(learner.answered))
            expected = min(before, reckoned / lost)
        assert eta == pytest.approx(expected, rel=1e-9)
        changes += eta != before
    assert changes > 5 and reckoned > 4


def test_the_first_order_rate_of_a_structure_is_kept_for_five_percent() -> None:
    """Until L* + 1 has grown by 5 % (or by one): what the constants 2.66 and 5.36 reckon with."""
    learner = at.Adept(at.Thresholds(63), 1600, rate="first-order")
    exact = at.Adept(at.Thresholds(63), 1600, rate="first-order", engine="paths")
    log_experts, most = learner.log_experts, 0.0
    for t in range(1600):
        learner.learn(5, t % 2)
        now = learner.best_loss + 1
        ideal = min(0.5, math.sqrt(log_experts / now))
        longest = max(1, math.ceil(now / 1.05) - 1 if now > 20 else now)
        eta = learner.learning_rate if learner.rounds < 1600 else ideal
        assert ideal * (1 - 1e-12) <= eta <= min(0.5, math.sqrt(log_experts / longest)) * (1 + 1e-12)
        most = max(most, (eta / ideal) ** 2)
        if t < 300:
            exact.learn(5, t % 2)
            assert exact.learning_rate == pytest.approx(min(0.5, math.sqrt(log_experts / (exact.best_loss + 1))))
    assert 1.03 < most <= 1.05
    assert learner.bound_for(10_000, 1600) == learner.in_advance and learner.best_loss == 800


# --- Paths that were dropped --------------------------------------------------------------------------------


def test_a_best_rule_that_is_said_to_be_kept_is_the_best_of_all() -> None:
    surely = unsure = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        table = np.unique(rng.integers(0, 2, (12, 6)), axis=0)
        learner = at.Adept(at.FiniteClass(table), engine="paths", max_width=int(rng.integers(2, 5)))
        lost = np.zeros(len(table), dtype=np.int64)
        for t in range(16):
            x = int(rng.integers(6))
            y = int(rng.integers(2)) if t < 6 else int(table[0, x])
            learner.learn(x, y)
            lost += table[:, x] != y
            if t in (5, 9, 15) and (told := learner.certificate()).dropped_paths:
                surely, unsure = surely + bool(told.best_is_kept), unsure + (not told.best_is_kept)
                assert not told.best_is_kept or told.best_loss == lost.min()
                assert ("a dropped rule may be better" in str(told)) is not told.best_is_kept
    assert surely > 30 and unsure > 30


# --- Queries ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prune", [False, True])
def test_the_classic_reduction_asks_two_queries_per_prefix(prune: bool) -> None:
    """About both labels after each labelling that an expert has fed itself."""
    c = at.Thresholds(4)
    learner = at.Bpss(c, 5, prune=prune)
    prefixes: set[tuple[int, ...]] = {()}
    asked, points = 0, []
    for x, y in [(1, 0), (2, 1), (0, 0), (1, 1), (3, 0)]:
        asked += 2 * len(prefixes)
        learner.learn(x, y)
        assert learner.queries.asked == learner.queries.posed == asked
        points.append(x)
        if prune:
            every = itertools.product((0, 1), repeat=len(points))
            prefixes = {ys for ys in every if c.realizable(list(zip(points, ys, strict=True)))}
        else:
            prefixes = set(learner.histories)
    assert asked > 2 * 5


# --- The optimal learner with coins ---------------------------------------------------------------------------


def test_the_optimal_learner_with_errors_allowed_hedges_them() -> None:
    """Two rules, one error allowed: after one label the other rule is still in the game, and gets a quarter."""
    learner = RandSOA(TWO, k=1)
    assert learner.optimum == Fraction(7, 4) and learner.predict_proba(0) == 0.5
    learner.learn(0, 1)
    assert learner.predict_proba(0) == 0.75
    learner.learn(0, 0)
    assert learner.predict_proba(0) == 0.5
    learner.learn(0, 1)
    assert learner.predict_proba(0) == 1.0


@pytest.mark.parametrize("k", [0, 1, 2])
def test_no_stream_costs_the_optimal_learner_more_than_the_optimum(k: int) -> None:
    table = [[0, 0], [0, 1], [1, 1]]
    optimum, most = RandSOA(at.FiniteClass(table), k).optimum, 0.0
    for stream in itertools.product(((0, 0), (0, 1), (1, 0), (1, 1)), repeat=4):
        if min(sum(row[x] != y for x, y in stream) for row in table) > k:
            continue
        learner = RandSOA(at.FiniteClass(table), k)
        for x, y in stream:
            learner.learn(x, y)
            assert learner.regret <= learner.bound + 1e-12
        most = max(most, learner.expected_loss)
        assert learner.expected_loss <= float(optimum) + 1e-12
    assert most > 0.75 * float(optimum)


# --- In advance and at the end --------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["auto", "paths"])
@pytest.mark.parametrize("rate", ["paper", 0.2])
def test_before_the_first_round_the_end_is_what_is_promised_in_advance(engine: str, rate: Any) -> None:
    learner = at.Adept(C, horizon=200, rate=rate, engine=engine)
    assert learner.final == pytest.approx(learner.in_advance, rel=1e-12)


@pytest.mark.parametrize(
    "build",
    [
        lambda: at.Adept(C, rate=1e-4),
        lambda: at.Adept(C, rate=1e-5, costs=(7, 7)),
        lambda: at.Adept(at.Intervals(9), base=at.Ghost(4), prior="kt", engine="paths"),
    ],
)
def test_the_warning_names_the_first_round_at_which_a_coin_promises_more(build: Callable[[], at.Adept]) -> None:
    with pytest.warns(errors.NoBetterThanACoin) as told:
        learner = build()
    found = re.search(r"before round ([\d,]+)", str(told[0].message))
    assert found is not None
    first = int(found[1].replace(",", ""))
    for rounds, useful in ((first - 1, False), (first, True)):
        promised = learner.bound_after(rounds)
        assert promised is not None and (promised < rounds * learner.scale / 2) is useful


@pytest.mark.parametrize("engine", ["auto", "paths"])
def test_the_bound_so_far_takes_the_rate_of_the_last_round(engine: str) -> None:
    """At a constant rate, the same stream has the same price; right after a change the next rate is another one."""
    adaptive, constant, changes = at.Adept(C, engine=engine), at.Adept(C, rate=0.5, engine=engine), 0
    rng = np.random.default_rng(2)
    for _ in range(300):
        x, y = int(rng.integers(15)), int(rng.integers(2))
        prices = []
        for learner in (adaptive, constant):
            learner.learn(x, y)
            prices.append((learner.bound - learner.gap) * learner.last_rate)
        changes += adaptive.learning_rate < adaptive.last_rate
        if adaptive.rounds > 100:  # before, the trivial bound may be stated
            assert prices[0] == pytest.approx(prices[1], rel=1e-9)
    assert changes > 3


def test_an_answer_that_waits_is_a_round_of_the_stream_that_is_promised() -> None:
    learner = at.Adept(C)
    learner.answer(3)
    assert learner.in_advance == learner.bound_after(1) == 1.0
    said = "In advance, for any stream of 1 round with prompt labels, with weights up to 1: at most 1.00"
    assert said in str(learner.certificate())


def test_a_batch_that_does_not_fit_next_to_a_waiting_answer_is_refused_whole() -> None:
    learner = at.Adept(C, horizon=30)
    learner.answer(3)
    with pytest.raises(errors.HorizonReached, match="30 rounds are more than the 29 that are left"):
        learner.learn_many([4] * 30, [0] * 30)
    assert learner.rounds == 0
    learner.learn_many([4] * 29, [0] * 29)
    assert learner.rounds == 29


def test_paths_that_were_dropped_before_the_first_label_are_not_better() -> None:
    learner = at.Adept(C, max_width=1)
    learner.answer(8)
    told = learner.certificate()
    assert (told.dropped_paths, told.best_loss, told.best_is_kept) == (1, 0, True)
    assert "the best rule is among the kept" in str(told)


def test_the_end_depends_on_prompt_labels_until_one_is_late() -> None:
    learner = at.Adept(C, horizon=40)
    learner.learn(3, 0)
    assert "whatever rounds come, with weights up to 1, if labels come at once." in str(learner.certificate())
    late = learner.answer(5)
    learner.learn(7, 1)
    learner.learn(late, 0)
    assert "rounds it will be at most 38." in str(learner.certificate())
    assert "labels come at once" not in str(learner.certificate())


def test_features_and_directions_have_equal_shares_of_the_prior() -> None:
    """At a constant rate eta, (price of a rule) / eta + eta T / 8 is promised."""

    def price(c: at.ConceptClass) -> float:
        promised = at.Adept(c, rate=0.5).bound_after(1000)
        assert promised is not None and promised < 1000
        return 0.5 * (promised - 0.5 * 1000 / 8)

    line = price(at.RealThresholds())
    assert price(at.RealStumps(["a"])) == pytest.approx(line + math.log(2))
    assert price(at.RealStumps(list("abcde"))) == pytest.approx(line + math.log(10))
    assert at.Adept(at.RealStumps(["a"]), rate=0.5, prior="kt").bound_after(1000) is None
