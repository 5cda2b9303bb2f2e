"""Rules that are nearly as good as the best: what an engine answers when it is asked for them."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeVar

import numpy as np

from adeptree.core.types import Concept, FloatArray, IntArray
from adeptree.theory.losses import Losses, shown

ROUNDING = 1e-12
"""Losses that are not whole are added up in different orders: how far these may differ, relative to the largest."""
T = TypeVar("T")


@dataclass(frozen=True)
class RankedRule:
    """A rule, and what it would have lost.

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
    """Rules in order of their losses, one per labelling of what was seen."""

    def __init__(self, rules: Iterable[RankedRule], more: bool) -> None:
        super().__init__(rules)
        self.more = more
        """Whether there are (or, where paths were dropped, may be) others within reach that are not listed."""


def reach_of(best: float, k: float, scale: float) -> float:
    """Return the largest loss within k of the best; ``scale`` is the size of what was added up.

    Sums of weights are rounded by the order in which they are added, also those that seem whole.

    >>> 5 <= reach_of(3, 2, 100) < 5.000001, 5.5 < reach_of(3.5, 2, 100) < 5.500001
    (True, True)
    """
    return best + k + min(0.25, ROUNDING * scale)


def nearest(losses: Losses, reach: float, limit: int, largest: float = 0.0) -> tuple[IntArray, bool]:
    """Return which losses are within reach, the least first and equals in their order; and whether these are more.

    ``largest`` is that of others, where these are not all.

    >>> [kept if kept is True else kept.tolist() for kept in nearest(np.array([3, 1, 2, 1, 9]), 3, 3)]
    [[1, 3, 2], True]
    """
    near = np.flatnonzero(losses <= reach)
    kept = losses[near]
    if kept.dtype.kind == "f":  # what differs by rounding only is equal
        unit = ROUNDING * max(1.0, float(np.abs(losses).max(initial=largest)))
        kept = np.rint((kept - kept.min(initial=reach)) / unit)
    order = near[np.argsort(kept, kind="stable")]
    return order[:limit], len(order) > limit


def in_order(
    start: T, cost: float, reach: float, expand: Callable[[T], Iterable[tuple[float, T]]]
) -> Iterator[tuple[float, T]]:
    """Yield all leaves of a tree whose cost is within reach, the cheapest first.

    ``expand`` returns the branches of a node, none of a leaf, with the *least* cost of a leaf on each: so no branch is
    entered in vain.
    """
    turn = count(0, -1)  # of equals what was found last comes first, so that a leaf is not far
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
    """Yield all sets of at most d things whose cost, ``empty`` less what they gain, is within reach.

    The cheapest come first.

    >>> [(cost, chosen) for cost, chosen in sets_in_order(np.array([1.0, -1.0, 2.0]), 2, 5.0, 4.0)]
    [(2.0, [0, 2]), (3.0, [2]), (4.0, [1, 2]), (4.0, [0])]
    """
    order = np.argsort(-gains, kind="stable")
    ranked = gains[order].tolist()
    useful = np.concatenate([[0.0], np.cumsum(np.maximum(gains[order], 0.0))])

    # A node is what was chosen, the rank from which on one more must be (-1: one more may be, -2: none is), the cost.
    def least(chosen: tuple[int, ...], start: int, cost: float) -> float:
        """Return the least cost with what may still be chosen from a rank on."""
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
    """Return the first rules of those found, and whether there are more."""
    rules: list[RankedRule] = []
    for cost, node in found:
        if len(rules) == limit:
            return NearRules(rules, more=True)
        rules.append(RankedRule(rule(node), cost))
    return NearRules(rules, more=False)
