"""Arrays that grow, as kernels have them: those of the standard library, and compiled those of numpy.

Large arrays of numpy lie in large pages where the system has them, so that the processor finds them sooner.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]


def longer(old: object, size: cython.Py_ssize_t) -> object:
    """Return an array of this many entries that begins like the old one, which stays, and goes on with zeros."""
    begun: Any = old if isinstance(old, array | np.ndarray) else old.base  # type: ignore[attr-defined]
    if size == len(begun):
        return old
    if not cython.compiled:
        return begun + array(begun.typecode, bytes(begun.itemsize * (size - len(begun))))
    grown = np.zeros(size, dtype=np.asarray(begun).dtype)
    # (Bytes, as numpy's own copying lets other threads in, in the middle of a round.)
    memoryview(grown).cast("B")[: begun.itemsize * len(begun)] = memoryview(begun).cast("B")
    return grown


def stretched(old: object, size: cython.Py_ssize_t) -> object:
    """Return such an array in place of the old one, whose views are void from now on; if it fails, nothing changes."""
    begun: Any = old if isinstance(old, array | np.ndarray) else old.base  # type: ignore[attr-defined]
    if isinstance(begun, array) or size == len(begun):
        return longer(old, size)
    begun.resize(size, refcheck=False)
    return begun
