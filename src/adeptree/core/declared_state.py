"""The declared state of a structure: the values that a file may hold, and invariants that hold after every round.

A checksum says that a file is whole, not that a learner wrote it, and compiled kernels read some numbers as addresses.
So loading checks every value against its declaration (name, type, shape, range) and the relations between values
(:meth:`Declared.invariants`) before anything is built from them. Tests check both after every round.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

LARGEST = 1 << 61
"""Largest number in a saved state: kernels add to it, and to twice it, in 64 bits."""
MOST = sys.float_info.max
Sizes = dict[str, int]


@dataclass(frozen=True)
class Array:
    """An array: its type (numpy's, or texts of kinds), its shape, and the range of its entries, which are never NaN.

    A named size is the same number wherever the name occurs. Without a shape, any shape is accepted.
    """

    dtype: Any
    shape: str | tuple[int | str, ...] | None
    low: Any = -MOST
    high: Any = MOST

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Return True if a value matches; sizes named for the first time are added to ``sizes``."""
        if not isinstance(value, np.ndarray) or not value.dtype.isnative:
            return False
        shape = (self.shape,) if isinstance(self.shape, str) else value.shape if self.shape is None else self.shape
        if len(shape) != value.ndim:
            return False
        if value.dtype.kind not in self.dtype if isinstance(self.dtype, str) else value.dtype != self.dtype:
            return False
        for name, size in zip(shape, value.shape, strict=True):
            if (sizes.setdefault(name, size) if isinstance(name, str) else name) != size:
                return False
        return value.size == 0 or bool(self.low <= value.min() and value.max() <= self.high)


@dataclass(frozen=True)
class Number:
    """A number: bool, int or float (which may be a whole one), and its range; never NaN."""

    kind: type = float
    low: float = -MOST
    high: float = MOST

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Return True if a value matches."""
        known = isinstance(value, self.kind) or (self.kind is float and type(value) is int and abs(value) <= LARGEST)
        return known and isinstance(value, bool) == (self.kind is bool) and bool(self.low <= value <= self.high)


@dataclass(frozen=True)
class Items:
    """A list of different texts (or None), or of numbers; ``size`` is its length, or a name for it."""

    size: int | str
    each: Number | None = None

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Return True if a value matches."""
        if not isinstance(value, list):
            return False
        size = sizes.setdefault(self.size, len(value)) if isinstance(self.size, str) else self.size
        if len(value) != size:
            return False
        if self.each is not None:
            return all(self.each.fits(one, sizes) for one in value)
        return all(isinstance(one, str | None) for one in value) and len(set(value)) == size


COUNT = Number(int, 0, LARGEST)
SUM = Number(float, 0)
FLAG = Number(bool, 0, 1)
Fields = Mapping[str, Array | Number | Items]


class Declared:
    """The base class of objects whose state is declared."""

    def declared(self) -> Fields:
        """Return the declaration of each value of the state, by name."""
        return {}

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError (with ``need``) unless the values, each valid alone, are consistent with each other."""

    def state(self) -> dict[str, Any]:
        """Return everything that :meth:`restore` needs: by default the declared attributes."""
        return {name: getattr(self, name) for name in self.declared()}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state` returned, after checking it."""
        self.check(state)
        for name in self.declared():
            setattr(self, name, state[name])

    def check(self, state: dict[str, Any]) -> None:
        """Raise ValueError, with the name of the wrong value, unless this is a valid state of such an object.

        >>> class Cells(Declared):
        ...     def declared(self):
        ...         return {"mass": Array(np.float64, "cells", 0, 1), "wrong": Array("i", "cells", 0)}
        >>> Cells().check({"mass": np.array([0.5, 0.5]), "wrong": np.array([3, 0])})
        >>> Cells().check({"mass": np.array([0.5, 0.5]), "wrong": np.array([3])})
        Traceback (most recent call last):
        ...
        ValueError: wrong cannot be what a learner saved
        """
        check_fields(state, self.declared())
        self.invariants(state)


def check_fields(state: dict[str, Any], fields: Fields) -> None:
    """Raise ValueError, with the name of a field, unless all fields match their declarations."""
    sizes: Sizes = {}
    for name, field in fields.items():
        need(name in state and field.fits(state[name], sizes), name)


def need(holds: Any, what: str) -> None:
    """Raise ValueError unless a condition on the content of a file holds.

    >>> need(2 > 1, "the width")
    >>> need(1 > 2, "the width")
    Traceback (most recent call last):
    ...
    ValueError: the width cannot be what a learner saved
    """
    if not holds:
        raise ValueError(f"{what} cannot be what a learner saved")


def rounding(rate: float, charged: float) -> float:
    """Return the tolerance between the logarithm of a saved weight and the same weight summed again.

    Losses are added in different orders, so the tolerance is relative to the total charged.
    """
    return 1e-9 + 1e-12 * rate * charged


def is_count(value: Any) -> bool:
    """Return True if a value is a whole number >= 0."""
    return type(value) is int and 0 <= value <= LARGEST


def is_real(value: Any) -> bool:
    """Return True if a value is a finite number."""
    return Number().fits(value, {})
