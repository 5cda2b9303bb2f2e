"""The same choice of cubes as ``cube_search.best_cube``, compiled; importing this module needs numba."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from adeptree.core.types import BoolArray, IntArray
from adeptree.oracles.bitsets import WordArray

_numba: Any = import_module("numba")
_F = TypeVar("_F", bound=Callable[..., Any])


def _fast(function: _F) -> _F:
    """Compile a module-level function; the result is kept on disk for the next process."""
    compiled: _F = _numba.njit(cache=True)(function)
    return compiled


_NONE = np.uint64(0)
_ONE, _TWO, _FOUR, _TOP = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
_M1, _M2 = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_M4, _H1 = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


@_fast
def _count(word: Any) -> Any:
    """Count the ones of a word (the compiler knows this pattern and uses one instruction)."""
    word = word - ((word >> _ONE) & _M1)
    word = (word & _M2) + ((word >> _TWO) & _M2)
    word = (word + (word >> _FOUR)) & _M4
    return np.int64((word * _H1) >> _TOP)


@_fast
def _differing(column: WordArray, label: Any, k: Any) -> Any:
    return ~column[k] if label else column[k]


@_fast
def best_cube(room: WordArray, points: int, labels: BoolArray, undecided: WordArray, positive: WordArray) -> IntArray:
    """Return the columns of the better of the two pruned candidates."""
    greedy = _prime(_greedy(room, points, labels, undecided, positive), room, labels, positive)
    path = _prime(_path(room, points, labels, positive), room, labels, positive)
    if _cover(greedy, room, labels, undecided) >= _cover(path, room, labels, undecided):
        return greedy
    return path


@_fast
def _greedy(room: WordArray, points: int, labels: BoolArray, undecided: WordArray, positive: WordArray) -> IntArray:
    left, free = positive.copy(), undecided.copy()
    chosen = np.empty(points, dtype=np.int64)
    useful = np.arange(points)
    size = 0
    words = _used(left, free)
    while left.any():
        best, score, kept = -1, -1.0, 0
        for i in range(len(useful)):
            j = int(useful[i])
            excluded, lost = 0, 0
            for k in words:
                word = _differing(room[j], labels[j], k)
                excluded += _count(word & left[k])
                lost += _count(word & free[k])
            if excluded == 0:  # and so in all later steps
                continue
            useful[kept] = j
            kept += 1
            if excluded / (lost + 0.5) > score:
                best, score = j, excluded / (lost + 0.5)
        useful = useful[:kept]
        chosen[size] = best
        size += 1
        for k in words:
            word = ~_differing(room[best], labels[best], k)
            left[k] &= word
            free[k] &= word
        words = _used(left, free)
    return chosen[:size].copy()


@_fast
def _used(left: WordArray, free: WordArray) -> IntArray:
    return np.flatnonzero((left | free) != _NONE)


@_fast
def _path(room: WordArray, points: int, labels: BoolArray, positive: WordArray) -> IntArray:
    left = positive.copy()
    chosen = np.empty(points, dtype=np.int64)
    size = 0
    words = np.flatnonzero(left != _NONE)
    for j in range(points):
        hit = False
        for k in words:
            word = _differing(room[j], labels[j], k) & left[k]
            if word != _NONE:
                hit = True
                left[k] &= ~word
        if hit:
            chosen[size] = j
            size += 1
            words = np.flatnonzero(left != _NONE)
            if len(words) == 0:
                break
    return chosen[:size].copy()


@_fast
def _prime(chosen: IntArray, room: WordArray, labels: BoolArray, positive: WordArray) -> IntArray:
    size = len(chosen)
    later = np.zeros((size + 1, len(positive)), dtype=np.uint64)
    for i in range(size - 1, -1, -1):
        for k in range(len(positive)):
            later[i, k] = later[i + 1, k] | (_differing(room[chosen[i]], labels[chosen[i]], k) & positive[k])
    excluded = np.zeros(len(positive), dtype=np.uint64)
    kept = 0
    for i in range(size):
        needed = False
        for k in range(len(positive)):
            if excluded[k] | later[i + 1, k] != positive[k]:
                needed = True
                break
        if not needed:
            continue
        for k in range(len(positive)):
            excluded[k] |= _differing(room[chosen[i]], labels[chosen[i]], k) & positive[k]
        chosen[kept] = chosen[i]
        kept += 1
    return chosen[:kept].copy()


@_fast
def _cover(chosen: IntArray, room: WordArray, labels: BoolArray, undecided: WordArray) -> int:
    total = 0
    for k in range(len(undecided)):
        word = undecided[k]
        for j in chosen:
            if word == _NONE:
                break
            word &= ~_differing(room[j], labels[j], k)
        total += _count(word)
    return total
