"""The base class of learners with their own state: define two methods and inherit the rest."""

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
"""A canonical instance and the caller's value for it."""


class CustomLearner(OnlineLearner):
    """An online learner that defines how it predicts and learns.

    A subclass defines ``_probability``, ``_commit`` and ``best_loss`` (which :class:`HistoryLearner` defines).
    """

    _eta: float = 0.0
    """The rate at which the learner mixes experts; 0 if it does not."""

    def __init__(self, concept_class: ConceptClass, horizon: int | None, seed: int) -> None:
        super().__init__(concept_class, horizon, seed)
        self._use(OwnRounds(self))

    @abstractmethod
    def _probability(self, x: Instance, raw: Any) -> float:
        """Return the probability of guessing 1 at the canonical instance x (``raw`` is the caller's value)."""

    @abstractmethod
    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        """Commit the round that ``_probability`` has just predicted."""

    def _odds(self, x: Instance, raw: Any) -> Odds:
        """Return the probability with its log-odds; learners that mix at rates above 4 must compute them exactly."""
        return Odds(self._probability(x, raw), 0.0)

    def _checked(self, xs: Any) -> Any:
        self.concept_class.instances_of(xs)
        return xs


class OwnRounds(PythonStructure):
    """A structure that forwards its rounds to a custom learner."""

    def __init__(self, learner: CustomLearner) -> None:
        self.learner = learner
        super().__init__()

    def point(self, x: Instance, raw: Any) -> Point:
        """Return the canonical instance and the caller's value."""
        return x, raw

    def batch(self, xs: Any) -> list[Point]:
        """Return the points of a batch."""
        known = self.learner.concept_class
        return [(known.instance(given), given) for given in (one(known, x) for x in xs)]

    def see(self, x: Point) -> tuple[float, float, Any]:
        """Return the learner's prediction."""
        odds = self.learner._odds(*x)
        self.kernel.eta = self.learner._eta
        return odds.p, odds.log_odds, self.learner.concept_class.key(x[0])

    def take(self, x: Point, label: int, cost: float) -> None:
        """Commit the round in the learner."""
        self.learner._commit(*x, label)
