"""The base learner of stumps over floats: a vote of the features."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.core.types import BoolArray, Instance
from adeptree.families.line.line_domain import nearer_to_high
from adeptree.families.stumps.real_stumps import RealStumps
from adeptree.families.stumps.stump_frontier import RealStumpFrontier
from adeptree.roles.base_learner import MadeFor, PerPath, RowLearner
from adeptree.roles.frontier import Frontier, Split


@dataclass(frozen=True)
class CellVote(MadeFor[RealStumps]):
    """Base learner for real stumps: majority vote of the nearest labels over all consistent (feature, direction) pairs.

    Each pair has one gap for its cut, as in :class:`NearestLabel`. The majority decides; a tie is 0.

    >>> vote = CellVote().bind(RealStumps(["a", "b"]))
    >>> state = vote.update(vote.start(), {"a": 1.0, "b": 5.0}, 0)
    >>> state = vote.update(state, {"a": 2.0, "b": 5.0}, 1)
    >>> vote.predict(state, {"a": 1.6, "b": 9.0}), vote.predict(state, {"a": 1.4, "b": 9.0})
    (1, 0)
    """

    kind = RealStumps

    def start(self) -> tuple[Any, ...]:
        """Return, for every feature, the largest values with label 0 and 1 (none yet), then the smallest."""
        count = len(self.known.features)
        return (-math.inf,) * count, (-math.inf,) * count, (math.inf,) * count, (math.inf,) * count

    def predict(self, state: tuple[Any, ...], x: Instance) -> int:
        """Count the votes."""
        largest0, largest1, smallest0, smallest1 = np.array(state)
        values = self.known.vector(x)
        rising = nearer_to_high(largest0, smallest1, values)[largest0 < smallest1]
        falling = ~nearer_to_high(largest1, smallest0, values)[largest1 < smallest0]
        ones = np.count_nonzero(rising) + np.count_nonzero(falling)
        return int(2 * ones > len(rising) + len(falling))

    def update(self, state: tuple[Any, ...], x: Instance, y: int) -> tuple[Any, ...]:
        """Update the largest and the smallest values with label y."""
        values = [x[name] for name in self.known.features]
        moved = list(state)
        moved[y] = tuple(map(max, state[y], values))
        moved[2 + y] = tuple(map(min, state[2 + y], values))
        return tuple(moved)

    def rows(self, frontier: Frontier) -> RowLearner:
        """Count the votes of the frontier's cells."""
        return _VoteRows(frontier) if isinstance(frontier, RealStumpFrontier) else PerPath(self)


class _VoteRows(RowLearner):
    def __init__(self, frontier: RealStumpFrontier) -> None:
        self.frontier = frontier

    def predict(self, split: Split) -> BoolArray:
        frontier = self.frontier
        high = nearer_to_high(frontier.low, frontier.high, frontier.values(split.x))
        # Rising cells vote for the label of their gap, falling ones for the other label: +1 for 1 and -1 for 0.
        vote = np.where(high, 1.0, -1.0)
        # Cells without a row (-1) are counted at index 0.
        rising, falling = (np.bincount(rows + 1, vote, frontier.width + 1)[1:] for rows in frontier.rows)
        return rising > falling
