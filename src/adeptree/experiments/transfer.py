"""The proof of the tradeoff, lemma by lemma: the sampled rounds stand for all, so regret on them is regret on all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import adeptree as at
from adeptree.experiments.experiment import Cell, Row, Verdict, column, groups, part
from adeptree.experiments.played_streams import adversary, played
from adeptree.experiments.stats import ERRORS, at_most, fitted, like_coins, mean, near

DELTA = 0.1
"""How often an epsilon-approximation may fail."""


def run(cell: Cell) -> Row:
    """Play one game of the lazy learner; compare the sampled rounds with all."""
    c = at.parse(cell["class"])
    learner = at.LazyAdept(c, cell["T"], exponent=cell["c"], seed=cell["seed"])
    if cell["part"] == "growth":
        game = at.play(learner, adversary("greedy", c, cell["T"]), seed=cell["seed"])
        return {"regret": game.regret, "M": learner.inner.mistake_bound, "littlestone": c.littlestone_dimension}
    game = played(learner, cell)
    y, guess, p = (game.column(name).astype(float) for name in ("y", "guess", "p"))
    coins = float((guess - p).sum()) / max(1e-9, float((p * (1 - p)).sum()) ** 0.5)
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
        "coins": coins,
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
    if growth := part(rows, "growth"):
        yield _lazy_exponent(growth)


def _lazy_exponent(rows: Sequence[Row]) -> Verdict:
    """Say that the exponent 1 - c/2 falls by half of what c gains.

    Logarithms and small T raise the exponents of all c alike, and cancel in what lies between them.
    """
    found = {c: fitted(members, "regret") for (c,), members in groups(rows, "c").items()}
    away = [c - mean(list(found)) for c in found]
    weights = [a / sum(b * b for b in away) for a in away]  # (of a least-squares line)
    slope = sum(w * b for w, (b, _) in zip(weights, found.values(), strict=True))
    error = math.hypot(*(w * e for w, (_, e) in zip(weights, found.values(), strict=True)))
    shown = ", ".join(f"{b:.2f} ± {e:.2f} at c = {c} (1 - c/2 = {1 - c / 2:.2f})" for c, (b, e) in found.items())
    note = f"T up to {max(r['T'] for r in rows)}, greedy; exponents of T: {shown}"
    return near("exponent of lazy regret in T, per unit of c", slope, -0.5, error, len(rows), note)


def _law(name: str, rows: Sequence[Row], column_of: str, more: int) -> Verdict:
    """Say that epsilon is rarely beyond sqrt((Ldim + ln 1/delta) / K), the hidden constant taken as 1."""
    shares = [r[column_of] / math.sqrt((r["littlestone"] + more + math.log(1 / DELTA)) / r["K"]) for r in rows]
    often = mean([float(share > 1) for share in shares])
    allowed = DELTA + ERRORS * math.sqrt(DELTA * (1 - DELTA) / len(rows))
    sizes = f"{mean(shares):.2f} on average, {max(shares):.2f} at most"
    note = f"delta = {DELTA}; epsilon / sqrt((d + ln 1/delta)/K) is {sizes}"
    return Verdict(
        f'Lemma "{name}": share of games with a larger epsilon', "<=", round(allowed, 3), often, often, 0.0, len(rows),
        often <= allowed, note,
    )  # fmt: skip


def _shrinks(rows: Sequence[Row]) -> Verdict:
    """Say that epsilon shrinks like 1/sqrt(K)."""
    slope, error = fitted(rows, "epsilon", "K")
    return near("exponent of epsilon in K", slope, -0.5, error, len(rows), "over K at one T")


def _uniform(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Say that exactly K rounds are sampled, and that their mean is that of a uniform subset, and so is its spread."""
    missing = [float(abs(r["sampled"] - math.floor(r["T"] ** r["c"] + 1e-9))) for r in rows]
    yield at_most("sampled rounds: difference to K = floor(T^c)", missing, 0.0, "all games")
    # Of K of T rounds, drawn without replacement: mean (T + 1)/2, variance (T + 1)(T - K)/(12 K).
    scores = [
        (r["middle"] - (r["T"] + 1) / 2) / math.sqrt((r["T"] + 1) * (r["T"] - r["K"]) / (12 * r["K"])) for r in rows
    ]
    note = f"in standard deviations of that of a uniform subset; {len(rows)} games"
    yield from like_coins("sampled rounds against a uniform subset, position", scores, note)
    note = "sum of guess - p in a game, in standard deviations; no two games share a coin"
    yield from like_coins("guesses against coins of the chances told", column(rows, "coins"), note)
