"""Threads: layers and solvers may be shared, and a learner refuses a call while another one is inside."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.oracles import Budgeting, Caching, ClassOracle, Counting


@pytest.fixture(autouse=True)
def _switching_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def halfspaces() -> tuple[Any, list[Any]]:
    return at.Halfspaces(2, solver="highs"), [(i % 7, (3 * i) % 5) for i in range(24)]


def dnf() -> tuple[Any, list[Any]]:
    from adeptree.solvers.sat import KTermDnf

    rng = np.random.default_rng(2)
    return at.SatClass(KTermDnf(n=4, k=1)), [tuple(rng.integers(0, 2, 4).tolist()) for _ in range(24)]


def template() -> tuple[Any, list[Any]]:
    import z3

    a, b = z3.Ints("a b")
    return at.SmtClass(lambda x: z3.And(x >= a, x < b), [a, b], [0 <= a, a <= 9, 0 <= b, b <= 9]), list(range(9)) * 3


@pytest.mark.parametrize("build", [halfspaces, dnf, template])
def test_threads_that_share_a_solver_get_the_answers_of_one(build: Callable[[], tuple[Any, list[Any]]]) -> None:
    c, points = build()
    rng = np.random.default_rng(1)
    samples = []
    for _ in range(80):
        chosen = rng.integers(0, len(points), 6).tolist()
        samples.append([(points[i], int(rng.integers(0, 2))) for i in chosen])

    def answer(sample: Any) -> bool:
        concept = c.find(sample)
        return concept is not None and all(concept(x) == y for x, y in sample)

    alone = [build()[0].realizable(sample) for sample in samples[:20]]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(answer, samples * 2))
    assert together[:80] == together[80:] and together[:20] == alone
    assert {True, False} == set(together)


def test_layers_count_right_from_several_threads() -> None:
    oracle = Counting(Caching(Budgeting(ClassOracle(at.Thresholds(64)), queries=10_000)))
    samples = [[(i % 64, 1)] for i in range(2000)]
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(oracle.realizable, samples))
    assert (oracle.queries, oracle.misses, oracle.hits) == (2000, 64, 1936)


def test_an_interrupt_while_an_instance_is_stated_spoils_no_later_one(monkeypatch: pytest.MonkeyPatch) -> None:
    c, _ = template()
    solving = c._solving
    state = solving._state
    monkeypatch.setattr(solving, "_state", lambda *terms: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        c.find([(3, 1)])
    monkeypatch.setattr(solving, "_state", state)
    assert c.find([(8, 0)]) is not None and c.find([(3, 1), (8, 0)]) is not None
    assert c.find([(3, 1), (4, 0), (5, 1)]) is None


class Slow:
    """An oracle that stops in the middle of a round until it is let go."""

    def __init__(self) -> None:
        self.inside, self.go = threading.Event(), threading.Event()

    def __call__(self, sample: Any) -> bool:
        self.inside.set()
        assert self.go.wait(60)
        return bool(sum(y for _, y in sample) <= 2)


CALLS: dict[str, Callable[[Any], Any]] = {
    "predict_proba": lambda learner: learner.predict_proba(4),
    "predict_proba_many": lambda learner: learner.predict_proba_many([4]),
    "predict": lambda learner: learner.predict(4),
    "learn": lambda learner: learner.learn(4, 1),
    "learn_many": lambda learner: learner.learn_many([4], [1]),
    "answer": lambda learner: learner.answer(4),
    "certificate": lambda learner: learner.certificate(),
    "saved": lambda learner: learner.saved(),
    "best_rule": lambda learner: learner.best_rule(),
    "rules_within": lambda learner: learner.rules_within(1),
    **{
        name: lambda learner, name=name: getattr(learner, name)  # type: ignore[misc]
        for name in ("rounds", "regret", "bound", "best_loss", "width", "learning_rate", "expected_loss")
    },
}


def test_a_call_while_another_thread_is_inside_is_refused_and_changes_nothing() -> None:
    oracle = Slow()
    learner = at.Adept(at.OracleClass(realizable=oracle, littlestone_dimension=2))
    thread = threading.Thread(target=learner.learn, args=(3, 1))
    thread.start()
    assert oracle.inside.wait(60)
    for name, call in CALLS.items():
        with pytest.raises(at.errors.BusyLearner, match=r"one thread at a time.*threading\.Lock"):
            call(learner)
            pytest.fail(name)
    assert "BusyLearner" in repr(learner)
    oracle.go.set()
    thread.join()
    twin = at.Adept(at.OracleClass(realizable=oracle, littlestone_dimension=2))
    twin.learn(3, 1)
    assert learner.rounds == 1 and learner.predict_proba(4) == twin.predict_proba(4)
    for call in CALLS.values():
        call(learner)


def test_a_learner_that_an_oracle_calls_in_the_middle_of_its_round_refuses() -> None:
    learners: list[at.Adept] = []

    def realizable(sample: Any) -> bool:
        if learners and len(sample) > 1:
            learners[0].learn(1, 1)
        return True

    learner = at.Adept(at.OracleClass(realizable=realizable, littlestone_dimension=2))
    learner.learn(3, 1)
    learners.append(learner)
    with pytest.raises(at.errors.AdeptreeError, match="one thread at a time"):
        learner.learn(4, 1)
    learners.clear()
    assert learner.rounds == 1
    learner.learn(4, 1)
    assert learner.rounds == 2


def test_callbacks_may_read_and_look_between_the_rounds_of_a_batch() -> None:
    learner = at.Adept(at.Thresholds(8))
    seen: list[tuple[int, float]] = []
    learner.learn_many([3, 5, 1], [0, 1, 0], on_round=lambda _: seen.append((learner.rounds, learner.predict_proba(4))))
    assert [rounds for rounds, _ in seen] == [1, 2, 3]


def test_threads_that_share_a_lock_share_a_learner() -> None:
    learner, twin, lock = at.Adept(at.Thresholds(30)), at.Adept(at.Thresholds(30)), threading.Lock()
    played: list[tuple[int, int]] = []

    def learn(start: int) -> None:
        for i in range(60):
            x, y = (7 * i + start) % 30, (i + start) % 2
            with lock:
                learner.learn(x, y)
                played.append((x, y))
                assert learner.regret <= learner.bound

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(learn, range(4)))
    twin.learn_many(*zip(*played, strict=True))
    assert learner.rounds == 240 and learner.regret == twin.regret


def test_what_is_done_to_a_layer_waits_for_its_questions() -> None:
    cache = Caching(ClassOracle(at.Thresholds(64)))
    oracle = Budgeting(cache, queries=10)

    def grant(_: int) -> None:
        for _ in range(2000):
            oracle.grant(1)
            cache.clear()
            cache.realizable([(3, 1)])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(grant, range(4)))
    assert oracle.queries == 8010


def test_what_is_no_sequence_gets_a_sentence() -> None:
    for learner in (at.Adept(at.Thresholds(6), 40), at.Hedge(at.Thresholds(6), 40)):
        for wrong in (None, 5):
            sequence: Any = wrong
            with pytest.raises(at.errors.InvalidArgument, match="must be a sequence, one entry per round"):
                learner.learn_many(sequence, sequence)
            with pytest.raises(at.errors.InvalidArgument, match="xs must be a sequence, one entry per round"):
                learner.predict_proba_many(sequence)
