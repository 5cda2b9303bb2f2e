"""The paths of rules on tables one by one: those of the oracle, row by row, and usable with ``max_width``."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import steady

import adeptree as at
from adeptree.families.tables.best_so_far import BestSoFar
from adeptree.families.tables.table_frontier import TableFrontier
from adeptree.roles.base_learner import PerPath

NAMES = ("a", "b")
CLASSES = {
    "stumps": at.TableStumps(NAMES),
    "stumps of sets": at.TableStumps(NAMES, values=2),
    "thresholds": at.TableThresholds(NAMES),
    "intervals": at.TableIntervals(NAMES),
    "unions": at.TableUnions(NAMES, 2),
    "steps": at.TableSteps(NAMES),
    "times": at.TableStumps(["weekday(b)", "b", "a"], times=["b"]),
}
cells = st.sampled_from([None, 0.0, 1.0, 2.0, 3.5, "u", "v", "w"])
DATES = st.sampled_from([None, "2013-05-01", "2013-05-03", "2013-05-04T17:00", "soon"])


def tables(dated: bool) -> Any:
    """Rows of both columns."""
    row = st.fixed_dictionaries({"a": cells, "b": DATES if dated else cells})
    return st.lists(row, min_size=1, max_size=7)


@pytest.mark.parametrize("name", CLASSES)
@given(data=st.data())
@steady
def test_its_rows_are_the_paths_of_the_oracle(name: str, data: Any) -> None:
    c = CLASSES[name]
    frontier = TableFrontier(c)
    paths: list[list[tuple[Any, int]]] = [[]]
    base, slow = BestSoFar().bind(c).rows(frontier), PerPath(BestSoFar().bind(c))
    for given_row in data.draw(tables(name == "times")):
        x = c.instance(given_row)
        split = frontier.split(x)
        expected = [[c.realizable([*path, (x, y)]) for y in (0, 1)] for path in paths]
        assert np.stack([split.can0, split.can1], axis=1).tolist() == expected
        assert np.array_equal(base.predict(split), slow.predict(split)), "what the base learner says"
        children = split.children
        if data.draw(st.booleans()) and len(children.parent) > 2:  # some are dropped, as with max_width
            kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(children.parent), max_size=99)))
            kept = kept[: len(children.parent)]
            kept[0] = True
            children = children.only(kept)
        slow.grow(children)
        frontier.grow(children)
        ways = zip(children.parent.tolist(), children.label.tolist(), strict=True)
        paths = [[*paths[parent], (x, int(label))] for parent, label in ways]
        assert frontier.width == len(paths)
        for row, path in enumerate(paths):
            rule = frontier.concept(row)
            assert str(rule) == str(c.erm(path)) and [rule(x) for x, _ in path] == [y for _, y in path]


def test_a_width_is_kept_and_goes_on_from_a_file(tmp_path: Any) -> None:
    rng = np.random.default_rng(3)
    rows = [{"a": float(a), "b": b} for a, b in zip(rng.random(150).round(2), rng.choice(["u", "v"], 150), strict=True)]
    rows = [row if i % 7 else row | {"a": None} for i, row in enumerate(rows)]
    ys = [int((row["a"] or 0) >= 0.6) ^ int(rng.random() < 0.1) for row in rows]
    limited: Any = at.Adept(CLASSES["stumps"], max_width=40)
    whole = at.Adept(CLASSES["stumps"])
    for i, (row, y) in enumerate(zip(rows, ys, strict=True)):
        if i == 75:
            limited.save(tmp_path / "kept")
            limited = at.load(tmp_path / "kept")
        limited.learn(row, y)
        whole.learn(row, y)
    account = limited.certificate()
    assert limited.width == 40 and account.dropped_paths > 0 and limited.best_loss == whole.best_loss
    assert account.bound is not None and account.regret <= account.bound
    assert str(limited.best_rule()) == str(whole.best_rule())


def test_rules_without_a_path_are_forgotten() -> None:
    learner = at.Adept(CLASSES["stumps"], max_width=5)
    for i in range(150):
        learner.learn({"a": float(i * 37 % 150), "b": float(i * 41 % 150)}, int(i * 37 % 150 >= 70))
    columns: Any = learner.paths.frontier
    assert all(part.width <= 20 for part in columns.frontiers)


def test_a_width_that_is_never_reached_drops_nothing() -> None:
    rows = [{"a": float(i * 7 % 12), "b": "uvw"[i % 3]} for i in range(30)]
    ys = [int(i * 7 % 12 >= 5) ^ (i % 6 == 0) for i in range(30)]
    wide, paths = at.Adept(CLASSES["stumps"], max_width=10_000), at.Adept(CLASSES["stumps"], engine="paths")
    assert wide.learn_many(rows, ys).tolist() == paths.learn_many(rows, ys).tolist()
    assert wide.certificate().best_is_kept and wide.width == paths.width


def test_times_that_were_seen_are_kept_in_order_and_once() -> None:
    """A long stream of times is read as fast as one of numbers only if none has to be searched through."""
    frontier = TableFrontier(at.TableStumps(["when", "v"], times=["when"]))
    for hours in (5, 2, 9, 2, 5, None, 7):
        when = {} if hours is None else {"when": 3600.0 * hours}
        frontier.grow(frontier.split({"v": 1.0, **when}).children)
    assert frontier.points["when"].tolist() == [7200.0, 18000.0, 25200.0, 32400.0]
    again = TableFrontier(frontier.concept_class)
    again.restore(frontier.state())
    assert [str(again.concept(row)) for row in range(again.width)] == [
        str(frontier.concept(row)) for row in range(frontier.width)
    ]
    for wrong in ([2.0, 1.0], [1.0, 1.0], [1, 2], [[1.0]], [1.0, np.nan]):
        with pytest.raises(ValueError):
            again.restore(frontier.state() | {"points": [np.array(wrong)]})


@pytest.mark.parametrize(
    "damage",
    [
        {"width": 3},
        {"homes": []},
        {"points": [[]]},
        {"columns": []},
        {"homes": [np.zeros((2, 1)), np.zeros((4, 1))] * 2},
        {"homes": [np.full((2, 1), -2), np.zeros((4, 1), dtype=np.int64)] * 2},
    ],
)
def test_a_state_that_is_none_is_refused(damage: dict[str, Any]) -> None:
    frontier = TableFrontier(CLASSES["stumps"])
    frontier.restore(frontier.state() | json.loads("{}"))
    with pytest.raises((ValueError, TypeError)):
        frontier.restore(frontier.state() | damage)
