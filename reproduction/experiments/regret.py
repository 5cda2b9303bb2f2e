"""Main theorem, regret: the expected regret of ADEPT is at most sqrt(T M ln(eT/M) / 2) on every stream."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

import adeptree as at
from reproduction.experiment import Cell, Row, Verdict, column, groups, part
from reproduction.experiments.games import curve, played
from reproduction.stats import at_most, fitted, near

DRAWS = 200
"""Streams of random labels, to know what they cost anybody."""


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
    claim = "expected regret / proven bound, worst round of any run"
    yield at_most(claim, column(rows, "worst_over_time"), 1.0, "after every round t, not only at t = T")
    for (spec,), members in groups(part(rows, "growth"), "class").items():
        yield _random_labels(spec, members)


def _random_labels(spec: str, rows: Sequence[Row]) -> Verdict:
    """Check that random labels cost sqrt(T), as for every learner: T/2 minus the best concept's loss.

    The best loss is simulated here many times, without a learner.
    """
    horizons = sorted({r["T"] for r in rows})
    rng, table = np.random.default_rng(0), _signs(at.parse(spec))
    drawn = []
    for T, seed in product(horizons, range(DRAWS)):
        walk = np.bincount(rng.integers(table.shape[1], size=T), 2.0 * rng.integers(2, size=T) - 1, table.shape[1])
        drawn.append({"T": T, "seed": seed, "best": float((table @ walk).max() / 2)})
    target, doubt = fitted(drawn, "best")
    slope, error = fitted(rows, "regret")
    note = f"T = {horizons[0]}..{horizons[-1]}, as T/2 - L* of {DRAWS} streams that nobody played"
    claim = f"exponent of regret in T, random labels, {spec}"
    return near(claim, slope, target, math.hypot(error, doubt), len(rows), note)


def _signs(c: Any) -> Any:
    """Return the labels of all concepts as -1 and 1."""
    return 2.0 * np.array(c.to_finite().table) - 1
