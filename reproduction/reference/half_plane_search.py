"""Half-planes in the plane by exhaustive search: all labellings of some points. Nothing of adeptree is used."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations

Point = tuple[Fraction, Fraction]


def labellings(points: Sequence[Point]) -> set[tuple[int, ...]]:
    """Return all labellings of different points by half-planes.

    A line that separates the labels can be moved until it meets two of the points, and then turned a little about a
    place between two neighbours on it: the points on it before that place take one label, the others the other.

    >>> square = [(Fraction(x), Fraction(y)) for x in (0, 1) for y in (0, 1)]
    >>> len(labellings(square)), (0, 1, 1, 0) in labellings(square)
    (14, False)
    """
    ends = {(0,) * len(points), (1,) * len(points)}
    return ends | {labels for a, b in permutations(points, 2) for labels in _along(points, a, b)}


def _along(points: Sequence[Point], a: Point, b: Point) -> set[tuple[int, ...]]:
    """Return the labellings with 1s on the left of the line from a to b, for each way to label the points on it."""
    way = b[0] - a[0], b[1] - a[1]
    left = [way[0] * (y - a[1]) - way[1] * (x - a[0]) for x, y in points]
    far = [way[0] * (x - a[0]) + way[1] * (y - a[1]) for x, y in points]
    on = sorted(far[i] for i, side in enumerate(left) if side == 0)
    cuts = [on[0] - 1, *on]
    return {
        tuple(int(side > 0 or (side == 0 and (at > cut) == ahead)) for side, at in zip(left, far, strict=True))
        for cut in cuts
        for ahead in (True, False)
    }
