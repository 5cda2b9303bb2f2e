"""Delay Ctrl-C to the end of a round."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Interrupts:
    """Lets Ctrl-C act at once while a run waits for a row, and after the round while it learns one."""

    def __init__(self) -> None:
        self._busy = self._pending = False

    def __enter__(self) -> None:
        self._old: Any = signal.getsignal(signal.SIGINT)
        if self._old is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._caught)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._old)

    def _caught(self, *_: object) -> None:
        if not self._busy:
            raise KeyboardInterrupt
        self._pending = True

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold Ctrl-C back until the end of the block."""
        self._busy = True
        try:
            yield
        finally:
            self._busy = False
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt
