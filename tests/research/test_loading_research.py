"""Saved files that name a learner of ``adeptree.research``, or a base learner of another module."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import adeptree as at
from adeptree import research
from reproduction.perturbed_leader import FollowThePerturbedLeader
from reproduction.rand_soa import RandSOA
from reproduction.unknown_order import UnknownOrder
from reproduction.voting_learners import WeightedVote

ROOT = Path(__file__).parents[2]
LEARNERS: dict[str, Callable[[], Any]] = {
    "rand_soa": lambda: RandSOA(at.Thresholds(8), horizon=9),
    "perturbed_leader": lambda: FollowThePerturbedLeader(at.Thresholds(8), horizon=9),
    "unknown_order": lambda: UnknownOrder(at.Thresholds(8), points=range(8), horizon=9),
}
"""Learners of the reproduction, by their modules."""


def saved(learner: Any, path: Path) -> str:
    """Save the learner after three rounds; return what another process must print of it."""
    for x, y in ((3, 0), (6, 1), (4, 1)):
        learner.learn(x, y)
    learner.save(path)
    return f"{learner!r} {learner.predict_proba(5)}\n"


def loaded(path: Path, first: str = "") -> subprocess.CompletedProcess[str]:
    """Load a file in a new process, after the imports given."""
    code = f"import adeptree{first}; one = adeptree.load({str(path)!r}); print(repr(one), one.predict_proba(5))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)


def test_a_new_process_loads_research_without_an_import(tmp_path: Path) -> None:
    path = tmp_path / "learner.adept"
    said = saved(research.Transductive(at.Thresholds(8), points=range(8), horizon=9), path)
    assert loaded(path).stdout == said and "Transductive" in said


@pytest.mark.parametrize("module", LEARNERS)
def test_a_learner_of_another_module_is_known_once_that_is_imported(module: str, tmp_path: Path) -> None:
    path = tmp_path / "learner.adept"
    said = saved(LEARNERS[module](), path)
    assert loaded(path, f", reproduction.{module}").stdout == said
    error = loaded(path).stderr
    assert "StateError" in error and "DamagedFile" not in error and "register_learner" in error


def test_a_base_learner_of_another_module_is_known_once_that_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "learner.adept"
    said = saved(at.Adept(at.BlockUnions(2), prior="kt", base=WeightedVote()), path)
    assert loaded(path, ", reproduction.voting_learners").stdout == said
    error = loaded(path).stderr
    assert "StateError" in error and "DamagedFile" not in error
    assert (
        "learnt with WeightedVote(); its base learner 'WeightedVote' is not known here: pass it as base=, or" in error
    )
    again = at.load(path, base=WeightedVote())
    assert f"{again!r} {again.predict_proba(5)}\n" == said
