"""Decide the possible labels of all rows at x with few calls to a yes/no oracle.

A query concerns a *cube* (see ``cube_search.py``): the rows with some given labels. A "no" decides the whole cube; a
"yes" means that some row in it can take the label, so the row must be searched for. There are two strategies, predicted
cubes and row by row. After a round the truth is known, so both are replayed against it without a call, and the one that
was cheaper recently is used for the next round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adeptree.core.declared_state import COUNT, Array, check_fields
from adeptree.core.errors import ContradictoryOracle
from adeptree.core.types import BoolArray, Instance, Sample
from adeptree.oracles.predicted_cubes import Cube, CubeRound, Forecast, PredictedCubes, Spent, by_oracle, by_truth
from adeptree.theory.bit_tables import unpack

MEMORY = 0.9
"""Factor by which the cost of a strategy decays per round."""
YOUNG = 24
"""Number of rounds after which only every SELDOM-th round is replayed."""
SELDOM = 2


class BitsOnly:
    """The two strategies with their recent costs."""

    def __init__(self) -> None:
        self.costs = np.array([0.75, 0.85])
        """Replayed calls relative to the paper's two per row, averaged over recent rounds: for cubes, and for rows."""
        self.forecast = Forecast()
        self.follows = np.array([[1.0, 0.9], [0.9, 1.0]])
        """Counts of the label that a row was denied, by the label that the row before it was denied."""
        self.rounds = 0

    def split(
        self, table: Any, points: Sequence[Instance], x: Instance, ask: Callable[[Sample], bool], saved: int
    ) -> BoolArray:
        """Return ``can[b, row]``; ``saved`` calls may be made beyond the paper's two per row."""
        now = CubeRound(table, by_oracle(points, x, ask), limit=2 * table.rows + saved)
        try:
            if self.costs[0] <= self.costs[1]:
                PredictedCubes(now, self.forecast).run()
        except Spent:
            pass
        self._row_by_row(now)  # the remaining rows: all of them, or none
        if not points and now.cannot[0] and not ask([(x, 1)]):
            # Later this follows from a realizable path; the empty path was never queried.
            raise ContradictoryOracle(f"the oracle denies both labels of x={x!r} alone: no concept is left")
        return np.stack([unpack(now.can[b], table.rows) for b in (0, 1)])

    def _row_by_row(self, now: CubeRound) -> None:
        """Query each undecided row separately, first for the label that it is probably denied."""
        undecided, last = [unpack(now.undecided(b), now.table.rows) for b in (0, 1)], 0
        for row in now.table.in_order() if undecided[0].any() or undecided[1].any() else ():
            alone = Cube(tuple(enumerate(now.table.row(row))), 1 << row)
            first = int(self.follows[last].argmax())
            for label in (first, 1 - first):
                if undecided[label][row] and not now.ask(alone, label):
                    last = label
                    break

    def learn(self, table: Any, can: BoolArray) -> None:
        """Replay both strategies on a round whose outcome is known."""
        seen = None
        self.rounds += 1
        if self.rounds <= YOUNG or self.rounds % SELDOM == 0:
            replay = PredictedCubes(CubeRound(table, by_truth(can)), self.forecast, can)
            replay.run()
            seen, calls = replay.seen, np.array([replay.round.calls, self._calls_by_row(table, can)])
            self.costs = MEMORY * self.costs + (1 - MEMORY) * calls / (2 * table.rows)
        self.forecast = self.forecast.after(table, can, seen)

    def _calls_by_row(self, table: Any, can: BoolArray) -> int:
        """Return how many calls row by row would have taken, and learn what to ask first."""
        ordered = can[:, table.in_order()]
        denied = ordered[0, ~ordered.all(axis=0)].astype(np.int64)  # rows that can take one label only
        before = np.concatenate([[0], denied])[:-1]
        wrong = self.follows.argmax(axis=1)[before] != denied
        now = np.bincount(2 * before + denied, minlength=4).reshape(2, 2)
        self.follows = MEMORY * self.follows + now / max(1, len(denied))
        return 2 * int(table.rows) - len(denied) + int(wrong.sum())

    def state(self) -> dict[str, Any]:
        """Return the statistics of both strategies."""
        learnt = {"costs": self.costs, "follows": self.follows, "rounds": self.rounds}
        return learnt | {"counted": self.forecast.counted, "sides": self.forecast.sides}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state` returned, after checking it."""
        fresh = {name: value for name, value in BitsOnly().state().items() if name != "rounds"}
        check_fields(state, {"rounds": COUNT, **{name: Array("if", value.shape, 0) for name, value in fresh.items()}})
        self.costs, self.follows, self.rounds = state["costs"], state["follows"], state["rounds"]
        self.forecast = Forecast(state["counted"], state["sides"])
