"""The paper's figure "Expected regret vs. total oracle queries tradeoff", with measured points in it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

import adeptree as at
from adeptree.families.registry import default_base
from reproduction.experiment import Cell, Row, Verdict, column, groups, part
from reproduction.experiments.cited import LEARNERS
from reproduction.experiments.games import adversary
from reproduction.experiments.lower_bound import budgeted_game, telling
from reproduction.experiments.query_counts import through_oracle
from reproduction.stats import at_most, mean, mean_at_least


def run(cell: Cell) -> Row:
    """Play one game: how many queries, how much regret."""
    T, c, seed = cell["T"], cell.get("c"), cell["seed"]
    if cell["part"] == "low":
        game, played = budgeted_game(cell["learner"], 1, T, cell["Q"], seed)
        return {"queries": game.queries, "regret": played.expected_loss - game.best_loss(played)}
    if cell["part"] == "posed":
        return _through_an_oracle(cell)
    blocks = at.BlockUnions(1)
    if cell["part"] == "cited":
        base = LEARNERS[cell["base"]](1)
        prior = {"prior": "kt"} if base.mistake_bound is None else {"horizon": T}
        learner: at.OnlineLearner = at.Adept(blocks, base=base, seed=seed, **prior)
    else:
        prune = "late" if cell["part"] == "late" else "now"
        adept = c == 1 and prune == "now"
        learner = at.Adept(blocks, T, seed=seed) if adept else at.LazyAdept(blocks, T, c, seed=seed, prune=prune)
    played = at.play(learner, adversary(cell["stream"], blocks, T, instances=_half_new), rounds=T, seed=seed)
    row: Row = {"queries": learner.queries.asked, "regret": played.regret}
    if cell["part"] == "cited":
        # Before each round, the labellings that some block has: one per block seen, and one that has none.
        xs = [r.x for r in played]
        labellings = sum(1 + len(set(xs[:t])) for t in range(T))
        row |= {"added": row["queries"] - 2 * labellings, "bound": learner.bound}
    return row


def _through_an_oracle(cell: Cell) -> Row:
    """Play ADEPT on a class that is known through its oracle alone, and count the calls that reach it."""
    known = at.parse(cell["class"])
    hidden = through_oracle(known, cell["oracle"])
    learner = at.Adept(hidden, cell["T"], base=default_base(known).bind(known), seed=cell["seed"])
    played = at.play(learner, adversary(cell["stream"], known, cell["T"]), seed=cell["seed"])
    return {"queries": learner.queries.posed, "asked": learner.queries.asked, "regret": played.regret}


def _half_new(rng: np.random.Generator) -> int:
    """Draw a new block (which makes paths, and so queries) or one of two known ones (which make regret)."""
    return int(rng.integers(1 << 40)) if rng.random() < 0.5 else -1 - int(rng.integers(2))


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """No budgeted point in the impossible region; each of ours within its theorem's queries and regret."""
    for (oracle,), members in groups(part(rows, "posed"), "oracle").items():
        T, spec = members[0]["T"], members[0]["class"]
        calls, asked = (mean(column(members, name)) for name in ("queries", "asked"))
        note = f"{spec}, T = {T}: {calls:,.0f} calls posed for {asked:,.0f} asked; of this class, not of all of VC 1"
        claim = f"calls posed / queries of the frontier at that regret, {ORACLES[oracle]}"
        yield at_most(claim, [r["queries"] / queries_at(T, r["regret"]) for r in members], 1.0, note)
    if cited := part(rows, "cited"):
        names = ", ".join(dict.fromkeys(r["base"] for r in cited))
        note = f"{names}; T = {cited[0]['T']}"
        claim = "queries of ADEPT with a cited base, less 2 x the labellings of each round"
        yield at_most(claim, column(cited, "added"), 0.0, note)
        shares = [r["regret"] / r["bound"] for r in cited]
        yield at_most("regret of ADEPT with a cited base / what is proven of it", shares, 1.0, note)
    if late := part(rows, "late"):
        T = late[0]["T"]
        shares = [r["queries"] / at.bounds.total_queries(at.bounds.commits(T, r["c"]), 1) for r in late]
        note = f"T = {T}, c = {min(column(late, 'c'))}..{max(column(late, 'c'))}"
        yield at_most("queries of points that prune late / 2 sum of Sauer(r)", shares, 1.0, note)
        inside = [r["queries"] / queries_at(T, r["regret"]) for r in late]
        note = f"T = {T}, with the regret of each point: below 1 it lies in the region that the paper leaves open"
        yield at_most("queries of points that prune late / queries of the frontier at that regret", inside, 1.0, note)
    if low := part(rows, "low"):
        yield _outside_impossible(low)
    if not (ours := part(rows, "high")):
        return
    T = ours[0]["T"]
    queries = [r["queries"] / at.bounds.tradeoff_queries(T, r["c"], 1) for r in ours]
    yield at_most("queries of our points / 2 T Sauer(T^c)", queries, 1.0, f"T = {T}, c = 0.3..1 (ADEPT)")
    regrets = [r["regret"] / at.bounds.tradeoff_regret(T, r["c"], 1, 1) for r in ours]
    note = "T^(1-c/2) sqrt(Ldim + (M+1) ln(eT)), the hidden constant taken as 1"
    yield at_most("regret of our points / frontier's formula", regrets, 1.0, note)
    full = column([r for r in ours if r["c"] == 1], "regret")
    yield at_most("regret of ADEPT's point", full, at.bounds.regret(T, 1), f"T = {T}, M = 1")


def queries_at(T: int, regret: float) -> float:
    """Return what the tradeoff frontier asks at a regret of T^(1 - c/2), constants forgotten: T^(1 + c), VC = 1.

    >>> round(queries_at(10_000, 1000.0)), queries_at(10_000, 5.0) == 10_000**2
    (1000000, True)
    """
    c = min(1.0, 2 - 2 * math.log(max(1.0, regret), T))
    return float(T ** (1 + c))


def _outside_impossible(rows: Sequence[Row]) -> Verdict:
    """Compare every budgeted point with the lower bound's line; show the closest."""
    T, claim = rows[0]["T"], "no measured point in the impossible region (mean regret)"
    found = {
        Q: mean_at_least(claim, column(members, "regret"), at.bounds.query_lower_bound(T, Q, 1))
        for (Q,), members in groups(rows, "Q").items()
    }
    Q = min(telling(1, found), key=lambda Q: found[Q].ratio)
    note = f"T = {T}, d = 1, {len(found)} budgets; shown at Q = {Q}, where it comes closest (spread: s.e.)"
    error, held = found[Q].spread / math.sqrt(found[Q].runs), all(verdict.held for verdict in found.values())
    return replace(found[Q], spread=error, runs=len(rows), held=held, note=note)


ORACLES = {"cubes": "an oracle that returns concepts", "bits": "a yes/no oracle"}


def points(rows: Sequence[Row]) -> list[tuple[str, float, float]]:
    """Return (label, mean queries, mean regret) of every measured point; ours at their hardest stream."""
    shown = {f"Q = {Q}": members for (Q,), members in groups(part(rows, "low"), "Q").items()}
    for (c,), members in groups(part(rows, "high"), "c").items():
        streams = groups(members, "stream").values()
        shown["ADEPT" if c == 1 else f"c = {c}"] = max(streams, key=lambda some: mean(column(some, "regret")))
    for (c,), members in groups(part(rows, "late"), "c").items():
        streams = groups(members, "stream").values()
        shown[f"late, c = {c}"] = max(streams, key=lambda some: mean(column(some, "regret")))
    for (oracle,), members in groups(part(rows, "posed"), "oracle").items():
        shown[f"posed, {oracle}"] = members
    for (base,), members in groups(part(rows, "cited"), "base").items():
        shown[f"with {base}"] = members
    return [(name, mean(column(some, "queries")), mean(column(some, "regret"))) for name, some in shown.items()]
