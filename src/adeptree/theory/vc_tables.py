"""Exact VC dimension of 0/1 tables, with a shattered set."""

from __future__ import annotations

from adeptree.core.types import ArrayLike
from adeptree.theory.bit_tables import DEFAULT_BUDGET, Steps, checked, distinct_columns, distinct_rows, splits

STEPS_PER_SCAN = 10
"""The fixed cost of a scan of columns, in steps."""


def vc_of_table(table: ArrayLike, budget: int = DEFAULT_BUDGET) -> tuple[int, tuple[int, ...]]:
    """Return the VC dimension of the rows and a largest shattered set of columns.

    >>> vc_of_table([[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1]])
    (2, (1, 2))
    """
    bits, _ = distinct_rows(checked(table))
    if not len(bits):
        return -1, ()
    everything = (1 << len(bits)) - 1
    index = distinct_columns(bits)
    balanced = splits(everything, list(index), at_least=1)
    steps = Steps(budget, len(bits), "VC")
    best: tuple[int, ...] = ()
    found: tuple[int, ...] | None = ()
    while found is not None:
        best = found
        wanted = len(best) + 1
        columns = [column for count, _, column in balanced if count >= 1 << wanted - 1]
        found = _shattered([everything], columns, wanted, steps)
    return len(best), tuple(sorted(index[column] for column in best))


def _shattered(cells: list[int], columns: list[int], wanted: int, steps: Steps) -> tuple[int, ...] | None:
    """Find ``wanted`` columns that together shatter every cell, from columns that each leave room for the others."""
    if len(columns) < wanted:
        return None
    if wanted == 1:
        return (columns[0],)
    for i, column in enumerate(columns[: len(columns) - wanted + 1]):
        halves, rest = _halve(cells, column, columns[i + 1 :], wanted - 1, steps)
        found = _shattered(halves, rest, wanted - 1, steps)
        if found is not None:
            return (column, *found)
    return None


def _halve(cells: list[int], column: int, columns: list[int], wanted: int, steps: Steps) -> tuple[list[int], list[int]]:
    """Cut every cell by the column; return the halves, smallest first, and the columns still of use.

    A useful column leaves ``2 ** (wanted - 1)`` concepts on both sides of every half. The smallest cells
    come first because they refuse most columns, and the cutting stops when too few are left.
    """
    need = 1 << wanted - 1
    halves: list[int] = []
    for cell in cells:
        one = cell & column
        for half in (one, cell ^ one):
            most = half.bit_count() - need
            steps.spend(len(columns) + STEPS_PER_SCAN)
            columns = [other for other in columns if need <= (half & other).bit_count() <= most]
            if len(columns) < wanted:
                return [], []
            halves.append(half)
    return sorted(halves, key=int.bit_count), columns
