"""The end summary reads what a family says of its rules, and knows no kind of class itself."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.pages import summary
from adeptree.pages.summary import Account, rule_text
from adeptree.pages.summary_words import compared, verdict


@pytest.mark.parametrize(
    ("concept_class", "pairs", "columns", "text"),
    [
        (at.Thresholds(8), [(4, 0), (5, 1)], ["speed"], "speed >= 5"),
        (at.Intervals(8), [(4, 0), (5, 1), (6, 0)], ["speed"], "5 <= speed < 6"),
        (at.BlockUnions(1), [("a", 1), ("b", 0)], ["block x"], "block x in {'a'}"),
        (at.Conjunctions(2), [((1, 0), 1), ((1, 1), 0), ((0, 0), 0)], ["old", "x0"], "old and not x0"),
        (at.Stumps(cuts={"x": [1]}), [({"x": 0}, 0), ({"x": 2}, 1)], ["other"], "x >= 1"),
        (at.RealStumps(["x0"]), [({"x0": 0.0}, 0), ({"x0": 2.0}, 1)], ["other"], "x0 >= 1"),
        (
            at.FiniteClass(np.array([[0, 1], [1, 0]]), points=["x", "x1"]),
            [("x", 0), ("x1", 1)],
            ["is"],
            "concept 0: 1 on {'x1'}",
        ),
    ],
)
def test_a_rule_is_told_with_the_names_of_the_columns(
    concept_class: Any, pairs: list[tuple[Any, int]], columns: list[str], text: str
) -> None:
    learner = at.Adept(concept_class)
    for x, y in pairs:
        learner.learn(x, y)
    assert rule_text(learner, columns) == text


@pytest.mark.parametrize(("concept_class", "points"), [(at.Thresholds(4), 4), (at.BlockUnions(1), 9)])
def test_repeated_points_do_not_count_where_all_points_are_few(concept_class: Any, points: int) -> None:
    learner = at.Adept(concept_class)
    for i in range(9):
        learner.learn(i % 4, i % 2)
    shown = summary.summary(learner, Account("f.csv", "rules", ["x"]), verbose=True)
    assert f"of at most {points} points, VC dimension 1" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("ours", "best", "constant", "said"),
    [
        (100.4, 100, 500, "as well as"),  # 0.04 per 100 are shown as 0.0
        (99.6, 100, 500, "as well as"),
        (99.4, 100, 500, "even better than"),
        (100.6, 100, 500, "almost as well as"),
        (5.0, 0, 500, "almost as well as"),  # half a mistake per 100, whatever the rest is
        (5.1, 0, 500, "less well than"),
        (110.0, 100, 500, "almost as well as"),  # a tenth more than the best rule
        (110.1, 100, 500, "less well than"),
        (410.0, 400, 440, "almost as well as"),  # a quarter of what it gains over the constant
        (410.1, 400, 440, "less well than"),
        (404.9, 400, 400, "almost as well as"),  # the best rule is a constant
        (405.1, 400, 400, "less well than"),
        (405.1, 400, 300, "less well than"),  # the constant is no rule of the class, and better
    ],
)
def test_words_match_sizes(ours: float, best: float, constant: float, said: str) -> None:
    assert verdict(ours, best, constant, 1000) == said
    # They are about shares: in another unit of loss they stay what they are.
    assert verdict(8 * ours, 8 * best, 8 * constant, 8000) == said


@pytest.mark.parametrize(
    ("c", "stream", "said"),
    [
        (at.Thresholds(4), [(0, 0), (3, 1)] * 50, "50 mistakes per 100"),
        (at.BlockUnions(1), [("a", 1), ("b", 1), ("c", 1)] * 20, "No rule of the class does better than always 1."),
        (at.Thresholds(4), [(0, 1), (3, 0)] * 50, "No rule of the class does better than always 0."),
    ],
)
def test_constants_are_told_of(c: Any, stream: list[tuple[Any, int]], said: str) -> None:
    learner = at.Adept(c)
    learner.learn_many([x for x, _ in stream], [y for _, y in stream])
    told = summary.plainly(learner, "rule")
    assert said in told or f"fewer {said.partition(' ')[2]}" in told
    assert "rule" in told


def test_losses_that_are_weighed_are_not_called_mistakes() -> None:
    learner = at.Adept(at.Thresholds(4), costs=(5, 1))
    learner.learn_many([0, 3, 2, 1] * 30, [0, 1, 1, 0] * 30)
    shown = summary.summary(learner, Account("f.csv", "rules", ["x"]), verbose=True)
    assert "mistakes" not in shown and "Losses (a miss costs 5, a false alarm 1" in shown
    assert "60   16.7 %   always 1" in shown  # of 60 x 5 + 60 that could be lost
    assert "(of all that could be lost)" in " ".join(shown.split()) and "within 3.6 losses of the best rule" in shown
    assert compared(20.0, 20.1, 1000, weighed=True) == "loses practically as much as"


def test_of_a_class_whose_paths_were_dropped_no_more_is_said_than_is_known() -> None:
    """The one path that is kept loses 21 here, always 0 loses 7, and "x >= 60", which was dropped, 2."""
    learner, whole = at.Adept(at.Thresholds(64), max_width=1), at.Adept(at.Thresholds(64))
    for each in (learner, whole):
        each.learn_many([10, 60, *[11, 20, 30, 40, 50] * 4, *[60, 61] * 3], [1, 0, *[0] * 20, *[1] * 6])
    assert (learner.best_loss, whole.best_loss, learner.certificate().best_is_kept) == (21, 2, False)
    told = summary.plainly(learner, "rule")
    assert "No rule that was kept does better than always 0." in told and "of the class" not in told
    shown = summary.summary(learner, Account("f.csv", "rules", ["x"]), verbose=True)
    dropped = learner.certificate().dropped_paths
    assert f"{dropped:,} with {learner.certificate().dropped_mass:.3g} of the prior mass dropped" in shown and dropped
    unlimited = summary.summary(_learnt(at.Adept(at.Thresholds(64))), Account("f.csv", "rules", ["x"]), verbose=True)
    assert "dropped" not in unlimited


def test_a_better_rule_that_may_have_been_dropped_is_told_of() -> None:
    learner = at.Adept(at.Thresholds(64), max_width=2)
    rng = np.random.default_rng(0)
    learner.learn_many(rng.integers(0, 64, 80), rng.integers(0, 2, 80))
    told = summary.plainly(learner, "rule")
    assert (learner.certificate().best_is_kept is False) == ("Paths were dropped" in told) and "dropped" in told
    assert "dropped" not in summary.plainly(_learnt(at.Adept(at.Thresholds(64))), "rule")
    other = summary._nearly(learner, ["x"])
    assert other == "" or other.startswith("Nearly as good: at least 1 other rule within 1 mistake of the best rule")


def _learnt(learner: at.Adept) -> at.Adept:
    learner.learn_many([3, 40, 20], [0, 1, 1])
    return learner


def test_steps_say_nothing_of_what_is_near() -> None:
    learner = at.Adept(at.RealSteps())
    learner.learn_many([0.5, 1.5] * 30, [0, 1] * 30)
    assert "Nearly as good" not in summary.summary(learner, Account("f.csv", "rules", ["x"]))


def test_no_kind_of_class_is_named() -> None:
    tree = ast.parse(inspect.getsource(summary))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name for name in imported if name and ".families." in name} == {"adeptree.families.registry"}
