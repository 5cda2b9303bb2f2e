"""Corollary "Total Oracle Efficiency": an oracle-only base learner needs no additional query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

import adeptree as at
from adeptree.core.types import Sample
from adeptree.families.registry import default_base
from reproduction.experiment import Cell, Row, Verdict, column, groups
from reproduction.experiments.games import random_pairs
from reproduction.stats import at_most


class Listening:
    """A weak-consistency oracle that remembers which different samples it was asked in this round."""

    def __init__(self, concept_class: at.ConceptClass) -> None:
        self.concept_class = concept_class
        self.samples: set[frozenset[object]] = set()
        self.calls = 0

    def __call__(self, sample: Sample) -> bool:
        """Answer, and remember the sample as a set: neither order nor repeats make it another query."""
        self.calls += 1
        self.samples.add(frozenset(sample))
        return self.concept_class.realizable(sample)


def run(cell: Cell) -> Row:
    """Play with Ghost, listening at the oracle; then with the class's own base, to compare the calls."""
    concept_class, T = at.parse(cell["class"]), cell["T"]
    d = concept_class.littlestone_dimension
    assert d is not None
    pairs = stream(concept_class, T, cell["seed"])
    oracle = Listening(concept_class)
    # Bound to the recording oracle too, so that its queries would be recorded.
    learner = at.Adept(at.OracleClass(realizable=oracle, strategy="literal"), T, base=at.Ghost(d, oracle=oracle))
    shares, distinct, labellings = [], 0, 0
    for t, (x, y) in enumerate(pairs):
        oracle.samples.clear()
        learner.learn(x, y)
        realizable = count_labellings(concept_class, [point for point, _ in pairs[:t]])
        distinct, labellings = distinct + len(oracle.samples), labellings + realizable
        shares.append(len(oracle.samples) / (2 * realizable))
    own = Listening(concept_class)
    natural = at.Adept(at.OracleClass(realizable=own, strategy="literal"), T, base=default_base(concept_class))
    natural.learn_many(*zip(*pairs, strict=True))
    return {
        "littlestone": d,
        "M": learner.mistake_bound,
        "worst_share": max(shares),
        "distinct": distinct,
        "labellings": labellings,
        "calls": oracle.calls,
        "calls_of_natural_base": own.calls,
        "regret": learner.regret,
    }


def stream(concept_class: at.ConceptClass, rounds: int, seed: int) -> list[tuple[object, int]]:
    """Return random labels on new blocks, or on random points of a small domain."""
    if concept_class.spec_name == "blocks":
        return random_pairs(list(range(rounds)), rounds, seed)
    rng = np.random.default_rng([seed, rounds])
    return [(concept_class.random_instance(rng), int(rng.integers(2))) for _ in range(rounds)]


def count_labellings(concept_class: at.ConceptClass, points: list[object]) -> int:
    """Count the realizable labellings of the points, without the frontier that is on trial.

    >>> count_labellings(at.parse("thresholds(n=8)"), [3, 5, 3])
    3
    """
    different = list(dict.fromkeys(points))
    if concept_class.spec_name == "blocks":
        return at.bounds.sauer(len(different), concept_class.vc_dimension or 0)
    finite = concept_class.to_finite()  # type: ignore[attr-defined]
    table = finite.table[:, [finite.column(x) for x in different]]
    return len(np.unique(table, axis=0)) if different else 1


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """Distinct queries per round, and no call of the base learner's own."""
    for (spec,), members in groups(rows, "class").items():
        note = f"Ghost({members[0]['littlestone']}), M = {members[0]['M']}, T = {members[0]['T']}; worst round"
        claim = f"distinct queries / 2 x realizable labellings, {spec}"
        yield at_most(claim, column(members, "worst_share"), 1.0, note)
    extra = [float(row["calls"] - row["calls_of_natural_base"]) for row in rows]
    note = "against the same games with the class's own base learner, which asks nothing"
    yield at_most("oracle calls added by Ghost", extra, 0.0, note)
