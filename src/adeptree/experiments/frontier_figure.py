"""The paper's figure "Expected regret vs. total oracle queries tradeoff", with measured points in it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from adeptree.experiments.experiment import Cell, Experiment, Row, Verdict, by_level, column, grid, groups, part
from adeptree.experiments.lower_bound import learner_named
from adeptree.experiments.played_streams import adversary
from adeptree.experiments.stats import at_most, mean, standard_error
from adeptree.families.blocks.block_unions import BlockUnions
from adeptree.games import play
from adeptree.games.block_reset import BlockReset
from adeptree.learners import Adept, LazyAdept
from adeptree.theory import bounds

STREAMS = ("greedy", "noise 30%")
EXPONENTS = (0.3, 0.5, 0.7, 0.9, 1.0)
"""c of LazyAdept; 1 is ADEPT itself, which commits every round."""


def settings(level: str) -> list[Cell]:
    """One class of dimension 1: budgeted learners against BlockReset, ADEPT and LazyAdept on hard streams."""
    T = by_level(level, 64, 600, 2500)
    budgets = sorted({0, 1, 2, 5, 10, math.isqrt(T)})
    low = {"part": "low", "learner": "recent leader", "Q": budgets, "T": T}
    high = {"part": "high", "stream": STREAMS, "c": EXPONENTS, "T": T}
    return grid(by_level(level, 4, 8, 20), low) + grid(by_level(level, 2, 4, 10), high)


def run(cell: Cell) -> Row:
    """Play one game: how many queries, how much regret."""
    T, seed = cell["T"], cell["seed"]
    if cell["part"] == "low":
        game = BlockReset(1)
        transcript = play(learner_named(cell["learner"], game.oracle, T, cell["Q"], seed), game, seed=seed)
        return {"queries": game.queries, "regret": transcript.expected_loss - game.best_loss(transcript)}
    blocks = BlockUnions(1)
    learner = Adept(blocks, T, seed=seed) if cell["c"] == 1 else LazyAdept(blocks, T, exponent=cell["c"], seed=seed)
    stream = adversary(cell["stream"], blocks, T, instances=_half_new)
    transcript = play(learner, stream, seed=seed)
    return {"queries": learner.queries.asked, "regret": transcript.regret}


def _half_new(rng: np.random.Generator) -> int:
    """Draw a new block (which makes paths, and so queries) or one of two known ones (which make regret)."""
    return int(rng.integers(1 << 40)) if rng.random() < 0.5 else -1 - int(rng.integers(2))


def check(rows: Sequence[Row]) -> list[Verdict]:
    """No budgeted point in the impossible region; each of ours within its theorem's queries and regret."""
    verdicts = [_outside_impossible(part(rows, "low"))]
    ours = part(rows, "high")
    T = ours[0]["T"]
    queries = [r["queries"] / bounds.tradeoff_queries(T, r["c"], 1) for r in ours]
    verdicts.append(at_most("queries of our points / 2 T Sauer(T^c)", queries, 1.0, f"T = {T}, c = 0.3..1 (ADEPT)"))
    regrets = [r["regret"] / bounds.tradeoff_regret(T, r["c"], 1, 1) for r in ours]
    note = "T^(1-c/2) sqrt(Ldim + (M+1) ln(eT)), the hidden constant taken as 1"
    verdicts.append(at_most("regret of our points / frontier's formula", regrets, 1.0, note))
    full = column([r for r in ours if r["c"] == 1], "regret")
    verdicts.append(at_most("regret of ADEPT's point", full, bounds.regret(T, 1), f"T = {T}, M = 1"))
    return verdicts


def _outside_impossible(rows: Sequence[Row]) -> Verdict:
    """Compare every budgeted point with the lower bound's line; show the closest."""
    T, margins = rows[0]["T"], {}
    for (Q,), members in groups(rows, "Q").items():
        regrets = column(members, "regret")
        margins[Q] = (mean(regrets), bounds.query_lower_bound(T, Q, 1), standard_error(regrets), min(regrets))
    held = all(measured >= bound - 3 * error for measured, bound, error, _ in margins.values())
    Q = min((Q for Q in margins if Q > 0 and margins[Q][1] > 0), key=lambda q: margins[q][0] / margins[q][1])
    measured, bound, error, worst = margins[Q]
    note = f"T = {T}, d = 1, {len(margins)} budgets; shown at Q = {Q}, where it comes closest (spread: s.e.)"
    claim = "no measured point in the impossible region (mean regret)"
    return Verdict(claim, ">=", bound, measured, worst, error, len(rows), held, note)


def points(rows: Sequence[Row]) -> list[tuple[str, float, float]]:
    """Return (label, mean queries, mean regret) of every measured point; ours at their hardest stream."""
    found = []
    for (Q,), members in groups(part(rows, "low"), "Q").items():
        found.append((f"Q = {Q}", mean(column(members, "queries")), mean(column(members, "regret"))))
    for (c,), members in groups(part(rows, "high"), "c").items():
        streams = groups(members, "stream").values()
        hardest = max(streams, key=lambda some: mean(column(some, "regret")))
        label = "ADEPT" if c == 1 else f"c = {c}"
        found.append((label, mean(column(hardest, "queries")), mean(column(hardest, "regret"))))
    return found


CLAIM = "Measured points lie outside the impossible region, and ours on or below the tradeoff frontier."
THEOREM = 'Figure "Expected regret vs. total oracle queries tradeoff"'
EXPERIMENT = Experiment("frontier", THEOREM, CLAIM, settings, run, check)
