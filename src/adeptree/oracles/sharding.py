"""The questions of one oracle, answered by the workers of an executor.

A task is a chunk of samples and the oracle, pickled. Every worker (or thread) builds it once, with a solver of its own,
and keeps it for all later chunks. Answers come back in the order of the samples, whoever gave them when.
"""

from __future__ import annotations

import math
import pickle
import threading
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

from adeptree.core.errors import AdeptreeError, InvalidArgument, OracleError
from adeptree.oracles.chain import Layer
from adeptree.roles.oracle import Kind, Oracle, Samples

TASK = 5e-3
"""Seconds of work in a task: its way to a worker and back takes a few tenths of a millisecond (measured:
``benchmarks/many_workers.py``, ``docs/cluster.md``)."""
SHARES = 8
"""Tasks that a batch is divided into at least."""
KEPT = 8
"""How many oracles a worker keeps built."""

_built = threading.local()


class Workers(Layer):
    """Has every question answered by the workers of an executor, each by an oracle of its own.

    ``call_cost`` is what a call takes, in seconds; ``shared`` says that threads may ask this very oracle; ``owner`` is
    named where something cannot be sent.
    """

    waits = False

    def __init__(
        self,
        oracle: Oracle,
        executor: Executor,
        *,
        call_cost: float | None = None,
        shared: bool = False,
        owner: object = None,
    ) -> None:
        super().__init__(oracle)
        self.executor, self.call_cost, self.owner = executor, call_cost, owner or oracle
        self.shared = shared and isinstance(executor, ThreadPoolExecutor)
        self._sent: bytes | Oracle | None = oracle if self.shared else None

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        self._sent = sent = self._sent or self._pickled()
        size = chunk(len(samples), self.call_cost)
        chunks = [samples[i : i + size] for i in range(0, len(samples), size)]
        tasks = [self.executor.submit(answered, sent, kind, chunk) for chunk in chunks]
        try:
            return [self.unpacked(answer) for task in tasks for answer in task.result()]
        except (AdeptreeError, KeyboardInterrupt):
            raise
        except Exception as error:
            raise OracleError(
                f"the workers could not answer, {type(error).__name__}: {error}; the concepts that find returns must "
                f"be picklable: objects of a class, or functions, at the top of a module"
            ) from error
        finally:
            for task in tasks:
                task.cancel()

    def _pickled(self) -> bytes:
        try:
            return pickle.dumps(self.oracle)
        except AdeptreeError:
            raise
        except Exception as error:
            raise InvalidArgument(
                f"to be asked in other processes {self.owner!r} must be picklable, but {error}; its functions "
                f"must be at the top of a module, no lambdas"
            ) from None


def chunk(samples: int, call_cost: float | None) -> int:
    """Return how many samples are a task: enough to pay for its way, few enough for workers to share them.

    >>> chunk(64, call_cost=1e-4), chunk(5000, call_cost=1e-4), chunk(64, call_cost=None)
    (8, 50, 1)
    """
    if call_cost is None:
        return 1
    return max(1, min(math.ceil(TASK / max(call_cost, 1e-9)), math.ceil(samples / SHARES)))


def answered(sent: bytes | Oracle, kind: Kind, samples: Samples) -> list[Any]:
    """Answer a chunk: runs in the worker."""
    oracle = _oracle_of(sent) if isinstance(sent, bytes) else sent
    return [oracle.packed(answer) for answer in oracle.ask_many(kind, samples)]


def _oracle_of(sent: bytes) -> Oracle:
    oracles: dict[bytes, Oracle] = _built.__dict__.setdefault("oracles", {})
    if sent not in oracles:
        while len(oracles) >= KEPT:
            del oracles[next(iter(oracles))]
        oracles[sent] = pickle.loads(sent)
    return oracles[sent]
