"""The lock of a learner whose rounds are compiled."""

from __future__ import annotations

from threading import RLock


class Gate:
    """A lock that a thread may take again. Compiled rounds need none, but do not begin while somebody holds it."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.held = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take it, as ``threading.RLock`` does."""
        taken = self.lock.acquire(blocking, timeout)
        if taken:
            self.held += 1  # (compiled: nothing can be raised in between)
        return taken

    def release(self) -> None:
        """Let go of it."""
        self.held -= 1
        self.lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *raised: object) -> None:
        self.release()
