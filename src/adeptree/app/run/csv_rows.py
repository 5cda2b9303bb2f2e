"""CSV, one row per line: a broken line is one bad row, and never takes its neighbours along."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, count, repeat

from adeptree.app.run.rows import Row, Stream
from adeptree.app.run.text_lines import LONGEST, numbered, text_of
from adeptree.core.errors import InvalidArgument
from adeptree.core.visible import counted

LONE_QUOTE = "a quote is opened and not closed, or the other way round; a row must be on one line"
_NEW_ROW = partial(tuple.__new__, Row)  # what Row._make does, without a step of Python for every row
Lines = tuple[int, list[bytes]]
"""The number of the first of some lines, and the lines."""


def csv_stream(name: str, chunks: Iterable[list[bytes]]) -> Stream:
    """Read the header, and return the rows to come.

    A quoted cell with a line end in it is refused: it looks the same as a stray quote, which would
    swallow good rows, and whoever sends line by line waits for an answer to each.

    >>> stream = csv_stream("f.csv", [[b"score,y", b"3,0", b"", b"5"], [b"12,1"]])
    >>> [(row.line, row.cells, row.fault) for row in stream]
    [(2, ['3', '0'], ''), (4, ['5'], 'expected 2 values, got 1 value'), (5, ['12', '1'], '')]
    """
    lines = numbered(name, chunks)
    header, rest = _header(name, lines)
    if header.fault:
        raise InvalidArgument(f"{name}, line {header.line}: {header.fault}")
    columns = [column.strip() for column in header.cells]
    if len(columns) < 2:
        raise InvalidArgument(f"{name} has the one column {columns[0]!r}; expected at least two, split by commas")
    width = len(columns)
    return Stream(name, columns, (_rows(*some, width) for some in chain([rest], lines)))


def _header(name: str, lines: Iterator[Lines]) -> tuple[Row, Lines]:
    """Return the first row that is not blank, and the lines read with it that come after it."""
    for first, some in lines:
        for number, line in enumerate(some, first):
            row = _row(number, line)
            if row.cells or row.fault:
                return row, (number + 1, some[number + 1 - first :])
    raise InvalidArgument(f"{name} is empty; expected a line of column names, then rows")


def _rows(first: int, lines: list[bytes], width: int) -> list[Row]:
    """Return one row per line; blank ones are left out."""
    if len(lines) > 1 and (rows := _together(first, lines, width)) is not None:
        return rows
    rows = [_row(number, line, width) for number, line in enumerate(lines, first)]
    return [row for row in rows if row.cells or row.fault]


def _together(first: int, lines: list[bytes], width: int) -> list[Row] | None:
    """Return the rows of sound lines, read at once; None if they must be read line by line to tell which are not."""
    content = b"\n".join(lines)
    try:
        texts = content.decode().split("\n")
        if len(content) > LONGEST or (b'"' in content and any(text.count('"') % 2 for text in texts)):
            return None
        # As many rows as lines: so each line was a row of its own, as it is when read alone.
        cells = list(csv.reader(texts, strict=True))
    except (UnicodeDecodeError, csv.Error):
        return None
    if len(cells) != len(lines) or set(map(len, cells)) != {width}:
        return None
    return list(map(_NEW_ROW, zip(count(first), cells, repeat(""), strict=False)))


def _row(number: int, line: bytes, width: int | None = None) -> Row:
    text, fault = text_of(line)
    # Quotes come in pairs, also those that stand for one (""): so both ends of a torn cell are seen.
    if fault or text.count('"') % 2:
        return Row(number, [], fault or LONE_QUOTE)
    try:
        cells = next(csv.reader([text], strict=True), [])
    except csv.Error as error:
        return Row(number, [], f"not proper CSV: {error}")
    if width in (None, len(cells)) or not cells:
        return Row(number, cells)
    return Row(number, cells, f"expected {counted(width, 'value')}, got {counted(len(cells), 'value')}")
