"""Classes as tables of all their labellings of some points, and oracles over them, for counting calls."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import adeptree as at
from adeptree.oracles.oracle_frontier import OracleFrontier
from adeptree.roles.frontier import Frontier

Table = NDArray[np.bool_]


def distinct(rows: Iterable[Any]) -> Table:
    return np.unique(np.array(list(rows), dtype=np.bool_), axis=0)


def thresholds(T: int) -> Table:
    return np.arange(T) >= np.arange(T + 1)[:, None]


def intervals(T: int) -> Table:
    x = np.arange(T)
    return distinct((a <= x) & (x < b) for a, b in itertools.combinations_with_replacement(range(T + 1), 2))


def singletons(T: int) -> Table:
    return distinct([*np.eye(T, dtype=np.bool_), np.zeros(T, dtype=np.bool_)])


def pairs(T: int) -> Table:
    """Unions of at most two blocks, every point a separate block."""
    one = singletons(T)
    return distinct(a | b for a, b in itertools.combinations_with_replacement(one, 2))


def stumps(T: int, features: int = 5, seed: int = 0) -> Table:
    """Points sorted by the first of some random features; a feature against a cut, in both directions."""
    rng = np.random.default_rng(seed)
    ranks = [np.arange(T), *(rng.permutation(T) for _ in range(features - 1))]
    above = [rank >= cut for rank in ranks for cut in range(T + 1)]
    return distinct([*above, *(~row for row in above)])


def half_planes(T: int, seed: int = 0) -> Table:
    """Random points in general position, sorted; exact, through every line by two of them."""
    rng = np.random.default_rng(seed)
    p = np.array(sorted(rng.integers(-(10**6), 10**6, size=(T, 2)).tolist()))
    rows = []
    for i, j in itertools.combinations(range(T), 2):
        (dx, dy), off = p[j] - p[i], p - p[i]
        side = np.sign(dx * off[:, 1] - dy * off[:, 0])
        assert (side == 0).sum() == 2, "three points on a line"
        for sign, a, b in itertools.product((1, -1), (0, 1), (0, 1)):
            row = side * sign > 0
            row[i], row[j] = a, b
            rows.append(row)
    return distinct(rows)


def boxes(T: int, seed: int = 0) -> Table:
    """Axis-parallel boxes: points sorted by x, their y in random order."""
    y = np.random.default_rng(seed).permutation(T)
    x = np.arange(T)
    ends = list(itertools.combinations_with_replacement(range(T + 1), 2))
    down = distinct((c <= y) & (y < d) for c, d in ends)
    across = distinct((a <= x) & (x < b) for a, b in ends)
    rows = {(one & row).tobytes() for row in across for one in down}
    return distinct(np.frombuffer(row, dtype=np.bool_) for row in rows)


def bits(n: int) -> NDArray[np.int64]:
    return np.array(list(itertools.product((0, 1), repeat=n)))


def conjunctions(n: int) -> Table:
    """Monotone ones, on all points of n bits."""
    return distinct((bits(n) >= chosen).all(axis=1) for chosen in bits(n))


def parities(n: int) -> Table:
    return distinct((bits(n) @ bits(n).T) % 2 == 1)


class Row:
    """A concept of a table."""

    def __init__(self, labels: list[int], name: int) -> None:
        self.labels = labels
        self.name = name

    def __call__(self, x: int) -> int:
        return self.labels[x]

    def __str__(self) -> str:
        return f"row {self.name}"


class TableOracle:
    """Answers from a table, as ``find`` or as ``realizable``, and keeps what it was asked."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.rows = table.astype(int).tolist()
        packed = np.packbits(table.T, axis=1, bitorder="little")
        self.columns = [int.from_bytes(column.tobytes(), "little") for column in packed]
        self.everyone = (1 << len(table)) - 1
        self.calls = self.yes = 0

    def fitting(self, sample: Sequence[tuple[int, int]]) -> int:
        left = self.everyone
        for x, y in sample:
            left &= self.columns[x] if y else ~self.columns[x]
        return left

    def find(self, sample: Sequence[tuple[int, int]]) -> Row | None:
        left = self.fitting(sample)
        self.calls += 1
        self.yes += left != 0
        name = (left & -left).bit_length() - 1
        return Row(self.rows[name], name) if left else None

    def realizable(self, sample: Sequence[tuple[int, int]]) -> bool:
        return self.find(sample) is not None

    def labellings(self, xs: Sequence[int]) -> set[tuple[bool, ...]]:
        """All labellings of some points, by brute force."""
        return set(map(tuple, self.table[:, list(xs)].tolist()))


def ordered(T: int, order: str, seed: int = 1) -> list[int]:
    """The numbers of the points, sorted or in random order."""
    points = list(range(T))
    if order == "random":
        np.random.default_rng(seed).shuffle(points)
    return points


def frontier_over(oracle: Any, form: str, **options: Any) -> OracleFrontier:
    return OracleFrontier(at.OracleClass(**{form: getattr(oracle, form)}, **options))


def step(frontier: Frontier, x: Any) -> None:
    frontier.grow(frontier.split(x).children)


def rows(frontier: OracleFrontier) -> set[tuple[bool, ...]]:
    found = set(map(tuple, frontier.labels.tolist()))
    assert len(found) == frontier.width
    return found


SMALL: dict[str, Table] = {
    "thresholds": thresholds(20),
    "intervals": intervals(11),
    "stumps": stumps(12),
    "half-planes": half_planes(11),
    "boxes": boxes(8),
    "singletons": singletons(14),
    "pairs of blocks": pairs(9),
    "parities": parities(4),
    "conjunctions": conjunctions(4),
    "one concept": np.zeros((1, 5), dtype=np.bool_),
    "all labellings": distinct(bits(5)),
}
