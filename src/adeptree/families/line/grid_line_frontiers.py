"""Frontiers on a line: a path is a box of the ends that fit it, a few ints per row."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import Any

import numpy as np

from adeptree.core.types import BoolArray, FloatArray, Instance, IntArray
from adeptree.families.line.counting_cuts import intervals_within
from adeptree.families.line.grid_line import Intervals, Thresholds
from adeptree.families.rule_values import Interval, Threshold
from adeptree.roles.frontier import Children, Frontier, Split


class ThresholdFrontier(Frontier):
    """A row is the range ``low..high`` of thresholds that fit it."""

    def __init__(self, concept_class: Thresholds) -> None:
        super().__init__()
        self.low: IntArray = np.array([0], dtype=np.int64)
        self.high: IntArray = np.array([concept_class.n], dtype=np.int64)
        self.log_size = math.log(concept_class.n + 1)

    @property
    def width(self) -> int:
        """Number of ranges."""
        return len(self.low)

    def _answers(self, x: Instance) -> Split:
        return Split(x, self.high > x, self.low <= x)

    def grow(self, children: Children) -> None:
        """Cut the range that x falls into."""
        self.low, self.high = self._cut(children)

    def _cut(self, children: Children) -> tuple[IntArray, IntArray]:
        x, label = children.x, children.label
        low, high = self.low[children.parent], self.high[children.parent]
        return np.where(label, low, np.maximum(low, x + 1)), np.where(label, np.minimum(high, x), high)

    def log_counts(self, children: Children) -> FloatArray:
        """Return ln of the lengths of the children's ranges."""
        low, high = self._cut(children)
        return np.log((high - low).astype(np.float64) + 1.0)

    def concept(self, row: int) -> Threshold:
        """Return the lowest threshold that fits."""
        return Threshold(int(self.low[row]))

    def state(self) -> dict[str, Any]:
        """Return the ranges."""
        return {"low": self.low, "high": self.high}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over saved ranges."""
        self.low, self.high = state["low"], state["high"]


class IntervalFrontier(Frontier):
    """A row with a 1 is a box of starts and stops; the one row without a 1 is the ``blank`` row.

    The blank row stands for all intervals inside one gap between the points seen, and the empty one;
    the gaps are the same for everybody, so they are kept once, as the sorted list of points seen.
    """

    def __init__(self, concept_class: Intervals) -> None:
        super().__init__()
        self.n = concept_class.n
        self.seen: list[int] = []
        self.blank: BoolArray = np.array([True])
        # Columns: lowest start, highest start, lowest stop, highest stop (unused in the blank row).
        self.box: IntArray = np.zeros((4, 1), dtype=np.int64)
        self.log_size = math.log(self.n * (self.n + 1) // 2 + 1)

    @property
    def width(self) -> int:
        """Number of boxes, and the blank row."""
        return len(self.blank)

    def gap(self, x: Instance) -> tuple[int, int]:
        """Return the nearest points seen below and above x (-1 and n at the ends)."""
        place = bisect_left(self.seen, x)
        above = place + (place < len(self.seen) and self.seen[place] == x)
        return (
            self.seen[place - 1] if place else -1,
            self.seen[above] if above < len(self.seen) else self.n,
        )

    def is_new(self, x: Instance) -> bool:
        """Return whether x was not seen before."""
        place = bisect_left(self.seen, x)
        return place == len(self.seen) or self.seen[place] != x

    def _answers(self, x: Instance) -> Split:
        first_start, last_start, first_stop, last_stop = self.box
        can0 = self.blank | (last_start > x) | (first_stop <= x)
        can1 = np.where(self.blank, self.is_new(x), (first_start <= x) & (x < last_stop))
        return Split(x, can0, can1)

    def grow(self, children: Children) -> None:
        """Narrow the boxes that x falls into; a 1 in the blank row opens a new box."""
        self.box, self.blank = self._narrowed(children)
        if self.is_new(children.x):
            place = bisect_left(self.seen, children.x)
            self.seen = [*self.seen[:place], children.x, *self.seen[place:]]

    def _narrowed(self, children: Children) -> tuple[IntArray, BoolArray]:
        x, label = children.x, children.label
        below, above = self.gap(x)
        blank = self.blank[children.parent]
        first_start, last_start, first_stop, last_stop = self.box[:, children.parent]
        left, right = x < last_start, x >= first_stop
        box = np.stack(
            [
                np.where(left & ~label, np.maximum(first_start, x + 1), first_start),
                np.where(left & label, np.minimum(last_start, x), last_start),
                np.where(right & label, np.maximum(first_stop, x + 1), first_stop),
                np.where(right & ~label, np.minimum(last_stop, x), last_stop),
            ]
        )
        fresh_box = np.array([[below + 1], [x], [x + 1], [above]], dtype=np.int64)
        return np.where(blank, np.where(label, fresh_box, 0), box), blank & ~label

    def log_counts(self, children: Children) -> FloatArray:
        """Return ln of (starts x stops) of the boxes; of the blank row, of the intervals between the points."""
        box, blank = self._narrowed(children)
        first_start, last_start, first_stop, last_stop = box.astype(np.float64)
        counts = (last_start - first_start + 1) * (last_stop - first_stop + 1)
        if blank.any():
            points = [-1, *sorted({*self.seen, children.x}), self.n]
            counts[blank] = intervals_within(np.diff(np.array(points, dtype=np.float64)))
        logs: FloatArray = np.log(counts)
        return logs

    def concept(self, row: int) -> Interval:
        """Return the shortest interval that fits."""
        if self.blank[row]:
            return Interval(0, 0)
        return Interval(int(self.box[1, row]), int(self.box[2, row]))

    def state(self) -> dict[str, Any]:
        """Return the boxes and the points seen."""
        return {"box": self.box, "blank": self.blank, "seen": np.array(self.seen, dtype=np.int64)}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over saved boxes."""
        self.box, self.blank, self.seen = state["box"], state["blank"], state["seen"].tolist()
