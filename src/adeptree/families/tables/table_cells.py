"""Rows of a table as instances: mappings of column names to numbers and texts, without missing values."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from itertools import compress
from types import MappingProxyType
from typing import Any

import numpy as np

from adeptree.core.cell_text import is_storable
from adeptree.core.dataframes import plain_rows
from adeptree.core.errors import InvalidInstance, got
from adeptree.core.types import CheckedRows, FloatArray

MISSING = ("NAType", "NaTType")
"""Types of other libraries' missing values, which do not support comparison."""
NOTHING: Mapping[str, Any] = MappingProxyType({})
TEXTS = frozenset({str, bool, type(None)})
"""Types of cells that are texts or missing values."""


MOST = sys.float_info.max


def plain_value(name: str, value: Any) -> Any:
    """Convert a NumPy value to Python's, and a missing value of any library to None."""
    if value is None or type(value) in (str, int, float):
        return value
    if type(value).__name__ in MISSING or (isinstance(value, (np.datetime64, np.timedelta64)) and np.isnat(value)):
        return None
    if isinstance(value, (timedelta, np.timedelta64)):
        raise InvalidInstance(f"column {name!r} must hold durations as numbers, e.g. of seconds; {got(name, value)}")
    if isinstance(value, (date, np.datetime64)):
        year = value.year if isinstance(value, date) else 1970 + int(value.astype("datetime64[Y]").astype(np.int64))
        if not 1 <= year <= 9999:  # other libraries' dates exceed Python's range
            raise InvalidInstance(f"column {name!r} must hold times of the years 1 to 9999; {got(name, value)}")
        return value if isinstance(value, date) else value.astype("datetime64[us]").item()
    return value.item() if isinstance(value, np.generic) else value


def cell_of(name: str, value: Any) -> float | str | None:
    """Convert a cell to a number, a text, or None for a missing value (None, NaN, NaT, NA).

    Booleans become texts, dates seconds since 1970 (UTC, if they have no zone), infinities the largest finite numbers.

    >>> [cell_of("a", value) for value in (3, float("nan"), True, "red", None, date(1970, 1, 2))]
    [3.0, None, 'true', 'red', None, 86400.0]
    """
    if type(value) is float and -MOST <= value <= MOST:  # cells of rows read before are mostly of this form
        return value + 0.0
    value = plain_value(name, value)
    if value is None:
        return None
    if isinstance(value, str):
        if not is_storable(value):
            raise InvalidInstance(f"column {name!r} must be text without NUL and half characters; {got(name, value)}")
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        # built from its parts, which drops digits beyond microseconds, as in texts
        day = datetime.combine(value, value.timetz() if isinstance(value, datetime) else time())
        return (day if day.tzinfo else day.replace(tzinfo=UTC)).timestamp()
    try:
        number = float(value)
    except OverflowError:  # a whole number or a fraction may exceed all floats
        number = MOST if value > 0 else -MOST
    except (TypeError, ValueError):
        raise InvalidInstance(f"column {name!r} must hold numbers, texts or gaps (None); {got(name, value)}") from None
    return None if math.isnan(number) else max(-MOST, min(MOST, number)) + 0.0


def clipped(numbers: FloatArray) -> FloatArray:
    """Convert many numbers like :func:`cell_of`: infinities become the largest finite numbers; NaN stays.

    >>> clipped(np.array([math.inf, -0.0, math.nan])).tolist()
    [1.7976931348623157e+308, 0.0, nan]
    """
    return np.clip(numbers, -MOST, MOST) + 0.0


def row_of(
    features: Collection[str], x: Any, lookups: Mapping[str, Callable[[Mapping[str, Any]], Any]] = NOTHING
) -> dict[str, float | str]:
    """Return the cells of these columns that are not missing; other names are ignored.

    ``lookups`` find the cells of derived features.

    >>> row_of(["age", "sex"], {"age": 41, "sex": None, "id": 7})
    {'age': 41.0}
    """
    if not isinstance(x, Mapping):
        raise InvalidInstance(f"x must be a mapping of column names to numbers and texts; {got('x', x)}")
    cells = ((name, lookups[name](x) if name in lookups else cell_of(name, x.get(name))) for name in features)
    return {name: cell for name, cell in cells if cell is not None}


def cells_of(name: str, values: Any, read: Callable[[Any], Any] | None = None) -> Any:
    """Return the cells of a column: an array of floats, or a list; each different text is checked once.

    >>> cells_of("a", np.array([3, 4])).tolist(), cells_of("a", ["red", None]), cells_of("a", [2, True])
    ([3.0, 4.0], ['red', None], [2.0, 'true'])
    """
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "iuf" and read is None:
            return clipped(values.astype(np.float64))
        values = list(plain_rows(values))
    read = read or partial(cell_of, name)
    if not TEXTS.issuperset(map(type, values)):
        return [read(value) for value in values]
    known = {value: read(value) for value in set(values)}
    return values if all(known[text] is text for text in known) else list(map(known.__getitem__, values))


class TableCells(CheckedRows):
    """Rows stored in columns of numbers and texts; a row becomes a mapping when it is read.

    ``numbers`` holds NaN where a row has no number. ``texts`` holds, per column, a list (None: missing), or None if the
    column has no text.

    >>> cells = TableCells(("age", "sex"), np.array([[41.0, np.nan], [np.nan, np.nan]]), [None, ["f", "m"]])
    >>> cells[0], cells[1:][0], len(cells)
    ({'age': 41.0, 'sex': 'f'}, {'sex': 'm'}, 2)
    """

    def __init__(self, features: Sequence[str], numbers: FloatArray, texts: Sequence[list[Any] | None]) -> None:
        self.features, self.numbers, self.texts = features, numbers, texts

    @classmethod
    def of(cls, features: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> TableCells:
        """Return canonical rows as columns."""
        return cls.in_columns(features, [[row.get(name) for row in rows] for name in features], len(rows))

    @classmethod
    def in_columns(cls, features: Sequence[str], columns: Sequence[Any], rows: int) -> TableCells:
        """Return columns of canonical cells, each a list or an array of floats."""
        numbers, texts = np.empty((rows, len(features))), list[list[Any] | None]()
        for f, column in enumerate(columns):
            kinds = set(map(type, column)) if isinstance(column, list) else set()
            if str not in kinds:
                texts.append(None)
                numbers[:, f] = column  # None becomes NaN
            elif kinds <= {str, type(None)}:
                texts.append(column)
                numbers[:, f] = math.nan
            else:
                texts.append([cell if type(cell) is str else None for cell in column])
                numbers[:, f] = [None if type(cell) is str else cell for cell in column]
        return cls(features, numbers, texts)

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            texts = [column and column[place] for column in self.texts]
            return TableCells(self.features, self.numbers[place], texts)
        if isinstance(place, np.ndarray):
            texts = [column and list(compress(column, place)) for column in self.texts]
            return TableCells(self.features, self.numbers[place], texts)
        cells = (
            (name, number if number == number else texts and texts[place])
            for name, number, texts in zip(self.features, self.numbers[place].tolist(), self.texts, strict=True)
        )
        return {name: cell for name, cell in cells if cell is not None}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[place] for place in range(len(self)))
