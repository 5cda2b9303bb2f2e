"""Escape untrusted text so that it cannot control a terminal or a page."""

from __future__ import annotations

import math

STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories of invisible characters with an effect: control, direction, surrogates, line ends."""


def visible(text: str) -> str:
    """Escape control characters and newlines for safe display.

    >>> print(visible("Zürich\\x1b[31m\\nred"))
    Zürich\\x1b[31m\\nred
    """
    if text.isprintable():
        return text
    from unicodedata import category

    return "".join(_spelt(letter) if category(letter) in STEERING else letter for letter in text)


def visible_lines(text: str) -> str:
    """Escape a message of adeptree that contains names and values; its line ends stay."""
    return "\n".join(map(visible, text.split("\n")))


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, in the plural if needed.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def rounded_up(bound: float, digits: int = 2) -> str:
    """Format a bound, rounded up (except for the last digits of a double).

    >>> rounded_up(0.8401), rounded_up(4.0), rounded_up(1234.561, 1), rounded_up(math.inf)
    ('0.85', '4.00', '1,234.6', 'nothing proven')
    """
    scale = 10**digits
    if bound == math.inf:
        return "nothing proven"
    return f"{math.ceil(bound * scale - 1e-7) / scale:,.{digits}f}"


def more_at_most(bound: float, digits: int = 1) -> str:
    """Describe a bound on a difference in words.

    >>> more_at_most(3.21), more_at_most(-3.21), more_at_most(-3.21, 2)
    ('at most 3.3 more', 'at least 3.2 less', 'at least 3.21 less')
    """
    most = rounded_up(bound, digits)
    return f"at least {most[1:]} less" if most.startswith("-") else f"at most {most} more"


def _spelt(letter: str) -> str:
    return letter.encode("unicode_escape").decode()
