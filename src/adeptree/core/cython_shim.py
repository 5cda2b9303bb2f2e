"""What kernels use of the module ``cython``, doing nothing: their source is interpreted with it.

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
        """Return the value as a number of this kind: in Python, a whole one stays what it is."""
        return value if kind is double or not isinstance(value, float) else round(value)

    def declare(kind: Any = None, value: Any = None, **named: Any) -> Any:
        """Declare a variable: in Python, its value."""
        return value
