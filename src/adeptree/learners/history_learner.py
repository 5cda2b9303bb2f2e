"""The base class of learners that keep the whole stream."""

from __future__ import annotations

from typing import Any, ClassVar

from adeptree.core.types import Concept, Instance, Sample
from adeptree.learners.custom_learner import CustomLearner
from adeptree.roles.concept_class import ConceptClass


class HistoryLearner(CustomLearner):
    """Keeps the whole history; every ERM call made to predict is counted as one query.

    Reading ``best_loss`` or ``best_rule`` makes the class judge the history. That is evaluation, not learning, and is
    not counted as a query.
    """

    follows_best_loss = False
    GROWS: ClassVar[tuple[str, ...]] = ("history",)
    horizon: int

    def __init__(self, concept_class: ConceptClass, horizon: int, seed: int) -> None:
        super().__init__(concept_class, horizon, seed)
        self.history: list[tuple[Any, int]] = []

    def ask(self, sample: Sample) -> Concept:
        """Return the leader on a sample: one query."""
        self._queries.asked += 1
        self._queries.posed += 1
        concept = self.concept_class.erm(sample)
        self._queries.hear("erm", [sample], [concept])
        return concept

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        self.history.append((raw, label))

    @property
    def best_loss(self) -> int:
        """Loss of the best concept in hindsight."""
        rule = self.concept_class.judge(self.history)
        return sum(int(rule(x)) != y for x, y in self.history)

    def best_rule(self) -> Concept:
        """Return a best concept in hindsight."""
        return self.concept_class.judge(self.history)

    def _state(self) -> dict[str, Any]:
        return {"history": self.history}

    def _restore(self, state: dict[str, Any]) -> None:
        for x, y in state["history"]:
            HistoryLearner._commit(self, x, x, int(y))
