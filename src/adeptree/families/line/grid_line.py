"""Rules on a line of n points: thresholds and intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.core.arguments import LARGEST_LINE, check_size
from adeptree.core.errors import InvalidInstance, got
from adeptree.core.types import Instance, IntArray, LabelArray, Sample
from adeptree.families.listed import EnumerableClass
from adeptree.families.rule_values import Interval, Threshold


class _OnALine(EnumerableClass):
    """Instances are the ints 0..n-1."""

    n: int

    def __repr__(self) -> str:
        return f"{self.spec_name}(n={self.n})"

    def instance(self, x: Any) -> Instance:
        """Return x as an int in 0..n-1; a float is accepted only if it is one of them."""
        if type(x) is int and 0 <= x < self.n:  # the usual case first: this is called in every round
            return x
        if isinstance(x, (float, np.floating)) and float(x).is_integer():
            x = int(x)
        if isinstance(x, (bool, np.bool_)) or not isinstance(x, (int, np.integer)) or not 0 <= x < self.n:
            raise InvalidInstance(f"x must be an int in 0..{self.n - 1}; {got('x', x)}")
        return int(x)

    def instances_of(self, xs: Iterable[Any]) -> Any:
        """Return many points; an array of ints is checked without a loop."""
        if isinstance(xs, np.ndarray) and xs.ndim == 1 and xs.dtype.kind in "iu":
            wrong = np.flatnonzero((xs < 0) | (xs >= self.n))
            if len(wrong):
                self.instance(xs[wrong[0]])
            return xs.astype(np.int64)
        return [self.instance(x) for x in xs]

    def instances(self) -> Iterator[Instance]:
        """List the whole line."""
        return iter(range(self.n))

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw a point uniformly."""
        return int(rng.integers(self.n))

    def _gains(self, sample: Sample) -> tuple[IntArray, IntArray]:
        """Return the distinct points in order, and (number of 1s) - (number of 0s) at each."""
        pairs = self.clean(sample)
        points, where = np.unique(np.array([x for x, _ in pairs], dtype=np.int64), return_inverse=True)
        signs = np.array([2 * y - 1 for _, y in pairs], dtype=np.int64)
        gains = np.zeros(len(points), dtype=np.int64)
        np.add.at(gains, where, signs)
        return points, gains


@dataclass(frozen=True, repr=False)
class Thresholds(_OnALine):
    """Concepts ``x >= a`` for a in 0..n, on instances 0..n-1.

    >>> c = Thresholds(256)
    >>> c, c.size, c.vc_dimension, c.littlestone_dimension
    (thresholds(n=256), 257, 1, 8)
    >>> str(c.erm([(10, 0), (20, 1), (30, 1), (40, 0)]))
    'x >= 11'
    """

    n: int
    spec_name = "thresholds"

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", check_size("n", self.n, at_most=LARGEST_LINE))

    @property
    def size(self) -> int:
        """The n + 1 thresholds 0..n."""
        return self.n + 1

    @property
    def vc_dimension(self) -> int:
        """1: one point is shattered, two ordered points never get 1 then 0."""
        return 1

    @property
    def littlestone_dimension(self) -> int:
        """floor(log2(n + 1)): binary search is the deepest mistake tree."""
        return (self.n + 1).bit_length() - 1

    def labels(self, x: Instance) -> LabelArray:
        """Thresholds 0..x say 1."""
        self._check_listable()
        labels: LabelArray = (np.arange(self.n + 1) <= x).astype(np.uint8)
        return labels

    def concept(self, index: int) -> Threshold:
        """Return ``x >= index``."""
        return Threshold(int(index))

    def realizable(self, sample: Sample) -> bool:
        """All 0s lie below all 1s."""
        pairs = self.clean(sample)
        first_one = min((x for x, y in pairs if y), default=self.n)
        last_zero = max((x for x, y in pairs if not y), default=-1)
        return last_zero < first_one

    def erm(self, sample: Sample) -> Threshold:
        """Return the lowest threshold with the fewest errors, in O(m log m) for m examples."""
        points, gains = self._gains(sample)
        # Candidate i puts the 1s from points[i] on; candidate len(points) puts none.
        kept = np.concatenate([np.cumsum(gains[::-1])[::-1], [0]])
        best = int(kept.argmax())
        return Threshold(0 if best == 0 else int(points[best - 1]) + 1)


@dataclass(frozen=True, repr=False)
class Intervals(_OnALine):
    """Concepts ``a <= x < b`` (the empty one included), on instances 0..n-1.

    >>> c = Intervals(1024)
    >>> c, c.size, c.vc_dimension, c.littlestone_dimension
    (intervals(n=1024), 524801, 2, 18)
    >>> str(c.erm([(1, 0), (5, 1), (7, 1), (9, 0)]))
    '5 <= x < 8'
    """

    n: int
    spec_name = "intervals"

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", check_size("n", self.n, at_most=LARGEST_LINE))

    @property
    def size(self) -> int:
        """n(n+1)/2 non-empty intervals and the empty one."""
        return self.n * (self.n + 1) // 2 + 1

    @property
    def vc_dimension(self) -> int:
        """2, or 1 on a single point."""
        return min(2, self.n)

    @property
    def littlestone_dimension(self) -> int:
        """The largest k with ``shortest_line(k) <= n`` (proof in ``docs/dimensions.md``)."""
        k = 0
        while shortest_line(k + 1) <= self.n:
            k += 1
        return k

    def labels(self, x: Instance) -> LabelArray:
        """Concept 0 is empty; the others follow, ordered by start, then stop."""
        self._check_listable()
        starts, stops = np.triu_indices(self.n)
        inside = (starts <= x) & (x <= stops)
        return np.concatenate([[0], inside]).astype(np.uint8)

    def concept(self, index: int) -> Interval:
        """Return concept number ``index`` in the order of :meth:`labels`."""
        if index == 0:
            return Interval(0, 0)
        self._check_listable()
        starts, stops = np.triu_indices(self.n)
        return Interval(int(starts[index - 1]), int(stops[index - 1]) + 1)

    def random_concept(self, rng: np.random.Generator) -> Interval:
        """Draw two ends uniformly (without listing all intervals)."""
        start, stop = sorted(rng.integers(0, self.n + 1, size=2).tolist())
        return Interval(start, stop)

    def realizable(self, sample: Sample) -> bool:
        """No 0 lies between two 1s."""
        return ones_are_together(self.clean(sample))

    def erm(self, sample: Sample) -> Interval:
        """Return the best run of consecutive sample points (largest sum of gains, never negative)."""
        points, gains = self._gains(sample)
        start, stop = best_run(gains)
        if start == stop:
            return Interval(0, 0)
        return Interval(int(points[start]), int(points[stop - 1]) + 1)


def ones_are_together(pairs: list[tuple[Instance, int]]) -> bool:
    """Return whether no 0 lies between two 1s.

    >>> ones_are_together([(1, 0), (2, 1), (5, 1)]), ones_are_together([(1, 1), (2, 0), (5, 1)])
    (True, False)
    """
    ones = [x for x, y in pairs if y]
    return not ones or not any(min(ones) <= x <= max(ones) for x, y in pairs if not y)


def best_run(gains: IntArray) -> tuple[int, int]:
    """Return start and stop of the run with the largest sum; of none, where no sum is positive.

    >>> best_run(np.array([-1, 2, -1, 3, -5])), best_run(np.array([-1, -2]))
    ((1, 4), (0, 0))
    """
    before = np.concatenate([[0], np.cumsum(gains)])
    lowest = np.minimum.accumulate(before)
    stop = int((before - lowest).argmax())
    if before[stop] <= lowest[stop]:
        return 0, 0
    return int(before[: stop + 1].argmin()), stop


def shortest_line(k: int) -> int:
    """Return the least n for which intervals on n points have Littlestone dimension at least k.

    >>> [shortest_line(k) for k in range(1, 12)]
    [1, 2, 4, 6, 9, 13, 19, 27, 39, 55, 79]
    """
    if k <= 2:
        return k
    half, odd = divmod(k, 2)
    return (5 << (half - 1)) - 1 if odd else (7 << (half - 2)) - 1
