"""Callbacks of long calls: per round, per change of the best rule, progress and log. Unused, they are free."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from adeptree.core.escaping import counted
from adeptree.core.types import Concept, FloatArray, IntArray

if TYPE_CHECKING:
    from adeptree.learners.online_learner import OnlineLearner

DEBUG, INFO = 10, 20
"""Levels of ``logging``."""
STEPS = 200
"""Number of pieces of a call that only reports progress."""


@dataclass(frozen=True)
class Round:
    """One round, as it is after ``learn``."""

    t: int
    x: Any
    p: float
    """The learner's P_t(1), before it saw y."""
    guess: int
    y: int
    width: int
    asked: int
    posed: int
    best_loss: float | None
    """Loss of the best concept so far; None if the learner does not track it."""


def is_logged(level: int) -> bool:
    """Return True if a program keeps a log of this level; only one that has imported ``logging`` can."""
    return "logging" in sys.modules and bool(sys.modules["logging"].getLogger("adeptree").isEnabledFor(level))


def log(level: int, text: str, *values: object) -> None:
    """Write a line to the log "adeptree", if there is one."""
    if is_logged(level):
        sys.modules["logging"].getLogger("adeptree").log(level, text, *values)


OnRound = Callable[[Round], object]
OnBestRule = Callable[[Round, Concept], object]
Progress = bool | Callable[[int, int], object]


def round_of(learner: OnlineLearner, t: int, x: Any, p: float, guess: int, y: int, last: bool) -> Round:
    """Return the round that was just learnt, with the best loss if it is free or at the end."""
    queries = learner.queries
    best_loss = learner.best_loss if learner.follows_best_loss or last else None
    return Round(t, x, p, guess, y, learner.width, queries.asked, queries.posed, best_loss)


class Watch:
    """Callbacks to run during one call of learn_many."""

    def __init__(
        self,
        learner: OnlineLearner,
        on_round: OnRound | None,
        on_best_rule_changed: OnBestRule | None,
        progress: Progress,
        total: int,
    ) -> None:
        self.learner, self.total = learner, total
        self.on_round, self.on_changed = on_round, on_best_rule_changed
        self.names = on_best_rule_changed is not None or is_logged(DEBUG)
        self.each = on_round is not None or self.names
        """True if a callback needs every single round."""
        self._progress = (written_progress() if progress else None) if isinstance(progress, bool) else progress
        self.off = not self.each and self._progress is None and not is_logged(INFO)
        self._rule = str(learner.best_rule()) if self.names else ""
        self._begun = time.monotonic()

    def after(self, row: Round) -> None:
        """Report that a round is over."""
        if self.on_round is not None:
            self.on_round(row)
        if self.names:
            rule = self.learner.best_rule()
            if (now := str(rule)) != self._rule:
                log(DEBUG, "round %d: the best rule is now %s", row.t, now)
                self._rule = now
                if self.on_changed is not None:
                    self.on_changed(row, rule)
        self.reach(row.t)

    def reach(self, done: int) -> None:
        """Report the number of rounds that are over."""
        if self._progress is not None:
            self._progress(done, self.total)
        if done == self.total and is_logged(INFO):
            log(INFO, "%s in %.2f s: %r", counted(done, "round"), time.monotonic() - self._begun, self.learner)

    def learn(
        self, play: Callable[..., FloatArray], xs: Any, labels: IntArray, costs: list[float] | None
    ) -> FloatArray:
        """Learn a batch piece by piece; the results equal those of the whole batch."""
        said: FloatArray = np.empty(self.total, dtype=np.float64)
        step = 1 if self.each else -(-self.total // STEPS) or 1
        for start in range(0, self.total, step):
            some = slice(start, min(start + step, self.total))
            guess = self.learner.predict(xs[start]) if self.each else 0
            said[some] = play(xs[some], labels[some], None if costs is None else costs[some])
            if self.each:
                x, y, last = xs[start], int(labels[start]), start + 1 == self.total
                self.after(round_of(self.learner, start + 1, x, float(said[start]), guess, y, last))
            else:
                self.reach(some.stop)
        return said


def written_progress() -> Callable[[int, int], None]:
    """Return a function that writes the progress of a call to the standard error at intervals and at the end."""
    begun = time.monotonic()
    said, screen = begun, sys.stderr.isatty()

    def write(done: int, total: int) -> None:
        nonlocal said
        now = time.monotonic()
        if done < total and now - said < (0.2 if screen else 10.0):
            return
        said, speed = now, done / max(now - begun, 1e-9)
        left = f", {(total - done) / speed:,.0f} s left" if done < total else f", {now - begun:,.1f} s"
        text = f"{done:,} of {counted(total, 'round')} ({done / max(total, 1):.0%}), {speed:,.0f} per second{left}"
        sys.stderr.write(f"\r{text:<78}{'' if done < total else chr(10)}" if screen else f"{text}\n")
        sys.stderr.flush()

    return write
