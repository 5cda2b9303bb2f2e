"""Many rounds of ADEPT at once, with the numbers of single calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from adeptree.core.types import FloatArray, IntArray
from adeptree.learners.adept_rounds import EVEN, RoundsOnEngine
from adeptree.roles.kernel_engine import NO_COSTS, KernelEngine

CHUNK = 256
"""Rounds that an interpreted kernel plays at a time: what an interrupt takes back."""


class BatchesOnEngine(RoundsOnEngine):
    """``learn_many`` and ``predict_proba_many``."""

    def _looked_at_all(self, xs: Any) -> FloatArray:
        return self._looks(self._looked_at_batch, xs)

    def _looked_at_batch(self, xs: Any) -> FloatArray:
        self._catch_up()
        self._check_horizon()
        instances = self.concept_class.instances_of(xs)
        try:
            self._touch()
            return self.engine.probabilities(instances)
        except BaseException:
            self.engine.discard()
            raise

    def _checked(self, xs: Any) -> Any:
        return self.concept_class.instances_of(xs)

    def _costs(self, labels: IntArray, weights: list[float] | None) -> list[float] | None:
        if weights is None and self.costs == EVEN and self.scale >= 1:
            return None
        costs = [self._cost_of(y, w) for y, w in zip(labels.tolist(), weights or [1] * len(labels), strict=True)]
        self._warn_if_over(max(costs, default=0))
        return costs

    def _learn_all(self, instances: Any, labels: IntArray, costs: list[float] | None) -> FloatArray:
        probabilities = np.empty(len(labels), dtype=np.float64)
        engine = self.engine
        if isinstance(engine, KernelEngine):
            prices = NO_COSTS if costs is None else np.array(costs, dtype=np.float64)
            engine.batch(instances)
            self._play_batch(engine, instances, np.ascontiguousarray(labels, dtype=np.int64), prices, probabilities)
            return probabilities
        points = instances.tolist() if isinstance(instances, np.ndarray) else instances
        for i, (x, label) in enumerate(zip(points, labels.tolist(), strict=True)):
            probabilities[i] = self._whole(self._play, x, x, label, 1 if costs is None else costs[i])
        return probabilities

    def _play_batch(
        self, engine: KernelEngine, xs: Any, labels: IntArray, prices: FloatArray, probabilities: FloatArray
    ) -> None:
        """Play on, stretch by stretch at one rate. What is raised in between leaves whole rounds."""
        done = 0
        while done < len(labels):
            if engine.atomic:
                self._catch_up()
                done = engine.kernel.run(labels, prices, probabilities, done, len(labels))
            else:
                done = self._whole(self._play_chunk, engine, xs, labels, prices, probabilities, done)
        self._catch_up()

    def _play_chunk(
        self, engine: KernelEngine, xs: Any, labels: IntArray, prices: FloatArray, probabilities: FloatArray, done: int
    ) -> int:
        stop = min(len(labels), done + CHUNK)
        self._catch_up()
        self._touch()
        played = engine.kernel.run(labels, prices, probabilities, done, stop)
        if self._trace is not None:
            some = slice(done, played)
            self._trace.note_many(engine.rate, xs[some], labels[some], prices[some])
        self._catch_up()  # (here, so that an interrupted change of the rate takes the rounds back, too)
        return played
