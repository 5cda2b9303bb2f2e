"""Ghost(d): its bound against every adversary of small games, and its row form against its scalar form."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.core.errors import ContradictoryOracle, InvalidArgument, MistakeBoundExceeded
from adeptree.families.finite.finite_class import FiniteClass
from adeptree.families.finite.partition import PartitionFrontier
from adeptree.ghost import Ghost, ghost_plans, ghost_stages, majority
from adeptree.ghost import two_two_game as exact
from adeptree.ghost.ghost_learner import GhostHistory
from adeptree.ghost.ghost_plans import mistake_bound, stage_bound
from adeptree.ghost.trees import has_tree
from adeptree.roles.base_learner import RowLearner
from adeptree.roles.frontier import Children, Frontier

Row = tuple[int, ...]
Rows = frozenset[Row]

# ---------------------------------------------------------------------------------------- small classes


def thresholds(n: int) -> Rows:
    return frozenset(tuple(int(x >= a) for x in range(n)) for a in range(n + 1))


def intervals(n: int) -> Rows:
    return frozenset(tuple(int(a <= x < b) for x in range(n)) for a in range(n + 1) for b in range(n + 1))


def unions(d: int, n: int) -> Rows:
    return frozenset(
        tuple(int(x in chosen) for x in range(n))
        for size in range(d + 1)
        for chosen in itertools.combinations(range(n), size)
    )


def singletons(n: int) -> Rows:
    return unions(1, n) - {(0,) * n}


def parities(n: int) -> Rows:
    cube = list(itertools.product((0, 1), repeat=n))
    return frozenset(tuple(sum(map(int.__mul__, a, x)) % 2 for x in cube) for a in cube)


def beside(left: Rows, right: Rows) -> Rows:
    """The product on disjoint domains: Littlestone dimensions add."""
    return frozenset(a + b for a in left for b in right)


@cache
def shatters(rows: Rows, depth: int) -> bool:
    """Does the class contain a tree of that depth? Straight from the definition."""
    if len(rows) < 1 << depth:
        return False
    if depth == 0:
        return True
    for x in range(len(next(iter(rows)))):
        ones = frozenset(row for row in rows if row[x])
        if ones and ones != rows and shatters(ones, depth - 1) and shatters(rows - ones, depth - 1):
            return True
    return False


def ldim(rows: Rows) -> int:
    return max(depth for depth in range(len(rows).bit_length()) if shatters(rows, depth))


def random_class(rng: np.random.Generator, n: int, d: int, tries: int = 30) -> Rows:
    """A class of dimension d: random concepts, each added if the dimension stays <= d."""
    while True:
        rows: Rows = frozenset()
        for _ in range(tries):
            more = rows | {tuple(rng.integers(2, size=n).tolist())}
            if not shatters(more, d + 1):
                rows = more
        if shatters(rows, d):
            return rows


class Oracle:
    """The weak-consistency oracle of a class, which remembers and counts its distinct questions."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.answers: dict[tuple[tuple[int, int], ...], bool] = {}

    def __call__(self, sample: Any) -> bool:
        key = tuple(sample)
        if key not in self.answers:
            self.answers[key] = any(all(row[x] == y for x, y in key) for row in self.rows)
        return self.answers[key]


# ------------------------------------------------------------------------------------- 1: the numbers


def test_mistake_bounds() -> None:
    assert [Ghost(d).mistake_bound for d in range(6)] == [0, 2, 9, 67, 1012, 39631]
    assert [stage_bound(dimension) for dimension in range(1, 6)] == [1, 6, 57, 944, 38618]


def test_the_bound_of_any_dimension_is_that_of_its_stages() -> None:
    assert all(mistake_bound(d) == sum(stage_bound(D) + 1 for D in range(1, d + 1)) for d in range(33))
    assert all(2 ** (d * (d + 1) // 2) <= mistake_bound(d) for d in range(5, 33))
    assert [d for d in range(33) if Ghost(d).mistake_bound != mistake_bound(d)] == list(range(23, 33))
    assert Ghost(32).mistake_bound == 2**256, "no number of a learner is larger"


@pytest.mark.parametrize("d", [15, 32])
def test_a_large_dimension_plays_and_is_saved(d: int, tmp_path: Path) -> None:
    learner = at.Adept(at.Intervals(30), horizon=60, base=Ghost(d))
    stream = [(7 * t % 30, t % 3 % 2) for t in range(40)]
    for x, y in stream[:20]:
        learner.learn(x, y)
    learner.save(tmp_path / "learner")
    again = at.load(tmp_path / "learner")
    for x, y in stream[20:]:
        assert learner.predict_proba(x) == again.predict_proba(x)
        learner.learn(x, y)
        again.learn(x, y)


def test_six_mistakes_win_the_exact_game_and_five_do_not() -> None:
    assert exact.can_win((), 6)
    assert not exact.can_win((), 5)


def test_repr_and_arguments() -> None:
    assert repr(Ghost(2)) == "Ghost(d=2)"
    assert Ghost(2) == Ghost(2).bind(FiniteClass([[0, 1]])) and Ghost(2) != Ghost(3)
    for wrong in (-1, 1.5, True, "2"):
        with pytest.raises(InvalidArgument, match="d must be an int >= 0"):
            Ghost(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"bind\(concept_class\)"):
        Ghost(1).predict(Ghost(1).start(), 0)


# ------------------------------------- 2: adversaries that make up the class as they go, all of them


class Made:
    """An oracle for the class made up so far: the ghosts with these labels at x, and both for the truth."""

    state: GhostHistory
    labels: Row

    def __call__(self, sample: Any) -> bool:
        *past, (_, y) = sample
        history = tuple(label for _, label in past)
        if history == self.state.truth:
            return True
        return bool(self.labels[self.state.ghosts.index(history)] == y)


def moves(state: GhostHistory) -> Iterator[Row]:
    """All labellings of the ghosts that keep the dimension of ghosts and truth <= D.

    Only the ghosts in use are held to that, so the adversary may do more than is legal.
    """
    for labels in itertools.product((0, 1), repeat=len(state.ghosts)):
        rows = [(*ghost, label) for ghost, label in zip(state.ghosts, labels, strict=True)]
        if not shatters(frozenset([*rows, (*state.truth, 0), (*state.truth, 1)]), state.stage.dimension + 1):
            yield labels


def most_mistakes(d: int) -> tuple[int, int]:
    """Play every adversary that errs the learner in every round; return its best result and the nodes."""
    oracle = Made()
    learner = Ghost(d, oracle)
    seen: set[GhostHistory] = set()
    todo = [learner.start()]
    while todo:
        state = todo.pop()
        oracle.state = state
        for oracle.labels in moves(state) if state.stage.dimension else ():
            x = len(state.points)
            after = learner.update(state, x, 1 - learner.predict(state, x))
            learner._recent.answers = None  # the oracle changes its mind between moves
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return max(len(state.truth) for state in seen), len(seen)


@pytest.mark.parametrize(("d", "most"), [(1, 2), (2, 9)])
def test_every_adversary_that_makes_up_its_class(d: int, most: int) -> None:
    found, nodes = most_mistakes(d)
    assert found == most == Ghost(d).mistake_bound
    assert nodes > 1


# --------------------------------------------------- 3: small classes, all orders and all labels


def worst_order(rows: Rows, d: int) -> int:
    """The most mistakes over all orders of the points and all realizable labels."""
    oracle = Oracle(rows)
    learner = Ghost(d, oracle)

    def play(state: GhostHistory, left: frozenset[int], mistakes: int) -> int:
        worst = mistakes
        for x in left:
            predicted = learner.predict(state, x)
            for y, possible in enumerate(learner._ask(state, x).possible):
                if possible:
                    after = learner.update(state, x, y)
                    worst = max(worst, play(after, left - {x}, mistakes + (y != predicted)))
        return worst

    return play(learner.start(), frozenset(range(len(next(iter(rows))))), 0)


@pytest.mark.parametrize(
    ("rows", "d", "worst"),
    [
        (thresholds(5), 2, 5),
        (thresholds(6), 2, 6),
        (singletons(6), 1, 1),
        (unions(1, 6), 1, 1),
        (unions(2, 6), 2, 2),
        (unions(3, 5), 3, 3),
        (intervals(5), 3, 5),
        (parities(2), 2, 2),
        (beside(thresholds(2), thresholds(3)), 3, 5),
        (frozenset(itertools.product((0, 1), repeat=3)), 3, 3),
    ],
    ids=lambda value: f"{len(value)} concepts" if isinstance(value, frozenset) else str(value),
)
def test_small_classes_in_every_order(rows: Rows, d: int, worst: int) -> None:
    assert ldim(rows) == d
    assert worst_order(rows, d) == worst <= mistake_bound(d)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_random_classes_in_every_order(d: int) -> None:
    rng = np.random.default_rng(d)
    assert max(worst_order(random_class(rng, 5, d), d) for _ in range(12)) <= mistake_bound(d)


# ------------------------------------------------------------------- plans alone, against any splits


def play_plan(plan: ghost_plans.Plan, rng: np.random.Generator) -> list[int]:
    """Let the plan err on random splits until it is finished; return the columns of the mistakes."""
    columns: list[int] = []
    while not ghost_plans.finished(plan):
        ghosts = len(columns)
        ones = int.from_bytes(rng.bytes(ghosts // 8 + 1), "little") & ((1 << ghosts) - 1)
        if rng.random() < 0.5:
            ones = (1 << int(rng.integers(ghosts + 1))) - 1
        predicted = ghost_plans.predict(plan, ones, int(rng.integers(2)))
        plan = ghost_plans.mistake(plan, ghosts, ones, predicted)
        wrong = ones if predicted else ((1 << ghosts) - 1) & ~ones
        columns.append(wrong | 1 << ghosts)
    return columns


def every_split_has_a_tree(columns: list[int], dimension: int, rng: np.random.Generator, splits: int) -> bool:
    """(D|D) on random splits, with the trunk as one more function that is never on a wrong side."""
    everyone = (1 << len(columns)) - 1
    trunk = 1 << len(columns)
    sides = (int.from_bytes(rng.bytes(len(columns) // 8 + 1), "little") & everyone for _ in range(splits))
    return all(
        has_tree(columns, side | trunk, dimension) or has_tree(columns, (everyone ^ side) | trunk, dimension)
        for side in sides
    )


@pytest.mark.parametrize(("dimension", "runs"), [(1, 3), (2, 40), (3, 40), (4, 1)])
def test_plans_force_a_tree_on_every_split_in_time(dimension: int, runs: int) -> None:
    rng = np.random.default_rng(dimension)
    for _ in range(runs):
        columns = play_plan(ghost_plans.stage_plan(dimension), rng)
        assert len(columns) <= stage_bound(dimension)
        if dimension < 4:  # looking for a tree among 944 functions takes too long
            assert every_split_has_a_tree(columns, dimension, rng, splits=30)


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_recursive_majority_forces_a_tree_on_every_split(dimension: int) -> None:
    rng = np.random.default_rng(dimension)
    for _ in range(5):
        columns = play_plan(majority.robust(dimension, 1), rng)
        assert len(columns) == majority.robust_cost(dimension, 1)
        assert every_split_has_a_tree(columns, dimension, rng, splits=20)


def test_the_plans_written_down_are_what_the_search_finds(tmp_path: Path) -> None:
    root, made = Path(__file__).parents[2], tmp_path / "plans.json"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "src"), os.environ.get("PYTHONPATH", "")])}
    subprocess.run(
        [sys.executable, str(root / "benchmarks/ghost_plans.py"), str(made)], check=True, env=env, timeout=90
    )
    assert made.read_bytes() == (root / "src/adeptree/ghost/covering_plans.json").read_bytes()


# --------------------------------------------------------------- long games on classes made to be hard


def hard_class(d: int, rng: np.random.Generator, rounds: int = 40) -> tuple[list[Row], int]:
    """Make up a class of dimension <= d on which Ghost(d) errs in every round, in the order of its points.

    Returns the class and the number of mistakes on its first row.
    """
    rows: list[Row] = [()]
    state = Ghost(d).start()
    for x in range(rounds):
        for _ in range(30):
            labels = _random_labels(rows, rng)
            truth, *others = rows
            more = [(*row, label) for row, label in zip(others, labels, strict=True)]
            both = [(*truth, 0), (*truth, 1)]
            if not shatters(frozenset(more + both), d + 1):
                break
        else:
            return rows, x
        learner = Ghost(d, Oracle(frozenset(more + both)))
        predicted = learner.predict(state, x)
        state = learner.update(state, x, 1 - predicted)
        rows = [both[1 - predicted], *more, both[predicted]]
    return rows, rounds


def _random_labels(rows: list[Row], rng: np.random.Generator) -> list[int]:
    ghosts = len(rows) - 1
    if rng.random() < 0.5:
        return [int(row < rng.integers(ghosts + 1)) for row in range(ghosts)]
    return [int(rng.random() < 0.3) for _ in range(ghosts)]


@pytest.mark.parametrize(("d", "at_least"), [(1, 2), (2, 6), (3, 10)])
def test_hard_classes_stay_within_the_bound(d: int, at_least: int) -> None:
    rng = np.random.default_rng(7)
    most = max(hard_class(d, rng)[1] for _ in range(8))
    assert at_least <= most <= mistake_bound(d)


# ----------------------------------------------------------------- 4: the row form is the scalar form


class Pair:
    """The row form on a frontier, next to one scalar learner per path."""

    def __init__(self, rows: Rows | list[Row], d: int) -> None:
        self.frontier: Frontier = PartitionFrontier(FiniteClass(sorted(rows)))
        self.learner = Ghost(d, Oracle(frozenset(rows)))
        self.rows = Ghost(d).rows(self.frontier)
        self.states = [self.learner.start()]
        self.mistakes = [0]

    def round(self, x: int) -> None:
        split = self.frontier.split(x)
        labels = self.rows.predict(split)
        expected = [self.learner.predict(state, x) for state in self.states]
        assert labels.astype(int).tolist() == expected
        children = split.children
        self.rows.grow(children)
        self.frontier.grow(children)
        pairs = list(zip(children.parent.tolist(), children.label.astype(int).tolist(), strict=True))
        self.mistakes = [self.mistakes[parent] + (expected[parent] != y) for parent, y in pairs]
        self.states = [self.learner.update(self.states[parent], x, y) for parent, y in pairs]
        self.same_states()

    def same_states(self) -> None:
        rows: Any = self.rows
        for row, state in enumerate(self.states):
            ghosts = [self.states[ghost].truth for ghost in rows._ghosts[row] if ghost >= 0]
            assert ghosts == list(state.ghosts)
            assert rows._dimension[row] == state.stage.dimension
            assert rows._kept[row] == state.stage.kept
            assert rows._plans[rows._plan[row]] == state.stage.plan


def test_columns_that_show_nothing_new_are_not_kept() -> None:
    """A repeated point, and one that all rows label alike, take no room, even on a stream without end."""
    frontier = PartitionFrontier(FiniteClass([[0, 0, 1, 1, 0], [0, 1, 1, 1, 0], [1, 1, 1, 0, 0]]))
    rows: Any = Ghost(3).rows(frontier)
    kept = []
    for x in (2, 0, 0, 4, 1, 0, 1, 2, 3):
        children = frontier.split(x).children
        rows.grow(children)
        frontier.grow(children)
        kept.append(rows._labels.points)
    assert kept == [0, 1, 1, 1, 2, 2, 2, 2, 3]


CLASSES = {
    "thresholds": (thresholds(14), 3),
    "intervals": (intervals(6), 4),
    "unions": (unions(2, 8), 2),
    "parities": (parities(3), 3),
    "product": (beside(thresholds(6), singletons(4)), 3),
    "too large d": (thresholds(6), 5),
    "large d": (thresholds(20), 15),
    "all": (frozenset(itertools.product((0, 1), repeat=5)), 5),
}


@pytest.mark.parametrize("name", CLASSES)
def test_rows_equal_scalar(name: str) -> None:
    rows, d = CLASSES[name]
    rng = np.random.default_rng(3)
    for _ in range(4):
        pair = Pair(rows, d)
        points = len(next(iter(rows)))
        for x in [*rng.permutation(points).tolist(), *rng.integers(points, size=3).tolist()]:
            pair.round(x)
        assert len(pair.states) == len(rows)
        assert max(pair.mistakes) <= mistake_bound(d)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_rows_equal_scalar_on_hard_and_random_classes(d: int) -> None:
    rng = np.random.default_rng(10 + d)
    for _ in range(4):
        hard, mistakes = hard_class(d, rng)
        pair = Pair(hard, d)
        for x in range(mistakes):
            pair.round(x)
        assert max(pair.mistakes) >= mistakes
    for _ in range(10):
        pair = Pair(random_class(rng, 7, d), d)
        for x in rng.permutation(7).tolist():
            pair.round(x)


# --------------------------------------------------------------------------------- 5: no oracle is asked


def advance(frontier: Frontier, rows: RowLearner, x: int, predict: bool = True) -> list[bool]:
    split = frontier.split(x)
    labels = rows.predict(split).tolist() if predict else []
    rows.grow(split.children)
    frontier.grow(split.children)
    return labels


def test_rows_ask_no_oracle() -> None:
    def forbidden(sample: Any) -> bool:
        raise AssertionError("the row form asked the oracle")

    frontier = PartitionFrontier(FiniteClass(sorted(thresholds(14))))
    rows = Ghost(3, forbidden).rows(frontier)
    asked = 0
    for x in np.random.default_rng(0).permutation(14).tolist():
        asked += 2 * frontier.width
        advance(frontier, rows, x)
        assert frontier.queries.asked == asked


def test_a_single_history_asks_at_most_two_queries_a_function() -> None:
    calls = 0
    rows = thresholds(31)

    def counting(sample: Any) -> bool:
        nonlocal calls
        calls += 1
        return any(all(row[x] == y for x, y in sample) for row in rows)

    learner = Ghost(5, counting)
    state = learner.start()
    for x in np.random.default_rng(0).permutation(31).tolist():
        calls = 0
        learner.predict(state, x)
        grown = learner.update(state, x, int(x >= 11))
        assert calls == 2 + len(state.ghosts) <= 2 * (len(state.ghosts) + 1)
        state = grown


# --------------------------------------------------------------------------------- 6: d is too small


@pytest.mark.parametrize(
    ("rows", "d"),
    [
        (unions(1, 3), 0),
        (thresholds(7), 1),
        (unions(3, 5), 1),
        (frozenset(itertools.product((0, 1), repeat=7)), 2),
        (intervals(12), 2),
    ],
    ids=["0", "thresholds", "unions", "all", "intervals"],
)
def test_too_small_d_is_said(rows: Rows, d: int) -> None:
    assert shatters(rows, d + 1)
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(6):
        pair = Pair(rows, d)
        for x in rng.permutation(len(next(iter(rows)))).tolist():
            if any(_raises(pair.learner, state, x) for state in pair.states):
                with pytest.raises(MistakeBoundExceeded, match=f"dimension of the class is more than {d} "):
                    pair.rows.predict(pair.frontier.split(x))
                pair.same_states()  # nothing was committed
                found += 1
                break
            pair.round(x)
    assert found


def test_the_other_proofs_that_d_is_too_small() -> None:
    with pytest.raises(MistakeBoundExceeded, match="both sides of a point"):
        ghost_stages.tree_label(d=1, dimension=1, ghosts=2, ones=0b01, columns=[0b001, 0b010])
    done = ghost_plans.mistake(ghost_plans.stage_plan(1), 0, ones=0, predicted=0)
    with pytest.raises(MistakeBoundExceeded, match="a finished plan"):
        ghost_stages.plan_label(1, done, ones=0, default=0)


def _raises(learner: Ghost, state: GhostHistory, x: int) -> bool:
    try:
        learner.predict(state, x)
    except MistakeBoundExceeded:
        return True
    return False


def test_unrealizable_histories_are_refused() -> None:
    learner = Ghost(1, Oracle(singletons(3)))
    state = learner.update(learner.start(), 0, 1)
    assert learner.predict(state, 1) == 0
    with pytest.raises(InvalidArgument, match="no concept of the class continues this one"):
        learner.update(state, 1, 1)
    with pytest.raises(ContradictoryOracle, match="denies both labels"):
        Ghost(1, lambda sample: False).predict(learner.start(), 0)


# --------------------------------------------------------------------- 7: states, speculation, pruning


ARRAYS = ("dimension", "kept", "ghosts", "plan", "labels")


@pytest.mark.parametrize(
    ("name", "d"), [("thresholds", 3), ("product", 3), ("all", 5), ("large d", 15), ("large d", 32)]
)
def test_state_round_trip(name: str, d: int) -> None:
    concepts, _ = CLASSES[name]
    points = np.random.default_rng(5).permutation(len(next(iter(concepts)))).tolist()
    frontier = PartitionFrontier(FiniteClass(sorted(concepts)))
    rows = Ghost(d).rows(frontier)
    half = len(points) // 2
    for x in points[:half]:
        advance(frontier, rows, x)
    saved = json.loads(json.dumps(rows.state(), default=np.ndarray.tolist))
    other = Ghost(d).rows(frontier)
    other.restore(
        saved | {name: np.array(saved[name], dtype=rows.state()[name].dtype) for name in ARRAYS}, frontier.width
    )
    for x in points[half:]:
        split = frontier.split(x)
        assert rows.predict(split).tolist() == other.predict(split).tolist()
        rows.grow(split.children)
        other.grow(split.children)
        frontier.grow(split.children)
    assert json.dumps(rows.state(), default=np.ndarray.tolist) == json.dumps(other.state(), default=np.ndarray.tolist)


def test_predictions_commit_nothing() -> None:
    points = np.random.default_rng(1).permutation(14).tolist()
    ends = []
    for predicts, elsewhere in ((True, False), (True, True), (False, False)):
        frontier = PartitionFrontier(FiniteClass(sorted(thresholds(14))))
        rows = Ghost(3).rows(frontier)
        for x in points:
            if elsewhere:
                rows.predict(frontier.split(x))
                rows.predict(frontier.split((x + 1) % 14))
            advance(frontier, rows, x, predict=predicts)
        ends.append(json.dumps(rows.state(), default=np.ndarray.tolist))
    assert ends[0] == ends[1] == ends[2]


@pytest.mark.parametrize("name", ["thresholds", "product", "all", "large d"])
def test_dropped_rows_drop_their_ghosts(name: str) -> None:
    concepts, d = CLASSES[name]
    rng = np.random.default_rng(2)
    frontier = PartitionFrontier(FiniteClass(sorted(concepts)))
    rows: Any = Ghost(d).rows(frontier)
    for x in rng.permutation(len(next(iter(concepts)))).tolist():
        split = frontier.split(x)
        labels = rows.predict(split)
        assert labels.shape == (frontier.width,)
        kept = rng.random(len(split.children.parent)) < 0.8
        kept[0] = True
        children: Children = split.children.only(kept)
        rows.grow(children)
        frontier.grow(children)
        ghosts = rows._ghosts
        assert len(ghosts) == len(rows._plan) == frontier.width
        assert ghosts.max() < frontier.width
        there = ghosts >= 0
        assert (there[:, :-1] >= there[:, 1:]).all()
        assert (rows._kept <= there.sum(axis=1)).all()
