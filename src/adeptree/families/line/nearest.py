"""Realizable learners over floats: predict the label of the nearest point that leaves a choice.

No learner has a mistake bound on these classes (their Littlestone dimension is infinite), so M is None
here; what the KT prior pays for is the mistakes on the best rule's own path (``docs/real-classes.md``).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Any

from adeptree.core.types import BoolArray, Instance
from adeptree.families.line.float_line import RealIntervals, RealThresholds
from adeptree.families.line.float_line_frontiers import RealIntervalFrontier, RealThresholdFrontier
from adeptree.roles.base_learner import MadeFor, PerPath, RowLearner
from adeptree.roles.frontier import Frontier, Split


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
