"""The two domains of rules on numbers: a grid of whole numbers, and the finite floats.

A rule on a line consists of cuts, and a path restricts each cut to a gap, above one point and not above another.
``before`` precedes the first point, ``end`` follows the last one. A gap is stored, also in saved files, as
``low..high`` with ``low`` = the point below + ``step``. On a grid these are the possible whole numbers of the cut; over
floats step is 0, and low itself is excluded.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from adeptree.core.arguments import LARGEST_LINE, check_size
from adeptree.core.errors import InvalidInstance, got
from adeptree.core.types import Concept, FloatArray, Instance, IntArray, NDArray, Sample
from adeptree.families.line.counting_cuts import DOUBLES, doubles_between
from adeptree.families.line.readable_cuts import finite_float, round_cut
from adeptree.families.listed import EnumerableClass
from adeptree.families.rule_values import Constant, Interval, Threshold
from adeptree.roles.concept_class import ConceptClass


class Grid:
    """The ints 0..n-1; among rules that fit, the lowest threshold and the shortest interval are shown."""

    dtype: ClassVar[Any] = np.int64
    step, of_floats, before = 1, False, -1

    def __init__(self, n: int) -> None:
        self.n = self.end = n
        self.cuts = n + 1  # number of cuts

    def point(self, x: Any) -> Instance:
        """Return x as an int; a float is accepted only if it is one of them."""
        if type(x) is int and 0 <= x < self.n:  # the usual case first, because this runs in every round
            return x
        if isinstance(x, (float, np.floating)) and float(x).is_integer():
            x = int(x)
        if isinstance(x, (bool, np.bool_)) or not isinstance(x, (int, np.integer)) or not 0 <= x < self.n:
            raise InvalidInstance(f"x must be an int in 0..{self.n - 1}; {got('x', x)}")
        return int(x)

    def points(self, xs: Any) -> Any:
        """Return an array of ints as points; None if it holds other values."""
        if xs.dtype.kind == "f" and ((xs >= 0) & (xs < self.n) & (xs == np.floor(xs))).all():
            return xs.astype(np.int64)
        if xs.dtype.kind not in "iu":
            return None
        wrong = np.flatnonzero((xs < 0) | (xs >= self.n))
        if len(wrong):
            self.point(xs[wrong[0]])
        return xs.astype(np.int64)

    def draw(self, rng: np.random.Generator, count: int, cuts: bool) -> list[Any]:
        """Draw points, or cuts."""
        return rng.integers(0, self.n + cuts, size=count).tolist()  # type: ignore[no-any-return]

    def count(self, low: Any, high: Any) -> FloatArray:
        """Return the number of cuts in each gap."""
        counts: FloatArray = (high - low).astype(np.float64) + 1.0
        return counts

    def distance(self, low: Any, high: Any) -> Any:
        """Return the distance of points."""
        return high - low

    def threshold(self, low: Any, high: Any) -> Concept:
        """Return ``x >= a`` with the lowest a of the gap."""
        return Threshold(int(low))

    def interval(self, low: Any, first: Any, past: Any, above: Any) -> Interval:
        """Return the shortest ``a <= x < b`` with a in ``low..first`` and b in ``past..above``."""
        return Interval(int(first), int(past))


class Floats:
    """The finite floats; among rules that fit, the one with the roundest cuts is shown."""

    dtype: ClassVar[Any] = np.float64
    step, of_floats, before, end, cuts = 0, True, -math.inf, math.inf, DOUBLES

    def point(self, x: Any) -> Instance:
        """Return x as a float; NaN, the infinities and bools are refused."""
        number = None if isinstance(x, bool) else finite_float(x)
        if number is None:
            raise InvalidInstance(f"x must be a finite number; {got('x', x)}")
        return number

    def points(self, xs: Any) -> Any:
        """Return an array of numbers as points; None if it holds other values."""
        if xs.dtype.kind not in "iuf":
            return None
        points = np.add(xs, 0.0, dtype=np.float64)  # turns -0.0 into 0.0
        wrong = np.flatnonzero(~np.isfinite(points))
        if len(wrong):
            self.point(xs[wrong[0]])
        return points

    def draw(self, rng: np.random.Generator, count: int, cuts: bool) -> list[Any]:
        """Draw points, or cuts, of [0, 1)."""
        return rng.random(count).tolist()  # type: ignore[no-any-return]

    def count(self, low: Any, high: Any) -> FloatArray:
        """Return the number of cuts (doubles) in each gap."""
        return doubles_between(low, high)

    def distance(self, low: Any, high: Any) -> Any:
        """Return half of the distance of points, because the distance of two floats may overflow."""
        return high / 2 - low / 2

    def threshold(self, low: Any, high: Any) -> Concept:
        """Return ``x >= a`` with the roundest a of the gap; "always 0" if it has no 1 above, "always 1" if no 0 below.

        >>> str(FLOATS.threshold(10, 18)), str(FLOATS.threshold(-math.inf, 18))
        ('x >= 15', 'always 1')
        """
        if high == math.inf:
            return Constant(0)
        return Constant(1) if low == -math.inf else Threshold(round_cut(float(low), float(high)))

    def interval(self, low: Any, first: Any, past: Any, above: Any) -> Interval:
        """Return the roundest ``a <= x < b`` of the gaps; it is unbounded on a side without points.

        >>> str(FLOATS.interval(1, 5, 7, 9)), str(FLOATS.interval(1, 5, 7, math.inf))
        ('5 <= x < 8', 'x >= 5')
        """
        start = low if low == -math.inf else round_cut(float(low), float(first))
        stop = above if above == math.inf else round_cut(float(past), float(above))
        return Interval(float(start), float(stop))


FLOATS = Floats()
Line = Grid | Floats


class OnALine(ConceptClass):
    """The base class of rules on a line; thresholds and intervals are defined once for both lines."""

    line: Line

    def instance(self, x: Any) -> Instance:
        """Return x as a point of the line."""
        return self.line.point(x)

    def instances_of(self, xs: Iterable[Any]) -> Any:
        """Return many points; an array of numbers is checked without a loop."""
        points = self.line.points(xs) if isinstance(xs, np.ndarray) and xs.ndim == 1 else None
        return [self.instance(x) for x in xs] if points is None else points

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw a point uniformly: of the grid, or of [0, 1)."""
        return self.line.draw(rng, 1, cuts=False)[0]

    def _gains(self, sample: Sample) -> tuple[NDArray[Any], IntArray]:
        pairs = self.clean(sample)
        return gains_of((x for x, _ in pairs), (y for _, y in pairs), self.line)


@dataclass(frozen=True, repr=False)
class OnAGrid(OnALine, EnumerableClass):
    """Instances are the ints 0..n-1; a float is accepted only if it is one of them."""

    n: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", check_size("n", self.n, at_most=LARGEST_LINE))

    @cached_property
    def line(self) -> Line:  # type: ignore[override]
        """The grid."""
        return Grid(self.n)

    def instances(self) -> Iterator[Instance]:
        """List the whole line."""
        return iter(range(self.n))


class OnFloats(OnALine):
    """Instances are the finite floats; NaN, the infinities and bools are refused.

    The Littlestone dimension is infinite: between any two cuts that fit, another mistake is possible.
    """

    line = FLOATS


def neighbours(line: Line, seen: Sequence[Any], x: Instance) -> tuple[Any, Any]:
    """Return the nearest of the sorted points below and above x; the ends of the line if there is none.

    >>> neighbours(Grid(9), [2, 4, 7], 4), neighbours(FLOATS, [2.0], 3.0)
    ((2, 7), (2.0, inf))
    """
    below, above = bisect_left(seen, x), bisect_right(seen, x)
    return seen[below - 1] if below else line.before, seen[above] if above < len(seen) else line.end


def nearer_to_high(low: Any, high: Any, x: Any, line: Line = FLOATS) -> Any:
    """Return True if x is >= ``high``, or between the two points and nearer to ``high``; for numbers and arrays.

    An end at infinity is never nearer; ties and two infinite ends give False. On a grid this is the majority of the
    cuts between the two points.

    >>> nearer_to_high(0.0, 4.0, 3.0), nearer_to_high(0.0, 4.0, 2.0), nearer_to_high(-math.inf, 4.0, -9.0)
    (True, False, True)
    """
    return (high <= x) | ((low < x) & (line.distance(x, high) < line.distance(low, x)))


def gains_of(values: Iterable[float], labels: Iterable[int], line: Line = FLOATS) -> tuple[NDArray[Any], IntArray]:
    """Return the distinct values in order between the ends of the line, and (1s) - (0s) at each value.

    >>> [part.tolist() for part in gains_of([2.5, 1.0, 2.5], [1, 0, 1])]
    [[-inf, 1.0, 2.5, inf], [-1, 2]]
    """
    points, where = np.unique(np.array([*values], dtype=line.dtype), return_inverse=True)
    gains = np.zeros(len(points), dtype=np.int64)
    np.add.at(gains, where, 2 * np.array([*labels], dtype=np.int64) - 1)
    return np.concatenate([[line.before], points, [line.end]]), gains
