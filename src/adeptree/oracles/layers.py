"""Layers around an oracle: caching, query budgets and time limits."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from queue import Empty, SimpleQueue
from typing import Any

from adeptree.core import errors
from adeptree.core.arguments import check_seconds, check_size
from adeptree.core.errors import BudgetExhausted, InvalidArgument, got
from adeptree.oracles.chain import Layer
from adeptree.oracles.keys import Key, sample_key
from adeptree.roles.oracle import Kind, Oracle, Samples, known

MOST_HANGING = 64
"""Most calls that may hang at the same time: each blocks a thread until the program ends."""


class Caching(Layer):
    """A layer that caches every answer; it forwards only the new, distinct queries of a batch, as one batch.

    Samples with the same labelled points are the same query, in any order and (except for ``best``) with any repeats. A
    concept found answers ``realizable`` too, and a denial answers ``find``. The same concept object is returned each
    time. ``key`` maps an instance to something hashable, as in ``OracleClass``; plain values, tuples, lists, arrays and
    mappings need none.

    >>> from adeptree import Thresholds
    >>> from adeptree.oracles import ClassOracle
    >>> oracle = Caching(ClassOracle(Thresholds(8)))
    >>> oracle.realizable_many([[(2, 0), (5, 1)], [(5, 1), (2, 0)], [(3, 1)]])
    [True, True, True]
    >>> oracle.hits, oracle.misses
    (1, 2)
    """

    def __init__(self, oracle: Oracle, *, key: Key | None = None) -> None:
        super().__init__(oracle)
        self.hits = 0
        """Number of queries answered from the cache."""
        self.misses = 0
        """Number of queries forwarded to the inner oracle."""
        self._key = key
        self._known: dict[tuple[Kind, Hashable], Any] = {}

    def clear(self) -> None:
        """Clear the cache, for example because the inner oracle has changed."""
        with self._lock:
            self._known.clear()

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        keys = [sample_key(kind, sample, self._key) for sample in samples]
        new = {key: sample for key, sample in zip(keys, samples, strict=True) if (kind, key) not in self._known}
        if new:
            # If this raises, nothing is counted or cached: an exhausted budget must not look like an answer.
            found = self.oracle.ask_many(kind, list(new.values()))
            for key, answer in zip(new, known(found), strict=True):
                self._keep(kind, key, answer)
        self.misses += len(new)
        self.hits += len(samples) - len(new)
        return [self._known[kind, key] for key in keys]

    def _keep(self, kind: Kind, key: Hashable, answer: Any) -> None:
        self._known[kind, key] = answer
        if kind == "find":
            self._known["realizable", key] = answer is not None
        elif kind == "realizable" and not answer:
            self._known["find", key] = None


class Budgeting(Layer):
    """A layer that forwards ``queries`` queries (the paper's Q) and raises :class:`BudgetExhausted` beyond.

    A call beyond the budget is refused as a whole: no query is made or charged, so that a smaller call may still fit,
    and after :meth:`grant` the same call succeeds. A call that was made is charged, even if the oracle fails. Inside a
    cache, a learner interrupted in a round pays for no answer twice.

    >>> from adeptree import Thresholds
    >>> from adeptree.oracles import ClassOracle
    >>> oracle = Budgeting(ClassOracle(Thresholds(8)), queries=1)
    >>> oracle.realizable([(3, 1)]), oracle.left
    (True, 0)
    >>> oracle.realizable([(4, 1)])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    adeptree.core.errors.BudgetExhausted: the budget of 1 oracle queries is too small: 1 asked, 0 left, 1 wanted; ...
    """

    def __init__(self, oracle: Oracle, *, queries: int) -> None:
        super().__init__(oracle)
        self.queries = check_size("queries", queries, at_least=0)
        """Total number of queries allowed."""
        self.asked = 0
        """Number of queries made."""

    @property
    def left(self) -> int:
        """Number of queries left."""
        return self.queries - self.asked

    def grant(self, queries: int) -> None:
        """Allow this many more queries."""
        with self._lock:
            self.queries += check_size("queries", queries, at_least=0)

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        if len(samples) > self.left:
            raise BudgetExhausted(
                f"the budget of {self.queries} oracle queries is too small: {self.asked} asked, {self.left} left, "
                f"{len(samples)} wanted; allow more with grant(n), or stop here",
                asked=self.asked,
                left=self.left,
                wanted=len(samples),
            )
        self.asked += len(samples)
        try:
            return self.oracle.ask_many(kind, samples)
        except BudgetExhausted:  # an inner budget refused the call
            self.asked -= len(samples)
            raise


class TimeLimit(Layer):
    """A layer that waits for each query at most ``seconds``; then the answer is :class:`OracleUnknown`.

    A batch has this time for each of its samples. The oracle runs in a separate thread; a query that hangs continues
    there in the background, and its answer is ignored.

    >>> import time
    >>> from adeptree.oracles import FunctionOracle
    >>> oracle = TimeLimit(FunctionOracle(realizable=lambda sample: time.sleep(60)), seconds=0.01)
    >>> oracle.realizable([(1, 1)])
    Traceback (most recent call last):
        ...
    adeptree.core.errors.OracleUnknown: the oracle did not answer within 0.01 seconds; raise seconds=, or give ...
    """

    def __init__(self, oracle: Oracle, seconds: float, *, waits: bool = True) -> None:
        super().__init__(oracle)
        limit = check_seconds(seconds)
        if limit is None:
            raise InvalidArgument(f"seconds must be a positive number of seconds; {got('seconds', seconds)}")
        self.waits, self.seconds = waits, limit
        self._idle, self._hanging = list[Asker](), list[Asker]()

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        seconds, asker, answered = self.seconds * len(samples), self._asker(), False
        answers: SimpleQueue[Any] = SimpleQueue()
        try:
            asker.questions.put((self.oracle, kind, samples, answers))
            found = answers.get(timeout=min(seconds, threading.TIMEOUT_MAX))
            answered = True
        except Empty:
            raise errors.OracleUnknown(
                f"the oracle did not answer within {seconds:g} seconds; raise seconds=, or give "
                f'on_unknown="keep" to prune only what is proven unrealizable'
            ) from None
        finally:  # after a timeout or an interrupt, ignore any later answer of the thread
            (self._idle if answered else self._hanging).append(asker)
            if not answered:
                asker.questions.put(None)
        if isinstance(found, BaseException):
            raise found
        return found  # type: ignore[no-any-return]

    def _asker(self) -> Asker:
        self._hanging = [asker for asker in self._hanging if asker.is_alive()]
        if len(self._hanging) >= MOST_HANGING:
            raise errors.OracleError(
                f"{MOST_HANGING} calls of the oracle hang and continue in the background, so it is asked no more; "
                f"raise seconds=, or end such calls inside the oracle"
            )
        try:
            while not (asker := self._idle.pop()).is_alive():  # threads do not survive a fork
                pass
        except IndexError:  # empty, or another thread took the last one
            asker = Asker()
        return asker

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_idle": [], "_hanging": []}  # threads are not copied

    def __del__(self) -> None:
        for asker in self.__dict__.get("_idle", ()):
            asker.questions.put(None)


class Asker(threading.Thread):
    """A thread that serves queries until it receives None."""

    def __init__(self) -> None:
        super().__init__(name="adeptree-oracle", daemon=True)
        self.questions: SimpleQueue[tuple[Oracle, Kind, Samples, SimpleQueue[Any]] | None] = SimpleQueue()
        self.start()

    def run(self) -> None:
        """Answer queries one after the other with the oracle's result or exception."""
        while (question := self.questions.get()) is not None:
            oracle, kind, samples, answers = question
            try:
                answers.put(oracle.ask_many(kind, samples))
            except BaseException as error:
                answers.put(error)
            del question, oracle, samples, answers  # releases the last query
