"""Lines of UTF-8 text with their numbers; what is no UTF-8, or has no end, spoils its own line only."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import IO

from adeptree.core.errors import StateError

NOT_UTF8 = "not UTF-8 text; save it as UTF-8"
LONGEST = 16 << 20
"""Bytes of the longest line that is read, so that a file without line ends does not fill the memory."""
SKIPPED = 1 << 16
TOO_LONG = f"longer than {LONGEST >> 20} MB; a row must be on a line of its own"


def bounded(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file; of one that is too long only the beginning, and the rest is passed over.

    >>> import io
    >>> [len(line) for line in bounded(io.BytesIO(b"a" * 3 * LONGEST + b"\\nb"))] == [LONGEST + 1, 1]
    True
    """
    while line := file.readline(LONGEST + 1):
        piece = line
        while len(line) > LONGEST and piece and not piece.endswith(b"\n"):
            piece = file.readline(SKIPPED)
        yield line


def numbered(name: str, lines: Iterable[bytes]) -> Iterator[tuple[int, str, str]]:
    """Yield (line number, text, ""), or what is wrong with the line in place of its text.

    >>> list(numbered("f", [b"\\xef\\xbb\\xbfa\\n", b"\\xff\\n", b"b"]))
    [(1, 'a\\n', ''), (2, '', 'not UTF-8 text; save it as UTF-8'), (3, 'b', '')]
    """
    number = 0
    try:
        for number, line in enumerate(lines, 1):
            # A byte-order mark, as spreadsheets write it, is not part of the first column's name.
            whole = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
            if len(line) > LONGEST:
                yield number, "", TOO_LONG
                continue
            try:
                yield number, whole.decode(), ""
            except UnicodeDecodeError:
                yield number, "", NOT_UTF8
    except OSError as error:
        raise StateError(f"{name}, after line {number}: could not be read: {error.strerror or error}") from None
