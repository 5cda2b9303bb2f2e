"""A calibrated estimate of P(label = 1), reported next to p."""

from __future__ import annotations

import math
from collections.abc import Iterable
from copy import deepcopy
from itertools import chain
from operator import mul
from typing import Any

from adeptree.core.declared_state import is_real, need
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import label_of

MEMORIES = (8, 40, 200, 1000)
"""Of each side, and of both, the frequencies of about so many of the last rows are known ..."""
AFTER = (40, 200)
"""... and of each side those of about so many of its rows that came after the same three labels."""
FIRST_ROWS = 5.0
"""Each begins with so many rows at 1/2, which fade with the others ..."""
FAINT = 0.01
"""... and this is never forgotten: no frequency is quite 0 or 1."""
LONGER = 4
"""Before the first label, how many times more the next longer memory is believed."""
BELIEF_AFTER = 0.02
"""How much each of those after the same labels is believed at first."""
SHARE = 0.003
"""This part of the belief restarts after every label, so that a stream may change."""
BINS = 10
STEPS = 1000
"""Numbers are multiples of one over this: so close to the edge of a tenth can they be."""
STEADY = 5.0
"""How much a number that differs from the side's own frequency must pay back to be given."""
MOVE = 0.05
"""What it costs to answer a side in another tenth than last time."""
FURTHEST = 0.6
"""No number is further from the side's own frequency."""

BOTH = 2
"""Where both sides together are counted; behind it each side's rows after 000, 001, ... 111."""
GROUPS = (MEMORIES,) * 3 + (AFTER,) * 16
KEPT = ("near", "ones", "belief", "owed", "last", "after")
_OWN = (1 - len(AFTER) * BELIEF_AFTER) / (2 * sum(LONGER**i for i in range(len(MEMORIES))))
_FIRST = [_OWN * LONGER**i for i in range(len(MEMORIES))] * 2 + [BELIEF_AFTER] * len(AFTER)


class Frequency:
    """How often the label was 1 among rows like this one, calibrated online; give it each p, then each label.

    Rows are alike if the learner would rather guess 1 at them (p >= 1/2), or rather 0. For each of the two sides
    several frequencies are known before the label is: of its last rows, of the last rows of both, and of its rows that
    came after the same three labels, with a short memory and with longer ones. They are mixed by how probable they
    made the labels so far (Bayes' rule, with a small share that restarts, so that the best of them may change).
    That number still lags and wavers, so it is corrected: for each tenth of the scale the sum of (label - number) so
    far is kept, and a number is given that leads the sums back towards 0 (a step down the sum of their squares, as in
    proofs of calibration by Blackwell's theorem). So it can be read as "of the rows that got 8 %, about 8 % were 1".
    It is a multiple of 0.001, and promises nothing of the regret.

    >>> frequency = Frequency()
    >>> rows = [(0.9, 1), (0.1, 0), (0.8, 1), (0.2, 0)] * 30
    >>> given = frequency.of_many([p for p, _ in rows], [y for _, y in rows])
    >>> given[0], frequency.of(0.9), frequency.of(0.1), round(frequency.error, 2)
    (0.5, 1.0, 0.0, 5.64)
    """

    def __init__(self) -> None:
        self.rows = 0
        """Labels that came."""
        # Of either side, of both, and after each three labels: how many rows each memory counts, and how many were 1.
        self._near = [[FIRST_ROWS] * len(memories) for memories in GROUPS]
        self._ones = [[FIRST_ROWS / 2] * len(memories) for memories in GROUPS]
        self._belief = [list(_FIRST), list(_FIRST)]  # of each side: in its own, in those of both, in those after labels
        self._owed = [0.0] * BINS  # the sum of (label - number) in each tenth
        self._last = [-1, -1]  # the tenth in which each side was answered last
        self._after = 0  # the last three labels, as a number

    def of(self, p: float) -> float:
        """Return how often rows like one answered with p were 1; commits nothing."""
        return self._steps(_side(p)) / STEPS

    def learn(self, p: float, y: Any, given: float | None = None) -> None:
        """Take over that a row answered with p had label y (``given``: the number it got, if not that of now)."""
        label, side = label_of(y), _side(p)
        number = self._steps(side) if given is None else round(STEPS * given)
        tenth = _tenth(number)
        self._owed[tenth] += label - number / STEPS
        self._last[side] = tenth
        chances = [chance if label else 1 - chance for chance in self._chances(side)]
        belief = [before * chance for before, chance in zip(self._belief[side], chances, strict=True)]
        kept = (1 - SHARE) / sum(belief)
        self._belief[side] = [kept * now + SHARE * first for now, first in zip(belief, _FIRST, strict=True)]
        for group in self._groups(side):
            near, ones = self._near[group], self._ones[group]
            for i, memory in enumerate(GROUPS[group]):
                fade = 1.0 - 1.0 / memory if near[i] >= memory else 1.0
                near[i] = near[i] * fade + 1.0
                ones[i] = ones[i] * fade + label
        self._after = 2 * self._after % 8 + label
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

    def _groups(self, side: int) -> tuple[int, ...]:
        """Return where a row of this side is counted."""
        return side, BOTH, BOTH + 1 + 8 * side + self._after

    def _chances(self, side: int) -> list[float]:
        """Return the frequencies that are mixed: the side's own, those of both, and those after the same labels."""
        counted = (zip(self._ones[group], self._near[group], strict=True) for group in self._groups(side))
        return [(ones + FAINT / 2) / (near + FAINT) for ones, near in chain(*counted)]

    def _steps(self, side: int) -> int:
        own = sum(map(mul, self._belief[side], self._chances(side)))
        low, high = max(0, math.ceil(STEPS * (own - FURTHEST))), min(STEPS, math.floor(STEPS * (own + FURTHEST)))
        least, best, wide = math.inf, 0, STEPS // BINS
        for tenth, owed in enumerate(self._owed):
            first, last = max(low, wide * tenth), min(high, wide * (tenth + 1) - (tenth < BINS - 1))
            if first > last:
                continue
            # In each tenth the number that pays most: the least of STEADY d^2 - 2 owed d, d away from the own one.
            number = min(max(round(STEPS * (own + owed / STEADY)), first), last)
            away = number / STEPS - own
            cost = (STEADY * away - 2 * owed) * away + (MOVE if tenth != self._last[side] else 0.0)
            if cost < least:
                least, best = cost, number
        return best

    def state(self) -> dict[str, Any]:
        """Return all of it as plain values: restored from them it goes on to the last bit."""
        kept = {name: getattr(self, f"_{name}") for name in KEPT}
        return {"rows": self.rows} | deepcopy(kept)

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state` returned; ValueError and its like if that is not what it is."""
        rows, near, ones, belief, owed, last, after = (state[name] for name in ("rows", *KEPT))
        need(type(rows) is int and rows >= 0, "rows")
        memories = list(map(len, GROUPS))
        need([len(part) for part in near] == [len(part) for part in ones] == memories, "near")
        need([len(part) for part in (*belief, owed, last)] == [len(_FIRST)] * 2 + [BINS, 2], "belief")
        need(all(map(is_real, [*chain(*near, *ones, *belief), *owed])), "owed")
        for one, row, memory in zip(chain(*ones), chain(*near), chain(*GROUPS), strict=True):
            need(0 <= one <= row <= memory + 1 and row >= 1, "ones")
        need(all(min(parts) > 0 and math.isclose(sum(parts), 1) for parts in belief), "belief")
        need(all(type(tenth) is int and -1 <= tenth < BINS for tenth in last), "last")
        need(type(after) is int and 0 <= after < 8, "after")
        self.rows = rows
        for name in KEPT:
            setattr(self, f"_{name}", deepcopy(state[name]))


def _side(p: float) -> int:
    if not 0 <= p <= 1:
        raise InvalidArgument(f"p must be the chance that a learner guesses 1, between 0 and 1; {got('p', p)}")
    return int(p >= 0.5)


def _tenth(steps: int) -> int:
    return min(steps * BINS // STEPS, BINS - 1)
