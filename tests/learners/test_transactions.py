"""A round is a transaction: an exception at every line of ``learn`` and ``answer``, for every kind of learner."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from interrupting import Interrupter, interrupted, interrupted_at, struck
from long_form import LONG, times

import adeptree as at
from adeptree import errors
from adeptree.core.compiled import COMPILED
from adeptree.learners import transactions
from reproduction.perturbed_leader import FollowThePerturbedLeader


def standing(learner: Any) -> Any:
    """Everything that a round changes, except the queries, which were posed in any case."""
    try:
        saved = learner.saved()
    except errors.StateError:
        names = ("losses", "states", "histories", "points", "active", "realizable", "gap", "drift", "history")
        saved = {name: getattr(learner, name) for name in names if hasattr(learner, name)}
        saved["account"] = {"rounds": learner.rounds, "loss": learner.expected_loss, "drawn": learner.realised_loss}
    return plain(saved)


def plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tolist()
    if isinstance(value, dict):
        # The query strategy learns from every query, also from one of an interrupted round.
        left_out = ("asked", "posed", "bits_only")
        return {key: plain(inner) for key, inner in value.items() if key not in left_out}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


class Remembers:
    """A base learner of the user's own."""

    mistake_bound = 40

    def start(self) -> tuple[int, ...]:
        return ()

    def predict(self, state: tuple[int, ...], x: Any) -> int:
        return len(state) % 2

    def update(self, state: tuple[int, ...], x: Any, y: int) -> tuple[int, ...]:
        return (*state, y)


def at_once(learner: Any) -> bool:
    """True if a round is one call of machine code, which cannot be interrupted."""
    return COMPILED and isinstance(learner, at.Adept) and not learner.engine.parts()


TORN: list[Any] = []
"""The learners whose commit was interrupted: only interpreted kernels may be."""


def is_torn(learner: Any, x: Any) -> bool:
    """True if an interrupt tore a commit; then every call raises an error with the remedy."""
    try:
        _ = learner.rounds
    except errors.TornLearner:
        pass
    else:
        return False
    calls: list[Callable[[], Any]] = [
        lambda: learner.predict_proba(x),
        lambda: learner.predict_proba_many([x]),
        lambda: learner.predict(x),
        lambda: learner.learn(x, 1),
        lambda: learner.learn(x, 1, weight=1.0),
        lambda: learner.learn_many([x], [1]),
        lambda: learner.answer(x),
        learner.certificate,
        learner.saved,
        learner.best_rule,
        lambda: learner.rules_within(0),
        *(partial(getattr, learner, name) for name in ("regret", "bound", "best_loss", "width", "learning_rate")),
    ]
    for call in calls:
        with pytest.raises(errors.TornLearner, match=r"load the last save with adeptree\.load"):
            call()
    assert "TornLearner" in repr(learner) and not COMPILED
    TORN.append(learner)
    return True


def few(sample: Any) -> bool:
    return bool(sum(y for _, y in sample) <= 2)


@dataclass(frozen=True)
class OneOn:
    """A rule that predicts 1 at a few points."""

    points: frozenset[int]

    def __call__(self, x: Any) -> int:
        return int(x in self.points)


def find(sample: Any) -> Any:
    ones = frozenset(x for x, y in sample if y)
    return OneOn(ones) if len(ones) <= 2 and all(x not in ones for x, y in sample if not y) else None


TABLE = at.FiniteClass(np.random.default_rng(0).integers(0, 2, (9, 6)))
HALVES = [{"a": float(i % 4), "b": float(i % 3)} for i in range(6)]
BITS = [(0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 1, 1), (1, 1, 1), (0, 0, 1)]
NUMBERS = [3, 5, 1, 3, 4, 0]
CELLS = [{"a": 3.0, "b": "red"}, {"a": 1.0}, {"b": "red"}, {"a": 3.0, "b": "green"}, {}, {"a": "x", "b": 2.0}]
LEARNERS: dict[str, tuple[Callable[[], Any], list[Any]]] = {
    "thresholds": (lambda: at.Adept(at.Thresholds(6)), NUMBERS),
    "paper": (lambda: at.Adept(at.Thresholds(6), 60), NUMBERS),
    "first order": (lambda: at.Adept(at.Thresholds(6), 60, rate="first-order"), NUMBERS),
    "width": (lambda: at.Adept(at.Thresholds(6), max_width=2), NUMBERS),
    "costs": (lambda: at.Adept(at.Thresholds(6), costs=(3, 0.5)), NUMBERS),
    "intervals": (lambda: at.Adept(at.Intervals(6)), NUMBERS),
    "floats": (lambda: at.Adept(at.RealThresholds()), NUMBERS),
    "float intervals": (lambda: at.Adept(at.RealIntervals()), NUMBERS),
    "float stumps": (lambda: at.Adept(at.RealStumps(["a", "b"])), HALVES),
    "stumps": (lambda: at.Adept(at.Stumps({"a": [1.0, 2.0], "b": [1.0]})), HALVES),
    "tables": (lambda: at.Adept(at.TableStumps(["a", "b"])), CELLS),
    "tables of intervals": (lambda: at.Adept(at.TableIntervals(["a", "b"]), costs=(3, 0.5)), CELLS),
    "blocks": (lambda: at.Adept(at.BlockUnions(2)), NUMBERS),
    "conjunctions": (lambda: at.Adept(at.Conjunctions(3)), BITS),
    "disjunctions": (lambda: at.Adept(at.Disjunctions(3)), BITS),
    "parities": (lambda: at.Adept(at.Parities(3)), BITS),
    "soa": (lambda: at.Adept(TABLE, base=at.SOA()), NUMBERS),
    "halving": (lambda: at.Adept(TABLE, base=at.Halving()), NUMBERS),
    "own base": (lambda: at.Adept(at.Thresholds(6), base=Remembers()), NUMBERS),
    "oracle, bits": (lambda: at.Adept(at.OracleClass(realizable=few, littlestone_dimension=2)), NUMBERS),
    "oracle, no dimension": (lambda: at.Adept(at.OracleClass(realizable=few)), NUMBERS),
    "oracle, find": (lambda: at.Adept(at.OracleClass(find=find, littlestone_dimension=2)), NUMBERS),
    "literal": (lambda: at.Adept(at.OracleClass(find=find, littlestone_dimension=2, strategy="literal")), NUMBERS),
    "drift": (lambda: at.Adept(at.Thresholds(6), drift=True), NUMBERS),
    "drift, paths": (lambda: at.Adept(at.Thresholds(6), drift=True, engine="paths"), NUMBERS),
    "hedge": (lambda: at.Hedge(at.Thresholds(6)), NUMBERS),
    "lazy": (lambda: at.LazyAdept(at.Thresholds(6), 60), NUMBERS),
    "leader": (lambda: at.FollowTheLeader(at.Thresholds(6), 60), NUMBERS),
    "perturbed": (lambda: FollowThePerturbedLeader(at.Thresholds(6), 60), NUMBERS),
    "bpss": (lambda: at.Bpss(at.Thresholds(3), 8, prune=True), [0, 2, 1, 0, 2, 1]),
}
LABELS = [1, 0, 1, 1, 0, 1]
TWINS = [("oracle, bits", "oracle, no dimension"), ("oracle, find", "literal"), ("disjunctions", "conjunctions")]
"""Pairs of learners that execute the same lines: one of the two is interrupted at each of these."""
TAKERS = 3
"""The number of learners that are interrupted at a line which more of them execute."""


def lines_of(places: list[str]) -> list[int]:
    """Every line, the first and the last time that it is executed: a loop is torn at its beginning and at its end."""
    first = {place: i for i, place in reversed(list(enumerate(places, 1)))}
    last = {place: i for i, place in enumerate(places, 1)}
    return sorted({*first.values(), *last.values()})


OTHER_THREAD = ThreadPoolExecutor(1)


def free_for_others(learner: Any) -> bool:
    """Return whether another thread may use the learner: an interrupt must not leave it busy."""

    def read() -> bool:
        try:
            _ = learner.rounds
        except errors.BusyLearner:
            return False
        except errors.TornLearner:
            pass
        return True

    return OTHER_THREAD.submit(read).result()


Prepare = Callable[[Any], Any]
Act = Callable[[Any, Any], Any]


def played(build: Callable[[], Any], points: list[Any]) -> Any:
    """A learner after four rounds."""
    ready = build()
    for x, y in zip(points[:4], LABELS, strict=False):
        ready.learn(x, y)
    return ready


def torn_everywhere(
    build: Callable[[], Any], points: list[Any], prepare: Prepare, act: Act, takes: set[str] | None = None
) -> int:
    """Interrupt ``act`` at every line; each time the learner must be as before it or as after it, and continue so.

    ``takes`` are the lines that this learner takes, if other learners take the others.
    """
    ready = played(build, points)
    prepared = prepare(ready)
    before = standing(ready)
    kept = pickle.dumps((ready, prepared))  # (quicker than a deep copy for each line)
    done, prepared = pickle.loads(kept)
    places = interrupted(lambda: act(done, prepared))
    after = standing(done)
    assert before != after
    for line in lines_of(places):
        if takes is not None and places[line - 1] not in takes:
            continue
        torn, prepared = pickle.loads(kept)
        place = interrupted_at(partial(act, torn, prepared), line)
        assert free_for_others(torn), f"it is busy after an interrupt at {place}"
        if is_torn(torn, points[4]):
            continue
        now = standing(torn)
        assert now in (before, after), f"half a round after an interrupt at {place}"
        if now == before:
            act(torn, prepared)
            assert standing(torn) == after, f"the round differs after an interrupt at {place}"
    return len(set(places))


def learns(name: str) -> list[tuple[Prepare, Act]]:
    """Calls of ``learn``: the one that people write, and not by the quickest way where that is machine code."""
    build, points = LEARNERS[name]
    plain: Act = lambda learner, _: learner.learn(points[4], LABELS[4])  # noqa: E731
    weighed: Act = lambda learner, _: learner.learn(points[4], LABELS[4], weight=1.0)  # noqa: E731
    return [(lambda learner: None, act) for act in ((plain, weighed) if at_once(build()) else (plain,))]


def tickets(name: str) -> list[tuple[Prepare, Act]]:
    """An answer, the label of an answer, and both at once."""
    points = LEARNERS[name][1]
    return [
        (lambda learner: None, lambda learner, _: learner.answer(points[4])),
        (lambda learner: learner.answer(points[4]), lambda learner, ticket: learner.learn(ticket, 1)),
    ]


TICKETS = ["thresholds", "intervals", "oracle, find", "costs", "hedge", "drift"]


@cache
def lines_taken(calls: Callable[[str], list[tuple[Prepare, Act]]]) -> dict[tuple[str, int], set[str]]:
    """The lines at which each call of each learner is interrupted: all of them together take every line.

    Every second call of a learner takes a line, and three learners that are far apart in the list, if more execute it.
    In the long form all take it.
    """
    executed: dict[tuple[str, int], set[str]] = {}
    for name in LEARNERS if calls is learns else TICKETS:
        for i, (prepare, act) in enumerate(calls(name)):
            learner = played(*LEARNERS[name])
            prepared = prepare(learner)
            executed[name, i] = set(interrupted(partial(act, learner, prepared)))
    taken: dict[tuple[str, int], set[str]] = {call: set() for call in executed}
    for place in sorted(set[str]().union(*executed.values())):
        by, turn = [call for call, places in executed.items() if place in places], crc32(place.encode())
        if not LONG:
            for twins in TWINS:
                both = [[call for call in by if call[0] == name] for name in twins]
                by = [call for call in by if not all(both) or call not in both[turn % 2]]
            each = [[call for call in by if call[0] == name] for name in dict.fromkeys(name for name, _ in by)]
            by = [call for own in each for call in (own[turn % 2 :: 2] or own)]
        takers = len(by) if LONG else min(len(by), TAKERS)
        for i in range(takers):
            taken[by[(turn + i * len(by) // takers) % len(by)]].add(place)
    return taken


@pytest.mark.parametrize("name", LEARNERS)
def test_learn_is_all_or_nothing_at_every_line(name: str) -> None:
    build, points = LEARNERS[name]
    for i, (prepare, act) in enumerate(learns(name)):
        lines = torn_everywhere(build, points, prepare, act, lines_taken(learns)[name, i])
        assert lines > (2 if at_once(build()) and i == 0 else 20)


@pytest.mark.parametrize("name", TICKETS)
def test_tickets_are_all_or_nothing_at_every_line(name: str) -> None:
    build, points = LEARNERS[name]
    for i, (prepare, act) in enumerate(tickets(name)):
        torn_everywhere(build, points, prepare, act, lines_taken(tickets)[name, i])


@pytest.mark.parametrize("calls", [learns, tickets])
def test_the_learners_take_every_line_between_them(calls: Any) -> None:
    taken = set[str]().union(*lines_taken(calls).values())
    for name in TICKETS:
        for prepare, act in calls(name):
            learner = played(*LEARNERS[name])
            prepared = prepare(learner)
            assert set(interrupted(partial(act, learner, prepared))) <= taken


def test_mutant_a_frontier_that_alters_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    from adeptree.families.line.intervals import IntervalFrontier

    def grow(self: Any, children: Any) -> None:
        self.box, self.blank = self._narrowed(children)
        if self.is_new(children.x):
            self.seen.append(children.x)
            self.seen.sort()

    monkeypatch.setattr(IntervalFrontier, "grow", grow)

    def build() -> at.Adept:
        return at.Adept(at.Intervals(6), engine="paths")

    with pytest.raises(AssertionError, match=r"half a round|differs"):
        torn_everywhere(build, NUMBERS, lambda learner: None, lambda learner, _: learner.learn(NUMBERS[4], 0))


@pytest.mark.parametrize("name", LEARNERS)
def test_a_batch_with_a_wrong_point_or_label_leaves_no_round(name: str) -> None:
    build, points = LEARNERS[name]
    learner = build()
    wrongs: list[tuple[Any, Any]] = [([*points[:3], points[0]], [0, 1, 0, 2]), (points[:2], [0])]
    if not isinstance(learner.concept_class, (at.OracleClass, at.BlockUnions)):
        wrongs.append(([*points[:3], "no such point"], [0, 1, 0, 1]))
    if learner.horizon is not None:
        wrongs.append((points * 20, LABELS * 20))
    for xs, ys in wrongs:
        with pytest.raises(errors.AdeptreeError):
            learner.learn_many(xs, ys)
    assert learner.rounds == learner.answered == 0


def test_an_oracle_that_fails_in_the_middle_of_a_batch_leaves_whole_rounds() -> None:
    for failing in range(1, 60, 4):
        calls = 0

        def realizable(sample: Any, failing: int = failing) -> bool:
            nonlocal calls
            calls += 1
            if calls == failing:
                raise MemoryError
            return few(sample)

        learner = at.Adept(at.OracleClass(realizable=realizable, littlestone_dimension=2))
        try:
            learner.learn_many(NUMBERS, LABELS)
        except (errors.OracleError, MemoryError):
            assert learner.rounds < 6
        twin = at.Adept(at.OracleClass(realizable=few, littlestone_dimension=2))
        twin.learn_many(NUMBERS[: learner.rounds], LABELS[: learner.rounds])
        assert standing(learner) == standing(twin)


def alarmed_in_batches(build: Callable[[], Any], xs: list[Any], ys: list[int], delays: Any) -> int:
    """Be interrupted after each of the delays inside ``learn_many``; return how often that left some of the rounds.

    An interpreted kernel that was torn was also interrupted among its rounds.
    """
    within = 0
    for delay in delays:
        learner, twin = build(), build()
        struck(partial(learner.learn_many, xs, ys), delay)
        if is_torn(learner, xs[0]):
            within += 1
            continue
        played = learner.rounds
        within += 0 < played < len(xs)
        twin.learn_many(xs[:played], ys[:played])
        assert standing(learner) == standing(twin)
        learner.learn_many(xs[played:], ys[played:])
        twin.learn_many(xs[played:], ys[played:])
        assert standing(learner) == standing(twin)
    return within


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
@pytest.mark.parametrize("name", ["thresholds", "intervals", "hedge", "drift, paths", "lazy"])
def test_ctrl_c_inside_a_batch_leaves_whole_rounds(name: str) -> None:
    build, _ = LEARNERS[name]
    rng = np.random.default_rng(3)
    xs, ys = rng.integers(0, 6, 60).tolist(), rng.integers(0, 2, 60).tolist()
    alarmed_in_batches(build, xs, ys, np.linspace(2e-4, 8e-3, 25))


# ------------------------------------------------------------------------ engines that change their arrays in place

Change = pytest.MonkeyPatch
LINE, LINE_LABELS = [3, 40, 17, 3, 25, 50, 9, 40, 33, 60, 12, 1], [1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1]
FEW = [x % 6 for x in LINE]
ENGINES: dict[str, tuple[Callable[[], Any], list[Any]]] = {
    "paths": (lambda: at.Adept(at.Thresholds(64), engine="paths"), LINE),
    "thresholds, mixed": (lambda: at.Adept(at.Thresholds(64), engine="collapsed"), LINE),
    "thresholds, paper": (lambda: at.Adept(at.Thresholds(64), 5000, engine="collapsed"), LINE),
    "thresholds, kt": (lambda: at.Adept(at.Thresholds(64), prior="kt", engine="collapsed"), LINE),
    "thresholds, floats": (lambda: at.Adept(at.RealThresholds(), prior="kt", engine="collapsed"), LINE),
    "thresholds, costs": (lambda: at.Adept(at.Thresholds(64), costs=(3, 0.5), engine="collapsed"), LINE),
    "thresholds, first order": (
        lambda: at.Adept(at.Thresholds(64), 5000, rate="first-order", engine="collapsed"),
        LINE,
    ),
    "blocks, paper": (lambda: at.Adept(at.BlockUnions(2), 500), FEW),
    "blocks, kt": (lambda: at.Adept(at.BlockUnions(2), prior="kt"), FEW),
    "blocks, mixed": (lambda: at.Adept(at.BlockUnions(2), prior="mixed"), FEW),
    "blocks, first order": (lambda: at.Adept(at.BlockUnions(2), 500, rate="first-order"), FEW),
    "finite, paper": (lambda: at.Adept(TABLE, 500, base=at.Halving()), FEW),
    "finite, kt": (lambda: at.Adept(TABLE, prior="kt", base=at.Halving()), FEW),
    "intervals, paper": (lambda: at.Adept(at.Intervals(64), 500), LINE),
    "intervals, kt": (lambda: at.Adept(at.Intervals(64), prior="kt"), LINE),
}
THRESHOLDS = [name for name in ENGINES if name.startswith("thresholds")]


def started(name: str, rounds: int) -> Any:
    """A learner after a few rounds, on the engine that the name says."""
    build, points = ENGINES[name]
    learner = build()
    for x, y in zip(points[:rounds], LINE_LABELS, strict=False):
        learner.learn(x, y)
    assert name not in THRESHOLDS or learner.engine.kind == "thresholds"
    return learner


def numbers(learner: Any, points: list[Any]) -> Any:
    """All that a learner says: what is saved, and predictions made from sums that are not."""
    return standing(learner), [learner.predict_proba(x) for x in points[-3:]], learner.bound


def engine_torn_everywhere(name: str, rounds: int, act: Callable[[Any], Any]) -> int:
    """Interrupt ``act`` at every line; the learner must have a whole number of rounds, and continue so."""
    points = ENGINES[name][1]
    done = started(name, rounds)
    places = interrupted(lambda: act(done))
    played = range(rounds, done.rounds + 1)
    stands = [standing(started(name, r)) for r in played]
    later = numbers(started(name, rounds + 2), points)
    for line in lines_of(places):
        torn = started(name, rounds)
        place = interrupted_at(partial(act, torn), line)
        if is_torn(torn, points[0]):
            continue
        assert torn.rounds in played, f"an interrupt at {place}"
        assert standing(torn) == stands[torn.rounds - rounds], f"half a round after an interrupt at {place}"
        for i in range(torn.rounds, rounds + 2):
            torn.learn(points[i], LINE_LABELS[i])
        assert numbers(torn, points) == later, f"it goes on differently after an interrupt at {place}"
    return len(set(places))


@pytest.mark.parametrize("name", ENGINES)
def test_learn_on_an_engine_is_all_or_nothing_at_every_line(name: str) -> None:
    points = ENGINES[name][1]
    # The first round and a later one; by the quick way, and by the checked one.
    for rounds in (0, 4) if "kt" in name else (5,):
        x, y, quick = points[rounds], LINE_LABELS[rounds], at_once(started(name, 0))
        lines = engine_torn_everywhere(name, rounds, lambda learner, x=x, y=y: learner.learn(x, y))  # type: ignore[misc]
        assert lines > (2 if quick else 20)
        if quick:
            act = lambda learner, x=x, y=y: learner.learn(x, y, weight=1.0)  # noqa: E731
            assert engine_torn_everywhere(name, rounds, act) > 20


@pytest.mark.parametrize(
    "name", ["thresholds, paper", "thresholds, mixed", "blocks, mixed", "finite, kt", "intervals, kt"]
)
def test_learn_many_on_an_engine_leaves_whole_rounds_at_every_line(name: str) -> None:
    build, points = ENGINES[name]

    def batch(learner: Any) -> None:
        learner.learn_many(points[learner.rounds : 5], LINE_LABELS[learner.rounds : 5])

    done = build()
    for line in lines_of(interrupted(lambda: batch(done))):
        torn, twin = build(), build()
        place = interrupted_at(partial(batch, torn), line)
        if is_torn(torn, points[0]):
            continue
        twin.learn_many(points[: torn.rounds], LINE_LABELS[: torn.rounds])
        assert standing(torn) == standing(twin), f"half a round after an interrupt at {place}"
        batch(torn)
        batch(twin)
        assert numbers(torn, points) == numbers(twin, points), f"differs after an interrupt at {place}"


@pytest.mark.parametrize("name", ["thresholds, kt", "thresholds, paper", "thresholds, costs"])
def test_tickets_on_an_engine_are_all_or_nothing_at_every_line(name: str) -> None:
    build, points = ENGINES[name]
    torn_everywhere(build, points, lambda learner: None, lambda learner, _: learner.answer(points[4]))
    torn_everywhere(
        build, points, lambda learner: learner.answer(points[4]), lambda learner, ticket: learner.learn(ticket, 1)
    )


LOOKS: dict[str, Callable[[Any, list[Any]], Any]] = {
    "one": lambda learner, points: learner.predict_proba(points[9]),
    "many": lambda learner, points: learner.predict_proba_many(points[7:]),
    "speculation": lambda learner, points: learner.speculate(points[9]),
}


def look_torn_everywhere(name: str, look: Callable[[Any, list[Any]], Any]) -> None:
    """Look at a point, be interrupted at another, and learn the first: it must be the round that it would have been."""
    points = ENGINES[name][1]
    done = started(name, 5)
    later = numbers(started(name, 6), points)
    now = [started(name, 5).predict_proba(x) for x in (points[9], points[5])]
    for line in lines_of(interrupted(lambda: look(done, points))):
        torn = started(name, 5)
        torn.predict_proba(points[5])
        place = interrupted_at(partial(look, torn, points), line)
        again = copy.deepcopy(torn)
        torn.learn(points[5], LINE_LABELS[5])
        assert numbers(torn, points) == later, f"differs after an interrupt at {place}"
        assert [again.predict_proba(x) for x in (points[9], points[5])] == now, f"after an interrupt at {place}"


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("how", LOOKS)
def test_a_look_that_is_interrupted_spoils_nothing(name: str, how: str) -> None:
    look_torn_everywhere(name, LOOKS[how])


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
@pytest.mark.parametrize("name", ["thresholds, kt", "thresholds, paper", "blocks, kt", "finite, kt", "intervals, kt"])
def test_ctrl_c_inside_a_batch_on_an_engine_leaves_whole_rounds(name: str) -> None:
    build, points = ENGINES[name]
    # (Machine code looks for signals every 1,024 rounds, and whenever the rate is due.)
    rng, count = np.random.default_rng(3), 4900 if at_once(build()) and "paper" not in name else 800
    xs, ys = [points[i] for i in rng.integers(0, len(points), count)], rng.integers(0, 2, count).tolist()
    if at_once(build()) and build().horizon is None:
        xs, ys = xs * times(6, 20), ys * times(6, 20)
    for _ in range(8):  # on a busy machine the time that a batch takes is not the one it took
        begun = time.perf_counter()
        build().learn_many(xs, ys)
        takes = time.perf_counter() - begun
        if alarmed_in_batches(build, xs, ys, np.linspace(0.05, 0.95, 12) * takes):
            return
    if not at_once(build()):  # (the tests at every line interrupt these rounds without a timer)
        pytest.skip("no timer of this machine struck inside a batch")
    assert len(xs) < 4900


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
@pytest.mark.parametrize("name", ["thresholds, kt", "thresholds, paper", "thresholds, costs", "paths"])
def test_ctrl_c_in_single_calls_leaves_whole_rounds(name: str) -> None:
    build, points = ENGINES[name]
    rng, hits, count = np.random.default_rng(4), 0, 4000 if at_once(build()) else 400
    stream = [(points[i], int(y)) for i, y in zip(rng.integers(0, 12, count), rng.integers(0, 2, count), strict=True)]

    def play(learner: Any, asked: list[int]) -> None:
        for x, y in stream:
            learner.predict_proba(x)
            learner.learn(x, y)
            asked.append(x)

    begun = time.perf_counter()
    play(build(), [])
    takes = time.perf_counter() - begun
    for part in (*np.linspace(0.04, 0.96, 20), *[0.2] * 80):
        if hits and part == 0.2:
            break
        learner, asked = build(), list[int]()
        hits += struck(partial(play, learner, asked), part * takes)
        if is_torn(learner, points[0]):
            continue
        assert learner.rounds in (len(asked), len(asked) + 1)
        twin = build()
        for x, y in stream[: learner.rounds]:
            twin.learn(x, y)
        assert standing(learner) == standing(twin)
        for x, y in stream[learner.rounds :][:20]:
            for one in (learner, twin):
                one.learn(x, y)
        assert numbers(learner, points) == numbers(twin, points)
    assert hits > 0


@pytest.mark.parametrize("name", ["paths", "thresholds, kt", "thresholds, costs", "thresholds, first order"])
def test_a_second_interrupt_does_not_leave_half_an_undo(name: str, monkeypatch: Change) -> None:
    points = ENGINES[name][1]
    before, after = standing(started(name, 5)), standing(started(name, 6))
    later = numbers(started(name, 6), points)
    undo, second = transactions._undo, Interrupter()

    def undo_interrupted(*arguments: Any) -> None:
        if not second.places:
            sys.settrace(second)  # (the first tracer was taken away when it raised)
        undo(*arguments)

    monkeypatch.setattr(transactions, "_undo", undo_interrupted)

    def learn(learner: Any) -> None:
        learner.learn(points[5], LINE_LABELS[5], weight=1.0)

    done = started(name, 5)
    places = interrupted(lambda: learn(done))
    # Before the round is charged, and after it: where the paths charge, or a kernel is called and looked after.
    begun = max(i for i, place in enumerate(places, 1) if "transactions.py" in place)  # (before that nothing is undone)
    calls = [
        begun + i for i, place in enumerate(places[begun:], 1) if "_kernel.py" in place or "online_learner.py" in place
    ]
    for first in (calls[-1], calls[len(calls) // 2]):
        torn, second = started(name, 5), Interrupter()
        interrupted(lambda torn=torn: learn(torn), first)  # type: ignore[misc]
        assert second.places
        for line in lines_of(second.places):
            second, torn = Interrupter(line), started(name, 5)
            interrupted(lambda torn=torn: learn(torn), first)  # type: ignore[misc]
            if is_torn(torn, points[0]):
                continue
            assert standing(torn) in ((before,) if torn.engine.parts() else (before, after)), (
                f"half an undo after an interrupt at {second.places[line - 1]}"
            )
            if torn.rounds == 5:
                learn(torn)
            assert numbers(torn, points) == later


@pytest.mark.skipif(COMPILED, reason="a compiled commit is not interrupted")
@pytest.mark.parametrize("name", ["thresholds, kt", "blocks, kt", "finite, kt", "intervals, kt"])
def test_an_interpreted_kernel_that_is_interrupted_is_torn_and_never_wrong(name: str) -> None:
    points, before = ENGINES[name][1], len(TORN)
    engine_torn_everywhere(name, 4, lambda learner: learner.learn(points[4], LINE_LABELS[4]))
    assert len(TORN) > before
    with pytest.raises(errors.StateError, match="interrupted the commit of a round"):
        TORN[-1].save("nowhere")


# ------------------------------------------------------------------------------------------ the same, interpreted


@pytest.mark.skipif(not COMPILED, reason="they are interpreted here")
def test_all_of_this_holds_where_kernels_are_interpreted() -> None:
    """Python raises between any two lines of a kernel, also in the middle of a round: in a separate process.

    One engine and one batch here: .ci/jobs has an environment without machine code, in which this whole file runs.
    """
    laws = "all_or_nothing or leaves_whole_rounds or spoils_nothing or second_interrupt or is_torn"
    chosen = f"thresholds and ((kt and ({laws})) or (mixed and learn_many))"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", __file__, "-k", chosen],
        env={**os.environ, "ADEPTREE_ENGINE": "python"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout[-3000:] + done.stderr[-2000:]


def test_an_interrupt_while_numbers_are_read_leaves_the_learner_usable() -> None:
    """At every line of the account's files: the turn of a reader ends with its call."""
    learner: Any = at.Adept(at.Thresholds(16), costs=(2, 1))
    learner.learn_many([3, 9, 5], [0, 1, 1])
    for read in (lambda: learner.regret, lambda: learner.bound, learner.certificate):
        lines = 0
        for target in range(1, 1000):
            met = 0

            def strike(frame: Any, event: str, _: Any, target: int = target) -> Any:
                nonlocal met
                if Path(frame.f_code.co_filename).name not in ("account.py", "adept_learner.py"):
                    return None
                if event == "line":
                    met += 1
                    if met == target:
                        raise KeyboardInterrupt
                return strike

            sys.settrace(strike)
            try:
                read()
            except KeyboardInterrupt:
                lines += 1
            finally:
                sys.settrace(None)
            if met < target:
                break
            assert 0 <= learner.predict_proba(4) <= 1
        assert lines > 3
