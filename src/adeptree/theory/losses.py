"""Losses of paths: whole numbers if all weights are, so that comparisons and sums are exact."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from adeptree.core.arguments import check_number
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import BoolArray, FloatArray, IntArray, listed

Losses = IntArray | FloatArray

LARGEST = 1e6
"""Largest cost of a round, in the smaller of the two units 1 and the announced scale.

Losses are sums of doubles, and a probability depends on rate times loss. Up to this cost, structures and paths agree to
1e-9 at rates up to 4 / scale, and bounds hold to 1e-9 of the total charged. (At 1e9 they differ by 1e-6, at 1e12 by
1e-3: ``tests/learners/test_weight_range.py`` measures it.)
"""
SMALLEST = 1e-6
"""Least scale (largest cost times max_weight) of a learner, so that a round of cost 1 is in range."""


def charged(losses: Losses, wrong: BoolArray, weight: float) -> Losses:
    """Return the losses after a round, larger by ``weight`` where ``wrong`` is True.

    >>> import numpy as np
    >>> charged(np.array([1, 2]), np.array([True, False]), 3).tolist()
    [4, 2]
    >>> charged(np.array([1, 2]), np.array([True, False]), 0.5).tolist()
    [1.5, 2.0]
    """
    if weight == 1:
        return losses + wrong
    return losses + wrong * weight


def check_weight(name: str, value: Any, least: float = 0.0, most: float = LARGEST) -> float:
    """Return a weight: an int if it is whole, else a float.

    >>> check_weight("weight", 2.0), check_weight("weight", 0.25)
    (2, 0.25)
    """
    wanted = f"a number from {least:g} to {most:,.7g} (beyond, probabilities lose digits: divide all by a number)"
    return whole(float(check_number(name, value, wanted, lambda weight: least <= weight <= most)))  # NaN fails too


def check_cost(weight: Any, cost: float, scale: float) -> float:
    """Return the cost of a round of this weight; ``scale`` is the announced largest cost.

    >>> check_cost(2.0, 5, 10), check_cost(0.25, 1, 1)
    (10, 0.25)
    """
    return check_weight("weight times cost", check_weight("weight", weight) * cost, most=LARGEST * min(1.0, scale))


def check_reach(name: str, value: Any) -> float:
    """Return the distance k from the best loss within which rules are listed."""
    return whole(float(check_number(name, value, "a number from 0 to 2^53", lambda reach: 0 <= reach <= 2**53)))


def shown(loss: float) -> float:
    """Return a loss for display and saving; a rounded sum may be just below 0.

    >>> shown(3.0), shown(-1e-16)
    (3, 0)
    """
    return whole(max(0.0, loss))


def whole(value: float) -> float:
    """Return a whole number as an int, other numbers unchanged."""
    return int(value) if value == int(value) else value


def check_weights(values: Any) -> list[float]:
    """Return one weight per round."""
    if not isinstance(values, Iterable) or isinstance(values, (str, bytes)):
        raise InvalidArgument(f"weights must be a list of numbers, one per round; {got('weights', values)}")
    return [check_weight("weight", value) for value in listed("weights", values)]


def check_costs(costs: Any) -> tuple[float, float]:
    """Return the costs of a miss and of a false alarm."""
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
