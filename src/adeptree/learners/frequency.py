"""A calibrated estimate of P(label = 1), reported next to p."""

from __future__ import annotations

import math
from collections.abc import Iterable
from copy import deepcopy
from operator import mul, sub
from typing import Any

from adeptree.core.arguments import check_number, check_size
from adeptree.core.declared_state import COUNT, LARGEST, Declared, Fields, Items, Number, need
from adeptree.core.types import label_of
from adeptree.theory.coins import Coins

MEMORIES = (8, 40, 200, 1000)
"""Lengths, in rows, of the memories of each side and of both sides together."""
AFTER = (40, 200)
"""Length, in rows, of the memory of rows of one side that came after the same three labels."""
FIRST_ROWS = 5.0
"""Number of rows at 1/2 with which each memory begins, and which fade like the others."""
FAINT = 0.01
"""Number of rows at 1/2 that never fade, so that no frequency is exactly 0 or 1."""
LONGER = 4
"""Initial ratio of the weights of a memory and the next shorter one."""
BELIEF_AFTER = 0.02
"""Initial weight of each memory of rows after the same labels."""
SHARE = 0.003
"""Share of the weight that restarts after every label, so that the stream may change."""
BINS, STEPS = 10, 1000
"""Results are multiples of one over this number."""
WIDE = STEPS // BINS
STEADY = 5.0
"""Penalty for a result that differs from the side's own frequency."""
MOVE = 0.05
"""Penalty for answering a side in another tenth than last time."""
FURTHEST = 0.6
"""Largest distance of a result from the side's own frequency."""

ALL = MEMORIES * 3 + AFTER * 16
"""The memories: of side 0, of side 1 and of both; then of each side after the labels 000, 001, ... 111."""
EACH = len(MEMORIES)
_LONGER = [LONGER**i for i in range(EACH)] * 2
FIRST = [(1 - len(AFTER) * BELIEF_AFTER) * i / sum(_LONGER) for i in _LONGER] + [BELIEF_AFTER] * len(AFTER)
"""Initial weights of a side's memories, of those of both sides, and of those after the same labels."""


class Frequency(Declared):
    """Estimate, calibrated online, of how often the label is 1 in rows like this one: pass each p, then each label.

    Among the rows with the estimate 8 %, about 8 % have the label 1. After n rows the expected error is at most
    500/sqrt(n) + 0.1 points, if each label comes before the next estimate and does not depend on the coin of its row.
    That coin is a function of ``seed`` and ``rows``. Estimates are multiples of 0.001.

    Recent frequencies of rows with the same guess, of all rows, and after the same three labels are mixed by Bayes'
    rule. The estimate then steers the sums of (label - estimate), one per tenth, back towards 0. If they are large, a
    coin chooses between two estimates on both sides of the edge of a tenth. ``docs/theory/calibration.md`` has the
    proof.

    >>> frequency = Frequency()
    >>> rows = [(0.9, 1), (0.1, 0), (0.8, 1), (0.2, 0)] * 30
    >>> given = frequency.of_many([p for p, _ in rows], [y for _, y in rows])
    >>> given[0], frequency.of(0.9), frequency.of(0.1), round(frequency.error, 1)
    (0.5, 1.0, 0.0, 5.6)
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = check_size("seed", seed, at_least=0)
        self.rows = 0
        """Number of labels."""
        self.near = [FIRST_ROWS] * len(ALL)  # number of rows in each memory
        self.ones = [FIRST_ROWS / 2] * len(ALL)  # number of ones in each memory
        self.belief = FIRST * 2  # weights of each side: its own memories, those of both, those after labels
        self.owed = [0] * BINS  # the sum of (label - estimate) in each tenth, in steps
        self.below = [0] * BINS  # number of estimates in each tenth that were a step below its upper edge
        self.last = [-1, -1]  # the tenth of the last estimate of each side
        self.after = 0  # the last three labels, as a number

    def of(self, p: float) -> float:
        """Return the estimate for a row answered with p; nothing is committed."""
        return self._steps(_side(p)) / STEPS

    def learn(self, p: float, y: Any, given: float | None = None) -> None:
        """Learn the label y of a row answered with p (``given``: its estimate, if it is not the current one)."""
        label, side = label_of(y), _side(p)
        number = self._steps(side) if given is None else round(STEPS * _checked("given", given))
        tenth = min(number // WIDE, BINS - 1)
        self.owed[tenth] += STEPS * label - number
        self.below[tenth] += (number + 1) % WIDE == 0
        self.last[side] = tenth
        mine = slice(side * len(FIRST), (side + 1) * len(FIRST))
        belief = [b * (c if label else 1 - c) for b, c in zip(self.belief[mine], self._chances(side), strict=True)]
        kept = (1 - SHARE) / sum(belief)
        self.belief[mine] = [kept * now + SHARE * first for now, first in zip(belief, FIRST, strict=True)]
        for i in self._counted(side):
            fade = 1.0 - 1.0 / ALL[i] if self.near[i] >= ALL[i] else 1.0
            self.near[i] = self.near[i] * fade + 1.0
            self.ones[i] = self.ones[i] * fade + label
        self.after = 2 * self.after % 8 + label
        self.rows += 1

    def of_many(self, ps: Iterable[float], ys: Iterable[Any]) -> list[float]:
        """Return the estimates of a sequence of rows, each made before its label; learn the labels that are given."""
        rows, given = list(zip(ps, ys, strict=True)), []
        for p, y in rows:  # check all input before the first row
            _side(p)
            _ = y is None or label_of(y)
        for p, y in rows:
            given.append(self.of(p))
            if y is not None:
                self.learn(p, y, given[-1])
        return given

    @property
    def error(self) -> float:
        """Calibration error so far, in percentage points: 10 bins, mean over the rows."""
        return 100 / STEPS * sum(map(abs, self.owed)) / max(self.rows, 1)

    def _counted(self, side: int) -> list[int]:
        """Return the indices of the memories of a side, of both sides, and of the side after the last three labels."""
        own, after = EACH * side, 3 * EACH + len(AFTER) * (8 * side + self.after)
        return [*range(own, own + EACH), *range(2 * EACH, 3 * EACH), *range(after, after + len(AFTER))]

    def _chances(self, side: int) -> list[float]:
        """Return the frequencies that are mixed."""
        return [(self.ones[i] + FAINT / 2) / (self.near[i] + FAINT) for i in self._counted(side)]

    def _steps(self, side: int) -> int:
        own = sum(map(mul, self.belief[side * len(FIRST) :], self._chances(side)))
        counted = list(map(sub, self.owed, self.below))  # every estimate below an edge counts as the edge
        if sum(map(mul, counted, counted)) > STEPS**2 * self.rows:
            # Choose one side of the nearest edge between a positive sum and one that is not.
            sums = [math.inf, *counted, -math.inf]
            edge = min((k for k in range(BINS + 1) if sums[k] > 0 >= sums[k + 1]), key=lambda k: abs(k / BINS - own))
            coin = Coins(self.seed).of(self.rows + 1, "frequency")
            return WIDE * edge - int(coin * (sums[edge] - sums[edge + 1]) < -sums[edge + 1])
        low, high = max(0, math.ceil(STEPS * (own - FURTHEST))), min(STEPS, math.floor(STEPS * (own + FURTHEST)))
        best = (math.inf, 0)
        for tenth, owed in enumerate(steps / STEPS for steps in self.owed):
            first, last = max(low, WIDE * tenth), min(high, WIDE * (tenth + 1) - (tenth < BINS - 1))
            if first <= last:
                # In each tenth, the estimate with the least STEADY d^2 - 2 owed d, d its distance from the side's own.
                number = min(max(round(STEPS * (own + owed / STEADY)), first), last)
                away = number / STEPS - own
                best = min(best, ((STEADY * away - 2 * owed) * away + MOVE * (tenth != self.last[side]), number))
        return best[1]

    def declared(self) -> Fields:
        """Return the declaration of the state, by name."""
        kept: dict[str, Any] = {"near": Items(len(ALL), Number(float, 1)), "ones": Items(len(ALL), Number(float, 0))}
        kept |= {"owed": Items(BINS, Number(int, -LARGEST, LARGEST)), "below": Items(BINS, COUNT)}
        kept |= {"belief": Items(2 * len(FIRST), Number(float, 0, 1)), "last": Items(2, Number(int, -1, BINS - 1))}
        return kept | {"after": Number(int, 0, 7), "seed": COUNT, "rows": COUNT}

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError unless the values are consistent with each other."""
        need(all(one <= row <= m + 1 for one, row, m in zip(state["ones"], state["near"], ALL, strict=True)), "ones")
        for belief in (state["belief"][: len(FIRST)], state["belief"][len(FIRST) :]):
            need(min(belief) > 0 and math.isclose(sum(belief), 1), "belief")
        need(sum(map(abs, state["owed"])) <= STEPS * state["rows"] and sum(state["below"]) <= state["rows"], "owed")

    def state(self) -> dict[str, Any]:
        """Return the state as plain values, from which it is restored to the last bit."""
        return deepcopy(super().state())

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state` returned; ValueError if the state is not valid."""
        super().restore(deepcopy(state))


def _side(p: float) -> int:
    return int(_checked("p", p) >= 0.5)


def _checked(name: str, value: float) -> float:
    return check_number(name, value, "a number from 0 to 1", lambda number: 0 <= number <= 1)
