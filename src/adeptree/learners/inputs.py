"""Convert inputs (data frames, arrays, single values) to instances of the learner's class."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from adeptree.core.dataframes import column_of, framed, index_of, is_series, like, plain_rows, rows_of, values_in
from adeptree.core.errors import InvalidArgument, InvalidInstance, got
from adeptree.core.types import CheckedRows, FloatArray, listed
from adeptree.families.registry import columns_of
from adeptree.learners.tickets import Ticket
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.family import Columns

PLAIN = frozenset({int, float, str, bool, bytes, tuple, list, dict, Ticket, type(None)})
"""Types that are never parts of a data frame: the usual case."""

PLAIN_CELLS = frozenset({int, float, str, bool})
"""Types of cells that need no copy."""


class Inputs:
    """The xs of a call as instances, not yet checked by the class, with the type of the result.

    A class whose instances are mappings reads the columns of a frame by their names; a class over one value reads a
    series, or a frame of one column; one over n values reads the columns in their order. The columns of an array are in
    the order of the features.

    >>> import pandas as pd
    >>> from adeptree import RealStumps
    >>> given = Inputs(RealStumps(["age"]), pd.DataFrame({"sex": ["f", "m"], "age": [41, 20]}, index=[7, 9]))
    >>> given.xs.tolist(), given.back(np.array([0.5, 0.25])).to_dict()
    ([[41], [20]], {7: 0.5, 9: 0.25})
    """

    def __init__(self, concept_class: ConceptClass, xs: Any) -> None:
        self.frame = framed(xs)
        told = columns_of(concept_class)
        if self.frame is None:
            self.xs = _of_array(concept_class, told, listed("xs", xs))
        elif is_series(self.frame):
            self.xs = _of_array(concept_class, told, values_in(self.frame))
        else:
            self.xs = _of_frame(concept_class, told, self.frame)

    def back(self, numbers: FloatArray) -> Any:
        """Return numbers, one per row, in the type of the input."""
        return numbers if self.frame is None else like(self.frame, "p", numbers)


def one(concept_class: ConceptClass, x: Any) -> Any:
    """Convert a single x, such as the row of a frame or an array, to an instance.

    >>> import pandas as pd
    >>> from adeptree import RealStumps
    >>> c, frame = RealStumps(["age"]), pd.DataFrame({"sex": ["f", "m"], "age": [41, 20]})
    >>> one(c, frame.iloc[1])["age"], one(c, frame[:1]), one(c, np.array([3.0])), one(c, {"age": 3})
    (20, {'age': 41}, {'age': 3.0}, {'age': 3})
    """
    if type(x) in PLAIN:
        return x
    found = framed(x)
    told = columns_of(concept_class)
    if found is None:
        return _array_row(concept_class, told, x) if isinstance(x, np.ndarray) else x
    if is_series(found):
        return _series_row(concept_class, told, found)
    if len(found) != 1:
        raise InvalidInstance(
            f"x must be one row; got a frame of {len(found)} rows: give it to learn_many or predict_proba_many"
        )
    (row,) = _of_frame(concept_class, told, found)
    return _array_row(concept_class, told, row) if isinstance(row, np.ndarray) else row


def kept_for_later(given: Any, instance: Any) -> Any:
    """Copy the parts of x that a ticket needs: a buffer may be reused, and a row may hold more columns."""
    if isinstance(given, (int, float, str, bytes, tuple)):
        return given
    if type(given) is dict and type(instance) is dict and PLAIN_CELLS.issuperset(map(type, instance.values())):
        return instance.copy()
    return copy.deepcopy(instance if type(given) is dict else given)


def _by_name(concept_class: ConceptClass, told: Columns) -> bool:
    return told.mapping or concept_class.reads_by_function


def _of_frame(concept_class: ConceptClass, told: Columns, found: Any) -> Any:
    known = {str(name): name for name in found.columns}
    if (names := told.names(concept_class)) is not None:
        missing = [name for name in names if name not in known]
        if missing:
            raise InvalidInstance(f"the frame must have the column {missing[0]!r}; it has {list(known)}")
        chosen = [known[name] for name in names]
        columns = [values_in(found.get_column(name), told.gaps) for name in chosen]
        if told.array is not None and all(isinstance(c, np.ndarray) and c.dtype.kind in "iuf" for c in columns):
            return np.column_stack(columns)
        return concept_class.instances_in(dict(zip(names, columns, strict=True)))
    if _by_name(concept_class, told):
        return rows_of(found)
    count, preferred = told.count(concept_class), told.preferred(concept_class)
    if preferred in known:
        return values_in(found.get_column(known[preferred]))
    if count == 1:
        return values_in(column_of("xs", found))
    if len(known) != count:
        raise InvalidInstance(
            f"the frame must have {count} columns, in their order; it has {len(known)}: {list(known)[:6]}"
        )
    return [tuple(row.values()) for row in rows_of(found)]


def _of_array(concept_class: ConceptClass, told: Columns, xs: Any) -> Any:
    """Return the rows of an array as instances."""
    if isinstance(xs, CheckedRows):
        return xs
    if not isinstance(xs, np.ndarray) or (xs.ndim == 1 and xs.dtype.kind == "O"):
        return xs if PLAIN.issuperset(map(type, xs)) else [one(concept_class, x) for x in xs]
    names = told.names(concept_class)
    if names is None:
        xs = xs.astype("datetime64[us]") if xs.dtype.kind == "M" else xs  # finer units would become plain numbers
        one_value = xs.ndim == 2 and xs.shape[1] == 1 == told.count(concept_class)
        return xs[:, 0] if one_value and not _by_name(concept_class, told) else xs
    table = xs[:, np.newaxis] if xs.ndim == 1 == len(names) else xs
    if table.ndim != 2:
        return xs
    _check_count(names, table.shape[1], xs)
    if told.array is not None and table.dtype.kind in "iuf":
        return table
    return [dict(zip(names, row, strict=True)) for row in plain_rows(table)]


def _array_row(concept_class: ConceptClass, told: Columns, x: Any) -> Any:
    names = told.names(concept_class)
    if names is not None and x.ndim == 1:
        _check_count(names, len(x), x)
        return dict(zip(names, plain_rows(x), strict=True))
    return (
        x.item()
        if x.ndim == 0 or (x.size == 1 == told.count(concept_class) and not _by_name(concept_class, told))
        else x
    )


def _series_row(concept_class: ConceptClass, told: Columns, found: Any) -> Any:
    """Convert a row of pandas, whose index holds the names; other series have the order of the class."""
    values = [value.item() if isinstance(value, np.generic) else value for value in values_in(found)]
    index = index_of(found)
    if told.names(concept_class) is None and not _by_name(concept_class, told):
        return values[0] if len(values) == 1 == told.count(concept_class) else tuple(values)
    if index is not None:
        return dict(zip(map(str, index), values, strict=True))
    return _array_row(concept_class, told, np.array(values, dtype=object))


def _check_count(names: Sequence[str], columns: int, x: Any) -> None:
    if columns != len(names):
        raise InvalidInstance(
            f"an array must have {len(names)} columns, in the order of the features {', '.join(names)}; it has "
            f"{columns}; {got('x', x)}"
        )


def same_length(**given: Any) -> None:
    """Raise an error, before the first round, if arguments differ in length."""
    lengths = {name: len(values) for name, values in given.items() if values is not None}
    if len(set(lengths.values())) > 1:
        *first, last = lengths
        counts = " and ".join(map(str, lengths.values()))
        raise InvalidArgument(f"{', '.join(first)} and {last} must have the same length; got {counts}")
