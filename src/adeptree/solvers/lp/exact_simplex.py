"""Separation decided in integers: a small simplex method without rounding.

The signed points a_i = +-(x_i, 1) can be separated iff 0 is not in their convex hull, so we minimise the
1-norm of a weighted mean of them. At the minimum, either it is 0 and the weights prove that nothing fits, or
the dual solution v has v.a_i >= minimum > 0 for all i. Entries stay integers over one common denominator
(Edmonds), and Bland's rule excludes cycles.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

from adeptree.solvers.lp.lifting import Vector, dot

PIVOT_LIMIT = 5000


@dataclass(frozen=True)
class Decision:
    """Either ``vector`` (v.a_i > 0 for all i) or ``weights`` (sum of weights_i a_i = 0, not all 0) is given."""

    vector: tuple[int, ...] | None = None
    weights: tuple[int, ...] | None = None

    def holds(self, signed: Sequence[Vector]) -> bool:
        """Check the decision by itself, however it was come by."""
        if self.vector is not None:
            return all(dot(self.vector, a) > 0 for a in signed)
        weights = self.weights or ()
        return (
            any(weights) and min(weights) >= 0 and not any(dot(weights, column) for column in zip(*signed, strict=True))
        )


def separate(signed: Sequence[Vector], pivots: int = PIVOT_LIMIT, until: float = math.inf) -> Decision | None:
    """Decide whether some v has v.a > 0 for all the vectors a; None if pivots or time (``until``) did not suffice.

    >>> separate([(1, 1), (2, 1), (-3, -2)]).weights
    (1, 1, 1)
    >>> v = separate([(1, 1), (2, 1), (3, -1)]).vector
    >>> all(v[0] * a + v[1] * b > 0 for a, b in [(1, 1), (2, 1), (3, -1)])
    True
    """
    tableau = Tableau(signed)
    for _ in range(pivots):
        entering = tableau.entering()
        if entering is None:
            return tableau.decision()
        if time.monotonic() > until:
            return None
        tableau.pivot(tableau.leaving(entering), entering)
    return None


class Tableau:
    """Rows: one a coordinate (mean = plus - minus) and one for the total weight 1; last, the reduced costs.

    Columns: a weight for every vector, then plus_k for every coordinate, then minus_k, then the right side.
    """

    def __init__(self, signed: Sequence[Vector]) -> None:
        self.n, self.size = len(signed), len(signed[0])
        start = signed[0]
        self.rows: list[list[int]] = []
        self.basis: list[int] = []
        for k, at_start in enumerate(start):
            # We start at the first vector, so that plus_k (or minus_k) is the size of its coordinate.
            sign = 1 if at_start < 0 else -1
            slack = [0] * (2 * self.size)
            slack[k], slack[self.size + k] = -sign, sign
            self.rows.append([*(sign * (a[k] - at_start) for a in signed), *slack, -sign * at_start])
            self.basis.append(self.n + k + (self.size if at_start < 0 else 0))
        costs = [0] * self.n + [1] * (2 * self.size) + [0]
        reduced = [cost - sum(column) for cost, column in zip(costs, zip(*self.rows, strict=True), strict=True)]
        self.rows.append([1] * self.n + [0] * (2 * self.size) + [1])
        self.basis.append(0)
        self.rows.append(reduced)
        self.common = 1

    def entering(self) -> int | None:
        """Return the first column that would lower the cost."""
        return next((j for j, cost in enumerate(self.rows[-1][:-1]) if cost < 0), None)

    def leaving(self, column: int) -> int:
        """Return the row that limits the step; among equals, the one whose variable comes first."""
        best = -1
        for i, row in enumerate(self.rows[:-1]):
            if row[column] > 0 and (best < 0 or self._sooner(i, best, column)):
                best = i
        return best

    def _sooner(self, i: int, other: int, column: int) -> bool:
        mine, theirs = self.rows[i], self.rows[other]
        left, right = mine[-1] * theirs[column], theirs[-1] * mine[column]
        return left < right or (left == right and self.basis[i] < self.basis[other])

    def pivot(self, r: int, column: int) -> None:
        """Bring the column into the basis; the divisions leave no remainder."""
        source = self.rows[r]
        by, common = source[column], self.common
        for i, row in enumerate(self.rows):
            if i != r:
                factor = row[column]
                self.rows[i] = [(a * by - factor * b) // common for a, b in zip(row, source, strict=True)]
        self.basis[r], self.common = column, by

    def decision(self) -> Decision:
        """Read off which of the two it is."""
        reduced = self.rows[-1]
        if reduced[-1]:
            return Decision(vector=tuple(self.common - cost for cost in reduced[self.n : self.n + self.size]))
        weights = [0] * self.n
        for i, variable in enumerate(self.basis):
            if variable < self.n:
                weights[variable] = self.rows[i][-1]
        return Decision(weights=tuple(weights))
