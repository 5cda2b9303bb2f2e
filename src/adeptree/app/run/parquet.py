"""Read Parquet in batches of rows (extra ``parquet``)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, repeat
from typing import Any

from adeptree.app.run.streams import Stream
from adeptree.core.cell_text import as_text
from adeptree.core.errors import InvalidArgument, MissingExtra
from adeptree.runner.rows import NEW_ROW, Row

BATCH = 8192
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


def _rows(name: str, file: Any, size: int) -> Iterator[list[Row]]:
    number = 0
    batches = file.iter_batches(batch_size=size)
    while True:
        try:
            batch = next(batches, None)
            texts = None if batch is None else _texts(batch)
        except Exception as error:
            raise InvalidArgument(f"{name}, after row {number}: damaged Parquet file: {_short(error)}") from None
        if texts is None:
            return
        whole = _Fault not in {kind for cells in zip(*texts, strict=True) for kind in set(map(type, cells))}
        rows = zip(count(number + 1), texts, repeat(""), strict=False)
        yield list(map(NEW_ROW, rows)) if whole else [_row(n, cells) for n, cells in enumerate(texts, number + 1)]
        number += len(texts)


def _row(number: int, cells: list[str]) -> Row:
    fault = next((cell for cell in cells if isinstance(cell, _Fault)), "")
    return Row(number, [] if fault else cells, str(fault))


class _Fault(str):
    """Replaces a cell that Python cannot hold, with the reason."""


def _texts(batch: Any) -> list[list[str]]:
    """Return the cells of a batch, row by row."""
    return list(map(list, zip(*map(_column, batch.columns, batch.schema.names), strict=True)))


def _column(column: Any, name: str) -> list[str]:
    try:
        values = column.to_pylist()
        return list(map(repr if {float, int}.issuperset(map(type, values)) else as_text, values))
    except Exception:  # one value fails the whole call, so read one by one: then only that one is bad
        return [_cell(value, name) for value in column]


def _cell(value: Any, name: str) -> str:
    try:
        return as_text(value.as_py())
    except Exception as error:  # a time beyond the year 9999, or a text that is not UTF-8
        return _Fault(f"column {name}: the value cannot be read: {_short(error)}")


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__
