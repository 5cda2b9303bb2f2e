"""Instances of stumps: mappings of feature names to numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from adeptree.core.errors import InvalidInstance, got
from adeptree.families.line.round_cuts import finite_float


def mapping_of(x: Any) -> Mapping[Any, Any]:
    """Return x, if it is a mapping."""
    if not isinstance(x, Mapping):
        raise InvalidInstance(f"x must be a mapping of feature names to numbers; {got('x', x)}")
    return x


def values_of(features: Iterable[str], x: Any) -> dict[str, float]:
    """Return the numbers of these features.

    >>> values_of(["age"], {"age": 41, "bmi": 22.5})
    {'age': 41.0}
    """
    given, values = mapping_of(x), {}
    for name in features:
        if name not in given:
            raise InvalidInstance(f"x must have the feature {name!r}; it has {sorted(map(str, x))}")
        values[name] = feature_value(name, given[name])
    return values


def table_of(features: Collection[str], xs: Any) -> list[dict[str, float]] | None:
    """Return the rows of a table of numbers, a column per feature, as instances; None if xs is no such table.

    >>> table_of(["age", "bmi"], np.array([[41.0, 22.5]]))
    [{'age': 41.0, 'bmi': 22.5}]
    """
    if not (isinstance(xs, np.ndarray) and xs.shape[1:] == (len(features),) and xs.dtype.kind in "iuf"):
        return None
    values = xs.astype(np.float64) + 0.0
    for row, column in np.argwhere(~np.isfinite(values)):
        feature_value(list(features)[column], xs[row, column])
    return [dict(zip(features, row, strict=True)) for row in values.tolist()]


def feature_value(name: Any, value: Any, advice: str = "") -> float:
    """Return the number of a feature as a float, or say that it is none."""
    number = finite_float(value)
    if number is None:
        raise InvalidInstance(f"feature {name!r} must be a finite number; {got(str(name), value)}{advice}")
    return number
