"""Main theorem, queries: Algorithm 2 asks O(T^(VC+1)) queries in total, with every base learner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import adeptree as at
from adeptree.families.registry import base_for
from adeptree.families.specs import base_named
from reproduction.experiment import Cell, Row, Verdict, groups, part
from reproduction.experiments.games import played, played_on_new_points
from reproduction.stats import at_most, exponent, exponent_near, mean

ORACLES = {
    "literal": "every query of Algorithm 2, asked of a yes/no oracle",
    "bits": "a yes/no oracle, asked about many paths at once",
    "cubes": "an oracle that returns a concept, asked about many paths at once",
}
"""The strategies of queries for a class that is given by an oracle."""


NEW = "different points"


def run(cell: Cell) -> Row:
    """Play different points with random labels and count; of the supremum, one of its adversaries."""
    concept_class, T = at.parse(cell["class"]), cell["T"]
    if cell["part"] == "supremum":
        learner = at.Adept(concept_class, T, seed=cell["seed"])
        new = cell["stream"] == NEW
        game = played_on_new_points(learner, concept_class, cell) if new else played(learner, cell)
        return {"d_vc": concept_class.vc_dimension, "asked": learner.queries.asked, "from_widths": _from_widths(game)}
    base = base_for(base_named(cell["base"]), concept_class)
    asked: at.ConceptClass = concept_class if cell["part"] == "asked" else through_oracle(concept_class, cell["oracle"])
    learner = at.Adept(asked, T, base=base, seed=cell["seed"])
    game = played_on_new_points(learner, concept_class, cell)
    return {
        "d_vc": concept_class.vc_dimension,
        "M": learner.mistake_bound,
        "asked": learner.queries.asked,
        "posed": learner.queries.posed,
        "said": float(game.column("p").sum()),
        "width": learner.width,
        "from_widths": _from_widths(game),
    }


def _from_widths(game: at.Transcript) -> int:
    return 2 * sum([1, *game.column("width").tolist()[:-1]])


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
        own = exponent(horizons, [at.bounds.total_queries(T, d) for T in horizons])
        note = f"base {base}, M = {members[0]['M']}, T = {horizons[0]}..{horizons[-1]}; towards VC + 1 = {d + 1}"
        claim = f"exponent of asked queries in T, {spec}, {base} base"
        yield exponent_near(claim, members, "asked", own, note)
    most = [row["asked"] / at.bounds.total_queries(row["T"], row["d_vc"]) for row in rows]
    note = "and asked = 2 x width in every round: " + ("yes" if _exact(rows) else "NO")
    verdict = at_most("asked queries / 2 x sum of Sauer's numbers", most, 1.0, note)
    yield replace(verdict, held=verdict.held and _exact(rows))
    if supremum := part(rows, "supremum"):
        yield _supremum(supremum)
    by_oracle = groups(part(rows, "posed"), "oracle")
    for (oracle,), members in by_oracle.items():
        asked = mean([row["posed"] / row["asked"] for row in members])
        note = f"{ORACLES[oracle]}; {asked:.0%} of what Algorithm 2 asks reached the oracle, the rest is logic"
        if oracle == "literal":
            shares = [row["posed"] / row["asked"] for row in members]
            yield at_most("posed / asked queries, literal frontier", shares, 1.0, note)
        else:
            literal = {(row["class"], row["T"], row["seed"]): row for row in by_oracle[("literal",)]}
            pairs = [(row, literal[row["class"], row["T"], row["seed"]]) for row in members]
            apart = [abs(row["said"] - other["said"]) + abs(row["width"] - other["width"]) for row, other in pairs]
            yield at_most(
                f"what is said and kept, {oracle} frontier, less the literal one's", apart, 1e-9, "every game"
            )
            more = [float(row["posed"] - other["posed"]) for row, other in pairs]
            yield at_most(f"posed queries, {oracle} frontier, less the literal frontier's", more, -1.0, note)


def _supremum(rows: Sequence[Row]) -> Verdict:
    """Check that Q_T, the most queries that an adversary can force, is 2 x the sum of Sauer's numbers."""
    shares = {
        stream: max(r["asked"] / at.bounds.total_queries(r["T"], r["d_vc"]) for r in members)
        for (stream,), members in groups(rows, "stream").items()
    }
    most, least = max(shares, key=shares.__getitem__), min(shares, key=shares.__getitem__)
    largest = shares[most]
    note = f"of {len(shares)} adversaries, {most} make it ask the most; {least} only {shares[least]:.0%} of that"
    claim = f"Q_T measured: the most queries of any adversary / 2 x sum of Sauer's numbers, {rows[0]['class']}"
    return Verdict(claim, "=", 1.0, largest, largest, 0.0, len(rows), abs(largest - 1) < 1e-9, note)


def _exact(rows: Sequence[Row]) -> bool:
    return all(row["asked"] == row["from_widths"] for row in rows)
