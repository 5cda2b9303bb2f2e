"""An experiment in one file: a claim, the games that measure it, and a check that can fail.

Copy it, rename it, run it from a clone, in its top folder: ``PYTHONPATH=. python experiment.py``.
The page about it is docs/develop/experiment.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import adeptree as at
from reproduction.experiment import Cell, Experiment, Row, Verdict, column, groups
from reproduction.stats import at_most

SETTINGS = [
    {
        "class": "thresholds(n=63)",
        "T": {"tiny": [40], "quick": [200, 400], "full": [500, 1000, 2000, 4000]},
        "seeds": {"tiny": 2, "quick": 3, "full": 10},
    }
]
"""The cells of each level ("tiny" is for tests): plain values only. A list stands for each of its values."""


def run(cell: Cell) -> Row:
    """Play one cell and return what was measured. It depends on the cell alone: finished cells are kept."""
    concept_class = at.parse(cell["class"])
    learner = at.Adept(concept_class, cell["T"], seed=cell["seed"])
    game = at.play(learner, at.Stochastic(concept_class, noise=0.0), seed=cell["seed"])
    return {"M": learner.mistake_bound, "regret": game.regret, "best_loss": game.best_loss}


def check(rows: Sequence[Row]) -> list[Verdict]:
    """Compare everything measured with the theorem; compute bounds here, never read them from a row."""
    return [
        at_most(
            f"expected regret without noise, {spec}, T = {T}",
            column(members, "regret"),
            at.bounds.regret(T, members[0]["M"]),
            f"M = {members[0]['M']}",
        )
        for (spec, T), members in groups(rows, "class", "T").items()
    ]


EXPERIMENT = Experiment(
    name="no_noise",
    theorem='Theorem "Main Theorem" (regret)',
    claim="Where some rule is always right, the expected regret of ADEPT stays below the theorem's bound.",
    settings=SETTINGS,
    run=run,
    check=check,
)

if __name__ == "__main__":
    for verdict in EXPERIMENT.verdicts([EXPERIMENT.row(cell) for cell in EXPERIMENT.cells("tiny")]):
        print(f"{verdict.claim}: {verdict.worst:.2f} {verdict.relation} {verdict.bound:.2f}, held: {verdict.held}")
