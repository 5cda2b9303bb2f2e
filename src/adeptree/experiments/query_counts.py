"""Main theorem, queries: Algorithm 2 asks O(T^(VC+1)) queries in all, whatever the base learner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import adeptree as at
from adeptree.experiments.experiment import Cell, Row, Verdict, groups, part
from adeptree.experiments.played_streams import played_on_new_points
from adeptree.experiments.stats import at_most, exponent_near, mean
from adeptree.families.registry import base_for
from adeptree.families.specs import base_named

ORACLES = {
    "literal": "every query of Algorithm 2, asked of a yes/no oracle",
    "bits": "a yes/no oracle, asked about many paths at once",
    "cubes": "an oracle that returns a concept, asked about many paths at once",
}
"""How a class is asked when it is known through its oracle alone."""


def run(cell: Cell) -> Row:
    """Play different points with random labels and count."""
    concept_class, T = at.parse(cell["class"]), cell["T"]
    base = base_for(base_named(cell["base"]), concept_class)
    asked: at.ConceptClass = concept_class if cell["part"] == "asked" else through_oracle(concept_class, cell["oracle"])
    learner = at.Adept(asked, T, base=base, seed=cell["seed"])
    game = played_on_new_points(learner, concept_class, cell)
    widths = [1, *game.column("width").tolist()[:-1]]
    return {
        "d_vc": concept_class.vc_dimension,
        "M": learner.mistake_bound,
        "asked": learner.queries.asked,
        "posed": learner.queries.posed,
        "from_widths": at.bounds.queries(widths),
    }


def through_oracle(concept_class: at.ConceptClass, way: str) -> at.OracleClass:
    """Return the class as seen through its oracle alone."""
    if way == "cubes":
        return at.OracleClass(find=concept_class.find, strategy="cubes")
    return at.OracleClass(realizable=concept_class.realizable, strategy="literal" if way == "literal" else "auto")


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Exponents; asked is 2 x width per round; posed is no more than asked."""
    for (spec, base), members in groups(part(rows, "asked"), "class", "base").items():
        horizons = sorted({r["T"] for r in members})
        d = members[0]["d_vc"]
        note = f"base {base}, M = {members[0]['M']}, T = {horizons[0]}..{horizons[-1]}"
        claim = f"exponent of asked queries in T, {spec}, {base} base"
        yield exponent_near(claim, members, "asked", d + 1.0, note)
    most = [row["asked"] / at.bounds.total_queries(row["T"], row["d_vc"]) for row in rows]
    note = "and asked = 2 x width in every round: " + ("yes" if _exact(rows) else "NO")
    verdict = at_most("asked queries / 2 x sum of Sauer's numbers", most, 1.0, note)
    yield replace(verdict, held=verdict.held and _exact(rows))
    for (oracle,), members in groups(part(rows, "posed"), "oracle").items():
        share = [row["posed"] / row["asked"] for row in members]
        note = f"{ORACLES[oracle]}; {mean(share):.0%} of what Algorithm 2 asks reached the oracle, the rest is logic"
        yield at_most(f"posed / asked queries, {oracle} frontier", share, 1.0, note)


def _exact(rows: Sequence[Row]) -> bool:
    return all(row["asked"] == row["from_widths"] for row in rows)
