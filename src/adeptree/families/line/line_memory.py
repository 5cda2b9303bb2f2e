"""The arrays of the ordered engine: who owns them, and how they grow; importing this module needs numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from adeptree.core.types import IntArray
from adeptree.families.line import line_kernels as kernels

_SMALL, _WIDE, _REAL = np.int32, np.int64, np.float64
_NODE_TYPES: dict[int, Any] = dict.fromkeys(kernels.NODE_ARRAYS, _SMALL) | {kernels.KEY: _WIDE, kernels.SUMS: _REAL}
_CELL_TYPES: dict[int, Any] = {
    kernels.START: _WIDE,  # (or the bits of floats)
    kernels.LOSS: _SMALL,
    kernels.MISTAKES: np.int16,
    kernels.CONTESTED: _SMALL,
    kernels.MASS: _REAL,
}


class Memory:
    """Arrays by the header slot that holds their address; they start with room for a few buckets.

    ``header`` is one array of int64 and ``reals`` the same bytes as float64, for the slots that are floats.
    """

    def __init__(self, kt: bool) -> None:
        self.header: IntArray = np.zeros(kernels.HEADER, dtype=np.int64)
        self.reals = self.header.view(np.float64)
        self.address = self.header.ctypes.data
        self.header[kernels.KT] = kt
        self.columns = 1 if kt else 4
        self.room = 0
        self.arrays: dict[int, Any] = {}
        self.set(kernels.WAY, np.zeros(kernels.DEEPEST, dtype=np.int32))
        self.set(kernels.TABLE, np.ones(1))
        self.widen(self.columns)
        self.grow(4)

    def __getitem__(self, slot: int) -> Any:
        return self.arrays[slot]

    def set(self, slot: int, array: Any) -> None:
        """Replace an array."""
        self.arrays[slot] = array
        self.header[slot] = array.ctypes.data

    def grow(self, room: int) -> None:
        """Make room for that many buckets, and for the nodes above them."""
        self.room = room
        self.header[kernels.ROOM] = room
        for slot, kind in _NODE_TYPES.items():
            self._resize(slot, kind, 2 * room * (self.columns if slot == kernels.SUMS else 1))
        for slot, kind in _CELL_TYPES.items():
            cells = 0 if slot == kernels.MASS and not self.header[kernels.KT] else kernels.BUCKET
            self._resize(slot, kind, room * cells)
        self._resize(kernels.COUNT, _SMALL, room)

    def widen(self, columns: int) -> None:
        """Make room for that many numbers of mistakes; the sums must be computed anew."""
        self.columns = columns
        self.header[kernels.COLUMNS] = columns
        self.set(kernels.ROW, np.zeros(2 * columns + 4))
        self.set(kernels.SUMS, np.zeros(2 * self.room * columns))

    def _resize(self, slot: int, kind: Any, length: int) -> None:
        array = np.zeros(length, dtype=kind)
        if slot in self.arrays:
            old = self.arrays[slot][:length]
            array[: len(old)] = old
        self.set(slot, array)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays that grow with the cells."""
        return sum(self.arrays[slot].nbytes for slot in (*kernels.NODE_ARRAYS, *kernels.CELL_ARRAYS))

    def rows(self, slot: int, buckets: int) -> Any:
        """Return an array of cells as a table with one row a bucket."""
        return self.arrays[slot][: buckets * kernels.BUCKET].reshape(buckets, kernels.BUCKET)
