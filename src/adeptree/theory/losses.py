"""Losses of paths: whole numbers as long as every weight is one, so that comparisons and sums are exact."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from adeptree.core.arguments import check_number
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import BoolArray, FloatArray, IntArray, listed

Losses = IntArray | FloatArray

LARGEST = 2.0**40
"""Most that a round may weigh: sums of a million such rounds are still exact."""


def charged(losses: Losses, wrong: BoolArray, weight: float) -> Losses:
    """Return the losses after a round: ``weight`` more where ``wrong``.

    >>> import numpy as np
    >>> charged(np.array([1, 2]), np.array([True, False]), 3).tolist()
    [4, 2]
    >>> charged(np.array([1, 2]), np.array([True, False]), 0.5).tolist()
    [1.5, 2.0]
    """
    if weight == 1:
        return losses + wrong
    return losses + wrong * weight


def check_weight(name: str, value: Any) -> float:
    """Return a weight: an int if it is whole, else a float.

    >>> check_weight("weight", 2.0), check_weight("weight", 0.25)
    (2, 0.25)
    """
    wanted = "a number from 0 to 2^40 (so that sums stay exact)"
    return whole(float(check_number(name, value, wanted, lambda weight: 0 <= weight <= LARGEST)))  # (NaN fails too)


def whole(value: float) -> float:
    """Return an int where a number is whole."""
    return int(value) if value == int(value) else value


def check_weights(values: Any) -> list[float]:
    """Return one weight per round."""
    if not isinstance(values, Iterable) or isinstance(values, (str, bytes)):
        raise InvalidArgument(f"weights must be a list of numbers, one per round; {got('weights', values)}")
    return [check_weight("weight", value) for value in listed("weights", values)]


def check_costs(costs: Any) -> tuple[float, float]:
    """Return what a miss and a false alarm cost."""
    try:
        if isinstance(costs, (dict, str)):
            raise TypeError
        miss, false_alarm = costs
    except (TypeError, ValueError):
        raise InvalidArgument(f"costs must be a pair (miss, false_alarm), e.g. (5, 1); {got('costs', costs)}") from None
    pair = check_weight("the cost of a miss", miss), check_weight("the cost of a false alarm", false_alarm)
    if max(pair) == 0:
        raise InvalidArgument(f"one of the costs must be positive; {got('costs', costs)}")
    return pair
