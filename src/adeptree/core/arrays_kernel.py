"""Arrays that grow, as kernels have them: those of the standard library, and compiled those of numpy.

Large arrays of numpy lie in large pages where the system has them, so that the processor finds them sooner.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from adeptree.core import cython_shim as cython

if cython.compiled:
    from cython.cimports.libc.string import memset


def longer(old: object, size: cython.Py_ssize_t) -> object:
    """Return an array of this many entries that begins like the old one, which stays, and goes on with zeros."""
    begun: Any = old if isinstance(old, array | np.ndarray) else old.base  # type: ignore[attr-defined]
    if size == len(begun):
        return old
    if not cython.compiled:
        return begun + array(begun.typecode, bytes(begun.itemsize * (size - len(begun))))
    # (Filled here, as numpy's own zeros and copies let other threads in, in the middle of a round.)
    grown = np.empty(size, dtype=np.asarray(begun).dtype)
    fresh: cython.uchar[::1] = memoryview(grown).cast("B")
    kept: cython.Py_ssize_t = begun.itemsize * len(begun)
    memoryview(grown).cast("B")[:kept] = memoryview(begun).cast("B")
    memset(cython.address(fresh[kept]), 0, grown.nbytes - kept)
    return grown


def stretched(old: object, size: cython.Py_ssize_t) -> object:
    """Return such an array in place of the old one, whose views are void from now on; if it fails, nothing changes."""
    begun: Any = old if isinstance(old, array | np.ndarray) else old.base  # type: ignore[attr-defined]
    if isinstance(begun, array) or size == len(begun):
        return longer(old, size)
    begun.resize(size, refcheck=False)
    return begun
