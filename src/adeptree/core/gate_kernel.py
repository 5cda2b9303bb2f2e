"""The lock of a learner whose rounds are compiled."""

from __future__ import annotations

from threading import RLock
from time import sleep

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.cpython.pythread import PyThread_get_thread_ident as get_ident
else:
    from threading import get_ident


class Gate:
    """A lock that a thread may take again. Compiled rounds do not take it, but do not begin while somebody holds it.

    They say who is ``inside`` instead, which costs next to nothing, and is waited for: a round mostly lets no other
    thread in, but a collector of garbage may call Python, and the word of a new text is found out by it.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.held = 0
        self.inside = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take it, as ``threading.RLock`` does."""
        taken = self.lock.acquire(blocking, timeout)
        if taken:
            self.held += 1  # (compiled: nothing can be raised in between)
            while self.inside != 0 and self.inside != get_ident():
                sleep(0)
        return taken

    def release(self) -> None:
        """Let go of it."""
        self.held -= 1
        self.lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *raised: object) -> None:
        self.release()
