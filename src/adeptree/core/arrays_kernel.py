"""Arrays that grow, as kernels have them."""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]


def longer(old: object, size: cython.Py_ssize_t) -> object:
    """Return an array of this many entries that begins like the old one and goes on with zeros."""
    begun: Any = old if isinstance(old, array) else old.base  # type: ignore[attr-defined]
    if size == len(begun):
        return old
    return begun + array(begun.typecode, bytes(begun.itemsize * (size - len(begun))))
