"""Theorem P: deferred pruning asks in committed rounds only, for a regret of the lazy learner's order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import adeptree as at
from reproduction.experiment import Cell, Row, Verdict, groups, part
from reproduction.experiments.games import played, played_on_new_points
from reproduction.experiments.transfer import growth, lazy_exponents
from reproduction.stats import at_most, exponent, mean, near
from reproduction.voting_learners import MajorityPruning


def run(cell: Cell) -> Row:
    """Play one game of the lazy learner that prunes late."""
    T, c, concepts = cell["T"], cell["c"], at.parse(cell["class"])
    known, options = concepts, {"exponent": c, "seed": cell["seed"], "prune": "late"}
    if cell["part"] == "oracle":  # known by its oracle alone: the base learner follows concepts that commits found
        known = at.OracleClass(find=_find(concepts), vc_dimension=concepts.vc_dimension)
        options |= {"base": MajorityPruning(1), "mistake_bound": cell["M"], "on_excess": "prune"}
    learner = at.LazyAdept(known, T, **options)
    if cell["part"] in ("growth", "alike"):
        return growth(cell, concepts, learner)
    game: Any = played_on_new_points(learner, concepts, cell) if cell["part"] == "calls" else None
    if cell["part"] == "oracle":
        twin = at.play(at.Hedge(concepts, T), at.Stochastic(concepts, noise=0.1), rounds=T, seed=cell["seed"])
        game = at.play(learner, [(r.x, r.y) for r in twin])
    game = game or played(learner, cell)
    sampled = learner.sampled_rounds
    of_sample = float(sum(game.losses[t - 1] for t in sampled)) - learner.inner.best_loss
    return {
        "K": learner.commits,
        "d_vc": concepts.vc_dimension,
        "littlestone": concepts.littlestone_dimension,
        "M": learner.inner.mistake_bound,
        "asked": learner.queries.asked,
        "regret": game.regret,
        "of_sample": of_sample,
    }


def _find(concepts: at.ConceptClass) -> Any:
    return lambda sample: concepts.find(sample)


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Queries within 2 sum Sauer(r), exact on new points; regret within the bound, for every c, and its exponent."""
    if grown := [*part(rows, "growth"), *part(rows, "alike")]:
        yield from lazy_exponents(grown, "regret with late pruning")
    rows = [r for r in rows if r["part"] not in ("growth", "alike")]
    shares = [r["asked"] / at.bounds.total_queries(r["K"], r["d_vc"]) for r in rows]
    if shares:
        yield at_most("queries / 2 sum of Sauer(r, VC), r < K", shares, 1.0, "every game; K = floor(T^c)")
    if exact := [r["asked"] - at.bounds.total_queries(r["K"], r["d_vc"]) for r in part(rows, "calls")]:
        yield at_most("distance from it on different points", [abs(x) for x in exact], 0.0, "whatever rounds are drawn")
    for (spec, c), members in groups(part(rows, "calls"), "class", "c").items():
        horizons, d = sorted({r["T"] for r in members}), members[0]["d_vc"]
        asked = [mean([r["asked"] for r in members if r["T"] == T]) for T in horizons]
        own = exponent(horizons, [at.bounds.total_queries(at.bounds.commits(T, c), d) for T in horizons])
        note = f"T = {horizons[0]}..{horizons[-1]}; towards c (VC + 1) = {c * (d + 1):.1f}"
        yield near(
            f"exponent of queries in T, c = {c}, {spec}", exponent(horizons, asked), own, 0.0, len(members), note
        )
    for (spec, stream), members in groups(part(rows, "regret"), "class", "stream").items():
        bound = [r["regret"] / at.bounds.tradeoff_regret(r["T"], r["c"], r["littlestone"], r["M"]) for r in members]
        cs = ", ".join(str(c) for c in sorted({r["c"] for r in members}))
        yield at_most(
            f"expected regret / formula of the theorem, {spec}, {stream}", bound, 1.0, f"c = {cs}; constant 1"
        )
    if sample := [r["of_sample"] / at.bounds.regret(r["K"], r["M"]) for r in part(rows, "regret")]:
        yield at_most("regret on the committed rounds / sqrt(K M ln(eK/M)/2)", sample, 1.0, "every game")
    if members := part(rows, "oracle"):
        known = [r["regret"] / at.bounds.tradeoff_regret(r["T"], r["c"], r["littlestone"], r["M"]) for r in members]
        note = f"MajorityPruning on concepts of a user's find; M = {members[0]['M']}, paths beyond it are pruned"
        yield at_most("expected regret / formula of the theorem, known by find alone", known, 1.0, note)
