"""Timing: how long the oracle takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from adeptree.oracles.chain import Layer
from adeptree.roles.oracle import Kind, Oracle, Samples


class Timing(Layer):
    """Measures the seconds spent inside: ``calls``, ``total``, ``max`` and ``mean``.

    A call is one query or one batch. Calls that raise took time too, and are counted.

    >>> from adeptree import Thresholds
    >>> from adeptree.oracles import ClassOracle
    >>> ticks = iter([0.0, 0.5, 2.0, 3.5])
    >>> oracle = Timing(ClassOracle(Thresholds(8)), clock=lambda: next(ticks))
    >>> oracle.realizable([(3, 1)]), oracle.realizable_many([[(4, 1)], [(5, 1)]])
    (True, [True, True])
    >>> oracle.calls, oracle.total, oracle.max, oracle.mean
    (2, 2.0, 1.5, 1.0)
    """

    def __init__(self, oracle: Oracle, *, clock: Callable[[], float] = time.perf_counter) -> None:
        super().__init__(oracle)
        self.calls = 0
        """How often the oracle inside was called."""
        self.total = 0.0
        """Seconds of all calls together."""
        self.max = 0.0
        """Seconds of the longest call."""
        self._clock = clock

    @property
    def mean(self) -> float:
        """Seconds of a call on average; 0 before the first."""
        return self.total / self.calls if self.calls else 0.0

    def _through(self, kind: Kind, samples: Samples) -> list[Any]:
        start = self._clock()
        try:
            return self.oracle.ask_many(kind, samples)
        finally:
            seconds = self._clock() - start
            self.calls += 1
            self.total += seconds
            self.max = max(self.max, seconds)
