"""The rounds of a run: probabilities, guesses and labels, for many rows at once or one after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adeptree.app.run.layout import Examples
from adeptree.core.types import FloatArray
from adeptree.learners.adept_learner import Adept
from adeptree.pages.run_history import Course
from adeptree.pages.standing import rule_text
from adeptree.runner.appended_file import Written
from adeptree.theory.coins import Coins


@dataclass(frozen=True)
class Position:
    """The position of a run: numbers of rows, bad and unlabelled rows and ones, and the verified parts of its files.

    ``labels`` counts rows that only bring a label, ``apart`` rows of ``--labels``.
    """

    taken: int = 0
    bad: int = 0
    unlabelled: int = 0
    ones: int = 0
    digest: int = 0
    predictions: Written = field(default_factory=Written)
    labels: int = 0
    apart: int = 0


def position_of(found: dict[str, Any], rounds: int, waiting: int = 0, decides: bool = False) -> Position:
    """Return the position in a checkpoint; raise ValueError or a similar error if it does not fit the rounds.

    ``waiting`` counts other answers; a learner that ``decides`` also answers rows without a label.
    """
    written = found["predictions"]
    counts = [*(found[name] for name in ("taken", "bad", "unlabelled", "ones", "labels", "apart")), written["length"]]
    checks = [found["digest"], written["checksum"]]
    whole = found.keys() == vars(Position()).keys() and written.keys() == vars(Written()).keys()
    whole = whole and all(type(number) is int and number >= 0 for number in [*counts, *checks])
    whole = whole and max(checks) < 1 << 32 and max(counts) < 1 << 63
    # Every row was learnt, was bad, had no label, waits for its label, or was itself a label.
    known = rounds + waiting + found["bad"] + found["labels"] + (0 if decides else found["unlabelled"])
    most = rounds + waiting * decides
    if not whole or found["ones"] > most or found["taken"] != known or found["apart"] > found["taken"]:
        raise ValueError
    return Position(**{**found, "predictions": Written(**written)})


FEWEST, MOST = 16, 4096
"""Numbers of rows per step: the first and the largest."""
STEP_SECONDS = 0.05
"""Target duration of a step, until whose end Ctrl-C, checkpoints and progress must wait."""


class Rounds:
    """A learner on rows; its results do not depend, to the last bit, on where a step ends."""

    def __init__(self, learner: Adept, names: tuple[str, ...], course: Course | None) -> None:
        self.learner, self.names, self.course = learner, names, course
        self._coins = Coins(learner.seed)
        self._drawn: list[int] = []
        """The guesses at the rows learnt last, if they are written."""

    def play(self, examples: Examples, weights: list[float] | None = None, drawn: bool = False) -> FloatArray:
        """Learn rows, or only answer those without labels; return the probabilities. The course records some rounds."""
        xs, ys, played = examples.xs, examples.ys, np.empty(len(examples.ys))
        if not examples.learnt:
            return self.learner.predict_proba_many(xs)  # type: ignore[no-any-return]
        self._drawn, start = [], 0
        while start < len(ys):
            stop = start + (self.course.left(self.learner.rounds) if self.course else len(ys))
            more = () if weights is None else (weights[start:stop],)
            played[start:stop] = self.learner.learn_many(xs[start:stop], ys[start:stop], *more)
            self._drawn += self.learner.drawn if drawn else []
            self.note()
            start = stop
        return played

    def note(self, last: bool = False) -> None:
        """Record the learner in the course, if there is one."""
        if self.course:
            self.course.note(self.learner, self._rule, last)

    def _rule(self) -> str:
        return rule_text(self.learner, self.names)

    def guesses(self, first: int, examples: Examples, ps: FloatArray) -> list[int]:
        """Return the guesses at the rows played last, which were answered with these probabilities.

        The coin of a row without a label is that of the coming round, ``first``, at its point.
        """
        if examples.learnt:
            return self._drawn
        known, xs = self.learner.concept_class, examples.xs
        points = xs if isinstance(xs, list) else known.instances_of(xs)
        return [int(self._coins.of(first, known.key(x)) < p) for x, p in zip(points, ps.tolist(), strict=False)]


def next_step(step: int, rows: int, seconds: float) -> int:
    """Return the number of rows of the next step, from the rows and seconds of the last one.

    >>> next_step(16, 16, 0.001), next_step(16, 3, 0.001), next_step(16, 16, 0.04), next_step(16, 16, 4.0)
    (32, 16, 16, 8)
    """
    if seconds > 2 * STEP_SECONDS:
        return max(1, step // 2)
    return min(MOST, 2 * step) if rows == step and seconds < STEP_SECONDS / 2 else step
