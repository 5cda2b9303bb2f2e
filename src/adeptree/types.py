"""Names for the types that pass between the rooms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from adeptree.errors import InvalidLabel, got

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
LabelArray = NDArray[np.uint8]

Instance = Any
Sample = Sequence[tuple[Instance, int]]


@runtime_checkable
class Concept(Protocol):
    """A rule: ``concept(x)`` is 0 or 1 and ``str(concept)`` is a text a person reads."""

    def __call__(self, x: Instance) -> int:
        """Return the label of x."""
        ...


def label_of(y: object) -> int:
    """Return the label as the int 0 or 1.

    >>> label_of(True)
    1
    >>> label_of(2)
    Traceback (most recent call last):
    ...
    adeptree.errors.InvalidLabel: a label must be 0 or 1; got y=2 (int)
    """
    if isinstance(y, (bool, np.bool_)) or (isinstance(y, (int, np.integer)) and y in (0, 1)):
        return int(y)
    raise InvalidLabel(f"a label must be 0 or 1; {got('y', y)}")


def losses(predicted: Iterable[int], labels: Iterable[int]) -> int:
    """Count the positions where the two label sequences differ."""
    return sum(p != y for p, y in zip(predicted, labels, strict=True))
