"""Means, spreads, fitted exponents, and the verdicts made of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from adeptree.experiments.experiment import Row, Verdict, column, groups

WITHIN = 0.15
"""How far a fitted exponent may lie from the one of the theorem."""


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
    """Say that every value is at most the bound (a value that is not a number is not)."""
    held = all(value <= bound for value in values)
    return Verdict(claim, "<=", bound, mean(values), _extreme(values, max), spread(values), len(values), held, note)


def at_least(claim: str, values: Sequence[float], bound: float, note: str = "") -> Verdict:
    """Say that every value is at least the bound."""
    held = all(value >= bound for value in values)
    return Verdict(claim, ">=", bound, mean(values), _extreme(values, min), spread(values), len(values), held, note)


def mean_at_least(claim: str, values: Sequence[float], bound: float, note: str = "") -> Verdict:
    """Say that the mean is at least the bound, up to three standard errors."""
    held = mean(values) >= bound - 3 * standard_error(values)
    return Verdict(claim, ">=", bound, mean(values), _extreme(values, min), spread(values), len(values), held, note)


def mean_is(claim: str, values: Sequence[float], target: float, note: str = "") -> Verdict:
    """Say that the mean is the target, up to four standard errors on either side."""
    within = 4 * standard_error(values)
    held = abs(mean(values) - target) <= within
    return Verdict(claim, "=", target, mean(values), mean(values), spread(values), len(values), held, note, within)


def exponent_near(
    claim: str, rows: Sequence[Row], value: str, target: float, note: str = "", within: float = WITHIN
) -> Verdict:
    """Say that the fitted exponent of a column in T is the target, up to ``within``."""
    slope, error = fitted(rows, value)
    held = abs(slope - target) <= within
    return Verdict(claim, "=", target, slope, slope, error, len(rows), held, note, within)


def _extreme(values: Sequence[float], pick: Callable[[Sequence[float]], float]) -> float:
    """Return the largest or smallest value, or none if one is not a number (which max and min may pass over)."""
    return math.nan if any(math.isnan(value) for value in values) else pick(values)
