"""The range of weights times costs: exact up to the limit, refused beyond it, and the error says which limit."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from long_form import times
from typer.testing import CliRunner

import adeptree as at
from adeptree.app.cli import app
from adeptree.core.errors import InvalidArgument
from adeptree.theory.losses import LARGEST, SMALLEST

CLASSES = {
    "thresholds": at.Thresholds(40),
    "real thresholds": at.RealThresholds(),
    "stumps": at.Stumps(cuts={"a": [0.1, 0.3, 0.7], "b": [0.5]}),
    "real stumps": at.RealStumps(["a", "b"]),
    "finite": at.Thresholds(9).to_finite(),
    "conjunctions": at.Conjunctions(4),
    "parities": at.Parities(4),
    "blocks": at.BlockUnions(2),
}
RATES: tuple[Any, ...] = ("adaptive", "anytime", "paper", 0.5, 4.0)
ROUNDS = times(20, 40)


def pairs_of_learners(c: at.ConceptClass, rate: Any, **options: Any) -> list[tuple[at.Adept, at.Adept]]:
    """Return learners on the structure and on the paths, for each prior that has this rate."""
    found = []
    for prior in ("mixed", "kt", "paper"):
        horizon = ROUNDS if prior == "paper" else None
        try:
            one = at.Adept(c, horizon, rate=rate, prior=prior, **options)
        except InvalidArgument:
            continue
        found.append((one, at.Adept(c, horizon, rate=rate, prior=prior, engine="paths", **options)))
    return found


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.filterwarnings("ignore::adeptree.core.errors.NoBetterThanACoin")
def test_structures_paths_and_bounds_are_exact_at_the_limit(name: str) -> None:
    c, games = CLASSES[name], 0
    other_prior = "stumps" in name  # each feature has a separate share there
    for rate in RATES:
        for announced in (1, LARGEST, SMALLEST):
            for one, paths in pairs_of_learners(c, rate, max_weight=announced):
                assert one.engine.kind != "paths"
                most, games = LARGEST * min(1, announced), games + 1
                rng, points, charged = random.Random(games), np.random.default_rng(games), 0.0
                for _ in range(ROUNDS):
                    x, y = c.random_instance(points), rng.randrange(2)
                    drawn = math.exp(rng.uniform(math.log(1e-9 * most), math.log(most)))
                    weight = rng.choice([most, 0.1 * announced, 0.7 * announced, drawn])
                    assert other_prior or one.predict_proba(x) == pytest.approx(paths.predict_proba(x), abs=1e-9)
                    charged += weight
                    for learner in (one, paths):
                        learner.learn(x, y, weight=weight)
                        assert learner.regret <= learner.bound + 1e-9 * charged
                    assert other_prior or abs(one.regret - paths.regret) <= 1e-9 * charged
    assert games >= 18


def test_the_limit_itself_is_taken_and_more_is_refused() -> None:
    learner = at.Adept(CLASSES["thresholds"], costs=(5, 1))
    learner.learn(3, 1, weight=LARGEST / 5)
    learner.learn(4, 0, weight=LARGEST)
    refused: list[tuple[int, float]] = [(1, LARGEST / 4), (0, 1.01 * LARGEST), (0, 1e12), (0, 10**400)]
    for y, weight in refused:
        with pytest.raises(InvalidArgument, match=r"must be a number from 0 to 1,000,000 \(beyond, probabilities lose"):
            learner.learn(3, y, weight=weight)
        with pytest.raises(InvalidArgument, match=r"from 0 to 1,000,000"):
            learner.learn_many([3, 4], [y, y], weights=[1, weight])
    assert learner.rounds == 2 and learner.best_loss == LARGEST


def test_a_small_unit_is_part_of_the_range() -> None:
    learner = at.Adept(CLASSES["thresholds"], max_weight=0.001)
    learner.learn(3, 1, weight=1000)
    with pytest.raises(InvalidArgument, match="weight times cost must be a number from 0 to 1,000 "):
        learner.learn(3, 1, weight=1001)
    with pytest.raises(InvalidArgument, match="max_weight must be a number from 1e-06 to"):
        at.Adept(CLASSES["thresholds"], max_weight=1e-7)


def test_rules_far_from_the_best_are_still_listed() -> None:
    """The limit is one of a round: sums of rounds, and what rules lose, are larger."""
    learner = at.Adept(at.Thresholds(4))
    for x, y in [(1, 1), (2, 0), (1, 1), (2, 0)]:
        learner.learn(x, y, weight=LARGEST)
    assert len(learner.rules_within(3 * LARGEST)) == learner.width
    with pytest.raises(InvalidArgument, match="k must be a number from 0 to"):
        learner.rules_within(1e17)


def test_a_row_that_only_its_cost_makes_too_heavy_is_a_bad_row(tmp_path: Path) -> None:
    """It is refused before it is in the journal, so that the run can be resumed."""
    rows, folder = tmp_path / "rows.csv", tmp_path / "run"
    rows.write_text("v,w,y\n1,1,0\n2,500000,1\n3,1,1\n")
    asked = ["run", str(rows), "--rules", "thresholds(v)", "--weight", "w", "--cost-miss", "5", "--save", str(folder)]
    stopped = CliRunner().invoke(app, asked)
    assert stopped.exit_code == 2 and "column w: weight times cost must be a number from 0 to" in stopped.output
    resumed = CliRunner().invoke(app, [*asked, "--resume", "--on-bad-row", "skip"])
    assert resumed.exit_code == 0 and ": 2 rows, rules: " in resumed.output
