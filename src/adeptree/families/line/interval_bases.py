"""Realizable learners of intervals: the label of the nearest point on x's side of the 1s.

Before the first 1 there is no such side. On a grid :class:`IntervalSearch` then predicts 1 where it must, and has the
best mistake bound; over floats there is no mistake bound (see :class:`NearestLabel`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from adeptree.core.declared_state import is_count, need
from adeptree.core.types import BoolArray, Instance
from adeptree.families.line.intervals import IntervalFrontier, Intervals, RealIntervals, Spans
from adeptree.families.line.line_domain import Line, nearer_to_high, neighbours
from adeptree.roles.base_learner import MadeFor, PerPath, RowLearner
from adeptree.roles.frontier import Children, Frontier, Split

S = TypeVar("S", bound=Spans)


class _Ends(MadeFor[S]):
    """Predict 0 until a 1 was seen; then the nearest point on x's side of the path's box decides."""

    def start(self) -> tuple[Any, ...]:
        """Return the state: the 0s seen before the first 1, and the box (none yet)."""
        return (), None

    def predict(self, state: tuple[Any, ...], x: Instance) -> int:
        """Predict the label of the nearest point on x's side of the 1s."""
        box = state[1]
        return 0 if box is None else int(inside(self.known.line, box, x))

    def update(self, state: tuple[Any, ...], x: Instance, y: int) -> tuple[Any, ...]:
        """Open or narrow the box, or store the 0."""
        zeros, box = state
        line = self.known.line
        reach = x + line.step
        if box is None:
            below, above = neighbours(line, zeros, x)
            return (zeros, (below + line.step, x, reach, above)) if y else (tuple(sorted({*zeros, x})), None)
        low, first, past, above = box
        if x < first:
            return zeros, (low, x, past, above) if y else (max(low, reach), first, past, above)
        if past < reach:
            return zeros, (low, first, reach, above) if y else (low, first, past, min(above, x))
        return state

    def rows(self, frontier: Frontier) -> RowLearner:
        """Run on the boxes of an interval frontier."""
        return self._boxes(frontier) if isinstance(frontier, IntervalFrontier) else PerPath(self)

    def _boxes(self, frontier: IntervalFrontier) -> RowLearner:
        return _Boxes(frontier)


def inside(line: Line, box: Any, x: Any) -> Any:
    """Return True if x is among the 1s of a box, or nearer to them than to the 0 on its side; also for arrays.

    >>> from adeptree.families.line.line_domain import FLOATS
    >>> inside(FLOATS, (0.0, 4.0, 5.0, 9.0), 6.5), inside(FLOATS, (0.0, 4.0, 5.0, 9.0), 1.5)
    (True, False)
    """
    low, first, past, above = box
    below, last = low - line.step, past - line.step
    return nearer_to_high(below, first, x, line) & nearer_to_high(-above, -last, -x, line)


class _Boxes(RowLearner):
    def __init__(self, frontier: IntervalFrontier) -> None:
        self.frontier = frontier

    def predict(self, split: Split) -> BoolArray:
        boxed = inside(self.frontier.line, self.frontier.box, split.x)
        guess: BoolArray = np.where(self.frontier.blank, self._dares(split.x), boxed)
        return guess

    def _dares(self, x: Instance) -> bool:
        return False


@dataclass(frozen=True)
class NearestEnds(_Ends[RealIntervals]):
    """The base learner of intervals over floats: 0 until a 1 was seen, then the nearest label on x's side.

    >>> ends = NearestEnds().bind(RealIntervals())
    >>> state = ends.update(ends.update(ends.start(), 1.0, 0), 2.0, 1)
    >>> [ends.predict(state, x) for x in (0.5, 1.4, 1.6, 3.0)]
    [0, 0, 1, 1]
    """

    kind = RealIntervals


@dataclass(frozen=True)
class IntervalSearch(_Ends[Intervals]):
    """The optimal base learner of intervals on a grid: M = the Littlestone dimension.

    Once a 1 was seen, two independent bisections remain. Before that, a 1 at x would leave a box of Littlestone
    dimension D(x). With m mistakes left the learner predicts 1 exactly if D(x) = m: after a mistaken 0 the rest would
    need more than m - 1 mistakes, and a label 0 must lower the dimension of the remaining class.

    >>> search = IntervalSearch().bind(Intervals(9))
    >>> search.mistake_bound, search.predict(search.start(), 4), search.predict(search.start(), 0)
    (5, 0, 0)
    """

    kind = Intervals

    def start(self) -> tuple[Any, ...]:
        """Return the state: mistakes before the first 1, the 0s before it, and the box (none yet)."""
        return 0, (), None

    def predict(self, state: tuple[Any, ...], x: Instance) -> int:
        """Bisect inside the box; without one, see :meth:`daring`."""
        mistakes, zeros, box = state
        if box is not None:
            return super().predict((zeros, box), x)
        return int(x not in zeros and self.daring(mistakes, *neighbours(self.known.line, zeros, x), x))

    def update(self, state: tuple[Any, ...], x: Instance, y: int) -> tuple[Any, ...]:
        """Update the box; without one, count a mistaken prediction of 1."""
        mistakes, *ends = state
        if ends[1] is None and not y:
            mistakes += self.predict(state, x)
        return mistakes, *super().update(tuple(ends), x, y)

    def daring(self, mistakes: int, below: int, above: int, x: int) -> bool:
        """Return True to predict 1 at a new x in the gap (below, above), after ``mistakes`` mistakes."""
        dimension = (x - below).bit_length() - 1 + (above - x).bit_length() - 1
        bound = self.known.littlestone_dimension
        return dimension >= bound - mistakes

    def _boxes(self, frontier: IntervalFrontier) -> RowLearner:
        return _CutSearch(self, frontier)


class _CutSearch(_Boxes):
    """Rows of an interval frontier; only the blank row has a state, its mistakes so far."""

    def __init__(self, search: IntervalSearch, frontier: IntervalFrontier) -> None:
        super().__init__(frontier)
        self.search = search
        self.mistakes = 0

    def _dares(self, x: Instance) -> bool:
        return self.frontier.is_new(x) and self.search.daring(self.mistakes, *self.frontier.gap(x), x)

    def grow(self, children: Children) -> None:
        self.mistakes += self._dares(children.x)

    def state(self) -> dict[str, Any]:
        return {"mistakes": self.mistakes}

    def restore(self, state: dict[str, Any], width: int) -> None:
        need(is_count(state["mistakes"]), "mistakes of the base learner")
        self.mistakes = state["mistakes"]
