"""Classes as lists of concepts: their dimensions, SOA and Halving, by definition and slowly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import combinations
from typing import Any

Concepts = tuple[int, ...]
"""Some concepts of the list, by their places."""
Labels = tuple[int, ...]
Rows = frozenset[Labels]
"""A class as a set of labellings of the points 0, 1, ..."""


class Listed:
    """A class as the list of its concepts; as a base learner, the Standard Optimal Algorithm on it."""

    def __init__(self, points: Iterable[Any], table: Iterable[Sequence[int]]) -> None:
        place = {x: i for i, x in enumerate(points)}
        self.labels = [tuple(int(label) for label in row) for row in table]
        self.place: Callable[[Any], int] = place.__getitem__
        self.dimension = cache(self._dimension)

    @property
    def all(self) -> Concepts:
        """All concepts."""
        return tuple(range(len(self.labels)))

    def with_label(self, concepts: Concepts, x: Any, label: int) -> Concepts:
        """Return the concepts with the label at x; none if the labels so far are then unrealizable."""
        return tuple(c for c in concepts if self.labels[c][self.place(x)] == label)

    def _dimension(self, concepts: Concepts) -> int:
        """Return the Littlestone dimension: the depth of the deepest shattered tree, -1 without concepts."""
        if len(concepts) < 2:
            return len(concepts) - 1
        deepest = 0
        for i in range(len(self.labels[0])):
            sides = [tuple(c for c in concepts if self.labels[c][i] == label) for label in (0, 1)]
            if all(sides):
                deepest = max(deepest, 1 + min(map(self.dimension, sides)))
        return deepest

    # SOA as the paper's A: its state is the concepts that are left.

    def start(self) -> Concepts:
        """Return all concepts."""
        return self.all

    def predict(self, concepts: Concepts, x: Any) -> int:
        """Return the label that leaves the larger dimension, 0 on a tie."""
        zero, one = (self.dimension(self.with_label(concepts, x, label)) for label in (0, 1))
        return int(one > zero)

    update = with_label


class MostConcepts(Listed):
    """Halving: predict the label of most remaining concepts, 0 on a tie."""

    def predict(self, concepts: Concepts, x: Any) -> int:
        """Count both sides."""
        zero, one = (self.with_label(concepts, x, label) for label in (0, 1))
        return int(len(one) > len(zero))


class AnyLabels(Listed):
    """An oracle that calls every sample realizable."""

    def __init__(self) -> None:
        super().__init__((), [()])

    def with_label(self, concepts: Concepts, x: Any, label: int) -> Concepts:
        """Return the concepts unchanged."""
        return concepts


def listed(rows: Rows, kind: type[Listed] = Listed) -> Listed:
    """Return a set of labellings as a class on the points 0, 1, ..."""
    return kind(range(max(map(len, rows), default=0)), sorted(rows))


@cache
def littlestone_dimension(rows: Rows) -> int:
    """Return the Littlestone dimension of a set of labellings."""
    known = listed(rows)
    return known.dimension(known.all)


@cache
def vc_dimension(rows: Rows) -> int:
    """Return the VC dimension of a set of labellings, by trying every set of points."""
    if not rows:
        return -1
    columns, size = range(len(next(iter(rows)))), 0
    while any(
        len({tuple(row[x] for x in chosen) for row in rows}) == 2 ** (size + 1)
        for chosen in combinations(columns, size + 1)
    ):
        size += 1
    return size
