"""A downsampled history of a run, with about 100 moments for any length."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adeptree.learners.adept_learner import Adept

LIMIT = 128
"""With more moments than this, every second one is dropped."""


@dataclass(frozen=True)
class Moment:
    """The account after a round."""

    round: int
    expected_loss: float
    best_loss: float
    constant_loss: float
    bound: float
    width: int
    rule: str

    @classmethod
    def of(cls, learner: Adept, rule: str) -> Moment:
        """Return the current account of a learner."""
        losses = learner.expected_loss, learner.best_loss, learner.best_constant().loss
        return cls(learner.rounds, *losses, float(learner.bound), learner.width, rule)


class Course:
    """Moments at equal distances, which double whenever there are too many.

    If the number of rows is known, the first distance is one at which this happens once.

    >>> from adeptree import Adept, Thresholds
    >>> course, learner = Course(), Adept(Thresholds(4), horizon=2000)
    >>> for i in range(1500):
    ...     learner.learn(i % 4, 1)
    ...     course.note(learner, lambda: str(learner.best_rule()))
    >>> course.step, len(course.moments), course.moments[0].round, course.moments[-1].round
    (16, 93, 16, 1488)
    """

    def __init__(self, rows: int | None = None) -> None:
        self.step = 1
        while rows is not None and rows > 2 * LIMIT * self.step:
            self.step *= 2
        self.moments: list[Moment] = []

    def left(self, rounds: int) -> int:
        """Return the number of rounds until the next moment to record."""
        return self.step - rounds % self.step

    def note(self, learner: Adept, rule: Callable[[], str], last: bool = False) -> None:
        """Record the learner after a round, if it is time to; ``last`` is always recorded."""
        t = learner.rounds
        if (t % self.step and not last) or (self.moments and self.moments[-1].round == t):
            return
        self.moments.append(Moment.of(learner, rule()))
        if len(self.moments) > LIMIT and not last:
            self.step *= 2
            self.moments = [moment for moment in self.moments if moment.round % self.step == 0]

    def state(self) -> dict[str, Any]:
        """Return the state as plain values."""
        return {"step": self.step, "moments": [asdict(moment) for moment in self.moments]}

    def restore(self, state: dict[str, Any], rounds: int) -> None:
        """Restore what :meth:`state` returned; raises an error such as ValueError if it does not match the rounds."""
        moments = [Moment(**moment) for moment in state["moments"]]
        times = [moment.round for moment in moments]
        numbers = [state["step"], *times, *(m.width for m in moments)]
        whole = state.keys() == {"step", "moments"} and isinstance(state["moments"], list)
        whole = whole and all(type(number) is int for number in numbers)
        whole = whole and 0 < state["step"] < 1 << 63 and all(map(_is_possible, moments))
        if not whole or any(before >= after for before, after in pairwise([0, *times, rounds + 1])):
            raise ValueError
        self.step, self.moments = state["step"], moments


def _is_possible(m: Moment) -> bool:
    losses = (m.expected_loss, m.best_loss, m.constant_loss)
    numbers = all(isinstance(v, (int, float)) and not math.isnan(v) for v in (*losses, m.bound))
    possible = all(0 <= loss < math.inf for loss in losses) and m.bound > -math.inf
    return numbers and possible and isinstance(m.rule, str) and m.width > 0
