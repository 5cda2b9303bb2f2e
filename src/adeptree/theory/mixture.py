"""The weights of Algorithm 2, the resulting probability, and the cost of mixing.

Capacities span hundreds of orders of magnitude, so all weights are logarithms. Losses are subtracted as integers before
they are multiplied by the rate.
"""

from __future__ import annotations

import math

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.types import BoolArray, FloatArray, IntArray

_LEDGER = kernel("adeptree.theory.ledger_kernel")
TINY = 1e-280
"""Share of the largest weight below which sums of doubles begin to lose digits."""
SAFE_RATE = 4.0
"""Largest rate at which the gap is computed from a rounded loss: e^-4 is far above the rounding of 1 - loss."""
SAFE_LOG = 600.0
"""Capacities with smaller logarithms are summed directly as doubles (which overflow near e^709)."""


def log_capacities(n: int, M: int) -> FloatArray:
    """Return ln W for r = 0..M mistakes left and n rounds to come: W = sum_{j <= r} C(n, j).

    All terms are positive, so the sums lose no digits (unlike Pascal's triangle run backwards).

    >>> np.exp(log_capacities(4, 3)).round(9).tolist()
    [1.0, 5.0, 11.0, 15.0]
    """
    m = min(M, n)
    j = np.arange(1, m + 1, dtype=np.float64)
    ratios = (n - j + 1) / j
    if m * math.log(math.e * n / m) < SAFE_LOG if m else True:
        logs = np.log(np.cumsum(np.concatenate([[1.0], np.cumprod(ratios)])))
    else:
        logs = np.logaddexp.accumulate(np.concatenate([[0.0], np.cumsum(np.log(ratios))]))
    # A number of mistakes above the rounds left adds no schedules.
    return np.concatenate([logs, np.full(M - m, logs[-1])])


def log_weights(log_capacity: FloatArray, loss: IntArray | FloatArray, best: float, rate: float) -> FloatArray:
    """Return ln w = ln W - eta (L - L*): the Hedge weight of every path, up to a common factor."""
    return log_capacity - rate * (loss - best)


def odds_of_one(log_weight: FloatArray, label: BoolArray) -> tuple[float, float]:
    """Return the share of the weight that predicts 1, and its log-odds, exact even if the share rounds to 0 or 1.

    >>> p, z = odds_of_one(np.log([1.0, 3.0]), np.array([True, False]))
    >>> p, round(math.exp(z), 12)
    (0.25, 0.333333333333)
    >>> odds_of_one(np.array([0.0, -2000.0]), np.array([True, False]))
    (1.0, 2000.0)
    """
    # Weights are raised to at least e^-700 of the largest, which does not change sums above TINY and avoids underflow.
    weight = np.exp(np.maximum(log_weight - log_weight.max(), -700.0))
    ones, zeros = float(weight[label].sum()), float(weight[~label].sum())
    if min(ones, zeros) > TINY:
        return ones / (ones + zeros), math.log(ones / zeros)
    log_odds = log_sum(log_weight[label]) - log_sum(log_weight[~label])
    rest = math.exp(-abs(log_odds))
    return (1.0 if log_odds > 0 else rest) / (1.0 + rest), log_odds


def share_of_ones(weight: FloatArray, label: BoolArray) -> float:
    """Return the share of weights (not logarithms) that predicts 1.

    >>> share_of_ones(np.array([1.0, 3.0]), np.array([True, False]))
    0.25
    """
    ones = float(weight[label].sum())
    zeros = float(weight[~label].sum())
    return ones / (ones + zeros)


def log_sum(log_weight: FloatArray) -> float:
    """Return ln of the sum of the weights.

    >>> round(log_sum(np.log([1.0, 3.0])), 9) == round(math.log(4.0), 9)
    True
    """
    largest = float(log_weight.max(initial=-math.inf))
    if largest == -math.inf:
        return largest
    with np.errstate(under="ignore"):
        return largest + math.log(float(np.exp(log_weight - largest).sum()))


def mixability_gap(loss: float, log_odds: float, rate: float, weight: float = 1.0) -> float:
    """Return l - delta: how much Hedge's expected loss exceeds its mix loss in a round of this weight.

    The formula is in ``ledger_kernel.py``, where rounds are charged.

    >>> round(mixability_gap(0.5, 0.0, 1.0), 6), mixability_gap(0.0, -math.inf, 1.0)
    (0.120115, 0.0)
    """
    gap: float = _LEDGER.mixability_gap(loss, log_odds, rate, weight)
    return gap


def first_order_rate(log_experts: float, best: float) -> float:
    """Corollary "Instance-Dependent Bound": eta_t = min{1/2, sqrt(ln N / (L*_{t-1} + 1))}.

    >>> first_order_rate(4.0, 99)
    0.2
    """
    return min(0.5, math.sqrt(log_experts / (best + 1)))
