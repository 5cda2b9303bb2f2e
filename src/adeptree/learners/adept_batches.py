"""Many rounds of ADEPT at once, with the numbers of single calls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from adeptree.core.errors import InvalidArgument
from adeptree.core.types import FloatArray, IntArray, labels_of, listed
from adeptree.learners.adept_rounds import EVEN, RoundsOnEngine
from adeptree.roles.kernel_engine import NO_COSTS, KernelEngine
from adeptree.theory.losses import check_weights

CHUNK = 256
"""Rounds that an interpreted kernel plays at a time: what an interrupt takes back."""


class BatchesOnEngine(RoundsOnEngine):
    """``learn_many`` and ``predict_proba_many``."""

    def predict_proba_many(self, xs: Iterable[Any]) -> FloatArray:
        """Return the chance of guessing 1 at each of the xs, all as of now. Nothing is committed."""
        with self._lock:
            self._catch_up()
            self._check_horizon()
            instances = self.concept_class.instances_of(listed("xs", xs))
            try:
                return self.engine.probabilities(instances)
            except BaseException:
                self.engine.discard()
                raise

    def learn_many(self, xs: Iterable[Any], ys: Iterable[Any], weights: Iterable[float] | None = None) -> FloatArray:
        """Learn a sequence of rounds; return the chance of guessing 1 in each.

        The numbers are those of single calls. Instances, labels and weights are checked before the first round.
        """
        labels = labels_of(ys)
        instances = self.concept_class.instances_of(listed("xs", xs))
        weighed = None if weights is None else check_weights(weights)
        lengths = [len(instances), len(labels), *([] if weighed is None else [len(weighed)])]
        if len(set(lengths)) > 1:
            raise InvalidArgument(
                f"xs, ys and weights must have the same length; got {' and '.join(map(str, lengths))}"
            )
        if weighed is not None or self.costs != EVEN:
            costs = [self._cost(y, w) for y, w in zip(labels.tolist(), weighed or [1] * len(labels), strict=True)]
        else:
            costs = None
        with self._lock: return self._learn_many(instances, labels, costs)  # fmt: skip  # noqa: E701

    def _learn_many(self, instances: Any, labels: IntArray, costs: list[float] | None) -> FloatArray:
        room = len(labels)
        self._check_room(room)
        probabilities = np.empty(room, dtype=np.float64)
        engine = self.engine
        if isinstance(engine, KernelEngine):
            prices = NO_COSTS if costs is None else np.array(costs, dtype=np.float64)
            engine.batch(instances)
            self._play_batch(engine, instances, np.ascontiguousarray(labels, dtype=np.int64), prices, probabilities)
            return probabilities
        points = instances.tolist() if isinstance(instances, np.ndarray) else instances
        for i, (x, label) in enumerate(zip(points, labels.tolist(), strict=True)):
            probabilities[i] = self._whole(self._play, x, label, 1 if costs is None else costs[i])
        return probabilities

    def _play_batch(
        self, engine: KernelEngine, xs: Any, labels: IntArray, prices: FloatArray, probabilities: FloatArray
    ) -> None:
        """Play on, stretch by stretch at one rate. What is raised in between leaves whole rounds."""
        done = 0
        while done < len(labels):
            self._catch_up()
            if engine.atomic:
                done = engine.kernel.run(labels, prices, probabilities, done, len(labels))
            else:
                done = self._whole(self._play_chunk, engine, xs, labels, prices, probabilities, done)
        self._catch_up()

    def _play_chunk(
        self, engine: KernelEngine, xs: Any, labels: IntArray, prices: FloatArray, probabilities: FloatArray, done: int
    ) -> int:
        stop = min(len(labels), done + CHUNK)
        if self._trace is not None:
            self._trace.torn = True
        played = engine.kernel.run(labels, prices, probabilities, done, stop)
        if self._trace is not None:
            some = slice(done, played)
            self._trace.note_many(engine.rate, xs[some], labels[some], prices[some])
        return played
