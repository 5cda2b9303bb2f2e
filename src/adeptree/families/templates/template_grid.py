"""The settings of the constants of a template: every point of a grid, one array per constant."""

from __future__ import annotations

import math
import string
from collections.abc import Iterable
from typing import Any

import numpy as np

from adeptree.core.dataframes import refuse_frame
from adeptree.core.errors import InvalidArgument, TooLarge, got
from adeptree.families.listed import ENUMERATION_LIMIT


def check_grid(grid: Any) -> dict[str, Any]:
    """Return the values of every constant as an array; raise an error if this is not a grid."""
    try:
        columns = {name: _column(values) for name, values in grid.items()}
    except (AttributeError, TypeError):
        columns = {}
    if not columns or not all(isinstance(name, str) and len(values) for name, values in columns.items()):
        raise InvalidArgument(
            f'grid must give every constant its values, as in {{"a": range(0, 121)}}; {got("grid", grid)}'
        )
    size = math.prod(len(values) for values in columns.values())
    if size > ENUMERATION_LIMIT:
        raise TooLarge(
            f"the grid has {size} settings, too many to look at one by one (limit {ENUMERATION_LIMIT}); take a coarser "
            f"grid, or SmtClass, which asks a solver"
        )
    return columns


def _column(values: Iterable[Any]) -> Any:
    """Return the values of a constant as an array, of objects if NumPy would change them (mixed types, large ints)."""
    refuse_frame("the values of a constant", values, "give those of a column")
    listed = list(values)
    column = np.asarray(listed) if {type(v) for v in listed} in ({int}, {float}, {bool}, {str}) else None
    if column is None or column.ndim != 1 or column.dtype == np.uint64:
        column = np.empty(len(listed), dtype=object)
        column[:] = [item(value) for value in listed]
    return column


def settings(columns: dict[str, Any]) -> dict[str, Any]:
    """Return one array per constant, over all settings; the last constant changes fastest."""
    whole = np.meshgrid(*columns.values(), indexing="ij")
    return {name: column.ravel() for name, column in zip(columns, whole, strict=True)}


def item(value: Any) -> Any:
    """Convert a NumPy number to Python's."""
    return value.item() if isinstance(value, np.generic) else value


def bit(value: Any) -> int:
    """Convert a rule's result to 0 or 1; raise TypeError if it is neither."""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, (int, np.integer)) and value in (0, 1)):
        return int(value)
    raise TypeError(f"a rule must say 0 or 1; {got('label', value)}")


def check_text(text: str | None, constants: Iterable[str]) -> None:
    """Raise an error for a format that cannot show a rule."""
    known, wanted = set(constants), set[str | None]()
    try:
        wanted = {name for _, name, _, _ in string.Formatter().parse(text or "")} - {None}
    except (TypeError, ValueError):
        wanted = {""}
    if not wanted <= known:
        raise InvalidArgument(
            f'text must be a format of the constants, such as "age >= {{a}}", with {sorted(known)}; {got("text", text)}'
        )
