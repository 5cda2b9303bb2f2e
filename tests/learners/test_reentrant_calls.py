"""Calls from callbacks, base learners and other threads, and wrong arguments of adapters: never a wrong number."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import adeptree as at
from adeptree import errors


def test_a_progress_callback_that_learns_does_not_pass_the_horizon(tmp_path: Path) -> None:
    learner = at.Adept(at.Thresholds(8), horizon=40)

    def play_one(done: int, total: int) -> None:
        if learner.answered < 40:
            learner.learn(3, 1)

    with pytest.raises(errors.HorizonReached):
        learner.learn_many([3] * 40, [1, 0] * 20, progress=play_one)
    assert learner.answered <= 40 and learner.final is not None and learner.final >= learner.regret
    learner.save(tmp_path / "f")
    assert at.load(tmp_path / "f").rounds == learner.rounds


def test_no_file_is_written_from_inside_a_round(tmp_path: Path) -> None:
    class Saving:
        mistake_bound = 16

        def start(self) -> None:
            return None

        def predict(self, state: None, x: Any) -> int:
            return 0

        def update(self, state: None, x: Any, y: int) -> None:
            if inside:
                with pytest.raises(errors.StateError, match="one thread at a time"):
                    learner.save(tmp_path / "f")
                refused.append(x)

    inside, refused = False, list[Any]()
    learner = at.Adept(at.Thresholds(16), base=Saving(), engine="paths")
    learner.learn(3, 0)
    inside = True
    ticket = learner.answer(4)
    inside = False
    learner.learn(ticket, 1)
    assert refused and not (tmp_path / "f").exists()
    assert learner.rounds == 2 and learner.waiting == 0


@pytest.fixture
def eager_threads() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("eager_threads")
def test_files_that_a_second_thread_saves_are_whole_or_refused(tmp_path: Path) -> None:
    learner, stop, wrong = at.Adept(at.Thresholds(8)), threading.Event(), list[Any]()

    def save() -> None:
        while not stop.is_set():
            try:
                learner.save(tmp_path / "f")
                regret, bound = learner.regret, learner.bound
            except errors.StateError:
                continue
            again = at.load(tmp_path / "f")
            if again.rounds != 2 * again.best_loss or regret > bound + 1e-9 * (1 + bound):
                wrong.append(again)

    reader = threading.Thread(target=save)
    reader.start()
    for _ in range(150):
        try:
            learner.learn_many([3] * 200, [0, 1] * 100)
        except errors.StateError:
            continue
    stop.set()
    reader.join()
    assert wrong == []
