"""The mistakes that were drawn: Theorem E's number, its coverage, and the coins behind it."""

from __future__ import annotations

import datetime
import itertools
import math
from typing import Any

import numpy as np
import pytest
from kernel_forms import forms_of

import adeptree as at
from adeptree import bounds, errors
from adeptree.theory.coins import Coins, word_of


def closed_form(Q: float, delta: float) -> float:
    ell = math.log(1 / delta) + 2 * math.log(9 + 0.5 * math.log2(max(Q, 1))) - math.log(8)
    return 1.061 * math.sqrt(2 * Q * ell) + 1.2 * ell


def test_excess_solves_its_equation_and_stays_below_the_closed_form() -> None:
    for Q, delta in itertools.product([0, 0.1, 1, 10, 250, 2500, 1e6], [0.5, 0.05, 1e-6]):
        B = bounds.excess(Q, delta)
        mixture = math.fsum(w * math.exp(tilt * B - (math.expm1(tilt) - tilt) * Q) for tilt, w in bounds.TILTS)
        assert mixture * delta == pytest.approx(1.0, rel=1e-6)
        assert B <= closed_form(Q, delta)
    assert math.fsum(w for _, w in bounds.TILTS) <= 1
    assert bounds.excess(10, 0.05) < bounds.excess(11, 0.05) < bounds.excess(11, 0.04)
    assert bounds.excess(40, 0.05, scale=2) == pytest.approx(2 * bounds.excess(10, 0.05))


def crossed(bound_of: object, delta: float, streams: int = 2000, T: int = 600) -> float:
    """Share of streams that ever exceed the bound, for a player who takes more risk while behind."""
    rng = np.random.default_rng(8)
    most = bound_of(GRID, delta)  # type: ignore[operator]
    S, Q, ever = np.zeros(streams), np.zeros(streams), np.zeros(streams, dtype=bool)
    for t in range(T):
        p = np.where(S < 0.7 * np.sqrt(Q + 1), 0.5, 0.2) if t % 2 else np.full(streams, 0.5)
        S += (rng.random(streams) < p) - p
        Q += p * (1 - p)
        if t % 5 == 4:
            ever |= S > np.interp(Q, GRID, most)
    return float(ever.mean())


GRID = np.linspace(0, 160, 321)


def _excesses(grid: np.ndarray, delta: float) -> np.ndarray:
    return np.array([bounds.excess(Q, delta) for Q in grid])


@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_coverage_at_all_times_at_once(delta: float) -> None:
    assert crossed(_excesses, delta) <= delta + 3 * math.sqrt(delta * (1 - delta) / 2000)


def test_mutant_a_quantile_for_one_time_only() -> None:
    z = 1.6449  # of 95 %, for one fixed time
    assert crossed(lambda grid, delta: z * np.sqrt(grid) + 0.5, 0.05) > 0.05 + 3 * math.sqrt(0.05 * 0.95 / 2000)


def test_play_with_coins_that_the_opponent_sees_afterwards() -> None:
    """The opponent plays the greedy label, and stops playing it once it is ahead; 60 games, never beyond at 95 %."""
    beyond = 0
    for seed in range(60):
        learner = at.Adept(at.Thresholds(15), seed=seed)
        for t in range(80):
            x = (7 * t) % 15
            p = learner.predict_proba(x)
            learner.learn(x, int(p < 0.5) if learner.realised_loss < 0.5 * t + 4 else int(p > 0.5))
            if t % 8 == 7:
                beyond += learner.realised_loss - learner.best_loss > learner.realised_bound(0.95)
    assert beyond == 0


def test_the_certificate_states_it_with_its_condition() -> None:
    learner = at.Adept(at.Thresholds(15))
    for t in range(60):
        learner.learn((7 * t) % 15, t % 2)
    low, high = learner.certificate(confidence=0.5), learner.certificate(confidence=0.999)
    assert low.realised_bound < high.realised_bound == learner.realised_bound(0.999)
    assert "with probability 99.9 %, at all times at once" in str(high) and "without knowing the round's coin" in str(
        high
    )
    for wrong in (0, 1, 2, True, "95"):
        with pytest.raises(errors.InvalidArgument, match="confidence must be a number between 0 and 1"):
            learner.certificate(confidence=wrong)  # type: ignore[arg-type]


def test_answers_that_wait_count_as_badly_as_they_can() -> None:
    """Only the mistakes are reported, the right guesses never are: the bound still covers what was reported."""
    for seed in range(40):
        learner = at.Adept(at.Thresholds(15), seed=seed)
        for t in range(60):
            ticket = learner.answer((7 * t) % 15)
            y = t % 3 == 0
            if ticket.guess != y:
                learner.learn(ticket, y)
            if t % 8 == 7:
                assert learner.realised_loss - learner.best_loss <= learner.realised_bound(0.95)
        assert learner.realised_loss == learner.rounds


def test_what_waiting_answers_add() -> None:
    learner = at.Adept(at.Thresholds(15))
    tickets = [learner.answer(x) for x in (3, 9, 12, 7)]
    for t in range(30):
        learner.learn((7 * t) % 15, t % 2)
    ps = [ticket.p for ticket in tickets]
    more = bounds.excess(learner.variance + sum(p * (1 - p) for p in ps), 0.05) + sum(max(p, 1 - p) for p in ps)
    assert learner.realised_bound(0.95) == pytest.approx(min(learner.regret + more, 30 - learner.best_loss))
    assert learner.realised_bound(0.5) < learner.regret + more


def test_looking_elsewhere_says_nothing_about_the_coin() -> None:
    """For every coin at one point, those at others are as often below 1/2 as above; and rounds do not repeat."""
    low = [[Coins(seed).of(3, x) < 0.5 for x in range(4)] for seed in range(4000)]
    table = np.array(low)
    for a, b in itertools.combinations(range(4), 2):
        agree = float((table[:, a] == table[:, b]).mean())
        assert abs(agree - 0.5) < 4 / math.sqrt(4 * 4000)
    coins = np.array([Coins(1).of(t, 5) for t in range(20_000)])
    assert abs(coins.mean() - 0.5) < 4 / math.sqrt(12 * 20_000)
    assert len(set(coins.tolist())) == 20_000
    steps = np.corrcoef(coins[1:], coins[:-1])[0, 1]
    assert abs(steps) < 4 / math.sqrt(20_000)


def test_the_guess_is_the_same_however_one_gets_there() -> None:
    asked, silent = at.Adept(at.Thresholds(15), seed=2), at.Adept(at.Thresholds(15), seed=2)
    for t in range(50):
        x = (7 * t) % 15
        for other in range(15):
            asked.predict(other)
        guess = asked.predict(x)
        ticket = silent.answer(x)
        assert guess == ticket.guess == asked.predict(x)
        asked.learn(x, t % 2)
        silent.learn(ticket, t % 2)
    assert asked.realised_loss == silent.realised_loss


def test_words_are_the_same_everywhere() -> None:
    assert word_of(1) == word_of(1.0) == word_of(True) and word_of({"a": -0.0}) == word_of({"a": 0})
    assert word_of(-1) == 2**64 - 1 and word_of(0.0) == word_of(-0.0) and word_of(np.float64(2.5)) == word_of(2.5)
    assert word_of({"a": 1, "b": (2, "x")}) == word_of({"b": (2, "x"), "a": 1})
    assert word_of(frozenset({"p", "q"})) == word_of(frozenset({"q", "p"}))
    assert word_of(datetime.date(2020, 1, 1)) != word_of(datetime.date(2021, 1, 1))
    assert word_of("\ud800") != word_of("a") and word_of(object()) == word_of(object())


FLOATS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.5,
    -2.5,
    5e-324,
    -5e-324,
    1e308,
    -1e308,
    2.0**63,
    2.0**64,
    -(2.0**64),
    2.0**80 + 2.0**30,
]


def test_kernels_know_the_same_words_and_coins() -> None:
    for form in forms_of("adeptree.theory.ledger_kernel"):
        for x in FLOATS:
            assert form.word_of_float(x) == word_of(x) == word_of(np.float64(x))
            for seed, t in itertools.product((0, 1, 2**64 - 1, 2**70 + 5), (1, 7, 2**40)):
                assert form.coin(Coins(seed).seed, t, word_of(x)) == Coins(seed).of(t, x)


@pytest.mark.parametrize(
    ("c", "xs"), [(at.Thresholds(2**62), [0, 1, 2**62 - 1, 2**53 + 1]), (at.RealThresholds(), FLOATS)]
)
def test_a_structure_draws_the_guesses_that_were_told(c: Any, xs: list[Any]) -> None:
    """One at a time, in a batch and late: the guess that is charged is the one that ``predict`` says."""
    one, batch, late = (at.Adept(c, seed=2**40 + 3) for _ in range(3))
    paths, rng, drawn = at.Adept(c, seed=2**40 + 3, engine="paths"), np.random.default_rng(0), 0
    stream = [(xs[int(rng.integers(len(xs)))], int(rng.integers(2))) for _ in range(200)]
    for x, y in stream:
        guess = one.predict(x)
        assert guess == one.predict(x) == paths.predict(x) == late.predict(x)
        ticket = late.answer(x)
        assert ticket.guess == guess
        late.learn(ticket, y)
        for learner in (one, paths):
            learner.learn(x, y)
        drawn += guess != y
        assert one.realised_loss == paths.realised_loss == late.realised_loss == drawn
    batch.learn_many([x for x, _ in stream], [y for _, y in stream])
    assert batch.realised_loss == drawn
