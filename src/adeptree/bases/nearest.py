"""Realizable learners over floats: predict the label of the nearest point that leaves a choice.

No learner has a mistake bound on these classes (their Littlestone dimension is infinite), so M is None
here; what the KT prior pays for is the mistakes on the best rule's own path (``docs/real-classes.md``).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.bases.base import MadeFor, PerPath, RowLearner
from adeptree.classes.real_line import RealIntervals, RealThresholds
from adeptree.classes.real_stumps import RealStumps
from adeptree.frontiers.base import Frontier, Split
from adeptree.frontiers.real_line import RealIntervalFrontier, RealThresholdFrontier
from adeptree.frontiers.real_stumps import RealStumpFrontier
from adeptree.types import BoolArray, Instance


def nearer_to_high(low: Any, high: Any, x: Any) -> Any:
    """Is x at or above ``high``, or between the two and nearer to it? Works on floats and arrays.

    An end at infinity is never the nearer one; ties, and two ends at infinity, are no.

    >>> nearer_to_high(0.0, 4.0, 3.0), nearer_to_high(0.0, 4.0, 2.0), nearer_to_high(-math.inf, 4.0, -9.0)
    (True, False, True)
    """
    # Halves, because the difference of two floats may be beyond all floats.
    return (high <= x) | ((low < x) & (high / 2 - x / 2 < x / 2 - low / 2))


@dataclass(frozen=True)
class NearestLabel(MadeFor[RealThresholds]):
    """Thresholds over floats: predict the label of the nearer of the largest 0 and the smallest 1.

    >>> nearest = NearestLabel().bind(RealThresholds())
    >>> state = nearest.update(nearest.update(nearest.start(), 1.0, 0), 2.0, 1)
    >>> nearest.mistake_bound, nearest.predict(state, 1.4), nearest.predict(state, 1.6)
    (None, 0, 1)
    """

    kind = RealThresholds

    def start(self) -> tuple[float, float]:
        """Return the largest 0 and the smallest 1: none yet."""
        return -math.inf, math.inf

    def predict(self, state: tuple[float, float], x: Instance) -> int:
        """Follow the nearer one."""
        return int(nearer_to_high(*state, x))

    def update(self, state: tuple[float, float], x: Instance, y: int) -> tuple[float, float]:
        """Narrow the gap."""
        low, high = state
        return (low, min(high, x)) if y else (max(low, x), high)

    def rows(self, frontier: Frontier) -> RowLearner:
        """Read the gaps off the frontier."""
        return _ThresholdRows(frontier) if isinstance(frontier, RealThresholdFrontier) else PerPath(self)


class _ThresholdRows(RowLearner):
    def __init__(self, frontier: RealThresholdFrontier) -> None:
        self.frontier = frontier

    def predict(self, split: Split) -> BoolArray:
        return nearer_to_high(self.frontier.low, self.frontier.high, split.x)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class NearestEnds(MadeFor[RealIntervals]):
    """Intervals over floats: 0 until a 1 was seen, then the label of the nearest point on x's side.

    >>> ends = NearestEnds().bind(RealIntervals())
    >>> state = ends.update(ends.update(ends.start(), 1.0, 0), 2.0, 1)
    >>> [ends.predict(state, x) for x in (0.5, 1.4, 1.6, 3.0)]
    [0, 0, 1, 1]
    """

    kind = RealIntervals

    def start(self) -> tuple[Any, ...]:
        """Return the state: the 0s seen before the first 1, and the box of the frontier (none yet)."""
        return (), None

    def predict(self, state: tuple[Any, ...], x: Instance) -> int:
        """Look at the nearer end on x's side of the 1s."""
        box = state[1]
        return 0 if box is None else int(inside(box, x))

    def update(self, state: tuple[Any, ...], x: Instance, y: int) -> tuple[Any, ...]:
        """Open or narrow the box, or remember the 0."""
        zeros, box = state
        if box is None and not y:
            return tuple(sorted({*zeros, x})), None
        if box is None:
            before, after = bisect_left(zeros, x), bisect_right(zeros, x)
            return (), (
                zeros[before - 1] if before else -math.inf,
                x,
                x,
                zeros[after] if after < len(zeros) else math.inf,
            )
        below, first, last, above = box
        if y:
            return (), (below, min(first, x), max(last, x), above)
        return (), (max(below, x) if x < first else below, first, last, min(above, x) if last < x else above)

    def rows(self, frontier: Frontier) -> RowLearner:
        """Read the boxes off the frontier."""
        return _IntervalRows(frontier) if isinstance(frontier, RealIntervalFrontier) else PerPath(self)


def inside(box: Any, x: Any) -> Any:
    """Is x among the 1s of a box, or nearer to them than to the 0 on its side? Works on floats and arrays.

    >>> inside((0.0, 4.0, 5.0, 9.0), 6.5), inside((0.0, 4.0, 5.0, 9.0), 1.5)
    (True, False)
    """
    below, first, last, above = box
    return nearer_to_high(below, first, x) & nearer_to_high(-above, -last, -x)


class _IntervalRows(RowLearner):
    def __init__(self, frontier: RealIntervalFrontier) -> None:
        self.frontier = frontier

    def predict(self, split: Split) -> BoolArray:
        return ~self.frontier.blank & inside(self.frontier.box, split.x)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class CellVote(MadeFor[RealStumps]):
    """Stumps over floats: every feature and direction that still fits votes for its nearest label.

    What fits is one gap for the cut, as in :class:`NearestLabel`; most votes win, a tie is 0.

    >>> vote = CellVote().bind(RealStumps(["a", "b"]))
    >>> state = vote.update(vote.start(), {"a": 1.0, "b": 5.0}, 0)
    >>> state = vote.update(state, {"a": 2.0, "b": 5.0}, 1)
    >>> vote.predict(state, {"a": 1.6, "b": 9.0}), vote.predict(state, {"a": 1.4, "b": 9.0})
    (1, 0)
    """

    kind = RealStumps

    def start(self) -> tuple[Any, ...]:
        """Return for every feature the largest 0 and 1 (none yet), then the smallest 0 and 1."""
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
        """Move the largest and the smallest values with label y."""
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
        # Rising cells vote as their gap says, falling ones for the other label: 1 adds 1, and 0 takes 1 away.
        vote = np.where(high, 1.0, -1.0)
        # Cells without a row (-1) are counted at place 0.
        rising, falling = (np.bincount(rows + 1, vote, frontier.width + 1)[1:] for rows in frontier.rows)
        return rising > falling
