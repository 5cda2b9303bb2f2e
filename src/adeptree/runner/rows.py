"""Rows of texts, into which every stream format is read, and their checksum."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple


class Row(NamedTuple):
    """One row: its line in the stream and its cells, a missing one as "", or its fault."""

    line: int
    cells: list[str]
    fault: str = ""


NEW_ROW = partial(tuple.__new__, Row)
"""Like ``Row._make``, but without a Python call per row."""


class LabelRow(Row):
    """A row of ``--labels``: a key and a label in the stream's columns. It needs no answer."""


def digest(rows: Iterable[Row], before: int) -> int:
    """Continue the checksum of previous rows, which does not depend on line numbers or on the format.

    Rows of ``--labels`` are not included.

    >>> a, b = Row(2, ["a", "1"]), Row(9, ["a", "1"])
    >>> digest([a, b], 0) == digest([b], digest([a], 0)) != digest([Row(2, ["a1"]), b], 0)
    True
    """
    return digest_of(joined([row for row in rows if type(row) is not LabelRow]), before)


def joined(rows: Iterable[Row]) -> str:
    """Return the cells and the fault of every row as one text."""
    return "".join(["\x1f".join([*cells, fault]) + "\n" for _, cells, fault in rows])


def digest_of(text: str, before: int) -> int:
    """Continue the checksum with rows that are joined."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"), before)


def parted(text: str, lines: list[int]) -> list[Row]:
    """Split joined rows without faults again, given their line numbers.

    >>> rows = [Row(2, ["a", ""]), Row(3, ["b", "1"])]
    >>> parted(joined(rows), [2, 3]) == rows
    True
    """
    return [Row(line, row.split("\x1f")[:-1]) for line, row in zip(lines, text.split("\n")[:-1], strict=True)]


def block_of(rows: list[Row]) -> dict[str, Any]:
    """Encode rows for the journal; rows without faults become one text, which is faster.

    >>> block = block_of([Row(2, ["a", "1"]), Row(4, ["b", "0"])])
    >>> block, rows_in({"from": 1} | block) == [Row(2, ["a", "1"]), Row(4, ["b", "0"])]
    ({'text': [[2, 4], 'a\\x1f1\\x1f\\nb\\x1f0\\x1f\\n']}, True)
    """
    text, cells = joined(rows), sum(len(row.cells) for row in rows)
    plain = text.count("\n") == len(rows) and text.count("\x1f") == cells and set(map(type, rows)) == {Row}
    if len(rows) > 1 and plain and not any(row.fault for row in rows):
        return {"text": [[row.line for row in rows], text]}
    return {"rows": list(map(_entry, rows))}


def rows_in(values: dict[str, Any]) -> list[Row]:
    """Decode the rows of a block; raises an error such as ValueError if it is malformed."""
    if "text" not in values:
        return list(map(_row, values["rows"]))
    lines, text = values["text"]
    if not all(type(line) is int and line > 0 for line in lines) or not text.endswith("\n"):
        raise ValueError
    return parted(text, lines)


def _entry(row: Row) -> list[Any]:
    """Encode a row for the journal.

    >>> _entry(Row(2, ["3", "0"])), _row(_entry(Row(2, ["3", "0"])))
    (['row', 2, ['3', '0'], ''], Row(line=2, cells=['3', '0'], fault=''))
    """
    return ["label" if isinstance(row, LabelRow) else "row", *row]


def _row(entry: list[Any]) -> Row:
    """Decode a row; raises an error such as ValueError if it is malformed."""
    kind, place, cells, fault = entry
    if type(place) is not int or place < 1 or not isinstance(fault, str) or not is_texts(cells):
        raise ValueError
    return {"row": Row, "label": LabelRow}[kind](place, cells, fault)


def is_texts(value: object) -> bool:
    """Return True if a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(text, str) for text in value)
