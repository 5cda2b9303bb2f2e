"""Oracle frontiers keep the contract of frontiers: nothing committed, rows dropped, saved; and broken oracles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dichotomies as di
import numpy as np
import pytest
from dichotomies import SMALL, Table, TableOracle, frontier_over, ordered, rows, step

import adeptree as at
from adeptree.families.registry import frontier_of
from adeptree.oracles.oracle_frontier import OracleFrontier

Sample = Sequence[tuple[Any, int]]
FORMS = ("find", "realizable")

every_form = pytest.mark.parametrize("form", FORMS)


@every_form
def test_splitting_commits_nothing(form: str) -> None:
    table = di.intervals(9)
    frontier, straight = (frontier_over(TableOracle(table), form) for _ in range(2))
    for x, other in [(4, 1), (1, 8), (6, 4), (8, 2)]:
        chosen = frontier.split(x).children
        frontier.split(other)
        frontier.split(x)
        frontier.grow(chosen)
        step(straight, x)
        assert (frontier.labels == straight.labels).all()
        assert rows(frontier) == TableOracle(table).labellings(frontier.points)


@every_form
@pytest.mark.parametrize("name", SMALL)
def test_dropped_rows_make_it_literal(name: str, form: str) -> None:
    table = SMALL[name]
    oracle = TableOracle(table)
    frontier = frontier_over(oracle, form)
    rng = np.random.default_rng(3)
    kept: set[tuple[bool, ...]] = {()}
    for t, x in enumerate(ordered(table.shape[1], "random")[:8], start=1):
        children = frontier.split(x).children
        grown = np.column_stack([frontier.labels[children.parent], children.label])
        possible = oracle.labellings([*frontier.points, x])
        assert set(map(tuple, grown.tolist())) == {row for row in possible if row[:-1] in kept}
        some = rng.random(len(grown)) < (1.0 if t < 4 else 0.7)
        some[0] = True
        frontier.grow(children.only(some))
        kept = set(map(tuple, grown[some].tolist()))
        assert rows(frontier) == kept
        again = frontier_over(oracle, form)
        again.restore(frontier.state())
        assert again.strategy == frontier.strategy
    assert frontier.strategy == "literal" or len(kept) == len(possible)


@every_form
@pytest.mark.parametrize("name", SMALL)
def test_a_restored_frontier_goes_on(name: str, form: str) -> None:
    table = SMALL[name]
    xs = ordered(table.shape[1], "random")
    oracle, other = TableOracle(table), TableOracle(table)
    frontier, restored = frontier_over(oracle, form), frontier_over(other, form)
    for x in xs[: len(xs) // 2]:
        step(frontier, x)
    restored.restore(frontier.state())
    restored.queries.asked, restored.queries.posed = frontier.queries.asked, frontier.queries.posed
    for x in xs[len(xs) // 2 :]:
        step(frontier, x)
        step(restored, x)
        assert (frontier.labels == restored.labels).all()
    if form == "realizable":
        assert restored.queries == frontier.queries
    else:  # concepts that were lost are found again, at most one call each
        assert restored.queries.posed <= frontier.queries.posed + 2 * frontier.width


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("costs", np.ones(5)),
        ("costs", np.array([0.5, np.nan])),
        ("counted", np.ones((2, 2))),
        ("counted", "negative"),
        ("sides", np.ones((2, 2))),
        ("rounds", -1),
        ("rounds", True),
    ],
)
def test_what_cannot_have_been_learnt_is_refused(name: str, value: Any) -> None:
    frontier = frontier_over(TableOracle(di.intervals(9)), "realizable")
    state = frontier.state()
    ways = state["bits_only"]
    altered = -ways[name] if isinstance(value, str) else value
    with pytest.raises(ValueError, match=f"{name} cannot be what a learner saved"):
        frontier.restore({**state, "bits_only": {**ways, name: altered}})


def test_any_class_with_find_is_asked_in_cubes() -> None:
    class Own(at.BlockUnions):
        calls = 0

        def find(self, sample: Any) -> Any:
            type(self).calls += 1
            return self.erm(sample) if self.realizable(sample) else None

    frontier = OracleFrontier(Own(1))
    assert frontier.strategy == "cubes"
    for x in "abcabd":
        step(frontier, x)
    assert frontier.width == 5 and frontier.queries.posed == Own.calls < frontier.queries.asked / 2


@pytest.mark.parametrize("options", [{"strategy": "clever"}, {"strategy": "cubes", "repeats": "ask"}])
def test_strategies_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(at.errors.InvalidArgument, match="strategy"):
        at.OracleClass(find=lambda sample: None, **options)
    with pytest.raises(at.errors.InvalidArgument, match="needs find="):
        at.OracleClass(realizable=lambda sample: True, strategy="cubes")


def test_short_samples() -> None:
    """An oracle for thresholds is asked about one old point at most, not about whole histories."""
    lengths = []
    oracle = TableOracle(di.thresholds(60))

    def find(sample: Sample) -> Any:
        lengths.append(len(sample))
        return oracle.find(sample)

    frontier = OracleFrontier(at.OracleClass(find=find))
    for x in ordered(60, "random"):
        step(frontier, x)
    assert max(lengths) <= 3 and np.mean(lengths) < 2.5


# ------------------------------------------------------------------------------------------------ broken oracles


class Broken(TableOracle):
    """Turns bad after some calls."""

    good = 6

    def __init__(self, table: Table, how: str) -> None:
        super().__init__(table)
        self.how = how

    def find(self, sample: Any) -> Any:
        concept = super().find(sample)
        if self.calls <= self.good:
            return concept
        if self.how == "does not fit":
            return lambda x: 1 - sample[0][1]
        if self.how == "new past":
            return lambda x, known=dict(sample): known.get(x, x % 2)
        return concept


@pytest.mark.parametrize(
    ("how", "sentence"), [("does not fit", "does not have the labels"), ("new past", "denied before")]
)
def test_a_broken_witness_is_noticed(how: str, sentence: str) -> None:
    learner = at.Adept(at.OracleClass(find=Broken(di.thresholds(12), how).find), 12, base=at.Halving(at.Thresholds(12)))
    learner.learn(5, 1)
    learner.learn(8, 1)
    before = learner.paths.frontier.state(), learner.rounds, learner.width
    with pytest.raises(at.errors.ContradictoryOracle, match=sentence):
        for x in (2, 10, 6):
            learner.predict_proba(x)
    assert (learner.rounds, learner.width) == before[1:]
    after = learner.paths.frontier.state()
    assert (after["labels"] == before[0]["labels"]).all() and after["points"] == before[0]["points"]


def test_an_oracle_that_takes_a_denial_back_is_noticed() -> None:
    """Label 1 at "c" is denied where "a" is 0; then, for "b" being 0, a concept comes that has it where both are."""
    denied: list[Sample] = []

    def find(sample: Sample) -> Any:
        labels = dict(sample)
        if labels.get("c"):
            denied.append(sample)
            return None if len(denied) == 1 else lambda x: int(x == "c")
        return lambda x: labels.get(x, int(x == "c" and labels == {"a": 1, "b": 1}))

    frontier = OracleFrontier(at.OracleClass(find=find))
    step(frontier, "a")
    step(frontier, "b")
    frontier.witnesses = [None, None, None, lambda x: 1]
    assert frontier.width == 4
    with pytest.raises(at.errors.ContradictoryOracle, match="denied before that"):
        frontier.split("c")
    assert denied == [[("a", 0), ("c", 1)], [("b", 0), ("c", 1)]]
    assert frontier.width == 4


def test_an_empty_class_is_noticed() -> None:
    for form in FORMS:
        frontier = frontier_over(TableOracle(np.zeros((0, 3), dtype=np.bool_)), form)
        with pytest.raises(at.errors.ContradictoryOracle, match=r"empty sample|both labels"):
            frontier.split(1)
        assert frontier.width == 1


def test_frontier_of_an_oracle_class() -> None:
    assert isinstance(frontier_of(at.OracleClass(realizable=lambda sample: True)), OracleFrontier)
