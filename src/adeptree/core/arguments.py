"""Checks of arguments that are numbers or choices, with their error messages."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import numpy as np

from adeptree.core.errors import InvalidArgument, TooLarge, got

LARGEST_LINE = 1 << 62
"""Most points of a line and rounds of a horizon: a sum of two fits a machine word."""


LARGEST_SET = 1 << 20
"""Most bits, blocks or literals, because each path keeps some bytes for each of them."""


LARGEST_INT = 1 << 256
"""Largest parameter or seed: a larger int may not fit a float or be written in decimal digits."""


def check_size(name: str, value: object, at_least: int = 1, at_most: int = LARGEST_INT) -> int:
    """Return an integer parameter of a class, or raise InvalidArgument.

    >>> check_size("n", 4)
    4
    >>> check_size("n", 10**400, at_most=LARGEST_LINE)
    Traceback (most recent call last):
    ...
    adeptree.core.errors.InvalidArgument: n must be an int in 1..4611686018427387904; got n of 1329 bits
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise InvalidArgument(f"{name} must be an int >= {at_least}; {got(name, value)}")
    size = int(value)
    if at_least <= size <= at_most:
        return size
    # Python refuses to print very long ints, so the message gives their length.
    came = got(name, value) if abs(size) < LARGEST_INT else f"got {name} of {size.bit_length()} bits"
    if size < at_least:
        raise InvalidArgument(f"{name} must be an int >= {at_least}; {came}")
    most = at_most if at_most < LARGEST_INT else "2^256"
    raise InvalidArgument(f"{name} must be an int in {at_least}..{most}; {came}")


def check_number(name: str, value: Any, wanted: str, holds: Callable[[float], bool]) -> float:
    """Return a number if it passes a test; otherwise raise InvalidArgument.

    >>> check_number("noise", 2, "a number between 0 and 1", lambda noise: 0 <= noise <= 1)
    Traceback (most recent call last):
    ...
    adeptree.core.errors.InvalidArgument: noise must be a number between 0 and 1; got noise=2 (int)
    """
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    with suppress(OverflowError):  # an int beyond all floats is a wrong value, not an overflow
        if number and holds(float(value)):
            return value  # type: ignore[no-any-return]
    raise InvalidArgument(f"{name} must be {wanted}; {got(name, value)}")


def refuse_class(name: str, value: object) -> None:
    """Raise an error if a class was passed in place of an instance.

    >>> from adeptree import SOA
    >>> refuse_class("base", SOA)
    Traceback (most recent call last):
    ...
    adeptree.core.errors.InvalidArgument: base must be an object, not a class; pass an instance: at.SOA()
    """
    if isinstance(value, type):
        known = "at." if value.__module__.startswith("adeptree.") else ""
        needs = any(
            part.default is part.empty and part.kind < 2 for part in inspect.signature(value).parameters.values()
        )
        made = f"{known}{value.__name__}({'...' if needs else ''})"
        raise InvalidArgument(f"{name} must be an object, not a class; pass an instance: {made}")


def one_of(name: str, value: str, allowed: Iterable[str]) -> str:
    """Return the value if it is one of the options; otherwise raise InvalidArgument.

    >>> one_of("prior", "flat", ("paper", "kt"))
    Traceback (most recent call last):
    ...
    adeptree.core.errors.InvalidArgument: prior must be one of 'paper', 'kt'; got prior='flat' (str)
    """
    if value not in allowed:
        raise InvalidArgument(f"{name} must be one of {', '.join(map(repr, allowed))}; {got(name, value)}")
    return value


def check_whole(what: str, count: int) -> None:
    """Refuse a request of more than some million parts before any of them is made."""
    if count > LARGEST_SET:
        raise TooLarge(f"{what} has {shown_count(count)} parts, over the limit of {LARGEST_SET}; take a smaller one")


def shown_count(count: int) -> str:
    """Return a number in digits, or as a power of 2 if it has many.

    >>> shown_count(257), shown_count(3**5000)
    ('257', 'about 2^7924')
    """
    return str(count) if count < LARGEST_INT else f"about 2^{count.bit_length() - 1}"


def check_seconds(seconds: Any) -> float | None:
    """Return a time limit in seconds, or None for no limit; raise an error for other values."""
    if seconds is None:
        return None
    wanted = "a positive number of seconds, or None"
    return float(check_number("seconds", seconds, wanted, lambda limit: 0 < limit < threading.TIMEOUT_MAX))
