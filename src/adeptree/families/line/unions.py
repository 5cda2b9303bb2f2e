"""Unions of at most m intervals, and steps: 0 to the left of all cuts, flipping at every cut."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from typing import Any

import numpy as np

from adeptree.core.arguments import check_size
from adeptree.core.declared_state import Array, Fields, Items, Number, need
from adeptree.core.types import BoolArray, Instance, LabelArray, NDArray
from adeptree.families.line.intervals import Cut, Intervals
from adeptree.families.line.line_domain import OnAGrid, OnFloats, nearer_to_high, neighbours
from adeptree.families.rule_values import Interval, IntervalUnion
from adeptree.roles.base_learner import MadeFor
from adeptree.roles.frontier import Children, Frontier, Split
from adeptree.theory import bounds

MOST_INTERVALS = 12
"""Most intervals: kernels multiply up to 24 masses, which fits a double if each is at least 1e-24 of one cut's."""


class CutRules(Cut):
    """Concepts with at most ``cuts`` cuts (None: any number)."""

    def rule_of(self, points: NDArray[Any], labels: NDArray[Any]) -> IntervalUnion:
        """Return the union of the intervals that the line displays for the 1s."""
        return IntervalUnion(self.runs(points, labels))

    def random_concept(self, rng: np.random.Generator) -> IntervalUnion:
        """Draw the cuts uniformly from the grid's or in [0, 1); 2 to 16 of them if the number is not limited."""
        cuts = 2 * int(rng.integers(1, 9)) if self.cuts is None else self.cuts
        ends = sorted(self.line.draw(rng, cuts, cuts=True))
        spans = (Interval(*pair) for pair in zip(ends[::2], ends[1::2], strict=True))
        return IntervalUnion(tuple(span for span in spans if span.start < span.stop))


@dataclass(frozen=True, repr=False)
class IntervalUnions(CutRules, OnAGrid):
    """Unions of at most m intervals (up to 12), on instances 0..n-1.

    >>> c = IntervalUnions(64, 2)
    >>> c, c.size, c.vc_dimension
    (unions(n=64, m=2), 679121, 4)
    >>> str(c.erm([(1, 1), (3, 1), (4, 0), (7, 1), (8, 1), (9, 0)]))
    '1 <= x < 4 or 7 <= x < 9'
    """

    m: int

    spec_name = "unions"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "m", check_size("m", self.m, at_most=MOST_INTERVALS))

    @property
    def cuts(self) -> int:  # type: ignore[override]
        """2m: the ends of the intervals."""
        return 2 * self.m

    @property
    def size(self) -> int:
        """Number of concepts: the ways to change the label before at most 2m of the n points."""
        return bounds.sauer(self.n, self.cuts)

    @property
    def vc_dimension(self) -> int:
        """VC dimension: 2m, or all n points (proof in ``docs/theory/dimensions.md``)."""
        return min(self.cuts, self.n)

    @property
    def littlestone_dimension(self) -> int | None:
        """Littlestone dimension: that of intervals for m = 1; n if every labelling is a union; else not known."""
        if self.n <= self.cuts:
            return self.n
        return Intervals(self.n).littlestone_dimension if self.m == 1 else None

    @cached_property
    def _flips(self) -> list[tuple[int, ...]]:
        self._check_listable()
        return list(chain.from_iterable(combinations(range(self.n), j) for j in range(min(self.cuts, self.n) + 1)))

    def labels(self, x: Instance) -> LabelArray:
        """Return the labels of all concepts, those with the fewest changes first."""
        return np.array([sum(flip <= x for flip in flips) & 1 for flips in self._flips], dtype=np.uint8)

    def concept(self, index: int) -> IntervalUnion:
        """Return concept number ``index`` in the order of :meth:`labels`."""
        flips = self._flips[index]
        ends = [*flips, self.n] if len(flips) % 2 else flips
        return IntervalUnion(tuple(Interval(*pair) for pair in zip(ends[::2], ends[1::2], strict=True)))


@dataclass(frozen=True, repr=False)
class RealIntervalUnions(CutRules, OnFloats):
    """Unions of at most m intervals (up to 12) with any real ends, on the finite floats.

    >>> c = RealIntervalUnions(2)
    >>> c, c.vc_dimension, c.littlestone_dimension
    (real_unions(m=2), 4, None)
    >>> str(c.erm([(1.5, 1), (3.25, 1), (4, 0), (7, 1), (8.5, 1), (9, 0)]))
    'x < 4 or 5 <= x < 9'
    """

    m: int

    spec_name = "real_unions"

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", check_size("m", self.m, at_most=MOST_INTERVALS))

    @property
    def cuts(self) -> int:  # type: ignore[override]
        """2m: the ends of the intervals."""
        return 2 * self.m

    @property
    def vc_dimension(self) -> int:
        """VC dimension: 2m, as labels of 2m points have at most m runs of 1s; 2m + 1 points can have m + 1."""
        return self.cuts


@dataclass(frozen=True, repr=False)
class RealSteps(CutRules, OnFloats):
    """Step functions with any number of cuts, on the finite floats; they include every labelling of distinct points.

    The VC dimension is infinite. Memorising has the least loss, and no learner can compete with it. So a learner
    reports ``best_loss``, ``regret`` and ``bound`` against the *most probable* labelling, which is best if each cut
    costs its price under the prior. The regret to a rule with d cuts in gaps of mass m_1 .. m_d is at most (1 + ln
    1/m_1 + ... + ln 1/m_d) / eta + the mixability gap (``docs/theory/real-classes.md``).

    >>> c = RealSteps()
    >>> c, c.vc_dimension, c.realizable([(1, 1), (2, 0), (3, 1)]), c.realizable([(1, 1), (1, 0)])
    (real_steps(), None, True, False)
    """

    spec_name = "real_steps"
    cuts = None


class CutsFrontier(Frontier):
    """A frontier whose rows are the labels of the points seen, from left to right, with at most ``cuts`` changes."""

    ROWS = ("rows",)

    def __init__(self, concept_class: CutRules) -> None:
        super().__init__()
        self.concept_class, self.line = concept_class, concept_class.line
        self.seen: list[Any] = []
        self.rows: BoolArray = np.zeros((1, 0), dtype=np.bool_)

    def _answers(self, x: Instance) -> Split:
        place = bisect_left(self.seen, x)
        if place < len(self.seen) and self.seen[place] == x:
            return Split(x, ~self.rows[:, place], self.rows[:, place])
        cuts = len(self.seen) + 1 if self.concept_class.cuts is None else self.concept_class.cuts
        can0, can1 = (self._changes(np.insert(self.rows, place, label, axis=1)) <= cuts for label in (False, True))
        return Split(x, can0, can1)

    @staticmethod
    def _changes(rows: BoolArray) -> Any:
        return np.diff(rows, axis=1, prepend=False).sum(axis=1)

    def grow(self, children: Children) -> None:
        """Insert the labels of x."""
        rows, place = self.rows[children.parent], bisect_left(self.seen, children.x)
        if place == len(self.seen) or self.seen[place] != children.x:
            rows = np.insert(rows, place, children.label, axis=1)
            self.seen = [*self.seen[:place], children.x, *self.seen[place:]]
        self.rows = rows

    def concept(self, row: int) -> IntervalUnion:
        """Return the rule that the line shows for a row's labels."""
        points = np.array([self.line.before, *self.seen, self.line.end], dtype=self.line.dtype)
        return self.concept_class.rule_of(points, self.rows[row])

    def declared(self) -> Fields:
        """Declare labels of points on the line."""
        seen = Items("points", Number(float if self.line.of_floats else int, self.line.before, self.line.end))
        return {"rows": Array(np.bool_, ("rows", "points")), "seen": seen}

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError unless points are in order and no row has too many cuts."""
        rows, line, cuts = state["rows"], self.line, self.concept_class.cuts
        need((np.diff([line.before, *state["seen"], line.end]) > 0).all(), "seen")
        need(len(rows) > 0 and (cuts is None or (self._changes(rows) <= cuts).all()), "rows")


@dataclass(frozen=True)
class NearestPoint(MadeFor[CutRules]):
    """The base learner of rules with cuts: the label of the nearest point seen, if a rule allows it; else the other.

    It errs at most once per point of a grid, because a repeated point is never contested. Floats have no bound.

    >>> nearest = NearestPoint().bind(RealIntervalUnions(1))
    >>> state = nearest.update(nearest.update(nearest.start(), 1.0, 0), 2.0, 1)
    >>> [nearest.predict(state, x) for x in (0.5, 1.4, 1.6, 3.0)]
    [0, 0, 1, 1]
    """

    kind = CutRules

    @property
    def mistake_bound(self) -> int | None:
        """The number of points, on a grid."""
        line: Any = self.known.line
        return None if line.of_floats else int(line.n)

    def start(self) -> tuple[Any, ...]:
        """Return the empty list of labelled points."""
        return ()

    def predict(self, state: tuple[Any, ...], x: Instance) -> int:
        """Predict from the nearer neighbour; the line begins with 0."""
        line, labels = self.known.line, dict(state)
        if x in labels:
            return int(labels[x])
        low, high = neighbours(line, [point for point, _ in state], x)
        nearest = high if nearer_to_high(low, high, x, line) and high in labels else low
        label: int = labels.get(nearest, 0)
        return label if self.known.realizable([*state, (x, label)]) else 1 - label

    def update(self, state: tuple[Any, ...], x: Instance, y: int) -> tuple[Any, ...]:
        """Add the point."""
        return tuple(sorted({*state, (x, y)}))

    def restored(self, state: Any) -> Any:
        """Convert a state read from a file."""
        need(all(type(y) is int and y in (0, 1) for _, y in state), "states")
        return tuple((self.known.instance(x), y) for x, y in state)
