"""Read Parquet in batches of rows (extra ``parquet``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count, repeat
from typing import Any

import numpy as np

from adeptree.app.run.streams import Stream
from adeptree.core.cell_text import as_text
from adeptree.core.errors import InvalidArgument, MissingExtra
from adeptree.runner.rows import EXACT, NEW_ROW, NumberRows, Row

BATCH = 8192
NUMBERS = {name: np.dtype(name) for size in (8, 16, 32, 64) for name in (f"int{size}", f"uint{size}")}
NUMBERS |= {"float": np.dtype("f4"), "double": np.dtype("f8")}
"""Types of numbers, in NumPy too."""
CELLS = 1 << 20
"""Most cells per batch, so that a batch of thousands of columns has fewer rows."""
BUFFER = 1 << 16
"""Bytes read at a time from each column, in place of whole columns."""


def parquet_stream(name: str, path: str) -> Stream:
    """Open the file, and return its rows; they are counted from 1."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("Parquet files need pyarrow; run in a clone: pip install '.[parquet]'") from None
    try:
        file = parquet.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False)
        columns = list(file.schema_arrow.names)
    except Exception as error:  # pyarrow's errors for damaged files have no common base
        raise InvalidArgument(f"{name} is not a Parquet file: {_short(error)}") from None
    if len(columns) < 2:
        raise InvalidArgument(f"{name} has {len(columns)} columns; expected at least two")
    rows, total = _rows(name, file, max(1, min(BATCH, CELLS // len(columns)))), max(1, file.metadata.num_rows)
    return Stream(name, columns, rows, unit="row", form="Parquet", share=lambda read: read / total)


def _rows(name: str, file: Any, size: int) -> Iterator[Sequence[Row]]:
    number = 0
    batches = file.iter_batches(batch_size=size)
    while True:
        try:
            if (batch := next(batches, None)) is None:
                return
            rows = _numbers(batch, number + 1) or _texts(batch, number + 1)
        except Exception as error:
            raise InvalidArgument(f"{name}, after row {number}: damaged Parquet file: {_short(error)}") from None
        yield rows
        number += len(rows)


def _numbers(batch: Any, first: int) -> NumberRows | None:
    """Return the rows of a batch of numbers below 2**53; None for other batches."""
    if not batch.num_rows or any(column.null_count or str(column.type) not in NUMBERS for column in batch.columns):
        return None
    arrays = list[Any]()
    for column in batch.columns:  # (``to_numpy`` would import pandas)
        kind = NUMBERS[str(column.type)]
        arrays.append(np.frombuffer(column.buffers()[1], kind, batch.num_rows, column.offset * kind.itemsize))
    values = np.column_stack(arrays).astype(np.float64)
    return NumberRows(first, values, partial(_text, arrays), ",") if (np.abs(values) < EXACT).all() else None


def _text(arrays: list[Any]) -> bytes:
    return "\n".join(
        [",".join(map(repr, row)) for row in zip(*(array.tolist() for array in arrays), strict=True)]
    ).encode()


def _texts(batch: Any, first: int) -> list[Row]:
    """Return the rows of a batch as texts."""
    faults: dict[int, str] = {}
    columns = [_column(column, name, faults) for column, name in zip(batch.columns, batch.schema.names, strict=True)]
    cells = map(list, zip(*columns, strict=True))
    rows = list(map(NEW_ROW, zip(count(first), cells, repeat(""), strict=False)))
    for place, fault in faults.items():
        rows[place] = Row(first + place, [], fault)
    return rows


def _column(column: Any, name: str, faults: dict[int, str]) -> list[str]:
    """Return the cells of a column, and add the faults of rows."""
    try:
        values = column.to_pylist()
        return list(map(repr if {float, int}.issuperset(map(type, values)) else as_text, values))
    except Exception:  # one value fails the whole call, so read one by one: then only that one is bad
        return [_cell(value, name, faults, place) for place, value in enumerate(column)]


def _cell(value: Any, name: str, faults: dict[int, str], place: int) -> str:
    try:
        return as_text(value.as_py())
    except Exception as error:  # a time beyond the year 9999, or a text that is not UTF-8
        faults.setdefault(place, f"column {name}: the value cannot be read: {_short(error)}")
        return ""


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__
