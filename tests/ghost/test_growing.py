"""Ghost() without d: its bound, its row form, and that it poses no queries itself."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.checks import check
from adeptree.core.errors import InvalidArgument, StateError
from adeptree.families.finite.finite_class import FiniteClass
from adeptree.families.finite.partition import PartitionFrontier
from adeptree.families.registry import default_base
from adeptree.ghost import Ghost, mistake_bound
from adeptree.ghost.ghost_learner import GhostHistory
from adeptree.ghost.saved_ghosts import check_ghosts
from adeptree.ghost.trees import has_tree
from reproduction.experiments.cited import forced, probed
from reproduction.experiments.oracle_efficiency import Listening

Rows = frozenset[tuple[int, ...]]


def bound(d: int) -> int:
    return sum(map(mistake_bound, range(d + 1)))


def thresholds(n: int) -> Rows:
    return frozenset(tuple(int(x >= a) for x in range(n)) for a in range(n + 1))


def unions(d: int, n: int) -> Rows:
    return frozenset(row for row in itertools.product((0, 1), repeat=n) if sum(row) <= d)


def intervals(n: int) -> Rows:
    return frozenset(tuple(int(a <= x < b) for x in range(n)) for a in range(n + 1) for b in range(n + 1))


def dimension(rows: Rows) -> int:
    listed = sorted(rows)
    columns = [sum(row[x] << i for i, row in enumerate(listed)) for x in range(len(listed[0]))]
    return next(k for k in itertools.count() if not has_tree(columns, (1 << len(listed)) - 1, k + 1))


def oracle(rows: Rows) -> Any:
    return cache(lambda sample: any(all(row[x] == y for x, y in sample) for row in rows))


def bound_to(rows: Rows, d: int | None = None) -> Ghost:
    asked = oracle(rows)
    return Ghost(d, lambda sample: asked(tuple(sample)))


CLASSES = {
    "thresholds": thresholds(15),
    "unions": unions(3, 7),
    "intervals": intervals(7),
    "all": frozenset(itertools.product((0, 1), repeat=6)),
    "one": frozenset({(0, 1, 1)}),
}


def test_the_bound_that_the_page_states() -> None:
    assert [bound(d) for d in range(6)] == [0, 2, 11, 78, 1090, 40721]
    assert Ghost().mistake_bound is None and Ghost() == Ghost(None) != Ghost(1)


# ------------------------------------------------------------------------------------------- the bound


@pytest.mark.parametrize("rows", [thresholds(5), unions(2, 5), unions(3, 5), intervals(4)], ids=len)
def test_every_order_and_labelling_of_small_classes(rows: Rows) -> None:
    learner, d = bound_to(rows), dimension(rows)
    most = 0

    def play(state: GhostHistory, left: frozenset[int], mistakes: int) -> None:
        nonlocal most
        most = max(most, mistakes)
        assert state.d <= max(d, 1), "only what is too small is refuted"
        for x in left:
            predicted = learner.predict(state, x)
            for y, possible in enumerate(learner._ask(state, x).possible):
                if possible:
                    play(learner.update(state, x, y), left - {x}, mistakes + (y != predicted))

    play(learner.start(), frozenset(range(len(next(iter(rows))))), 0)
    assert d <= most <= bound(d)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_against_an_adversary_that_tries_what_it_would_say(d: int, seed: int) -> None:
    assert probed(Ghost(), d, seed) <= bound(d)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_against_the_adversary_of_the_lower_bound(d: int) -> None:
    game = forced(Ghost(), d, "full")
    assert max(2, 3**d if d > 1 else 0) <= game["mistakes"] <= bound(d)
    assert (game["dimension"], game["refuted"]) == (d, 0)


# --------------------------------------------------------------------- Ghost(d), and the row form


def compare(rows: Rows, points: list[int]) -> list[GhostHistory]:
    """Run the row form next to one scalar learner per path, and Ghost(1) until d is refuted; return the states."""
    frontier = PartitionFrontier(FiniteClass(sorted(rows)))
    learner, first = bound_to(rows), bound_to(rows, 1)
    row_form: Any = Ghost().rows(frontier)
    states, firsts = [learner.start()], [first.start()]
    for x in points:
        split = frontier.split(x)
        row_form.predict(frontier.split((x + 1) % len(points)))  # looking elsewhere leaves no trace
        labels = row_form.predict(split).astype(int).tolist()
        assert labels == [learner.predict(state, x) for state in states]
        children = split.children
        row_form.grow(children)
        frontier.grow(children)
        pairs = list(zip(children.parent.tolist(), children.label.astype(int).tolist(), strict=True))
        states = [learner.update(states[parent], x, y) for parent, y in pairs]
        firsts = [
            first.update(firsts[parent], x, y) if states[child].d == 1 else firsts[parent]
            for child, (parent, y) in enumerate(pairs)
        ]
        for row, (state, alone) in enumerate(zip(states, firsts, strict=True)):
            assert state.d > 1 or state == alone
            ghosts = [states[ghost].truth for ghost in row_form._ghosts[row] if ghost >= 0]
            found = (int(row_form._assumed[row]), int(row_form._dimension[row]), int(row_form._kept[row]))
            assert found == (state.d, state.stage.dimension, state.stage.kept)
            assert (ghosts, row_form._plans[row_form._plan[row]]) == (list(state.ghosts), state.stage.plan)
        check_ghosts(row_form.state(), frontier.width)
    assert frontier.width == len(rows)
    return states


@pytest.mark.parametrize("name", CLASSES)
def test_as_long_as_nothing_is_refuted_it_is_ghost_1_and_rows_are_histories(name: str) -> None:
    rows, rng = CLASSES[name], np.random.default_rng(4)
    d = dimension(rows)
    states = [state for _ in range(3) for state in compare(rows, rng.permutation(len(next(iter(rows)))).tolist())]
    grown = max(state.d for state in states)
    assert grown == 1 if d <= 1 else 1 < grown <= d


def made_up(rng: np.random.Generator, rounds: int, changes: float) -> tuple[Rows, int]:
    """Make up a class on which the learner errs in every round; also return how often it started over with ghosts.

    Concepts take any label, mostly their last one; so the dimension is whatever comes about.
    """
    rows: list[tuple[int, ...]] = [()]
    state, with_ghosts = Ghost().start(), 0
    for x in range(rounds):
        truth, *others = rows
        more = [(*row, int(row[-1] ^ (rng.random() < changes))) for row in others]
        both = [(*truth, 0), (*truth, 1)]
        learner = bound_to(frozenset(more + both))
        predicted, before = learner.predict(state, x), state
        state = learner.update(state, x, 1 - predicted)
        with_ghosts += state.d > before.d and len(before.ghosts) > 0
        rows = [both[1 - predicted], *more, both[predicted]]
    assert state.d <= dimension(frozenset(rows))
    return frozenset(rows), with_ghosts


def test_ghosts_are_kept_where_it_starts_over_on_rows_as_on_histories() -> None:
    rng, with_ghosts = np.random.default_rng(0), 0
    for _ in range(30):
        rows, found = made_up(rng, 16, float(rng.choice([0.3, 0.5])))
        with_ghosts += found
        compare(rows, list(range(16)))
    assert with_ghosts >= 3


# ---------------------------------------------------------------------------------------- in Adept


def stream(n: int, T: int) -> list[tuple[int, int]]:
    rng = np.random.default_rng(7)
    return [(x := int(rng.integers(n)), int((x >= n // 3) ^ (rng.random() < 0.1))) for _ in range(T)]


@pytest.mark.parametrize("way", ["find", "realizable"])
def test_a_class_that_declares_nothing_just_works(way: str, tmp_path: Path) -> None:
    known = at.Thresholds(32)
    answer: Any = known.find if way == "find" else known.realizable
    c = at.OracleClass(**{way: answer})
    learner = at.Adept(c)
    assert default_base(c) == learner.base == Ghost() and learner.prior.name == "mixed"
    assert learner.mistake_bound is None and learner.bound_after(100) is None
    pairs = stream(32, 120)
    for x, y in pairs[:60]:
        learner.learn(x, y)
        assert learner.regret <= learner.bound + 1e-9
    assert "neither a mistake bound of the base learner nor" in str(learner.certificate())
    learner.save(tmp_path / "half")
    again: Any = at.load(tmp_path / "half", concept_class=c)
    assert again.base == Ghost()
    for x, y in pairs[60:]:
        assert learner.predict_proba(x) == again.predict_proba(x)
        learner.learn(x, y)
        again.learn(x, y)
    assert (learner.engine.rows().mistakes <= bound(5)).all() and learner.best_loss == again.best_loss


def test_it_asks_what_adept_asks_and_nothing_else() -> None:
    known, heard = at.Thresholds(24), []
    for base in (Ghost(), default_base(known)):
        listening = Listening(known)
        c = at.OracleClass(realizable=listening, strategy="paper", repeats="ask")
        at.Adept(c, prior="kt", base=base).learn_many(*zip(*stream(24, 60), strict=True))
        heard.append((listening.calls, listening.samples))
    assert heard[0] == heard[1]


def test_a_bound_of_a_base_learner_that_is_not_there() -> None:
    with pytest.raises(InvalidArgument, match="give that as base="):
        at.Adept(at.OracleClass(realizable=lambda sample: True, mistake_bound=3))


@pytest.mark.parametrize("c", [at.Thresholds(6), at.Conjunctions(3)], ids=repr)
def test_the_contract_of_base_learners(c: at.ConceptClass) -> None:
    report = check(Ghost(), concept_class=c)
    assert report.passed, str(report)


def test_a_damaged_file_is_refused() -> None:
    frontier = PartitionFrontier(FiniteClass(sorted(thresholds(6))))
    rows = Ghost().rows(frontier)
    for x in (3, 1, 4):
        split = frontier.split(x)
        rows.grow(split.children)
        frontier.grow(split.children)
    state = rows.state()
    for wrong in (state["d"][:-1], state["d"] * 0, state["d"] * 1.5, -1):
        with pytest.raises((ValueError, StateError), match="cannot be what a learner saved"):
            check_ghosts(state | {"d": wrong}, frontier.width)
