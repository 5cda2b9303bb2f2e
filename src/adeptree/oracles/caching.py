"""Caching: never ask the same thing twice."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from adeptree.oracles.chain import Layer
from adeptree.oracles.keys import Key, sample_key
from adeptree.roles.oracle import Kind, Oracle, Samples, known


class Caching(Layer):
    """Remembers every answer; of a batch, only what is new and different goes on, as one batch.

    Samples with the same labelled points are the same question, in any order and (except for ``best``)
    with any repeats. A concept found answers ``realizable`` too, and a denial answers ``find``. The same
    concept object is returned each time. ``key`` maps an instance to something hashable, as in
    ``OracleClass``; plain values, tuples, lists, arrays and mappings need none.

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
        """Queries answered from memory."""
        self.misses = 0
        """Queries that went on to the oracle inside."""
        self._key = key
        self._known: dict[tuple[Kind, Hashable], Any] = {}

    def clear(self) -> None:
        """Forget all answers, for instance because the oracle inside has changed."""
        with self._lock:
            self._known.clear()

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        keys = [sample_key(kind, sample, self._key) for sample in samples]
        new = {key: sample for key, sample in zip(keys, samples, strict=True) if (kind, key) not in self._known}
        if new:
            # Nothing is counted or kept if this raises: a denied budget must not look like an answer.
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
