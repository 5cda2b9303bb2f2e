"""Thresholds, on a grid and over floats: 1 from a cut on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from adeptree.core.declared_state import Array, Fields, need
from adeptree.core.types import BoolArray, Concept, FloatArray, Instance, LabelArray, NDArray, Sample
from adeptree.families.line.line_domain import OnAGrid, OnALine, OnFloats, nearer_to_high
from adeptree.families.rule_values import Constant, Interval, Threshold
from adeptree.roles.base_learner import MadeFor, PerPath, RowLearner
from adeptree.roles.frontier import Children, Frontier, Split


class HalfLines(OnALine):
    """Concepts ``x >= a``."""

    vc_dimension = 1
    """VC dimension: one point is shattered, and two ordered points are never labelled 1, 0."""

    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Draw the cut uniformly: of the grid's, or in [0, 1)."""
        return Threshold(*self.line.draw(rng, 1, cuts=True))

    def realizable(self, sample: Sample) -> bool:
        """Return True if all 0s lie below all 1s."""
        pairs = self.clean(sample)
        first_one = min((x for x, y in pairs if y), default=self.line.end)
        last_zero = max((x for x, y in pairs if not y), default=self.line.before)
        return last_zero < first_one

    def erm(self, sample: Sample) -> Concept:
        """Return the lowest threshold with the fewest errors, in O(m log m) for m examples."""
        points, gains = self._gains(sample)
        # Candidate i has its cut above point i and not above the next; point 0 is before the line.
        kept = np.concatenate([np.cumsum(gains[::-1])[::-1], [0]])
        best = int(kept.argmax())
        return self.line.threshold(points[best] + self.line.step, points[best + 1])


@dataclass(frozen=True, repr=False)
class Thresholds(HalfLines, OnAGrid):
    """Concepts ``x >= a`` for a in 0..n, on instances 0..n-1.

    >>> c = Thresholds(256)
    >>> c, c.size, c.vc_dimension, c.littlestone_dimension
    (thresholds(n=256), 257, 1, 8)
    >>> str(c.erm([(10, 0), (20, 1), (30, 1), (40, 0)]))
    'x >= 11'
    """

    spec_name = "thresholds"

    @property
    def size(self) -> int:
        """Number of concepts: the n + 1 thresholds 0..n."""
        return self.n + 1

    @property
    def littlestone_dimension(self) -> int:
        """Littlestone dimension: floor(log2(n + 1)), by binary search."""
        return (self.n + 1).bit_length() - 1

    def labels(self, x: Instance) -> LabelArray:
        """Return the labels of all concepts: thresholds 0..x have label 1."""
        self._check_listable()
        labels: LabelArray = (np.arange(self.n + 1) <= x).astype(np.uint8)
        return labels

    def concept(self, index: int) -> Threshold:
        """Return ``x >= index``."""
        return Threshold(int(index))


@dataclass(frozen=True, repr=False)
class RealThresholds(HalfLines, OnFloats):
    """Concepts ``x >= a`` for every real a, "always 0" and "always 1", on the finite floats.

    >>> c = RealThresholds()
    >>> c, c.vc_dimension, c.littlestone_dimension
    (real_thresholds(), 1, None)
    >>> str(c.erm([(1.75, 0), (2.5, 1), (3.1, 1), (4.2, 0)]))
    'x >= 2'
    """

    spec_name = "real_thresholds"


class ThresholdFrontier(Frontier):
    """A frontier whose rows are the gaps ``low..high`` of the cuts that fit."""

    ROWS = ("low", "high")

    def __init__(self, concept_class: HalfLines) -> None:
        super().__init__()
        self.line = line = concept_class.line
        self.low: NDArray[Any] = np.array([line.before + line.step], dtype=line.dtype)
        self.high: NDArray[Any] = np.array([line.end], dtype=line.dtype)
        self.log_size = math.log(line.cuts)
        self.of_floats = line.of_floats

    def _answers(self, x: Instance) -> Split:
        return Split(x, self.high > x, self.low < x + self.line.step)

    def grow(self, children: Children) -> None:
        """Cut the gap that x falls into."""
        self.low, self.high = self._cut(children)

    def _cut(self, children: Children) -> tuple[NDArray[Any], NDArray[Any]]:
        x, label = children.x, children.label
        low, high = self.low[children.parent], self.high[children.parent]
        return np.where(label, low, np.maximum(low, x + self.line.step)), np.where(label, np.minimum(high, x), high)

    def log_counts(self, children: Children) -> FloatArray:
        """Return ln of the number of cuts in the children's gaps."""
        return np.log(self.line.count(*self._cut(children)))

    def concept(self, row: int) -> Concept:
        """Return the threshold of the gap that the line shows."""
        return self.line.threshold(self.low[row], self.high[row])

    def declared(self) -> Fields:
        """Declare gaps on the line."""
        gaps = Array(self.line.dtype, "rows", self.line.before + self.line.step, self.line.end)
        return {"low": gaps, "high": gaps}

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError unless the gaps are adjacent."""
        low, high = state["low"], state["high"]
        order = np.argsort(low, kind="stable")
        need((low <= high).all() and (high[order][:-1] + self.line.step <= low[order][1:]).all(), "low and high")


H = TypeVar("H", bound=HalfLines)


class _NearestPoint(MadeFor[H]):
    """Predict the label of the nearer of the largest 0 and the smallest 1; the state is the path's gap."""

    def start(self) -> tuple[Any, Any]:
        """Return the gap of all cuts."""
        line = self.known.line
        return line.before + line.step, line.end

    def predict(self, state: tuple[Any, Any], x: Instance) -> int:
        """Predict the label of the nearer one."""
        low, high = state
        return int(nearer_to_high(low - self.known.line.step, high, x, self.known.line))

    def update(self, state: tuple[Any, Any], x: Instance, y: int) -> tuple[Any, Any]:
        """Cut the gap."""
        low, high = state
        return (low, min(high, x)) if y else (max(low, x + self.known.line.step), high)

    def rows(self, frontier: Frontier) -> RowLearner:
        """Run on the gaps of a threshold frontier."""
        return _Gaps(frontier) if isinstance(frontier, ThresholdFrontier) else PerPath(self)


class _Gaps(RowLearner):
    def __init__(self, frontier: ThresholdFrontier) -> None:
        self.frontier = frontier

    def predict(self, split: Split) -> BoolArray:
        low, high, line = self.frontier.low, self.frontier.high, self.frontier.line
        return nearer_to_high(low - line.step, high, split.x, line)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Bisection(_NearestPoint[Thresholds]):
    """The base learner of thresholds: predict with the middle threshold that fits; M = floor(log2(n + 1)).

    This is the label of the nearest point, if -1 has label 0 and n has label 1.

    >>> bisection = Bisection().bind(Thresholds(7))
    >>> bisection.mistake_bound, bisection.predict(bisection.start(), 3), bisection.predict(bisection.start(), 4)
    (3, 0, 1)
    """

    kind = Thresholds

    def predict(self, state: tuple[Any, Any], x: Instance) -> int:
        """Predict the label of the nearer one, also on paths of plain BPSS that no rule fits (a 0 above a 1)."""
        return super().predict(state, x) if state[0] <= x else 0


@dataclass(frozen=True)
class NearestLabel(_NearestPoint[RealThresholds]):
    """The base learner of thresholds over floats: the label of the nearer of the largest 0 and the smallest 1.

    No learner has a mistake bound here (the Littlestone dimension is infinite), so M is None. The KT prior pays for the
    mistakes on the best rule's path (``docs/theory/real-classes.md``).

    >>> nearest = NearestLabel().bind(RealThresholds())
    >>> state = nearest.update(nearest.update(nearest.start(), 1.0, 0), 2.0, 1)
    >>> nearest.mistake_bound, nearest.predict(state, 1.4), nearest.predict(state, 1.6)
    (None, 0, 1)
    """

    kind = RealThresholds


def turned(rule: Threshold | Constant) -> Interval | Constant:
    """Return the rule that says the opposite.

    >>> str(turned(Threshold(3.0))), str(turned(Constant(0)))
    ('x < 3', 'always 1')
    """
    return Constant(1 - rule.label) if isinstance(rule, Constant) else Interval(-math.inf, rule.start)
