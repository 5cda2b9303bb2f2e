"""Where work is done: this process, other processes, other machines; all behind ``concurrent.futures.Executor``.

Whatever is an Executor can be given to ``OracleClass(executor=...)`` and ``reproduce(executor=...)``. Two are made
here. Both survive a worker that is killed: its work is done again by another, and as a task's result depends on
nothing but its arguments, nobody can tell.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any, TypeVar

from adeptree.core.arguments import check_size
from adeptree.core.errors import AdeptreeError, InvalidArgument, got
from adeptree.core.extras import Extra

T = TypeVar("T")
distributed: Any = Extra("distributed", "workers.dask", "dask")

RETRIES = 3
"""How often a task is tried again after a worker was killed while it was waiting or running."""


class WorkersLost(AdeptreeError):
    """Worker processes were killed too often while a task was waiting or running."""

    def __init__(self, times: int) -> None:
        super().__init__(
            f"a worker process was killed {times} times while a task was waiting or running; use fewer workers if "
            f"memory was short"
        )
        self.times = times


def processes(n: int | None = None, *, retries: int = RETRIES) -> Executor:
    """Return n worker processes of this machine (by default one per core); close them, or use ``with``.

    They are started when first used, as new interpreters that import what a task needs: so a script must keep
    its own work under ``if __name__ == "__main__":``, and functions must be at the top of a module.

    >>> with processes(1) as workers:
    ...     workers.submit(pow, 2, 10).result()
    1024
    """
    return Processes(check_size("n", n or os.cpu_count() or 1), retries)


def dask(address: str | None = None, **options: Any) -> Executor:
    """Return the workers of a Dask cluster (extra ``dask``): of a scheduler's address, else one made on this machine.

    ``options`` are those of ``distributed.Client``, e.g. ``n_workers=2`` for a local cluster. Scheduling, moving
    and retrying are Dask's. Peers of a cluster run what they are sent: use it on trusted networks only.
    """
    distributed.require()
    try:
        client = distributed.Client(address, **options)
    except (OSError, TimeoutError, ValueError) as error:
        raise InvalidArgument(f"no Dask scheduler answers there: {error}; {got('address', address)}") from None
    return Cluster(client)


def executor_of(text: str) -> Executor:
    """Return the workers that a text names: "4" or "processes:4", "dask" or "dask:tcp://host:8786".

    >>> type(executor_of("processes:3")).__name__
    'Processes'
    """
    kind, _, detail = (f"processes:{text}" if text.isdigit() else text).partition(":")
    if kind == "processes" and detail.isdigit() and int(detail):
        return processes(int(detail))
    if kind == "dask":
        return dask(detail or None)
    raise InvalidArgument(f'workers are named "4", "processes:4", "dask" or "dask:ADDRESS"; {got("workers", text)}')


class Processes(Executor):
    """A process pool that is made anew when a worker dies, with what was not finished."""

    def __init__(self, n: int, retries: int = RETRIES) -> None:
        self.n, self.retries = n, retries
        self.lost = 0
        """How many pools were lost to a killed worker."""
        self._pool: ProcessPoolExecutor | None = None
        # Never held while a pool is asked for anything: a pool that breaks calls us back under its own lock.
        self._lock = threading.Lock()
        self._closed = False
        self._open: set[Future[Any]] = set()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Have ``fn`` called in a worker."""
        if self._closed:
            raise RuntimeError("the workers were closed; make new ones")
        future: Future[T] = Future()
        self._open.add(future)
        future.add_done_callback(self._open.discard)
        try:
            self._start(future, partial(fn, *args, **kwargs), self.retries)
        except BaseException:
            self._open.discard(future)  # nobody has it: ``shutdown`` would wait for it for ever
            raise
        return future

    def _start(self, future: Future[T], task: Callable[[], T], retries: int) -> None:
        while True:
            pool = self._current()
            try:
                inner = pool.submit(task)
                break
            except BrokenProcessPool:
                self._forget(pool)
        inner.add_done_callback(partial(self._finish, future, task, retries, pool))

    def _finish(
        self, future: Future[T], task: Callable[[], T], retries: int, pool: ProcessPoolExecutor, inner: Future[T]
    ) -> None:
        error = None if inner.cancelled() else inner.exception()
        if isinstance(error, BrokenProcessPool) and not self._closed:
            self._forget(pool)
            error = WorkersLost(self.retries + 1)
            if retries and not future.cancelled():
                try:
                    self._start(future, task, retries - 1)
                    return
                except Exception as trouble:  # raised in a callback it would be lost, and the future wait for ever
                    error = trouble
        if inner.cancelled():
            future.cancel()
        if not future.set_running_or_notify_cancel():
            return
        if error is None:
            future.set_result(inner.result())
        else:
            future.set_exception(error)

    def _current(self) -> ProcessPoolExecutor:
        with self._lock:
            if self._pool is None:
                # Spawned, not forked: the same on every system, and nothing of this process leaks into the workers.
                context = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(self.n, mp_context=context, initializer=_ignore_interrupts)
            return self._pool

    def _forget(self, pool: ProcessPoolExecutor) -> None:
        """Let go of a broken pool, which ends its other workers by itself."""
        with self._lock:
            if self._pool is pool:
                self._pool = None
                self.lost += 1

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the workers end; with ``cancel_futures`` what has not begun is not done at all."""
        if wait and not cancel_futures:
            futures.wait(set(self._open))  # with the pools still there that a killed worker may call for
        self._closed = True
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=wait, cancel_futures=cancel_futures)

    def terminate(self) -> None:
        """End the workers at once, whatever they are at."""
        self._closed = True
        with self._lock:
            workers = list((getattr(self._pool, "_processes", None) or {}).values())
        for worker in workers:
            worker.terminate()
        self.shutdown(cancel_futures=True)


class Cluster(Executor):
    """Dask's own executor, with the client that is closed at the end."""

    def __init__(self, client: Any) -> None:
        self.client = client
        # A task is one call: two equal ones are two, as two equal calls of a function are.
        self._inner: Executor = client.get_executor(pure=False)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Have ``fn`` called in a worker."""
        return self._inner.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster; one that was made for this is closed."""
        self._inner.shutdown(wait=wait and not cancel_futures)
        self.client.close()


def _ignore_interrupts() -> None:
    # Ctrl-C goes to all processes of a terminal; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
