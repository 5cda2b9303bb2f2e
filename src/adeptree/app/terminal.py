"""Print text and error messages on the terminal.

Names and values come from untrusted files. So all output passes this module, which escapes control sequences (colours,
titles, cursor movement).
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
    """Replaces an output that was closed at the start (``>&-``); it discards everything."""


def fill_in() -> None:
    """Replace a closed stdout or stderr, including its file descriptor.

    Otherwise the next opened file gets that descriptor, and a library's output would end up in a run's journal.
    """
    for number, name in ((1, "stdout"), (2, "stderr")):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, os.O_WRONLY)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            setattr(sys, name, ClosedOutput(open(number, "wb", closefd=False), encoding="utf-8"))


def show(text: str, err: bool = False, painted: bool = False) -> None:
    """Print, and report a failure only once; ``painted`` text contains adeptree's colours."""
    try:
        if painted or not text.isascii():
            typer.echo(text if painted else visible_lines(text), err=err)
        else:  # typer's printing takes longer than answering a row
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
    """Discard unwritable output, which would fail again, with a traceback, at exit."""
    for output in filter(None, (sys.stdout, sys.stderr)):
        try:
            output.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())


def unwritable(path: str, in_place: bool = False) -> str:
    """Return the reason why a file cannot be replaced or written, "" if it can; no file is left behind."""
    try:
        if not (in_place and os.path.exists(path)):
            tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(path))).close()
        elif not special(path):
            os.close(os.open(path, os.O_WRONLY))
    except OSError as error:
        return error.strerror or str(error)
    return ""


def special(path: str) -> bool:
    """Return True if the path exists and is not a regular file."""
    return os.path.exists(path) and not os.path.isfile(path)


@contextmanager
def told(trouble: int = 1) -> Iterator[None]:
    """Convert errors to messages on stderr and an exit code; every command runs inside this context.

    ``trouble`` is the exit code if a file or the machine is at fault; invalid requests have 2.
    """
    try:
        yield
    except TROUBLES as error:
        raise typer.Exit(tell(error, trouble)) from None


def tell(error: BaseException, trouble: int = 1) -> int:
    """Report an error on stderr, and return its exit code."""
    _let_go()
    # Saving or printing may fail while an earlier error propagates: then both are reported in order.
    troubles, link = [error], error
    while earlier := link.__cause__ or (None if link.__suppress_context__ else link.__context__):
        # A bare OSError below another error is its cause, which that message includes.
        if isinstance(earlier, TROUBLES) and not isinstance(earlier, OSError):
            troubles.insert(0, earlier)
        link = earlier
    sentences = dict.fromkeys(_sentence(trouble) for trouble in troubles)
    for sentence in filter(None, sentences):
        with suppress(OSError):  # stderr itself is closed
            note(sentence)
    return _code(troubles[0], trouble)


def _sentence(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, MemoryError):
        return "out of memory: this number of rounds of these rules needs more; take fewer, or simpler rules"
    if isinstance(error, BrokenPipeError):
        return ""
    # Without a file name, str would add only the error number.
    return error.strerror if isinstance(error, OSError) and error.strerror and error.filename is None else str(error)


def _code(error: BaseException, trouble: int) -> int:
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return BROKEN_PIPE
    return 2 if isinstance(error, AdeptreeError) and not isinstance(error, StateError) else trouble
