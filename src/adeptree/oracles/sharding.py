"""The questions of one oracle, answered by the workers of an executor.

A task is a chunk of samples and the class, pickled. Every worker (or thread) builds the class once, with a solver of
its own, and keeps it for all later chunks. Answers come back in the order of the samples, whoever gave them when.
"""

from __future__ import annotations

import math
import pickle
import threading
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from adeptree.core.errors import AdeptreeError, InvalidArgument, OracleError
from adeptree.core.types import Sample

if TYPE_CHECKING:
    from adeptree.oracles.oracle_class import OracleClass

TASK = 5e-3
"""Seconds of work in a task: its way to a worker and back takes a few tenths of a millisecond (measured:
``benchmarks/many_workers.py``, ``docs/cluster.md``)."""
SHARES = 8
"""Tasks that a batch is divided into at least."""
KEPT = 8
"""How many classes a worker keeps built."""

_built = threading.local()


class Shards:
    """Asks a class's oracle in the workers of an executor."""

    def __init__(self, executor: Executor, concept_class: OracleClass) -> None:
        self.executor = executor
        self.concept_class = concept_class
        self._sent: bytes | OracleClass | None = None

    def ask(self, kind: str, samples: Sequence[Sample]) -> list[Any]:
        """Return the answers in order."""
        sent = self._class_to_send()
        size = chunk(len(samples), self.concept_class.call_cost)
        chunks = [samples[i : i + size] for i in range(0, len(samples), size)]
        tasks = [self.executor.submit(answered, sent, kind, chunk) for chunk in chunks]
        try:
            return [answer for task in tasks for answer in task.result()]
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

    def _class_to_send(self) -> bytes | OracleClass:
        if self._sent is None:
            threads = isinstance(self.executor, ThreadPoolExecutor)
            self._sent = self.concept_class if threads and self.concept_class.shared_by_threads else self._pickled()
        return self._sent

    def _pickled(self) -> bytes:
        try:
            return pickle.dumps(self.concept_class)
        except AdeptreeError:
            raise
        except Exception as error:
            raise InvalidArgument(
                f"to be asked in other processes {self.concept_class!r} must be picklable, but {error}; its functions "
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


def answered(sent: bytes | OracleClass, kind: str, samples: Sequence[Sample]) -> list[Any]:
    """Answer a chunk: runs in the worker."""
    concept_class = _class_of(sent) if isinstance(sent, bytes) else sent
    if kind == "find":
        return [concept_class.packed(answer) for answer in concept_class.found_here(samples)]
    return [concept_class.realizable(sample) for sample in samples]


def _class_of(sent: bytes) -> OracleClass:
    classes: dict[bytes, OracleClass] = _built.__dict__.setdefault("classes", {})
    if sent not in classes:
        while len(classes) >= KEPT:
            del classes[next(iter(classes))]
        classes[sent] = pickle.loads(sent)
    return classes[sent]
