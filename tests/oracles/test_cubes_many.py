"""Oracle frontiers that ask many questions at once, that keep what is unknown, and that choose how to ask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dichotomies as di
import numpy as np
import pytest
from dichotomies import SMALL, Table, TableOracle, frontier_over, ordered, rows, step

import adeptree as at
from adeptree.core.errors import ContradictoryOracle, InvalidArgument, OracleError, OracleUnknown
from adeptree.oracles.cube_search import CubeSearch, Question
from adeptree.oracles.oracle_frontier import FEW, TABLES, OracleFrontier

Sample = Sequence[tuple[Any, int]]


class ManyOracle(TableOracle):
    """Answers lists of samples only, and keeps their lengths."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.batches: list[int] = []

    def find_many(self, samples: Sequence[Sample]) -> list[Any]:
        self.batches.append(len(samples))
        return [self.find(sample) for sample in samples]


# ------------------------------------------------------------------------------------------------ batches


@pytest.mark.parametrize("strategy", ["auto", "literal"])
@pytest.mark.parametrize("name", SMALL)
def test_batches_find_the_same_rows_in_the_same_order(name: str, strategy: str) -> None:
    table = SMALL[name]
    oracle = ManyOracle(table)
    frontier = OracleFrontier(at.OracleClass(find_many=oracle.find_many, batch=5, strategy=strategy))
    alone = frontier_over(TableOracle(table), "find", strategy=strategy)
    for x in ordered(table.shape[1], "random"):
        step(frontier, x)
        step(alone, x)
        assert (frontier.labels == alone.labels).all()
    assert frontier.queries.posed == oracle.calls == sum(oracle.batches)
    assert max(oracle.batches) <= 5 and frontier.queries.asked == alone.queries.asked
    if strategy == "literal":
        assert frontier.queries.posed == alone.queries.posed


MANY: list[tuple[str, Callable[[], Table]]] = [
    ("intervals", lambda: di.intervals(25)),
    ("half-planes", lambda: di.half_planes(20)),
    ("boxes", lambda: di.boxes(13)),
    ("stumps", lambda: di.stumps(30)),
]


@pytest.mark.parametrize(("name", "table"), MANY, ids=[name for name, _ in MANY])
def test_batches_cost_few_calls(name: str, table: Callable[[], Table]) -> None:
    """Measured: 0 to 9 % more calls in batches of up to 16, and a fifth of the round trips or fewer."""
    oracle, alone = ManyOracle(table()), TableOracle(table())
    frontiers = [OracleFrontier(at.OracleClass(find_many=oracle.find_many, batch=16)), frontier_over(alone, "find")]
    for x in ordered(oracle.table.shape[1], "random"):
        for frontier in frontiers:
            step(frontier, x)
    assert oracle.calls <= 1.1 * alone.calls
    assert len(oracle.batches) <= 0.25 * alone.calls


def test_find_many_of_an_oracle_object() -> None:
    from adeptree.oracles import ClassOracle, Counting

    oracle = Counting(ClassOracle(at.Intervals(12)))
    frontier = OracleFrontier(at.OracleClass.from_oracle(oracle, batch=8))
    for x in (3, 9, 5, 1):
        step(frontier, x)
    assert frontier.queries.posed == oracle.queries and frontier.width == 11
    c = at.OracleClass(find_many=ManyOracle(di.thresholds(4)).find_many)
    assert c.realizable([(2, 1)]) and not c.realizable([(1, 1), (2, 0)]) and c.find([])(3) == 1  # type: ignore[misc]


def test_a_find_many_that_loses_answers_is_noticed() -> None:
    frontier = OracleFrontier(at.OracleClass(find_many=lambda samples: []))
    with pytest.raises(OracleError, match="got 1 samples and gave 0 answers"):
        frontier.split(1)
    with pytest.raises(OracleError, match="callable concept or None; got concept=3"):
        at.OracleClass(find_many=lambda samples: [3]).find_many([[]])  # type: ignore[list-item]


@pytest.mark.parametrize("given", [{}, {"find": 1, "realizable": 1}, {"find_many": 1, "realizable": 1}])
def test_one_way_to_ask(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match="exactly one of find="):
        at.OracleClass(**given)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"strategy": "bits"}, "needs realizable="),
        ({"batch": 0}, "batch must be an int >= 1"),
        ({"call_cost": -1}, "call_cost must be a number of seconds"),
        ({"call_cost": "little"}, "call_cost must be a number of seconds"),
        ({"on_unknown": "guess"}, "on_unknown must be"),
    ],
)
def test_options_are_checked(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidArgument, match=sentence):
        at.OracleClass(find=lambda sample: None, **options)


# ------------------------------------------------------------------------------------------------ contradictions


def test_a_batch_that_contradicts_itself_is_noticed() -> None:
    """Two rows without a concept, asked about in one batch for both labels: both are denied."""
    table = TableOracle(di.thresholds(6))
    frontier = OracleFrontier(at.OracleClass(find_many=lambda samples: [find(sample) for sample in samples], batch=4))
    lying = False

    def find(sample: Sample) -> Any:
        return None if lying and sample[-1][0] == 5 else table.find(sample)

    step(frontier, 2)
    step(frontier, 4)
    before = frontier.labels.tolist()
    frontier.witnesses = [None] * frontier.width
    lying = True
    with pytest.raises(ContradictoryOracle, match="denies both labels of a realizable path"):
        frontier.split(5)
    assert frontier.labels.tolist() == before


def test_a_batch_that_takes_a_concept_back_is_noticed() -> None:
    labels = di.distinct(di.bits(2))
    search = CubeSearch(
        TABLES.LabelTable(*labels.shape, labels.astype(np.bool_).tobytes()), ["a", "b", "c"], np.full(4, -1)
    )
    search.note(Question(1, 0, [0]), lambda x: int(x == "c"))
    with pytest.raises(ContradictoryOracle, match="denies label 1 at x='c' to a path that can take it"):
        search.note(Question(1, 0, [1]), None)


@pytest.mark.parametrize("strategy", ["auto", "literal", "paper"])
def test_an_empty_class_is_noticed_by_every_strategy(strategy: str) -> None:
    for form in ("find", "realizable"):
        frontier = frontier_over(TableOracle(np.zeros((0, 3), dtype=np.bool_)), form, strategy=strategy)
        with pytest.raises(ContradictoryOracle, match=r"empty sample|both labels"):
            frontier.split(1)
        assert frontier.width == 1 and not frontier.points


def test_the_paper_strategy_asks_what_algorithm_2_asks() -> None:
    for form in ("find", "realizable"):
        oracle = TableOracle(di.intervals(9))
        frontier = frontier_over(oracle, form, strategy="paper")
        for x in ordered(9, "random"):
            step(frontier, x)
        assert frontier.strategy == "paper" and rows(frontier) == oracle.labellings(frontier.points)
        assert frontier.queries.posed == frontier.queries.asked == oracle.calls


# ------------------------------------------------------------------------------------------------ unknown answers


class Unsure(TableOracle):
    """Cannot decide samples that hold a given point with some label, if they are long enough."""

    def __init__(self, table: Table, hard: Callable[[Sample], bool]) -> None:
        super().__init__(table)
        self.hard = hard
        self.unknown: list[Sample] = []

    def find(self, sample: Sample) -> Any:
        if self.hard(sample):
            self.calls += 1
            self.unknown.append(list(sample))
            raise OracleUnknown("too hard")
        return super().find(sample)


@pytest.mark.parametrize("batch", [1, 7])
@pytest.mark.parametrize("strategy", ["cubes", "literal"])
@pytest.mark.parametrize("name", SMALL)
def test_unknown_keeps_the_path_in_question_only(name: str, strategy: str, batch: int) -> None:
    """Whole samples that are undecided count as realizable; nothing else that is unrealizable stays."""
    table = SMALL[name]
    oracle = Unsure(table, lambda sample: len(sample) > 3 and sum(3 * x + y for x, y in sample) % 4 == 0)
    c = at.OracleClass(find=oracle.find, on_unknown="keep", strategy=strategy, batch=batch)
    frontier = OracleFrontier(c)
    for x in ordered(table.shape[1], "random")[:8]:
        before, asked = {tuple(row) for row in frontier.labels.tolist()}, len(oracle.unknown)
        step(frontier, x)
        found, possible = rows(frontier), oracle.labellings(frontier.points)
        assert found >= possible
        points = list(frontier.points)
        open_paths = {
            tuple(bool(dict(sample)[point]) for point in points)
            for sample in oracle.unknown[asked:]
            if len(sample) == len(points)
        }
        for row in found - possible:
            # Either this very path was asked about and left open, or it continues one that no concept has.
            continued = row[:-1] not in oracle.labellings(points[:-1]) and row[:-1] in before
            assert row in open_paths or continued
    assert c.unknowns == len(oracle.unknown)
    assert not c.gives_witnesses and frontier.strategy == strategy


def test_unknown_is_raised_unless_it_is_kept() -> None:
    oracle = Unsure(di.intervals(9), lambda sample: len(sample) > 2)
    for batch in (1, 4):
        frontier = OracleFrontier(at.OracleClass(find=oracle.find, batch=batch))
        with pytest.raises(OracleUnknown, match="too hard"):
            for x in range(9):
                step(frontier, x)
        assert rows(frontier) == oracle.labellings(frontier.points)


def test_keeping_costs_few_calls() -> None:
    """A tenth of the samples is undecided: still far fewer calls than path by path."""
    table = di.intervals(30)
    calls = {}
    for strategy in ("cubes", "literal"):
        oracle = Unsure(table, lambda sample: sum(7 * x + 3 * y for x, y in sample) % 10 == 0)
        c = at.OracleClass(find=oracle.find, on_unknown="keep", strategy=strategy)
        frontier = OracleFrontier(c)
        for x in ordered(30, "random")[:18]:
            step(frontier, x)
        calls[strategy] = frontier.queries.posed / frontier.queries.asked
    assert calls["cubes"] < 0.6 * calls["literal"]


# ------------------------------------------------------------------------------------------------ choosing by cost


@pytest.mark.parametrize("form", ["find", "realizable"])
@pytest.mark.parametrize("name", SMALL)
def test_whatever_a_call_costs_the_rows_are_the_same(name: str, form: str) -> None:
    table = SMALL[name]
    frontiers = [frontier_over(TableOracle(table), form, call_cost=cost) for cost in (0, 1e-4, 10)]
    for x in ordered(table.shape[1], "random")[:9]:
        for frontier in frontiers:
            step(frontier, x)
            assert (frontier.labels == frontiers[0].labels).all()


def posed(table: Table, **options: Any) -> tuple[int, OracleFrontier]:
    frontier = frontier_over(TableOracle(table), "find", **options)
    for x in ordered(table.shape[1], "random"):
        step(frontier, x)
    return frontier.queries.posed, frontier


def test_cheap_calls_are_made_dear_ones_are_saved() -> None:
    ways: list[dict[str, Any]] = [{"strategy": "literal"}, {"strategy": "cubes"}, {"call_cost": 0}, {"call_cost": 1e-4}]
    literal, cubes, free, cheap = (posed(di.distinct(di.bits(8)), **way)[0] for way in ways)
    assert literal == cubes == free == cheap, "nothing can be saved on a shattered set"
    literal, cubes, free, cheap = (posed(di.intervals(30), **way)[0] for way in ways)
    assert cubes == cheap < 0.25 * literal, "from a tenth of a millisecond on cubes pay here"
    assert cubes < free < literal
    assert posed(di.distinct(di.bits(8)), call_cost=0)[1].strategy == "literal"


def test_calls_to_oracles_of_bits_are_dear_from_milliseconds_on() -> None:
    for cost, strategy in ((None, "bits"), (1e-4, "literal"), (3e-3, "bits")):
        frontier = frontier_over(TableOracle(di.pairs(20)), "realizable", call_cost=cost)
        assert frontier.strategy == "bits", "there are few rows"
        for x in ordered(20, "random"):
            step(frontier, x)
        assert frontier.width > FEW and frontier.strategy == strategy
