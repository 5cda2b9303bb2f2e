"""Instances of stumps: mappings of feature names to numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from adeptree.core.errors import InvalidInstance, got
from adeptree.core.types import CheckedRows, FloatArray
from adeptree.families.line.readable_cuts import finite_float

GAPS = "; TableStumps takes rows with texts and gaps"


def values_of(features: Iterable[str], x: Any) -> dict[str, float]:
    """Return the numbers of these features.

    >>> values_of(["age"], {"age": 41, "bmi": 22.5})
    {'age': 41.0}
    """
    if not isinstance(x, Mapping):
        raise InvalidInstance(f"x must be a mapping of feature names to numbers; {got('x', x)}")
    values = {}
    for name in features:
        if name not in x:
            raise InvalidInstance(f"x must have the feature {name!r}; it has {sorted(map(str, x))}{GAPS}")
        values[name] = feature_value(name, x[name], GAPS)
    return values


class Table(CheckedRows):
    """Rows of numbers as instances: a row becomes a mapping when it is read, and engines read the whole array.

    >>> table = Table(("age", "bmi"), np.array([[41.0, 22.5], [20.0, 31.0]]))
    >>> table[0], len(table[1:]), [x["bmi"] for x in table]
    ({'age': 41.0, 'bmi': 22.5}, 1, [22.5, 31.0])
    """

    def __init__(self, features: Collection[str], values: FloatArray) -> None:
        self.features, self.values = features, values

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, place: Any) -> Any:
        found = self.values[place]
        return Table(self.features, found) if found.ndim == 2 else dict(zip(self.features, found.tolist(), strict=True))

    def __iter__(self) -> Iterator[dict[str, float]]:
        return (dict(zip(self.features, row, strict=True)) for row in self.values.tolist())


def table_of(features: Collection[str], xs: Any) -> Table | None:
    """Convert an array with a column per feature to checked instances; None if xs is not such an array of numbers."""
    if isinstance(xs, Table):
        return xs
    if not (isinstance(xs, np.ndarray) and xs.shape[1:] == (len(features),) and xs.dtype.kind in "iuf"):
        return None
    values = xs.astype(np.float64) + 0.0
    for row, column in np.argwhere(~np.isfinite(values)):
        feature_value(list(features)[column], xs[row, column], GAPS)
    return Table(features, values)


def feature_value(name: Any, value: Any, advice: str = "") -> float:
    """Return the value of a feature as a float; raise an error if it is not a number."""
    number = finite_float(value)
    if number is None:
        raise InvalidInstance(f"feature {name!r} must be a finite number; {got(str(name), value)}{advice}")
    return number
