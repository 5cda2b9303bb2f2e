"""CSV, one row per line: a broken line is one bad row, and never takes its neighbours along."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

from adeptree.app.run.rows import Row, Stream
from adeptree.app.run.text_lines import numbered
from adeptree.core.errors import InvalidArgument
from adeptree.core.visible import counted

LONE_QUOTE = "a quote is opened and not closed, or the other way round; a row must be on one line"


def csv_stream(name: str, lines: Iterable[bytes]) -> Stream:
    """Read the header, and return the rows to come.

    A quoted cell with a line end in it is refused: it looks the same as a stray quote, which would
    swallow good rows, and whoever sends line by line waits for an answer to each.

    >>> stream = csv_stream("f.csv", [b"score,y\\n", b"3,0\\n", b"\\n", b"5\\n", b"12,1\\n"])
    >>> [(row.line, row.cells, row.fault) for row in stream]
    [(2, ['3', '0'], ''), (4, ['5'], 'expected 2 values, got 1 value'), (5, ['12', '1'], '')]
    """
    rows = _rows(numbered(name, lines))
    header = next(rows, None)
    if header is None:
        raise InvalidArgument(f"{name} is empty; expected a line of column names, then rows")
    if header.fault:
        raise InvalidArgument(f"{name}, line {header.line}: {header.fault}")
    columns = [column.strip() for column in header.cells]
    if len(columns) < 2:
        raise InvalidArgument(f"{name} has the one column {columns[0]!r}; expected at least two, split by commas")
    return Stream(name, columns, _checked(rows, len(columns)))


def _rows(lines: Iterator[tuple[int, str, str]]) -> Iterator[Row]:
    """Yield one row per line; blank ones are left out."""
    for number, line, fault in lines:
        row = Row(number, [], fault) if fault else _parsed(number, line)
        if row.cells or row.fault:
            yield row


def _parsed(number: int, line: str) -> Row:
    # Quotes come in pairs, also those that stand for one (""): so both ends of a torn cell are seen.
    if line.count('"') % 2:
        return Row(number, [], LONE_QUOTE)
    try:
        return Row(number, next(csv.reader([line], strict=True), []))
    except csv.Error as error:
        return Row(number, [], f"not proper CSV: {error}")


def _checked(rows: Iterator[Row], width: int) -> Iterator[Row]:
    for row in rows:
        if row.fault or len(row.cells) == width:
            yield row
        else:
            yield Row(
                row.line, row.cells, f"expected {counted(width, 'value')}, got {counted(len(row.cells), 'value')}"
            )
