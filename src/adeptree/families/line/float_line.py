"""Rules on the real line, without a grid: thresholds and intervals over floats."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from adeptree.core.errors import InvalidInstance, got
from adeptree.core.types import Concept, FloatArray, Instance, IntArray, Sample
from adeptree.families.line.grid_line import best_run, ones_are_together
from adeptree.families.rule_values import Constant, Interval, Threshold
from adeptree.roles.concept_class import ConceptClass


def finite_float(value: Any) -> float | None:
    """Return a number as a float (never -0.0), or None if it is no finite number.

    >>> finite_float(3), finite_float(-0.0), finite_float(float("nan")), finite_float(10**400)
    (3.0, 0.0, None, None)
    """
    try:
        if isinstance(value, (int, float, np.integer, np.floating)) and math.isfinite(value):
            # As long doubles may be finite and still be too large, the float is looked at again.
            number = float(value) + 0.0
            return number if math.isfinite(number) else None
    except OverflowError:  # an int beyond all floats
        pass
    return None


def round_cut(low: float, high: float) -> float:
    """Return the roundest float a with low < a <= high: a multiple of 10, else of 5, else of 1 ...

    (All powers of ten, and their fives, are tried from the largest down.) Of several such multiples it is the one
    nearest to the middle. So ``x >= a`` keeps low out and high in, with no more digits than that takes.

    >>> round_cut(41.93, 43.2), round_cut(0.1234, 0.1261), round_cut(-3.5, 8.0)
    (43.0, 0.125, 0.0)
    """
    # As they are written, not as they are stored: a person takes 0.7 for seven tenths.
    middle = (Fraction(str(low)) + Fraction(str(high))) / 2
    highest = math.floor(math.log10(max(abs(low), abs(high)))) + 1
    # 17 digits tell all floats apart, so one is found; where floats are sparser than that, high itself will do.
    for power in range(highest, highest - 19, -1):
        for digit in (5, 1):
            # Halves go up: of low and high, equally far from the middle, only high is allowed.
            count = math.floor(middle / (digit * Fraction(10) ** power) + Fraction(1, 2))
            cut = float(f"{digit * count}e{power}")
            if low < cut <= high:
                return cut
    return high


def threshold_between(low: float, high: float) -> Concept:
    """Return ``x >= a`` with low < a <= high; without a 1 to keep it is "always 0", without a 0 "always 1".

    >>> str(threshold_between(10, 18)), str(threshold_between(-math.inf, 18))
    ('x >= 15', 'always 1')
    """
    if high == math.inf:
        return Constant(0)
    return Constant(1) if low == -math.inf else Threshold(round_cut(low, high))


def gains_of(values: Iterable[float], labels: Iterable[int]) -> tuple[FloatArray, IntArray]:
    """Return the distinct values in order between -inf and inf, and (1s) - (0s) at each value.

    >>> [part.tolist() for part in gains_of([2.5, 1.0, 2.5], [1, 0, 1])]
    [[-inf, 1.0, 2.5, inf], [-1, 2]]
    """
    points, where = np.unique(np.array([*values], dtype=np.float64), return_inverse=True)
    gains = np.zeros(len(points), dtype=np.int64)
    np.add.at(gains, where, 2 * np.array([*labels], dtype=np.int64) - 1)
    return np.concatenate([[-np.inf], points, [np.inf]]), gains


class _OnTheRealLine(ConceptClass):
    """Instances are the finite floats."""

    def __repr__(self) -> str:
        return f"{self.spec_name}()"

    @property
    def littlestone_dimension(self) -> None:
        """Infinite: between any two cuts that fit there is room for another mistake."""
        return None

    def instance(self, x: Any) -> Instance:
        """Return x as a float; NaN, the infinities and bools are refused."""
        number = None if isinstance(x, bool) else finite_float(x)
        if number is None:
            raise InvalidInstance(f"x must be a finite number; {got('x', x)}")
        return number

    def instances_of(self, xs: Iterable[Any]) -> Any:
        """Return many points; an array of numbers is checked without a loop."""
        if isinstance(xs, np.ndarray) and xs.ndim == 1 and xs.dtype.kind in "iuf":
            points = xs.astype(np.float64) + 0.0
            wrong = np.flatnonzero(~np.isfinite(points))
            if len(wrong):
                self.instance(xs[wrong[0]])
            return points
        return [self.instance(x) for x in xs]

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw a point of [0, 1) uniformly."""
        return float(rng.random())

    def _gains(self, sample: Sample) -> tuple[FloatArray, IntArray]:
        pairs = self.clean(sample)
        return gains_of((x for x, _ in pairs), (y for _, y in pairs))


@dataclass(frozen=True, repr=False)
class RealThresholds(_OnTheRealLine):
    """Concepts ``x >= a`` for every real a, "always 0" and "always 1", on the finite floats.

    >>> c = RealThresholds()
    >>> c, c.vc_dimension, c.littlestone_dimension
    (real_thresholds(), 1, None)
    >>> str(c.erm([(1.75, 0), (2.5, 1), (3.1, 1), (4.2, 0)]))
    'x >= 2'
    """

    spec_name = "real_thresholds"

    @property
    def vc_dimension(self) -> int:
        """1: one point is shattered, two ordered points never get 1 then 0."""
        return 1

    def random_concept(self, rng: np.random.Generator) -> Threshold:
        """Draw the cut uniformly in [0, 1)."""
        return Threshold(float(rng.random()))

    def realizable(self, sample: Sample) -> bool:
        """All 0s lie below all 1s."""
        pairs = self.clean(sample)
        first_one = min((x for x, y in pairs if y), default=math.inf)
        last_zero = max((x for x, y in pairs if not y), default=-math.inf)
        return last_zero < first_one

    def erm(self, sample: Sample) -> Concept:
        """Return the lowest threshold with the fewest errors, in O(m log m) for m examples."""
        points, gains = self._gains(sample)
        # Candidate i puts the cut below point i; the last one puts it above all.
        kept = np.concatenate([np.cumsum(gains[::-1])[::-1], [0]])
        best = int(kept.argmax())
        return threshold_between(float(points[best]), float(points[best + 1]))


def interval_between(below: float, first: float, last: float, above: float) -> Interval:
    """Return ``a <= x < b`` with below < a <= first and last < b <= above.

    Where nothing is below (-inf) or above (inf), the interval has no end on that side.

    >>> str(interval_between(1, 5, 7, 9)), str(interval_between(1, 5, 7, math.inf))
    ('5 <= x < 8', 'x >= 5')
    """
    start = below if below == -math.inf else round_cut(below, first)
    stop = above if above == math.inf else round_cut(last, above)
    return Interval(start, stop)


EMPTY = Interval(0, 0)


@dataclass(frozen=True, repr=False)
class RealIntervals(_OnTheRealLine):
    """Concepts ``a <= x < b`` for all reals a and b (and without end on a side), and the empty one.

    On floats these are the closed intervals too: no float lies between b and the one before it.

    >>> c = RealIntervals()
    >>> c, c.vc_dimension, c.littlestone_dimension
    (real_intervals(), 2, None)
    >>> str(c.erm([(1.5, 0), (5, 1), (7.25, 1), (9.5, 0)]))
    '5 <= x < 8'
    """

    spec_name = "real_intervals"

    @property
    def vc_dimension(self) -> int:
        """2: of three points, the outer two never get 1 without the middle one."""
        return 2

    def random_concept(self, rng: np.random.Generator) -> Interval:
        """Draw two ends uniformly in [0, 1)."""
        start, stop = sorted(rng.random(2).tolist())
        return Interval(start, stop)

    def realizable(self, sample: Sample) -> bool:
        """No 0 lies between two 1s."""
        return ones_are_together(self.clean(sample))

    def erm(self, sample: Sample) -> Interval:
        """Return the best run of consecutive sample points (largest sum of gains), in O(m log m)."""
        points, gains = self._gains(sample)
        start, stop = best_run(gains)
        if start == stop:
            return EMPTY
        # points[0] is -inf, so the run of gains start..stop-1 is points start+1..stop.
        below, first, last, above = points[[start, start + 1, stop, stop + 1]].tolist()
        return interval_between(below, first, last, above)
