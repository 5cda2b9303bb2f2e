"""What every format of stream is read into: rows of texts, each with its place in the stream."""

from __future__ import annotations

import difflib
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from adeptree.core.cells import brief
from adeptree.core.errors import InvalidArgument

LOOKED_AT = 10_000
"""No more rows than this are read ahead, however many of them are broken."""
LISTED = 30
"""Columns that a sentence names; of more, the first ones."""


@dataclass(frozen=True)
class Row:
    """One row: its line in the stream and its cells, a missing one as ""; or what is wrong with it."""

    line: int
    cells: list[str]
    fault: str = ""

    def digest(self, before: int) -> int:
        """Go on with the checksum of the rows before this one (where they stood does not matter).

        >>> Row(2, ["a", "1"]).digest(0) == Row(9, ["a", "1"]).digest(0) != Row(2, ["a1"]).digest(0)
        True
        """
        return zlib.crc32("\x1f".join([*self.cells, self.fault]).encode("utf-8", "surrogatepass") + b"\n", before)


@dataclass
class Stream:
    """An open stream: its columns are known, its rows come one by one."""

    name: str
    columns: list[str]
    source: Iterator[Row]
    unit: str = "line"
    """What the number of a row counts: lines of a text, or rows of a table."""
    answers: str = "csv"
    """Form of the answers that fit to it."""
    _ahead: deque[Row] = field(default_factory=deque)

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        return self._ahead.popleft() if self._ahead else next(self.source)

    def peek(self, wanted: int) -> list[Row]:
        """Return the first so many good rows (fewer if there are no more); they are still to come."""
        good = [row for row in self._ahead if not row.fault]
        while len(good) < wanted and len(self._ahead) < LOOKED_AT and (row := next(self.source, None)):
            self._ahead.append(row)
            if not row.fault:
                good.append(row)
        return good

    def place(self, name: str, option: str) -> int:
        """Return where the column is, or say which columns there are."""
        found = self._places.get(name, [])
        if len(found) == 1:
            return found[0]
        if found:
            raise InvalidArgument(f'{option}: {self.name} has {len(found)} columns called "{name}"; rename all but one')
        near = difflib.get_close_matches(name, self.columns, n=1)
        hint = f'; did you mean "{near[0]}"?' if near else "."
        raise InvalidArgument(
            f'{option}: {self.name} has no column "{name}"{hint} Its columns are: {listed(self.columns)}'
        )

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Where each column is: with thousands of them nobody wants to search for each."""
        found: dict[str, list[int]] = {}
        for place, name in enumerate(self.columns):
            found.setdefault(name, []).append(place)
        return found

    def where(self, row: Row) -> str:
        """Return the row's place in words."""
        return f"{self.name}, {self.unit} {row.line}"


def listed(names: Sequence[str]) -> str:
    """Return names for a sentence.

    >>> listed(["a", "b"]), listed(["a"] * 20_000)[-22:]
    ('a, b', 'a, a and 19,970 others')
    """
    shown = ", ".join(map(brief, names[:LISTED]))
    return shown if len(names) <= LISTED else f"{shown} and {len(names) - LISTED:,} others"
