"""Theorem "Oracle-Regret Tradeoff": T^(1 + c VC) queries for regret of order T^(1 - c/2)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from adeptree import bounds
from adeptree.experiments.core import Cell, Experiment, Row, Verdict, by_level, column, grid, groups
from adeptree.experiments.stats import at_most, exponent_near, mean, standard_error
from adeptree.experiments.streams import adversary, random_pairs
from adeptree.experiments.width import points_of
from adeptree.games import play
from adeptree.learners import LazyAdept
from adeptree.specs import parse

EXPONENTS = (0.3, 0.5, 0.7, 0.9)
COUNTED = {"thresholds(n=65536)": 1, "blocks(d=2)": 2}
"""Classes on which calls are counted, with their VC dimension."""
HORIZONS = {
    1: {"tiny": [100, 400], "quick": [500, 2000, 8000], "full": [500, 1000, 2000, 4000, 8000, 16000]},
    2: {"tiny": [60, 180], "quick": [150, 400, 1000], "full": [150, 300, 600, 1200]},
}


def settings(level: str) -> list[Cell]:
    """Calls for growing T; regret at one T on noisy streams."""
    calls = [
        {"part": "calls", "class": spec, "c": c, "T": T}
        for spec, d in COUNTED.items()
        for c in by_level(level, EXPONENTS[1:2], EXPONENTS, EXPONENTS)
        for T in HORIZONS[d][level]
    ]
    noisy = [
        {"part": "regret", "class": "thresholds(n=255)", "stream": stream, "c": c, "T": by_level(level, 200, 2000, 8000)}
        for stream in ("noise 10%", "random labels")
        for c in EXPONENTS
    ]
    return grid(by_level(level, 1, 1, 3), calls) + grid(by_level(level, 6, 10, 40), noisy)


def run(cell: Cell) -> Row:
    """Play one game of the lazy learner."""
    concept_class, T, seed = parse(cell["class"]), cell["T"], cell["seed"]
    learner = LazyAdept(concept_class, T, exponent=cell["c"], seed=seed)
    if cell["part"] == "calls":
        game = play(learner, random_pairs(points_of(concept_class, T), T, seed))
    else:
        game = play(learner, adversary(cell["stream"], concept_class, T), seed=seed)
    return {
        "K": learner.commits,
        "d_vc": concept_class.vc_dimension,
        "littlestone": concept_class.littlestone_dimension,
        "M": learner.inner.mistake_bound,
        "asked": learner.queries.asked,
        "regret": game.regret,
    }


def check(rows: Sequence[Row]) -> list[Verdict]:
    """Calls within 2 T Sauer(K) and of the right exponent; regret falls as c grows."""
    verdicts = []
    for (spec, c), members in groups([r for r in rows if r["part"] == "calls"], "class", "c").items():
        d, horizons = members[0]["d_vc"], sorted({r["T"] for r in members})
        note = f"T = {horizons[0]}..{horizons[-1]}, VC dimension {d}"
        claim = f"exponent of calls in T, c = {c}, {spec}"
        verdicts.append(exponent_near(claim, members, "asked", 1 + c * d, note))
    shares = [r["asked"] / (2 * r["T"] * bounds.sauer(r["K"], r["d_vc"])) for r in rows]
    verdicts.append(at_most("calls / 2 T Sauer(K, VC)", shares, 1.0, "K = floor(T^c) commits"))
    for (stream,), members in groups([r for r in rows if r["part"] == "regret"], "stream").items():
        verdicts.append(_falls(stream, members))
        verdicts.append(_formula(stream, members))
    return verdicts


def _falls(stream: str, rows: Sequence[Row]) -> Verdict:
    """Say that the mean regret falls from each c to the next; three standard errors of doubt are allowed."""
    by_c = {key[0]: column(members, "regret") for key, members in sorted(groups(rows, "c").items())}
    steps = list(by_c.values())
    rises = [
        mean(later) - mean(sooner) - 3 * math.hypot(standard_error(sooner), standard_error(later))
        for sooner, later in zip(steps, steps[1:], strict=False)
    ]
    # From the first c to the last the fall must be beyond doubt, not just possible.
    doubt = 3 * math.hypot(standard_error(steps[0]), standard_error(steps[-1]))
    held = max(rises) <= 0 and mean(steps[-1]) + doubt < mean(steps[0])
    shown = ", ".join(f"{c}: {mean(values):.0f} ± {standard_error(values):.0f}" for c, values in by_c.items())
    claim = f"mean regret at the largest c / at the smallest, {stream}"
    ratio = mean(steps[-1]) / mean(steps[0])
    note = f"T = {rows[0]['T']}; mean regret by c: {shown}"
    return Verdict(claim, "<=", 1.0, ratio, ratio, 0.0, len(rows), held, note)


def _formula(stream: str, rows: Sequence[Row]) -> Verdict:
    """Compare with the theorem's formula; its constant is hidden, and 1 suffices here."""
    shares = [r["regret"] / formula(r) for r in rows]
    note = "T^(1-c/2) sqrt(Ldim + (M+1) ln(eT)), the hidden constant taken as 1"
    return at_most(f"expected regret / formula of the theorem, {stream}", shares, 1.0, note)


def formula(row: Row) -> float:
    """Return the theorem's regret without its hidden constant."""
    T = row["T"]
    return float(T ** (1 - row["c"] / 2) * math.sqrt(row["littlestone"] + (row["M"] + 1) * math.log(math.e * T)))


EXPERIMENT = Experiment(
    name="tradeoff",
    theorem='Theorem "Oracle-Regret Tradeoff"',
    claim="Committing T^c rounds asks O(T^(1+c VC)) queries for a regret of O(T^(1-c/2) sqrt(Ldim + (M+1) log(eT))).",
    settings=settings,
    run=run,
    check=check,
)
