"""Attacks on rules over tables that once succeeded: fractional weights, interrupts between new texts, own files."""

from __future__ import annotations

import gc
import math
import random
import signal
from pathlib import Path
from typing import Any

import pytest
from interrupting import struck

import adeptree as at

SMALL = [("x", 1, 0.1), ("y", 1, 0.3), ("z", 0, 1), ("y", 1, 1), ("x", 1, 1)]


def test_sums_of_fractions_do_not_stop_the_rate() -> None:
    """Rounding put the best loss below 0; then no rule was best, its price infinite, and the rate never fell again."""
    learner = at.Adept(at.TableStumps(["a"], values=3))
    for a, y, weight in SMALL:
        learner.learn({"a": a}, y, weight=weight)
    assert learner.best_loss >= 0
    for i in range(600):
        x = {"a": f"m{i % 3}"}
        learner.learn(x, int(learner.predict_proba(x) < 0.5))
    promised = at.Adept(at.TableStumps(["a"], values=3)).bound_after(learner.rounds)
    assert promised is not None and learner.regret <= min(learner.bound, promised) + 1e-6


@pytest.mark.parametrize("seed", range(40))
def test_fractional_weights_keep_all_that_is_told(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    kind: Any = rng.choice([at.TableStumps, at.TableThresholds, at.TableIntervals])
    learner = at.Adept(kind(["a", "b"], values=rng.choice([1, 2, 3, 8])), costs=rng.choice([(1, 1), (1, 0.3)]))
    for _ in range(rng.randrange(1, 12)):
        row = {"a": rng.choice(["x", "y", "z", None, 1.5]), "b": rng.choice(["p", "q", "r", 2.0])}
        learner.learn(row, rng.randrange(2), weight=rng.choice([1, 0.1, 1 / 3, 0.7, 0, 3]))
    assert learner.best_loss >= 0 and math.isfinite(learner.rate_rule.state()["kappa"])
    assert str(learner.best_rule()) and repr(learner) and str(learner.certificate())
    learner.save(tmp_path / "l.adept")
    assert at.load(tmp_path / "l.adept").predict_proba({"a": "x", "b": 2.0}) == learner.predict_proba(
        {"a": "x", "b": 2.0}
    )


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("settings", [{}, {"by": "c", "review": 0.1}], ids=["all", "by"])
def test_an_interrupt_while_a_text_is_hashed_is_raised_before_the_round(
    settings: dict[str, Any], many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    learner, again = at.Adept(at.TableStumps(["a", "b"]), **settings), at.Adept(at.TableStumps(["a", "b"]), **settings)
    rows = [{"a": f"t{i % 7}", "b": f"u{i}, {many}, {settings}", "c": f"s{i % 2}"} for i in range(40)]
    for one in (learner, again):
        one.learn_many(rows[:20], [0, 1] * 10)

    def interrupted(text: str) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("adeptree.theory.coins._hashed", interrupted)
        with pytest.raises(KeyboardInterrupt):
            learner.learn_many(rows[20:], [0, 1] * 10) if many else learner.learn(rows[20], 0)
    for x in rows[20:]:
        learner.learn(x, 0)
        again.learn(x, 0)
    assert learner.expected_loss == again.expected_loss and learner.predict_proba(rows[0]) == again.predict_proba(
        rows[0]
    )


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers of POSIX")
@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # one may strike in a test tool's callback
@pytest.mark.parametrize("many", [False, True])
def test_an_interrupt_between_new_texts_is_told_and_leaves_whole_rounds(many: bool) -> None:
    learner, rng = at.Adept(at.TableStumps(["a", "b"])), random.Random(1)
    rows = [({"a": f"t{rng.random()}", "b": f"u{i}"}, i % 2) for i in range(6000)]
    told = 0

    def learn_the_rest() -> None:
        left = rows[learner.rounds :]
        if many:
            learner.learn_many([x for x, _ in left], [y for _, y in left])
        else:
            for x, y in left:
                learner.learn(x, y)

    gc.disable()
    try:
        while learner.rounds < len(rows) and told < 60:
            told += struck(learn_the_rest, rng.uniform(2e-4, 3e-3))
    finally:
        gc.enable()
    again = at.Adept(at.TableStumps(["a", "b"]))
    again.learn_many([x for x, _ in rows[: learner.rounds]], [y for _, y in rows[: learner.rounds]])
    if not told:
        pytest.skip("this machine was too slow, or too fast, for a timer to strike in between")
    assert (again.expected_loss, again.best_loss, again.width) == (
        learner.expected_loss,
        learner.best_loss,
        learner.width,
    )


def test_open_tickets_of_rows_with_more_than_the_class_reads_are_saved(tmp_path: Path) -> None:
    import datetime

    learner = at.Adept(at.TableStumps(["a", "when"], times=["when"]))
    ticket = learner.answer({"a": 1, "when": datetime.datetime(2013, 5, 1, 17), "other": object()})
    learner.save(tmp_path / "l.adept")
    again = at.load(tmp_path / "l.adept")
    again.learn(next(iter(again.tickets)), 1)
    learner.learn(ticket, 1)
    assert again.expected_loss == learner.expected_loss
