"""Ctrl-C at the lines of a call: a learner is as before, as after, or every later call asks to load it again.

The long form, every line of every call, is ``python tests/support/interrupting.py``.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from interrupting import campaign, heavy_rounds, struck

import adeptree as at
from adeptree.core.compiled import COMPILED

SCRIPT = Path(__file__).parents[1] / "support" / "interrupting.py"


@pytest.mark.filterwarnings("ignore")
def test_an_interrupt_leaves_whole_rounds_for_every_family() -> None:
    tried, failures = campaign(lines=2, share=3)
    assert tried > 50 and not failures, failures


@pytest.mark.parametrize(("before", "seed", "weight"), [(1, 1, 3.0), (3, 5, 3.0), (3, 2, 8.0)])
def test_an_interrupted_change_of_the_rate_is_done_whole(before: int, seed: int, weight: float) -> None:
    assert heavy_rounds(at.Thresholds(64), before, seed, weight) == []


COMMITS = [
    (lambda: at.Intervals(20).on("s"), {"review": 0.2, "drift": True}, "last_round"),
    (lambda: at.Intervals(20).on("s"), {"review": 0.2, "drift": True, "by": "t"}, "last_round"),
    (lambda: at.Intervals(20).on("s"), {"by": "t"}, "price"),
    (lambda: at.Thresholds(20).on("s"), {"by": "t"}, "price"),
]


@pytest.mark.skipif(not COMPILED, reason="an interpreted commit may be torn")
@pytest.mark.parametrize(("rules", "settings", "function"), COMMITS)
@pytest.mark.parametrize("call", [1, 3, 10])
def test_an_interrupt_in_code_called_by_a_commit_is_raised_and_changes_nothing(
    rules: Callable[[], Any], settings: dict[str, Any], function: str, call: int
) -> None:
    rounds = [({"s": 7 * t % 20, "t": "abc"[t % 3]}, int(t // 20 % 2 == (7 * t % 20 >= 10))) for t in range(60)]
    learner, undisturbed, calls = at.Adept(rules(), **settings), at.Adept(rules(), **settings), list[int]()
    for x, y in rounds:
        undisturbed.learn(x, y)

    def strike(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_name == function:
            calls.append(learner.rounds)
            if len(calls) == call:
                raise KeyboardInterrupt

    raised, before = 0, sys.gettrace()
    while learner.rounds < len(rounds):
        sys.settrace(strike)
        try:
            for x, y in rounds[learner.rounds :]:
                learner.learn(x, y)
        except KeyboardInterrupt:
            raised += 1
        finally:
            sys.settrace(before)
    assert raised == (len(calls) >= call) and len(calls) > 0
    assert (learner.expected_loss, learner.bound) == (undisturbed.expected_loss, undisturbed.bound)


INTERPRETED = {
    "every family": ["--lines", "2", "--share", "9"],
    "a look at stumps": ["--begins", "real_stumps, kt", "--named", "predict_proba", "--lines", "60"],
    "a look with a horizon": ["--begins", "stumps, paper", "--named", "predict_proba", "--lines", "60"],
    "a batch across two rates": ["--begins", "stumps, anytime", "--named", "learn_many", "--lines", "40"],
}


STEPS = [("real_steps, ", "learn a ticket, heavy"), ("table_steps, adaptive", "learn, heavy")]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("begins", "named"), STEPS)
def test_readers_after_an_interrupt_use_the_rate_of_the_coming_round(begins: str, named: str) -> None:
    tried, failures = campaign(lines=60, begins=begins, named=named)
    assert tried > 10 and not failures, failures


@pytest.mark.parametrize("name", INTERPRETED)
def test_an_interrupt_leaves_whole_rounds_where_kernels_are_interpreted(name: str) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *INTERPRETED[name]],
        env={**os.environ, "ADEPTREE_ENGINE": "python"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and " 0 wrong" in done.stdout, done.stdout[-3000:] + done.stderr[-2000:]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
def test_an_interrupt_does_not_leave_its_test_on_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker of pytest-xdist ended when a timer struck between the line that set it and the call."""
    set_timer = signal.setitimer

    def set_and_wait(which: int, seconds: float, every: float = 0.0) -> Any:
        found = set_timer(which, seconds, every)
        time.sleep(0.02 if 0 < seconds < 1 else 0)
        return found

    calls, before = list[int](), signal.getsignal(signal.SIGALRM)
    limit, _ = signal.getitimer(signal.ITIMER_REAL)  # of this test
    assert struck(lambda: calls.append(1), 0.5) is False
    monkeypatch.setattr(signal, "setitimer", set_and_wait)
    assert struck(lambda: calls.append(2), 1e-3) is True
    assert calls == [1] and signal.getsignal(signal.SIGALRM) is before
    assert limit == 0 or limit / 2 < signal.getitimer(signal.ITIMER_REAL)[0] <= limit


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
def test_an_error_in_an_interrupted_call_leaves_no_timer() -> None:
    with pytest.raises(ZeroDivisionError):
        struck(lambda: 1 // 0, 0.05)
    time.sleep(0.1)
