"""Checks of the arguments of formulas."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numpy as np

from adeptree.core.errors import InvalidArgument, got

_P = ParamSpec("_P")
_Value = TypeVar("_Value")

LARGEST = 1e300
"""Largest argument: a larger int may not fit a float."""


def of_numbers(formula: Callable[_P, _Value]) -> Callable[_P, _Value]:
    """Decorator: validate that all arguments of a formula are finite non-negative numbers."""
    names = list(inspect.signature(formula).parameters)

    @functools.wraps(formula)
    def checked(*values: _P.args, **named: _P.kwargs) -> _Value:
        for name, value in [*zip(names, values, strict=False), *named.items()]:
            if not isinstance(value, (int, float, np.number)) or not 0 <= value <= LARGEST:
                raise InvalidArgument(f"{name} must be a number from 0 to {LARGEST:g}; {got(name, value)}")
        try:
            return formula(*values, **named)
        except (ArithmeticError, TypeError, ValueError) as error:  # for example half a round, no rounds or too many
            given = ", ".join(got(name, value) for name, value in zip(names, values, strict=False))
            # Report the outer formula: if it calls others, the failing inner one does not matter.
            reason = (error.__context__ if isinstance(error, InvalidArgument) else None) or error
            raise InvalidArgument(f"{formula.__name__} has no value here ({reason}); {given}") from None

    return checked
