"""0/1 tables as bit masks, for the exact searches for dimensions and the frontiers of oracles.

Concepts are rows of a 0/1 table, points are columns, and a set of concepts is one Python int used as a bit mask over
the rows. The searches raise TooLarge after a fixed number of steps, not after a time, so the same table is always
accepted or always refused.
"""

from __future__ import annotations

import numpy as np

from adeptree.core.errors import InvalidArgument, TooLarge
from adeptree.core.types import ArrayLike, BoolArray, IntArray, LabelArray

DEFAULT_BUDGET = 200_000_000
"""Search steps before refusal: one step is one column looked at inside one set of up to 1000 concepts."""


def checked(table: ArrayLike) -> LabelArray:
    """Return the table as an array of bits; raise an error if it is not a 0/1 table."""
    array = np.asarray(table)
    if array.ndim != 2 or not bool(np.isin(array, (0, 1)).all()):
        raise InvalidArgument(
            "table must be a two-dimensional array of 0 and 1, one row per concept; "
            f"got an array of shape {array.shape} and type {array.dtype}"
        )
    return array.astype(np.uint8)


def mask(bits: LabelArray | BoolArray) -> int:
    """Return bits as one int, the first being the lowest.

    >>> mask(np.array([True, False, True]))
    5
    """
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def masks(table: LabelArray | BoolArray) -> list[int]:
    """Return every row as a mask over the columns."""
    octets = np.packbits(table, axis=1, bitorder="little")
    blob, size = octets.tobytes(), octets.shape[1]
    return [int.from_bytes(blob[i : i + size], "little") for i in range(0, len(blob), size or 1)]


def unpack(bits: int, size: int) -> BoolArray:
    """Return a mask as one bool per bit.

    >>> unpack(5, 4).tolist()
    [True, False, True, False]
    """
    octets = np.frombuffer(bits.to_bytes(-(-size // 8), "little"), dtype=np.uint8)
    return np.unpackbits(octets, count=size, bitorder="little").view(np.bool_)


def distinct_rows(table: LabelArray) -> tuple[LabelArray, IntArray]:
    """Return the table without repeated rows, in order of first appearance, and each row's number in it."""
    numbers: dict[bytes, int] = {}
    packed = np.packbits(table, axis=1)
    group = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in packed], dtype=np.int64)
    first = np.unique(group, return_index=True)[1]
    return table[first], group


def distinct_columns(table: LabelArray) -> dict[int, int]:
    """Map the mask of every column to its number, without constant, repeated or complementary columns."""
    everything = (1 << len(table)) - 1
    index: dict[int, int] = {}
    for j, column in enumerate(masks(table.T)):
        if 0 < column < everything and column not in index and column ^ everything not in index:
            index[column] = j
    return index


def splits(concepts: int, columns: list[int], at_least: int) -> list[tuple[int, int, int]]:
    """List the different splits of the set, most balanced first: (smaller count, smaller side, column)."""
    size = concepts.bit_count()
    seen: dict[int, tuple[int, int, int]] = {}
    for column in columns:
        side = concepts & column
        count = side.bit_count()
        if 2 * count >= size:
            other = concepts ^ side
            side = other if 2 * count > size else min(side, other)
            count = size - count if 2 * count > size else count
        if count >= at_least and side not in seen:
            seen[side] = (count, side, column)
    return sorted(seen.values(), key=lambda split: -split[0])


class Steps:
    """The budget of one search."""

    def __init__(self, budget: int, rows: int, name: str) -> None:
        self._budget = budget
        self._unit = 1 + max(0, rows - 1000) // 500
        self._rows = rows
        self._name = name
        self.restart()

    def restart(self) -> None:
        """Begin a search."""
        self._left = self._budget

    def spend(self, columns: int) -> None:
        """Count one step per column examined; raise TooLarge beyond the budget."""
        self._left -= columns * self._unit
        if self._left < 0:
            raise TooLarge(
                f"the {self._name} dimension of this class of {self._rows} concepts was not settled within "
                f"{self._budget} search steps; take a smaller class or give a larger budget"
            )
