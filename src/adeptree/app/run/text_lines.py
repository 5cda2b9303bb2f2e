"""Lines of UTF-8 text with their numbers; what is no UTF-8, or has no end, spoils its own line only."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import IO

from adeptree.core.errors import StateError

NOT_UTF8 = "not UTF-8 text; save it as UTF-8"
LONGEST = 16 << 20
"""Bytes of the longest line that is read, so that a file without line ends does not fill the memory."""
TOO_LONG = f"longer than {LONGEST >> 20} MB; a row must be on a line of its own"
CHUNK = 1 << 18
"""Bytes that are read at a time, if so many are there."""
LINES = 4096
"""Lines that are handed on at a time at most."""


def bounded(file: IO[bytes]) -> Iterator[list[bytes]]:
    """Yield the lines of a file without their ends, as they come; of one that is too long only the beginning.

    It waits for no more than one line: what a pipe has is handed on at once.

    >>> import io
    >>> list(bounded(io.BytesIO(b"a,b\\n\\nc")))
    [[b'a,b', b''], [b'c']]
    >>> [len(lines[0]) for lines in bounded(io.BytesIO(b"a" * 3 * LONGEST + b"\\nb"))] == [LONGEST + 1, 1]
    True
    """
    begun = b""
    while piece := file.read1(CHUNK):  # type: ignore[attr-defined]
        lines = piece.split(b"\n")
        if len(begun) <= LONGEST:
            begun = (begun + lines[0])[: LONGEST + 1]
        lines[0] = begun
        begun = lines.pop()
        for first in range(0, len(lines), LINES):
            yield lines[first : first + LINES]
    if begun:
        yield [begun]


def numbered(name: str, chunks: Iterable[list[bytes]]) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the number of the first of some lines, and the lines; trouble with the file is a sentence.

    >>> list(numbered("f", [[b"\\xef\\xbb\\xbfa", b"b"], [b"c"]]))
    [(1, [b'a', b'b']), (3, [b'c'])]
    """
    number = 1
    try:
        for lines in chunks:
            if number == 1:
                # A byte-order mark, as spreadsheets write it, is not part of the first column's name.
                lines[0] = lines[0].removeprefix(codecs.BOM_UTF8)
            yield number, lines
            number += len(lines)
    except OSError as error:
        raise StateError(f"{name}, after line {number - 1}: could not be read: {error.strerror or error}") from None


def text_of(line: bytes) -> tuple[str, str]:
    """Return the text of a line and "", or "" and what is wrong with it.

    >>> text_of(b"a"), text_of(b"\\xff")
    (('a', ''), ('', 'not UTF-8 text; save it as UTF-8'))
    """
    if len(line) > LONGEST:
        return "", TOO_LONG
    try:
        return line.decode(), ""
    except UnicodeDecodeError:
        return "", NOT_UTF8
