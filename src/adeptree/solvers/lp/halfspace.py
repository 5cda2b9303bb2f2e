"""A halfspace as a concept: exact on every point, and readable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from adeptree.core.types import Instance
from adeptree.solvers.lp.lifting import Point, as_point, dot, lift, primitive

SCALES = (4, 32, 1 << 10, 1 << 20, 1 << 52)
"""Numbers of steps for rounding a solver's vector; the first rounding that fits is shown."""


@dataclass(frozen=True)
class Halfspace:
    """The rule w.x >= b with integer weights; floats count as exact rationals.

    >>> rule = Halfspace((2, -1), 3)
    >>> str(rule), rule((2, 1)), rule((2, 1.5))
    ('2 x0 - x1 >= 3', 1, 0)
    """

    weights: tuple[int, ...]
    bound: int

    @classmethod
    def of(cls, v: Sequence[int]) -> Halfspace:
        """Return the halfspace of the points x with v.(x, 1) >= 0."""
        *weights, offset = primitive(v)
        return cls(tuple(weights), -offset)

    def __call__(self, x: Instance) -> int:
        """Return 1 if x is in the halfspace, else 0."""
        try:
            lifted = lift(x)
        except (TypeError, ValueError, OverflowError, AttributeError):
            lifted = ()
        if len(lifted) != len(self._vector):
            lifted = lift(as_point(x, len(self.weights)))
        return int(dot(self._vector, lifted) >= 0)

    @cached_property
    def _vector(self) -> tuple[int, ...]:
        return (*self.weights, -self.bound)

    def __str__(self) -> str:
        terms = [_term(weight, i) for i, weight in enumerate(self.weights) if weight]
        if not terms:
            return "always 1" if self.bound <= 0 else "always 0"
        return f"{' '.join(terms).removeprefix('+ ').replace('- ', '-', int(terms[0][0] == '-'))} >= {self.bound}"


def _term(weight: int, i: int) -> str:
    size = "" if abs(weight) == 1 else f"{abs(weight)} "
    return f"{'-' if weight < 0 else '+'} {size}x{i}"


def fits(v: Sequence[int], sample: Iterable[tuple[Point, int]]) -> bool:
    """Return True if v.(x, 1) >= 0 holds exactly on the points with label 1.

    >>> fits((1, -2), [((3,), 1), ((2,), 1), ((1.5,), 0)])
    True
    """
    return all((dot(v, lift(x)) >= 0) == y for x, y in sample)


def rounded(v: Sequence[float], sample: Sequence[tuple[Point, int]]) -> Halfspace | None:
    """Return the simplest rounding of a solver's vector that fits the sample exactly, or None if none does."""
    largest = max(map(abs, v))
    if not largest:
        return None
    for scale in SCALES:
        near = [round(value / largest * scale) for value in v]
        if fits(near, sample):
            return Halfspace.of(near)
    return None
