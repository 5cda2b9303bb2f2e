"""Showing text on the terminal, and troubles as sentences there.

Names and values come from files that anybody may have written. So whatever is shown goes through here, and what
would steer the terminal (colours, titles, moves of the cursor) is spelt out in place of being carried out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from unicodedata import category

import typer

from adeptree.errors import AdeptreeError, StateError

INTERRUPTED = 130
BROKEN_PIPE = 141
TROUBLES = (AdeptreeError, OSError, MemoryError, KeyboardInterrupt)
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


def _spelt(letter: str) -> str:
    return letter.encode("unicode_escape").decode()


def show(text: str, err: bool = False, painted: bool = False) -> None:
    """Print, and make sure that a failure is told only once; ``painted`` has colours of our own."""
    try:
        typer.echo(text if painted else visible_lines(text), err=err)
    except OSError:
        _let_go()
        raise


def _let_go() -> None:
    """Forget what cannot be written: left in the buffer, it would fail once more, with a traceback, at the end."""
    for output in filter(None, (sys.stdout, sys.stderr)):
        try:
            output.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())


@contextmanager
def told(trouble: int = 1) -> Iterator[None]:
    """Turn what can go wrong into sentences on stderr and an exit code: every command goes through this door.

    ``trouble`` is the code where a file or the machine is at fault; 2 if the command was asked for what cannot be.
    """
    try:
        yield
    except TROUBLES as error:
        raise typer.Exit(tell(error, trouble)) from None


def tell(error: BaseException, trouble: int = 1) -> int:
    """Say what went wrong on stderr, and return the exit code for it."""
    _let_go()
    # Saving or showing may fail while an earlier trouble is on its way: then both are told, in order.
    troubles, link = [error], error
    while earlier := link.__cause__ or (None if link.__suppress_context__ else link.__context__):
        # A bare OSError below another trouble is its reason, which that one's sentence has told.
        if isinstance(earlier, TROUBLES) and not isinstance(earlier, OSError):
            troubles.insert(0, earlier)
        link = earlier
    sentences = dict.fromkeys(_sentence(trouble) for trouble in troubles)
    for sentence in filter(None, sentences):
        with suppress(OSError):  # nobody can be told that nobody can be told
            show(f"adeptree: {sentence}", err=True)
    return _code(troubles[0], trouble)


def _sentence(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, MemoryError):
        return "out of memory: so many rounds of these rules need more; take fewer, or simpler rules"
    return "" if isinstance(error, BrokenPipeError) else str(error)


def _code(error: BaseException, trouble: int) -> int:
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return BROKEN_PIPE
    return 2 if isinstance(error, AdeptreeError) and not isinstance(error, StateError) else trouble
