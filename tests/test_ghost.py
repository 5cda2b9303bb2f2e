"""Ghost(d): its bound against every adversary of small games, and its row form against its scalar form."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from adeptree.bases.base import RowLearner
from adeptree.bases.ghost import Ghost
from adeptree.bases.ghost import exact, majority, plans
from adeptree.bases.ghost.bounds import mistake_bound, pruned_bound, stage_bound, staged_bound
from adeptree.bases.ghost.learner import History
from adeptree.bases.ghost.trees import has_tree
from adeptree.classes.finite import FiniteClass
from adeptree.errors import ContradictoryOracle, InvalidArgument, MistakeBoundExceeded
from adeptree.frontiers.base import Children, Frontier
from adeptree.frontiers.partition import PartitionFrontier

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


def test_large_dimensions_take_the_smaller_formula() -> None:
    assert [staged_bound(d) <= pruned_bound(d) for d in (13, 14, 15, 16)] == [True, True, False, False]
    assert mistake_bound(14) == staged_bound(14)
    assert mistake_bound(20) == 15 * 225**20 // 14


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

    state: History
    labels: Row

    def __call__(self, sample: Any) -> bool:
        *past, (_, y) = sample
        history = tuple(label for _, label in past)
        if history == self.state.truth:
            return True
        return self.labels[self.state.ghosts.index(history)] == y


def moves(state: History) -> Iterator[Row]:
    """All labellings of the ghosts that keep the dimension of ghosts and truth <= D.

    Only the ghosts in use are held to that, so the adversary may do more than is legal.
    """
    for labels in itertools.product((0, 1), repeat=len(state.ghosts)):
        rows = [(*ghost, label) for ghost, label in zip(state.ghosts, labels, strict=True)]
        columns = [
            sum(label << row for row, label in enumerate(column))
            for column in zip(*rows, (*state.truth, 0), (*state.truth, 1), strict=True)
        ]
        if not has_tree(columns, (1 << (len(rows) + 2)) - 1, state.stage.dimension + 1):
            yield labels


def most_mistakes(d: int) -> tuple[int, int]:
    """Play every adversary that errs the learner in every round; return its best result and the nodes."""
    oracle = Made()
    learner = Ghost(d, oracle)
    seen: set[History] = set()
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
