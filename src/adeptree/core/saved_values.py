"""What a saved value must look like before anything is built from it: a checksum says only that a file is whole."""

from __future__ import annotations

import math
from typing import Any

LARGEST = 1 << 61
"""No number of a learner is larger: kernels add to it, and to twice it, in 64 bits."""


def need(holds: Any, what: str) -> None:
    """Raise ValueError unless something holds of what a file says.

    >>> need(2 > 1, "the width")
    >>> need(1 > 2, "the width")
    Traceback (most recent call last):
    ...
    ValueError: the width cannot be what a learner saved
    """
    if not holds:
        raise ValueError(f"{what} cannot be what a learner saved")


def rounding(rate: float, charged: float) -> float:
    """Return how far the logarithm of a saved weight may be from one that is summed up again.

    Losses are added up in different orders, so the unit is what was charged in total, and not the loss in question.
    """
    return 1e-9 + 1e-12 * rate * charged


def is_count(value: Any) -> bool:
    """Whether it is a whole number, at least 0."""
    return type(value) is int and 0 <= value <= LARGEST


def is_real(value: Any) -> bool:
    """Whether it is a finite number."""
    whole = type(value) is int and abs(value) <= LARGEST
    return whole or (isinstance(value, float) and math.isfinite(value))
