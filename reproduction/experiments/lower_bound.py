"""Theorem "Lower Bound for Bounded Query Algorithms": Q queries cost T/2 min(1, d/(Q+1)) - Q/2 of regret."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import adeptree as at
from reproduction.block_reset import BlockReset
from reproduction.budgeted_learners import BudgetedLeader, Guesser, budgeted_lazy_adept
from reproduction.experiment import Cell, Row, Verdict, groups
from reproduction.stats import at_most, mean_at_least


def _lazy(oracle: Any, T: int, Q: int, seed: int) -> Any:
    return budgeted_lazy_adept(oracle, T, Q, commits=max(1, math.isqrt(Q) // 2), seed=seed)


LEARNERS: dict[str, Any] = {
    "guesser": Guesser,
    "leader": BudgetedLeader,
    "recent leader": partial(BudgetedLeader, recent=True),
    "early leader": partial(BudgetedLeader, every=8),  # it would know all by round 9, were there no resets
    "lazy ADEPT": _lazy,
}


def budgeted_game(
    name: str, d: int, T: int, Q: int, seed: int, record: bool = False
) -> tuple[BlockReset, at.Transcript]:
    """Play a learner of at most Q queries against the adversary of the theorem."""
    game = BlockReset(d, record=record)
    return game, at.play(LEARNERS[name](game.oracle, T, Q, seed=seed), game, seed=seed)


def run(cell: Cell) -> Row:
    """Play the games of a cell; the regret of each is exact in the learner's own coins."""
    first = cell["seed"] * cell["games"]
    games = [
        budgeted_game(cell["learner"], cell["d"], cell["T"], cell["Q"], seed)
        for seed in range(first, first + cell["games"])
    ]
    regrets = [played.expected_loss - game.best_loss(played) for game, played in games]
    row: Row = {"regrets": regrets, "most_queries": max(game.queries for game, _ in games)}
    if cell["seed"] == 0:
        row["phases_curves"] = phases(*games[0])
    return row


def phases(game: BlockReset, played: at.Transcript) -> dict[str, list[float]]:
    """Return of each phase: its last round, what the learner and the best concept lost in it, and its 1s."""
    ends = [t for t in game.query_rounds if 0 < t < len(played)] + [len(played)]
    best, losses = game.judge([(r.x, r.y) for r in played]), played.losses
    told: dict[str, list[float]] = {"end": [float(end) for end in ends], "ours": [], "best": [], "ones": []}
    start = 0
    for end in ends:
        rounds = list(played)[start:end]
        told["ours"].append(round(float(losses[start:end].sum()), 3))
        told["best"].append(float(sum(best(r.x) != r.y for r in rounds)))
        told["ones"].append(float(sum(r.y for r in rounds)))
        start = end
    return told


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Mean regret of every learner at every Q, with at most Q queries."""
    for (d, learner), members in groups(rows, "d", "learner").items():
        yield _tightest(d, learner, members)
    over = [float(row["most_queries"] - row["Q"]) for row in rows]
    yield at_most("queries over the budget, any game", over, 0.0, "counted by the adversary itself")


def by_budget(rows: Sequence[Row]) -> dict[int, Verdict]:
    """Return for each Q whether the mean regret is as large as the bound says; the rows are of one learner and d."""
    T, d = rows[0]["T"], rows[0]["d"]
    return {
        Q: mean_at_least("", regrets_of(members), at.bounds.query_lower_bound(T, Q, d))
        for (Q,), members in groups(rows, "Q").items()
    }


def telling(d: int, found: dict[int, Verdict]) -> list[int]:
    """Return the budgets at which the bound says something.

    Below Q = d it is about T/2, which any learner pays; beyond sqrt(dT) it says nothing.
    """
    return [Q for Q, verdict in found.items() if Q >= d and verdict.bound > 0]


def _tightest(d: int, learner: str, rows: Sequence[Row]) -> Verdict:
    """Return the verdict on one learner, shown at the budget where it comes closest to the bound."""
    found = by_budget(rows)
    broken = [Q for Q, verdict in found.items() if not verdict.held]
    shown = broken[0] if broken else min(telling(d, found) or [0], key=lambda Q: found[Q].ratio)
    note = f"T = {rows[0]['T']}, Q = {min(found)}..{max(found)}; shown at Q = {shown}, where it comes closest"
    if broken:
        note = f"T = {rows[0]['T']}; fails at Q = {', '.join(map(str, broken))}"
    return replace(found[shown], claim=f"mean regret against BlockReset(d={d}), {learner}", held=not broken, note=note)


def regrets_of(rows: Sequence[Row]) -> list[float]:
    """Return the regret of every game of these rows."""
    return [float(regret) for row in rows for regret in row["regrets"]]
