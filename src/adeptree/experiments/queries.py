"""Main theorem, queries: Algorithm 2 asks O(T^(VC+1)) queries in all, whatever the base learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adeptree import bounds
from adeptree.bases import SOA, BaseLearner, Halving, default_base
from adeptree.bases.ghost import Ghost
from adeptree.classes import OracleClass
from adeptree.classes.base import ConceptClass
from adeptree.experiments.core import Cell, Experiment, Row, Verdict, by_level, column, grid, groups
from adeptree.experiments.stats import at_most, exponent_near, mean
from adeptree.experiments.streams import random_pairs
from adeptree.experiments.width import points_of
from adeptree.games import play
from adeptree.learners import Adept
from adeptree.specs import parse

BASES = {
    "thresholds(n=4096)": ("natural", "Halving"),
    "blocks(d=1)": ("natural", "Ghost(1)"),
    "intervals(n=1024)": ("natural",),
    "blocks(d=2)": ("natural", "Ghost(2)"),
}
HORIZONS = {
    1: {"tiny": [16, 64], "quick": [100, 200, 400, 800], "full": [100, 200, 400, 800, 1600, 3200]},
    2: {"tiny": [12, 36], "quick": [40, 80, 160], "full": [40, 80, 160, 320]},
}
THROUGH_ORACLE = {
    1: {"tiny": [8, 16], "quick": [20, 40, 80], "full": [25, 50, 100, 200]},
    2: {"tiny": [6, 10], "quick": [10, 20, 40], "full": [10, 20, 40, 60]},
}
"""Fewer rounds where every posed query is a call to a real oracle function."""


def settings(level: str) -> list[Cell]:
    """Classes with VC dimension 1 and 2, several base learners; and the same through an oracle that is called."""
    configs: list[Cell] = []
    for spec, bases in BASES.items():
        d = parse(spec).vc_dimension or 0
        configs += [
            {"part": "asked", "class": spec, "base": b, "T": T} for b in bases for T in HORIZONS[d][level]
        ]
        configs += [
            {"part": "posed", "class": spec, "base": "natural", "T": T, "oracle": "bits"}
            for T in THROUGH_ORACLE[d][level]
        ]
    return grid(by_level(level, 1, 2, 5), configs)


def run(cell: Cell) -> Row:
    """Play different points with random labels and count."""
    concept_class, T = parse(cell["class"]), cell["T"]
    base = base_named(cell["base"], concept_class)
    played: ConceptClass = concept_class if cell["part"] == "asked" else through_oracle(concept_class)
    learner = Adept(played, T, base=base, seed=cell["seed"])
    game = play(learner, random_pairs(points_of(concept_class, T), T, cell["seed"]))
    widths = [1, *game.column("width").tolist()[:-1]]
    return {
        "d_vc": concept_class.vc_dimension,
        "M": learner.mistake_bound,
        "asked": learner.queries.asked,
        "posed": learner.queries.posed,
        "from_widths": bounds.queries(widths),
    }


def base_named(name: str, concept_class: ConceptClass) -> BaseLearner:
    """Return the base learner of a cell, bound to the class."""
    if name == "natural":
        return default_base(concept_class)
    if name.startswith("Ghost"):
        return Ghost(int(name[6:-1])).bind(concept_class)
    kinds: dict[str, Any] = {"Halving": Halving, "SOA": SOA}
    return kinds[name]().bind(concept_class)  # type: ignore[no-any-return]


def through_oracle(concept_class: ConceptClass) -> OracleClass:
    """Return the class as seen through its weak-consistency oracle alone."""
    return OracleClass(realizable=concept_class.realizable, vc_dimension=concept_class.vc_dimension)


def check(rows: Sequence[Row]) -> list[Verdict]:
    """Exponents; asked is 2 x width a round; posed is no more than asked."""
    verdicts = []
    for (spec, base), members in groups([r for r in rows if r["part"] == "asked"], "class", "base").items():
        horizons = sorted({r["T"] for r in members})
        d = members[0]["d_vc"]
        note = f"base {base}, M = {members[0]['M']}, T = {horizons[0]}..{horizons[-1]}"
        claim = f"exponent of asked queries in T, {spec}, {base} base"
        verdicts.append(exponent_near(claim, members, "asked", d + 1.0, note))
    most = [row["asked"] / (2 * sum(bounds.sauer(t, row["d_vc"]) for t in range(row["T"]))) for row in rows]
    note = "and asked = 2 x width in every round: " + ("yes" if _exact(rows) else "NO")
    verdict = at_most("asked queries / 2 x sum of Sauer's numbers", most, 1.0, note)
    verdicts.append(verdict if _exact(rows) else _failed(verdict))
    posed = [r for r in rows if r["part"] == "posed"]
    share = column([{"share": r["posed"] / r["asked"]} for r in posed], "share")
    note = f"calls that reached the oracle: {mean(share):.0%} of those asked; the rest follow by logic"
    verdicts.append(at_most("posed / asked, through an oracle that is called", share, 1.0, note))
    return verdicts


def _exact(rows: Sequence[Row]) -> bool:
    return all(row["asked"] == row["from_widths"] for row in rows)


def _failed(verdict: Verdict) -> Verdict:
    return Verdict(**{**verdict.__dict__, "held": False})


EXPERIMENT = Experiment(
    name="queries",
    theorem='Theorem "Main Theorem" (queries)',
    claim="T rounds ask O(T^(VC+1)) weak-consistency queries, whatever the base learner.",
    settings=settings,
    run=run,
    check=check,
)
