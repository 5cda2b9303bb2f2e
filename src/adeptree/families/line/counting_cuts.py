"""Count the concepts that follow a path, on grids and over floats (in floating point)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adeptree.core.types import FloatArray

DOUBLES = 2.0 * float(2**63 - 2**52)
"""Number of cuts over floats: the finite doubles (-0.0 and 0.0 count once) and +inf."""


def doubles_between(low: Any, high: Any) -> FloatArray:
    """Return the number of cuts in (low, high], for floats or arrays; exact to a double's 53 bits.

    >>> doubles_between(1.0, 2.0) == 2.0**52, doubles_between(-np.inf, np.inf) == DOUBLES, doubles_between(-0.0, 0.0)
    (np.True_, np.True_, np.float64(0.0))
    """
    with np.errstate(over="ignore"):  # the difference of two ranks may need all 64 bits
        between: FloatArray = (place_of(high) - place_of(low)).astype(np.uint64).astype(np.float64)
    return between


def place_of(value: Any) -> Any:
    """Return the rank of a double among all doubles, as an integer."""
    return _turned((np.asarray(value, dtype=np.float64) + 0.0).view(np.int64))


def value_at(place: Any) -> FloatArray:
    """Return the double with this rank.

    >>> value_at(place_of([-1.5, 0.0, 2.0])).tolist()
    [-1.5, 0.0, 2.0]
    """
    value: FloatArray = _turned(np.asarray(place, dtype=np.int64)).view(np.float64)
    return value


def _turned(bits: Any) -> Any:
    below = bits < 0
    return np.where(below, np.int64(np.iinfo(np.int64).min) - bits, bits) if below.any() else bits


def intervals_within(cuts: FloatArray) -> float:
    """Return the number of intervals with both ends in one gap, the empty one once, from the cuts per gap.

    >>> intervals_within(np.array([3.0, 1.0]))  # 3 + 0, and the empty one
    4.0
    """
    return 1.0 + math.fsum((cuts * (cuts - 1) / 2).tolist())
