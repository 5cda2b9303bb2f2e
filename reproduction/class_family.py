"""The paper's family F: the learner knows that its class is one of these, and the adversary chooses which.

Q_T is a supremum over the classes of F and over adversaries. :meth:`Family.most` takes it over the classes that a
family lists and over the streams that it is given.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import adeptree as at
from reproduction.reference.listed_classes import Listed

Pairs = list[tuple[Any, int]]
Streams = Callable[[at.ConceptClass], Iterable[Pairs]]


@dataclass(frozen=True)
class Family:
    """Classes that are listed when they are needed, and what the learner may know of all of them."""

    name: str
    d_vc: int
    littlestone: int
    classes: Callable[[], Iterable[at.ConceptClass]]

    def __iter__(self) -> Iterator[at.ConceptClass]:
        return iter(self.classes())

    def most(self, measure: Callable[[at.ConceptClass, Pairs], float], streams: Streams) -> tuple[float, int]:
        """Return the largest value of a measure over classes and streams, and the number of games."""
        found = [measure(c, pairs) for c in self for pairs in streams(c)]
        return max(found), len(found)


def every_class(points: int, d: int) -> Family:
    """Return all classes on this number of points with Littlestone dimension at most d, out of 2^2^points.

    >>> len(list(every_class(2, 1)))
    14
    """
    rows = list(itertools.product((0, 1), repeat=points))

    def classes() -> Iterator[at.ConceptClass]:
        for kept in itertools.product((0, 1), repeat=len(rows)):
            table = [row for row, one in zip(rows, kept, strict=True) if one]
            if table and _dimension(table) <= d:
                yield at.FiniteClass([list(row) for row in table])

    return Family(f"every class on {points} points of dimension at most {d}", d, d, classes)


def every_order(points: int) -> Family:
    """Return the thresholds on this number of points, in each of their orders.

    >>> len(list(every_order(3)))
    6
    """

    def classes() -> Iterator[at.ConceptClass]:
        for order in itertools.permutations(range(points)):
            place = np.argsort(order)
            yield at.FiniteClass([[int(place[x] >= cut) for x in range(points)] for cut in range(points + 1)])

    return Family(f"thresholds in every order of {points} points", 1, int(np.log2(points + 1)), classes)


def drawn_classes(points: int, d: int, number: int, seed: int) -> Family:
    """Return classes drawn at random: labellings join in random order where the dimension stays at most d."""

    def classes() -> Iterator[at.ConceptClass]:
        rng = np.random.default_rng([seed, points, d])
        for _ in range(number):
            table: list[tuple[int, ...]] = []
            for code in rng.permutation(2**points)[:24].tolist():
                row = tuple(code >> x & 1 for x in range(points))
                if _dimension([*table, row]) <= d:
                    table.append(row)
            yield at.FiniteClass([list(row) for row in table])

    return Family(f"{number} classes on {points} points, drawn, of dimension at most {d}", d, d, classes)


def _dimension(table: list[tuple[int, ...]]) -> int:
    listed = Listed(range(len(table[0])), table)
    return listed.dimension(listed.all)
