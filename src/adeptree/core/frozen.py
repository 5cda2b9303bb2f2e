"""Hashable keys of plain data, which tell instances apart."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np


def freeze(x: Any) -> Hashable:
    """Return a hashable key of plain data.

    >>> freeze({"b": [1, 2], "a": 0}) == freeze({"a": 0, "b": (1, 2)})
    True
    """
    if isinstance(x, np.generic):
        return x.item()  # type: ignore[no-any-return]
    if isinstance(x, np.ndarray):
        return freeze(x.tolist())
    if isinstance(x, Mapping):
        return frozenset((name, freeze(value)) for name, value in x.items())
    if isinstance(x, (list, tuple)):
        return tuple(freeze(value) for value in x)
    hash(x)
    return x  # type: ignore[no-any-return]
