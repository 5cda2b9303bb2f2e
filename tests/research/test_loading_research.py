"""Saved files that name a learner or a base learner of ``adeptree.research``: loaded without importing it first."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import adeptree as at
from adeptree import research

LEARNERS: dict[str, Callable[[], Any]] = {
    "RandSOA": lambda: research.RandSOA(at.Thresholds(8), horizon=9),
    "Transductive": lambda: research.Transductive(at.Thresholds(8), points=range(8), horizon=9),
    "FollowThePerturbedLeader": lambda: research.FollowThePerturbedLeader(at.Thresholds(8), horizon=9),
    "Adept": lambda: at.Adept(at.BlockUnions(2), prior="kt", base=research.WeightedVote()),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_a_new_process_loads_it(name: str, tmp_path: Path) -> None:
    learner = LEARNERS[name]()
    for x, y in ((3, 0), (6, 1), (4, 1)):
        learner.learn(x, y)
    path = tmp_path / "learner.adept"
    learner.save(path)
    code = f"import adeptree; learner = adeptree.load({str(path)!r}); print(repr(learner), learner.predict_proba(5))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{learner!r} {learner.predict_proba(5)}\n" and name in done.stdout
