"""Optimistic cubes: which rows can take which label at x, with few calls to an oracle that returns concepts.

A *cube* is the set of rows that have some given labels on some of the past points. Asking the oracle for a
concept with these labels, and label b at x, asks whether any row of the cube can take b. So a round is group
testing: ask about cubes that hold no row known to take b, as large as possible. A "no" decides the whole cube;
a "yes" comes with a concept, whose labels name a row. The proof and the counts are in ``docs/few-queries.md``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from adeptree.errors import ContradictoryOracle, OracleError, got
from adeptree.frontiers.bitsets import LabelColumns, WordArray, count, counts, first, pack, single, unpack
from adeptree.types import BoolArray, Concept, Instance, IntArray, Sample

COMPILE_FROM = 1024
"""Words in the label table from which the compiled search is worth loading (if numba is installed)."""

NO_WITNESS = -1

Ask = Callable[[Sample], Concept | None]


@dataclass(frozen=True)
class Found:
    """What a round found out: the answers, and where concepts came with them."""

    can: BoolArray
    """``can[b, row]``: can the row take label b?"""
    own: IntArray | None = None
    """The label that each row's own concept gives x, or NO_WITNESS; None where no row has a concept."""
    others: dict[tuple[int, int], Concept] = field(default_factory=dict)
    """Concepts found in this round, by (row, label)."""


def split_by_cubes(
    table: LabelColumns, points: Sequence[Instance], witnesses: Sequence[Concept | None], x: Instance, ask: Ask
) -> Found:
    """Decide both labels of every row. Rows without a concept are allowed, and have no label for free."""
    labels = [NO_WITNESS if concept is None else label_by(concept, x) for concept in witnesses]
    own = np.array(labels, dtype=np.int64)
    can = np.stack([own == 0, own == 1])
    others: dict[tuple[int, int], Concept] = {}
    for b in (0, 1):
        search = CubeSearch(table, points, (x, b), ask)
        can[b] = search.run(can[b])
        others |= {(row, b): concept for row, concept in search.found.items()}
        # A realizable path has a continuation: a row that cannot take this label can take the other.
        can[1 - b] |= ~can[b]
    return Found(can, own, others)


class CubeSearch:
    """Find all rows that can take one label at one point, some of them being known beforehand."""

    def __init__(self, table: LabelColumns, points: Sequence[Instance], target: tuple[Instance, int], ask: Ask) -> None:
        self.table = table
        self.points = points
        self.target = target
        self.ask = ask
        self.found: dict[int, Concept] = {}

    def run(self, known: BoolArray) -> BoolArray:
        """Return the rows that can take the label, given some that can."""
        positive = pack(known)
        undecided = self.table.everyone() & ~positive
        while undecided.any():
            labels = self.table.labels_of(first(undecided))
            cube = best_cube(self.table, labels, undecided, positive)
            concept = self.ask([*((self.points[j], int(labels[j])) for j in cube), self.target])
            if concept is None:
                undecided &= outside(self.table, labels, cube)
            else:
                row = single(self._row_of(concept, undecided), self.table.words)
                positive |= row
                undecided &= ~row
        return unpack(positive, self.table.rows)

    def _row_of(self, concept: Concept, undecided: WordArray) -> int:
        """Return the row that the concept continues; with a sound oracle it is one of the undecided."""
        labels = np.array([label_by(concept, x) for x in self.points], dtype=np.bool_)
        row = self.table.where(labels)
        if row is None:
            raise ContradictoryOracle(
                f"find returned {concept}, whose labels on the {len(self.points)} points seen were denied before; "
                f"check that the oracle always gives the same answers"
            )
        if not (single(row, self.table.words) & undecided).any():
            raise ContradictoryOracle(
                f"find returned {concept}, though it denied before that a concept has its labels on "
                f"{len(self.points) + 1} points; check that the oracle always gives the same answers"
            )
        self.found[row] = concept
        return row


def best_cube(table: LabelColumns, labels: BoolArray, undecided: WordArray, positive: WordArray) -> list[int]:
    """Return columns; the rows with the given labels there hold no positive row and many undecided ones.

    Two candidates are tried, each pruned until every label in it is needed, and the one with more undecided
    rows is taken (the greedy one on a tie).
    """
    if (compiled := _compiled(table)) is not None:
        return compiled.best_cube(table.room, table.points, labels, undecided, positive).tolist()  # type: ignore[no-any-return]
    differing = table.differing(labels)
    # Columns in which no positive row differs can exclude nothing.
    useful = np.flatnonzero((differing & positive).any(axis=1))
    differing = differing[useful]
    greedy = _prime(_greedy(differing, undecided, positive), differing, positive)
    path = _prime(_path(differing, positive), differing, positive)
    covers = [count(undecided & ~_union(differing, cube)) for cube in (greedy, path)]
    return useful[greedy if covers[0] >= covers[1] else path].tolist()  # type: ignore[no-any-return]


def _greedy(differing: WordArray, undecided: WordArray, positive: WordArray) -> list[int]:
    """Add the label that excludes most positive rows for each undecided row it loses, until none is left."""
    chosen = []
    while positive.any():
        score = counts(differing & positive) / (counts(differing & undecided) + 0.5)
        chosen.append(int(score.argmax()))
        positive = positive & ~differing[chosen[-1]]
        undecided = undecided & ~differing[chosen[-1]]
    return chosen


def _path(differing: WordArray, positive: WordArray) -> list[int]:
    """Go through the points in the order they came, and take the labels that exclude a positive row still left.

    So these are the columns where some positive row differs for the first time (the branches that leave
    the path of the labels in the trie of all rows).
    """
    excluded = np.bitwise_or.accumulate(differing & positive, axis=0)
    new = excluded.copy()
    new[1:] &= ~excluded[:-1]
    return np.flatnonzero(new.any(axis=1)).tolist()


def _prime(chosen: list[int], differing: WordArray, positive: WordArray) -> list[int]:
    """Drop labels, first come first dropped, while the rest still exclude all positive rows."""
    if len(chosen) < 2:
        return chosen
    hits = differing[chosen] & positive
    later = np.bitwise_or.accumulate(hits[::-1], axis=0)[::-1]
    excluded = np.zeros_like(positive)
    kept = []
    for i, column in enumerate(chosen):
        others = excluded | later[i + 1] if i + 1 < len(chosen) else excluded
        if (others != positive).any():
            kept.append(column)
            excluded = excluded | hits[i]
    return kept


def _union(differing: WordArray, chosen: list[int]) -> WordArray:
    result: WordArray = np.bitwise_or.reduce(differing[chosen], axis=0, initial=np.uint64(0))
    return result


def outside(table: LabelColumns, labels: BoolArray, cube: list[int]) -> WordArray:
    """Return the rows that lack one of the labels (with stray bits past the end)."""
    result: WordArray = np.zeros(table.words, dtype=np.uint64)
    for j in cube:
        column = table.room[j, : table.words]
        result |= ~column if labels[j] else column
    return result


def label_by(concept: Concept, x: Instance) -> int:
    """Ask a concept that the oracle returned for its label at x."""
    try:
        label = concept(x)
    except Exception as error:
        raise OracleError(f"the concept that find returned raised {type(error).__name__}: {error}") from error
    if label not in (0, 1):
        raise OracleError(f"a concept that find returns must say 0 or 1; {got('label', label)}")
    return int(label)


def _compiled(table: LabelColumns) -> Any:
    """Return the compiled search, or None where numba is not installed or the table too small to load it for."""
    if "adeptree.frontiers.cubes_compiled" not in sys.modules and table.points * table.words < COMPILE_FROM:
        return None
    return _load_compiled()


@cache
def _load_compiled() -> Any:
    try:
        from adeptree.frontiers import cubes_compiled
    except (ImportError, RuntimeError):  # numba is missing, or finds no place to keep what it compiles
        return None
    return cubes_compiled
