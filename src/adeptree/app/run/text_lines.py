"""Lines of text with their numbers; an undecodable or overlong line affects only itself."""

from __future__ import annotations

import codecs
import lzma
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import IO, TypeVar

import numpy as np

from adeptree.core.errors import StateError

NOT_UTF8 = "not UTF-8 text; save it as UTF-8, or say what it is with --encoding"
LONGEST = 16 << 20
"""Longest line in bytes, so that a file without line ends does not fill the memory."""
TOO_LONG = f"longer than {LONGEST >> 20} MB; each row must be on a separate line"
CHUNK = 1 << 18
"""Bytes per read, if available."""
LINES = 4096
"""Most lines that are passed on at a time."""
Chunk = TypeVar("Chunk", bytes, list[bytes])
"""Lines that were read together: one text, or a list."""
UNREADABLE = (OSError, EOFError, zlib.error, lzma.LZMAError)
"""Exceptions of reading a file; the last three come from compressed files."""


@dataclass
class Meter:
    """Counts the bytes of a text that were read and passed on, and notes if complete lines are pending."""

    read: int = 0
    handed: int = 0
    more: bool = False


def unreadable(where: str, error: Exception) -> StateError:
    """Return the error for a file that cannot be read further."""
    why = (error.strerror if isinstance(error, OSError) else None) or error
    return StateError(f"{where}: could not be read: {why}")


def begun(name: str, pieces: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the first piece of a text, and an iterator over all pieces."""
    try:
        first = next(pieces, b"")
    except UNREADABLE as error:
        raise unreadable(f"{name}, after line 0", error) from None
    return first, chain([first] if first else [], pieces)


def pieces_of(file: IO[bytes], encoding: str | None = None) -> Iterator[bytes]:
    """Yield the pieces of a file as UTF-8; data of a pipe is passed on at once."""
    return _recoded(iter(lambda: file.read1(CHUNK), b""), encoding)  # type: ignore[attr-defined]


def bounded(pieces: Iterable[bytes], meter: Meter) -> Iterator[bytes]:
    """Yield whole lines of a text as they come, without the last line end; truncate overlong ones.

    >>> list(bounded([b"a,", b"b\\n\\nc"], Meter()))
    [b'a,b\\n', b'c']
    >>> [len(text) for text in bounded([b"a" * 3 * LONGEST, b"\\nb"], Meter())] == [LONGEST + 1, 1]
    True
    """
    begun = b""
    for piece in pieces:
        meter.read += len(piece)
        head, end, rest = piece.partition(b"\n")
        if len(begun) <= LONGEST:
            begun = (begun + head)[: LONGEST + 1]
        if end:
            whole, _, begun = (begun + end + rest).rpartition(b"\n")
            ends = np.flatnonzero(np.frombuffer(whole, np.uint8) == ord("\n"))[LINES - 1 :: LINES].tolist()
            for before, stop in pairwise([-1, *ends, len(whole)]):
                meter.handed += stop - before
                meter.more = stop < len(whole)
                yield whole[before + 1 : stop]
    meter.handed = meter.read
    if begun:
        yield begun


def _recoded(pieces: Iterator[bytes], encoding: str | None) -> Iterator[bytes]:
    """Yield the same text as UTF-8; undecodable bytes stay, so that the fault appears in its line."""
    first = next(pieces, b"")
    if encoding is None and first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    if encoding is None or codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
        yield from filter(None, chain([first], pieces))
        return
    wide = codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))
    decoder = codecs.getincrementaldecoder(encoding)("replace" if wide else "surrogateescape")
    for piece in chain([first], pieces):
        if text := decoder.decode(piece):
            yield text.encode("utf-8", "surrogateescape")


def numbered(name: str, chunks: Iterable[Chunk], unit: str = "line") -> Iterator[tuple[int, Chunk]]:
    """Yield lines with the number of the first; errors of the file become error messages.

    >>> list(numbered("f", [b"\\xef\\xbb\\xbfa\\nb", b"c"])), list(numbered("f", [[b"a", b"b"], [b"c"]]))
    ([(1, b'a\\nb'), (3, b'c')], [(1, [b'a', b'b']), (3, [b'c'])])
    """
    number = 1
    try:
        for lines in chunks:
            if number == 1 and isinstance(lines, bytes):
                # Drop the byte-order mark of spreadsheets, which is not part of the first column's name.
                lines = lines.removeprefix(codecs.BOM_UTF8)
            yield number, lines
            number += lines.count(b"\n") + 1 if isinstance(lines, bytes) else len(lines)
    except UNREADABLE as error:
        raise unreadable(f"{name}, after {unit} {number - 1}", error) from None


class Decoder:
    r"""Decodes a line to its text and "", or to "" and its fault.

    >>> remarks = []
    >>> decoder = Decoder("f", None, True, remarks)
    >>> decoder(b"\xe4", 7), Decoder("f", "ascii", False, [])(b"\xe4", 1), remarks[0][:40]
    (('ä', ''), ('', 'not ascii text'), 'f, line 7: not UTF-8, read as cp1252 (as')
    """

    def __init__(self, name: str, encoding: str | None, lenient: bool, remarks: list[str]) -> None:
        self._name, self._lenient, self._remarks = name, lenient and encoding is None, remarks
        self._fault = NOT_UTF8 if encoding is None else f"not {encoding} text"
        self._said = False

    def __call__(self, line: bytes, number: int) -> tuple[str, str]:
        """Return the text or the fault of a line."""
        if len(line) > LONGEST:
            return "", TOO_LONG
        try:
            return line.decode(), ""
        except UnicodeDecodeError:
            return (self._legacy(line, number), "") if self._lenient else ("", self._fault)

    def many(self, content: bytes, lines: list[bytes], first: int) -> list[str] | None:
        """Return the texts of the lines of this content, from number ``first`` on; None if one cannot be decoded."""
        try:
            return content.decode().split("\n")
        except UnicodeDecodeError:
            return [self(line, number)[0] for number, line in enumerate(lines, first)] if self._lenient else None

    def _legacy(self, line: bytes, number: int) -> str:
        if not self._said:
            self._said = True
            self._remarks.append(
                f"{self._name}, line {number}: not UTF-8, read as cp1252 (as all such lines are); "
                f"--encoding names another"
            )
        try:
            return line.decode("cp1252")
        except UnicodeDecodeError:  # five bytes are undefined in cp1252
            return line.decode("latin-1")


def text_of(line: bytes) -> tuple[str, str]:
    """Return the text of a line and "", or "" and its fault.

    >>> text_of(b"a"), text_of(bytes([255]))[1][:14]
    (('a', ''), 'not UTF-8 text')
    """
    return Decoder("", None, False, [])(line, 1)
