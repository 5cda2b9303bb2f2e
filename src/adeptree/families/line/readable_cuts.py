"""Readable numbers: parsing, and the roundest cut between two of them."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np


def finite_float(value: Any) -> float | None:
    """Return a number as a float (never -0.0), or None if it is not a finite number.

    >>> finite_float(3), finite_float(-0.0), finite_float(float("nan")), finite_float(10**400)
    (3.0, 0.0, None, None)
    """
    if type(value) is float:  # the usual case first, because this runs in every round
        return value + 0.0 if math.isfinite(value) else None
    try:
        if isinstance(value, (int, float, np.integer, np.floating)) and math.isfinite(value):
            # Check the float again: a long double may be finite and still overflow a float.
            number = float(value) + 0.0
            return number if math.isfinite(number) else None
    except OverflowError:  # an int may exceed all floats
        pass
    return None


@lru_cache(256)
def round_cut(low: float, high: float) -> float:
    """Return the roundest float a with low < a <= high: a multiple of 10, else of 5, else of 1 ...

    It tries all powers of ten, and five times each, from the largest down. Among equally round multiples, it takes the
    one nearest to the middle. So ``x >= a`` excludes low and includes high, with as few digits as possible.

    >>> round_cut(41.93, 43.2), round_cut(0.1234, 0.1261), round_cut(-3.5, 8.0)
    (43.0, 0.125, 0.0)
    """
    from fractions import Fraction  # slow to import, and most streams show no cut

    # Decimal values, not binary ones: a reader takes 0.7 for seven tenths.
    middle = (Fraction(str(low)) + Fraction(str(high))) / 2
    highest = math.floor(math.log10(max(abs(low), abs(high)))) + 1
    # 17 digits distinguish all floats, so the loop finds a cut; where floats are sparser, high is the cut.
    for power in range(highest, highest - 19, -1):
        for digit in (5, 1):
            # Round halves up: low and high are equally far from the middle, and only high is allowed.
            count = math.floor(middle / (digit * Fraction(10) ** power) + Fraction(1, 2))
            cut = float(f"{digit * count}e{power}")
            if low < cut <= high:
                return cut
    return high
