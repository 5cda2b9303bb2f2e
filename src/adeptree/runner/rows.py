"""Rows of texts, into which every stream format is read, and their checksum."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from adeptree.core.types import FloatArray


class Row(NamedTuple):
    """One row: its line in the stream and its cells, a missing one as "", or its fault."""

    line: int
    cells: list[str]
    fault: str = ""


NEW_ROW = partial(tuple.__new__, Row)
"""Like ``Row._make``, but without a Python call per row."""
PLAIN = b"0123456789.-+eE\n"
"""Characters of numbers that NumPy and Python read alike, and the line end."""
LONG_LINE = 1 << 17
"""A longer line may have a cell that is too long, or be too long itself; the reader of single lines decides."""
EXACT = 2.0**53
"""Whole numbers below this are exact as floats."""


class LabelRow(Row):
    """A row of ``--labels``: a key and a label in the stream's columns. It needs no answer."""


class NumberRows(Sequence[Row]):
    """Rows on consecutive lines whose cells are numbers below 2**53: an array, and a text that is made on demand.

    >>> rows = NumberRows(2, np.array([[1.0, 0.5], [2.0, 10.0]]), lambda: b"1,.5\\n2,1e1", ",")
    >>> rows[1], rows[1:].text, rows.texts(1)
    (Row(line=3, cells=['2', '1e1'], fault=''), b'2,1e1', ['.5', '1e1'])
    """

    def __init__(self, first: int, values: FloatArray, text: Callable[[], bytes], sep: str) -> None:
        self.first, self.values, self.sep, self._text = first, values, sep, text

    @classmethod
    def read(cls, first: int, text: bytes, sep: str) -> NumberRows | None:
        """Parse lines of cells; None if a cell is not a plain number, or a line has another number of cells.

        >>> NumberRows.read(2, b"1,2\\r\\n3,1e2", ",").values.tolist(), NumberRows.read(2, b"1, 2\\n3,4", ",")
        ([[1.0, 2.0], [3.0, 100.0]], None)
        """
        text = text.replace(b"\r\n", b"\n").removesuffix(b"\r")
        if text[:1] in (b"", b"\n") or text.translate(None, PLAIN + sep.encode()):
            return None
        ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
        if np.diff(ends, prepend=-1, append=len(text)).max() > LONG_LINE:
            return None
        try:
            values = np.loadtxt(io.StringIO(text.decode()), delimiter=sep, comments=None, ndmin=2)
        except ValueError:
            return None
        # NumPy leaves out blank lines. The text of a larger number may differ from its float.
        whole = len(values) == text.count(b"\n") + 1 and (np.abs(values) < EXACT).all()
        return cls(first, values, lambda: text, sep) if whole else None

    @cached_property
    def text(self) -> bytes:
        """Text of the rows, a line of cells each."""
        return self._text()

    @cached_property
    def _ends(self) -> list[int]:
        """Places of the line ends in the text, after that of the line before."""
        return [-1, *np.flatnonzero(np.frombuffer(self.text, np.uint8) == ord("\n")).tolist(), len(self.text)]

    def texts(self, place: int) -> list[str]:
        """Return the cells of a column."""
        return self.text.decode().replace("\n", self.sep).split(self.sep)[place :: self.values.shape[1]]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, place: Any) -> Any:
        if not isinstance(place, slice):
            return list(self)[place]
        start, stop, _ = place.indices(len(self))
        values, text = self.values[start:stop], lambda: self.text[self._ends[start] + 1 : self._ends[stop]]
        return NumberRows(self.first + start, values, text, self.sep)

    def __iter__(self) -> Iterator[Row]:
        lines = self.text.decode().split("\n")
        return (Row(self.first + place, line.split(self.sep)) for place, line in zip(range(len(self)), lines))  # noqa: B905


def digest(rows: Sequence[Row], before: int) -> int:
    """Continue the checksum of previous rows, which does not depend on line numbers or on the format.

    Rows of ``--labels`` are not included.

    >>> a, b = Row(2, ["a", "1"]), Row(9, ["a", "1"])
    >>> digest([a, b], 0) == digest([b], digest([a], 0)) != digest([Row(2, ["a1"]), b], 0)
    True
    >>> numbers = NumberRows(5, np.array([[1.0, 0.5], [2.0, 10.0]]), lambda: b"1,.5\\n2,1e1", ",")
    >>> digest(numbers, 7) == digest(list(numbers), 7)
    True
    """
    if isinstance(rows, NumberRows):
        return zlib.crc32(rows.text.replace(rows.sep.encode(), b"\x1f").replace(b"\n", b"\x1f\n") + b"\x1f\n", before)
    text = "".join(["\x1f".join([*row.cells, row.fault]) + "\n" for row in rows if type(row) is not LabelRow])
    return zlib.crc32(text.encode("utf-8", "surrogatepass"), before)


def block_of(rows: Sequence[Row]) -> dict[str, Any]:
    """Encode rows for the journal; rows without faults become one text, which is faster.

    >>> block = block_of([Row(2, ["a", "1"]), Row(4, ["b", "0"])])
    >>> block, rows_in({"from": 1} | block) == [Row(2, ["a", "1"]), Row(4, ["b", "0"])]
    ({'text': [[2, 4], '\\x1f', 'a\\x1f1\\nb\\x1f0']}, True)
    >>> block_of(NumberRows(5, np.array([[1.0, 0.5], [2.0, 10.0]]), lambda: b"1,.5\\n2,1e1", ","))
    {'text': [5, ',', '1,.5\\n2,1e1']}
    """
    if isinstance(rows, NumberRows):
        return {"text": [rows.first, rows.sep, rows.text.decode()]}
    text, cells = "\n".join(["\x1f".join(row.cells) for row in rows]), sum(len(row.cells) for row in rows)
    plain = text.count("\n") + 1 == len(rows) == cells - text.count("\x1f") and set(map(type, rows)) == {Row}
    if len(rows) > 1 and plain and all(row.cells and not row.fault for row in rows):
        return {"text": [[row.line for row in rows], "\x1f", text]}
    return {"rows": [["label" if isinstance(row, LabelRow) else "row", *row] for row in rows]}


def rows_in(values: dict[str, Any]) -> list[Row]:
    """Decode the rows of a block; raises an error such as ValueError if it is malformed.

    >>> rows_in({"text": [5, ",", "1,.5\\n2,1e1"]})[1], rows_in({"rows": [["row", 2, ["3", "0"], ""]]})
    (Row(line=6, cells=['2', '1e1'], fault=''), [Row(line=2, cells=['3', '0'], fault='')])
    """
    if "text" not in values:
        return list(map(_row, values["rows"]))
    lines, sep, text = values["text"]
    texts = text.split("\n")
    lines = lines if isinstance(lines, list) else list(range(lines, lines + len(texts)))
    if not all(type(line) is int and line > 0 for line in lines) or len(sep) != 1:
        raise ValueError
    return [Row(line, row.split(sep)) for line, row in zip(lines, texts, strict=True)]


def _row(entry: list[Any]) -> Row:
    """Decode a row; raises an error such as ValueError if it is malformed."""
    kind, place, cells, fault = entry
    if type(place) is not int or place < 1 or not isinstance(fault, str) or not is_texts(cells):
        raise ValueError
    return {"row": Row, "label": LabelRow}[kind](place, cells, fault)


def is_texts(value: object) -> bool:
    """Return True if a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(text, str) for text in value)
