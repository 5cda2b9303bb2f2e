"""The weights of Algorithm 2 and the probability they give: the only place where it is computed.

Capacities span hundreds of orders of magnitude, so everything is in log space, and losses are
subtracted as integers before they meet the rate.
"""

from __future__ import annotations

import math

import numpy as np

from adeptree.types import BoolArray, FloatArray, IntArray

SAFE_LOG = 600.0
"""Below this logarithm, capacities are summed directly as doubles (which end near e^709)."""


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
    # More mistakes than rounds left add no schedules.
    return np.concatenate([logs, np.full(M - m, logs[-1])])


def log_weights(log_capacity: FloatArray, loss: IntArray, best: int, rate: float) -> FloatArray:
    """Return ln w = ln W - eta (L - L*): the Hedge weight of every path, up to a common factor."""
    return log_capacity - rate * (loss - best)


def probability_of_one(log_weight: FloatArray, label: BoolArray) -> float:
    """Return the share of the weight that says 1.

    >>> probability_of_one(np.log([1.0, 3.0]), np.array([True, False]))
    0.25
    """
    # Weights below e^-745 of the largest are 0: right to the last digit, whatever np.seterr says.
    with np.errstate(under="ignore"):
        weight = np.exp(log_weight - log_weight.max())
    return share_of_ones(weight, label)


def share_of_ones(weight: FloatArray, label: BoolArray) -> float:
    """Return the share of plain weights that says 1.

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
    largest = float(log_weight.max())
    with np.errstate(under="ignore"):
        return largest + math.log(float(np.exp(log_weight - largest).sum()))


def first_order_rate(log_experts: float, best: int) -> float:
    """Corollary "Instance-Dependent Bound": eta_t = min{1/2, sqrt(ln N / (L*_{t-1} + 1))}.

    >>> first_order_rate(4.0, 99)
    0.2
    """
    return min(0.5, math.sqrt(log_experts / (best + 1)))
