"""Frontiers hold exactly the realizable labellings, whatever their representation, and count their queries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from strategies import Family, Stream, family_streams, intervals, parities, small_families, steady, thresholds

import adeptree as at
from adeptree.families.registry import frontier_of
from adeptree.oracles.oracle_frontier import OracleFrontier
from adeptree.roles.frontier import Frontier
from reproduction.reference.listed_classes import Labels, vc_dimension

drawn = family_streams()


class Counted:
    """An oracle over hand-written rules that counts its calls, in both forms."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.calls = 0

    def find(self, sample: Any) -> Any:
        self.calls += 1
        return next((rule for rule in self.family.rules if all(rule(x) == y for x, y in sample)), None)

    def realizable(self, sample: Any) -> bool:
        return self.find(sample) is not None


def walk(family: Family, frontier: Frontier, stream: Stream) -> None:
    """Grow the frontier along the stream, and compare it with brute force in every round."""
    rows: list[Labels] = [()]
    xs: list[Any] = []
    dimension = vc_dimension(family.rows)
    for x, _ in stream:
        before, asked = frontier.width, frontier.queries.asked
        children = frontier.split(family.c.instance(x)).children
        assert frontier.width == before, "split must not change the frontier"
        assert frontier.queries.asked - asked == 2 * before
        frontier.grow(children)
        xs.append(x)
        rows = [(*rows[p], int(b)) for p, b in zip(children.parent, children.label, strict=True)]
        expected = family.labellings(xs)
        assert frontier.width == len(rows) == len(expected)
        assert set(rows) == expected
        for i, row in enumerate(rows):
            concept = frontier.concept(i)
            assert tuple(int(concept(point)) for point in xs) == row
        distinct = {repr(point) for point in xs}
        assert frontier.width <= at.bounds.sauer(len(distinct), dimension)


@steady
@given(drawn)
def test_rows_are_exactly_the_realizable_labellings(drawn: tuple[Family, Stream]) -> None:
    family, stream = drawn
    walk(family, frontier_of(family.c), stream)


@steady
@given(drawn)
def test_frontier_of_bits_asks_for_the_same_rows(drawn: tuple[Family, Stream]) -> None:
    family, stream = drawn
    counted = Counted(family)
    frontier = OracleFrontier(at.OracleClass(realizable=counted.realizable))
    walk(family, frontier, stream)
    assert frontier.queries.posed == counted.calls  # concept() asked nothing on points seen
    assert frontier.queries.inferred == frontier.queries.asked - counted.calls >= 0


@steady
@given(drawn)
def test_frontier_of_witnesses_asks_at_most_half(drawn: tuple[Family, Stream]) -> None:
    family, stream = drawn
    counted = Counted(family)
    frontier = OracleFrontier(at.OracleClass(find=counted.find))
    walk(family, frontier, stream)
    assert frontier.queries.posed == counted.calls
    assert 2 * (frontier.queries.posed - 1) <= frontier.queries.asked  # one more for the first witness


@pytest.mark.parametrize("family", [*small_families(), parities(4)], ids=repr)
def test_many_random_orders(family: Family) -> None:
    for seed in range(12):
        order = np.random.default_rng(seed).permutation(len(family.points))[:7]
        walk(family, frontier_of(family.c), [(family.points[i], 0) for i in order])


@pytest.mark.parametrize("family", small_families(), ids=repr)
def test_any_class_can_be_run_through_its_own_oracle(family: Family) -> None:
    walk(family, OracleFrontier(family.c), family.stream(3, 7))


@pytest.mark.parametrize("family", small_families(), ids=repr)
def test_every_point_once_gives_every_concept(family: Family) -> None:
    frontier = frontier_of(family.c)
    walk(family, frontier, [(x, 0) for x in family.points])
    assert frontier.width == len(family.rows)


@pytest.mark.parametrize("family", [thresholds(40), intervals(25)], ids=repr)
@pytest.mark.parametrize("order", ["rising", "falling", "inside out"])
def test_long_lines_in_every_order(family: Family, order: str) -> None:
    points = sorted(family.points, reverse=order == "falling")
    if order == "inside out":
        points.sort(key=lambda x: abs(x - len(points) // 2))
    walk(family, frontier_of(family.c), [(x, 0) for x in points])


@pytest.mark.parametrize("family", small_families(), ids=repr)
@pytest.mark.parametrize("kind", ["own", "bits", "witnesses"])
def test_pruned_children_stay_gone(family: Family, kind: str) -> None:
    """Drop some children; the remaining rows must be the continuations of the kept ones."""
    counted = Counted(family)
    if kind == "own":
        frontier = frontier_of(family.c)
    else:
        oracle = {"bits": {"realizable": counted.realizable}, "witnesses": {"find": counted.find}}[kind]
        frontier = OracleFrontier(at.OracleClass(**oracle))  # type: ignore[arg-type]
    rng = np.random.default_rng(7)
    rows: list[Labels] = [()]
    xs: list[Any] = []
    for x, _ in family.stream(11, 8):
        children = frontier.split(family.c.instance(x)).children
        everything = {(*row, b) for row in rows for b in (0, 1) if (*row, b) in family.labellings([*xs, x])}
        listed = [(*rows[p], int(b)) for p, b in zip(children.parent, children.label, strict=True)]
        assert sorted(listed) == sorted(everything)
        kept = rng.random(len(listed)) < 0.7
        kept[rng.integers(len(listed))] = True
        frontier.grow(children.only(kept))
        rows = [row for row, keep in zip(listed, kept, strict=True) if keep]
        xs.append(x)
        assert frontier.width == len(rows)
        for i, row in enumerate(rows):
            assert tuple(int(frontier.concept(i)(point)) for point in xs) == row


def test_children_say_where_each_row_went() -> None:
    frontier = frontier_of(at.Thresholds(4))
    frontier.grow(frontier.split(1).children)
    children = frontier.split(2).children
    assert children.parent.tolist() == [0, 1, 0]
    assert children.label.tolist() == [False, True, True]
    assert children.row.tolist() == [[0, -1], [2, 1]]
    only = children.only(np.array([False, True, True]))
    assert only.row.tolist() == [[-1, -1], [1, 0]]


def test_repeated_points_may_be_asked_again() -> None:
    calls: list[Any] = []

    def realizable(sample: Any) -> bool:
        calls.append(sample)
        return len({y for x, y in sample if x == "a"}) < 2

    frontier = OracleFrontier(at.OracleClass(realizable=realizable, repeats="ask"))
    frontier.grow(frontier.split("a").children)
    frontier.grow(frontier.split("a").children)
    assert frontier.width == 2 and len(calls) == frontier.queries.posed == 5
    inferring = OracleFrontier(at.OracleClass(realizable=realizable))
    inferring.grow(inferring.split("a").children)
    posed, count = inferring.queries.posed, len(calls)
    inferring.grow(inferring.split("a").children)
    assert inferring.width == 2 and inferring.queries.asked == 2 + 4
    assert inferring.queries.posed == posed and len(calls) == count, "a repeated point is not asked about"


def test_a_failing_oracle_is_counted_and_infers_nothing() -> None:
    calls = 0

    def realizable(sample: Any) -> bool:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise RuntimeError("no licence")
        return True

    frontier = OracleFrontier(at.OracleClass(realizable=realizable))
    with pytest.raises(at.errors.OracleError, match="no licence"):
        frontier.split(1)
    assert frontier.queries.posed == frontier.queries.asked == calls and frontier.queries.inferred == 0
    assert frontier.width == 1
