"""Intervals, on a grid and over floats: 1 between two cuts."""

from __future__ import annotations

import math
from abc import abstractmethod
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from adeptree.core.declared_state import Array, Fields, Items, Number, need
from adeptree.core.types import BoolArray, FloatArray, Instance, LabelArray, NDArray, Sample
from adeptree.families.line.counting_cuts import intervals_within
from adeptree.families.line.line_domain import OnAGrid, OnALine, OnFloats, neighbours
from adeptree.families.line.near_cuts import best_labels
from adeptree.families.rule_values import Interval
from adeptree.roles.frontier import Children, Frontier, Split

EMPTY = Interval(0, 0)


class Cut(OnALine):
    """Concepts with at most ``cuts`` cuts (None: any number): 0 to the left of all, flipping at each cut."""

    cuts: int | None

    def erm(self, sample: Sample) -> Any:
        """Return the rule with the fewest errors; among equals, the fewest cuts."""
        return self.best_of(*self._gains(sample))

    def best_of(self, points: NDArray[Any], gains: NDArray[Any]) -> Any:
        """Return the best rule for these points; predicting 0 at a point costs its gain more than predicting 1."""
        return self.rule_of(points, self.best_labels(gains))

    def realizable(self, sample: Sample) -> bool:
        """Return True if no point has both labels and the labels change at most ``cuts`` times, beginning with 0."""
        pairs = sorted(set(self.clean(sample)))
        labels = [0, *(y for _, y in pairs)]
        flips = sum(a != b for a, b in pairwise(labels))
        return len({x for x, _ in pairs}) == len(pairs) and (self.cuts is None or flips <= self.cuts)

    def best_labels(self, gains: NDArray[Any]) -> NDArray[Any]:
        """Return the labels with the fewest errors, among equals with the fewest cuts, in O(cuts m)."""
        return gains > 0 if self.cuts is None else best_labels(gains, self.cuts)

    @abstractmethod
    def rule_of(self, points: NDArray[Any], labels: NDArray[Any]) -> Any:
        """Return the rule that the line shows for these labels of the points between its ends."""

    def runs(self, points: NDArray[Any], labels: NDArray[Any]) -> tuple[Interval, ...]:
        """Return the interval that the line shows for each run of 1s."""
        line, flips = self.line, flips_of(np.append(labels, 0))
        # A run of 1s from label ``start`` to before ``stop`` is points start+1..stop, as point 0 is before the line.
        return tuple(
            line.interval(points[start] + line.step, points[start + 1], points[stop] + line.step, points[stop + 1])
            for start, stop in zip(flips[::2], flips[1::2], strict=True)
        )


class Spans(Cut):
    """Concepts ``a <= x < b``, the empty one included."""

    cuts = 2

    def random_concept(self, rng: np.random.Generator) -> Interval:
        """Draw two ends uniformly: of the grid's cuts, or in [0, 1)."""
        return Interval(*sorted(self.line.draw(rng, 2, cuts=True)))

    def rule_of(self, points: NDArray[Any], labels: NDArray[Any]) -> Interval:
        """Return the interval that the line displays for the 1s."""
        return next(iter(self.runs(points, labels)), EMPTY)


@dataclass(frozen=True, repr=False)
class Intervals(Spans, OnAGrid):
    """Concepts ``a <= x < b`` (the empty one included), on instances 0..n-1.

    >>> c = Intervals(1024)
    >>> c, c.size, c.vc_dimension, c.littlestone_dimension
    (intervals(n=1024), 524801, 2, 18)
    >>> str(c.erm([(1, 0), (5, 1), (7, 1), (9, 0)]))
    '5 <= x < 8'
    """

    spec_name = "intervals"

    @property
    def size(self) -> int:
        """Number of concepts: n(n+1)/2 nonempty intervals and the empty one."""
        return self.n * (self.n + 1) // 2 + 1

    @property
    def vc_dimension(self) -> int:
        """VC dimension: 2, or 1 on a single point."""
        return min(2, self.n)

    @property
    def littlestone_dimension(self) -> int:
        """Littlestone dimension: largest k with ``shortest_line(k) <= n`` (proof in ``docs/theory/dimensions.md``)."""
        k = 0
        while shortest_line(k + 1) <= self.n:
            k += 1
        return k

    def labels(self, x: Instance) -> LabelArray:
        """Return the labels of all concepts: the empty one first, then ordered by start and stop."""
        self._check_listable()
        starts, stops = np.triu_indices(self.n)
        inside = (starts <= x) & (x <= stops)
        return np.concatenate([[0], inside]).astype(np.uint8)

    def concept(self, index: int) -> Interval:
        """Return concept number ``index`` in the order of :meth:`labels`."""
        if index == 0:
            return EMPTY
        self._check_listable()
        starts, stops = np.triu_indices(self.n)
        return Interval(int(starts[index - 1]), int(stops[index - 1]) + 1)


@dataclass(frozen=True, repr=False)
class RealIntervals(Spans, OnFloats):
    """Concepts ``a <= x < b`` for all real or infinite a and b, and the empty one.

    On floats these include the closed intervals: no float lies between b and the float before it.

    >>> c = RealIntervals()
    >>> c, c.vc_dimension, c.littlestone_dimension
    (real_intervals(), 2, None)
    >>> str(c.erm([(1.5, 0), (5, 1), (7.25, 1), (9.5, 0)]))
    '5 <= x < 8'
    """

    spec_name = "real_intervals"

    vc_dimension = 2
    """VC dimension: of three points, the outer two are never 1 without the middle one."""


def flips_of(labels: NDArray[Any]) -> list[int]:
    """Return the indices at which labels change, and index 0 if the first label is 1.

    >>> flips_of(np.array([1, 1, 0, 0, 1]))
    [0, 2, 4]
    """
    return np.flatnonzero(np.diff(labels.astype(np.int64), prepend=0)).tolist()


def shortest_line(k: int) -> int:
    """Return the least n for which intervals on n points have Littlestone dimension at least k.

    >>> [shortest_line(k) for k in range(1, 12)]
    [1, 2, 4, 6, 9, 13, 19, 27, 39, 55, 79]
    """
    if k <= 2:
        return k
    half, odd = divmod(k, 2)
    return (5 << (half - 1)) - 1 if odd else (7 << (half - 2)) - 1


class IntervalFrontier(Frontier):
    """A frontier whose rows with a 1 are boxes (the gaps of start and stop); the row without a 1 is ``blank``.

    The blank row represents the empty interval and all intervals inside one gap between the points seen. The gaps are
    common to all rows, so they are stored once, as the sorted list of points seen.
    """

    ROWS = ("box", "blank")

    def __init__(self, concept_class: Spans) -> None:
        super().__init__()
        self.line = line = concept_class.line
        self.seen: list[Any] = []
        self.blank: BoolArray = np.array([True])
        # Lowest start, first 1, lowest stop, the 0 above (unused in the blank row).
        self.box: NDArray[Any] = np.zeros((4, 1), dtype=line.dtype)
        self.log_size = math.log(intervals_within(np.array([float(line.cuts)])))
        self.of_floats = line.of_floats

    def gap(self, x: Instance) -> tuple[Any, Any]:
        """Return the nearest points seen below and above x (the ends of the line if there is none)."""
        return neighbours(self.line, self.seen, x)

    def is_new(self, x: Instance) -> bool:
        """Return True if x was not seen before."""
        place = bisect_left(self.seen, x)
        return place == len(self.seen) or bool(self.seen[place] != x)

    def _answers(self, x: Instance) -> Split:
        low, first, past, above = self.box
        reach = x + self.line.step
        can0 = self.blank | (x < first) | (past < reach)
        can1 = np.where(self.blank, self.is_new(x), (low < reach) & (x < above))
        return Split(x, can0, can1)

    def grow(self, children: Children) -> None:
        """Narrow the boxes that x falls into; a 1 in the blank row opens a new box."""
        self.box, self.blank = self._narrowed(children)
        if self.is_new(children.x):
            place = bisect_left(self.seen, children.x)
            self.seen = [*self.seen[:place], children.x, *self.seen[place:]]

    def _narrowed(self, children: Children) -> tuple[NDArray[Any], BoolArray]:
        x, label = children.x, children.label
        reach = x + self.line.step
        blank = self.blank[children.parent]
        low, first, past, above = self.box[:, children.parent]
        left, right = x < first, past < reach
        box = np.stack(
            [
                np.where(left & ~label, np.maximum(low, reach), low),
                np.where(left & label, x, first),
                np.where(right & label, reach, past),
                np.where(right & ~label, np.minimum(above, x), above),
            ]
        )
        zero_below, zero_above = self.gap(x)
        fresh = np.array([[zero_below + self.line.step], [x], [reach], [zero_above]], dtype=self.line.dtype)
        return np.where(blank, np.where(label, fresh, 0), box), blank & ~label

    def log_counts(self, children: Children) -> FloatArray:
        """Return ln of (starts x stops) for boxes; for the blank row, of the intervals between the points."""
        (low, first, past, above), blank = self._narrowed(children)
        counts = np.where(blank, 1.0, self.line.count(low, first) * self.line.count(past, above))
        if blank.any():
            ends = [self.line.before, *sorted({*self.seen, children.x}), self.line.end]
            points = np.array(ends, dtype=self.line.dtype)
            counts[blank] = intervals_within(self.line.count(points[:-1] + self.line.step, points[1:]))
        logs: FloatArray = np.log(counts)
        return logs

    def concept(self, row: int) -> Interval:
        """Return the interval of the box that the line shows."""
        return EMPTY if self.blank[row] else self.line.interval(*self.box[:, row])

    def declared(self) -> Fields:
        """Declare boxes and points on the line."""
        line, inside = self.line, (self.line.before + self.line.step, self.line.end)
        seen = Items("points", Number(float if line.of_floats else int, *inside))
        return {"box": Array(line.dtype, (4, "rows"), *inside), "blank": Array(np.bool_, "rows"), "seen": seen}

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError unless points and the ends of boxes are in order."""
        start, last, stop, furthest = state["box"][:, ~state["blank"]]
        need((start <= last).all() and (last <= stop).all() and (stop <= furthest).all(), "box")
        need((np.diff([self.line.before, *state["seen"], self.line.end]) > 0).all(), "seen")
