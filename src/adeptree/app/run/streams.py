"""An open stream: its columns, and its rows as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from adeptree.core.cell_text import brief
from adeptree.core.errors import InvalidArgument, did_you_mean
from adeptree.runner.rows import Row

LOOKED_AT = 10_000
"""No more rows than this are looked at beforehand, however many of them are broken."""
LISTED = 30
"""Columns that a sentence names; of more, the first ones."""


@dataclass
class Stream:
    """An open stream: its columns are known, its rows come as many at a time as there are."""

    name: str
    columns: list[str]
    source: Iterator[list[Row]]
    unit: str = "line"
    """What the number of a row counts: lines of a text, or rows of a table."""
    form: str = ""
    """Format, separator, header and encoding in words."""
    answers: str = "csv"
    """Form of the answers that fit to it."""
    live: bool = False
    """Whether its rows may come slowly, from a pipe."""
    remarks: list[str] = field(default_factory=list)
    """What is to be said of it, as it is found."""
    ready: Callable[[], bool] = lambda: True
    """Whether reading on need not wait for a pipe."""
    share: Callable[[int], float | None] = lambda read: None
    """Which part of it so many rows are that were read; None if nobody knows."""
    taken: int = 0
    _read: int = 0
    _ahead: Iterator[Row] = field(default_factory=lambda: iter(()))

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        for row in self.take(1):
            return row
        raise StopIteration

    def take(self, most: int) -> list[Row]:
        """Return the next rows: those that are there, at most so many; none at the end."""
        while not (rows := list(islice(self._ahead, most))):
            if (found := self._next()) is None:
                break
            self._ahead = iter(found)
        self.taken += len(rows)
        return rows

    def _next(self) -> list[Row] | None:
        found = next(self.source, None)
        self._read += len(found or ())
        return found

    def total(self) -> int | None:
        """Return how many rows it has: exactly at its end, and before as far as what was read tells."""
        share = self.share(self._read)
        return round(self._read / share) if share else None

    def peek(self, wanted: int) -> list[Row]:
        """Return the first so many good rows (fewer if there are no more); they are still to come."""
        rows = list(self._ahead)
        while len(rows) < LOOKED_AT and sum(not row.fault for row in rows) < wanted:
            if (found := self._next()) is None:
                break
            rows += found
        self._ahead = iter(rows)
        return [row for row in rows[:LOOKED_AT] if not row.fault][:wanted]

    def there(self) -> list[Row]:
        """Return the good rows that were read, and are still to come."""
        rows = list(self._ahead)
        self._ahead = iter(rows)
        return [row for row in rows if not row.fault]

    def place(self, name: str, option: str) -> int:
        """Return where the column is, or say which columns there are."""
        found = self._places.get(name, [])
        if len(found) == 1:
            return found[0]
        if found:
            raise InvalidArgument(f'{option}: {self.name} has {len(found)} columns called "{name}"; rename all but one')
        raise InvalidArgument(
            f'{option}: {self.name} has no column "{name}"{did_you_mean(name, self.columns)} '
            f"Its columns are: {listed(self.columns)}"
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
