"""Call a function with a timeout."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

from adeptree.core.arguments import check_number
from adeptree.core.errors import OracleError, OracleUnknown

MOST_HANGING = 64
"""Calls that may hang at the same time: each keeps a thread, and nothing but the end of the program ends a thread."""

Task = tuple[Callable[..., Any], tuple[Any, ...], SimpleQueue[tuple[bool, Any]]]


def check_seconds(seconds: Any) -> float | None:
    """Return a time limit, or None for no limit; say what was expected if it is neither."""
    if seconds is None:
        return None
    wanted = "a positive number of seconds, or None"
    return float(check_number("seconds", seconds, wanted, lambda limit: 0 < limit < threading.TIMEOUT_MAX))


class Patience:
    """Calls functions, and waits for each no longer than ``seconds``.

    A call is made in a thread of its own, which is kept for the next one. A call that hangs cannot be ended from
    outside: it is left to itself, its answer is never looked at, and the next call gets another thread.

    >>> patience = Patience(5)
    >>> patience.call(pow, 2, 10)
    1024
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._idle: list[Caller] = []
        self._hanging: list[Caller] = []

    def call(self, function: Callable[..., Any], *arguments: Any, times: int = 1) -> Any:
        """Return what the function returns, or raise what it raises; OracleUnknown if it takes too long."""
        seconds = self.seconds * times
        caller = self._caller()
        answer: SimpleQueue[tuple[bool, Any]] = SimpleQueue()
        answered = False
        try:
            caller.tasks.put((function, arguments, answer))
            raised, value = answer.get(timeout=min(seconds, threading.TIMEOUT_MAX))
            answered = True
        except Empty:
            raise OracleUnknown(
                f"the oracle did not answer within {seconds:g} seconds; raise seconds=, or give "
                f'on_unknown="keep" to prune only what is proven unrealizable'
            ) from None
        finally:  # too late, or interrupted: then whatever the thread still says is the answer to nothing
            (self._idle if answered else self._hanging).append(caller)
            if not answered:
                caller.tasks.put(None)
        if raised:
            raise value
        return value

    def _caller(self) -> Caller:
        while self._idle:
            try:
                caller = self._idle.pop()
            except IndexError:  # another thread took it
                break
            if caller.is_alive():  # (after a fork there are no threads)
                return caller
        self._hanging = [caller for caller in self._hanging if caller.is_alive()]
        if len(self._hanging) >= MOST_HANGING:
            raise OracleError(
                f"{MOST_HANGING} calls of the oracle hang and go on in the background, so it is asked no more; "
                f"raise seconds=, or end such calls inside the oracle"
            )
        caller = Caller()
        caller.start()
        return caller

    def __getstate__(self) -> dict[str, Any]:
        return {"seconds": self.seconds}  # threads stay where they are

    def __setstate__(self, state: dict[str, Any]) -> None:
        Patience.__init__(self, state["seconds"])

    def __del__(self) -> None:
        for caller in getattr(self, "_idle", ()):
            caller.tasks.put(None)


class Caller(threading.Thread):
    """A thread that makes calls until it is given None."""

    def __init__(self) -> None:
        super().__init__(name="adeptree-oracle", daemon=True)
        self.tasks: SimpleQueue[Task | None] = SimpleQueue()

    def run(self) -> None:
        """Answer one task after the other."""
        while (task := self.tasks.get()) is not None:
            function, arguments, answer = task
            try:
                answer.put((False, function(*arguments)))
            except BaseException as error:
                answer.put((True, error))
            del task, function, arguments, answer  # so that nothing of the last call is kept alive
