"""One call at a time: a second caller is refused, and so is everybody after an interrupted commit."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.cpython.pythread import PyThread_get_thread_ident as get_ident
else:
    from threading import Lock, get_ident

from adeptree.core.errors import BusyLearner, TornLearner

BUSY = (
    "a learner is used by one thread at a time, and a call came while another one was inside; give every thread its "
    "own learner, or put one threading.Lock around all uses of this one"
)
TORN = (
    "an exception interrupted the commit of a round, so that this learner's numbers are not known to be right; "
    "load the last save with adeptree.load(path), or build the learner again"
)


class Turns:
    """Who is inside. Compiled, a flag is enough: nothing interrupts it, and the interpreter's lock guards it."""

    def __init__(self) -> None:
        self.busy = 0  # the thread that is inside
        self.torn = False  # whether a commit began and did not end
        self.lock = None if cython.compiled else Lock()

    def turn(self) -> Any:
        """Return the context of one call, whose beginning and end nothing can interrupt; refuse a second call."""
        if cython.compiled:
            return self
        me: cython.longlong = get_ident()
        if self.lock.locked():
            raise BusyLearner(BUSY)
        if self.torn:
            raise TornLearner(TORN)
        self.busy = me
        return self.lock

    def __enter__(self) -> None:
        me: cython.longlong = get_ident()
        if self.busy != 0:
            raise BusyLearner(BUSY)
        if self.torn:
            raise TornLearner(TORN)
        self.busy = me

    def __exit__(self, *raised: object) -> None:
        self.busy = 0

    def inside(self) -> bool:
        """Whether this thread is inside already."""
        me: cython.longlong = get_ident()
        return self.busy == me and (cython.compiled or self.lock.locked())

    def check(self) -> None:
        """Refuse to be read while another thread is inside, or after an interrupted commit."""
        me: cython.longlong = get_ident()
        if self.busy != 0 if cython.compiled else self.lock.locked():
            if self.busy != me:
                raise BusyLearner(BUSY)
        elif self.torn:
            raise TornLearner(TORN)
