"""Players against BlockReset in the tests, and summaries of their games."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import adeptree as at
from adeptree.games.transcript import Transcript
from adeptree.learners.online_learner import OnlineLearner
from reproduction.block_reset import BlockReset
from reproduction.budgeted_learners import BudgetedLeader, Guesser, Rationed, budgeted_lazy_adept

T, SEEDS = 256, 8
ROOT = math.isqrt(T)


class Leveller(BudgetedLeader):
    """The strongest play we know: ask as soon as the phase has its equal share of the 1s, so that no phase has more."""

    kind = "leveller"
    _ones = 0
    """1s of the phase so far."""

    def _commit(self, x: Any, raw: Any, label: int) -> None:
        super()._commit(x, raw, label)
        self._ones = 0 if self._asked_round == self.rounds else self._ones + label

    @property
    def _allowed(self) -> int:
        left = self.budget - self.queries.posed
        ones = self._ones
        share = (ones + (self.horizon - self.rounds) / 2) / (left + 1)
        return int(left > 0 and ones >= share - 1)


Make = Callable[[BlockReset, int, int], OnlineLearner]
LEARNERS: dict[str, Make] = {
    "guesser": lambda g, q, s: Guesser(g.oracle, T, q, seed=s),
    "leader of all rounds": lambda g, q, s: BudgetedLeader(g.oracle, T, q, seed=s),
    "leader of recent rounds": lambda g, q, s: BudgetedLeader(g.oracle, T, q, recent=True, seed=s),
    "leveller": lambda g, q, s: Leveller(g.oracle, T, q, recent=True, seed=s),
    "rationed adept": lambda g, q, s: Rationed(at.Adept(g.oracle, T, seed=s), T, q, seed=s),
    "lazy adept, one commit": lambda g, q, s: budgeted_lazy_adept(g.oracle, T, q, seed=s),
    "lazy adept, three commits": lambda g, q, s: budgeted_lazy_adept(g.oracle, T, q, commits=3, seed=s),
}


def games(make: Make, d: int, budget: int, seeds: int = SEEDS) -> list[tuple[BlockReset, Transcript]]:
    played = []
    for seed in range(seeds):
        game = BlockReset(d)
        played.append((game, at.play(make(game, budget, seed), game, rounds=T, seed=seed)))
    return played


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values, ddof=1)) / math.sqrt(len(values))
