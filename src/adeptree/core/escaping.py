"""Text from elsewhere, shown so that it cannot steer a terminal or a page."""

from __future__ import annotations

import math
from unicodedata import category

STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Kinds of characters that are not seen but do something: control, direction, half characters, line ends."""


def visible(text: str) -> str:
    """Escape control characters and newlines for safe display.

    >>> print(visible("Zürich\\x1b[31m\\nred"))
    Zürich\\x1b[31m\\nred
    """
    if text.isprintable():
        return text
    return "".join(_spelt(letter) if category(letter) in STEERING else letter for letter in text)


def visible_lines(text: str) -> str:
    """Return a text of ours, with names and values in it, in the same way; its line ends stay."""
    return "\n".join(map(visible, text.split("\n")))


def counted(count: int, noun: str) -> str:
    """Return a number of things in words.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def rounded_up(bound: float, digits: int = 2) -> str:
    """Return a bound as a text that is not below it (but for the last digits of a double).

    >>> rounded_up(0.8401), rounded_up(4.0), rounded_up(1234.561, 1), rounded_up(math.inf)
    ('0.85', '4.00', '1,234.6', 'nothing proven')
    """
    scale = 10**digits
    if bound == math.inf:
        return "nothing proven"
    return f"{math.ceil(bound * scale - 1e-7) / scale:,.{digits}f}"


def more_at_most(bound: float, digits: int = 1) -> str:
    """Return a bound on a difference in words.

    >>> more_at_most(3.21), more_at_most(-3.21), more_at_most(-3.21, 2)
    ('at most 3.3 more', 'at least 3.2 less', 'at least 3.21 less')
    """
    most = rounded_up(bound, digits)
    return f"at least {most[1:]} less" if most.startswith("-") else f"at most {most} more"


def _spelt(letter: str) -> str:
    return letter.encode("unicode_escape").decode()
