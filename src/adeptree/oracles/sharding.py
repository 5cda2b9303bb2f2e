"""Distribute the queries of one oracle to the workers of an executor, if that pays off.

A task is a chunk of samples and the oracle, pickled. Every worker (or thread) builds it once, with its own solver, and
keeps it for all later chunks. Answers are returned in sample order, independent of completion order. If the duration of
a call is known, short lists are answered in this process. This depends on counts, not on timing, so the same queries go
to the workers in every run.
"""

from __future__ import annotations

import math
import pickle
import threading
import time
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from typing import Any

from adeptree.core.errors import AdeptreeError, InvalidArgument, OracleError
from adeptree.oracles.chain import Layer
from adeptree.roles.oracle import Kind, Oracle, Samples

THREADS, PROCESSES, DASK = 5e-5, 3e-4, 5e-3
"""Seconds of communication per task with a worker (measured: ``benchmarks/many_workers.py``)."""
WORTH = 16
"""Least ratio of work to communication of a task: shorter lists are answered in this process."""
SETS = 20
"""A call must take at least this many times the way to a worker if sets of paths are asked about: then a round has few
independent questions (measured: two workers gain 1.3 times from there on)."""
SHARES = 8
"""Least number of tasks of a batch."""
KEPT = 8
"""Number of oracles that a worker keeps."""

_built = threading.local()


def way(executor: Executor) -> float:
    """Return the approximate seconds of communication per task with these workers.

    >>> with ThreadPoolExecutor(1) as threads:
    ...     way(threads)
    5e-05
    """
    if isinstance(executor, ThreadPoolExecutor):
        return THREADS
    return DASK if type(executor).__module__.partition(".")[0] == "distributed" else PROCESSES


class Workers(Layer):
    """A layer that sends queries to the workers of an executor, each with its own oracle.

    ``call_cost`` is the duration of a call in seconds; None if calls are slow, and then every query goes to the
    workers. ``shared`` is True if threads may share this oracle.
    """

    waits = False

    def __init__(
        self, oracle: Oracle, executor: Executor, *, call_cost: float | None = None, shared: bool = False
    ) -> None:
        super().__init__(oracle)
        self.executor, self.call_cost = executor, call_cost
        self.task = WORTH * way(executor)
        """Seconds of work in a task."""
        self.sent, self.seconds = 0, 0.0
        """Number of queries that workers have answered, and their total seconds."""
        self._packed: bytes | Oracle | None = oracle if shared and isinstance(executor, ThreadPoolExecutor) else None

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        self._packed = packed = self._packed or self._pickled()
        if self.call_cost is not None and len(samples) * self.call_cost < self.task:
            return self.oracle.ask_many(kind, samples)
        cost = self.seconds / self.sent if self.call_cost is None and self.sent else self.call_cost
        size = chunk(len(samples), cost, self.task)
        chunks = [samples[i : i + size] for i in range(0, len(samples), size)]
        tasks: list[Future[Any]] = []
        try:  # a pool may break while chunks are submitted
            tasks.extend(self.executor.submit(answered, packed, kind, chunk) for chunk in chunks)
            done = [task.result() for task in tasks]
        except (AdeptreeError, KeyboardInterrupt):
            raise
        except BrokenExecutor as error:
            raise OracleError(
                f"a worker process ended before it answered, {type(error).__name__}: {error}; the learner is as before "
                f"the call: give the class a new executor with send_to(executor), and call again"
            ) from error
        except Exception as error:
            raise OracleError(
                f"the workers could not answer, {type(error).__name__}: {error}; the concepts that find returns must "
                f"be picklable: objects of a class, or functions, at the top of a module"
            ) from error
        finally:
            for task in tasks:
                task.cancel()
        with self._lock:
            self.sent += len(samples)
            self.seconds += sum(seconds for _, seconds in done)
        return [self.unpacked(answer) for answers, _ in done for answer in answers]

    def _pickled(self) -> bytes:
        try:
            return pickle.dumps(self.oracle)
        except AdeptreeError:
            raise
        except Exception as error:
            raise InvalidArgument(
                f"to be asked in other processes {self.oracle!r} must be picklable, but {error}; its functions "
                f"must be at the top of a module, no lambdas"
            ) from None


def chunk(samples: int, call_cost: float | None, task: float) -> int:
    """Return the number of samples per task: enough to pay for communication, few enough to occupy all workers.

    >>> chunk(64, 1e-4, task=5e-3), chunk(5000, 1e-4, task=5e-3), chunk(64, None, task=5e-3)
    (8, 50, 1)
    """
    if call_cost is None:
        return 1
    return max(1, min(math.ceil(task / max(call_cost, 1e-9)), math.ceil(samples / SHARES)))


def answered(sent: bytes | Oracle, kind: Kind, samples: Samples) -> tuple[list[Any], float]:
    """Answer a chunk in the worker; return the answers and the seconds."""
    oracle = _oracle_of(sent) if isinstance(sent, bytes) else sent
    start = time.perf_counter()
    answers = oracle.ask_many(kind, samples)
    return [oracle.packed(answer) for answer in answers], time.perf_counter() - start


def _oracle_of(sent: bytes) -> Oracle:
    oracles: dict[bytes, Oracle] = _built.__dict__.setdefault("oracles", {})
    if sent not in oracles:
        while len(oracles) >= KEPT:
            del oracles[next(iter(oracles))]
        oracles[sent] = pickle.loads(sent)
    return oracles[sent]
