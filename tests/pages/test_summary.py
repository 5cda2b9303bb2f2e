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
    shown = summary.summary(learner, Account("f.csv", "rules", ["x"]))
    assert f"of at most {points} points, VC dimension 1" in " ".join(shown.split())


def test_no_kind_of_class_is_named() -> None:
    tree = ast.parse(inspect.getsource(summary))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name for name in imported if name and ".families." in name} == {"adeptree.families.registry"}
