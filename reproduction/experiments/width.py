"""Main theorem, memory: the active paths are at most Sauer's number of labellings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import adeptree as at
from reproduction.experiment import Cell, Row, Verdict, column, groups
from reproduction.experiments.games import curve, played_on_new_points
from reproduction.experiments.oracle_efficiency import count_labellings
from reproduction.stats import at_most


def run(cell: Cell) -> Row:
    """Play one game and compare the width after every round with Sauer's lemma."""
    concept_class, T = at.parse(cell["class"]), cell["T"]
    learner = at.Adept(concept_class, T, seed=cell["seed"])
    game = played_on_new_points(learner, concept_class, cell)
    d = concept_class.vc_dimension
    assert d is not None
    widths = game.column("width").tolist()
    sauer = [at.bounds.sauer(t, d) for t in range(1, T + 1)]
    row: Row = {
        # Count the labellings of these points by concepts where Sauer's number is far from reached.
        "most": count_labellings(concept_class, [r.x for r in game]) if _countable(concept_class) else sauer[-1],
        "d_vc": d,
        "M": learner.mistake_bound,
        "width": learner.width,
        "worst_ratio": max(w / s for w, s in zip(widths, sauer, strict=True)),
    }
    if cell["seed"] == 0:
        row["curve"], row["bound_curve"] = curve(widths), curve(sauer)
    return row


def _countable(concept_class: at.ConceptClass) -> bool:
    return concept_class.spec_name == "conjunctions"


def check(rows: Sequence[Row]) -> Iterator[Verdict]:
    """The number of paths at the end, and the worst round."""
    for (spec,), members in groups(rows, "class").items():
        T, d = members[0]["T"], members[0]["d_vc"]
        note = f"T = {T} different points, VC dimension {d}"
        most = at.bounds.sauer(T, d)
        if _countable(at.parse(spec)):
            note += f"; Sauer's number {most:,}, and so many labellings some concept has"
            most = max(int(r["most"]) for r in members)
        yield at_most(f"active paths on {spec}", column(members, "width"), float(most), note)
    claim = "active paths / Sauer's number, worst round of any run"
    yield at_most(claim, column(rows, "worst_ratio"), 1.0, "after every round t; 1 means: tight")
