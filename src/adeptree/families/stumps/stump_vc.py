"""VC dimension of decision stumps, from the number of cuts of every feature.

The cuts of one feature order s points, so they define a chain of nested subsets, at most one per cut, and their
complements. The two constants give the empty and the full set. So s points are shattered exactly when the other
subsets, taken up to complement, fall into chains, one per feature, none longer than the feature has cuts. Counting
subsets by their size gives an upper bound on s, and Gey's theorem a lower one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb


def stump_vc_dimension(cut_counts: Sequence[int]) -> int | None:
    """Return the VC dimension of stumps over features with these numbers of cuts; None if the two bounds differ.

    >>> stump_vc_dimension([5]), stump_vc_dimension([5, 5]), stump_vc_dimension([5, 1])
    (2, 3, None)
    """
    points = 1
    while _room(points + 1, cut_counts):
        points += 1
    enough = points == 1 or enough_chains(points, sum(count >= points - 1 for count in cut_counts))
    return points if enough else None


def enough_chains(points: int, features: int) -> bool:
    """Return True if this number of features has enough chains for the middle layer of the subsets (Gey).

    >>> enough_chains(3, 2), enough_chains(4, 2)
    (True, False)
    """
    return comb(points, points // 2) <= 2 * features


def _room(points: int, cuts: Sequence[int]) -> bool:
    """Check a necessary condition: a chain has at most two subsets per size up to complement, one of half size."""
    middle = comb(points, points // 2) // 2 if points % 2 == 0 else 0
    total = 0
    for taken, size in enumerate(range((points - 1) // 2, -1, -1)):  # largest layers first
        if total > sum(min(count, 2 * taken) for count in cuts):
            return False
        if middle and total + middle > sum(min(count, 2 * taken + 1) for count in cuts):
            return False
        total += comb(points, size)
    return True
