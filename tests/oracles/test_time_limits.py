"""A solver that hangs: every question can be given a time, and what then happens is on_unknown's business."""

from __future__ import annotations

import copy
import gc
import pickle
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from interrupting import struck

import adeptree as at
from adeptree.core.errors import InvalidArgument, OracleError, OracleUnknown
from adeptree.oracles import ClassOracle, FunctionOracle, TimeLimit, layers

LINE = at.Thresholds(8)
STREAM = [(3, 1), (5, 0), (1, 1), (6, 0), (3, 1), (2, 0)]


class Hangs:
    """An oracle that answers about thresholds, but hangs on samples with both of some labels until it is let go."""

    def __init__(self, *stuck: tuple[int, int]) -> None:
        self.stuck, self.gate, self.calls = set(stuck), threading.Event(), 0

    def find(self, sample: Any) -> Any:
        self.calls += 1
        if self.stuck <= set(sample):
            self.gate.wait(60)
        return LINE.erm(sample) if LINE.realizable(sample) else None

    def realizable(self, sample: Any) -> bool:
        return self.find(sample) is not None


@pytest.fixture
def hangs() -> Any:
    oracle = Hangs((3, 1), (5, 0))
    yield oracle
    oracle.gate.set()


@pytest.mark.parametrize("kind", ["find", "realizable"])
def test_a_call_that_hangs_is_unknown_and_nothing_is_learnt(hangs: Hangs, kind: str) -> None:
    c = at.OracleClass(**{kind: getattr(hangs, kind)}, seconds=0.05, littlestone_dimension=3)
    learner = at.Adept(c, 20, rate=0.5)
    learner.learn(3, 1)
    before = (learner.rounds, learner.expected_loss, learner.width)
    with pytest.raises(OracleUnknown, match=r"did not answer within 0.05 seconds; raise seconds=, or give"):
        learner.learn(5, 0)
    assert (learner.rounds, learner.expected_loss, learner.width) == before
    assert c.unknowns >= 1


@pytest.mark.parametrize("kind", ["find", "realizable"])
def test_kept_as_realizable_the_run_goes_on(hangs: Hangs, kind: str) -> None:
    c = at.OracleClass(**{kind: getattr(hangs, kind)}, seconds=0.05, on_unknown="keep", littlestone_dimension=3)
    learner = at.Adept(c, 20, rate=0.5)
    started = time.monotonic()
    learner.learn_many(*zip(*STREAM, strict=True))
    assert learner.rounds == 6 and c.unknowns >= 1 and time.monotonic() - started < 10
    twin = at.Adept(LINE, 20, rate=0.5)
    twin.learn_many(*zip(*STREAM, strict=True))
    assert learner.width >= twin.width and learner.best_loss <= twin.best_loss


def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    runs = []
    for seconds in (None, 30.0):
        oracle = Hangs((9, 1))
        learner = at.Adept(at.OracleClass(find=oracle.find, seconds=seconds, littlestone_dimension=3), 20)
        runs.append((learner.learn_many(*zip(*STREAM, strict=True)).tolist(), oracle.calls, learner.queries.posed))
    assert runs[0] == runs[1]


def test_what_the_oracle_raises_is_told_as_without_a_limit() -> None:
    def broken(sample: Any) -> bool:
        raise ZeroDivisionError("no")

    c = at.OracleClass(realizable=broken, seconds=5, mistake_bound=2)
    with pytest.raises(OracleError, match="the oracle raised ZeroDivisionError: no; nothing was learnt"):
        c.realizable([(1, 1)])


def test_a_late_answer_is_the_answer_to_nothing() -> None:
    gate = threading.Event()

    def slow(sample: Any) -> bool:
        if len(sample) == 1:
            gate.wait(10)
            return True
        return False

    c = at.OracleClass(realizable=slow, seconds=0.05, mistake_bound=2)
    with pytest.raises(OracleUnknown):
        c.realizable([(1, 1)])
    gate.set()
    time.sleep(0.05)
    assert c.realizable([(1, 1), (2, 1)]) is False


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
def test_an_interrupt_while_waiting_leaves_no_answer_behind(hangs: Hangs) -> None:
    c = at.OracleClass(find=hangs.find, seconds=30, littlestone_dimension=3)
    learner = at.Adept(c, 20)
    learner.learn(3, 1)

    assert struck(partial(learner.learn, 5, 0), 0.1)
    hangs.gate.set()
    learner.learn(5, 0)
    twin = at.Adept(at.OracleClass(find=hangs.find, littlestone_dimension=3), 20)
    twin.learn_many([3, 5], [1, 0])
    assert learner.expected_loss == twin.expected_loss and learner.width == twin.width


def test_too_many_hanging_calls_end_the_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "MOST_HANGING", 3)
    gate = threading.Event()
    c = at.OracleClass(realizable=lambda sample: gate.wait(60), seconds=0.01, on_unknown="keep", mistake_bound=2)
    assert [c.realizable([(i, 1)]) for i in range(3)] == [True] * 3
    with pytest.raises(OracleError, match="3 calls of the oracle hang and continue in the background"):
        c.realizable([(4, 1)])
    gate.set()
    time.sleep(0.1)
    assert c.realizable([(4, 1)])  # those that came back are forgotten


def test_a_batch_has_the_time_of_all_its_samples() -> None:
    def many(samples: Any) -> Any:
        time.sleep(0.02 * len(samples))
        return [LINE.erm(sample) for sample in samples]

    c = at.OracleClass(find_many=many, seconds=0.1, batch=20, mistake_bound=3)
    assert len(c.find_many([[(i % 8, 1)] for i in range(20)])) == 20


def test_threads_wait_beside_each_other() -> None:
    c = at.OracleClass(realizable=lambda sample: threading.Event().wait(0.2) is False, seconds=5, mistake_bound=3)
    started = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(c.realizable, [[(i, 1)] for i in range(8)]))
    assert time.monotonic() - started < 1.2


def test_threads_end_with_their_oracle_and_travel_with_nothing() -> None:
    before = set(threading.enumerate())
    waiting = TimeLimit(ClassOracle(LINE), seconds=5)
    assert waiting.realizable([(3, 1)]) and waiting.realizable([(4, 1)])
    (thread,) = set(threading.enumerate()) - before
    for other in (copy.deepcopy(waiting), pickle.loads(pickle.dumps(waiting))):
        assert other.realizable([(3, 1)])
        del other
    del waiting
    gc.collect()
    thread.join(5)
    assert not thread.is_alive()


def test_the_layer() -> None:
    oracle = TimeLimit(ClassOracle(LINE), seconds=5)
    assert oracle.realizable_many([[(3, 1)], [(3, 1), (4, 0)]]) == [True, False]
    slow = TimeLimit(FunctionOracle(find=lambda sample: time.sleep(1)), seconds=0.01)
    with pytest.raises(OracleUnknown):
        slow.find([(1, 1)])


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), "3", True, 10**400])
def test_wrong_limits_get_a_sentence(seconds: Any) -> None:
    for build in (
        lambda: at.OracleClass(realizable=bool, seconds=seconds),
        lambda: at.Halfspaces(2, seconds=seconds),
        lambda: TimeLimit(ClassOracle(LINE), seconds),
    ):
        with pytest.raises(InvalidArgument, match="seconds must be a positive number"):
            build()


def points(n: int, dim: int) -> list[tuple[tuple[float, ...], int]]:
    """Return points that take a while: as good as separable, with many digits."""
    import numpy as np

    rng = np.random.default_rng(1)
    xs = rng.normal(size=(n, dim))
    return [(tuple(x.tolist()), int(x.sum() + 0.1 * rng.normal() > 0)) for x in xs]


def test_halfspaces_have_a_limit_per_question() -> None:
    sample = points(400, 8)
    c = at.Halfspaces(8, seconds=0.002)
    with pytest.raises(OracleUnknown, match=r"400 points was not decided within seconds=0.002; raise the limit"):
        c.find(sample)
    assert at.Halfspaces(8, seconds=0.002, on_unknown="keep").realizable(sample)
    small = [((0.0, 0.0), 0), ((1.0, 1.0), 1)]
    limited = at.Halfspaces(2, seconds=20, solver="highs")
    assert all(limited.find(small) is not None for _ in range(3))  # HiGHS adds up its time; the limit does not
    assert at.parse(repr(limited)) == limited and repr(limited) == "halfspaces(dim=2, seconds=20.0)"
    assert pickle.loads(pickle.dumps(limited)).decider.seconds == 20


def test_the_clock_of_highs_is_not_added_up() -> None:
    from adeptree.solvers.lp.highs import Model

    model = Model(3)
    sample = [(tuple(x), y) for x, y in points(60, 3)]
    while model.highs is None or model.highs.getRunTime() < 0.2:
        assert model.solve(sample) is not None
        model.highs.clearSolver()  # (so that the next question takes as long)
    assert model.solve(sample, seconds=0.1) is not None  # 0.2 seconds are spent, and this is a new question
