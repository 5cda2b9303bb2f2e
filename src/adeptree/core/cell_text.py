"""The text of one cell: detect missing values and numbers, and write any value as CSV text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none"})
"""Texts of a missing number or label, in lower case."""

DIGITS = 308
"""Whole numbers of at most this many digits fit a float."""
BRIEF = 80
"""Characters of a text that are shown in a message."""


def is_missing(text: str) -> bool:
    """Return True if the cell stands for a missing value.

    >>> [is_missing(text) for text in ("", "NA", "nan", "0")]
    [True, True, True, False]
    """
    return text.lower() in MISSING


def number(text: str) -> Any:
    """Parse a number if possible; otherwise return the text unchanged (the class will reject it).

    >>> number("3"), number("2.5"), number("abc"), number("1_000"), number("9" * 400)
    (3, 2.5, 'abc', '1_000', inf)
    """
    if "_" in text:  # "1_000" is a number in Python source only
        return text
    # A whole number of more digits overflows to infinity, like 1e999.
    for kind in (int, float) if len(text) <= DIGITS and "." not in text else (float,):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def floats(texts: Sequence[str]) -> list[float]:
    """Parse many cells as floats, like :func:`number`, with NaN for cells that are not numbers.

    >>> floats(["3", " 2.5 ", "-0"]), floats(["3", "abc", "1_000", "9" * 400])
    ([3.0, 2.5, -0.0], [3.0, nan, nan, inf])
    """
    try:
        return plain_floats(texts)
    except ValueError:
        values = [number(text) for text in texts]
        return [math.nan if isinstance(value, str) else float(value) for value in values]


def plain_floats(texts: Sequence[str]) -> list[float]:
    """Parse many cells as floats; raise ValueError if one is not a number."""
    if "_" in "".join(texts):
        raise ValueError("only Python reads this as a number")
    return list(map(float, texts))


def is_number(text: str) -> bool:
    """Return True if the cell holds a finite number."""
    value = number(text)
    return not isinstance(value, str) and math.isfinite(value)


def is_storable(text: str) -> bool:
    """Return True if a text survives being written to a file: it has no NUL and no half surrogate pairs.

    >>> is_storable("né"), is_storable("a\\0"), is_storable("\\ud83d")
    (True, False, False)
    """
    try:
        return "\0" not in text and text.encode() is not None
    except UnicodeEncodeError:  # JSON can hold half a surrogate pair, such as "\\ud83d"
        return False


def brief(text: str) -> str:
    """Shorten a long text for a message.

    >>> brief("bus"), len(brief("b" * 1000))
    ('bus', 80)
    """
    return text if len(text) <= BRIEF else f"{text[: BRIEF - 3]}..."


def as_text(value: Any) -> str:
    """Write any value as the text of a CSV cell.

    >>> [as_text(value) for value in (None, True, 3, 0.1, "a", ["x", 1])]
    ['', 'true', '3', '0.1', 'a', '["x", 1]']
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, dict)):
        import json

        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


LABELS = {"0": 0, "1": 1, "false": 0, "true": 1, "0.0": 0, "1.0": 1}
