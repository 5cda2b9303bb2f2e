"""Slow, explicit references, written from the paper alone: nothing here uses adeptree.

A class is a set of rows (tuples of 0/1, one entry per point) or a list of plain functions. A base learner is a
function of the labelled past and the point, so that nothing can be remembered wrongly between rounds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

Row = tuple[int, ...]
Rows = frozenset[Row]
Pairs = tuple[tuple[Any, int], ...]
Oracle = Callable[[Pairs], bool]
Base = Callable[[Pairs, Any], int]
Rate = Callable[[int, int, int], float]

# ------------------------------------------------------------------------------------------- numbers


def capacity(n: int, r: int) -> int:
    """W: the schedules of n rounds with at most r mistakes, as an exact integer."""
    return sum(math.comb(n, j) for j in range(r + 1))


def paper_rate(T: int, M: int, best: int) -> float:
    """eta = sqrt(8 M ln(eT/M) / T), with M read as T when larger, and 0 for M = 0."""
    m = min(M, T)
    return math.sqrt(8 * m * (1 + math.log(T / m)) / T) if m else 0.0


def first_order_rate(T: int, M: int, best: int) -> float:
    """eta_t = min{1/2, sqrt(ln N / (L* + 1))}."""
    return min(0.5, math.sqrt(math.log(capacity(T, M)) / (best + 1)))


def constant_rate(value: float) -> Rate:
    return lambda T, M, best: value


def regret_bound(T: int, M: int) -> float:
    m = min(M, T)
    return math.sqrt(T * m * (1 + math.log(T / m)) / 2) if m else 0.0


# --------------------------------------------------------------------------------- classes and bases


def consistent(rows: Rows, past: Pairs) -> Rows:
    return frozenset(row for row in rows if all(row[x] == y for x, y in past))


def oracle_of(rows: Rows) -> Oracle:
    """The weak-consistency oracle of a table."""

    @cache
    def realizable(sample: Pairs) -> bool:
        return any(all(row[x] == y for x, y in sample) for row in rows)

    return realizable


def always_yes(sample: Pairs) -> bool:
    return True


@cache
def ldim(rows: Rows) -> int:
    """The Littlestone dimension by its recursion; -1 for no row."""
    if len(rows) < 2:
        return len(rows) - 1
    best = 0
    for x in range(len(next(iter(rows)))):
        ones = frozenset(row for row in rows if row[x])
        if ones and ones != rows:
            best = max(best, 1 + min(ldim(ones), ldim(rows - ones)))
    return best


@cache
def vcdim(rows: Rows) -> int:
    """The VC dimension by trying every set of points."""
    if not rows:
        return -1
    columns = range(len(next(iter(rows))))
    size = 0
    while any(
        len({tuple(row[x] for x in chosen) for row in rows}) == 2 ** (size + 1)
        for chosen in itertools.combinations(columns, size + 1)
    ):
        size += 1
    return size


def soa(rows: Rows) -> Base:
    """Predict 1 iff the side that says 1 has strictly the larger dimension."""

    @cache
    def predict(past: Pairs, x: Any) -> int:
        space = consistent(rows, past)
        ones = frozenset(row for row in space if row[x])
        return int(ldim(ones) > ldim(space - ones))

    return predict


def halving(rows: Rows) -> Base:
    """Predict 1 iff strictly more rows say 1."""

    @cache
    def predict(past: Pairs, x: Any) -> int:
        space = consistent(rows, past)
        ones = sum(row[x] for row in space)
        return int(ones > len(space) - ones)

    return predict


def forced(base: Base, realizable: Oracle) -> Base:
    """Where only one label continues the past, predict that one."""

    @cache
    def predict(past: Pairs, x: Any) -> int:
        can0, can1 = realizable((*past, (x, 0))), realizable((*past, (x, 1)))
        return int(can1) if can0 != can1 else base(past, x)

    return predict


# ---------------------------------------------------------------------------------------- Algorithm 1


def schedules(T: int, M: int) -> list[Row]:
    """All I in {0,1}^T with at most M ones."""
    if T <= 12:
        return [flips for flips in itertools.product((0, 1), repeat=T) if sum(flips) <= M]
    raise ValueError("schedules are listed only for small T")


def algorithm1(
    stream: Sequence[tuple[Any, int]],
    T: int,
    M: int,
    base: Base,
    realizable: Oracle,
    rate: Rate = paper_rate,
    delete: bool = False,
) -> list[float]:
    """BPSS: Hedge over all mistake schedules; with ``delete``, unrealizable experts are removed at once."""
    learner = forced(base, realizable)
    pasts: dict[Row, Pairs] = {flips: () for flips in schedules(T, M)}
    losses = dict.fromkeys(pasts, 0)
    probabilities = []
    for t, (x, y) in enumerate(stream):
        eta = rate(T, M, min(losses[flips] for flips in pasts))
        labels = {flips: learner(past, x) ^ flips[t] for flips, past in pasts.items()}
        if delete:
            pasts = {flips: past for flips, past in pasts.items() if realizable((*past, (x, labels[flips])))}
        weights = {flips: math.exp(-eta * losses[flips]) for flips in pasts}
        ones = math.fsum(w for flips, w in weights.items() if labels[flips] == 1)
        probabilities.append(ones / math.fsum(weights.values()))
        for flips in pasts:
            losses[flips] += labels[flips] != y
        pasts = {flips: (*past, (x, labels[flips])) for flips, past in pasts.items()}
    return probabilities


# ---------------------------------------------------------------------------------------- Algorithm 2


def algorithm2(
    stream: Sequence[tuple[Any, int]],
    T: int,
    M: int,
    base: Base,
    realizable: Oracle,
    rate: Rate = paper_rate,
) -> tuple[list[float], list[dict[Row, tuple[int, int]]]]:
    """ADEPT to the letter: the probabilities, and V_t after every round as {prefix: (k, L)}."""
    learner = forced(base, realizable)
    xs = [x for x, _ in stream]
    active: dict[Row, tuple[int, int]] = {(): (0, 0)}
    probabilities, history = [], []
    for t, (x, y) in enumerate(stream, start=1):
        eta = rate(T, M, min(L for _, L in active.values()))
        following: dict[Row, tuple[int, int]] = {}
        weights: dict[Row, float] = {}
        for v, (k, L) in active.items():
            past = tuple(zip(xs, v, strict=False))
            p = learner(past, x)
            for b in (0, 1):
                if not realizable((*past, (x, b))):
                    continue
                if k + (b != p) <= M:
                    u = (*v, b)
                    following[u] = (k + (b != p), L + (b != y))
                    weights[u] = capacity(T - t, M - following[u][0]) * math.exp(-eta * L)
        ones = math.fsum(w for u, w in weights.items() if u[-1] == 1)
        probabilities.append(ones / math.fsum(weights.values()))
        active = following
        history.append(active)
    return probabilities, history
