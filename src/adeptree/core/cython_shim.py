"""A stand-in for the module ``cython`` whose parts do nothing, with which kernels run interpreted.

``build_kernels.py`` puts Cython's own module in its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cython import *  # noqa: F403  (typings/cython.pyi)
else:
    compiled = False
    double = float
    void = None
    int = uchar = longlong = ulonglong = Py_ssize_t = p_double = bint = Any

    def _same(thing: Any) -> Any:
        return thing

    def _with(*arguments: Any, **named: Any) -> Any:
        return _same

    cclass = cfunc = ccall = final = inline = _same
    exceptval = locals = _with

    def cast(kind: Any, value: Any) -> Any:
        """Convert a value to this number type; in Python a whole number is returned unchanged."""
        return value if kind is double or not isinstance(value, float) else round(value)

    def declare(kind: Any = None, value: Any = None, **named: Any) -> Any:
        """Declare a variable; in Python, return its value."""
        return value
