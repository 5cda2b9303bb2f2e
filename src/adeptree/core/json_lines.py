"""Files of JSON lines with checksums: a header, rows and an end.

Every line is a JSON object whose last member, ``check``, is a checksum of it and of the line before, so that none can
be altered, lost or moved. The first line is the header, with the format and its version. The last is ``{"end": n}``
after n lines: a file without it was cut off, or its writer was killed. A writer that is killed may also leave a last
line without its line end, which is ignored. Each kind of file declares if it may be read without its end. If rows do
not depend on each other (results that can be computed again), each is sealed alone, and there is no end.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from adeptree.core.errors import DamagedFile, StateError, unsupported

T = TypeVar("T")
Values = dict[str, Any]
UNFIT = (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError)
"""Errors of reading a line whose checksum matches but whose content is unexpected."""


def seal(text: str, before: str = "") -> str:
    """Return the text of a JSON object with a checksum of it, and of the line before, as its last member.

    >>> seal('{"rounds": 3}')
    '{"rounds": 3, "check": "9ae8f062475516db"}'
    """
    digest = hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()[:16]
    return f'{text[:-1]}, "check": "{digest}"}}'


def unseal(line: str, before: str = "") -> Values:
    """Return the values of a line that :func:`seal` made, without the checksum; ValueError if it was altered."""
    text = line[: -len(', "check": "0123456789abcdef"}')] + "}"
    if seal(text, before) != line:
        raise ValueError("checksum mismatch")
    values: Values = json.loads(text)
    return values


class LineWriter:
    """Makes the lines of one file, in order, each with its line end; the caller writes them."""

    def __init__(self, header: Values) -> None:
        self._last, self._count = "", 0
        self.header = self.row(header)

    def row(self, values: Values) -> str:
        """Return the next line."""
        self._last, self._count = seal(json.dumps(values), self._last), self._count + 1
        return f"{self._last}\n"

    def end(self) -> str:
        """Return the closing line; rows may still follow in its place."""
        return seal(json.dumps({"end": self._count}), self._last) + "\n"


@dataclass(frozen=True)
class Lines:
    """The content of a file whose checksums match; the caller decodes its rows."""

    name: str
    header: Values
    rows: list[Values]
    ended: bool
    remedy: str

    def each(self, take: Callable[[Values], T]) -> list[T]:
        """Decode each row; raise DamagedFile with the line's number if one cannot be decoded."""
        return [self._made(take, row, number) for number, row in enumerate(self.rows, start=2)]

    def head(self, take: Callable[[Values], T]) -> T:
        """Decode the header in the same way."""
        return self._made(take, self.header, 1)

    def _made(self, take: Callable[[Values], T], row: Values, number: int) -> T:
        try:
            return take(row)
        except UNFIT as error:
            raise damaged(self.name, number, self.remedy) from error

    def need_end(self, otherwise: str) -> None:
        """Raise an error if the file has no closing line."""
        if not self.ended:
            raise DamagedFile(f"the end of {self.name} is missing after {len(self.rows) + 1} lines: {otherwise}")


@dataclass(frozen=True)
class LineFormat:
    """A kind of file: its header, its name in messages, and the remedy for a damaged one.

    >>> notes = LineFormat("adeptree notes", 2, "a file of notes")
    >>> writer = notes.writer(about="tea")
    >>> lines = [writer.header, writer.row({"note": "too hot"}), writer.end()]
    >>> found = notes.check([line[:-1] for line in lines], "notes.jsonl")
    >>> found.header["about"], found.rows, found.ended
    ('tea', [{'note': 'too hot'}], True)
    >>> notes.check([lines[0][:-1], lines[2][:-1]], "notes.jsonl")
    Traceback (most recent call last):
    ...
    adeptree.core.errors.DamagedFile: notes.jsonl is damaged in line 2; use an earlier copy
    """

    name: str
    version: int
    called: str
    remedy: str = "use an earlier copy"
    empty: bool = False
    """True if a file without a complete line counts as empty: its writer was killed before the first line."""

    def writer(self, **header: Any) -> LineWriter:
        """Begin a file."""
        return LineWriter({"format": self.name, "version": self.version, **header})

    def read(self, path: str | os.PathLike[str]) -> Lines:
        """Read a file; raise an error if it is missing, damaged or of another version."""
        try:
            with open(path, "rb") as file:
                text = file.read().decode()
        except OSError as error:
            raise StateError(f"{path} could not be read: {error.strerror or error}") from error
        except UnicodeDecodeError as error:
            raise DamagedFile(f"{path} is not {self.called}, or it is damaged: it is not text") from error
        # Text after the last line end is a line cut short.
        return self.check(text.split("\n")[:-1], str(path))

    def check(self, lines: list[str], name: str) -> Lines:
        """Check lines of such a file and return their content."""
        header = self._header(lines, name) if lines or not self.empty else {}
        rows, ended = list[Values](), False
        for number, (before, line) in enumerate(pairwise(lines), start=2):
            try:
                row = unseal(line, before)
                end = row.get("end", number - 1)
                if ended or type(end) is not int or end != number - 1:
                    raise ValueError("not all lines are here, or more than all")
            except UNFIT as error:
                raise damaged(name, number, self.remedy) from error
            ended = "end" in row
            rows += [] if ended else [row]
        return Lines(name, header, rows, ended, self.remedy)

    def _header(self, lines: list[str], name: str) -> Values:
        try:
            found = json.loads(lines[0])
            known, version = found["format"] == self.name, found["version"]
            if known and version == self.version and type(version) is int:
                return unseal(lines[0])
        except UNFIT:
            known = False
        if not known:
            raise DamagedFile(f"{name} is not {self.called} (or its beginning is damaged); {self.remedy}")
        raise unsupported(name, repr(version), self.version)


def damaged(name: str, number: int, remedy: str) -> DamagedFile:
    """Return the error for a line that was altered or forged."""
    return DamagedFile(f"{name} is damaged in line {number}; {remedy}")
