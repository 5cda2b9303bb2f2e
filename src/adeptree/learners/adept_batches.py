"""Many rounds of ADEPT at once, with the numbers of single calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from adeptree.core.errors import InvalidArgument
from adeptree.core.types import FloatArray, Instance, IntArray, labels_of, listed
from adeptree.learners import engine_choice as choosing
from adeptree.learners.adept import Paths
from adeptree.learners.adept_rounds import RoundsOnEngine
from adeptree.roles.engine import Engine, Limits
from adeptree.theory.losses import check_weights
from adeptree.theory.mixture import mixability_gaps


class BatchesOnEngine(RoundsOnEngine):
    """``learn_many`` and ``predict_proba_many``."""

    def predict_proba_many(self, xs: Iterable[Any]) -> FloatArray:
        """Return the chance of guessing 1 at each of the xs, all as of now. Nothing is committed."""
        with self._lock:
            self._check_horizon()
            instances = self.concept_class.instances_of(listed("xs", xs))
            try:
                return self.engine.probabilities(instances)
            except BaseException:
                self._forget_look()
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
        alike = weighed is None or all(weight == 1 for weight in weighed)
        if weighed is not None and not alike:
            self._cost(0, next(weight for weight in weighed if weight != 1))  # refused now, not in the middle
        with self._lock: return self._learn_many(instances, labels, weighed, alike)  # fmt: skip  # noqa: E701

    def _learn_many(self, instances: Any, labels: IntArray, weighed: list[float] | None, alike: bool) -> FloatArray:
        room = len(labels)
        self._check_room(room)
        probabilities = np.empty(room, dtype=np.float64)
        engine, done = self.engine, 0
        if type(engine) is Paths and self.engine_choice == "auto" and self.plain and alike:
            engine = choosing.outgrown(engine, self._problem_now, coming=room)
        while done < room:
            if type(engine) is Paths:
                play = self._play if alike else self._play_weighed
                done = self._play_some(play, instances, labels, weighed, probabilities, done)
            else:
                rest = slice(done, room)
                done += self._whole(self._stretch, engine, instances[rest], labels[rest], probabilities[rest])
            engine = self.engine
        return probabilities

    def _play_some(
        self,
        play: Callable[[Instance, int, float], float],
        xs: Any,
        labels: IntArray,
        weights: list[float] | None,
        probabilities: FloatArray,
        done: int,
    ) -> int:
        """Play round by round, until another engine takes over; return how many are done."""
        points = xs[done:].tolist() if isinstance(xs, np.ndarray) else xs[done:]
        for x in points:
            label = int(labels[done])
            cost = self._cost(label, 1 if weights is None else weights[done])
            probabilities[done] = self._whole(play, x, label, cost)
            done += 1
            if type(self.engine) is not Paths:
                break
        return done

    def _play_weighed(self, x: Instance, label: int, cost: float) -> float:
        """Play a round of a batch with weights: no engine may take over that counts every round once."""
        self.weighed = True
        return self._play(x, label, cost)

    def _stretch(self, engine: Engine, xs: Any, labels: IntArray, probabilities: FloatArray) -> int:
        """Play on at one rate with this engine, and return how many rounds that were."""
        if engine is not self.engine:
            self._go_on_with(engine)
        trace: Any = self._trace
        trace.begin(engine, self.rounds)
        stay = self.rate_rule.stay
        stop = int(min(len(labels), max(1, stay.rounds - self.rounds)))
        limits = Limits(stay.best_loss, stay.gap - self.gap)
        played = engine.run(xs[:stop], labels[:stop], probabilities[:stop], limits)
        trace.note_many(engine.rate, xs[:played], labels[:played])
        p, labels = probabilities[:played], labels[:played]
        losses = np.abs(p - labels)
        coins = self._coins.many(self.answered + 1, self._keys(xs[:played]))
        self.realised_loss += int(((coins < p) != labels).sum())
        # Added one by one, in order, as single calls would.
        self.expected_loss = float(np.cumsum(np.concatenate([[self.expected_loss], losses]))[-1])
        self.variance = float(np.cumsum(np.concatenate([[self.variance], p * (1.0 - p)]))[-1])
        self.rounds += played
        self.answered += played
        self.heaviest_round = 1
        self.gap += mixability_gaps(losses, self._eta)
        self._move_on()
        return played

    def _keys(self, xs: Any) -> Any:
        return xs if isinstance(xs, np.ndarray) else [self.concept_class.key(x) for x in xs]
