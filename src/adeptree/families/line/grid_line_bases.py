"""Optimal realizable learners on a line."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.core.types import BoolArray, Instance
from adeptree.families.line.grid_line import Intervals, Thresholds
from adeptree.families.line.grid_line_frontiers import IntervalFrontier, ThresholdFrontier
from adeptree.roles.base_learner import MadeFor, PerPath, RowLearner
from adeptree.roles.frontier import Children, Frontier, Split


def majority_of_starts(low: Any, high: Any, x: Any) -> Any:
    """Do most thresholds in ``low..high`` (which x cuts) lie at or below x? Works on ints and arrays.

    >>> majority_of_starts(0, 3, 2), majority_of_starts(0, 3, 1)
    (True, False)
    """
    return x - low + 1 > high - x


def majority_of_stops(low: Any, high: Any, x: Any) -> Any:
    """Do most stops in ``low..high`` (which x cuts) lie above x? Works on ints and arrays.

    >>> majority_of_stops(0, 3, 1), majority_of_stops(0, 3, 0)
    (False, True)
    """
    return high - x > x - low + 1


@dataclass(frozen=True)
class Bisection(MadeFor[Thresholds]):
    """Thresholds: predict with the middle of the thresholds that fit; M = floor(log2(n + 1)).

    >>> bisection = Bisection().bind(Thresholds(7))
    >>> bisection.mistake_bound, bisection.predict(bisection.start(), 3), bisection.predict(bisection.start(), 4)
    (3, 0, 1)
    """

    kind = Thresholds

    def start(self) -> tuple[int, int]:
        """Return the range of all thresholds."""
        return 0, self.known.n

    def predict(self, state: tuple[int, int], x: Instance) -> int:
        """Follow the majority of the thresholds that fit."""
        low, high = state
        if low <= x < high:
            return int(majority_of_starts(low, high, x))
        return int(low <= x)

    def update(self, state: tuple[int, int], x: Instance, y: int) -> tuple[int, int]:
        """Cut the range."""
        low, high = state
        return (low, min(high, x)) if y else (max(low, x + 1), high)

    def rows(self, frontier: Frontier) -> RowLearner:
        """Read the ranges off a threshold frontier."""
        return _BisectionRows(frontier) if isinstance(frontier, ThresholdFrontier) else PerPath(self)


class _BisectionRows(RowLearner):
    def __init__(self, frontier: ThresholdFrontier) -> None:
        self.frontier = frontier

    def predict(self, split: Split) -> BoolArray:
        return majority_of_starts(self.frontier.low, self.frontier.high, split.x)  # type: ignore[no-any-return]


Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class IntervalSearch(MadeFor[Intervals]):
    """Intervals: optimal, M = the Littlestone dimension.

    Once a 1 was seen, two independent bisections remain. Before that, a 1 at x would leave a box of
    Littlestone dimension D(x); with m mistakes left the learner predicts 1 exactly when D(x) = m, since
    then it could not afford to be surprised by a 1, and a 0 there must lower the dimension of what remains.

    >>> search = IntervalSearch().bind(Intervals(9))
    >>> search.mistake_bound, search.predict(search.start(), 4), search.predict(search.start(), 0)
    (5, 0, 0)
    """

    kind = Intervals

    def start(self) -> tuple[Any, ...]:
        """Return the state: mistakes while no 1 was seen, the points seen, and the box (none yet)."""
        return 0, (), None

    def predict(self, state: tuple[Any, ...], x: Instance) -> int:
        """Bisect inside the box; without one, see the class."""
        mistakes, seen, box = state
        if box is not None:
            return self._inside(box, x)
        return int(x not in seen and self.daring(mistakes, *self._gap(seen, x), x))

    def update(self, state: tuple[Any, ...], x: Instance, y: int) -> tuple[Any, ...]:
        """Open or narrow the box, or remember the 0."""
        mistakes, seen, box = state
        if box is not None:
            return mistakes, seen, _narrow(box, x, y)
        below, above = self._gap(seen, x)
        if y:
            return mistakes, seen, (below + 1, x, x + 1, above)
        mistakes += self.predict(state, x)
        return mistakes, tuple(sorted({*seen, x})), None

    def daring(self, mistakes: int, below: int, above: int, x: int) -> bool:
        """Whether to predict 1 at a new x in the gap (below, above), having made ``mistakes`` so far."""
        dimension = (x - below).bit_length() - 1 + (above - x).bit_length() - 1
        bound = self.known.littlestone_dimension
        return dimension >= bound - mistakes

    def _gap(self, seen: tuple[int, ...], x: int) -> tuple[int, int]:
        n = self.known.n
        place = bisect_left(seen, x)
        after = place + (place < len(seen) and seen[place] == x)
        return (seen[place - 1] if place else -1, seen[after] if after < len(seen) else n)

    @staticmethod
    def _inside(box: Box, x: int) -> int:
        first_start, last_start, first_stop, last_stop = box
        if x < last_start:
            return int(first_start <= x and majority_of_starts(first_start, last_start, x))
        if x >= first_stop:
            return int(x < last_stop and majority_of_stops(first_stop, last_stop, x))
        return 1

    def rows(self, frontier: Frontier) -> RowLearner:
        """Read the boxes off an interval frontier."""
        return _IntervalRows(self, frontier) if isinstance(frontier, IntervalFrontier) else PerPath(self)


class _IntervalRows(RowLearner):
    """Only the blank row needs a memory: its mistakes so far."""

    def __init__(self, search: IntervalSearch, frontier: IntervalFrontier) -> None:
        self.search = search
        self.frontier = frontier
        self.mistakes = 0

    def predict(self, split: Split) -> BoolArray:
        first_start, last_start, first_stop, last_stop = self.frontier.box
        left = majority_of_starts(first_start, last_start, split.x)
        right = majority_of_stops(first_stop, last_stop, split.x)
        boxed = np.where(split.x < last_start, left, right)
        guess: BoolArray = np.where(self.frontier.blank, self._dares(split.x), boxed)
        return guess

    def _dares(self, x: Instance) -> bool:
        return self.frontier.is_new(x) and self.search.daring(self.mistakes, *self.frontier.gap(x), x)

    def grow(self, children: Children) -> None:
        self.mistakes += self._dares(children.x)

    def state(self) -> dict[str, Any]:
        return {"mistakes": self.mistakes}

    def restore(self, state: dict[str, Any]) -> None:
        self.mistakes = state["mistakes"]


def _narrow(box: Box, x: int, y: int) -> Box:
    first_start, last_start, first_stop, last_stop = box
    if x < last_start:
        if y:
            return first_start, x, first_stop, last_stop
        return max(first_start, x + 1), last_start, first_stop, last_stop
    if x >= first_stop:
        if y:
            return first_start, last_start, x + 1, last_stop
        return first_start, last_start, first_stop, min(last_stop, x)
    return box
