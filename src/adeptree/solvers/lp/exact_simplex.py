"""Separation decided in integers: a small simplex method without rounding.

The signed points a_i = +-(x_i, 1) can be separated iff 0 is not in their convex hull, so we minimise the
1-norm of a weighted mean of them. At the minimum, either it is 0 and the weights prove that nothing fits, or
the dual solution v has v.a_i >= minimum > 0 for all i. Entries stay integers over one common denominator
(Edmonds), and Bland's rule excludes cycles.

The program: weights w_i >= 0 that add up to 1, and for every coordinate k  sum_i w_i a_ik = plus_k - minus_k,  at the
cost plus_k + minus_k. Of the tableau only the columns of plus_k and the right side are stored, because they determine
the others: a weight's column is  right side - sum_k a_ik plus_k,  and that of minus_k is -plus_k. So a step costs (dim
+ 2)^2 products and, for each point examined, dim + 1, for any number of points.
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
    """A proven decision: ``vector`` (v.a_i > 0 for all i) or ``weights`` (sum of weights_i a_i = 0, not all 0)."""

    vector: tuple[int, ...] | None = None
    weights: tuple[int, ...] | None = None

    def holds(self, signed: Sequence[Vector]) -> bool:
        """Check the proof of the decision, whatever its origin."""
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
    # We start at the first vector, so that plus_k (or minus_k) is the size of its coordinate.
    n, size, start, common = len(signed), len(signed[0]), signed[0], 1
    signs = [-1 if value >= 0 else 1 for value in start]
    rows = [[*(-sign if i == k else 0 for i in range(size)), -sign * start[k]] for k, sign in enumerate(signs)]
    rows.append([0] * size + [1])
    rows.append([*(1 + sign for sign in signs), dot(signs, start)])  # the reduced costs
    basis = [*(n + k + (size if sign > 0 else 0) for k, sign in enumerate(signs)), 0]
    for _ in range(pivots):
        *costs, rest = rows[-1]
        v = [common - cost for cost in costs]
        entering = next((j for j, a in enumerate(signed) if dot(v, a) < -rest), None)  # the first that lowers the cost
        if entering is not None:
            point = signed[entering]
            column = [*(row[-1] - dot(point, row) for row in rows[:-1]), rest + dot(v, point)]
        elif (k := next((k for k, cost in enumerate(costs) if cost < 0), None)) is not None:
            entering, column = n + k, [row[k] for row in rows]
        elif (k := next((k for k, value in enumerate(v) if value < -common), None)) is not None:
            entering, column = n + size + k, [*(-row[k] for row in rows[:-1]), common + v[k]]
        elif rest:
            return Decision(vector=tuple(v))
        else:
            found = dict(zip(basis, rows, strict=False))
            return Decision(weights=tuple(found[j][-1] if j in found else 0 for j in range(n)))
        if time.monotonic() > until:
            return None
        leaving = _leaving(rows, column, basis)
        source, by = rows[leaving], column[leaving]
        rows = [  # the divisions are exact
            row if i == leaving else [(a * by - factor * b) // common for a, b in zip(row, source, strict=True)]
            for i, (row, factor) in enumerate(zip(rows, column, strict=True))
        ]
        basis[leaving], common = entering, by
    return None


def _leaving(rows: list[list[int]], column: list[int], basis: list[int]) -> int:
    """Return the row that limits the step; among equals, the one whose variable comes first."""
    best = -1
    for i, variable in enumerate(basis):
        if column[i] > 0:
            left, right = rows[i][-1] * column[best], rows[best][-1] * column[i]
            if best < 0 or left < right or (left == right and variable < basis[best]):
                best = i
    return best
