"""Number of files of the package that a round enters: a newcomer who follows one must not get lost."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running import good, write

import adeptree as at
from adeptree.core.compiled import COMPILED
from adeptree.learners.online_learner import OnlineLearner

HOUSE = Path(at.__file__).parent


def entered(call: Callable[..., Any], *arguments: Any) -> set[str]:
    """Return the files of adeptree whose functions a call enters."""
    return set(calls_of(call, *arguments))


def calls_of(call: Callable[..., Any], *arguments: Any) -> list[str]:
    """Return the file of every function of adeptree that a call calls."""
    files = list[str]()

    def note(frame: Any, event: str, value: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(HOUSE):
            files.append(path.relative_to(HOUSE).as_posix())

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call(*arguments)
    finally:
        sys.setprofile(before)
    return files


def find(sample: Any) -> Any:
    """Return a threshold that fits: an oracle of the user's own."""
    low, high = max([x for x, y in sample if not y], default=-1), min([x for x, y in sample if y], default=99)
    return None if low >= high else lambda x: int(x >= high)


LEARNERS: dict[str, tuple[Callable[[], at.Adept], int, int]] = {
    "paths": (lambda: at.Adept(at.Thresholds(64), engine="paths"), 8, 10),
    "own oracle": (lambda: at.Adept(at.OracleClass(find=find)), 11, 12),
}


@pytest.mark.skipif(not COMPILED, reason="interpreted kernels are files too")
@pytest.mark.parametrize("name", LEARNERS)
def test_a_round_enters_few_files(name: str) -> None:
    """The fourth round: the first ones build what later ones use."""
    build, looks, commits = LEARNERS[name]
    learner = build()
    for x in (0, 4, 8):
        learner.predict_proba(x)
        learner.learn(x, int(x >= 5))
    looked, learnt = entered(learner.predict_proba, 1), entered(learner.learn, 1, 0)
    assert len(looked) <= looks, sorted(looked)
    assert len(learnt) <= commits, sorted(learnt)


@pytest.mark.skipif(not COMPILED, reason="interpreted kernels are files too")
def test_a_round_on_a_compiled_structure_enters_one_file() -> None:
    learner = at.Adept(at.Thresholds(64))
    for x, y in [(3, 0), (12, 1), (8, 1)]:
        assert entered(learner.predict_proba, x) == {"learners/online_learner.py"}
        assert entered(learner.learn, x, y) == {"learners/online_learner.py"}


@pytest.mark.skipif(not COMPILED, reason="interpreted kernels are functions too")
def test_a_late_label_takes_few_calls() -> None:
    """Labels come late in most services, so an answer and its label cost little Python around two compiled calls."""
    table = at.TableStumps(["age", "sex"])
    for rules, x, most in ((at.RealThresholds(), 0.5, (21, 25)), (table, {"age": 3.0, "sex": "f"}, (28, 32))):
        learner = at.Adept(rules)
        for y in (0, 1, 1, 0, 1):
            learner.learn(learner.answer(x), y)
        ticket = learner.answer(x)
        answer, label = calls_of(learner.answer, x), calls_of(learner.learn, ticket, 1)
        assert len(answer) <= most[0] and len(label) <= most[1], (answer, label)


def test_the_learner_has_few_ancestors_and_one_definition_of_a_round() -> None:
    ours = [kind for kind in at.Adept.__mro__ if kind.__module__.startswith("adeptree")]
    assert len(ours) <= 4
    for name in ("learn", "answer", "learn_many", "predict_proba", "predict_proba_many"):
        assert [kind for kind in ours if name in vars(kind)] == [OnlineLearner]


@pytest.mark.skipif(not COMPILED, reason="interpreted kernels are files too")
def test_a_run_enters_few_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole run on six rows, from the command line to its summary; imports do not count."""
    monkeypatch.chdir(tmp_path)
    run = ["run", write("six.csv", "score,y", "3,0", "5,1", "22,1", "8,0", "31,1", "17,1")]
    good(*run)
    files = entered(good, *run)
    assert len(files) <= 71, sorted(files)
