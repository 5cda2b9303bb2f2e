"""Counting: how many queries went through, and how large they were."""

from __future__ import annotations

from typing import Any

from adeptree.oracles.layer import Layer
from adeptree.roles.oracle import Kind, Oracle, Samples


class Counting(Layer):
    """Counts ``queries`` and the labelled ``points`` in them.

    Outside a cache it counts what was asked, inside what reached the oracle. Every query that arrives
    counts, even if what is inside then raises. A batch of n samples is n queries.

    >>> from adeptree import Thresholds
    >>> from adeptree.oracles import ClassOracle
    >>> oracle = Counting(ClassOracle(Thresholds(8)))
    >>> oracle.realizable_many([[(2, 0), (5, 1)], [(3, 1)]])
    [True, True]
    >>> oracle.queries, oracle.points
    (2, 3)
    """

    def __init__(self, oracle: Oracle) -> None:
        super().__init__(oracle)
        self.queries = 0
        """Queries that arrived."""
        self.points = 0
        """Labelled points in them."""

    def reset(self) -> None:
        """Count from zero again."""
        with self._lock:
            self.queries = self.points = 0

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        self.queries += len(samples)
        self.points += sum(map(len, samples))
        return self.oracle.ask_many(kind, samples)
