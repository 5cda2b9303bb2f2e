"""Showing text on the terminal, and troubles as sentences there."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from adeptree.errors import AdeptreeError, StateError

INTERRUPTED = 130
BROKEN_PIPE = 141
TROUBLES = (AdeptreeError, OSError, MemoryError, KeyboardInterrupt)


def show(text: str, err: bool = False) -> None:
    """Print, and make sure that a failure is told only once."""
    try:
        typer.echo(text, err=err)
    except OSError:
        # What is left in the buffer would fail once more, with a traceback, when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), (sys.stderr if err else sys.stdout).fileno())
        raise


@contextmanager
def told() -> Iterator[None]:
    """Turn what can go wrong into sentences on stderr and an exit code: the only place that does."""
    try:
        yield
    except TROUBLES as error:
        raise typer.Exit(_tell(error)) from None


def _tell(error: BaseException) -> int:
    # Saving or showing may fail while an earlier trouble is on its way: then both are told, in order.
    troubles, link = [error], error
    while earlier := link.__cause__ or (None if link.__suppress_context__ else link.__context__):
        # A bare OSError below another trouble is its reason, which that one's sentence has told.
        if isinstance(earlier, TROUBLES) and not isinstance(earlier, OSError):
            troubles.insert(0, earlier)
        link = earlier
    sentences = dict.fromkeys(_sentence(trouble) for trouble in troubles)
    for sentence in filter(None, sentences):
        typer.echo(f"adeptree: {sentence}", err=True)
    return _code(troubles[0])


def _sentence(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, MemoryError):
        return "out of memory: so many rounds of these rules need more; take fewer, or simpler rules"
    return "" if isinstance(error, BrokenPipeError) else str(error)


def _code(error: BaseException) -> int:
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return BROKEN_PIPE
    return 2 if isinstance(error, AdeptreeError) and not isinstance(error, StateError) else 1
