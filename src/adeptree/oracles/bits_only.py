"""Which rows can take which label at x, with few calls to an oracle that only says yes or no.

A question is again a *cube* (see ``cube_search.py``): the rows with some given labels. A "no" decides the
whole cube; a "yes" says only that some row in it can take the label, so the row must be searched for. There are two
ways to ask, predicted cubes and row by row, each with two guesses where to begin. After a round the truth is known, so
each of these arms can be replayed against it without a call, and the one that would have been cheapest lately is used
for the next round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adeptree.core.errors import ContradictoryOracle
from adeptree.core.types import BoolArray, Instance, IntArray, Sample
from adeptree.oracles.bitsets import LabelColumns, single, unpack
from adeptree.oracles.yes_no import Cube, Forecast, PredictedCubes, Round, Spent, by_oracle, by_truth

PREDICTED = ("opposite", "lighter")
ROW_BY_ROW = ("neighbour", "one first")
ARMS = (*PREDICTED, *ROW_BY_ROW)
ARMS_BEFORE = ("opposite", "lighter", "tree", "neighbour", "zero first", "one first")
"""Whose costs older files hold."""
MEMORY = 0.9
"""How much of an arm's cost is carried over to the next round."""
HOPELESS = 1.5
"""An arm this many times as dear as the best is replayed only in every NOW_AND_THEN-th round, to save time."""
NOW_AND_THEN = 8
YOUNG = 24
"""After so many rounds only every SELDOM-th is replayed at all."""
SELDOM = 4


class BitsOnly:
    """The ways to ask, and how they would have done lately."""

    def __init__(self) -> None:
        self.costs = {arm: 0.75 if arm in ROW_BY_ROW else 0.85 for arm in ARMS}
        """Replayed calls by the paper's two a row, averaged over the last rounds (at first, the safe ways lead)."""
        self.forecasts = {arm: Forecast() for arm in PREDICTED}
        self.rounds = 0

    @property
    def arm(self) -> str:
        """The way that would have been cheapest lately."""
        return min(ARMS, key=lambda arm: self.costs[arm])

    def split(
        self,
        table: LabelColumns,
        points: Sequence[Instance],
        x: Instance,
        ask: Callable[[Sample], bool],
        saved: int,
    ) -> BoolArray:
        """Return ``can[b, row]``; ``saved`` calls may be made beyond the paper's two a row."""
        now = Round(table, by_oracle(points, x, ask), limit=2 * table.rows + saved)
        try:
            self._run(self.arm, now)
        except Spent:
            row_by_row(now, "neighbour")
        if not points and now.cannot[0].any() and not ask([(x, 1)]):
            # Later a path known to be realizable implies this; the empty one was never asked about.
            raise ContradictoryOracle(f"the oracle denies both labels of x={x!r} alone: no concept is left")
        return now.outcome()

    def learn(self, table: LabelColumns, can: BoolArray) -> None:
        """Replay the ways to ask on a round whose outcome is known."""
        self.rounds += 1
        if self.rounds > YOUNG and self.rounds % SELDOM:
            return
        bar = HOPELESS * min(self.costs.values())
        for arm in ARMS:
            if self.costs[arm] <= bar or self.rounds % NOW_AND_THEN == 0:
                share = self._replayed(arm, table, can) / (2 * table.rows)
                self.costs[arm] = MEMORY * self.costs[arm] + (1 - MEMORY) * share
        for forecast in self.forecasts.values():
            forecast.finish()

    def _replayed(self, arm: str, table: LabelColumns, can: BoolArray) -> int:
        if arm in ROW_BY_ROW:
            return row_by_row_calls(table, arm, can)
        now = Round(table, by_truth(can))
        self._run(arm, now, can)
        return now.calls

    def _run(self, arm: str, now: Round, truth: BoolArray | None = None) -> None:
        if arm in PREDICTED:
            PredictedCubes(now, self.forecasts[arm], arm == "opposite", truth).run()
        else:
            row_by_row(now, arm)

    def state(self) -> dict[str, Any]:
        """Return what was learnt about the ways to ask."""
        return {
            "costs": np.array([self.costs[arm] for arm in ARMS]),
            "counted": np.stack([self.forecasts[arm].counted for arm in PREDICTED]),
            "rounds": self.rounds,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state` returned, if it can be that."""
        costs, counted, fresh = state["costs"], state["counted"], Forecast().counted
        if costs.shape == (len(ARMS_BEFORE),):
            costs = costs[[ARMS_BEFORE.index(arm) for arm in ARMS]]
        if costs.shape != (len(ARMS),) or not (np.isfinite(costs).all() and (costs >= 0).all()):
            raise ValueError(f"costs of {len(ARMS)} ways to ask that are {costs}")
        if counted.shape != (len(PREDICTED), *fresh.shape) or not (np.isfinite(counted).all() and (counted >= 0).all()):
            raise ValueError("counts that are not counts")
        if type(state["rounds"]) is not int or state["rounds"] < 0:
            raise ValueError(f"{state['rounds']!r} rounds")
        self.costs, self.rounds = dict(zip(ARMS, costs.tolist(), strict=True)), state["rounds"]
        for arm, one in zip(PREDICTED, counted, strict=True):
            self.forecasts[arm].counted = np.array(one)


def row_by_row(now: Round, arm: str) -> None:
    """Ask about each undecided row by itself, first the label guessed to be denied: then the other is implied.

    The guess is 1, or what the last row in the order of the trie was denied.
    """
    labels = now.table.labels()
    undecided = [unpack(now.undecided(b), now.table.rows) for b in (0, 1)]
    start = int(arm == "one first")
    for row in _in_trie_order(labels):
        alone = Cube(tuple(enumerate(labels[row].tolist())), single(int(row), now.table.words))
        for label in (start, 1 - start):
            if undecided[label][row] and not now.ask(alone, label):
                start = label if arm == "neighbour" else start
                break


def row_by_row_calls(table: LabelColumns, arm: str, can: BoolArray) -> int:
    """Return how many calls :func:`row_by_row` makes in a round with this outcome."""
    if arm != "neighbour":
        return table.rows + int(can[1].sum())
    can = can[:, _in_trie_order(table.labels())]
    forced = ~can.all(axis=0)
    denied = can[0].astype(np.int64)  # of the forced rows
    last = np.maximum.accumulate(np.where(forced, np.arange(1, table.rows + 1), 0))
    guess = np.concatenate([[0], denied])[np.concatenate([[0], last[:-1]])]
    return table.rows + int((~forced | (guess != denied)).sum())


def _in_trie_order(labels: BoolArray) -> IntArray:
    """Return the rows in the order of their labels, so that neighbours share long beginnings."""
    if not labels.shape[1]:
        return np.arange(len(labels))
    packed = np.packbits(labels, axis=1)
    return np.argsort(packed.view(f"S{packed.shape[1]}").ravel(), kind="stable")
