"""List all labellings of a finite set of points by halfspaces, exactly and without a solver.

In weight space the points are hyperplanes through 0, and labellings are the cells between them. Every cell
touches a ray on which all but a set of lower rank is decided; that set is labelled in all ways, recursively.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from adeptree.solvers.lp.lifting import Vector, dot, primitive

Labels = tuple[int, ...]


def dichotomies(vectors: Sequence[Vector]) -> set[Labels]:
    """Return all label tuples 1[v.p > 0] over the v that are orthogonal to none of the (nonzero) vectors p.

    >>> sorted(dichotomies([(0, 1), (1, 1), (2, 1)]))
    [(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 0, 0), (1, 1, 0), (1, 1, 1)]
    """
    basis = _independent(vectors)
    if len(basis) == 1:
        same = tuple(int(dot(p, vectors[0]) > 0) for p in vectors)
        return {same, tuple(1 - y for y in same)}
    found: set[Labels] = set()
    flat = _coordinates(vectors, basis)
    for zeros, signs in _rays(flat):
        on_it = set(zeros)
        for inner in dichotomies([flat[i] for i in zeros]):
            labels = list(signs)
            for i, y in zip(zeros, inner, strict=True):
                labels[i] = y
            found.add(tuple(labels))
            found.add(tuple(y if i in on_it else 1 - y for i, y in enumerate(labels)))
    return found


def _rays(vectors: Sequence[Vector]) -> Iterator[tuple[tuple[int, ...], Labels]]:
    """List the points on every hyperplane that vectors span, and the side of all others."""
    rank = len(vectors[0])
    seen: set[tuple[int, ...]] = set()
    for chosen in itertools.combinations(range(len(vectors)), rank - 1):
        normal = _normal([vectors[i] for i in chosen])
        if any(normal):
            sides = [dot(normal, p) for p in vectors]
            zeros = tuple(i for i, side in enumerate(sides) if not side)
            if zeros not in seen:
                seen.add(zeros)
                yield zeros, tuple(int(side > 0) for side in sides)


def _normal(rows: Sequence[Vector]) -> Vector:
    """Return the vector orthogonal to rank - 1 rows (their cofactors); 0 if they are dependent."""
    size = len(rows) + 1
    minors = [_determinant([[row[j] for j in range(size) if j != k] for row in rows]) for k in range(size)]
    return primitive([minor if k % 2 == 0 else -minor for k, minor in enumerate(minors)])


def _determinant(rows: list[list[int]]) -> int:
    if not rows:
        return 1
    head, *rest = rows
    return sum(
        (-1) ** k * value * _determinant([[*row[:k], *row[k + 1 :]] for row in rest])
        for k, value in enumerate(head)
        if value
    )


def _independent(vectors: Sequence[Vector]) -> list[int]:
    """Return pivot columns: as many coordinates as the vectors' rank, which tell them apart linearly."""
    reduced: list[list[int]] = []
    pivots: list[int] = []
    for p in vectors:
        rest = list(p)
        for row, j in zip(reduced, pivots, strict=True):
            if rest[j]:
                rest = [a * row[j] - b * rest[j] for a, b in zip(rest, row, strict=True)]
        if any(rest):
            reduced.append(list(primitive(rest)))
            pivots.append(next(j for j, value in enumerate(rest) if value))
    return pivots


def _coordinates(vectors: Sequence[Vector], columns: Sequence[int]) -> list[Vector]:
    """Return the vectors in the given coordinates; the others are linear in these, so no labelling is lost."""
    return [tuple(p[j] for j in sorted(columns)) for p in vectors]
