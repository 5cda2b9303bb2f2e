"""Separate learners per segment: the numbers of one process, for any worker and any failure."""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from killed_segment import FatalStumps

import adeptree as at
from adeptree.core.errors import InvalidArgument, InvalidLabel

posix = pytest.mark.skipif(os.name == "nt", reason="a process is killed by a POSIX signal")
SETTINGS: dict[str, Any] = {"costs": (5, 1), "review": 0.5}


def columns(count: int = 400) -> dict[str, list[Any]]:
    rng = random.Random(4)
    tenants = [rng.choice(["a", "a", "b", 7, None]) for _ in range(count)]
    scores = [round(rng.random(), 2) for _ in range(count)]
    cuts = {"a": 0.3, "b": 0.7, 7: 0.5, None: 0.9}
    ys = [int((s >= cuts[t]) != (rng.random() < 0.1)) for t, s in zip(tenants, scores, strict=True)]
    return {"tenant": tenants, "score": scores, "job": [rng.choice(["x", "y", None]) for _ in range(count)], "y": ys}


COLUMNS = columns()


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Executor]:
    distributed: Any = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.Client(**options, silence_logs=50) as client:
        assert len(client.scheduler_info()["workers"]) == 2
        yield client.get_executor()


@pytest.fixture
def pool() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


def numbers(learners: dict[str, at.Adept]) -> dict[str, list[Any]]:
    return {
        name: [one.rounds, one.seed, one.expected_loss, one.realised_loss, one.bound, str(one.best_rule())]
        for name, one in learners.items()
    }


def test_each_segment_is_a_loop_of_its_own() -> None:
    found = at.learn_segments(COLUMNS, "y", "tenant", weights=[1 + i % 2 for i in range(400)], max_weight=2, **SETTINGS)
    assert list(found) == list(dict.fromkeys("" if t is None else str(t) for t in COLUMNS["tenant"]))
    assert len({learner.seed for learner in found.values()}) == 4
    for name, learner in found.items():
        loop = at.Adept(at.TableStumps(["score", "job"]), seed=learner.seed, max_weight=2, **SETTINGS)
        for i, tenant in enumerate(COLUMNS["tenant"]):
            if ("" if tenant is None else str(tenant)) == name:
                row = {"score": COLUMNS["score"][i], "job": COLUMNS["job"][i]}
                loop.learn(row, COLUMNS["y"][i], weight=1 + i % 2)
        assert numbers({name: loop}) == numbers({name: learner})


@pytest.mark.parametrize(
    "rules", ["thresholds(score)", at.RealThresholds().on("score"), "stumps(score) | experts(score)"]
)
def test_frames_and_texts(rules: Any) -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    text = {**COLUMNS, "tenant": [None if t is None else str(t) for t in COLUMNS["tenant"]]}
    wanted = numbers(at.learn_segments(text, "y", "tenant", rules))
    for frame in (pd.DataFrame(text), pl.DataFrame(text)):
        assert numbers(at.learn_segments(frame, "y", "tenant", rules)) == wanted
        assert numbers(at.learn_segments(frame, np.array(text["y"]), "tenant", rules)) == wanted


@pytest.mark.timeout(100)
def test_processes_and_threads_give_the_same_numbers(pool: Executor) -> None:
    wanted = numbers(at.learn_segments(COLUMNS, "y", "tenant", **SETTINGS))
    assert numbers(at.learn_segments(COLUMNS, "y", "tenant", executor=pool, **SETTINGS)) == wanted
    with ThreadPoolExecutor(2) as threads:
        assert numbers(at.learn_segments(COLUMNS, "y", "tenant", executor=threads, **SETTINGS)) == wanted


@posix
@pytest.mark.timeout(100)
@pytest.mark.parametrize("kind", ["pool", "cluster"])
def test_a_worker_that_is_killed_changes_no_number(kind: str, request: Any, tmp_path: Path) -> None:
    executor, marker = request.getfixturevalue(kind), tmp_path / "killed"
    fatal = {**COLUMNS, "score": [0.25, *COLUMNS["score"][1:]]}
    rules = FatalStumps(["score", "job"], str(marker), os.getpid())
    wanted = numbers(at.learn_segments(fatal, "y", "tenant", rules, **SETTINGS))
    assert not marker.exists()
    assert numbers(at.learn_segments(fatal, "y", "tenant", rules, executor=executor, **SETTINGS)) == wanted
    assert marker.exists()


def test_wrong_arguments_are_refused() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"by": "tenants"}, "must have the column 'tenants'"),
        ({"label": "z"}, "must have the column 'z'"),
        ({"label": [0, 1]}, "frame and label must have the same length; got 400 and 2"),
        ({"rules": at.RealThresholds()}, "rules must name the columns they read"),
        ({"rules": 3}, "rules must name the columns they read"),
        ({"executor": 4}, "executor must be a concurrent.futures.Executor"),
        ({"frame": [1, 2]}, "frame must be a data frame or a mapping"),
        ({"frame": {"tenant": []}}, "must have the column 'y'"),
        ({"review": 9}, "a review must cost less than"),
    ]
    for wrong, said in cases:
        with pytest.raises(InvalidArgument, match=said):
            at.learn_segments(**{"frame": COLUMNS, "label": "y", "by": "tenant", **wrong})
    with pytest.raises(InvalidLabel):
        at.learn_segments(COLUMNS, "job", "tenant")
