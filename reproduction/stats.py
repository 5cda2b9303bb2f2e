"""Statistics of the checks: means, spreads, fitted exponents, and the verdicts built from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from reproduction.experiment import Row, Verdict, column, groups

ERRORS = 3
"""Number of standard errors allowed, the only tolerance of measured (not counted) numbers."""
ROUNDING = 1e-9
"""Two numbers this close are the same, up to rounding."""


def mean(values: Sequence[float]) -> float:
    """Return the mean."""
    return math.fsum(values) / len(values)


def spread(values: Sequence[float]) -> float:
    """Return the standard deviation of a sample (0 for a single value)."""
    if len(values) < 2:
        return 0.0
    centre = mean(values)
    return math.sqrt(math.fsum((v - centre) ** 2 for v in values) / (len(values) - 1))


def standard_error(values: Sequence[float]) -> float:
    """Return the standard error of the mean."""
    return spread(values) / math.sqrt(len(values))


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the slope of a least-squares line through (log size, log value).

    >>> round(exponent([10, 100, 1000], [3, 30, 300]), 9)
    1.0
    """
    if len(set(sizes)) < 2 or min(values) <= 0:
        return math.nan
    slope, _ = np.polyfit(np.log(sizes), np.log(values), 1)
    return float(slope)


def fitted(rows: Sequence[Row], value: str, size: str = "T") -> tuple[float, float]:
    """Return the exponent of the mean over seeds as a function of ``size``, and its jackknife standard error."""
    seeds = sorted({row["seed"] for row in rows})
    whole = _exponent_of_means(rows, value, size)
    if len(seeds) < 2:
        return whole, 0.0
    parts = [_exponent_of_means([r for r in rows if r["seed"] != seed], value, size) for seed in seeds]
    centre, n = mean(parts), len(parts)
    return whole, math.sqrt((n - 1) / n * math.fsum((p - centre) ** 2 for p in parts))


def _exponent_of_means(rows: Sequence[Row], value: str, size: str) -> float:
    means = {key[0]: mean(column(members, value)) for key, members in groups(rows, size).items()}
    return exponent(list(means), list(means.values()))


def at_most(claim: str, values: Sequence[float], bound: float, note: str = "") -> Verdict:
    """Check that every value is at most the bound (NaN is not)."""
    held = all(value <= bound for value in values)
    return Verdict(claim, "<=", bound, mean(values), _extreme(values, max), spread(values), len(values), held, note)


def at_least(claim: str, values: Sequence[float], bound: float, note: str = "") -> Verdict:
    """Check that every value is at least the bound."""
    held = all(value >= bound for value in values)
    return Verdict(claim, ">=", bound, mean(values), _extreme(values, min), spread(values), len(values), held, note)


def mean_at_least(claim: str, values: Sequence[float], bound: float, note: str = "") -> Verdict:
    """Check that the mean is at least the bound, up to the standard errors allowed."""
    held = mean(values) >= bound - ERRORS * standard_error(values)
    return Verdict(claim, ">=", bound, mean(values), _extreme(values, min), spread(values), len(values), held, note)


def mean_is(claim: str, values: Sequence[float], target: float, note: str = "") -> Verdict:
    """Check that the mean equals the target, up to the standard errors allowed."""
    return near(claim, mean(values), target, standard_error(values), len(values), note, spread(values))


def near(
    claim: str, value: float, target: float, error: float, runs: int, note: str = "", spread: float | None = None
) -> Verdict:
    """Check that a value equals the target, up to its standard errors (and to rounding, if it is exact)."""
    within = float(f"{ERRORS * error + ROUNDING:.3g}")
    held = abs(value - target) <= within
    return Verdict(claim, "=", target, value, value, error if spread is None else spread, runs, held, note, within)


def like_coins(claim: str, scores: Sequence[float], note: str = "") -> Iterator[Verdict]:
    """Check that standardised sums of coins have mean 0 and spread 1."""
    n = len(scores)
    yield near(f"{claim}: mean", mean(scores), 0.0, 1 / math.sqrt(n), n, note)
    yield near(f"{claim}: spread", spread(scores), 1.0, 1 / math.sqrt(2 * (n - 1)), n, note)


def score(count: float, coins: float, chance: float) -> float:
    """Return how many standard deviations a number of successes is from what coins of that chance give.

    >>> score(60, 100, 0.5)
    2.0
    """
    return (count - coins * chance) / math.sqrt(coins * chance * (1 - chance))


def exponent_near(claim: str, rows: Sequence[Row], value: str, target: float, note: str = "") -> Verdict:
    """Check that the fitted exponent of a column in T equals the target, up to its standard errors."""
    slope, error = fitted(rows, value)
    return near(claim, slope, target, error, len(rows), note)


def _extreme(values: Sequence[float], pick: Callable[[Sequence[float]], float]) -> float:
    """Return the largest or smallest value, or none if one is not a number (which max and min may pass over)."""
    return math.nan if any(math.isnan(value) for value in values) else pick(values)
