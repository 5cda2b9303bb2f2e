"""Truncated polynomials whose coefficients span more than a double can: a mantissa and an exponent for each degree.

A coefficient is ``F[row, degree] * 2^(256 X[row, degree])`` with a mantissa in [2^-128, 2^128), or 0 with
the exponent EMPTY. All numbers are positive, so nothing ever cancels and every result is right to a few
units in the last place. The functions over all degrees that are array code here have a second form, loops
that are compiled (``blocks_compiled``); both give the same bits.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from adeptree.core.types import BoolArray, FloatArray, IntArray

RADIX = 2.0**256
HALF = 2.0**128
LOG_RADIX = 256 * math.log(2.0)
EMPTY = -(1 << 60)
"""The exponent of 0: below every other, even after two of them are added."""
_SCALES = np.array([1.0, 2.0**-256, 2.0**-512, 0.0])
"""By how much a term counts that lies 0, 1, 2, or more exponents below the largest (then less than 2^-256 of it)."""


def exp_wide(y: float) -> tuple[float, int]:
    """Return e^y as mantissa and exponent, whatever y.

    >>> exp_wide(0.0), exp_wide(-1e6)[1]
    ((1.0, 0), -5636)
    """
    e = math.floor(y / LOG_RADIX + 0.5)
    return math.exp(y - e * LOG_RADIX), e


def normal(m: float, e: int) -> tuple[float, int]:
    """Return the number with its mantissa back in range, after at most one product and a short sum.

    >>> normal(2.0**200, 0) == (2.0**-56, 1), normal(0.0, 7)[1] == EMPTY
    (True, True)
    """
    if m == 0.0:
        return 0.0, EMPTY
    if m >= HALF:
        return m / RADIX, e + 1
    if m * HALF < 1.0:
        return m * RADIX, e - 1
    return m, e


def add_wide(m: float, e: int, n: float, f: int) -> tuple[float, int]:
    """Return the sum, not normalised.

    >>> add_wide(1.0, 0, 3.0, 0), add_wide(1.0, 5, 1.0, 0), add_wide(0.0, EMPTY, 2.0, 1)
    ((4.0, 0), (1.0, 5), (2.0, 1))
    """
    if e == f:
        return m + n, e
    if e < f:
        m, e, n, f = n, f, m, e
    if e - f == 1:
        return m + n / RADIX, e
    if e - f == 2:
        return m + n / RADIX / RADIX, e
    return m, e


def share(m: float, e: int, n: float, f: int) -> float:
    """Return the first number's share of the sum of both.

    >>> share(1.0, 0, 3.0, 0), share(1.0, -9, 1.0, 0)
    (0.25, 0.0)
    """
    total, top = add_wide(m, e, n, f)
    if top - e > 4:  # less than a double can hold
        return 0.0
    part = float(m)
    for _ in range(top - e):
        part /= RADIX
    return part / float(total)


def set_constant(F: FloatArray, X: IntArray, row: int, value: float) -> None:
    """Make a polynomial the constant 0 or 1."""
    F[row, :] = 0.0
    X[row, :] = EMPTY
    if value != 0.0:
        F[row, 0] = value
        X[row, 0] = 0


def copy(F: FloatArray, X: IntArray, out: int, a: int) -> None:
    """Make one polynomial equal to another."""
    F[out, :] = F[a, :]
    X[out, :] = X[a, :]


def multiply(F: FloatArray, X: IntArray, out: int, a: int, b: int) -> None:
    """Set row ``out`` to the truncated product of rows a and b (``out`` is neither).

    >>> F, X = np.zeros((3, 3)), np.full((3, 3), EMPTY)
    >>> for row in (0, 1):
    ...     F[row], X[row] = [1.0, 2.0, 0.0], [0, 0, EMPTY]
    >>> multiply(F, X, 2, 0, 1)
    >>> F[2].tolist()
    [1.0, 4.0, 4.0]
    """
    index, inside = _diagonals(F.shape[1])
    terms = np.where(inside, F[b][index] * F[a][:, None], 0.0)
    exponents = np.where(inside, X[b][index] + X[a][:, None], EMPTY)
    top = exponents.max(axis=0)
    # A sum over the first axis adds in order, so that the compiled loop gives the same bits.
    _store(F, X, out, 0, (terms * _SCALES[np.minimum(top - exponents, 3)]).sum(axis=0), top)


def add_multiple(F: FloatArray, X: IntArray, out: int, a: int, shift: int, m: float, e: int) -> None:
    """Add z^shift (m, e) times row a to row ``out`` (which may be a itself).

    >>> F, X = np.array([[1.0, 1.0, 0.0]]), np.array([[0, 0, EMPTY]])
    >>> add_multiple(F, X, 0, 0, 1, 3.0, 0)
    >>> F[0].tolist()
    [1.0, 4.0, 3.0]
    """
    stop = F.shape[1] - shift
    terms, exponents = F[a, :stop] * m, X[a, :stop] + e
    top = np.maximum(exponents, X[out, shift:])
    total = terms * _SCALES[np.minimum(top - exponents, 3)]
    total += F[out, shift:] * _SCALES[np.minimum(top - X[out, shift:], 3)]
    _store(F, X, out, shift, total, top)


def dot(F: FloatArray, X: IntArray, a: int, b: int, shift: int) -> tuple[float, int]:
    """Return sum_s b_s a_(s + shift).

    >>> F, X = np.array([[1.0, 2.0], [5.0, 7.0]]), np.zeros((2, 2), dtype=np.int64)
    >>> dot(F, X, 0, 1, 0) == (19.0, 0), dot(F, X, 0, 1, 1) == (10.0, 0)
    (True, True)
    """
    total, top = 0.0, EMPTY
    for s in range(F.shape[1] - shift):
        total, top = add_wide(total, top, F[b, s] * F[a, s + shift], X[b, s] + X[a, s + shift])
    return normal(total, top)


def _store(F: FloatArray, X: IntArray, out: int, start: int, m: FloatArray, e: IntArray) -> None:
    large, small, zero = m >= HALF, m * HALF < 1.0, m == 0.0
    F[out, start:] = np.where(large, m / RADIX, np.where(small, m * RADIX, m))
    X[out, start:] = np.where(zero, EMPTY, e + large - small)


@cache
def _diagonals(size: int) -> tuple[IntArray, BoolArray]:
    """Entry (i, s) of a product: a's coefficient i goes with b's of degree s - i."""
    index = np.arange(size) - np.arange(size)[:, None]
    return index, index >= 0
