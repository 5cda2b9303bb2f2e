"""Labellings with few flips: the best and near-best ones, found without listing the others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from adeptree.core.types import BoolArray, FloatArray, NDArray
from adeptree.roles.near_rules import in_order, nearest

Flips = tuple[int, ...]
"""The points at which the label changes, from the left; the label is 0 before the first."""


def labellings_in_order(
    gains: FloatArray, cuts: int, ones: float, reach: float, most: int
) -> Iterator[tuple[float, Flips]]:
    """Yield the labellings of points with at most ``cuts`` flips whose loss is within reach, the best first.

    Labelling a point 0 costs its gain more than labelling it 1, and ``ones`` is the loss of 1s everywhere. At most
    ``most`` branches of each node are followed, which suffices for this number of labellings.

    The least loss of the rest is known at every flip (dynamic programming from the right), so the search takes O(cuts
    m), plus O(m) per labelling.

    >>> list(labellings_in_order(np.array([2.0, -1.0, 3.0]), 2, 1.0, 2.0, 9))
    [(1.0, (0,)), (2.0, (2,))]
    """
    m = len(gains)
    # The cost from each point on if the label does not change after a number of flips.
    stays = [np.append(np.cumsum(gains[::-1])[::-1], 0.0), np.zeros(m + 1)]
    enter = _least_after_flips(gains, cuts, stays)

    # A node is (flips so far, cost of the points before the last one, True if the label stays to the end).
    def branches(node: tuple[Flips, float, bool]) -> Iterator[tuple[float, tuple[Flips, float, bool]]]:
        flips, paid, ended = node
        if ended:
            return
        stay, last = stays[len(flips) % 2], flips[-1] if flips else 0
        yield paid + float(stay[last]), (flips, paid, True)
        if len(flips) == cuts:
            return
        first = last + 1 if flips else 0
        before = paid + (stay[last] - stay[first:m])
        least = before + enter[len(flips) + 1][first:]
        for place in nearest(least, reach, most)[0].tolist():
            yield float(least[place]), ((*flips, first + place), float(before[place]), False)

    start: tuple[Flips, float, bool] = ((), ones, False)
    for loss, (flips, _, _) in in_order(start, ones, reach, branches):
        yield loss, flips


def _least_after_flips(gains: FloatArray, cuts: int, stays: list[FloatArray]) -> list[NDArray[Any]]:
    """Return, for each number of flips, the least cost from a point on if the last flip is there."""
    enter: list[NDArray[Any]] = [np.empty(0)] * (cuts + 1)
    rest = stays[cuts % 2]
    for j in range(cuts, 0, -1):
        enter[j] = (gains if j % 2 == 0 else 0.0) + rest[1:]
        stay = stays[(j - 1) % 2]
        gained = np.minimum.accumulate((enter[j] - stay[:-1])[::-1])[::-1]
        rest = stay + np.append(np.minimum(gained, 0.0), 0.0)
    return enter


def with_first(best: Flips, loss: float, others: Iterator[tuple[float, Flips]]) -> Iterator[tuple[float, Flips]]:
    """Yield the given best labelling first, then the others."""
    return chain([(loss, best)], ((cost, flips) for cost, flips in others if flips != best))


def labels_of(flips: Flips, points: int) -> NDArray[Any]:
    """Return the labels of a number of points.

    >>> labels_of((1, 3), 4).tolist()
    [0, 1, 1, 0]
    """
    changes = np.zeros(points, dtype=np.int64)
    changes[list(flips)] = 1
    return np.cumsum(changes) % 2


def best_labels(gains: NDArray[Any], cuts: int) -> BoolArray:
    """Return labels with at most this many changes, beginning with 0, whose 0s have the least sum of gains.

    Among equals, these have the fewest changes. Dynamic programming: ``least[k][i]`` is the least sum of the first i
    with k changes, the last of them before any of the first i + 1.

    >>> best_labels(np.array([2, -1, 3, -4, 1]), 2).tolist(), best_labels(np.array([2, -1, 3, -4, 1]), 5).tolist()
    ([True, True, True, False, False], [True, False, True, False, True])
    """
    below = np.concatenate([[0], np.cumsum(gains)])
    least = [below]
    for k in range(1, cuts + 1):
        paid = 0 if k % 2 else below
        least.append(np.minimum.accumulate(least[-1] - paid) + paid)
    labels, end = np.zeros(len(gains), dtype=np.bool_), len(gains)
    k = int(np.argmin([row[-1] for row in least]))
    while k:
        start = int((least[k - 1] - (0 if k % 2 else below))[: end + 1].argmin())
        labels[start:end] = k % 2
        end, k = start, k - 1
    return labels
