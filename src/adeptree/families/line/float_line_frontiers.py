"""Frontiers on the real line: a path is the few points next to its cuts, floats instead of a grid."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import Any

import numpy as np

from adeptree.core.types import BoolArray, Concept, FloatArray, Instance
from adeptree.families.line.counting_cuts import DOUBLES, doubles_between, intervals_within
from adeptree.families.line.float_line import EMPTY, RealIntervals, RealThresholds, interval_between, threshold_between
from adeptree.families.rule_values import Interval
from adeptree.roles.frontier import Children, Frontier, Split


class RealThresholdFrontier(Frontier):
    """A row is its largest point labelled 0 and its smallest labelled 1 (-inf and inf where there is none)."""

    of_floats = True

    def __init__(self, concept_class: RealThresholds) -> None:
        super().__init__()
        self.low: FloatArray = np.array([-np.inf])
        self.high: FloatArray = np.array([np.inf])
        self.log_size = math.log(DOUBLES)

    @property
    def width(self) -> int:
        """Number of gaps for the cut."""
        return len(self.low)

    def _answers(self, x: Instance) -> Split:
        return Split(x, self.high > x, self.low < x)

    def grow(self, children: Children) -> None:
        """Cut the gap that x falls into."""
        self.low, self.high = self._cut(children)

    def _cut(self, children: Children) -> tuple[FloatArray, FloatArray]:
        x, label = children.x, children.label
        low, high = self.low[children.parent], self.high[children.parent]
        return np.where(label, low, np.maximum(low, x)), np.where(label, np.minimum(high, x), high)

    def log_counts(self, children: Children) -> FloatArray:
        """Return ln of the number of doubles in the children's gaps."""
        return np.log(doubles_between(*self._cut(children)))

    def concept(self, row: int) -> Concept:
        """Return the threshold with the roundest cut that fits."""
        return threshold_between(float(self.low[row]), float(self.high[row]))

    def state(self) -> dict[str, Any]:
        """Return the gaps."""
        return {"low": self.low, "high": self.high}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over saved gaps."""
        self.low, self.high = state["low"], state["high"]


class RealIntervalFrontier(Frontier):
    """A row with a 1 is a box of four points; the one row without a 1 is the ``blank`` row.

    The blank row stands for all intervals inside one gap between the points seen, and the empty one;
    the gaps are the same for everybody, so they are kept once, as the sorted list of points seen.
    """

    of_floats = True

    def __init__(self, concept_class: RealIntervals) -> None:
        super().__init__()
        self.seen: list[float] = []
        self.blank: BoolArray = np.array([True])
        # The 0 below, the first 1, the last 1, the 0 above (unused in the blank row).
        self.box: FloatArray = np.zeros((4, 1))
        self.log_size = math.log(intervals_within(np.array([DOUBLES])))

    @property
    def width(self) -> int:
        """Number of boxes, and the blank row."""
        return len(self.blank)

    def gap(self, x: Instance) -> tuple[float, float]:
        """Return the nearest points seen below and above x (-inf and inf at the ends)."""
        below, above = bisect_left(self.seen, x), bisect_right(self.seen, x)
        return (
            self.seen[below - 1] if below else -math.inf,
            self.seen[above] if above < len(self.seen) else math.inf,
        )

    def is_new(self, x: Instance) -> bool:
        """Return whether x was not seen before."""
        return bisect_left(self.seen, x) == bisect_right(self.seen, x)

    def _answers(self, x: Instance) -> Split:
        below, first, last, above = self.box
        can0 = self.blank | (x < first) | (last < x)
        can1 = np.where(self.blank, self.is_new(x), (below < x) & (x < above))
        return Split(x, can0, can1)

    def grow(self, children: Children) -> None:
        """Narrow the boxes that x falls into; a 1 in the blank row opens a new box."""
        self.box, self.blank = self._narrowed(children)
        if self.is_new(children.x):
            place = bisect_left(self.seen, children.x)
            self.seen = [*self.seen[:place], children.x, *self.seen[place:]]

    def _narrowed(self, children: Children) -> tuple[FloatArray, BoolArray]:
        x, label = children.x, children.label
        blank = self.blank[children.parent]
        below, first, last, above = self.box[:, children.parent]
        left, right = x < first, last < x
        box = np.stack(
            [
                np.where(left & ~label, np.maximum(below, x), below),
                np.where(left & label, x, first),
                np.where(right & label, x, last),
                np.where(right & ~label, np.minimum(above, x), above),
            ]
        )
        zero_below, zero_above = self.gap(x)
        fresh_box = np.array([[zero_below], [x], [x], [zero_above]])
        return np.where(blank, np.where(label, fresh_box, 0.0), box), blank & ~label

    def log_counts(self, children: Children) -> FloatArray:
        """Return ln of (starts x stops) of the boxes, in doubles; of the blank row, of the intervals in the gaps."""
        box, blank = self._narrowed(children)
        below, first, last, above = box
        counts = np.where(blank, 1.0, doubles_between(below, first) * doubles_between(last, above))
        if blank.any():
            points = np.array([-np.inf, *sorted({*self.seen, children.x}), np.inf])
            counts[blank] = intervals_within(doubles_between(points[:-1], points[1:]))
        return np.log(counts)

    def concept(self, row: int) -> Interval:
        """Return the interval with the roundest ends that fit."""
        if self.blank[row]:
            return EMPTY
        below, first, last, above = self.box[:, row].tolist()
        return interval_between(below, first, last, above)

    def state(self) -> dict[str, Any]:
        """Return the boxes and the points seen."""
        return {"box": self.box, "blank": self.blank, "seen": np.array(self.seen)}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over saved boxes."""
        self.box, self.blank, self.seen = state["box"], state["blank"], state["seen"].tolist()
