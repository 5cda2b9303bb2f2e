"""The slow versions of the neighbours, on games that are known; and games whose rounds are skipped."""

from __future__ import annotations

from pathlib import Path

import pytest

import adeptree as at
from reproduction.claims import CLAIMS, experiment
from reproduction.experiments.transfer import skipping
from reproduction.reference import related as slow
from reproduction.reference.listed_classes import Listed

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("k", "coins", "value"), [(0, True, 1 / 2), (1, True, 7 / 4), (0, False, 1), (2, False, 5)])
def test_two_rules_on_one_point(k: int, coins: bool, value: float) -> None:
    """Filmus, Hanneke, Mehalel and Moran: 7/4 with one error, and 2k + 1 without coins."""
    assert slow.values([[0], [1]], k, coins)[0, 0] == pytest.approx(value)


def test_three_labels_mistakes_under_bandit_feedback() -> None:
    assert slow.mistakes_under_bandit_feedback([[0], [1], [2]]) == 2
    assert slow.mistakes_under_bandit_feedback([[0, 1]]) == 0


def test_the_rank_of_an_order() -> None:
    steps = [tuple(int(i < cut) for i in range(4)) for cut in range(5)]
    assert slow.least_mistakes(steps) == 1  # sorted: 1s until the first 0
    assert slow.least_mistakes([(0, 0), (0, 1), (1, 0), (1, 1)]) == 2


def test_the_best_sequence_switches_where_the_labels_do() -> None:
    constants = Listed(["x"], [[0], [1]])
    pairs = [("x", y) for y in (0, 0, 1, 1, 0)]
    assert [slow.sequence_loss(constants, pairs, s) for s in range(4)] == [2, 1, 0, 0]


@pytest.mark.parametrize("c", [0.3, 0.8])
def test_rounds_that_are_alike_may_be_skipped(c: float) -> None:
    one = at.Thresholds(1)
    game = at.play(at.LazyAdept(one, 700, exponent=c, seed=5), at.Greedy(one), seed=5)
    assert skipping(at.LazyAdept(one, 700, exponent=c, seed=5)) == pytest.approx(game.regret, rel=1e-12)


def test_long_lazy_games_of_one_case_have_the_same_columns() -> None:
    cells = [c for c in experiment("transfer").cells("quick") if c["part"] == "growth" and c["seed"] < 2]
    cells = [c for c in cells if c["T"] <= 1000 or (c["T"], c["c"]) == (10_000, 0.5)]
    columns = {(c["T"], c["c"], c["seed"]): set(experiment("transfer").row(c)) for c in cells}
    assert len(columns) == 6
    assert all(found == columns[T, c, 0] for (T, c, _), found in columns.items())
    assert "apart" in columns[1000, 0.7, 0] and "apart" not in columns[10_000, 0.5, 0]


def test_the_docs_say_what_was_changed_after_seeing_results() -> None:
    page = (ROOT / "docs" / "evidence" / "reproduction.md").read_text(encoding="utf-8").split("## What was changed")[1]
    told = [line for line in page.splitlines() if line.startswith("* ")]
    assert told == [f"* `{name}`: {text}" for name, claim in CLAIMS.items() for text in claim.get("changed", [])]
    assert len(told) > 10
