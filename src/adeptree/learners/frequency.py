"""An honest frequency beside p: of the rows that got this number, so many were 1."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from adeptree.core.errors import InvalidArgument, got
from adeptree.core.saved_values import is_real, need
from adeptree.core.types import label_of

MEMORY = 40
"""A side's own frequency is that of about so many of its last rows ..."""
SHRINK = 3
"""... and of so many rows more at the frequency of both sides."""
BINS = 10
STEADY = 6.0
"""How much a number that differs from the side's own frequency must pay back to be given."""
MOVE = 0.15
"""What it costs to answer a side in another tenth than last time."""
FURTHEST = 0.6
"""No number is further from the side's own frequency."""


class Frequency:
    """How often the label was 1 among rows like this one, calibrated online; give it each p, then each label.

    Rows are alike if the learner would rather guess 1 at them (p >= 1/2), or rather 0. For each of the two sides the
    frequency of its last rows is known before the label is. That number lags and wavers, so it is corrected: for each
    tenth of the scale the sum of (label - number) so far is kept, and a number is given that leads the sums back
    towards 0 (a step down the sum of their squares, as in proofs of calibration by Blackwell's theorem). So it can be
    read as "of the rows that got 8 %, about 8 % were 1". It is a multiple of 0.01, and promises nothing of the regret.

    >>> frequency = Frequency()
    >>> rows = [(0.9, 1), (0.1, 0), (0.8, 1), (0.2, 0)] * 30
    >>> given = frequency.of_many([p for p, _ in rows], [y for _, y in rows])
    >>> given[0], frequency.of(0.9), frequency.of(0.1), round(frequency.error, 2)
    (0.5, 1.0, 0.0, 4.74)
    """

    def __init__(self) -> None:
        self.rows = 0
        """Labels that came."""
        self._near = [0.0, 0.0]  # how many of its last rows each side counts,
        self._ones = [0.0, 0.0]  # and how many of them were 1
        self._owed = [0.0] * BINS  # the sum of (label - number) in each tenth
        self._last = [-1, -1]  # the tenth in which each side was answered last

    def of(self, p: float) -> float:
        """Return how often rows like one answered with p were 1; commits nothing."""
        return self._hundredths(_side(p)) / 100

    def learn(self, p: float, y: Any, given: float | None = None) -> None:
        """Take over that a row answered with p had label y (``given``: the number it got, if not that of now)."""
        label, side = label_of(y), _side(p)
        number = self._hundredths(side) if given is None else round(100 * given)
        tenth = _tenth(number)
        self._owed[tenth] += label - number / 100
        self._last[side] = tenth
        fade = 1.0 - 1.0 / MEMORY if self._near[side] >= MEMORY else 1.0
        self._near[side] = self._near[side] * fade + 1.0
        self._ones[side] = self._ones[side] * fade + label
        self.rows += 1

    def of_many(self, ps: Iterable[float], ys: Iterable[Any]) -> list[float]:
        """Return the numbers of a sequence of rows, each as of before its label, and learn all that have one."""
        given = []
        for p, y in zip(ps, ys, strict=True):
            given.append(self.of(p))
            if y is not None:
                self.learn(p, y, given[-1])
        return given

    @property
    def error(self) -> float:
        """How far numbers and labels were apart so far, in points: 10 bins, mean over the rows."""
        return 100 * sum(map(abs, self._owed)) / self.rows if self.rows else 0.0

    def _hundredths(self, side: int) -> int:
        both = (sum(self._ones) + 1) / (sum(self._near) + 2)
        own = (self._ones[side] + SHRINK * both) / (self._near[side] + SHRINK)
        low, high = max(0, math.ceil(100 * (own - FURTHEST))), min(100, math.floor(100 * (own + FURTHEST)))
        least, best = math.inf, 0
        for tenth, owed in enumerate(self._owed):
            first, last = max(low, 10 * tenth), min(high, 10 * tenth + 9 + (tenth == BINS - 1))
            if first > last:
                continue
            # In each tenth the number that pays most: the least of STEADY d^2 - 2 owed d, d away from the own one.
            number = min(max(round(100 * (own + owed / STEADY)), first), last)
            away = number / 100 - own
            cost = (STEADY * away - 2 * owed) * away + (MOVE if tenth != self._last[side] else 0.0)
            if cost < least:
                least, best = cost, number
        return best

    def state(self) -> dict[str, Any]:
        """Return all of it as plain values: restored from them it goes on to the last bit."""
        kept: dict[str, list[Any]] = {"near": self._near, "ones": self._ones, "owed": self._owed, "last": self._last}
        return {"rows": self.rows} | {name: list(values) for name, values in kept.items()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state` returned; ValueError and its like if that is not what it is."""
        rows, near, ones, owed, last = (state[name] for name in ("rows", "near", "ones", "owed", "last"))
        need(type(rows) is int and rows >= 0, "rows")
        need([len(part) for part in (near, ones, owed, last)] == [2, 2, BINS, 2], "near")
        need(all(map(is_real, [*near, *ones, *owed])), "owed")
        need(all(0 <= one <= row <= MEMORY + 1 for one, row in zip(ones, near, strict=True)), "ones")
        need(all(type(tenth) is int and -1 <= tenth < BINS for tenth in last), "last")
        self.rows, self._near, self._ones = rows, list(near), list(ones)
        self._owed, self._last = list(owed), list(last)


def _side(p: float) -> int:
    if not 0 <= p <= 1:
        raise InvalidArgument(f"p must be the chance that a learner guesses 1, between 0 and 1; {got('p', p)}")
    return int(p >= 0.5)


def _tenth(hundredths: int) -> int:
    return min(hundredths // 10, BINS - 1)
