"""Open streams: columns, and rows as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice

from adeptree.core.cell_text import brief
from adeptree.core.errors import InvalidArgument, did_you_mean
from adeptree.runner.rows import Row

LOOKED_AT = 10_000
"""Most rows that are read ahead, including malformed ones."""
LISTED = 30
"""Most columns that a message names."""


@dataclass
class Stream:
    """An open stream with known columns; it returns as many rows at a time as are available."""

    name: str
    columns: list[str]
    source: Iterator[Sequence[Row]]
    unit: str = "line"
    """The unit of row numbers: lines of a text, or rows of a table."""
    form: str = ""
    """Format, separator, header and encoding in words."""
    answers: str = "csv"
    """Format of the answers."""
    live: bool = False
    """True if rows may come slowly, from a pipe."""
    remarks: list[str] = field(default_factory=list)
    """Remarks about the stream."""
    ready: Callable[[], bool] = lambda: True
    """Function that returns True if the next read does not block."""
    share: Callable[[int], float | None] = lambda read: None
    """Function that returns the share of the stream that this many rows are; None if unknown."""
    taken: int = 0
    _read: int = 0
    _ahead: list[Sequence[Row]] = field(default_factory=list)
    """Rows that were read, in the blocks of the source."""
    _place: int = 0
    """Number of rows of the first block that were taken."""

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        for row in self.take(1):
            return row
        raise StopIteration

    def take(self, most: int) -> Sequence[Row]:
        """Return the available rows, at most this many; empty at the end."""
        while not self._ahead or self._place == len(self._ahead[0]):
            if self._ahead:
                self._ahead, self._place = self._ahead[1:], 0
            elif not self._more():
                return []
        rows = self._ahead[0][self._place : self._place + most]
        self._place, self.taken = self._place + len(rows), self.taken + len(rows)
        return rows

    def _more(self) -> bool:
        """Read ahead; return False at the end."""
        found = next(self.source, None)
        self._read += len(found or ())
        self._ahead += [] if found is None else [found]
        return found is not None

    def total(self) -> int | None:
        """Return the number of rows: exact at the end, before that an estimate."""
        share = self.share(self._read)
        return round(self._read / share) if share else None

    def peek(self, wanted: int) -> list[Row]:
        """Return the first good rows, at most this many, without consuming them."""
        while True:
            first = islice(chain.from_iterable(self._ahead), self._place, self._place + LOOKED_AT)
            good = list(islice((row for row in first if not row.fault), wanted))
            enough = len(good) == wanted or sum(map(len, self._ahead)) - self._place >= LOOKED_AT
            if enough or not self._more():
                return good

    def there(self) -> list[Row]:
        """Return the good rows that were read but not consumed."""
        rows = islice(chain.from_iterable(self._ahead), self._place, None)
        return [row for row in rows if not row.fault]

    def place(self, name: str, option: str) -> int:
        """Return the index of a column; raise an error that lists the columns."""
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
        """The index of each column, in a dict, because there may be thousands."""
        found: dict[str, list[int]] = {}
        for place, name in enumerate(self.columns):
            found.setdefault(name, []).append(place)
        return found

    def where(self, row: Row) -> str:
        """Describe the row's position."""
        return f"{self.name}, {self.unit} {row.line}"


def listed(names: Sequence[str]) -> str:
    """Format names for a message.

    >>> listed(["a", "b"]), listed(["a"] * 20_000)[-22:]
    ('a, b', 'a, a and 19,970 others')
    """
    shown = ", ".join(map(brief, names[:LISTED]))
    return shown if len(names) <= LISTED else f"{shown} and {len(names) - LISTED:,} others"
