"""Runs cells, one after the other or in worker processes; the results are the same."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from adeptree.core.arguments import check_size
from adeptree.core.errors import AdeptreeError
from adeptree.experiments.claims import run_cell
from adeptree.experiments.experiment import Cell, Row

Task = tuple[str, Cell]
"""An experiment's name and a cell of it."""
Work = Callable[[str, Cell], Row]
Done = Callable[[Task, Row, float], None]
RETRIES = 3
"""How often unfinished cells are tried again after a worker process was killed."""


class RunFailed(AdeptreeError):
    """A cell could not be run; what had finished before is kept."""


def run_tasks(
    tasks: Sequence[Task],
    done: Done,
    jobs: int = 1,
    work: Work = run_cell,
    retries: int = RETRIES,
) -> None:
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
        left = _share(left, done, work, jobs)
        if not left:
            return
    name, cell = left[0]
    raise RunFailed(
        f"a worker process was killed {retries + 1} times, and {len(left)} runs are still open, the first of them "
        f"{name} {cell}; what has finished is kept: run the same command again, with fewer --jobs if memory was short"
    )


def _share(tasks: Sequence[Task], done: Done, work: Work, jobs: int) -> list[Task]:
    """Run tasks in new worker processes, and return those that a killed worker left unfinished."""
    # Spawned, not forked: the same on every system, and nothing of this process leaks into the workers.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, max(1, len(tasks))), mp_context=context, initializer=_ignore_interrupts)
    unfinished = dict(enumerate(tasks))
    try:
        futures = {pool.submit(_timed, work, task): number for number, task in enumerate(tasks)}
        for future in as_completed(futures):
            number = futures[future]
            try:
                row, seconds = _result(future, tasks[number])
            except BrokenProcessPool:
                continue  # what others finish still comes out of this loop
            done(tasks[number], row, seconds)
            del unfinished[number]
    except BrokenProcessPool:
        pass  # while tasks were still being submitted
    except BaseException:
        # Whatever ends this, no worker keeps working.
        for worker in list((pool._processes or {}).values()):
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    return list(unfinished.values())


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
    except (AdeptreeError, BrokenProcessPool):
        raise
    except Exception as error:
        raise _failed(task, error) from error


def _failed(task: Task, error: Exception) -> RunFailed:
    name, cell = task
    return RunFailed(f"{name} {cell} could not be run: {type(error).__name__}: {error}; what had finished is kept")
