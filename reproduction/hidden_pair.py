"""Theorem W as a game: two hidden blocks, a weak-consistency oracle, and a learner that attains (T - Q)/2.

The proof is in ``docs/theory/lower-bound.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from adeptree.core.errors import OracleError
from adeptree.core.seeds import stream
from adeptree.core.types import Concept, Instance, Sample
from adeptree.games.transcript import Round
from adeptree.roles.concept_class import ConceptClass
from reproduction.block_reset import BlockReset
from reproduction.budgeted_learners import _Budgeted


@dataclass
class HiddenPair(BlockReset):
    """Every point is fresh, in the positive or the negative of two hidden blocks, by a fair coin. Nothing is reset.

    Queries are about realizability alone: an ERM query is refused.

    >>> from adeptree.games import play
    >>> game = HiddenPair(d=1)
    >>> run = play(AsksTogether(game.oracle, horizon=40, budget=40), game)
    >>> len(game.phases), game.best_loss(run), run.regret == (40 - game.queries) / 2
    (1, 0, True)
    """

    COINS = "hidden pair coins"

    def instance(self, history: Sequence[Round]) -> int:
        """Return a fresh point of one of the two blocks."""
        self._round += 1
        self._label = self._coin()
        return self._started.fresh(self.phases[0][1 - self._label])

    def erm(self, sample: Sample) -> Concept:
        """Refuse: the theorem is about weak consistency."""
        raise OracleError("HiddenPair answers realizable(sample) only")


class AsksTogether(_Budgeted):
    """Asks whether x can have label 1 together with the first point of label 1; says 1/2 where the budget forbids it.

    With ``chance`` it asks in each round with that probability, so that only the expected number of queries is limited.
    """

    kind = "asks-together"

    def __init__(
        self, concept_class: ConceptClass, horizon: int, budget: int, seed: int = 0, chance: float | None = None
    ) -> None:
        super().__init__(concept_class, horizon, budget, seed)
        self.first: list[Instance] = []
        self.chance, self._tosses = chance, stream(seed, "whether to ask")
        self._said: tuple[Instance, float] | None = None

    def _probability(self, x: Instance, raw: Any) -> float:
        if self._said is None or self._said[0] is not x:
            self._said = x, self._answer(x)
        return self._said[1]

    def _answer(self, x: Instance) -> float:
        asks = self._allowed > 0 if self.chance is None else self._tosses.random() < self.chance
        if not (self.first and asks):
            return 0.5
        self._queries.asked += 1
        self._queries.posed += 1
        return float(self.concept_class.realizable([(self.first[0], 1), (x, 1)]))

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        if label and not self.first:
            self.first.append(x)
        super()._commit(x, raw, label)


class SaysOne(_Budgeted):
    """Asks nothing and says 1: it loses half of the rounds if the coins are fair."""

    kind = "says-one"

    def _probability(self, x: Instance, raw: Any) -> float:
        return 1.0
