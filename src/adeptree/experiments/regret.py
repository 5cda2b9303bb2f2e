"""Main theorem, regret: the expected regret of ADEPT is at most sqrt(T M ln(eT/M) / 2) on every stream."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

import adeptree as at
from adeptree.experiments.experiment import Cell, Row, Verdict, column, groups, part
from adeptree.experiments.played_streams import curve, played
from adeptree.experiments.stats import at_most, exponent, exponent_near, mean, spread


def run(cell: Cell) -> Row:
    """Play one game; compare the regret after every round with what the proof gives for that round."""
    T = cell["T"]
    learner = at.Adept(at.parse(cell["class"]), T, seed=cell["seed"])
    game = played(learner, cell)
    # The proof stops at any t <= T: Reg_t <= ln N / eta + eta t / 8, which is the theorem at t = T.
    log_experts, rate = at.bounds.log_experts_bound(T, learner.mistake_bound or 0), learner.learning_rate
    over_time = np.array([at.bounds.regret_at_rate(t, log_experts, rate) for t in range(1, T + 1)])
    row: Row = {
        "M": learner.mistake_bound or 0,
        "regret": game.regret,
        "bound": learner.in_advance,
        "best_loss": game.best_loss,
        "worst_over_time": float((game.regrets / over_time).max()),
    }
    p = game.column("p")
    drawn = float((game.column("guess") - p).sum())
    row["coins"] = drawn / max(1e-9, float((p * (1 - p)).sum()) ** 0.5)
    if cell["part"] == "bound" and cell["seed"] == 0:
        row["curve"], row["bound_curve"] = curve(game.regrets.tolist()), curve(over_time.tolist())
    return row


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """The bound on every stream of every class, in every round; then the exponents."""
    for (spec,), members in groups(part(rows, "bound"), "class").items():
        # Recomputed, not read: a doctored bound in a row must not help.
        bound = at.bounds.regret(members[0]["T"], members[0]["M"])
        hardest = max(members, key=lambda r: float(r["regret"]))
        streams = len(groups(members, "stream"))
        note = f"T = {members[0]['T']}, M = {members[0]['M']}; {streams} streams, hardest: {hardest['stream']}"
        yield at_most(f"expected regret on {spec}", column(members, "regret"), bound, note)
    yield _coins(column(rows, "coins"))
    claim = "expected regret / proven bound, worst round of any run"
    yield at_most(claim, column(rows, "worst_over_time"), 1.0, "after every round t, not only at t = T")
    for (spec, stream), members in groups(part(rows, "growth"), "class", "stream").items():
        horizons = sorted({r["T"] for r in members})
        # With its logarithm the bound itself grows a little faster than sqrt(T) at these T.
        own = exponent(horizons, [at.bounds.regret(T, members[0]["M"]) for T in horizons])
        target = 0.5 if stream == "random labels" else own
        note = f"T = {horizons[0]}..{horizons[-1]}; the bound itself fits {own:.2f} there"
        claim = f"exponent of regret in T, {stream}, {spec}"
        yield exponent_near(claim, members, "regret", target, note)


def _coins(scores: Sequence[float]) -> Verdict:
    """Say that guesses are drawn with the chances that are told: sums of (guess - p) are as wide as coins'."""
    wide, within = spread(scores), round(3 / math.sqrt(2 * (len(scores) - 1)), 3)
    held = abs(wide - 1) <= within and abs(mean(scores)) <= 3 / math.sqrt(len(scores))
    note = f"sum of guess - p in a game, in standard deviations; mean {mean(scores):.2f}; within three standard errors"
    return Verdict(
        "guesses: spread against coins of these chances", "=", 1.0, wide, wide, 0.0, len(scores), held, note, within
    )
