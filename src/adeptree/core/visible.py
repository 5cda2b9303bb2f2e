"""Text from elsewhere, shown so that it cannot steer a terminal or a page."""

from __future__ import annotations

from unicodedata import category

STEERING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Kinds of characters that are not seen but do something: control, direction, half characters, line ends."""


def visible(text: str) -> str:
    """Return a name or value with all that would steer the terminal spelt out, line ends too.

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


def _spelt(letter: str) -> str:
    return letter.encode("unicode_escape").decode()
