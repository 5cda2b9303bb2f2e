"""Near-best rules: lists of rules whose loss is within k of the best."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeVar

import numpy as np

from adeptree.core.types import Concept, FloatArray, IntArray
from adeptree.theory.losses import Losses, shown

ROUNDING = 1e-12
"""Relative tolerance for sums of non-integer losses, which are added in different orders."""
T = TypeVar("T")


@dataclass(frozen=True)
class RankedRule:
    """A rule with the loss it would have had.

    >>> from adeptree.families.rule_values import Threshold
    >>> print(RankedRule(Threshold(3), 7))
    x >= 3 (loss 7)
    """

    rule: Concept
    loss: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "loss", shown(self.loss))

    def __str__(self) -> str:
        return f"{self.rule} (loss {self.loss:,})"


class NearRules(list[RankedRule]):
    """Rules in order of their losses, one per labelling of the points seen."""

    def __init__(self, rules: Iterable[RankedRule], more: bool) -> None:
        super().__init__(rules)
        self.more = more
        """True if there are more rules within reach, or may be because paths were dropped."""


def reach_of(best: float, k: float, scale: float) -> float:
    """Return the largest loss within k of the best; ``scale`` is the size of the summands.

    Sums of weights depend on the order of addition, even those that look like whole numbers.

    >>> 5 <= reach_of(3, 2, 100) < 5.000001, 5.5 < reach_of(3.5, 2, 100) < 5.500001
    (True, True)
    """
    return best + k + min(0.25, ROUNDING * scale)


def nearest(losses: Losses, reach: float, limit: int, largest: float = 0.0) -> tuple[IntArray, bool]:
    """Return the indices of losses within reach, in increasing order (stable), and whether there are more.

    ``largest`` is the largest loss overall, if these are not all losses.

    >>> [kept if kept is True else kept.tolist() for kept in nearest(np.array([3, 1, 2, 1, 9]), 3, 3)]
    [[1, 3, 2], True]
    """
    near = np.flatnonzero(losses <= reach)
    kept = losses[near]
    if kept.dtype.kind == "f":  # losses that differ only by rounding are equal
        unit = ROUNDING * max(1.0, float(np.abs(losses).max(initial=largest)))
        kept = np.rint((kept - kept.min(initial=reach)) / unit)
    order = near[np.argsort(kept, kind="stable")]
    return order[:limit], len(order) > limit


def in_order(
    start: T, cost: float, reach: float, expand: Callable[[T], Iterable[tuple[float, T]]]
) -> Iterator[tuple[float, T]]:
    """Yield all leaves of a search tree whose cost is within reach, the cheapest first.

    ``expand`` returns the branches of a node (none for a leaf), each with the *least* cost of its leaves, so the search
    never enters a branch in vain.
    """
    import heapq

    turn = count(0, -1)  # among equal costs the newest comes first: depth-first search reaches a leaf soon
    heap: list[Any] = [(cost, next(turn), start)]
    while heap:
        cost, _, node = heapq.heappop(heap)
        branches = list(expand(node))
        if not branches:
            yield cost, node
        for least, branch in reversed(branches):
            if least <= reach:
                heapq.heappush(heap, (least, next(turn), branch))


def sets_in_order(gains: FloatArray, d: int, empty: float, reach: float) -> Iterator[tuple[float, list[int]]]:
    """Yield all sets of at most d items whose cost, ``empty`` minus their gains, is within reach.

    The cheapest come first.

    >>> [(cost, chosen) for cost, chosen in sets_in_order(np.array([1.0, -1.0, 2.0]), 2, 5.0, 4.0)]
    [(2.0, [0, 2]), (3.0, [2]), (4.0, [1, 2]), (4.0, [0])]
    """
    order = np.argsort(-gains, kind="stable")
    ranked = gains[order].tolist()
    useful = np.concatenate([[0.0], np.cumsum(np.maximum(gains[order], 0.0))])

    # A node is (chosen items, rank from which one more must be chosen (-1: may be, -2: must not be), cost).
    def least(chosen: tuple[int, ...], start: int, cost: float) -> float:
        """Return the least cost reachable with items from a rank on."""
        return cost - float(useful[min(start + d - len(chosen), len(ranked))] - useful[start])

    def branches(
        node: tuple[tuple[int, ...], int, float],
    ) -> Iterator[tuple[float, tuple[tuple[int, ...], int, float]]]:
        chosen, start, cost = node
        if start == -1:
            yield cost, (chosen, -2, cost)
            start = chosen[-1] + 1 if chosen else 0
            if start < len(ranked) and len(chosen) < d:
                more = (*chosen, start)
                yield least(more, start + 1, cost - ranked[start]), (chosen, start, cost)
        elif start >= 0:
            more, paid = (*chosen, start), cost - ranked[start]
            yield least(more, start + 1, paid), (more, -1, paid)
            if start + 1 < len(ranked):
                yield least(more, start + 2, cost - ranked[start + 1]), (chosen, start + 1, cost)

    start: tuple[tuple[int, ...], int, float] = ((), -1, empty)
    for cost, (chosen, _, _) in in_order(start, empty, reach, branches):
        yield cost, sorted(order[list(chosen)].tolist())


def first_of(found: Iterator[tuple[float, T]], rule: Callable[[T], Concept], limit: int) -> NearRules:
    """Return the first rules found, and whether there are more."""
    rules: list[RankedRule] = []
    for cost, node in found:
        if len(rules) == limit:
            return NearRules(rules, more=True)
        rules.append(RankedRule(rule(node), cost))
    return NearRules(rules, more=False)
