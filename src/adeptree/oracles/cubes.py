"""The choice of a cube to ask about: it holds no row known to take the label, and many of which nothing is known.

A cube is given by columns and the labels of a row there; see ``oracles/cube_search.py``.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np

from adeptree.core.types import BoolArray
from adeptree.oracles.bitsets import LabelColumns, WordArray, count, counts

COMPILE_FROM = 1024
"""Words in the label table from which the compiled search is worth loading (if numba is installed)."""


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


def _compiled(table: LabelColumns) -> Any:
    """Return the compiled search, or None where numba is not installed or the table too small to load it for."""
    if "adeptree.oracles.cubes_compiled" not in sys.modules and table.points * table.words < COMPILE_FROM:
        return None
    return _load_compiled()


@cache
def _load_compiled() -> Any:
    try:
        from adeptree.oracles import cubes_compiled
    except (ImportError, RuntimeError):  # numba is missing, or finds no place to keep what it compiles
        return None
    return cubes_compiled
