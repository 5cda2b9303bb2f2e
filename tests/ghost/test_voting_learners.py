"""The cited learners: word by word what their authors wrote; rows as scalars; and no question more than ADEPT asks."""

from __future__ import annotations

import itertools
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_ghost import CLASSES, Oracle, Row, Rows, random_class

import adeptree as at
from adeptree.core.errors import InvalidArgument, MistakeBoundExceeded
from adeptree.families.finite.finite_class import FiniteClass
from adeptree.families.finite.partition import PartitionFrontier
from adeptree.ghost.trees import has_tree
from adeptree.roles.base_learner import PerPath
from reproduction.reference.cited_learners import PSEUDOCODE, AssosEtAl, KozachinskiySteifer, Transcribed
from reproduction.voting_learners import Consistent, MajorityPruning, WeightedVote
from reproduction.voting_rows import Council, Voting, VotingRows

LEARNERS: list[Voting] = [MajorityPruning(2), WeightedVote(), Consistent()]


def pseudocode(base: Voting, oracle: Any) -> Transcribed:
    """Return the pseudo-code of its authors, with a plain oracle."""
    return PSEUDOCODE[type(base).__name__](lambda points, labels: oracle([*zip(points, labels, strict=True)]))


def streams(rng: np.random.Generator, rows: list[Row], count: int) -> list[list[tuple[int, int]]]:
    """Return realizable streams: a concept in some order, points repeated."""
    n = len(rows[0])
    made = []
    for _ in range(count):
        truth = rows[int(rng.integers(len(rows)))]
        made.append([(x, truth[x]) for x in [*rng.permutation(n).tolist(), *rng.integers(n, size=4).tolist()]])
    return made


@pytest.mark.parametrize("base", LEARNERS, ids=repr)
def test_it_is_what_its_authors_wrote(base: Voting) -> None:
    rng = np.random.default_rng(5)
    for rows, _ in CLASSES.values():
        oracle = Oracle(rows)
        learner = replace(base, oracle=oracle)
        for stream in streams(rng, sorted(rows), 6):
            literal, state = pseudocode(base, oracle), learner.start()
            for x, y in stream:
                assert learner.predict(state, x) == literal.predict(x)
                state, literal = learner.update(state, x, y), literal.after(x, y)
                assert list(state.functions) == literal.functions


@pytest.mark.parametrize("base", LEARNERS, ids=repr)
def test_it_is_what_its_authors_wrote_when_it_always_errs(base: Voting) -> None:
    """Everything is realizable, so that there are mistakes enough for families and phases."""
    rng = np.random.default_rng(1)

    def oracle(sample: Any) -> bool:
        return zlib.crc32(bytes(y for _, y in sample)) % 8 < 4

    literal, learner = pseudocode(base, oracle), base.bind(at.OracleClass(realizable=oracle))
    state, rounds = learner.start(), 320 if isinstance(base, MajorityPruning) else 150
    for x in range(rounds):
        predicted = learner.predict(state, x)
        y = int(rng.integers(2)) if x % 5 == 4 else 1 - predicted
        assert literal.predict(x) == predicted
        state, literal = learner.update(state, x, y), literal.after(x, y)
        assert len(state.functions) == len(literal.functions)
    if isinstance(literal, KozachinskiySteifer):
        assert literal.N > 256, "families of both levels voted"
        assert state.notes == (literal.N, literal.j)
    if isinstance(literal, AssosEtAl):
        assert len(literal.functions) > 6
        assert (list(state.errors), *state.notes) == (literal.errors, literal.k)


# -------------------------------------------------------------------------------------- the row form is the scalar form


def follow(rows: Rows | list[Row], base: Voting, order: list[int]) -> list[int]:
    """Run the row form next to one scalar learner per path; return the contested mistakes of every path."""
    frontier = PartitionFrontier(FiniteClass(sorted(rows)))
    learner = base.bind(at.OracleClass(realizable=Oracle(frozenset(rows))))
    fast: Any = base.rows(frontier)
    states: list[Any] = [learner.start()]
    mistakes = [0]
    for x in order:
        split = frontier.split(x)
        expected = [learner.predict(state, x) for state in states]
        assert fast.predict(split).astype(int).tolist() == expected
        children, contested = split.children, split.contested.tolist()
        fast.grow(children)
        frontier.grow(children)
        pairs = list(zip(children.parent.tolist(), children.label.astype(int).tolist(), strict=True))
        mistakes = [mistakes[parent] + (contested[parent] and expected[parent] != y) for parent, y in pairs]
        states = [learner.update(states[parent], x, y) for parent, y in pairs]
        for line, errors, notes, state in zip(*fast._council, states, strict=True):
            there = line[line >= 0].tolist()
            assert [states[row].truth for row in there] == list(state.functions)
            assert errors[: len(there)].tolist() == list(state.errors) and notes.tolist() == list(state.notes)
    return mistakes


@pytest.mark.parametrize("base", LEARNERS, ids=repr)
@pytest.mark.parametrize("name", CLASSES)
def test_rows_equal_scalar(name: str, base: Voting) -> None:
    rows, _ = CLASSES[name]
    rng = np.random.default_rng(3)
    points = len(next(iter(rows)))
    mistakes = follow(rows, base, [*rng.permutation(points).tolist(), *rng.integers(points, size=3).tolist()])
    assert len(mistakes) == len(rows) and max(mistakes) < len(rows)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_rows_equal_scalar_and_bounds_hold_on_random_classes(d: int) -> None:
    rng = np.random.default_rng(10 + d)
    for _ in range(4):
        rows = random_class(rng, 8, d)
        for base in (MajorityPruning(d), WeightedVote(), Consistent()):
            assert max(follow(rows, base, rng.permutation(8).tolist())) <= (base.mistake_bound or len(rows) - 1)


@pytest.mark.parametrize("base", LEARNERS, ids=repr)
def test_predictions_commit_nothing_and_are_not_needed(base: Voting) -> None:
    points = np.random.default_rng(1).permutation(14).tolist()
    ends = []
    for predicts, elsewhere in ((True, False), (True, True), (False, False)):
        frontier = PartitionFrontier(FiniteClass(sorted(CLASSES["thresholds"][0])))
        rows: Any = base.rows(frontier)
        for x in points:
            split = frontier.split(x)
            if predicts:
                rows.predict(split)
            if elsewhere:
                rows.predict(frontier.split((x + 1) % 14))
            rows.grow(split.children)
            frontier.grow(split.children)
        ends.append([part.tolist() for part in rows._council])
    assert ends[0] == ends[1] == ends[2]


@pytest.mark.parametrize("base", LEARNERS, ids=repr)
@pytest.mark.parametrize("name", ["thresholds", "product", "all"])
def test_a_row_that_loses_a_function_begins_anew(name: str, base: Voting) -> None:
    concepts, _ = CLASSES[name]
    rng = np.random.default_rng(2)
    frontier = PartitionFrontier(FiniteClass(sorted(concepts)))
    rows: Any = base.rows(frontier)
    for x in rng.permutation(len(next(iter(concepts)))).tolist():
        split = frontier.split(x)
        assert rows.predict(split).shape == (frontier.width,)
        kept = rng.random(len(split.children.parent)) < 0.8
        kept[0] = True
        children = split.children.only(kept)
        rows.grow(children)
        frontier.grow(children)
        again = VotingRows(base)
        again.restore(rows.state(), frontier.width)  # which looks at every array


# --------------------------------------------------------------------------------------------------- mistake bounds


def test_mistake_bounds() -> None:
    assert [MajorityPruning(d).mistake_bound for d in range(5)] == [1, 271, 69903, 17895695, 4581298447]
    assert MajorityPruning(32).mistake_bound == 2**256, "no number of a learner is larger"
    beats = [d for d in range(1, 33) if MajorityPruning(d).mistake_bound < (at.Ghost(d).mistake_bound or 0)]
    assert beats == list(range(16, 32)), "both are 2^256 at 32"
    assert WeightedVote().mistake_bound is None is Consistent().mistake_bound


@pytest.mark.parametrize("seed", range(3))
def test_a_full_family_holds_a_tree_too_deep(seed: int) -> None:
    """16 + 256 mistakes, whatever the functions say: the family of 128 holds a 2-tree, which d = 1 forbids."""
    rng, base = np.random.default_rng(seed), MajorityPruning(1)
    council, columns = base.begin(np.zeros(1, dtype=np.int64)), []
    for mistake in range(base.mistake_bound + 1):
        alive = (rng.random(mistake + 1) < rng.choice([0.1, 0.5, 0.9])).astype(bool)  # predictions here
        ones = np.append(alive, False)[council.functions]
        y = ~base.vote(council, ones)
        # A function born at a mistake has the truth's label there and before: only older ones can be wrong.
        columns.append(sum(1 << int(f) for f in np.flatnonzero(alive[:mistake] != y[0])))
        council = base.learn(council, ones, y, np.array([mistake]))
    assert council.notes[0].tolist() == [256, 2] and council.size[0] == 128
    family = sum(1 << int(f) for f in council.functions[0][:128])
    assert has_tree(columns, family, 2)


def test_a_class_too_rich_is_noticed_by_adept() -> None:
    everything = at.OracleClass(realizable=lambda sample: len(dict(sample)) == len(set(sample)))
    with pytest.raises(MistakeBoundExceeded):
        learner = at.Adept(everything, horizon=9, base=MajorityPruning(0))
        for x in range(5):
            learner.learn(x, 1)


def worst_order(rows: Rows, learner: Voting) -> int:
    """The most mistakes, forced rounds included, over all orders of the points and all realizable labels."""

    def play(state: Any, left: frozenset[int], mistakes: int, fitting: Rows) -> int:
        worst = mistakes
        for x in left:
            predicted = learner.predict(state, x)
            for y in {row[x] for row in fitting}:
                after, rest = learner.update(state, x, y), frozenset(row for row in fitting if row[x] == y)
                worst = max(worst, play(after, left - {x}, mistakes + (y != predicted), rest))
        return worst

    return play(learner.start(), frozenset(range(len(next(iter(rows))))), 0, rows)


def test_mistakes_of_small_classes_in_every_order() -> None:
    """Forced rounds count too, as nothing but the functions' labels is asked for."""
    found = {
        name: [worst_order(rows, replace(base, oracle=Oracle(rows))) for base in LEARNERS]
        for name, rows in SMALL.items()
    }
    assert found == {"one": [1, 0, 0], "thresholds": [4, 4, 4], "unions": [2, 2, 2], "cube": [3, 3, 3]}


SMALL: dict[str, Rows] = {
    "one": frozenset([(1, 0, 1, 0)]),
    "thresholds": frozenset(tuple(int(x >= a) for x in range(4)) for a in range(5)),
    "unions": frozenset(row for row in itertools.product((0, 1), repeat=4) if sum(row) <= 2),
    "cube": frozenset(itertools.product((0, 1), repeat=3)),
}


# --------------------------------------------------------------------------------- nothing is asked that ADEPT does not


class Asked:
    """An oracle that keeps every different sample it was asked about."""

    def __init__(self, rows: Rows) -> None:
        self.oracle = Oracle(rows)
        self.samples: set[frozenset[tuple[int, int]]] = set()

    def __call__(self, sample: Any) -> bool:
        self.samples.add(frozenset(sample))
        return self.oracle(sample)


@pytest.mark.parametrize("base", LEARNERS, ids=repr)
@pytest.mark.parametrize("name", ["thresholds", "intervals", "unions"])
def test_on_every_path_it_asks_only_what_adept_asks(name: str, base: Voting) -> None:
    rows, _ = CLASSES[name]
    by_adept, by_base = Asked(rows), Asked(rows)
    c = at.OracleClass(realizable=by_adept, strategy="paper", repeats="ask")
    learner = at.Adept(c, prior="kt", base=base)
    paths = PerPath(base.bind(at.OracleClass(realizable=by_base)))
    frontier = PartitionFrontier(FiniteClass(sorted(rows)))
    rng = np.random.default_rng(0)
    for x in rng.integers(len(next(iter(rows))), size=20).tolist():
        split = frontier.split(x)
        paths.predict(split)
        paths.grow(split.children)
        frontier.grow(split.children)
        learner.learn(x, int(rng.integers(2)))
    assert len(by_base.samples) > 30
    assert by_base.samples <= by_adept.samples


def test_inside_adept_the_oracle_hears_of_no_base_learner() -> None:
    rows, _ = CLASSES["intervals"]
    heard = []
    for base in (*LEARNERS, at.Ghost(4)):
        oracle = Asked(rows)
        learner = at.Adept(at.OracleClass(realizable=oracle, strategy="literal"), prior="kt", base=base)
        learner.learn_many([x % 6 for x in range(0, 60, 7)], [x % 2 for x in range(9)])
        heard.append((oracle.samples, learner.queries.asked))
    assert all(one == heard[0] for one in heard)


# ------------------------------------------------------------------------------------------------- priors, saving


def test_the_papers_prior_wants_a_mistake_bound() -> None:
    for base in (WeightedVote(), Consistent()):
        with pytest.raises(
            InvalidArgument, match=r"no mistake bound is known for \w+\(\) on thresholds.*mistake_bound=M"
        ):
            at.Adept(at.Thresholds(8), horizon=20, base=base)
        assert at.Adept(at.Thresholds(8), prior="kt", base=base).mistake_bound is None
    assert at.Adept(at.Thresholds(8), horizon=20, base=MajorityPruning(3)).mistake_bound == 17895695


def test_once_m_is_t_the_papers_prior_is_blind_to_the_base_learner() -> None:
    rng = np.random.default_rng(0)
    xs, ys = rng.integers(30, size=80).tolist(), rng.integers(2, size=80).tolist()
    c = at.FiniteClass(sorted(CLASSES["large d"][0]))
    xs = [x % 20 for x in xs]

    def answers(base: Any, **options: Any) -> list[float]:
        learner = at.Adept(c, base=base, engine="paths", **options)
        found = learner.learn_many(xs, ys)
        return [float(p) for p in found]

    blind = [answers(base, horizon=80, mistake_bound=80) for base in (MajorityPruning(5), at.Ghost(5), at.SOA(c))]
    assert blind[0] == pytest.approx(blind[1], abs=1e-9) and blind[0] == pytest.approx(blind[2], abs=1e-9)
    seeing = [answers(base, prior="kt") for base in (MajorityPruning(5), at.Ghost(5), at.SOA(c))]
    assert max(abs(a - b) for a, b in zip(seeing[0], seeing[2], strict=True)) > 1e-3


@pytest.mark.parametrize("base", LEARNERS, ids=repr)
def test_saved_and_loaded_it_goes_on(base: Voting, tmp_path: Path) -> None:
    learner = at.Adept(at.Intervals(20), prior="kt", base=base)
    stream = [(7 * t % 20, t % 3 % 2) for t in range(40)]
    for x, y in stream[:20]:
        learner.learn(x, y)
    learner.save(tmp_path / "learner")
    again = at.load(tmp_path / "learner")
    assert repr(again.base) == repr(base)  # type: ignore[attr-defined]
    for x, y in stream[20:]:
        assert learner.predict_proba(x) == again.predict_proba(x)
        learner.learn(x, y)
        again.learn(x, y)


WRONG: list[tuple[str, Any]] = [
    ("functions", lambda part: part + 99),
    ("functions", lambda part: part - 99),
    ("functions", lambda part: part[:, ::-1] if part.shape[1] > 1 else part[:-1]),
    ("functions", lambda part: part[:-1]),
    ("functions", lambda part: part.astype(float)),
    ("functions", lambda part: part[0]),
    ("errors", lambda part: part - 1),
    ("notes", lambda part: np.pad(part, ((0, 0), (0, 1)))),
    ("notes", lambda part: part[:-1]),
]


@pytest.mark.parametrize("base", LEARNERS, ids=repr)
@pytest.mark.parametrize(("name", "change"), WRONG)
def test_states_that_cannot_be_are_refused(base: Voting, name: str, change: Any) -> None:
    frontier = PartitionFrontier(FiniteClass(sorted(CLASSES["intervals"][0])))
    rows = base.rows(frontier)
    for x in (3, 1, 4, 5, 2):
        split = frontier.split(x)
        rows.grow(split.children)
        frontier.grow(split.children)
    state = rows.state()
    base.rows(frontier).restore(state, frontier.width)
    with pytest.raises(ValueError, match="cannot be what a learner saved"):
        base.rows(frontier).restore({**state, name: change(state[name])}, frontier.width)


def test_notes_that_cannot_be_are_refused() -> None:
    one, zero = np.array([[0]]), np.array([[0]])
    pruning, weights, last = LEARNERS
    assert pruning.fits(Council(one, zero, np.array([[2, 0]]))) and weights.fits(Council(one, zero, zero))
    for notes in ([0, 0], [2, -1], [16, 1], [2, 21], [1, 1]):
        assert not pruning.fits(Council(one, zero, np.array([notes])))
    assert not pruning.fits(Council(one - 1, zero, np.array([[2, 0]])))
    assert not weights.fits(Council(one - 1, zero, zero)) and not weights.fits(Council(one, zero, one + 1))
    assert not weights.fits(Council(one, one + 1, zero)) and not weights.fits(Council(one, zero, zero - 1))
    assert not last.fits(Council(one - 1, zero, zero)) and last.fits(Council(one, zero, zero))


def test_arguments() -> None:
    assert [repr(base) for base in LEARNERS] == ["MajorityPruning(d=2)", "WeightedVote()", "Consistent()"]
    with pytest.raises(InvalidArgument, match="d must be an int >= 0"):
        MajorityPruning(-1)
    with pytest.raises(InvalidArgument, match=r"bind\(concept_class\)"):
        Consistent().predict(Consistent().start(), 0)
    assert WeightedVote() == WeightedVote().bind(at.Thresholds(3))
