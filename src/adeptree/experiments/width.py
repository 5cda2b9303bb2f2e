"""Main theorem, memory: the active paths are at most Sauer's number of labellings."""

from __future__ import annotations

from collections.abc import Sequence

from adeptree.experiments.experiment import Cell, Experiment, Row, Verdict, by_level, column, grid, groups
from adeptree.experiments.played_streams import curve, played_on_new_points
from adeptree.experiments.stats import at_most
from adeptree.families.specs import parse
from adeptree.learners import Adept
from adeptree.theory import bounds

CLASSES = {
    "thresholds(n=4096)": (40, 1500, 4000),
    "blocks(d=1)": (40, 1500, 4000),
    "intervals(n=1024)": (30, 250, 700),
    "blocks(d=2)": (30, 250, 700),
    "blocks(d=3)": (12, 60, 140),
    "conjunctions(n=6)": (30, 64, 64),
}
"""Class and rounds at each level."""


def settings(level: str) -> list[Cell]:
    """Every class, on different points in random order: the hardest for memory, as repeats never split."""
    configs = [{"class": spec, "T": by_level(level, *rounds)} for spec, rounds in CLASSES.items()]
    return grid(by_level(level, 1, 2, 5), *configs)


def run(cell: Cell) -> Row:
    """Play one game and compare the width after every round with Sauer's lemma."""
    concept_class, T = parse(cell["class"]), cell["T"]
    learner = Adept(concept_class, T, seed=cell["seed"])
    game = played_on_new_points(learner, concept_class, cell)
    d = concept_class.vc_dimension
    assert d is not None
    widths = game.column("width").tolist()
    sauer = [bounds.sauer(t, d) for t in range(1, T + 1)]
    row: Row = {
        "d_vc": d,
        "M": learner.mistake_bound,
        "width": learner.width,
        "worst_ratio": max(w / s for w, s in zip(widths, sauer, strict=True)),
    }
    if cell["seed"] == 0:
        row["curve"], row["bound_curve"] = curve(widths), curve(sauer)
    return row


def check(rows: Sequence[Row]) -> list[Verdict]:
    """The number of paths at the end, and the worst round."""
    verdicts = []
    for (spec,), members in groups(rows, "class").items():
        T, d = members[0]["T"], members[0]["d_vc"]
        note = f"T = {T} different points, VC dimension {d}"
        verdicts.append(at_most(f"active paths on {spec}", column(members, "width"), float(bounds.sauer(T, d)), note))
    claim = "active paths / Sauer's number, worst round of any run"
    verdicts.append(at_most(claim, column(rows, "worst_ratio"), 1.0, "after every round t; 1 means: tight"))
    return verdicts


CLAIM = "After t rounds at most Sauer(t, VC) = O(t^VC) paths are active."
EXPERIMENT = Experiment("width", 'Theorem "Main Theorem" (memory)', CLAIM, settings, run, check)
