"""What every online learner does: predict speculatively, commit with ``learn``, and account for itself."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from adeptree import state as files
from adeptree.classes.base import ConceptClass
from adeptree.errors import HorizonReached, InvalidArgument, got
from adeptree.frontiers.base import Queries
from adeptree.seeds import stream
from adeptree.types import Concept, FloatArray, Instance, label_of, labels_of

Rate = str | float


class OnlineLearner(ABC):
    """An online learner of 0/1 labels against a concept class.

    ``predict_proba`` commits nothing: calling it twice gives the same number. ``learn`` is the only
    commit, with or without a prediction before it. Each round has one coin, drawn from ``seed``, so
    ``predict`` too may be repeated.
    """

    kind: ClassVar[str]
    """Name of the learner in saved files."""
    follows_best_loss: ClassVar[bool] = True
    """Whether ``best_loss`` costs nothing, so that a game may record it in every round."""

    horizon: int | None
    """T, the rounds planned for; None without an end."""

    def __init__(self, concept_class: ConceptClass, horizon: int | None, seed: int) -> None:
        if not isinstance(concept_class, ConceptClass):
            raise InvalidArgument(
                f"the first argument must be a concept class such as Thresholds(256); "
                f"{got('concept_class', concept_class)}"
            )
        self.concept_class = concept_class
        self.horizon = self._checked_horizon(horizon)
        self._end = math.inf if self.horizon is None else self.horizon
        self.seed = seed
        self.rounds = 0
        self.expected_loss = 0.0
        """Sum of |p - y|: the expected number of mistakes so far."""
        self.realised_loss = 0
        """Mistakes of the drawn labels so far."""
        self._coins = stream(seed, "coin")
        self._coin = self._coins.random()

    @staticmethod
    def _checked_horizon(horizon: int | None) -> int | None:
        if isinstance(horizon, bool) or not isinstance(horizon, (int, np.integer)) or horizon < 1:
            raise InvalidArgument(f"horizon must be an int >= 1, the number of rounds T; {got('horizon', horizon)}")
        return int(horizon)

    def predict_proba(self, x: Any) -> float:
        """Return P(label = 1) at x. Nothing is committed."""
        if self.rounds >= self._end:
            self._check_horizon()
        return self._probability(self.concept_class.instance(x), x)

    def predict(self, x: Any) -> int:
        """Draw a label: 1 with probability ``predict_proba(x)``, by this round's coin."""
        return int(self._coin < self.predict_proba(x))

    def learn(self, x: Any, y: Any) -> None:
        """Commit the round: x had label y."""
        label = label_of(y)
        if self.rounds >= self._end:
            self._check_horizon()
        instance = self.concept_class.instance(x)
        p = self._probability(instance, x)
        self._commit(instance, x, label)
        self._settle(p, label)

    def _settle(self, p: float, label: int) -> None:
        """Count the committed round, and draw the next one's coin."""
        self.rounds += 1
        self.expected_loss += abs(p - label)
        self.realised_loss += (self._coin < p) != label
        self._coin = self._coins.random()

    def predict_proba_many(self, xs: Iterable[Any]) -> FloatArray:
        """Return P(label = 1) at each of the xs, all as of now. Nothing is committed."""
        return np.array([self.predict_proba(x) for x in xs], dtype=np.float64)

    def learn_many(self, xs: Iterable[Any], ys: Iterable[Any]) -> FloatArray:
        """Learn a sequence of rounds; return the probability predicted in each. Labels are checked before the first."""
        instances, labels = list(xs), labels_of(ys)
        if len(instances) != len(labels):
            raise InvalidArgument(f"xs and ys must have the same length; got {len(instances)} and {len(labels)}")
        probabilities = np.empty(len(labels), dtype=np.float64)
        for i, (x, y) in enumerate(zip(instances, labels.tolist(), strict=True)):
            probabilities[i] = self.predict_proba(x)
            self.learn(x, y)
        return probabilities

    @property
    def ended(self) -> bool:
        """Whether all rounds of the horizon have been played; never, without one."""
        return self.horizon is not None and self.rounds >= self.horizon

    @property
    def regret(self) -> float:
        """Expected regret so far, exactly: expected loss minus the best concept's loss."""
        return self.expected_loss - self.best_loss

    @property
    @abstractmethod
    def best_loss(self) -> int:
        """Loss so far of the best concept in hindsight."""

    @property
    @abstractmethod
    def bound(self) -> float:
        """What the theory promises for the expected regret over the whole horizon."""

    @property
    @abstractmethod
    def width(self) -> int:
        """How many experts (paths, schedules, concepts) are kept."""

    @property
    @abstractmethod
    def queries(self) -> Queries:
        """Weak-consistency queries so far."""

    @abstractmethod
    def best_rule(self) -> Concept:
        """Return a concept with the fewest mistakes so far; no oracle is asked."""

    @abstractmethod
    def _probability(self, x: Instance, raw: Any) -> float:
        """P(label = 1) at the canonical instance x (``raw`` as the caller gave it)."""

    @abstractmethod
    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        """Take over the round that ``_probability`` has just looked at."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Return the arguments that rebuild this learner, as plain values."""

    @abstractmethod
    def _state(self) -> dict[str, Any]:
        """Return what has been learnt, as plain values and arrays."""

    @abstractmethod
    def _restore(self, state: dict[str, Any]) -> None:
        """Take over what ``_state`` returned."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the whole learner to a file, to go on later with :func:`adeptree.load`."""
        files.save(path, self.saved())

    def saved(self) -> dict[str, Any]:
        """Return what a file holds: plain values and arrays."""
        account = {
            "rounds": self.rounds,
            "expected_loss": self.expected_loss,
            "realised_loss": self.realised_loss,
            "asked": self.queries.asked,
            "posed": self.queries.posed,
            "coin": self._coin,
            "coins": self._coins.bit_generator.state,
        }
        return {
            "kind": self.kind,
            "class": repr(self.concept_class),
            "settings": self.settings(),
            "account": account,
            "learnt": self._state(),
        }

    def take_over(self, saved: dict[str, Any]) -> None:
        """Continue from a saved file's contents (see :func:`adeptree.load`)."""
        account = saved["account"]
        self._restore(saved["learnt"])
        self.rounds = account["rounds"]
        self.expected_loss = account["expected_loss"]
        self.realised_loss = account["realised_loss"]
        self.queries.asked, self.queries.posed = account["asked"], account["posed"]
        self._coins.bit_generator.state = account["coins"]
        self._coin = account["coin"]

    def _check_horizon(self) -> None:
        if self.ended:
            raise HorizonReached(
                f"all {self.horizon} rounds of the horizon have been played; build a learner with a longer "
                f"horizon, or with horizon=None, which has no end"
            )
