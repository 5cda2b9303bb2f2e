"""Optimal play of the (2|2) game: 6 mistakes always suffice, 5 do not.

The learner wants ghosts such that in every split in two, one side together with the trunk has a 2-tree. At each mistake
the adversary has split the ghosts, the learner has chosen the wrong side, and a new ghost joins that side. A position
is the tuple of its *columns*, one per mistake: bit i of column j is set if ghost i is on the wrong side at the j-th
mistake (ghost j itself always is, later ghosts and the trunk never are). So all ghosts differ, and a 2-tree is a column
with two functions on each side.
"""

from __future__ import annotations

from functools import cache

from adeptree.ghost.trees import has_tree

Position = tuple[int, ...]

MISTAKES = 6
"""Number of mistakes of the optimal strategy; ``can_win`` proves it by trying every split."""


@cache
def won(position: Position) -> bool:
    """Return True if (2|2) holds.

    >>> won((0b1, 0b11, 0b111, 0b1011, 0b11100)), won((0b1, 0b11, 0b111, 0b1011, 0b11100, 0b111110))
    (False, True)
    """
    ghosts = len(position)
    everyone = (1 << ghosts) - 1
    trunk = 1 << ghosts
    return all(
        has_tree(position, side | trunk, 2) or has_tree(position, (everyone ^ side) | trunk, 2)
        for side in range(1 << max(ghosts - 1, 0))
    )


@cache
def can_win(position: Position, mistakes: int) -> bool:
    """Return True if the learner can reach (2|2) within this number of further mistakes, for all splits.

    >>> can_win((), 6), can_win((), 5)
    (True, False)
    """
    if won(position) or mistakes == 0:
        return won(position)
    everyone = (1 << len(position)) - 1
    return all(
        can_win(after(position, side), mistakes - 1) or can_win(after(position, everyone ^ side), mistakes - 1)
        for side in range(1 << max(len(position) - 1, 0))
    )


def after(position: Position, wrong: int) -> Position:
    """Return the position after a mistake with this wrong side, which the new ghost joins.

    >>> after((1,), 0)
    (1, 2)
    """
    newborn = 1 << len(position)
    return (*position, wrong & (newborn - 1) | newborn)


def predict(position: Position, ones: int) -> int:
    """Return the label for which a mistake leads to a position that can still be won in time.

    ``ones`` are the ghosts with label 1. If both labels do, return the larger side, 0 on a tie.
    """
    everyone = (1 << len(position)) - 1
    left = max(MISTAKES - 1 - len(position), 0)
    ones &= everyone
    safe = [
        (side.bit_count(), -label)
        for label, side in ((0, everyone ^ ones), (1, ones))
        if can_win(after(position, side), left)
    ]
    return -max(safe)[1]
