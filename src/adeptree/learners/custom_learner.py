"""The base of learners that keep their own numbers: two methods to write, everything else comes with it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from adeptree.core.types import Instance
from adeptree.learners.inputs import one
from adeptree.learners.online_learner import OnlineLearner
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.engine import Odds
from adeptree.roles.structure import PythonStructure

Point = tuple[Instance, Any]
"""A canonical instance, and the value that the caller gave for it."""


class CustomLearner(OnlineLearner):
    """An online learner with its own way to predict and to learn.

    To write one: ``_probability``, ``_commit`` and ``best_loss`` (or inherit :class:`HistoryLearner`, which knows it).
    """

    _eta: float = 0.0
    """The rate at which the learner mixes experts; 0 if it does not."""

    def __init__(self, concept_class: ConceptClass, horizon: int | None, seed: int) -> None:
        super().__init__(concept_class, horizon, seed)
        self._use(OwnRounds(self))

    @abstractmethod
    def _probability(self, x: Instance, raw: Any) -> float:
        """Return the chance of guessing 1 at the canonical instance x (``raw`` as the caller gave it)."""

    @abstractmethod
    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        """Commit the round that ``_probability`` has just looked at."""

    def _odds(self, x: Instance, raw: Any) -> Odds:
        """Return the probability with its log-odds, which learners that mix at rates above 4 must know."""
        return Odds(self._probability(x, raw), 0.0)

    def _checked(self, xs: Any) -> Any:
        self.concept_class.instances_of(xs)
        return xs


class OwnRounds(PythonStructure):
    """The learner itself as the structure of its rounds."""

    def __init__(self, learner: CustomLearner) -> None:
        self.learner = learner
        super().__init__()

    def point(self, x: Instance, raw: Any) -> Point:
        """Keep both: a learner may want the value as it was given."""
        return x, raw

    def batch(self, xs: Any) -> list[Point]:
        """Return the points of a batch."""
        known = self.learner.concept_class
        return [(known.instance(given), given) for given in (one(known, x) for x in xs)]

    def see(self, x: Point) -> tuple[float, float, Any]:
        """Ask the learner."""
        odds = self.learner._odds(*x)
        self.kernel.eta = self.learner._eta
        return odds.p, odds.log_odds, self.learner.concept_class.key(x[0])

    def take(self, x: Point, label: int, cost: float) -> None:
        """Let the learner commit the round."""
        self.learner._commit(*x, label)
