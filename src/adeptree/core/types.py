"""Types that several packages of adeptree share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from adeptree.core.dataframes import column_of, framed, values_in
from adeptree.core.errors import InvalidArgument, InvalidLabel, got

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as ArrayLike
    from numpy.typing import NDArray as NDArray
else:  # (which imports slowly)
    ArrayLike, NDArray = Any, np.ndarray[Any, np.dtype[TypeVar("Scalar")]]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
LabelArray = NDArray[np.uint8]

Instance = Any
Sample = Sequence[tuple[Instance, int]]


@runtime_checkable
class Concept(Protocol):
    """A rule: ``concept(x)`` is 0 or 1 and ``str(concept)`` is its readable text."""

    def __call__(self, x: Instance) -> int:
        """Return the label of x."""
        ...


@runtime_checkable
class ManyLabels(Protocol):
    """A rule that labels many instances at once; ``find`` may return one if that is faster."""

    def labels(self, xs: Sequence[Instance]) -> Sequence[int]:
        """Return the label of every instance."""
        ...


def label_of(y: object) -> int:
    """Return the label as the int 0 or 1.

    >>> label_of(True), label_of(1.0)
    (1, 1)
    >>> label_of(2)
    Traceback (most recent call last):
    ...
    adeptree.core.errors.InvalidLabel: a label must be 0 or 1; got y=2 (int)
    """
    if type(y) is int and (y == 0 or y == 1):  # the usual case first, because this runs in every round
        return y
    if isinstance(y, (bool, np.bool_)) or (isinstance(y, (int, float, np.integer, np.floating)) and y in (0, 1)):
        return int(y)
    hint = ""
    if y is None or (isinstance(y, (float, np.floating)) and y != y):
        hint = ": a row without a label can be answered (predict_proba) but not learnt"
    elif isinstance(y, str):
        hint = "; make it one, as in (y == 'yes')"
    raise InvalidLabel(f"a label must be 0 or 1; {got('y', y)}{hint}")


class CheckedRows(Sequence[dict[str, Any]]):
    """Instances that a class made from columns; they stay in columns until one is read."""


def listed(name: str, values: Iterable[Any]) -> Any:
    """Return values with a length: arrays unchanged, other iterables as a list; raise an error for non-iterables.

    >>> listed("xs", (x for x in "ab"))
    ['a', 'b']
    """
    if (isinstance(values, np.ndarray) and values.ndim) or isinstance(values, CheckedRows):
        return values
    if (found := framed(values)) is not None:
        return values_in(column_of(name, found))
    try:
        if isinstance(values, Mapping):  # iterating over a mapping would yield its names
            raise TypeError
        return list(values)
    except TypeError:
        raise InvalidArgument(f"{name} must be a sequence, one entry per round; {got(name, values)}") from None


def labels_of(ys: Iterable[object]) -> IntArray:
    """Return many labels as one array of 0 and 1; an array of numbers is checked without a loop.

    >>> labels_of([True, 0, 1.0]).tolist()
    [1, 0, 1]
    """
    given = listed("ys", ys)
    if isinstance(given, np.ndarray) and given.ndim == 2 and given.shape[1] == 1:
        given = given[:, 0]
    if isinstance(given, np.ndarray) and given.ndim == 1 and given.dtype.kind in "biuf":
        wrong = np.flatnonzero((given != 0) & (given != 1))
        if len(wrong):
            label_of(given[wrong[0]].item())
        return given.astype(np.int64)
    return np.array([label_of(y) for y in given], dtype=np.int64)
