"""Read CSV: detect the separator and the header. A malformed line is one bad row and does not affect its neighbours."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, repeat

from adeptree.app.run.streams import Stream
from adeptree.app.run.text_lines import LONGEST, Decoder, numbered
from adeptree.core.cell_text import is_missing, is_number
from adeptree.core.errors import InvalidArgument
from adeptree.core.escaping import counted
from adeptree.runner.rows import NEW_ROW, NumberRows, Row

LONE_QUOTE = "a quote is opened and not closed, or the other way round"
SEPARATORS = ",;\t|"
SPLIT_BY = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "spaces"}
MOST_LINES = 1000
"""Most lines of a quoted cell."""
_COMMA = re.compile(r"\s*[-+]?(\d+|\d{1,3}(\.\d{3})+)?(,\d+)?([eE][-+]?\d+)?\s*")
"""A number with a decimal comma and optional dots between thousands."""


@dataclass(frozen=True)
class Form:
    """The format of a text of rows; None means to be detected."""

    sep: str | None = None
    encoding: str | None = None
    decimal: str = "."
    header: bool | None = None
    lines: bool = False
    """True if a quoted cell may hold line ends. If not, each line is a row, as needed if each is answered at once."""
    lenient: bool = False
    """True if a line that is not valid UTF-8 is read as cp1252."""
    also: tuple[str, ...] = ()
    """Columns that the first object of NDJSON may lack."""


def csv_stream(name: str, chunks: Iterable[bytes], form: Form | None = None) -> Stream:
    """Read the header, and return the stream of the remaining rows.

    >>> stream = csv_stream("f.csv", [b"score;y\\n3;0\\n\\n5", b"12;1"])
    >>> [(row.line, row.cells, row.fault) for row in stream]
    [(2, ['3', '0'], ''), (4, ['5'], 'expected 2 values, got 1 value'), (5, ['12', '1'], '')]
    """
    reader = _Reader(name, chunks, form or Form())
    columns, remarks = reader.header()
    return Stream(name, columns, reader.rows(), form=reader.form(), remarks=remarks)


class _Reader:
    """The lines of a stream, some read ahead, with the detected format."""

    def __init__(self, name: str, chunks: Iterable[bytes], form: Form) -> None:
        self._name, self._form, self._chunks = name, form, numbered(name, chunks)
        self._first, self._lines = 1, list[bytes]()
        self._remarks: list[str] = []
        self._decoder = Decoder(name, form.encoding, form.lenient, self._remarks)
        self._sep, self._width, self._kinds = form.sep or ",", 0, list[bool]()

    def _more(self) -> bool:
        """Read ahead; return False at the end."""
        found = next(self._chunks, None)
        if found is not None:
            self._lines += found[1].split(b"\n")
        return found is not None

    def _pass(self, lines: int) -> None:
        self._first, self._lines = self._first + lines, self._lines[lines:]

    # --- Header --------------------------------------------------------------------------------------

    def header(self) -> tuple[list[str], list[str]]:
        """Return the columns and remarks about them; the rows are not read yet."""
        name, form = self._name, self._form
        while not self._lines or not self._lines[0].strip():
            if self._lines:
                self._pass(1)
            elif not self._more():
                raise InvalidArgument(f"{name} is empty; expected a line of column names, then rows")
        if form.sep is None:
            self._sep = self._found_separator()
        row, used = self._row(0)
        if row.fault:
            raise InvalidArgument(f"{name}, line {row.line}: {row.fault}")
        columns = [column.strip() for column in row.cells]
        self._width = len(columns)
        if len(columns) < 2:
            raise InvalidArgument(
                f"{name} has the one column {columns[0]!r}; expected at least two, split by , ; | tabs or spaces, "
                f"or by what --sep says"
            )
        numbers = [text for text in columns if is_number(text)]
        rest = [text for text in columns if text and not is_number(text)]
        found = not numbers or (bool(rest) and not any("." in text for text in numbers))
        if found and numbers and form.header is None:
            self._remarks.append(
                f"{name} has numbers among its columns' names; if its first line is a row, add --no-header"
            )
        self._headed = found if form.header is None else form.header
        if self._headed:
            self._pass(used)
            return self._named(columns), self._remarks
        columns = [f"c{place}" for place in range(1, len(columns) + 1)]
        if form.header is None:
            self._remarks.append(
                f"{name} has no header, as its first line holds {'numbers' if rest else 'numbers only'}: its columns "
                f"are called c1 to {columns[-1]}; if that line does name them, add --header"
            )
        return columns, self._remarks

    def form(self) -> str:
        """Describe the format in words."""
        header = "with a header" if self._headed else "without a header"
        return f"CSV, separated by {SPLIT_BY.get(self._sep, self._sep)}, {header}, decimal {self._form.decimal}"

    def _named(self, columns: list[str]) -> list[str]:
        """Name columns without a name, in which pandas and R write row numbers."""
        nameless = [place for place, column in enumerate(columns) if not column]
        for place in nameless:
            name = f"c{place + 1}"
            while name in columns:
                name += "_"
            columns[place] = name
        if nameless:
            names = ", ".join(columns[place] for place in nameless[:3]) + (", ..." if len(nameless) > 3 else "")
            self._remarks.append(f"{self._name} has columns without a name: here they are called {names}")
        return columns

    def _found_separator(self) -> str:
        """Return the separator of the first line; among several, the one that splits the next line equally often."""
        splits = {sep: self._count(0, sep) for sep in SEPARATORS if not (sep == "," == self._form.decimal)}
        able = [sep for sep, cells in splits.items() if cells > 1]
        if not able and self._count(0, " ") > 1:
            # Spaces may be part of the name of a single column: then the next line has another number of cells.
            alone = not self._form.lines or not (len(self._lines) > 1 or self._more())
            able = [" "] if alone or self._count(1, " ") == self._count(0, " ") else []
            splits[" "] = 0
        if len(able) > 1 and self._form.lines and (len(self._lines) > 1 or self._more()):
            able = [sep for sep in able if self._count(1, sep) == splits[sep]] or able
        # a comma in prose, as in "weight, kg;height, cm", is followed by a space
        first = self._lines[0]
        return max(able, key=lambda sep: (splits[sep], f"{sep} ".encode() not in first), default=",")

    def _count(self, place: int, sep: str) -> int:
        text, _ = self._decoder(self._lines[place], self._first + place)
        try:
            return len(next(_split([text], sep), []))
        except csv.Error:
            return 0

    # --- Rows ----------------------------------------------------------------------------------------

    def rows(self) -> Iterator[Sequence[Row]]:
        """Yield the available rows without blank lines."""
        while found := (self._first, b"\n".join(self._lines)) if self._lines else next(self._chunks, None):
            size = found[1].count(b"\n") + 1
            rows: Sequence[Row] | None = self._numbers(found[1])
            if rows is None:
                self._lines = self._lines or found[1].split(b"\n")
                rows = self._together(found[1]) if size > 1 else None
            if rows is None:
                rows, place = [], 0
                while place < size:
                    row, used = self._row(place)
                    rows += [row] if row.cells or row.fault else []
                    place += used
                size = place
            self._pass(size)
            yield rows

    def _numbers(self, content: bytes) -> NumberRows | None:
        """Return the rows of lines that hold plain numbers only; None if there are other lines."""
        able = self._sep in SEPARATORS and self._form.decimal == "." and self._form.lines
        rows = NumberRows.read(self._first, content, self._sep) if able else None
        if rows is None or rows.values.shape[1] != self._width:
            return None
        self._kinds = self._kinds or [True] * self._width
        return rows

    def _together(self, content: bytes) -> list[Row] | None:
        """Return the rows of valid lines, read at once; None if they must be checked line by line."""
        lines = self._lines
        texts = None if len(content) > LONGEST else self._decoder.many(content, lines, self._first)
        if texts is None or (b'"' in content and any(text.count('"') % 2 for text in texts)):
            return None
        try:
            # As many rows as lines, so each line is one row, as it is when read alone.
            cells = list(_split(texts, self._sep, strict=True))
        except csv.Error:
            return None
        if len(cells) != len(lines) or set(map(len, cells)) != {self._width}:
            return None
        if self._form.decimal == ",":
            cells = [list(map(_with_point, row)) for row in cells]
        self._note(cells[0])
        return list(map(NEW_ROW, zip(count(self._first), cells, repeat(""), strict=False)))

    def _note(self, cells: list[str]) -> None:
        """Store which cells of the first row are numbers."""
        if not self._kinds and self._width and cells:
            self._kinds = list(map(is_number, cells))

    def _row(self, place: int) -> tuple[Row, int]:
        """Return the row that begins with a line, and its number of lines."""
        number = self._first + place
        text, fault = self._decoder(self._lines[place], number)
        # Quotes come in pairs, also escaped ones (""), so both ends of a torn cell are detected.
        if fault or text.count('"') % 2:
            joined = None if fault or not self._form.lines else self._joined(place, text)
            cells, used = joined or ([], 1)
            return Row(number, cells, "" if joined else fault or LONE_QUOTE), used
        try:
            found = self._cells([text])
        except csv.Error as error:
            why = "a carriage return inside a line; expected a text file" if "new-line" in str(error) else error
            return Row(number, [], f"not proper CSV: {why}"), 1
        if self._width in (0, len(found)) or not found:
            self._note(found)
            return Row(number, found), 1
        return Row(number, found, f"expected {counted(self._width, 'value')}, got {counted(len(found), 'value')}"), 1

    def _cells(self, texts: list[str]) -> list[str]:
        rows = list(_split(["".join(texts)] if self._sep == " " else texts, self._sep, strict=True))
        if len(rows) > 1:
            raise csv.Error("a line end outside of quotes")
        cells = rows[0] if rows else []
        return list(map(_with_point, cells)) if self._form.decimal == "," else cells

    def _joined(self, place: int, text: str) -> tuple[list[str], int] | None:
        """Return the cells of a row over several lines, and the number of lines; None if the quote was a stray one.

        The quote is a stray one if the row has the wrong number of cells, or if a line in between looks like a row,
        which the quote would swallow.
        """
        texts, length = [text + "\n"], len(text)
        while len(texts) <= MOST_LINES and length <= LONGEST:
            if place + len(texts) >= len(self._lines) and not self._more():
                return None
            text, fault = self._decoder(self._lines[place + len(texts)], self._first + place + len(texts))
            texts, length = [*texts, text + "\n"], length + len(text)
            if fault:
                return None
            if text.count('"') % 2:
                try:
                    cells = self._cells(texts)
                except csv.Error:
                    return None
                return (cells, len(texts)) if self._width in (0, len(cells)) else None
            if self._looks_like_row(text):
                return None
        return None

    def _looks_like_row(self, text: str) -> bool:
        """Return True if a line alone has the right number of cells, with numbers where the first row has numbers."""
        try:
            cells = self._cells([text])
        except csv.Error:
            return False
        if len(cells) != self._width or all(map(is_missing, cells)):
            return False
        kinds = zip(cells, self._kinds, strict=False)
        return all(is_missing(cell) or is_number(cell) == kind for cell, kind in kinds)


def _split(texts: list[str], sep: str, strict: bool = False) -> Iterator[list[str]]:
    """Return the cells of lines; a run of spaces is one separator, and spaces at the ends of a line are none.

    >>> list(_split(['  a   "b  c" d ', "1 2"], " ")), list(_split([" a  b"], ","))
    ([['a', 'b  c', 'd'], ['1', '2']], [[' a  b']])
    """
    if sep == " ":
        texts = [text.strip(" \r\n") for text in texts]
    return csv.reader(texts, delimiter=sep, strict=strict, skipinitialspace=sep == " ")


def has_comma(text: str) -> bool:
    """Return True if a cell is a number with a decimal comma."""
    return "," in text and _COMMA.fullmatch(text) is not None


def _with_point(text: str) -> str:
    """Return a cell with a point in place of a decimal comma.

    >>> [_with_point(text) for text in ("3,5", "-1.234,5", "1.234", "1.5", "a,b", "12.03.2020")]
    ['3.5', '-1234.5', '1234', '1.5', 'a,b', '12.03.2020']
    """
    return text.replace(".", "").replace(",", ".") if _COMMA.fullmatch(text) and text.strip() else text
