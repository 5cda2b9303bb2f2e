"""Compiled rounds call Python now and then (garbage collection, texts): a thread that comes in then is refused."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import adeptree as at

T = 600
CLASSES: dict[str, tuple[Any, Any]] = {
    "thresholds": (at.RealThresholds(), lambda rng: float(rng.random())),
    "intervals": (at.RealIntervals(), lambda rng: float(rng.random())),
    "stumps": (at.RealStumps(["a", "b"]), lambda rng: {"a": float(rng.random()), "b": float(rng.random())}),
    "blocks": (at.BlockUnions(3), lambda rng: int(rng.integers(0, 1000))),
    "tables": (at.TableStumps(["a", "b"]), lambda rng: {"a": float(rng.random()), "b": f"n{rng.integers(0, 300)}"}),
}


@pytest.fixture
def crowded() -> Iterator[None]:
    """Let threads take turns at every chance, and the collector of garbage come often and call Python."""
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()

    def called(phase: str, info: dict[str, int]) -> None:
        sum(range(50))

    sys.setswitchinterval(1e-6)
    gc.set_threshold(5)
    gc.callbacks.append(called)
    yield
    gc.callbacks.remove(called)
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(interval)


def insisting(call: Callable[..., Any], *arguments: Any) -> Any:
    """Call until no other thread is inside."""
    while True:
        with suppress(at.errors.BusyLearner):
            return call(*arguments)


def read(learner: at.Adept, point: Any, done: threading.Event) -> None:
    while not done.is_set():
        with suppress(at.errors.BusyLearner):
            learner.predict_proba(point)


@pytest.mark.usefixtures("crowded")
@pytest.mark.parametrize("name", CLASSES)
def test_readers_change_nothing(name: str) -> None:
    concept_class, draw = CLASSES[name]
    for seed in range(4):
        rng = np.random.default_rng(seed)
        rounds = [(draw(rng), int(rng.integers(0, 2))) for _ in range(T)]
        learner, alone, done = at.Adept(concept_class), at.Adept(concept_class), threading.Event()
        readers = [threading.Thread(target=read, args=(learner, draw(rng), done)) for _ in range(2)]
        for reader in readers:
            reader.start()
        for x, y in rounds:
            insisting(learner.learn, x, y)
        done.set()
        for reader in readers:
            reader.join()
        for x, y in rounds:
            alone.learn(x, y)
        assert (learner.regret, learner.best_loss) == (alone.regret, alone.best_loss)


def test_a_call_with_a_wrong_point_does_not_leave_the_learner_busy() -> None:
    learner = at.Adept(at.RealThresholds())
    for wrong in (float("nan"), "a", None):
        with pytest.raises(at.AdeptreeError):
            learner.learn(wrong, 1)
        other = threading.Thread(target=learner.learn, args=(0.5, 1), daemon=True)
        other.start()
        other.join(60)
        assert not other.is_alive()
    assert learner.rounds == 3


@pytest.mark.usefixtures("crowded")
@pytest.mark.parametrize("name", CLASSES)
def test_no_round_is_lost_among_writers_batches_tickets_and_readers(name: str) -> None:
    concept_class, draw = CLASSES[name]
    learner, failed = at.Adept(concept_class), []

    def single(rng: np.random.Generator) -> None:
        insisting(learner.learn, draw(rng), int(rng.integers(0, 2)))

    def batch(rng: np.random.Generator) -> None:
        insisting(learner.learn_many, [draw(rng), draw(rng)], rng.integers(0, 2, 2))

    def ticket(rng: np.random.Generator) -> None:
        insisting(learner.learn, insisting(learner.answer, draw(rng)), int(rng.integers(0, 2)))

    def proof(rng: np.random.Generator) -> None:
        assert 0.0 <= insisting(learner.predict_proba, draw(rng)) <= 1.0

    def again(what: Any, seed: int) -> None:
        rng = np.random.default_rng(seed)
        try:
            for _ in range(60):
                what(rng)
        except Exception as error:
            failed.append(error)

    threads = [
        threading.Thread(target=again, args=(what, seed))
        for seed, what in enumerate([single, single, single, batch, ticket, proof])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == [] and learner.rounds == 60 * 6
