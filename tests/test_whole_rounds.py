"""A round is all or nothing: an exception at every line of ``learn`` and ``answer``, for every kind of learner."""

from __future__ import annotations

import copy
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree import errors
from adeptree.compat.open_stumps import OpenStumps

LIBRARY = at.__file__.rsplit("/", 1)[0]


class Torn(BaseException):
    """What nobody catches by accident."""


class Interrupter:
    """Follows the lines executed inside the library, and raises at the n-th."""

    def __init__(self, at_line: int = 0) -> None:
        self.at_line = at_line
        self.places: list[str] = []

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(LIBRARY):
            return None
        if event == "line":
            self.places.append(f"{frame.f_code.co_filename[len(LIBRARY) :]}:{frame.f_lineno}")
            if len(self.places) == self.at_line:
                raise Torn
        return self


def interrupted(call: Callable[[], Any], line: int = 0) -> list[str]:
    """Call, be interrupted at that line (0: never), and return the lines that were executed."""
    tracer = Interrupter(line)
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        call()
    except Torn:
        pass
    finally:
        sys.settrace(before)
    return tracer.places


def standing(learner: Any) -> Any:
    """Everything that a round changes, but for the queries, which were asked whatever came of them."""
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
        # How to ask an oracle is learnt from every question, also from one that came to nothing.
        left_out = ("asked", "posed", "bits_only", "choice")
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


def few(sample: Any) -> bool:
    return bool(sum(y for _, y in sample) <= 2)


def find(sample: Any) -> Any:
    ones = {x for x, y in sample if y}
    return (lambda x: int(x in ones)) if len(ones) <= 2 and all(x not in ones for x, y in sample if not y) else None


TABLE = at.FiniteClass(np.random.default_rng(0).integers(0, 2, (9, 6)))
HALVES = [{"a": float(i % 4), "b": float(i % 3)} for i in range(6)]
BITS = [(0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 1, 1), (1, 1, 1), (0, 0, 1)]
NUMBERS = [3, 5, 1, 3, 4, 0]
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
    "open stumps": (lambda: at.Adept(OpenStumps()), HALVES),
    "stumps": (lambda: at.Adept(at.Stumps({"a": [1.0, 2.0], "b": [1.0]})), HALVES),
    "blocks": (lambda: at.Adept(at.BlockUnions(2)), NUMBERS),
    "conjunctions": (lambda: at.Adept(at.Conjunctions(3)), BITS),
    "disjunctions": (lambda: at.Adept(at.Disjunctions(3)), BITS),
    "parities": (lambda: at.Adept(at.Parities(3)), BITS),
    "soa": (lambda: at.Adept(TABLE, base=at.SOA()), NUMBERS),
    "halving": (lambda: at.Adept(TABLE, base=at.Halving()), NUMBERS),
    "own base": (lambda: at.Adept(at.Thresholds(6), base=Remembers()), NUMBERS),
    "oracle, bits": (lambda: at.Adept(at.OracleClass(realizable=few, littlestone_dimension=2)), NUMBERS),
    "oracle, find": (lambda: at.Adept(at.OracleClass(find=find, littlestone_dimension=2)), NUMBERS),
    "literal": (lambda: at.Adept(at.OracleClass(find=find, littlestone_dimension=2, strategy="literal")), NUMBERS),
    "tracking": (lambda: at.Tracking(at.Thresholds(6), 60, 2), NUMBERS),
    "hedge": (lambda: at.Hedge(at.Thresholds(6)), NUMBERS),
    "lazy": (lambda: at.LazyAdept(at.Thresholds(6), 60), NUMBERS),
    "leader": (lambda: at.FollowTheLeader(at.Thresholds(6), 60), NUMBERS),
    "perturbed": (lambda: at.FollowThePerturbedLeader(at.Thresholds(6), 60), NUMBERS),
    "bpss": (lambda: at.Bpss(at.Thresholds(3), 8, prune=True), [0, 2, 1, 0, 2, 1]),
}
LABELS = [1, 0, 1, 1, 0, 1]


def torn_everywhere(
    build: Callable[[], Any], points: list[Any], prepare: Callable[[Any], Any], act: Callable[[Any, Any], Any]
) -> int:
    """Interrupt ``act`` at every line; each time the learner must stand as before it or as after it, and go on so."""
    ready = build()
    for x, y in zip(points[:4], LABELS, strict=False):
        ready.learn(x, y)
    prepared = prepare(ready)
    before = standing(ready)
    done = copy.deepcopy(ready)
    places = interrupted(lambda: act(done, prepared))
    after = standing(done)
    assert before != after
    # Every line, the first and the last time that it is executed: a loop is torn at its beginning and at its end.
    first = {place: i for i, place in reversed(list(enumerate(places, 1)))}
    last = {place: i for i, place in enumerate(places, 1)}
    for line in sorted({*first.values(), *last.values()}):
        torn = copy.deepcopy(ready)
        place = interrupted(lambda torn=torn: act(torn, prepared), line)[-1]  # type: ignore[misc]
        now = standing(torn)
        assert now in (before, after), f"half a round after an interrupt at {place}"
        if now == before:
            act(torn, prepared)
            assert standing(torn) == after, f"the round differs after an interrupt at {place}"
    return len(first)


@pytest.mark.parametrize("name", LEARNERS)
def test_learn_is_all_or_nothing_at_every_line(name: str) -> None:
    build, points = LEARNERS[name]
    lines = torn_everywhere(build, points, lambda learner: None, lambda learner, _: learner.learn(points[4], LABELS[4]))
    assert lines > 20


@pytest.mark.parametrize("name", ["thresholds", "intervals", "oracle, bits", "costs", "hedge", "tracking"])
def test_tickets_are_all_or_nothing_at_every_line(name: str) -> None:
    build, points = LEARNERS[name]
    torn_everywhere(build, points, lambda learner: None, lambda learner, _: learner.answer(points[4]))
    torn_everywhere(
        build, points, lambda learner: learner.answer(points[4]), lambda learner, ticket: learner.learn(ticket, 1)
    )
    torn_everywhere(
        build, points, lambda learner: None, lambda learner, _: learner.learn_answered(points[4], 1, 0.3, 0, 2)
    )


def test_mutant_a_frontier_that_alters_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    from adeptree.frontiers.ordered import IntervalFrontier

    def grow(self: Any, children: Any) -> None:
        self.box, self.blank = self._narrowed(children)
        if self.is_new(children.x):
            self.seen.append(children.x)
            self.seen.sort()

    monkeypatch.setattr(IntervalFrontier, "grow", grow)
    build, points = LEARNERS["intervals"]
    with pytest.raises(AssertionError, match=r"half a round|differs"):
        torn_everywhere(build, points, lambda learner: None, lambda learner, _: learner.learn(points[4], 0))


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


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
@pytest.mark.parametrize("name", ["thresholds", "intervals", "hedge", "tracking", "lazy"])
def test_ctrl_c_inside_a_batch_leaves_whole_rounds(name: str) -> None:
    build, _ = LEARNERS[name]
    rng = np.random.default_rng(3)
    xs, ys = rng.integers(0, 6, 60).tolist(), rng.integers(0, 2, 60).tolist()

    armed = False

    def raised(*_: Any) -> None:
        if armed:
            raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, raised)
    try:
        for delay in np.linspace(2e-4, 8e-3, 25):
            learner, twin = build(), build()
            try:
                armed = True
                signal.setitimer(signal.ITIMER_REAL, delay)
                learner.learn_many(xs, ys)
                armed = False  # inside the try: an alarm just before this line is caught, one after it says nothing
            except KeyboardInterrupt:
                pass
            signal.setitimer(signal.ITIMER_REAL, 0)
            twin.learn_many(xs[: learner.rounds], ys[: learner.rounds])
            assert standing(learner) == standing(twin)
    finally:
        signal.signal(signal.SIGALRM, old)


# ------------------------------------------------------------------------------------------------------ threads


@pytest.mark.parametrize("name", LEARNERS)
def test_threads_predict_what_one_thread_predicts(name: str) -> None:
    build, points = LEARNERS[name]
    learner = build()
    for x, y in zip(points[:4], LABELS, strict=False):
        learner.learn(x, y)
    alone = [learner.predict_proba(x) for x in points]
    wrong: list[Any] = []

    def ask(start: int) -> None:
        for i in range(start, start + 120):
            p = learner.predict_proba(points[i % len(points)])
            if p != alone[i % len(points)]:
                wrong.append((i, p))

    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(switching)
    assert wrong == []


def test_threads_that_learn_at_once_lose_no_round() -> None:
    learner = at.Adept(at.Thresholds(30))
    played: list[tuple[int, int]] = []

    def learn(start: int) -> None:
        for i in range(60):
            x, y = (7 * i + start) % 30, (i + start) % 2
            with learner._lock:
                learner.learn(x, y)
                played.append((x, y))
            certificate = learner.certificate()
            assert certificate.regret <= certificate.bound

    threads = [threading.Thread(target=learn, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    twin = at.Adept(at.Thresholds(30))
    for x, y in played:
        twin.learn(x, y)
    assert learner.rounds == 240 and standing(learner) == standing(twin)


def test_a_reader_never_waits_for_ever() -> None:
    learner = at.Adept(at.Thresholds(30))
    thread = threading.Thread(target=lambda: learner.learn_many([3] * 200, [1] * 200))
    thread.start()
    started = time.monotonic()
    learner.certificate()
    thread.join()
    assert time.monotonic() - started < 30 and learner.rounds == 200
