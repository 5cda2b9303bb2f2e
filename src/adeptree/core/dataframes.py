"""Read data frames and series of pandas, polars, pyarrow and others through narwhals, imported at first use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from adeptree.core.errors import InvalidArgument

LIBRARIES = frozenset(
    {"cudf", "dask", "duckdb", "ibis", "modin", "narwhals", "pandas", "polars", "pyarrow", "pyspark", "sqlframe"}
)
"""Packages whose objects may be data frames; for other types a look at the type's module is enough."""

LAZY = "collect it first, e.g. frame.collect()"


@lru_cache(maxsize=1024)
def _may_be_framed(kind: type) -> bool:
    return any(base.__module__.partition(".")[0] in LIBRARIES for base in kind.__mro__)


def framed(values: Any) -> Any:
    """Wrap a data frame or a series with narwhals; return None for other values.

    >>> import pandas as pd
    >>> framed(pd.Series([1, 2])).to_list(), framed([1, 2])
    ([1, 2], None)
    """
    kind: Any = type(values)
    if not _may_be_framed(kind):
        return None
    import narwhals as nw

    try:
        found: Any = nw.from_native(_in_chunks(values), pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError as error:
        raise InvalidArgument(f"the columns of a frame must have different names: {error}") from None
    if isinstance(found, nw.LazyFrame):
        raise InvalidArgument(f"a frame of rows that are there was expected; got {type(values).__name__}: {LAZY}")
    return found if isinstance(found, (nw.DataFrame, nw.Series)) else None


def _in_chunks(values: Any) -> Any:
    """Convert arrays and batches of pyarrow to types that narwhals supports."""
    if type(values).__module__.partition(".")[0] != "pyarrow":
        return values
    import pyarrow as pa

    if isinstance(values, pa.RecordBatch):
        return pa.Table.from_batches([values])
    return pa.chunked_array([values]) if isinstance(values, pa.Array) else values


def is_series(found: Any) -> bool:
    """Return True if the result of :func:`framed` is one column."""
    import narwhals as nw

    return isinstance(found, nw.Series)


def values_in(column: Any, gaps_in_floats: bool = False) -> Any:
    """Return the values of a series: an array of numbers or bools, else a list with None for missing values.

    With ``gaps_in_floats``, floats are always an array, with NaN for missing values.

    >>> import pandas as pd
    >>> values_in(framed(pd.Series([1.5, None]))), values_in(framed(pd.Series([True, False]))).dtype
    ([1.5, None], dtype('bool'))
    """
    gaps = column.null_count()
    if (not gaps or (gaps_in_floats and column.dtype.is_float())) and (array := column.to_numpy()).dtype.kind in "iufb":
        return array
    values = column.to_list()
    if not gaps or not column.implementation.is_pandas_like():
        return values
    found = np.fromiter(values, object, len(values))
    found[column.is_null().to_numpy()] = None
    return found.tolist()


def column_of(name: str, found: Any) -> Any:
    """Return the only column of a frame, or a series as it is; raise an error if there are more columns."""
    if is_series(found):
        return found
    if len(found.columns) != 1:
        shown = ", ".join(map(str, found.columns[:6])) + (", ..." if len(found.columns) > 6 else "")
        raise InvalidArgument(
            f"{name} must be one column; got a frame of {len(found.columns)}: {shown}; choose one of them"
        )
    return found.get_column(found.columns[0])


def rows_of(found: Any) -> list[dict[str, Any]]:
    """Return the rows of a frame as mappings from column names to values.

    >>> import pandas as pd
    >>> rows_of(framed(pd.DataFrame({"age": [41, 20], "sex": ["f", None]})))
    [{'age': 41, 'sex': 'f'}, {'age': 20, 'sex': None}]
    """
    return rows_in({str(name): values_in(found.get_column(name)) for name in found.columns})


def rows_in(columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Convert columns (arrays or lists of values) to rows."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*map(as_list, columns.values()), strict=True)]


def table_rows(x: Any) -> list[dict[str, Any]] | None:
    """Return the rows of a frame, or of a mapping of names to columns; None if x is neither.

    >>> table_rows({"age": [41, 20]}), table_rows({"age": 41})
    ([{'age': 41}, {'age': 20}], None)
    """
    if isinstance(x, Mapping):
        columns = {str(name): _column(column) for name, column in x.items()}
        return None if not columns or any(column is None for column in columns.values()) else rows_in(columns)
    found = framed(x)
    return None if found is None or is_series(found) else rows_of(found)


def _column(values: Any) -> Any:
    """Return the values of a list, an array or a series; None for a single value."""
    if isinstance(values, list) or type(values).__name__ == "ndarray":
        return list(values)
    found = framed(values)
    return values_in(found) if found is not None and is_series(found) else None


def as_list(values: Any) -> list[Any]:
    """Convert values of :func:`values_in` to plain Python values."""
    return values if isinstance(values, list) else values.tolist()


def plain_rows(array: Any) -> Any:
    """Convert the rows of an array to Python values. Times are kept: ``tolist`` would turn nanoseconds into numbers.

    >>> import numpy as np
    >>> plain_rows(np.array([[1, 2]])), plain_rows(np.array([["2013-05-01"]], dtype="datetime64[ns]")).dtype
    ([[1, 2]], dtype('<M8[ns]'))
    """
    return array if array.dtype.kind in "mM" else array.tolist()


def index_of(found: Any) -> Any:
    """Return the index of a pandas-like object, or None."""
    import narwhals as nw

    return nw.maybe_get_index(found)


def like(found: Any, name: str, numbers: Any) -> Any:
    """Return numbers as a series of the same library as the input, with its index if it has one."""
    import narwhals as nw

    series: Any = nw.to_native(nw.new_series(name, numbers, nw.Float64(), backend=found.implementation))
    if (index := index_of(found)) is not None:
        series.index = index
    return series


def refuse_frame(name: str, values: Any, instead: str) -> None:
    """Raise an error for a data frame, because iterating over it would yield its column names."""
    found = framed(values)
    if found is not None and not is_series(found):
        raise InvalidArgument(f"{name} must not be a data frame (got {type(values).__name__}): {instead}")
