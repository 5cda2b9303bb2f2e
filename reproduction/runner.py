"""Run cells in this process, in a process pool, or on any executor; the results are the same."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from adeptree.core.arguments import check_size
from adeptree.core.errors import AdeptreeError
from reproduction.claims import run_cell
from reproduction.experiment import Cell, Row

Task = tuple[str, Cell]
"""An experiment's name and a cell of it."""
Work = Callable[[str, Cell], Row]
Done = Callable[[Task, Row, float], None]

RETRIES = 3
"""Process pools to start again after a worker was killed."""


class RunFailed(AdeptreeError):
    """A cell could not be run; results of earlier cells are kept."""


def run_tasks(
    tasks: Sequence[Task],
    done: Done,
    jobs: int | Executor = 1,
    work: Work = run_cell,
    retries: int = RETRIES,
) -> None:
    """Run every task and pass each result to ``done`` in this process, in the order in which they finish.

    ``jobs`` is a number of processes or an executor, e.g. ``client.get_executor(pure=False)`` of Dask. If a worker
    process is killed, a new pool runs the cells that have not finished, at most ``retries`` times.
    """
    if isinstance(jobs, Executor):
        _share(tasks, done, work, jobs)
    elif check_size("jobs", jobs) == 1:
        for task in tasks:
            done(task, *_timed(work, task))
    else:
        _in_processes(tasks, done, min(jobs, max(1, len(tasks))), work, retries)


def _in_processes(tasks: Sequence[Task], done: Done, jobs: int, work: Work, retries: int) -> None:
    left = list(tasks)

    def finished(task: Task, row: Row, seconds: float) -> None:
        left.remove(task)
        done(task, row, seconds)

    others = multiprocessing.active_children()
    for _ in range(retries + 1):
        # Spawned, not forked: the same on every system, and workers inherit no state of this process.
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_ignore_interrupts)
        try:
            _share(tuple(left), finished, work, pool)
            return
        except BrokenProcessPool:
            continue
        except BaseException:
            for process in multiprocessing.active_children():
                if process not in others:
                    process.terminate()  # a long cell must not outlive Ctrl-C
            raise
        finally:
            pool.shutdown(cancel_futures=True)
    name, cell = left[0]
    raise RunFailed(
        f"a worker process was killed {retries + 1} times, and {len(left)} runs are still open, the first of them "
        f"{name} {cell}; finished runs are kept: run the same command again, with fewer --jobs if memory was short"
    )


def _share(tasks: Sequence[Task], done: Done, work: Work, executor: Executor) -> None:
    futures = {executor.submit(_timed, work, task): task for task in tasks}
    broken: BrokenProcessPool | None = None
    try:
        for future in as_completed(futures):
            try:
                row, seconds = future.result()
            except AdeptreeError:
                raise
            except BrokenProcessPool as error:
                broken = error  # results of other workers still come
                continue
            except Exception as error:
                raise _failed(futures[future], error) from error
            done(futures[future], row, seconds)
        if broken is not None:
            raise broken
    except BaseException:
        for future in futures:
            future.cancel()
        raise


def _timed(work: Work, task: Task) -> tuple[Row, float]:
    started = time.process_time()
    try:
        row = work(*task)
    except Exception as error:
        raise _failed(task, error) from error
    return row, time.process_time() - started


def _failed(task: Task, error: Exception) -> RunFailed:
    name, cell = task
    return RunFailed(f"{name} {cell} could not be run: {type(error).__name__}: {error}; finished runs are kept")


def _ignore_interrupts() -> None:
    # Ctrl-C reaches every process of a terminal; the parent alone decides how to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
