"""Growing arrays for kernels: standard library arrays when interpreted, numpy arrays when compiled.

Large numpy arrays use large memory pages if the system has them, which saves address translation.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from adeptree.core import cython_shim as cython

if cython.compiled:
    from cython.cimports.libc.string import memset


def longer(old: object, size: cython.Py_ssize_t) -> object:
    """Return a longer copy of an array, padded with zeros."""
    begun: Any = old if isinstance(old, array | np.ndarray) else old.base  # type: ignore[attr-defined]
    if size == len(begun):
        return old
    if not cython.compiled:
        return begun + array(begun.typecode, bytes(begun.itemsize * (size - len(begun))))
    # Filled here, because numpy's zeros and copies release the interpreter's lock in the middle of a round.
    grown = np.empty(size, dtype=np.asarray(begun).dtype)
    fresh: cython.uchar[::1] = memoryview(grown).cast("B")
    kept: cython.Py_ssize_t = begun.itemsize * len(begun)
    memoryview(grown).cast("B")[:kept] = memoryview(begun).cast("B")
    memset(cython.address(fresh[kept]), 0, grown.nbytes - kept)
    return grown


def stretched(old: object, size: cython.Py_ssize_t) -> object:
    """Extend an array in place, padded with zeros. Old views become invalid; if it fails, nothing changes."""
    begun: Any = old if isinstance(old, array | np.ndarray) else old.base  # type: ignore[attr-defined]
    if isinstance(begun, array) or size == len(begun):
        return longer(old, size)
    begun.resize(size, refcheck=False)
    return begun
