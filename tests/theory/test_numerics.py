"""Long runs and large numbers: capacities to ten digits, probabilities that stay numbers."""

from __future__ import annotations

import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.core.compiled import kernel
from adeptree.theory.mixture import log_capacities, odds_of_one
from reproduction.reference.paper import capacity


@cache
def exact_row(n: int, M: int) -> list[int]:
    """sum_{j <= r} C(n, j) for r = 0..M, by exact integers."""
    row, total, term = [], 0, 1
    for j in range(M + 1):
        total += term
        row.append(total)
        term = term * (n - j) // (j + 1)
    return row


def log_error(found: float, exact: int) -> float:
    """The relative error of exp(found): compared through a scaled integer, so that nothing overflows."""
    shift = max(0, exact.bit_length() - 900)
    reference = math.log(Fraction(exact, 1 << shift)) + shift * math.log(2)
    return abs(math.expm1(found - reference))


def test_the_exact_row_is_the_definition() -> None:
    assert exact_row(9, 12) == [capacity(9, r) for r in range(13)]


@pytest.mark.parametrize("M", [0, 1, 2, 16, 64])
def test_capacities_up_to_a_hundred_thousand_rounds(M: int) -> None:
    T = 100_000
    lengths = {0, 1, 2, 10, 63, 64, 65, 200, 999, 3078, 42_268, 81_327, T - 1, T}
    lengths |= {max(0, M - 1), M, M + 1}
    for n in sorted(lengths):
        with np.errstate(all="raise"):
            row = log_capacities(n, M)
        assert row.shape == (M + 1,)
        for found, exact in zip(row.tolist(), exact_row(n, M), strict=True):
            assert log_error(found, exact) < 1e-10


@pytest.mark.parametrize(("n", "M"), [(5000, 400), (5000, 5000), (100_000, 90), (1200, 1300), (700, 700)])
def test_capacities_beyond_the_largest_double(n: int, M: int) -> None:
    with np.errstate(all="raise", under="ignore"):
        row = log_capacities(n, M)
    exact = exact_row(n, M)
    assert row[-1] > 480 and (np.diff(row) >= 0).all()
    for r in {0, 1, 2, M // 7, M // 3, M // 2, M - 1, M}:
        assert log_error(float(row[r]), exact[r]) < 1e-10


def test_capacities_change_branch_without_a_step() -> None:
    """Just below and above the switch to log space both agree with the integers."""
    for M in range(70, 80):
        for found, exact in zip(log_capacities(100_000, M).tolist(), exact_row(100_000, M), strict=True):
            assert log_error(found, exact) < 1e-10


def test_probability_of_extreme_weights() -> None:
    with np.errstate(all="raise"):
        p = odds_of_one(np.array([-1e6, 0.0, 1e6]), np.array([True, True, False]))[0]
        assert p == 0.0
        assert odds_of_one(np.array([5e5, 0.0]), np.array([True, False]))[0] == 1.0
        assert odds_of_one(np.array([-3e8, -3e8]), np.array([True, False]))[0] == 0.5


def run(learner: at.Adept, stream: list[tuple[Any, int]]) -> list[float]:
    """Play with every numeric warning an error, underflow included."""
    found = []
    with np.errstate(all="raise"):
        for x, y in stream:
            found.append(learner.predict_proba(x))
            learner.learn(x, y)
    return found


@pytest.mark.parametrize("labels", ["noisy", "all 1", "against"])
def test_five_thousand_rounds_of_thresholds(labels: str) -> None:
    rng = np.random.default_rng(1)
    T, n = 5000, 65_536
    xs = rng.integers(n, size=T).tolist()
    flips = rng.random(T) < 0.2
    clean = [int(x >= 20_000) for x in xs]
    ys = {
        "noisy": [int(y ^ f) for y, f in zip(clean, flips, strict=True)],
        "all 1": [1] * T,
        "against": [1 - y for y in clean],
    }[labels]
    learner = at.Adept(at.Thresholds(n), horizon=T)
    found = run(learner, list(zip(xs, ys, strict=True)))
    assert all(math.isfinite(p) and 0 <= p <= 1 for p in found)
    assert learner.mistake_bound == 16 and learner.width == len(set(xs)) + 1
    erm = at.Thresholds(n).erm(list(zip(xs, ys, strict=True)))
    best = sum(erm(x) != y for x, y in zip(xs, ys, strict=True))
    assert learner.best_loss == best
    loss = math.fsum(abs(p - y) for p, y in zip(found, ys, strict=True))
    assert learner.expected_loss == pytest.approx(loss, rel=1e-12)
    assert loss - best <= math.sqrt(T * 16 * math.log(math.e * T / 16) / 2)


@pytest.mark.parametrize("rate", ["paper", "first-order"])
def test_three_hundred_rounds_of_intervals(rate: Any) -> None:
    rng = np.random.default_rng(2)
    T, n = 300, 1024
    stream = [(int(x), int((300 <= x < 700) ^ (rng.random() < 0.2))) for x in rng.integers(n, size=T)]
    learner = at.Adept(at.Intervals(n), horizon=T, rate=rate)
    found = run(learner, stream)
    assert all(math.isfinite(p) and 0 <= p <= 1 for p in found)
    distinct = len({x for x, _ in stream})
    assert learner.width == distinct * (distinct + 1) // 2 + 1
    erm = at.Intervals(n).erm(stream)
    assert learner.best_loss == sum(erm(x) != y for x, y in stream)
    assert learner.regret <= learner.bound


def test_huge_rates_and_bounds_stay_numbers() -> None:
    stream = [(x % 50, x % 3 % 2) for x in range(200)]
    every: tuple[dict[str, Any], ...] = (
        {"rate": 1e6},
        {"rate": 1e-12},
        {"mistake_bound": 10**15},
        {"mistake_bound": 10**40},
    )
    for options in every:
        learner = at.Adept(at.Thresholds(50), horizon=200, **options)
        assert all(0 <= p <= 1 for p in run(learner, stream))
        assert math.isfinite(learner.bound)


def test_a_bound_beyond_the_horizon_is_the_horizon() -> None:
    stream = [(x, int(x > 2)) for x in (1, 4, 2, 5, 0)]
    found = [run(at.Adept(at.Thresholds(6), horizon=5, mistake_bound=M), stream) for M in (5, 6, 14, 1000)]
    assert found[0] == found[1] == found[2] == found[3]


def test_the_gap_has_as_many_digits_as_the_page_about_it_says() -> None:
    """docs/theory/anytime.md, section 11: the error stays below 4e-15, and it is largest just below eta = 4."""

    def error(eta: float, z: float) -> float:
        found = kernel("adeptree.theory.ledger_kernel").mixability_gap(1 / (1 + math.exp(-z)), z, eta, 1.0)
        rate, odds = Decimal(eta), Decimal(z)
        mixed = ((1 + odds.exp()).ln() - (1 + (odds - rate).exp()).ln()) / rate
        return float(abs(Decimal(found) - 1 / (1 + (-odds).exp()) + mixed))

    rng = random.Random(2)
    with localcontext(prec=60):
        everywhere = max(error(10 ** rng.uniform(-9, 6), rng.uniform(-40, 60)) for _ in range(1500))
        just_below = max(error(rng.uniform(3, 4), rng.uniform(5, 36)) for _ in range(1500))
    assert everywhere < 4e-15 and 1e-15 < just_below < 4e-15
