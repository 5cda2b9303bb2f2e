"""The proof of the tradeoff, lemma by lemma: regret on the sampled rounds estimates regret on all rounds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import adeptree as at
from adeptree.games.adversaries import less_likely
from reproduction.experiment import Cell, Row, Verdict, column, groups, part
from reproduction.experiments.games import played
from reproduction.stats import ERRORS, ROUNDING, at_most, fitted, like_coins, mean, near

DELTA = 0.1
"""Probability with which an epsilon-approximation may fail."""
SHORT = 1_000
"""Rounds up to which a game is played twice: with rounds that are alike skipped, and without."""
DRAWN = 1 << 16
"""Coins that are drawn at once."""


def run(cell: Cell) -> Row:
    """Play one game of the lazy learner; compare the sampled rounds with all."""
    c = at.parse(cell["class"])
    prune = cell.get("prune", "now")
    learner = at.LazyAdept(c, cell["T"], exponent=cell["c"], seed=cell["seed"], prune=prune)
    if cell["part"] in ("growth", "alike"):
        return growth(cell, c, learner)
    game = played(learner, cell)
    y, guess, p = (game.column(name).astype(float) for name in ("y", "guess", "p"))
    sampled = np.array(learner.sampled_rounds) - 1
    # z_t lies in E_h where the concept h errs, and in E_alg where the guess that was drawn errs.
    wrong = np.abs(_labels(c, [r.x for r in game]) - y)
    ours = np.abs(guess - y)
    by_concept = approximation(wrong, sampled)
    return {
        "K": learner.commits,
        "sampled": len(set(sampled.tolist())),
        "M": learner.inner.mistake_bound,
        "littlestone": c.littlestone_dimension,
        "epsilon": by_concept,
        "augmented": max(by_concept, approximation(ours[np.newaxis], sampled)),
        "regret_of_all": float(game.realised_loss - game.best_loss) / cell["T"],
        "regret_of_sampled": float(ours[sampled].sum() - wrong[:, sampled].sum(axis=1).min()) / len(sampled),
        "expected_of_sampled": float(np.abs(p - y)[sampled].sum() - wrong[:, sampled].sum(axis=1).min()),
        "accounted": abs(game.realised_loss - ours.sum()) + abs(game.best_loss - wrong.sum(axis=1).min()),
        "middle": float(sampled.mean()) + 1,
        "coins": _coins(guess, p),
        "sampled_coins": _coins(guess[sampled], p[sampled]),
    }


def approximation(inside: Any, sampled: Any) -> float:
    """Return the least epsilon: how far the share of sampled rounds in a set (a row) is from that of all, at most.

    >>> approximation(np.array([[1, 0, 0, 0], [1, 1, 0, 0]]), np.array([2, 3]))
    0.5
    """
    return float(np.abs(inside[:, sampled].mean(axis=1) - inside.mean(axis=1)).max())


def _coins(guess: Any, p: Any) -> float:
    """Return how far the guesses are from coins of these chances, in standard deviations."""
    return float((guess - p).sum()) / max(1e-9, math.sqrt(float((p * (1 - p)).sum())))


def growth(cell: Cell, c: at.ConceptClass, learner: at.LazyAdept) -> Row:
    """Play Greedy on the points of the class in turn; short games are played round by round, too."""
    T, d, M = cell["T"], c.littlestone_dimension or 0, learner.inner.mistake_bound or 0
    regret = skipping(learner)
    row: Row = {"regret": regret, "less_logs": regret / math.sqrt(d + (M + 1) * (1 + math.log(T)))}
    if T <= SHORT:
        turns = itertools.cycle(_points(c))
        again = at.LazyAdept(c, T, exponent=cell["c"], seed=cell["seed"], prune=learner.prune)
        greedy = at.Greedy(c, instances=lambda rng: next(turns))
        row["apart"] = abs(at.play(again, greedy, seed=cell["seed"]).regret - regret) / regret
    return row


def _points(c: Any) -> list[Any]:
    return list(c.instances())


def skipping(learner: at.LazyAdept) -> float:
    """Return the regret of a game against Greedy, the points in turn: until the next commit the prediction at each
    point is constant.

    The learner's own coins say which rounds are committed, one per round as in a game that is played.
    """
    T, wanted, inner, coins = learner.horizon, learner.commits, learner.inner, learner._sampler
    points = _points(learner.concept_class)
    m, drawn = len(points), np.empty(0)
    t, ours, ones, zeros = 0, 0.0, np.zeros(m), np.zeros(m)
    while t < T:
        p = np.array([inner.speculate(x) for x in points])
        y, committed = np.array([less_likely(float(one)) for one in p]), False
        while t < T and not committed:
            drawn = drawn if len(drawn) else coins.random(min(DRAWN, T - t))
            ahead = drawn[: max(1, 4 * (T - t) // wanted)] if wanted else drawn
            taken = np.flatnonzero(ahead * (T - t - np.arange(len(ahead))) < wanted)
            committed, alike = len(taken) > 0, int(taken[0]) + 1 if len(taken) else len(ahead)
            often = alike // m + ((np.arange(m) - t) % m < alike % m)  # how often each point comes in these rounds
            drawn, t, ours = drawn[alike:], t + alike, ours + float(often @ np.abs(p - y))
            ones, zeros = ones + often * y, zeros + often * (1 - y)
        if committed:
            at_point = (t - 1) % m
            inner.learn(points[at_point], int(y[at_point]))
            wanted -= 1
    labels = _labels(learner.concept_class, points)
    return ours - float((labels @ zeros + (1 - labels) @ ones).min())


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
    if grown := [*part(rows, "growth"), *part(rows, "alike")]:
        yield from lazy_exponents(grown)


def lazy_exponents(rows: Sequence[Row], what: str = "lazy regret") -> Iterator[Verdict]:
    """Check that regret, divided by the root of the theorem that holds its logarithms, is T^(1-c/2)."""
    for (spec, c), members in groups(part(rows, "growth"), "class", "c").items():
        horizons = sorted({r["T"] for r in members})
        plain, _ = fitted(members, "regret")
        slope, error = fitted(members, "less_logs")
        K = f"K = {at.bounds.commits(horizons[0], c):,}..{at.bounds.commits(horizons[-1], c):,}"
        note = f"T = {horizons[0]:,}..{horizons[-1]:,}, {K}, greedy; {plain:.3f} with the logarithms"
        rules = "" if spec == "thresholds(n=1)" else f", {spec}"
        claim = f"exponent in T of {what} / sqrt(Ldim + (M+1) ln(eT)), c = {c}{rules}"
        yield near(claim, slope, 1 - c / 2, error, len(members), note)
    apart = [float(r["apart"]) for r in rows if "apart" in r]
    if not apart:
        return
    claim = f"difference to the same games played round by round, relatively{', late' if what != 'lazy regret' else ''}"
    yield at_most(claim, apart, ROUNDING, f"those of at most {SHORT:,} rounds")


def _law(name: str, rows: Sequence[Row], column_of: str, more: int) -> Verdict:
    """Check that epsilon is rarely beyond sqrt((Ldim + ln 1/delta) / K), the hidden constant taken as 1."""
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
    """Check that epsilon shrinks like 1/sqrt(K)."""
    slope, error = fitted(rows, "epsilon", "K")
    return near("exponent of epsilon in K", slope, -0.5, error, len(rows), "over K at one T")


def _uniform(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Check that exactly K rounds are sampled, with the mean and the spread of a uniform subset."""
    missing = [float(abs(r["sampled"] - math.floor(r["T"] ** r["c"] + 1e-9))) for r in rows]
    yield at_most("sampled rounds: difference to K = floor(T^c)", missing, 0.0, "all games")
    # Moments of K of T rounds, drawn without replacement: mean (T + 1)/2, variance (T + 1)(T - K)/(12 K).
    scores = [
        (r["middle"] - (r["T"] + 1) / 2) / math.sqrt((r["T"] + 1) * (r["T"] - r["K"]) / (12 * r["K"])) for r in rows
    ]
    note = f"in standard deviations of that of a uniform subset; {len(rows)} games"
    yield from like_coins("sampled rounds against a uniform subset, position", scores, note)
    note = "sum of guess - p in a game, in standard deviations; no two games share a coin"
    yield from like_coins("guesses against coins of the chances told", column(rows, "coins"), note)
    note = "the same of the sampled rounds alone: a guess does not know whether its round is sampled"
    yield from like_coins("guesses in sampled rounds against such coins", column(rows, "sampled_coins"), note)
