"""Exact VC dimension of decision stumps, from the number of cuts of every feature.

The cuts of one feature order s points, so they pick out a chain of nested subsets, at most one per cut,
and the complements of these. The two constants give the empty and the full set. So s points are shattered
exactly when the other subsets, taken up to complement, fall into chains, one per feature, none longer
than the feature has cuts (a chain may leave out any of its members, so they need not overlap).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import comb

from adeptree.core.errors import InvalidArgument, got

SEARCH_BUDGET = 1_000_000
"""Comparisons of two subsets before the search gives up (a few seconds)."""

LARGEST_SEARCH = 10
"""Most points for which chains are searched for: 511 subsets up to complement."""


def stump_vc_dimension(cut_counts: Sequence[int], budget: int = SEARCH_BUDGET) -> int | None:
    """Return the VC dimension of stumps over features with so many cuts, or None if not settled.

    >>> stump_vc_dimension([]), stump_vc_dimension([5]), stump_vc_dimension([5, 5])
    (1, 2, 3)
    """
    cuts = sorted((_checked(count) for count in cut_counts), reverse=True)
    cuts = [count for count in cuts if count]
    points = 1
    while _room(points + 1, _rank_counts(points + 1), cuts):
        points += 1
    while not _long_enough(points, cuts):
        if points > LARGEST_SEARCH:
            return None
        found = _VcSearch(points, budget).splits(cuts)
        if found is not False:
            return points if found else None
        points -= 1
    return points


def _checked(count: object) -> int:
    if isinstance(count, bool) or not hasattr(count, "__index__") or count.__index__() < 0:
        raise InvalidArgument(f"a number of cuts must be an int >= 0; {got('count', count)}")
    return int(count.__index__())


def _long_enough(points: int, cuts: list[int]) -> bool:
    """Gey's theorem: features with enough cuts shatter s points when C(s, s // 2) <= 2 * features."""
    return points == 1 or enough_chains(points, sum(count >= points - 1 for count in cuts))


def enough_chains(points: int, features: int) -> bool:
    """Whether so many features, each with enough cuts, have chains for the middle layer of the subsets (Gey).

    >>> enough_chains(3, 2), enough_chains(4, 2)
    (True, False)
    """
    return comb(points, points // 2) <= 2 * features


def _rank_counts(points: int) -> Counter[int]:
    """Count the subsets up to complement by rank: the size of the smaller of the two."""
    ranks = Counter({rank: comb(points, rank) for rank in range(1, (points + 1) // 2)})
    if points % 2 == 0:
        ranks[points // 2] = comb(points, points // 2) // 2
    return ranks


def _room(points: int, ranks: Counter[int], cuts: Sequence[int]) -> bool:
    """Necessary condition: a chain holds at most two members of a rank, and one of the middle rank."""
    middle = ranks[points // 2] if points % 2 == 0 else 0
    others = sorted((n for rank, n in ranks.items() if 2 * rank < points), reverse=True)
    total = 0
    for taken in range(len(others) + 1):
        total += others[taken - 1] if taken else 0
        if total > sum(min(count, 2 * taken) for count in cuts):
            return False
        if middle and total + middle > sum(min(count, 2 * taken + 1) for count in cuts):
            return False
    return True


class _VcSearch:
    """Looks for chains that cover all subsets of ``points`` points up to complement.

    A subset is a bit mask; of a subset and its complement the one without the last point is used.
    """

    def __init__(self, points: int, budget: int) -> None:
        self._points = points
        self._full = (1 << points) - 1
        self._left = budget

    def splits(self, cuts: list[int]) -> bool | None:
        """Tell whether the chains exist; None when the budget ran out."""
        try:
            return self._split(list(range(1, 1 << self._points - 1)), cuts)
        except _OutOfBudgetError:
            return None

    def _rank(self, subset: int) -> int:
        size = subset.bit_count()
        return min(size, self._points - size)

    def _split(self, subsets: list[int], cuts: list[int]) -> bool:
        if len(subsets) <= len(cuts):
            return True
        self._spend(len(subsets))
        ranks = Counter(map(self._rank, subsets))
        if not _room(self._points, ranks, cuts):
            return False
        # The rank with the least room to spare goes first, into the longest chain it can have.
        order = sorted(subsets, key=lambda subset: (-self._pressure(ranks, subset), subset))
        for length in sorted(set(cuts), reverse=True):
            rest_cuts = cuts.copy()
            rest_cuts.remove(length)
            for chain in self._chains(order[0], order[1:], length):
                if self._split([subset for subset in subsets if subset not in chain], rest_cuts):
                    return True
        return False

    def _pressure(self, ranks: Counter[int], subset: int) -> int:
        rank = self._rank(subset)
        return ranks[rank] * (2 if 2 * rank == self._points else 1)

    def _chains(self, first: int, others: list[int], length: int) -> Iterator[set[int]]:
        """List the chains through ``first`` that are full or cannot be extended; no others are needed."""
        oriented = [(side, other) for other in others if (side := self._side(first, other))]
        for members in self._grow(oriented, [], length - 1):
            yield {first, *members}

    def _side(self, first: int, other: int) -> int:
        """Return the subset or its complement, whichever is nested with ``first``, or 0."""
        self._spend(1)
        if _nested(first, other):
            return other
        return 0 if first & other else self._full ^ other

    def _grow(
        self, fitting: list[tuple[int, int]], passed: list[tuple[int, int]], room: int
    ) -> Iterator[tuple[int, ...]]:
        """Extend a chain by members that fit it; ``passed`` fit too, but were tried before."""
        if not room or not fitting:
            if not room or not passed:
                yield ()
            return
        for i, (side, subset) in enumerate(fitting):
            self._spend(len(fitting) + len(passed))
            later = [pair for pair in fitting[i + 1 :] if _nested(pair[0], side)]
            before = [pair for pair in (*passed, *fitting[:i]) if _nested(pair[0], side)]
            for members in self._grow(later, before, room - 1):
                yield (subset, *members)

    def _spend(self, comparisons: int) -> None:
        self._left -= comparisons
        if self._left < 0:
            raise _OutOfBudgetError


class _OutOfBudgetError(Exception):
    """Ends a search that is too long."""


def _nested(a: int, b: int) -> bool:
    return a & b in (a, b)
