"""Runs cells, one after the other or by the workers of an executor; the results are the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, as_completed

from adeptree.core.arguments import check_size
from adeptree.core.errors import AdeptreeError
from adeptree.core.workers import RETRIES, Processes, WorkersLost, executor_of
from adeptree.experiments.claims import run_cell
from adeptree.experiments.experiment import Cell, Row

Task = tuple[str, Cell]
"""An experiment's name and a cell of it."""
Work = Callable[[str, Cell], Row]
Done = Callable[[Task, Row, float], None]


class RunFailed(AdeptreeError):
    """A cell could not be run; what had finished before is kept."""


def run_tasks(
    tasks: Sequence[Task],
    done: Done,
    jobs: int | str = 1,
    work: Work = run_cell,
    retries: int = RETRIES,
) -> None:
    """Run every task and hand each result to ``done`` in this process, in the order they finish.

    A worker process that is killed (by hand, or for want of memory) costs only what it was at: the cells
    not yet finished are tried again with fresh workers, at most ``retries`` times. ``jobs`` is a number of
    processes, or names other workers (``workers.executor_of``), e.g. "dask:tcp://host:8786".
    """
    if isinstance(jobs, str):
        with executor_of(jobs) as executor:
            _share(tasks, done, work, executor)
    elif check_size("jobs", jobs) == 1:
        for task in tasks:
            done(task, *_timed(work, task))
    else:
        with Processes(min(jobs, max(1, len(tasks))), retries) as executor:
            _share(tasks, done, work, executor)


def _share(tasks: Sequence[Task], done: Done, work: Work, executor: Executor) -> None:
    lost: dict[int, WorkersLost] = {}
    try:
        futures = {executor.submit(_timed, work, task): number for number, task in enumerate(tasks)}
        for future in as_completed(futures):
            number = futures[future]
            try:
                row, seconds = _result(future, tasks[number])
            except WorkersLost as error:
                lost[number] = error  # what others finish still comes out of this loop
                continue
            done(tasks[number], row, seconds)
    except BaseException:
        # Whatever ends this, no worker goes on working.
        executor.terminate() if isinstance(executor, Processes) else executor.shutdown(cancel_futures=True)
        raise
    if lost:
        name, cell = tasks[min(lost)]
        raise RunFailed(
            f"a worker process was killed {lost[min(lost)].times} times, and {len(lost)} runs are still open, the "
            f"first of them {name} {cell}; what has finished is kept: run the same command again, with fewer --jobs if "
            f"memory was short"
        )


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
    except AdeptreeError:
        raise
    except Exception as error:
        raise _failed(task, error) from error


def _failed(task: Task, error: Exception) -> RunFailed:
    name, cell = task
    return RunFailed(f"{name} {cell} could not be run: {type(error).__name__}: {error}; what had finished is kept")
