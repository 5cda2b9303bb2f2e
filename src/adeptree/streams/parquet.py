"""Parquet, read a batch of rows at a time (extra ``parquet``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adeptree.errors import InvalidArgument, MissingExtra
from adeptree.streams.cells import as_text
from adeptree.streams.rows import Row, Stream

BATCH = 1024
BUFFER = 1 << 16
"""Bytes read at a time from each column, in place of whole columns."""


def parquet_stream(name: str, path: str) -> Stream:
    """Open the file, and return its rows; they are counted from 1."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("Parquet files need pyarrow; install it with: pip install 'adeptree[parquet]'") from None
    try:
        file = parquet.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False)
    except pyarrow.ArrowException as error:
        raise InvalidArgument(f"{name} is no Parquet file: {_short(error)}") from None
    columns = list(file.schema_arrow.names)
    if len(columns) < 2:
        raise InvalidArgument(f"{name} has {len(columns)} columns; expected at least two")
    return Stream(name, columns, _rows(name, file, pyarrow.ArrowException), unit="row")


def _rows(name: str, file: Any, trouble: type[Exception]) -> Iterator[Row]:
    number = 0
    try:
        for batch in file.iter_batches(batch_size=BATCH):
            for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                number += 1
                yield Row(number, [as_text(value) for value in values])
    except trouble as error:
        raise InvalidArgument(f"{name}, after row {number}: damaged Parquet file: {_short(error)}") from None


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:120]
