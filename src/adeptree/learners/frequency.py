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
BINS, STEPS = 10, 1000
"""Numbers are multiples of one over this: so close to the edge of a tenth can they be."""
WIDE = STEPS // BINS
STEADY = 5.0
"""How much a number that differs from the side's own frequency must pay back to be given."""
MOVE = 0.05
"""What it costs to answer a side in another tenth than last time."""
FURTHEST = 0.6
"""No number is further from the side's own frequency."""

ALL = MEMORIES * 3 + AFTER * 16
"""Of the side of 0, of that of 1, and of both; then of each side after the labels 000, 001, ... 111."""
EACH = len(MEMORIES)
_LONGER = [LONGER**i for i in range(EACH)] * 2
FIRST = [(1 - len(AFTER) * BELIEF_AFTER) * i / sum(_LONGER) for i in _LONGER] + [BELIEF_AFTER] * len(AFTER)
"""What is believed at first: of a side's own memories, of those of both, of those after the same labels."""


class Frequency(Declared):
    """How often the label was 1 among rows like this one, calibrated online; give it each p, then each label.

    Of the rows that got 8 %, about 8 % were 1: after n rows the expected error is at most 500/sqrt(n) + 0.1 points,
    if each label comes before the next number is given and does not depend on the coin of its own row. That coin is a
    function of ``seed`` and ``rows``. Numbers are multiples of 0.001.

    Recent frequencies of rows with the same guess, of all rows, and after the same three labels are mixed by Bayes'
    rule. The number then leads the sums of (label - number), one per tenth, back towards 0. Where they are large, a
    coin chooses between the two sides of an edge of two tenths. ``docs/theory/calibration.md`` has the proof.

    >>> frequency = Frequency()
    >>> rows = [(0.9, 1), (0.1, 0), (0.8, 1), (0.2, 0)] * 30
    >>> given = frequency.of_many([p for p, _ in rows], [y for _, y in rows])
    >>> given[0], frequency.of(0.9), frequency.of(0.1), round(frequency.error, 1)
    (0.5, 1.0, 0.0, 5.6)
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = check_size("seed", seed, at_least=0)
        self.rows = 0
        """Labels that came."""
        self.near = [FIRST_ROWS] * len(ALL)  # how many rows each memory counts
        self.ones = [FIRST_ROWS / 2] * len(ALL)  # how many of them were 1
        self.belief = FIRST * 2  # of each side: in its own memories, in those of both, in those after labels
        self.owed = [0] * BINS  # the sum of (label - number) in each tenth, in steps
        self.below = [0] * BINS  # how many numbers in each tenth were a step below its upper edge
        self.last = [-1, -1]  # the tenth in which each side was answered last
        self.after = 0  # the last three labels, as a number

    def of(self, p: float) -> float:
        """Return how often rows like one answered with p were 1; commits nothing."""
        return self._steps(_side(p)) / STEPS

    def learn(self, p: float, y: Any, given: float | None = None) -> None:
        """Take over that a row answered with p had label y (``given``: the number it got, if not that of now)."""
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
        """Return the numbers of a sequence of rows, each as of before its label, and learn all that have one."""
        rows, given = list(zip(ps, ys, strict=True)), []
        for p, y in rows:  # (all input is checked before the first row)
            _side(p)
            _ = y is None or label_of(y)
        for p, y in rows:
            given.append(self.of(p))
            if y is not None:
                self.learn(p, y, given[-1])
        return given

    @property
    def error(self) -> float:
        """How far numbers and labels were apart so far, in points: 10 bins, mean over the rows."""
        return 100 / STEPS * sum(map(abs, self.owed)) / max(self.rows, 1)

    def _counted(self, side: int) -> list[int]:
        """Return the places of the memories of a side, of both, and of the side after the same three labels."""
        own, after = EACH * side, 3 * EACH + len(AFTER) * (8 * side + self.after)
        return [*range(own, own + EACH), *range(2 * EACH, 3 * EACH), *range(after, after + len(AFTER))]

    def _chances(self, side: int) -> list[float]:
        """Return the frequencies that are mixed."""
        return [(self.ones[i] + FAINT / 2) / (self.near[i] + FAINT) for i in self._counted(side)]

    def _steps(self, side: int) -> int:
        own = sum(map(mul, self.belief[side * len(FIRST) :], self._chances(side)))
        counted = list(map(sub, self.owed, self.below))  # with every number below an edge taken for the edge
        if sum(map(mul, counted, counted)) > STEPS**2 * self.rows:
            # One side of the nearest edge between a sum above 0 and one that is not.
            sums = [math.inf, *counted, -math.inf]
            edge = min((k for k in range(BINS + 1) if sums[k] > 0 >= sums[k + 1]), key=lambda k: abs(k / BINS - own))
            coin = Coins(self.seed).of(self.rows + 1, "frequency")
            return WIDE * edge - int(coin * (sums[edge] - sums[edge + 1]) < -sums[edge + 1])
        low, high = max(0, math.ceil(STEPS * (own - FURTHEST))), min(STEPS, math.floor(STEPS * (own + FURTHEST)))
        best = (math.inf, 0)
        for tenth, owed in enumerate(steps / STEPS for steps in self.owed):
            first, last = max(low, WIDE * tenth), min(high, WIDE * (tenth + 1) - (tenth < BINS - 1))
            if first <= last:
                # In each tenth the number that pays most: the least of STEADY d^2 - 2 owed d, d away from the own one.
                number = min(max(round(STEPS * (own + owed / STEADY)), first), last)
                away = number / STEPS - own
                best = min(best, ((STEADY * away - 2 * owed) * away + MOVE * (tenth != self.last[side]), number))
        return best[1]

    def declared(self) -> Fields:
        """Return what there is in the state, by name."""
        kept: dict[str, Any] = {"near": Items(len(ALL), Number(float, 1)), "ones": Items(len(ALL), Number(float, 0))}
        kept |= {"owed": Items(BINS, Number(int, -LARGEST, LARGEST)), "below": Items(BINS, COUNT)}
        kept |= {"belief": Items(2 * len(FIRST), Number(float, 0, 1)), "last": Items(2, Number(int, -1, BINS - 1))}
        return kept | {"after": Number(int, 0, 7), "seed": COUNT, "rows": COUNT}

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError unless values that fit their declarations fit each other."""
        need(all(one <= row <= m + 1 for one, row, m in zip(state["ones"], state["near"], ALL, strict=True)), "ones")
        for belief in (state["belief"][: len(FIRST)], state["belief"][len(FIRST) :]):
            need(min(belief) > 0 and math.isclose(sum(belief), 1), "belief")
        need(sum(map(abs, state["owed"])) <= STEPS * state["rows"] and sum(state["below"]) <= state["rows"], "owed")

    def state(self) -> dict[str, Any]:
        """Return all of it as plain values; what is restored from them gives the same numbers to the last bit."""
        return deepcopy(super().state())

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state` returned; ValueError if that is not what it is."""
        super().restore(deepcopy(state))


def _side(p: float) -> int:
    return int(_checked("p", p) >= 0.5)


def _checked(name: str, value: float) -> float:
    return check_number(name, value, "a number from 0 to 1", lambda number: 0 <= number <= 1)
