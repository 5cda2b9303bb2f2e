"""One writer thread per learner, which answers and learns in the order of requests and commits in groups.

It executes all pending requests, flushes them to the disk once, and only then sends the results. If a write fails, the
writer stops: memory may be ahead of the disk, so no request is answered before a restart.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from adeptree.app.serve.requests import Refusal
from adeptree.app.serve.served_learner import FolderGone, ServedLearner
from adeptree.core.errors import StateError
from adeptree.pages.standing import rule_text

MOST_WAITING = 16
"""Most requests that may be queued."""


class RulesDesk:
    """Serialises requests for near-best rules, and pauses for as long as the last one took."""

    def __init__(self, served: ServedLearner) -> None:
        self._served, self._turn, self._waiting, self._free = served, asyncio.Lock(), 0, 0.0
        self._last: tuple[tuple[float, int, int], dict[str, Any]] | None = None

    async def rules(self, within: float, limit: int) -> dict[str, Any]:
        """Return the reply with the rules; identical concurrent requests share one reply."""
        if self._waiting >= MOST_WAITING:
            raise Refusal(429, f"{MOST_WAITING} requests wait for rules already; try again later", {"Retry-After": "1"})
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(self._found, (within, limit))
        finally:
            self._waiting -= 1

    def _found(self, key: tuple[float, int]) -> dict[str, Any]:
        served, (within, limit) = self._served, key
        with served.lock:
            if self._last is not None and self._last[0] == (*key, served.learner.rounds):
                return self._last[1]
        time.sleep(max(0.0, self._free - time.monotonic()))
        with served.lock:
            start = time.monotonic()
            try:
                near, rounds = served.learner.rules_within(within, limit), served.learner.rounds
            finally:
                self._free = 2 * time.monotonic() - start
        names = served.columns.names
        listed = [{"rule": rule_text(served.learner, names, one.rule), "loss": one.loss} for one in near]
        found = {"within": within, "best_loss": near[0].loss, "rules": listed, "more": near.more}
        self._last = (*key, rounds), found
        return found


QUIET_SECONDS = 0.5
"""Idle seconds after which a checkpoint may be written."""
LARGEST_GROUP = 512
SOON = 0.02
"""Seconds. If its last request took less, a learner in memory answers the next one without a change of thread."""
SAFE = "; acknowledged labels are safe: make room, and start the service again"


@dataclass
class _Work:
    """A request, and the future that waits for it."""

    do: Callable[[], Any]
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[Any]
    outcome: Any = None


class Writer:
    """The only thread that changes a learner while the service runs."""

    def __init__(self, served: ServedLearner) -> None:
        self.served, self.desk = served, RulesDesk(served)
        self.broken = ""
        """The reason why the writer stopped, or None."""
        self.groups, self.wait_seconds, self._lasted = 0, 0.0, 0.0
        self._queue: SimpleQueue[_Work | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name=f"writer of {served.name}", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Execute pending requests, write a last checkpoint, and stop."""
        self._queue.put(None)
        self._thread.join()

    async def carry_out(self, do: Callable[[], Any]) -> Any:
        """Execute a function in the thread; return its result, or raise its exception, once it is on the disk."""
        lock = self.served.lock
        if self._lasted < SOON and self.served.folder is None and self._queue.empty() and lock.acquire(blocking=False):
            try:  # the learner has no folder, so there is no disk to wait for
                return self._done(do)
            finally:
                lock.release()
        loop = asyncio.get_running_loop()
        work = _Work(do, loop, loop.create_future())
        self._queue.put(work)
        return await work.done

    def _run(self) -> None:
        going = True
        while going:
            try:
                first = self._queue.get(timeout=QUIET_SECONDS)
            except Empty:
                self._checkpoint(quiet=True)
                continue
            found = [first]
            while found[-1] is not None and len(found) < LARGEST_GROUP and not self._queue.empty():
                found.append(self._queue.get())
            going = found[-1] is not None
            if group := [work for work in found if work is not None]:
                self._carry_out(group)
                self._checkpoint(quiet=False)
        self._checkpoint(quiet=True, last=True)

    def _done(self, do: Callable[[], Any]) -> Any:
        if self.broken:
            raise Refusal(503, self.broken)
        start = time.monotonic()
        try:
            return do()
        except Exception as error:
            if self.served.torn:
                self._break(error)
            raise
        finally:
            self._lasted = time.monotonic() - start

    def _carry_out(self, group: list[_Work]) -> None:
        for work in group:
            try:
                work.outcome = self._done(work.do)
            except Exception as error:  # any error goes to its client, and the others are not delayed
                work.outcome = error
        start = time.monotonic()
        try:
            self.served.commit()
        except Exception as error:
            self._break(error)
            for work in group:
                work.outcome = Refusal(503, self.broken)
        self.groups, self.wait_seconds = self.groups + 1, self.wait_seconds + time.monotonic() - start
        _tell(group[0].loop, group)

    def _checkpoint(self, quiet: bool, last: bool = False) -> None:
        served = self.served
        if self.broken or not (served.due(quiet) or (last and served.unsaved)):
            return
        try:
            with served.lock:
                served.checkpoint()
        except Exception as error:
            self._break(error)

    def _break(self, error: Exception) -> None:
        why = str(error) if isinstance(error, StateError) else f"a round was not finished ({error!r})"
        safe = "" if isinstance(error, FolderGone) else SAFE
        self.broken = f"{why}{safe}"


def _tell(loop: asyncio.AbstractEventLoop, group: list[_Work]) -> None:
    def tell() -> None:
        for work in group:
            if work.done.done():  # the client has gone away
                continue
            if isinstance(work.outcome, Exception):
                work.done.set_exception(work.outcome)
            else:
                work.done.set_result(work.outcome)

    with suppress(RuntimeError):  # the service has ended, and no client waits
        loop.call_soon_threadsafe(tell)
