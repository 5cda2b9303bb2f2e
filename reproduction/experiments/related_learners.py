"""Beyond the paper: learners for drift, known points, unknown order and coins, and their dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import adeptree as at
from adeptree import research
from adeptree.families.registry import default_base
from reproduction.experiment import Cell, Row, Verdict, column, groups, part
from reproduction.experiments.algorithms import listed_of
from reproduction.experiments.games import adversary, played
from reproduction.littlestone_variants import bandit_littlestone_dimension, k_littlestone_dimension
from reproduction.rand_soa import RandSOA
from reproduction.reference import related as slow
from reproduction.stats import ROUNDING, at_most, mean
from reproduction.unknown_order import OPEN, UnknownOrder

CONCEPTS, POINTS = 4, 4
"""Sizes of the small tables whose games are solved."""


def run(cell: Cell) -> Row:
    """Play one cell of a part."""
    return PARTS[cell["part"]](cell)


def _drift(cell: Cell) -> Row:
    c, S, eta, every = at.parse(cell["class"]), cell["switches"], 0.5, cell["rate"] == "all"
    listed, base = listed_of(c), default_base(c).bind(c)
    rate: Any = {} if every else {"rate": eta}
    learner = at.Adept(c, prior="kt", engine=cell["engine"], seed=cell["seed"], drift="sharing", **rate)
    game = played(learner, cell)
    pairs = [(r.x, r.y) for r in game]
    found, least = slow.experts(listed, base, [x for x, _ in pairs]), slow.sequence_loss(listed, pairs, S)
    known = least if S == 0 or cell["engine"] == "paths" else None
    trace = slow.sharing_at_all_rates(found, pairs, S, known) if every else slow.sharing(found, pairs, eta, S)
    bound = learner.sequence_bound(S)
    return {
        "p_gap": float(np.abs(game.column("p") - trace.p).max()),
        "loss_gap": 0 if known is None else abs(learner.sequence_loss(S) - least),
        "bound_gap": max(0.0, bound - trace.bound) / trace.bound if S == 0 else abs(bound - trace.bound) / trace.bound,
        "share": (game.expected_loss - least) / bound,
    }


def _transductive(cell: Cell) -> Row:
    c, T, rng = at.parse(cell["class"]), cell["T"], np.random.default_rng(cell["seed"])
    listed = listed_of(c)
    points = [c.random_instance(rng) for _ in range(cell["points"])]
    learner = research.Transductive(c, points, T, seed=cell["seed"])
    asked = learner.queries.asked
    game = at.play(learner, adversary(cell["stream"], c, T, points), seed=cell["seed"])
    trace = slow.transductive(listed, points, [(r.x, r.y) for r in game])
    distinct = [listed.place(x) for x in dict.fromkeys(points)]
    rank = slow.least_mistakes({tuple(row[i] for i in distinct) for row in listed.labels})
    return {
        "p_gap": float(np.abs(game.column("p") - trace.p).max()),
        "counts_gap": abs(learner.width - trace.widths[0]) + abs(asked - sum(trace.queries)) + abs(learner.rank - rank),
        "asked_later": learner.queries.asked - asked,
        "share": game.regret / trace.bound,
        "bound_gap": abs((learner.in_advance or 0.0) - trace.bound) / trace.bound,
    }


def _unknown_order(cell: Cell) -> Row:
    """Hide thresholds in a random order; the oracle returns the smallest rule that fits, the largest, or any."""
    n, ties, rng = cell["n"], cell["ties"], np.random.default_rng([cell["seed"], cell["n"]])
    place, cut, calls, opened = rng.permutation(n).tolist(), int(rng.integers(n + 1)), 0, n

    def find(sample: Any) -> Any:
        nonlocal calls, opened
        calls, opened = calls + 1, _open(learner)
        low = max([place[x] + 1 for x, y in sample if y], default=0)
        high = min([place[x] for x, y in sample if not y], default=n)
        if low > high:
            return None
        size = {"smallest": low, "largest": high, "any": int(rng.integers(low, high + 1))}[ties]
        return lambda x: int(place[x] < size)

    learner = UnknownOrder(at.OracleClass(find=find), range(n), seed=cell["seed"])
    mistakes, kept = 0, 0.0
    for x in rng.permutation(n).tolist():
        y = int(place[x] < cut)
        wrong = learner.predict_proba(x) != y
        used = learner.cut[x] != OPEN
        learner.learn(x, y)
        mistakes += wrong
        if wrong and used:
            kept = max(kept, _open(learner) / opened)
    return {"mistakes": mistakes, "calls": calls, "said": learner.queries.posed, "kept": kept}


def _open(learner: UnknownOrder) -> int:
    return int((learner.label == OPEN).sum())


def _coins(cell: Cell) -> Row:
    """Play RandSOA on a small random table, and solve all games on it."""
    k, rng = cell["k"], np.random.default_rng([cell["seed"], cell["k"]])
    rows = rng.permutation(2**POINTS)[:CONCEPTS]
    table = [[int(row >> x & 1) for x in range(POINTS)] for row in rows]
    c = at.FiniteClass(table)
    value, state, start = slow.values(table, k, coins=True), (0,) * CONCEPTS, (0,) * CONCEPTS
    learner, gap = RandSOA(c, k, seed=cell["seed"]), 0.0
    for _ in range(cell["T"]):
        x = int(rng.integers(POINTS))
        p = slow.chance(value, table, k, state, x)
        gap = max(gap, abs(p - learner.predict_proba(x)))
        y = int(p <= 0.5)
        if min(slow.after(table, k, state, x, y)) > k:
            y = 1 - y
        learner.learn(x, y)
        state = slow.after(table, k, state, x, y)
    three = rng.integers(3, size=(5, 3)).tolist()
    apart = [
        float(k_littlestone_dimension(c, k, randomized=True)) - value[start],
        float(k_littlestone_dimension(c, k)) - slow.values(table, k, coins=False)[start],
        bandit_littlestone_dimension(three) - slow.mistakes_under_bandit_feedback(three),
    ]
    return {
        "p_gap": gap,
        "dimension_gap": max(map(abs, apart)),
        "share": learner.expected_loss / value[start] if value[start] else 0.0,
        "bound_gap": max(0.0, learner.regret - learner.bound),
    }


PARTS: dict[str, Callable[[Cell], Row]] = {
    "drift": _drift, "transductive": _transductive, "order": _unknown_order, "coins": _coins
}  # fmt: skip


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """The learners match their pages, and their theorems hold."""
    for (engine, rate), members in groups(part(rows, "drift"), "engine", "rate").items():
        name = f"drift at {'all rates' if rate == 'all' else 'one rate'}, engine {engine}"
        yield at_most(f"difference in p, {name} and docs/theory/drift.md", column(members, "p_gap"), ROUNDING)
        if engine == "paths":
            claim = f"difference in the loss of the best sequence, {name}"
            yield at_most(claim, column(members, "loss_gap"), 0.0, "all sequences of concepts")
        yield at_most(f"difference in what is proven, {name}, relatively", column(members, "bound_gap"), ROUNDING)
        yield at_most(f"regret to the best sequence / what is proven, {name}", column(members, "share"), 1.0)
    if known := part(rows, "transductive"):
        yield at_most("difference in p, Transductive and Hedge over all labellings", column(known, "p_gap"), ROUNDING)
        claim = "difference in labellings, queries or rank, Transductive"
        yield at_most(claim, column(known, "counts_gap"), 0.0, "2 queries per prefix of the points; rank by all games")
        yield at_most("queries of Transductive after the first round", column(known, "asked_later"), 0.0)
        yield at_most("regret of Transductive / sqrt(T ln|V| / 2)", column(known, "share"), 1.0)
        yield at_most("difference to that promise, relatively", column(known, "bound_gap"), ROUNDING)
    if order := part(rows, "order"):
        yield from _of_order(order)
    if coins := part(rows, "coins"):
        yield at_most("difference in p, RandSOA and the best learner with coins", column(coins, "p_gap"), ROUNDING)
        claim = "difference in randomized, k- and bandit Littlestone dimension"
        yield at_most(claim, column(coins, "dimension_gap"), ROUNDING, "every game is solved round by round")
        yield at_most("expected mistakes of RandSOA / RL_k", column(coins, "share"), 1.0 + ROUNDING)
        yield at_most("regret of RandSOA beyond what it proves", column(coins, "bound_gap"), ROUNDING)


def _of_order(rows: Sequence[Row]) -> Iterator[Verdict]:
    note = f"n = {min(r['n'] for r in rows)}..{max(r['n'] for r in rows)}; the smallest rule, the largest, any"
    shares = [r["mistakes"] / (math.log(r["n"], 4 / 3) + 2) for r in rows]
    yield at_most("mistakes of UnknownOrder / (log_4/3 n + 2)", shares, 1.0, note)
    alike = groups(rows, "n", "ties").items()
    shares = [mean(column(some, "calls")) / (8 * math.log(n, 4 / 3)) for (n, _), some in alike]
    yield at_most("mean calls of UnknownOrder / 8 log_4/3 n", shares, 1.0, note)
    claim = "calls that UnknownOrder does not count"
    yield at_most(claim, [float(abs(r["calls"] - r["said"])) for r in rows], 0.0)
    yield at_most("share of the open points left by a mistake", column(rows, "kept"), 0.75, "the lemma of its proof")
