"""Proofs that no halfspace fits: at most dim + 2 points with weights, which can be checked by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from adeptree.solvers.lp.lifting import Point, lift


@dataclass(frozen=True)
class Infeasibility:
    """A proof that no halfspace fits: labelled points, each with a positive rational weight.

    The weights of the 1-points add up to one, and so do those of the 0-points. Both weighted means are the same point,
    which would have to lie on both sides (by Kirchberger's theorem dim + 2 points suffice).

    >>> half = Fraction(1, 2)
    >>> proof = Infeasibility((((0, 0), 1), ((2, 2), 1), ((0, 2), 0), ((2, 0), 0)), (half, half, half, half))
    >>> proof.verify(), str(proof)
    (True, '(1, 1) is a mean of the 1-points (0, 0), (2, 2) and of the 0-points (0, 2), (2, 0)')
    """

    points: tuple[tuple[Point, int], ...]
    weights: tuple[Fraction, ...]

    @property
    def common_point(self) -> tuple[Fraction, ...]:
        """The point that both sides have in common."""
        return self._mean(1)

    def verify(self, sample: Iterable[tuple[Point, int]] | None = None) -> bool:
        """Check the proof in rational arithmetic; with a sample, also check that its points come from there."""
        if len(self.points) != len(self.weights) or any(weight <= 0 for weight in self.weights):
            return False
        if sample is not None and not set(self.points) <= {(tuple(x), int(y)) for x, y in sample}:
            return False
        return self._total(0) == self._total(1) == 1 and self._mean(0) == self._mean(1)

    def _of(self, label: int) -> list[tuple[Point, Fraction]]:
        return [(x, weight) for (x, y), weight in zip(self.points, self.weights, strict=True) if y == label]

    def _total(self, label: int) -> Fraction:
        return sum((weight for _, weight in self._of(label)), Fraction(0))

    def _mean(self, label: int) -> tuple[Fraction, ...]:
        scaled = [[weight * Fraction(value) for value in x] for x, weight in self._of(label)]
        return tuple(sum(column, Fraction(0)) for column in zip(*scaled, strict=True))

    def __str__(self) -> str:
        ones, zeros = (", ".join(_shown(x) for x, _ in self._of(label)) for label in (1, 0))
        return f"{_shown(self.common_point)} is a mean of the 1-points {ones} and of the 0-points {zeros}"


def _shown(x: Iterable[object]) -> str:
    return f"({', '.join(map(str, x))})"


def certificate_of(balance: Mapping[tuple[Point, int], int]) -> Infeasibility:
    """Return the certificate of weights that balance the *lifted* points of the two labels."""
    # A lifted point is (x, 1) times its common denominator, which therefore belongs to the weight.
    weights = {item: weight * lift(item[0])[-1] for item, weight in balance.items() if weight}
    total = sum(weight for (_, y), weight in weights.items() if y)
    return Infeasibility(tuple(weights), tuple(Fraction(weight, total) for weight in weights.values()))
