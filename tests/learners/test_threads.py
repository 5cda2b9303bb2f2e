"""What docs/threads.md says of objects that several threads share; learners are in test_whole_rounds."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.oracles import Budgeting, Caching, ClassOracle, Counting, Recording, Replaying

PAGE = (Path(__file__).parents[2] / "docs" / "threads.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _switching_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_every_public_name_is_spoken_of() -> None:
    said = set(re.findall(r"`([A-Za-z_]+)`", PAGE))
    assert {name for name in at.__all__ if not name.startswith("_")} <= said


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


def test_what_reads_several_numbers_waits_for_the_round_to_end() -> None:
    learner = at.Bpss(at.Thresholds(3), 9, prune=True)
    seen: list[Any] = []

    def read() -> None:
        while learner.rounds < 9:
            seen.append(learner.best_rule())

    reader = threading.Thread(target=read)
    reader.start()
    for t in range(9):
        learner.learn(t % 3, t % 2)
    reader.join()
    assert all(rule(x) in (0, 1) for rule in seen for x in range(3))


@pytest.mark.parametrize("name", ["bound", "best_rule", "width", "certificate", "bound_after"])
def test_readers_are_behind_the_lock(name: str) -> None:
    learner = at.Adept(at.Thresholds(8), 20)
    done = threading.Event()

    def read() -> None:
        value = getattr(learner, name)
        if callable(value):
            value(*[10] * (name == "bound_after"))
        done.set()

    with learner._lock:
        thread = threading.Thread(target=read)
        thread.start()
        assert not done.wait(0.05)
    thread.join()
    assert done.is_set()


@pytest.mark.parametrize("build", [at.Adept, at.Hedge])
def test_batches_of_two_threads_do_not_go_past_the_horizon(build: Any) -> None:
    for _ in range(5):
        learner = build(at.Thresholds(6), 40)
        refused: list[str] = []

        def learn(learner: Any = learner, refused: list[str] = refused) -> None:
            try:
                learner.learn_many([3] * 25, [1] * 25)
            except at.errors.HorizonReached as error:
                refused.append(str(error))

        threads = [threading.Thread(target=learn) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert learner.rounds == 25 and len(refused) == 1 and "none was learnt" in refused[0]


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


def test_concepts_of_a_recording_are_written_down_one_at_a_time() -> None:
    recording = Recording(ClassOracle(at.Thresholds(10**6)))
    concepts = [recording.find([(i * 100, 0), (i * 100 + 50, 1)]) for i in range(20)]

    def look(k: int) -> None:
        for concept in concepts:
            assert concept is not None
            for i in range(20):
                concept((i * 997 + k * 13) % 10**6)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(look, range(4)))
    Replaying(recording.lines)


def test_what_is_no_sequence_gets_a_sentence() -> None:
    for learner in (at.Adept(at.Thresholds(6), 40), at.Hedge(at.Thresholds(6), 40)):
        for wrong in (None, 5):
            sequence: Any = wrong
            with pytest.raises(at.errors.InvalidArgument, match="must be a sequence, one entry per round"):
                learner.learn_many(sequence, sequence)
            with pytest.raises(at.errors.InvalidArgument, match="xs must be a sequence, one entry per round"):
                learner.predict_proba_many(sequence)
