"""The passes over the concepts of a listed class and over the cells they form; importing this module needs numba."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

_numba: Any = import_module("numba")
_F = TypeVar("_F", bound=Callable[..., Any])


def _fast(function: _F) -> _F:
    """Compile a module-level function; the result is kept on disk for the next process."""
    compiled: _F = _numba.njit(cache=True, nogil=True)(function)
    return compiled


_NOTHING = 80.0
"""Weights below e^-80 of the largest are far below the rounding of the sum, however many there are."""

WIDTH, BEST = 0, 1
"""Places in ``head``: number of cells; L*."""


class Cells(NamedTuple):
    """A cell is a set of concepts that agree so far: an active path. Only the first ``head[WIDTH]`` entries count."""

    row_of: Any
    """The cell of every concept."""
    size: Any
    """Concepts in each cell."""
    ones: Any
    """How many of them say 1 at the point last looked at."""
    twin: Any
    """Scratch: where those that say 1 go."""
    mistakes: Any
    contested: Any
    losses: Any
    head: Any


class Masses(NamedTuple):
    """What the logarithm of a path's mass is made of."""

    capacities: Any
    """By number of mistakes (paper); empty for KT."""
    half: Any
    factorial: Any


@_fast
def count(cells: Any, labels: Any) -> None:
    """Count the concepts of each cell that say 1: one pass over the concepts."""
    row_of, ones = cells.row_of, cells.ones
    ones[: cells.head[WIDTH]] = 0
    for i in range(len(row_of)):
        ones[row_of[i]] += labels[i]


@_fast
def _log_mass(masses: Any, k: int, n: int) -> float:
    if len(masses.capacities) > 0:
        return float(masses.capacities[k])
    return float(masses.half[k] + masses.half[n - k] - masses.factorial[n])


@_fast
def _logs(cells: Any, masses: Any, rate: float, c: int) -> tuple[float, float]:
    """Return the log weights of cell c's children with label 0 and 1; Halving errs on the smaller part (1, if equal)."""
    k, n = cells.mistakes[c], cells.contested[c]
    ones = cells.ones[c]
    zeros = cells.size[c] - ones
    loss = rate * (cells.losses[c] - cells.head[BEST])
    if ones == 0:
        return _log_mass(masses, k, n) - loss, -math.inf
    if zeros == 0:
        return -math.inf, _log_mass(masses, k, n) - loss
    right, wrong = _log_mass(masses, k, n + 1) - loss, _log_mass(masses, k + 1, n + 1) - loss
    return (wrong, right) if ones > zeros else (right, wrong)


@_fast
def _farthest(cells: Any, heaviest: float, top: float, rate: float) -> float:
    """Return the loss beyond which no cell has a child that counts beside a weight of e^top."""
    return float(cells.head[BEST] + (heaviest - top + _NOTHING) / rate) if rate > 0.0 else math.inf


@_fast
def probability(cells: Any, masses: Any, rate: float) -> float:
    """Return the share of the weight that says 1: two passes over the cells, most of which have lost too much."""
    losses, width = cells.losses, cells.head[WIDTH]
    heaviest = masses.capacities[0] if len(masses.capacities) > 0 else 0.0
    top, limit = -math.inf, math.inf
    for c in range(width):
        if losses[c] <= limit:
            zero, one = _logs(cells, masses, rate, c)
            if max(zero, one) > top:
                top = max(zero, one)
                limit = _farthest(cells, heaviest, top, rate)
    zeros = ones = 0.0
    for c in range(width):
        if losses[c] <= limit:
            zero, one = _logs(cells, masses, rate, c)
            if zero > top - _NOTHING:
                zeros += math.exp(zero - top)
            if one > top - _NOTHING:
                ones += math.exp(one - top)
    return ones / (ones + zeros)


@_fast
def commit(cells: Any, labels: Any, label: int) -> None:
    """Refine the cells by the labels counted, and charge them: a cell keeps its place with label 0 or its only one."""
    row_of, size, ones, twin = cells.row_of, cells.size, cells.ones, cells.twin
    mistakes, contested, losses, head = cells.mistakes, cells.contested, cells.losses, cells.head
    width, new = head[WIDTH], head[WIDTH]
    for c in range(width):
        twin[c] = c
        zeros = size[c] - ones[c]
        if ones[c] > 0 and zeros > 0:
            twin[c] = new
            wrong = 1 if ones[c] > zeros else 0
            size[new], mistakes[new] = ones[c], mistakes[c] + 1 - wrong
            size[c], mistakes[c] = zeros, mistakes[c] + wrong
            contested[c] += 1
            contested[new] = contested[c]
            losses[new] = losses[c] + (label == 0)
            losses[c] += label
            new += 1
        else:
            losses[c] += (ones[c] > 0) != (label == 1)
    best = losses[0]
    for c in range(new):
        best = min(best, losses[c])
    head[WIDTH], head[BEST] = new, best
    if new > width:
        for i in range(len(row_of)):
            if labels[i]:
                row_of[i] = twin[row_of[i]]
