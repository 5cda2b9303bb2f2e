"""Reference implementations of learners and dimensions that are related to the paper's, slow and explicit.

As in ``paper``, a class is the list of its concepts, and nothing of adeptree is used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from typing import Any

from reproduction.reference.anytime_learner import log_beta
from reproduction.reference.listed_classes import Listed
from reproduction.reference.paper import Pairs, Prefix, StateMachine, Trace, extensions, share_of_ones

Experts = list[tuple[tuple[int, ...], float]]
"""A labelling of all rounds, and its prior mass."""


def experts(listed: Listed, A: StateMachine, xs: Sequence[Any]) -> Experts:
    """Return every labelling of all points that some concept has, with the KT mass of A's mistakes on it."""
    active = [Prefix(listed.all, A.start())]
    for x in xs:
        active = [u for u, _ in extensions(listed, A, active, x, len(listed.labels))]
    return [
        (tuple(map(int, f"{u.labels:0{len(xs)}b}")), math.exp(log_beta(u.mistakes, u.contested, 0.5))) for u in active
    ]


def sequence_loss(listed: Listed, pairs: Pairs, switches: int) -> int:
    """Return the loss of the best sequence of concepts with at most this many switches, by exhaustive search."""
    losses = {(s, c): 0 for s in range(switches + 1) for c in listed.all}
    for x, y in pairs:
        best = [min(losses[s, c] for c in listed.all) for s in range(switches + 1)]
        for s, c in product(reversed(range(switches + 1)), listed.all):
            came = min(losses[s, c], best[s - 1]) if s else losses[s, c]
            losses[s, c] = came + (listed.labels[c][listed.place(x)] != y)
    return min(losses.values())


def sharing(found: Experts, pairs: Pairs, eta: float, S: int) -> Trace:
    """Fixed share of Herbster and Warmuth over the labellings, 1/(t + 1) after round t: docs/theory/drift.md."""
    T, weights, trace, gap = len(pairs), [mass for _, mass in found], Trace(), 0.0
    for t, (_, y) in enumerate(pairs):
        p, alpha = share_of_ones(weights, [labels[t] for labels, _ in found]), 1 / (t + 2)
        loss = abs(p - y)
        gap += loss + math.log(1 - loss + loss * math.exp(-eta)) / eta
        fresh = [w * math.exp(-eta * (labels[t] != y)) for w, (labels, _) in zip(weights, found, strict=True)]
        total = math.fsum(fresh)
        weights = [(1 - alpha) * w + alpha * total * mass for w, (_, mass) in zip(fresh, found, strict=True)]
        trace.p.append(p)
    switching = math.log(T) + sum(math.log(T - j) for j in range(1, S + 1))
    cost = (S + 1) * max(-math.log(mass) for _, mass in found) + switching
    return Trace(trace.p, bound=min(cost / eta + gap, float(T)))


RATES = (15 / 16, 1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 1024)
OF_RATES = (1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 32)
STAYING = (1 / 8, 1 / 64, 1 / 512)
OF_SHARES = (1 / 2, 1 / 6, 1 / 6, 1 / 6)


def _always(share: float, t: int) -> float:
    return share


def sharing_at_all_rates(found: Experts, pairs: Pairs, S: int, least: int | None) -> Trace:
    """24 pairs of a rate and a share: docs/theory/drift.md, Theorem 2; ``least``: the loss of the best sequence."""
    shares: list[Callable[[int], float]] = [lambda t: 1 / (t + 1), *(partial(_always, a) for a in STAYING)]
    ways = list(product(RATES, shares))
    trace, losses = Trace(), list[float]()
    weights = [[one * other * mass for _, mass in found] for one, other in product(OF_RATES, OF_SHARES)]
    for t, (_, y) in enumerate(pairs):
        labels = [row[t] for row, _ in found]
        mixed = [math.fsum(eta * w[i] for (eta, _), w in zip(ways, weights, strict=True)) for i in range(len(found))]
        p = share_of_ones(mixed, labels)
        for way, (eta, share) in enumerate(ways):
            fresh = [w * (1 + eta * (abs(p - y) - (b != y))) for w, b in zip(weights[way], labels, strict=True)]
            alpha, total = share(t + 1), math.fsum(fresh)
            weights[way] = [(1 - alpha) * w + alpha * total * mass for w, (_, mass) in zip(fresh, found, strict=True)]
        trace.p.append(p)
        losses.append(abs(p - y))
    T = len(pairs)
    switching = math.log(T) + sum(math.log(T - j) for j in range(1, S + 1))
    each = [switching, *(S * math.log(1 / a) + (T - 1 - S) * math.log(1 / (1 - a)) for a in STAYING)]
    switching = min(cost - math.log(mass) for cost, mass in zip(each, OF_SHARES, strict=True))
    A = (S + 1) * max(-math.log(mass) for _, mass in found) + switching
    bounds = [float(T)]
    for eta, mass in zip(RATES, OF_RATES, strict=True):
        c = (-math.log(1 - eta) - eta) / eta**2
        beyond = [c * eta * math.fsum(max(loss, 1 - loss) ** 2 for loss in losses)]
        if least is not None:
            beyond.append(math.fsum(loss - math.log(1 + eta * loss) / eta for loss in losses) + c * eta * least)
        bounds.append((A - math.log(mass)) / eta + min(beyond))
    return Trace(trace.p, bound=min(bounds))


def transductive(listed: Listed, points: Sequence[Any], pairs: Pairs) -> Trace:
    """Hedge over all labellings of points that are known in advance, which are asked for prefix by prefix."""
    places = [listed.place(x) for x in dict.fromkeys(points)]
    widths = [len({tuple(row[i] for i in places[:n]) for row in listed.labels}) for n in range(len(places) + 1)]
    rows = sorted({tuple(row[i] for i in places) for row in listed.labels})
    eta, losses, trace = math.sqrt(8 * math.log(len(rows)) / len(pairs)), [0] * len(rows), Trace()
    for x, y in pairs:
        labels = [row[places.index(listed.place(x))] for row in rows]
        trace.p.append(share_of_ones([math.exp(-eta * loss) for loss in losses], labels))
        losses = [loss + (label != y) for loss, label in zip(losses, labels, strict=True)]
    bound = math.sqrt(len(pairs) * math.log(len(rows)) / 2)
    return Trace(trace.p, widths=[len(rows)], queries=[2 * width for width in widths[:-1]], bound=bound)


def least_mistakes(rows: Iterable[tuple[int, ...]]) -> int:
    """Return what the best learner without coins errs on these labellings, the points coming in their order."""
    kept = list(rows)
    if not kept or not kept[0]:
        return 0
    sides = [[row[1:] for row in kept if row[0] == label] for label in (0, 1)]
    if not all(sides):
        return least_mistakes(sides[0] or sides[1])
    zero, one = map(least_mistakes, sides)
    return min(max(zero, 1 + one), max(one, 1 + zero))  # (for either prediction, the worse label)


Losses = tuple[int, ...]


def values(table: Sequence[Sequence[int]], k: int, coins: bool) -> dict[Losses, float]:
    """Return what the best learner still errs for every state of a game in which some concept errs at most k times.

    A state is what each concept has lost, up to k + 1. Values grow from 0 round by round, until they stay.
    """
    states = [state for state in product(range(k + 2), repeat=len(table)) if min(state) <= k]
    value = dict.fromkeys(states, 0.0)
    while True:
        grown = {state: max(worth(value, table, k, state, x, coins) for x in range(len(table[0]))) for state in states}
        if max(abs(grown[state] - value[state]) for state in states) < 1e-13:
            return grown
        value = grown


def after(table: Sequence[Sequence[int]], k: int, state: Losses, x: int, y: int) -> Losses:
    """Return the state after a label."""
    return tuple(min(k + 1, loss + (row[x] != y)) for loss, row in zip(state, table, strict=True))


def worth(
    value: dict[Losses, float], table: Sequence[Sequence[int]], k: int, state: Losses, x: int, coins: bool
) -> float:
    """Return what a point is worth: the best guess against the worse of the labels that may come."""
    zero, one = (value.get(after(table, k, state, x, y)) for y in (0, 1))
    if zero is None or one is None:
        return (zero if one is None else one) or 0.0
    if coins and abs(zero - one) < 1:
        return (1 + zero + one) / 2
    return min(max(zero, 1 + one), max(one, 1 + zero)) if not coins else max(zero, one)


def chance(value: dict[Losses, float], table: Sequence[Sequence[int]], k: int, state: Losses, x: int) -> float:
    """Return how likely the best learner with coins says 1: so that both labels cost the same, if they can."""
    zero, one = (value.get(after(table, k, state, x, y)) for y in (0, 1))
    if zero is None or one is None:
        return float(zero is None)
    return min(1.0, max(0.0, (1 + one - zero) / 2))


def mistakes_under_bandit_feedback(table: Sequence[Sequence[int]]) -> int:
    """Return the mistakes of the best learner without coins that only learns if its guess was right."""
    labels = sorted({label for row in table for label in row})
    sets = [frozenset(i for i, kept in enumerate(bits) if kept) for bits in product((0, 1), repeat=len(table))]
    value = {left: 0 for left in sets if left}

    def point(x: int, left: frozenset[int]) -> int:
        def cost(guess: int) -> int:
            right = frozenset(i for i in left if table[i][x] == guess)
            wrong = left - right
            return max(value[right] if right else 0, 1 + value[wrong] if wrong else 0)

        return min(map(cost, labels))

    while True:
        grown = {left: max(point(x, left) for x in range(len(table[0]))) for left in value}
        if grown == value:
            return value[frozenset(range(len(table)))]
        value = grown
