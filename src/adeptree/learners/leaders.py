"""Follow the leader, a baseline with an ERM oracle."""

from __future__ import annotations

from typing import Any

from adeptree.core.types import Concept, Instance
from adeptree.learners.history_learner import HistoryLearner
from adeptree.roles.concept_class import ConceptClass


class FollowTheLeader(HistoryLearner):
    """Predict with the best concept so far; p is 0 or 1, and one ERM call per round.

    It has no guarantee: an adversary that knows p, or only how the oracle breaks ties, makes it err in every round.

    >>> from adeptree import Thresholds
    >>> learner = FollowTheLeader(Thresholds(16), horizon=10)
    >>> learner.learn(3, 0)
    >>> learner.predict_proba(12), learner.predict_proba(2), learner.queries.asked, learner.best_loss
    (1.0, 0.0, 2, 0)
    """

    kind = "follow-the-leader"

    def __init__(self, concept_class: ConceptClass, horizon: int, seed: int = 0) -> None:
        super().__init__(concept_class, horizon, seed)
        self._leader: Concept | None = None

    def _probability(self, x: Instance, raw: Any) -> float:
        if self._leader is None:
            self._leader = self.ask(self.history)
        return float(self._leader(raw))

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        super()._commit(x, raw, label)
        self._leader = None
