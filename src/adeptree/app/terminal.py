"""Showing text on the terminal, and troubles as sentences there.

Names and values come from files that anybody may have written. So whatever is shown goes through here, and what
would steer the terminal (colours, titles, moves of the cursor) is spelt out in place of being carried out.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import typer

from adeptree.core.errors import AdeptreeError, StateError
from adeptree.core.escaping import visible_lines

INTERRUPTED = 130
BROKEN_PIPE = 141
TROUBLES = (AdeptreeError, OSError, MemoryError, KeyboardInterrupt)


class ClosedOutput(io.TextIOWrapper):
    """In place of an output that was closed when we were started (``>&-``): takes everything, keeps nothing."""


def fill_in() -> None:
    """Give a closed stdout or stderr a stand-in, and its number with it.

    Else the next file that is opened gets that number, and what a library prints ends up in a run's journal.
    """
    for number, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_WRONLY)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            setattr(sys, name, ClosedOutput(open(number, "wb", closefd=False), encoding="utf-8"))


def show(text: str, err: bool = False, painted: bool = False) -> None:
    """Print, and make sure that a failure is told only once; ``painted`` has colours of our own."""
    try:
        if painted or not text.isascii():
            typer.echo(text if painted else visible_lines(text), err=err)
        else:  # (what typer does with other texts and terminals takes longer than answering a row)
            output = sys.stderr if err else sys.stdout
            output.write(f"{visible_lines(text)}\n")
            output.flush()
    except OSError as error:
        _let_go()
        if error.strerror and not isinstance(error, BrokenPipeError):
            raise OSError(
                error.errno, f"{'stderr' if err else 'stdout'} could not be written: {error.strerror}"
            ) from None
        raise


def note(text: str) -> None:
    """Print a line on stderr, next to the output of the command."""
    show(f"adeptree: {text}", err=True)


def _let_go() -> None:
    """Forget what cannot be written: left in the buffer, it would fail once more, with a traceback, at the end."""
    for output in filter(None, (sys.stdout, sys.stderr)):
        try:
            output.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())


def unwritable(path: str, in_place: bool = False) -> str:
    """Return why a file cannot be replaced (or written to, where it is), "" if it can; nothing is left behind."""
    try:
        if not (in_place and os.path.exists(path)):
            tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(path))).close()
        elif not special(path):
            os.close(os.open(path, os.O_WRONLY))
    except OSError as error:
        return error.strerror or str(error)
    return ""


def special(path: str) -> bool:
    """Tell whether something is there that is not an ordinary file."""
    return os.path.exists(path) and not os.path.isfile(path)


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
            note(sentence)
    return _code(troubles[0], trouble)


def _sentence(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, MemoryError):
        return "out of memory: so many rounds of these rules need more; take fewer, or simpler rules"
    if isinstance(error, BrokenPipeError):
        return ""
    # Without the name of a file, the number of the error would be all that str adds.
    return error.strerror if isinstance(error, OSError) and error.strerror and error.filename is None else str(error)


def _code(error: BaseException, trouble: int) -> int:
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return BROKEN_PIPE
    return 2 if isinstance(error, AdeptreeError) and not isinstance(error, StateError) else trouble
