"""Runs cells, one after the other or in several processes; the results are the same."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from adeptree.classes.base import check_size
from adeptree.errors import AdeptreeError
from adeptree.experiments.core import Cell, Row
from adeptree.experiments.registry import run_cell

Task = tuple[str, Cell]
"""An experiment's name and a cell of it."""
Work = Callable[[str, Cell], Row]
Done = Callable[[Task, Row, float], None]

RETRIES = 3
"""How often unfinished cells are tried again after a worker was killed."""


class RunFailed(AdeptreeError):
    """A cell could not be run; what had finished before is kept."""


def run_tasks(tasks: Sequence[Task], done: Done, jobs: int = 1, work: Work = run_cell, retries: int = RETRIES) -> None:
    """Run every task and hand each result to ``done`` in this process, in the order they finish.

    A worker process that is killed (by hand, or for want of memory) costs only what it was at: the cells
    not yet finished are tried again with fresh workers, at most ``retries`` times.
    """
    if check_size("jobs", jobs) == 1:
        for task in tasks:
            done(task, *_timed(work, task))
        return
    left = list(tasks)
    for _ in range(retries + 1):
        left = _round(left, done, min(jobs, max(1, len(left))), work)
        if not left:
            return
    name, cell = left[0]
    raise RunFailed(
        f"a worker process was killed {retries + 1} times, and {len(left)} runs are still open, the first of them "
        f"{name} {cell}; what has finished is kept: run the same command again, with fewer --jobs if memory was short"
    )


def _round(tasks: Sequence[Task], done: Done, jobs: int, work: Work) -> list[Task]:
    """Run tasks in a pool until all are done or a worker dies; return what is left to do."""
    left = dict(enumerate(tasks))
    with _workers(jobs) as pool:
        futures = _submitted(pool, work, tasks)
        for future in as_completed(futures):
            number = futures[future]
            try:
                row, seconds = _result(future, tasks[number])
            except BrokenProcessPool:
                # A worker died. What others had finished by then still comes out of this loop.
                continue
            done(tasks[number], row, seconds)
            del left[number]
    return list(left.values())


def _submitted(pool: ProcessPoolExecutor, work: Work, tasks: Sequence[Task]) -> dict[Future[tuple[Row, float]], int]:
    """Hand the tasks to the pool, or as many as it takes before a worker dies."""
    futures: dict[Future[tuple[Row, float]], int] = {}
    for number, task in enumerate(tasks):
        try:
            futures[pool.submit(_timed, work, task)] = number
        except BrokenProcessPool:
            break
    return futures


@contextmanager
def _workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Open a pool; whatever ends it, no worker goes on working."""
    before = set(multiprocessing.active_children())
    # Spawned, not forked: the same on every system, and nothing of this process leaks into the workers.
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_ignore_interrupts)
    try:
        yield pool
    except BaseException:
        _terminate(set(multiprocessing.active_children()) - before)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _terminate(workers: Iterable[multiprocessing.process.BaseProcess]) -> None:
    for worker in workers:
        worker.terminate()


def _ignore_interrupts() -> None:
    # Ctrl-C goes to all processes of a terminal; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _timed(work: Work, task: Task) -> tuple[Row, float]:
    started = time.process_time()
    try:
        row = work(*task)
    except Exception as error:
        raise _failed(task, error) from error
    return row, time.process_time() - started


def _result(future: Future[tuple[Row, float]], task: Task) -> tuple[Row, float]:
    try:
        return future.result()
    except (BrokenProcessPool, AdeptreeError):
        raise
    except Exception as error:
        raise _failed(task, error) from error


def _failed(task: Task, error: Exception) -> RunFailed:
    name, cell = task
    return RunFailed(f"{name} {cell} could not be run: {type(error).__name__}: {error}; what had finished is kept")
