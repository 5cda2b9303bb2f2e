"""Streams of labelled rows for the command line: a CSV file, stdin or a bundled one, read into (x, y)."""

from __future__ import annotations

import csv
import difflib
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from itertools import islice
from typing import Any

from adeptree.classes import BlockUnions, ConceptClass, Conjunctions, Disjunctions, FiniteClass, Parities, Stumps
from adeptree.errors import InvalidArgument, InvalidInstance, InvalidLabel, StateError

BUNDLED = {"machine-alarms": ("machine_alarms.csv", "thresholds(n=1024)")}
"""Name of each bundled stream: its file, and the rules that go with it."""

LABELS = {"0": 0, "1": 1, "false": 0, "true": 1}


@dataclass(frozen=True)
class Example:
    """One row: the instance, its label, and the instance as the file wrote it."""

    x: Any
    y: int
    text: str


@dataclass(frozen=True)
class Layout:
    """Which columns hold x and the label, and how their texts become an instance."""

    names: tuple[str, ...]
    places: tuple[int, ...]
    label: int
    convert: Callable[[Sequence[str]], Any]


@dataclass
class Stream:
    """An open stream: its header has been read, its rows come as (line number, values)."""

    name: str
    columns: list[str]
    rows: Iterable[tuple[int, list[str]]]

    def count(self) -> int:
        """Read to the end, and return the number of rows."""
        self.rows = list(self.rows)
        return len(self.rows)

    def skip(self, rows: int) -> None:
        """Pass over so many rows; they are not even looked at."""
        self.rows = islice(self.rows, rows, None)

    def layout(self, concept_class: ConceptClass, x: str | None, label: str | None) -> Layout:
        """Find the columns; by default the label is the last one and x the rest."""
        name = label or self.columns[-1]
        place = self._place(name, "--label")
        others = [column for i, column in enumerate(self.columns) if i != place]
        names, convert = _reading(concept_class, x, others)
        places = tuple(self._place(column, "--x") for column in names)
        if place in places:
            raise InvalidArgument(f'"{name}" is the label, so it cannot be part of x; choose with --x and --label')
        return Layout(tuple(names), places, place, convert)

    def examples(self, concept_class: ConceptClass, layout: Layout) -> Iterator[Example]:
        """Read the rows one by one; a wrong one is named by its line."""
        for line, values in self.rows:
            where = f"{self.name}, line {line}"
            if len(values) != len(self.columns):
                raise InvalidArgument(f"{where}: expected {_values(len(self.columns))}, got {_values(len(values))}")
            texts = [values[place].strip() for place in layout.places]
            try:
                x = concept_class.instance(layout.convert(texts))
            except InvalidInstance as error:
                raise InvalidInstance(f"{where}, column {', '.join(layout.names)}: {error}") from None
            y = LABELS.get(values[layout.label].strip().lower())
            if y is None:
                column, got = self.columns[layout.label], values[layout.label]
                raise InvalidLabel(f"{where}, column {column}: a label must be 0, 1, true or false; got {got!r}")
            yield Example(x, y, " ".join(texts))

    def _place(self, name: str, option: str) -> int:
        found = self.columns.count(name)
        if found == 1:
            return self.columns.index(name)
        if found:
            raise InvalidArgument(f'{option}: {self.name} has {found} columns called "{name}"; rename all but one')
        near = difflib.get_close_matches(name, self.columns, n=1)
        hint = f'; did you mean "{near[0]}"?' if near else "."
        raise InvalidArgument(
            f'{option}: {self.name} has no column "{name}"{hint} Its columns are: {", ".join(self.columns)}'
        )


@contextmanager
def open_stream(source: str) -> Iterator[Stream]:
    """Open a CSV path, ``-`` for stdin, or a bundled stream, and read its header."""
    name = "stdin" if source == "-" else source
    with _opened(source) as lines:
        rows = _rows(name, lines)
        _, header = next(rows, (0, []))
        if not header:
            raise InvalidArgument(f"{name} is empty; expected a line of column names, then rows")
        if len(header) < 2:
            raise InvalidArgument(f"{name} has the one column {header[0]!r}; expected at least two, split by commas")
        yield Stream(name, [column.strip() for column in header], rows)


@contextmanager
def _opened(source: str) -> Iterator[Iterable[str]]:
    # A byte-order mark, as spreadsheets write it, is not part of the first column's name.
    encoding = "utf-8-sig"
    if source == "-":
        if sys.stdin is None:
            raise InvalidArgument("stdin is closed; give a file, or pipe rows in")
        lines = io.TextIOWrapper(sys.stdin.buffer, encoding, newline="")
        try:
            yield lines
        finally:
            lines.detach()
    elif source in BUNDLED:
        path = resources.files("adeptree") / "data" / BUNDLED[source][0]
        yield io.StringIO(path.read_text(encoding), newline="")
    else:
        try:
            file = open(source, encoding=encoding, newline="")
        except (OSError, ValueError) as error:
            raise InvalidArgument(_unreadable(source, error)) from None
        with file:
            yield file


def _unreadable(source: str, error: Exception) -> str:
    reason = f"{source} could not be read: {getattr(error, 'strerror', None) or error}"
    if not isinstance(error, FileNotFoundError):
        return reason
    near = difflib.get_close_matches(source, BUNDLED, n=1)
    if near:
        return f'{reason}; did you mean the bundled stream "{near[0]}"?'
    return f"{reason}; expected a CSV file, - for stdin, or a bundled stream: {', '.join(BUNDLED)}"


def _rows(name: str, lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(lines, strict=True)
    try:
        for values in reader:
            if values:
                yield reader.line_num, values
    except csv.Error as error:
        raise InvalidArgument(f"{name}, line {reader.line_num}: not proper CSV: {error}") from None
    except OSError as error:
        raise StateError(f"{name}, after line {reader.line_num}: could not be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidArgument(f"{name}, after line {reader.line_num}: not UTF-8 text; save it as UTF-8") from None


Reading = tuple[Sequence[str], Callable[[Sequence[str]], Any]]


def _reading(concept_class: ConceptClass, x: str | None, others: list[str]) -> Reading:
    """Return the columns of x, and what makes an instance of their texts."""
    if isinstance(concept_class, Stumps):
        features = list(concept_class.cuts)
        if x is not None:
            raise InvalidArgument(
                f"--x: stumps read the columns that their cuts name ({', '.join(features)}); leave it out"
            )
        return features, lambda texts: dict(zip(features, map(_number, texts), strict=True))
    if isinstance(concept_class, (Conjunctions, Disjunctions, Parities)):
        bits = others if x is None else [name.strip() for name in x.split(",")]
        if len(bits) != concept_class.n:
            raise InvalidArgument(
                f"--x: {concept_class!r} needs {concept_class.n} columns of 0 and 1, e.g. --x a,b,c; "
                f"got {len(bits)}: {', '.join(bits)}"
            )
        return bits, lambda texts: tuple(LABELS.get(text.lower(), text) for text in texts)
    if isinstance(concept_class, BlockUnions):
        key = concept_class.block if isinstance(concept_class.block, str) else None
        return [x or key or _only(others)], lambda texts: texts[0]
    if isinstance(concept_class, FiniteClass):
        points = concept_class.points or ()
        return [x or _only(others)], lambda texts: texts[0] if texts[0] in points else _number(texts[0])
    return [x or _only(others)], lambda texts: _number(texts[0])


def _only(others: list[str]) -> str:
    if len(others) == 1:
        return others[0]
    raise InvalidArgument(f"say which column holds x, with --x; there are: {', '.join(others)}")


def _number(text: str) -> Any:
    """Return a number if the text is one; else the text, which the class then refuses in its own words."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"


class PredictionLog:
    """A CSV file of what was predicted, complete up to the last round at every moment."""

    def __init__(self, path: str, append: bool) -> None:
        self._path = path
        with self._explained():
            self._file = open(path, "a" if append else "w", 1, "utf-8", newline="")
        self._writer = csv.writer(self._file, lineterminator="\n")

    def __enter__(self) -> PredictionLog:
        if self._file.tell() == 0:
            self.write("round", "x", "p", "guess", "y")
        return self

    def __exit__(self, *_: object) -> None:
        with self._explained():
            self._file.close()

    def write(self, *values: object) -> None:
        """Write one line."""
        with self._explained():
            self._writer.writerow(values)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StateError(f"--predictions: {self._path} could not be written: {error.strerror}") from error
