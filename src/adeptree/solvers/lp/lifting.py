"""Points as integer vectors, so that the side of a point is one exact dot product."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from operator import mul
from typing import Any

import numpy as np

from adeptree.core.errors import InvalidInstance, got

Number = int | float | Fraction
Point = tuple[Number, ...]
Vector = Sequence[int]

EXACT = frozenset((int, Fraction))


def as_point(x: Any, dim: int) -> Point:
    """Return x as a tuple of ``dim`` finite numbers, or raise InvalidInstance.

    >>> as_point([1, 0.5], 2)
    (1, 0.5)
    """
    if isinstance(x, np.ndarray):
        x = x.tolist()
    if isinstance(x, (tuple, list)) and len(x) == dim:
        if EXACT.issuperset(map(type, x)):  # the common case, in every query
            return tuple(x)
        values = tuple(value.item() if isinstance(value, np.generic) else value for value in x)
        if all(_is_number(value) for value in values):
            return values
    raise InvalidInstance(f"x must be a tuple of {dim} finite numbers (int, Fraction or float); {got('x', x)}")


def _is_number(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, numbers.Rational) or (isinstance(value, float) and math.isfinite(value))


@lru_cache(maxsize=1 << 16)
def lift(x: Point) -> tuple[int, ...]:
    """Return (x, 1) times the least common denominator of x: the same ray, in integers. Floats count as exact.

    >>> lift((1, 0.5))
    (2, 1, 2)
    """
    exact = [Fraction(value) for value in x]
    common = math.lcm(*(value.denominator for value in exact))
    return (*(value.numerator * (common // value.denominator) for value in exact), common)


def dot(v: Iterable[int], p: Iterable[int]) -> int:
    """Return the exact inner product."""
    return sum(map(mul, v, p))


def primitive(v: Sequence[int]) -> tuple[int, ...]:
    """Return the shortest integer vector on the same ray.

    >>> primitive((4, -6))
    (2, -3)
    """
    common = math.gcd(*v) or 1
    return tuple(value // common for value in v)
