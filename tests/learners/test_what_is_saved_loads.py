"""Saved learners load: every learner, at random moments of wild games, and the games that were once refused."""

from __future__ import annotations

import copy
import pickle
import random
from pathlib import Path
from typing import Any

import pytest
from long_form import times
from wild_games import ADEPTS, OTHERS, refusals

import adeptree as at

POINT = (1, 0, 1)


@pytest.mark.parametrize("kind", [*ADEPTS, *OTHERS])
def test_wild_games_are_saved_loaded_and_copied(kind: str) -> None:
    """Hundreds of games in all; ``python tests/support/wild_games.py`` plays 10,000."""
    assert refusals([kind], times(8, 17)) == []


def twins(learner: Any, folder: Path) -> list[Any]:
    """Return the learner as it comes back in each of the three ways."""
    learner.save(folder / "learner")
    return [at.load(folder / "learner"), copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))]


@pytest.mark.parametrize("engine", ["auto", "paths"])
def test_a_best_loss_that_is_rounded_below_0_is_0(tmp_path: Path, engine: str) -> None:
    learner = at.Adept(at.RealSteps(), engine=engine)
    for _ in range(2):
        learner.learn(2, 0, weight=0.1)
    for one in (learner, *twins(learner, tmp_path)):
        assert one.best_loss == 0 and one.best_rule()(2) == 0


@pytest.mark.parametrize(
    ("c", "x"),
    [
        (at.Intervals(6).to_finite(), 2),
        (at.Conjunctions(3), POINT),
        (at.Disjunctions(3), POINT),
        (at.Parities(3), POINT),
    ],
    ids=["finite", "conjunctions", "disjunctions", "parities"],
)
@pytest.mark.parametrize("options", [{"rate": 1.0}, {"horizon": 50}, {"horizon": 50, "rate": 2.0}], ids=str)
def test_weights_at_the_edge_of_doubles_are_loaded(tmp_path: Path, c: Any, x: Any, options: dict[str, Any]) -> None:
    """One heavy round makes half of the rules weigh nothing; a second one brings them back to the edge."""
    learner = at.Adept(c, **options)
    unit = 1 / learner.learning_rate
    learner.learn(x, 0, weight=668 * unit)
    learner.learn(x, 1, weight=99 * unit)
    for twin in twins(learner, tmp_path):
        assert twin.predict_proba(x) == learner.predict_proba(x) and twin.bound == learner.bound


@pytest.mark.filterwarnings("ignore::adeptree.core.errors.NoBetterThanACoin")
def test_a_ticket_that_is_settled_at_once_at_a_high_rate_is_loaded(tmp_path: Path) -> None:
    """Its answer, computed again when the label comes, differs by rate times the rounding of the losses."""
    learner, rng = at.Adept(at.Thresholds(9), rate=1e5, max_weight=1000), random.Random(381)
    for _ in range(40):
        x, y, weight = rng.randrange(9), rng.randrange(2), rng.choice([0.1, 0.7, 1 / 3, 1e5, 0.2])
        learner.learn(learner.answer(x), y, weight=weight)
    assert not learner.late and learner.drift > 0
    for twin in twins(learner, tmp_path):
        assert twin.regret == learner.regret and twin.drift == learner.drift


@pytest.mark.parametrize("spec", ["table_stumps", "table_thresholds", "table_intervals", "table_steps"])
def test_tables_at_the_largest_weights_are_loaded(tmp_path: Path, spec: str) -> None:
    learner = at.Adept(at.parse(f"{spec}(features=['a', 'b'])"), rate=4.0)
    for t in range(40):
        row = {"a": float(t % 7), "b": "xyz"[t % 3] if t % 5 else None}
        learner.learn(row, t * t % 3 % 2, weight=(1e6, 0.1, 1e6 - 0.3, 0.7)[t % 4])
        assert all(rule.loss >= 0 for rule in ([] if spec == "table_steps" else learner.rules_within(0)))
    for twin in twins(learner, tmp_path):
        assert twin.best_loss == learner.best_loss and twin.bound == learner.bound


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_paths_dropped_by_an_answer_are_saved(width: int, tmp_path: Path) -> None:
    learner = at.Adept(at.Thresholds(16), max_width=width)
    for x in (8, 4, 12, 2, 6):
        learner.learn(learner.answer(x), 1)
        learner.save(tmp_path / "learner")
        again = at.load(tmp_path / "learner")
        assert (again.regret, again.bound) == (learner.regret, learner.bound)


@pytest.mark.parametrize("rate", [1e20, 1e300])
def test_every_rate_that_is_accepted_is_saved(rate: float, tmp_path: Path) -> None:
    learner = at.Adept(at.Thresholds(8), rate=rate)
    learner.learn(3, 1)
    learner.save(tmp_path / "learner")
    assert at.load(tmp_path / "learner").regret == learner.regret


@pytest.mark.filterwarnings("error")
def test_loading_does_not_warn_of_rounds_that_were_not_played(tmp_path: Path) -> None:
    learner = at.Adept(at.Thresholds(8), max_weight=0.5)
    learner.learn(3, 1, weight=0.2)
    assert [twin.bound for twin in twins(learner, tmp_path)] == [learner.bound] * 3


LOOKS: dict[str, tuple[Any, int, int]] = {
    "adept": (lambda: at.Adept(at.Thresholds(16), engine="paths"), 2, 0),
    "lazy": (lambda: at.LazyAdept(at.Thresholds(16), 20, commits=20), 2, 2),
    "drift": (lambda: at.Adept(at.Thresholds(16), drift=True), 2, 2),
    "drift, paths": (lambda: at.Adept(at.Thresholds(16), drift=True, engine="paths"), 2, 2),
    "leader": (lambda: at.FollowTheLeader(at.Thresholds(16), 20), 1, 1),
}
"""A learner, and the queries per path of a look that it repeats after loading: after a prediction, after an answer."""


@pytest.mark.parametrize("name", LOOKS)
@pytest.mark.parametrize("answered", [False, True])
def test_a_loaded_learner_repeats_one_look_at_most(name: str, answered: bool, tmp_path: Path) -> None:
    build, after_prediction, after_answer = LOOKS[name]
    learner = build()
    learner.learn_many([3, 9, 12, 6], [0, 1, 1, 0])
    most = (after_answer if answered else after_prediction) * learner.width
    look = learner.answer(7) if answered else learner.predict_proba(7)
    again = twins(learner, tmp_path)[0]
    learner.learn(look if answered else 7, 1)
    again.learn(next(iter(again.tickets)) if answered else 7, 1)
    assert again.queries.asked - learner.queries.asked <= most
    assert (again.regret, again.predict_proba(8)) == (learner.regret, learner.predict_proba(8))
