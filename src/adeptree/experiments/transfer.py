"""The proof of the tradeoff, lemma by lemma: the sampled rounds stand for all, so regret on them is regret on all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import adeptree as at
from adeptree.experiments.experiment import Cell, Row, Verdict, column, groups, part
from adeptree.experiments.played_streams import adversary, played
from adeptree.experiments.stats import at_most, exponent, exponent_near, fitted, mean, spread, standard_error

DELTA = 0.1
"""How often an epsilon-approximation may fail."""
FINITE = 0.1
"""What a fitted exponent may be off for being fitted at finite T, on top of three standard errors: half of what lies
between c = 0.5 and c = 0.9."""


def run(cell: Cell) -> Row:
    """Play one game of the lazy learner; compare the sampled rounds with all."""
    c = at.parse(cell["class"])
    learner = at.LazyAdept(c, cell["T"], exponent=cell["c"], seed=cell["seed"])
    if cell["part"] == "growth":
        game = at.play(learner, adversary("greedy", c, cell["T"]), seed=cell["seed"])
        return {"regret": game.regret, "M": learner.inner.mistake_bound, "littlestone": c.littlestone_dimension}
    game = played(learner, cell)
    y, guess, p = (game.column(name).astype(float) for name in ("y", "guess", "p"))
    sampled = np.array(learner.sampled_rounds) - 1
    # z_t lies in E_h where the concept h errs, and in E_alg where the guess that was drawn errs.
    wrong = np.abs(_labels(c, [r.x for r in game]) - y)
    ours = np.abs(guess - y)
    by_concept = float(np.abs(wrong[:, sampled].mean(axis=1) - wrong.mean(axis=1)).max())
    by_us = float(abs(ours[sampled].mean() - ours.mean()))
    return {
        "K": learner.commits,
        "sampled": len(set(sampled.tolist())),
        "M": learner.inner.mistake_bound,
        "littlestone": c.littlestone_dimension,
        "epsilon": by_concept,
        "augmented": max(by_concept, by_us),
        "regret_of_all": float(game.realised_loss - game.best_loss) / cell["T"],
        "regret_of_sampled": float(ours[sampled].sum() - wrong[:, sampled].sum(axis=1).min()) / len(sampled),
        "expected_of_sampled": float(np.abs(p - y)[sampled].sum() - wrong[:, sampled].sum(axis=1).min()),
        "accounted": abs(game.realised_loss - ours.sum()) + abs(game.best_loss - wrong.sum(axis=1).min()),
        "middle": float(sampled.mean()) + 1,
    }


def _labels(c: Any, xs: Sequence[Any]) -> Any:
    finite = c.to_finite()
    return finite.table[:, [finite.column(x) for x in xs]].astype(float)


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """The uniform law, the transfer, the inner game, the sampling itself, and the exponent they give together."""
    games = part(rows, "games")
    if games:
        yield _law("Adversarial ULLN", games, "epsilon", 0)
        yield _law("Augmented AULLN", games, "augmented", 1)
        yield _shrinks(games)
        beyond = [r["regret_of_all"] - r["regret_of_sampled"] - 2 * r["augmented"] for r in games]
        note = f"{len(games)} games, each with its own epsilon; losses as drawn"
        yield at_most('Lemma "Regret Transfer": Reg_T/T - Reg_I/K - 2 epsilon', beyond, 1e-12, note)
        yield at_most("difference to the learner's own account of these losses", column(games, "accounted"), 0.0)
        inner = [r["expected_of_sampled"] / at.bounds.regret(r["K"], r["M"]) for r in games]
        yield at_most("expected regret on the sampled rounds / bound with horizon K", inner, 1.0, "all games")
    if sampling := part(rows, "sampling"):
        yield from _uniform(sampling)
    for (c,), members in groups(part(rows, "growth"), "c").items():
        horizons = sorted({r["T"] for r in members})
        formula = [at.bounds.tradeoff_regret(T, c, members[0]["littlestone"], members[0]["M"]) for T in horizons]
        own = exponent(horizons, formula)
        _, error = fitted(members, "regret")
        note = f"T = {horizons[0]}..{horizons[-1]}, greedy; 1 - c/2 = {1 - c / 2:.2f}, with its logarithm {own:.2f}"
        claim = f"exponent of lazy regret in T, c = {c}"
        yield exponent_near(claim, members, "regret", own, note, within=round(FINITE + 3 * error, 3))


def _law(name: str, rows: Sequence[Row], column_of: str, more: int) -> Verdict:
    """Say that epsilon is rarely beyond sqrt((Ldim + ln 1/delta) / K), the hidden constant taken as 1."""
    shares = [r[column_of] / math.sqrt((r["littlestone"] + more + math.log(1 / DELTA)) / r["K"]) for r in rows]
    often = mean([float(share > 1) for share in shares])
    allowed = DELTA + 3 * math.sqrt(DELTA * (1 - DELTA) / len(rows))
    sizes = f"{mean(shares):.2f} on average, {max(shares):.2f} at most"
    note = f"delta = {DELTA}; epsilon / sqrt((d + ln 1/delta)/K) is {sizes}"
    return Verdict(
        f'Lemma "{name}": share of games with a larger epsilon', "<=", round(allowed, 3), often, often, 0.0, len(rows),
        often <= allowed, note,
    )  # fmt: skip


def _shrinks(rows: Sequence[Row]) -> Verdict:
    """Say that epsilon shrinks like 1/sqrt(K)."""
    slope, error = fitted(rows, "epsilon", "K")
    within = round(3 * error, 3)
    note = "over K at one T; tolerance: three standard errors"
    claim = "exponent of epsilon in K"
    return Verdict(claim, "=", -0.5, slope, slope, error, len(rows), abs(slope + 0.5) <= within, note, within)


def _uniform(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Say that exactly K rounds are sampled, and that their mean is that of a uniform subset, and so is its spread."""
    missing = [float(abs(r["sampled"] - math.floor(r["T"] ** r["c"] + 1e-9))) for r in rows]
    yield at_most("sampled rounds: difference to K = floor(T^c)", missing, 0.0, "all games")
    # Of K of T rounds, drawn without replacement: mean (T + 1)/2, variance (T + 1)(T - K)/(12 K).
    scores = [
        (r["middle"] - (r["T"] + 1) / 2) / math.sqrt((r["T"] + 1) * (r["T"] - r["K"]) / (12 * r["K"])) for r in rows
    ]
    away, within = mean(scores), round(3 / math.sqrt(len(scores)), 3)
    note = f"in standard deviations of that of a uniform subset; {len(rows)} games"
    claim = "sampled rounds: mean position"
    yield Verdict(claim, "=", 0.0, away, away, standard_error(scores), len(scores), abs(away) <= within, note, within)
    wide, room = spread(scores), round(3 / math.sqrt(2 * (len(scores) - 1)), 3)
    claim = "sampled rounds: spread of that position"
    yield Verdict(claim, "=", 1.0, wide, wide, 0.0, len(scores), abs(wide - 1) <= room, note, room)
