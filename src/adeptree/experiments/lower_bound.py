"""Theorem "Lower Bound for Bounded Query Algorithms": Q queries cost T/2 min(1, d/(Q+1)) - Q/2 of regret."""

from __future__ import annotations

import math
from collections.abc import Sequence

from adeptree.core.errors import InvalidArgument, got
from adeptree.experiments.experiment import Cell, Experiment, Row, Verdict, by_level, grid, groups
from adeptree.experiments.stats import at_most, mean, mean_at_least
from adeptree.games import play
from adeptree.games.block_reset import BlockReset
from adeptree.learners import OnlineLearner
from adeptree.learners.budgeted import BudgetedLeader, Guesser, budgeted_lazy_adept
from adeptree.roles.concept_class import ConceptClass
from adeptree.theory import bounds

LEARNERS = ("guesser", "leader", "recent leader", "lazy ADEPT")
DIMENSIONS = (1, 2, 4)


def settings(level: str) -> list[Cell]:
    """Every learner, d = 1, 2, 4 and Q from 0 to sqrt(T); one cell plays several games."""
    T = by_level(level, 64, 400, 2500)
    budgets = sorted({0, 1, 2, 4, 8, math.isqrt(T) * 7 // 10, math.isqrt(T)})
    dimensions, games = by_level(level, DIMENSIONS[:1], DIMENSIONS), by_level(level, 6, 12, 20)
    cells = grid(by_level(level, 1, 1, 5), {"learner": LEARNERS, "d": dimensions, "Q": budgets, "T": T, "games": games})
    # Who never asks plays the same game whatever it may ask.
    return [c for c in cells if c["learner"] != "guesser" or c["Q"] in (budgets[0], budgets[-1])]


def run(cell: Cell) -> Row:
    """Play the games of a cell; the regret of each is exact in the learner's own coins."""
    regrets, asked = [], []
    for number in range(cell["games"]):
        seed = cell["seed"] * cell["games"] + number
        game = BlockReset(cell["d"])
        learner = learner_named(cell["learner"], game.oracle, cell["T"], cell["Q"], seed)
        transcript = play(learner, game, seed=seed)
        regrets.append(transcript.expected_loss - game.best_loss(transcript))
        asked.append(game.queries)
    return {"regrets": regrets, "most_queries": max(asked)}


def learner_named(name: str, oracle: ConceptClass, T: int, Q: int, seed: int) -> OnlineLearner:
    """Return the budgeted learner of a name."""
    if name == "guesser":
        return Guesser(oracle, T, budget=Q, seed=seed)
    if name in ("leader", "recent leader"):
        return BudgetedLeader(oracle, T, Q, recent=name == "recent leader", seed=seed)
    if name == "lazy ADEPT":
        return budgeted_lazy_adept(oracle, T, Q, commits=max(1, math.isqrt(Q) // 2), seed=seed)
    raise InvalidArgument(f"learner must be one of {', '.join(LEARNERS)}; {got('learner', name)}")


def check(rows: Sequence[Row]) -> list[Verdict]:
    """Mean regret of every learner at every Q, and nobody asked more than Q."""
    verdicts = []
    for (d, learner), members in groups(rows, "d", "learner").items():
        verdicts.append(_tightest(d, learner, members))
    over = [float(row["most_queries"] - row["Q"]) for row in rows]
    verdicts.append(at_most("queries over the budget, any game", over, 0.0, "counted by the adversary itself"))
    return sorted(verdicts, key=lambda v: v.relation == "<=")


def _tightest(d: int, learner: str, rows: Sequence[Row]) -> Verdict:
    """Return the verdict on one learner, shown at the budget where it comes closest to the bound."""
    at = {}
    for (Q,), members in groups(rows, "Q").items():
        regrets = [float(r) for row in members for r in row["regrets"]]
        at[Q] = mean_at_least("", regrets, bounds.query_lower_bound(rows[0]["T"], Q, d))
    broken = [Q for Q, verdict in at.items() if not verdict.held]
    # Below Q = d the bound is about T/2, which any learner pays; beyond sqrt(dT) it says nothing.
    telling = [Q for Q, verdict in at.items() if Q >= d and verdict.bound > 0] or [0]
    shown = broken[0] if broken else min(telling, key=lambda Q: at[Q].mean / at[Q].bound)
    note = f"T = {rows[0]['T']}, Q = {min(at)}..{max(at)}; shown at Q = {shown}, where it comes closest"
    if broken:
        note = f"T = {rows[0]['T']}; fails at Q = {', '.join(map(str, broken))}"
    seen = at[shown]
    claim = f"mean regret against BlockReset(d={d}), {learner}"
    return Verdict(claim, ">=", seen.bound, seen.mean, seen.worst, seen.spread, seen.runs, not broken, note)


def mean_regret(rows: Sequence[Row]) -> float:
    """Return the mean over all games of these rows."""
    return mean([float(r) for row in rows for r in row["regrets"]])


CLAIM = "Any learner with at most Q queries has expected regret at least T/2 min(1, d/(Q+1)) - Q/2 on some class."
THEOREM = 'Theorem "Lower Bound for Bounded Query Algorithms with an ERM oracle"'
EXPERIMENT = Experiment("lower-bound", THEOREM, CLAIM, settings, run, check)
