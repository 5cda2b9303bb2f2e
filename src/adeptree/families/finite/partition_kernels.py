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
    masses: Any
    """KT masses of the cells; empty with the paper's prior."""
    head: Any


class Tables(NamedTuple):
    """What weights are made of. A class of at most 2^22 concepts has k <= 22, so that all masses are doubles."""

    decay: Any
    """e^(-eta d), as far as that is anything beside 1."""
    capacities: Any
    """The paper's masses by number of mistakes, the largest being 1; empty for KT."""
    half: Any
    factorial: Any
    """As in ``KTPrior``; empty for the paper's prior."""


@_fast
def count(cells: Any, labels: Any) -> None:
    """Count the concepts of each cell that say 1: one pass over the concepts."""
    row_of, ones = cells.row_of, cells.ones
    for c in range(cells.head[WIDTH]):
        ones[c] = 0
    for i in range(len(row_of)):
        ones[row_of[i]] += labels[i]


@_fast
def probability(cells: Any, tables: Any) -> float:
    """Return the share of the weight that says 1: one pass over the cells."""
    size, ones, mistakes, contested, masses = cells.size, cells.ones, cells.mistakes, cells.contested, cells.masses
    losses, best, decay, capacities = cells.losses, cells.head[BEST], tables.decay, tables.capacities
    paper = len(capacities) > 0
    zero = one = 0.0
    for c in range(cells.head[WIDTH]):
        behind = losses[c] - best
        if behind >= len(decay):
            continue
        k = mistakes[c]
        mass = capacities[k] if paper else masses[c]
        if ones[c] == 0:
            zero += mass * decay[behind]
        elif ones[c] == size[c]:
            one += mass * decay[behind]
        else:
            if paper:
                wrong = capacities[k + 1]
            else:
                n = contested[c]
                wrong = mass * (k + 0.5) / (n + 1)
                mass = mass * (n - k + 0.5) / (n + 1)
            # Halving says what most of the cell's concepts say, and 0 if it is a tie.
            if 2 * ones[c] > size[c]:
                one += mass * decay[behind]
                zero += wrong * decay[behind]
            else:
                zero += mass * decay[behind]
                one += wrong * decay[behind]
    return one / (one + zero)


@_fast
def set_mass(cells: Any, tables: Any, c: int) -> None:
    """Make the KT mass of a cell from its counts."""
    if len(cells.masses) > 0:
        k, n = cells.mistakes[c], cells.contested[c]
        cells.masses[c] = math.exp(tables.half[k] + tables.half[n - k] - tables.factorial[n])


@_fast
def set_masses(cells: Any, tables: Any) -> None:
    """Make the KT masses of all cells."""
    for c in range(cells.head[WIDTH]):
        set_mass(cells, tables, c)


@_fast
def commit(cells: Any, tables: Any, labels: Any, label: int) -> None:
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
            set_mass(cells, tables, c)
            set_mass(cells, tables, new)
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
