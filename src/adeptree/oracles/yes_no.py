"""One round with an oracle that says yes or no: questions, what follows from their answers, and predicted cubes.

The optimistic way to ask with bits only is to predict which rows cannot take a label, and to ask for them together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from adeptree.core.types import BoolArray, FloatArray, Instance, IntArray, Sample
from adeptree.oracles.bitsets import LabelColumns, WordArray, count, pack, single, unpack
from adeptree.oracles.cube_search import best_cube


@dataclass(frozen=True)
class Cube:
    """The rows with some given labels: (column, label) pairs, and the rows as a bit set."""

    literals: tuple[tuple[int, bool], ...]
    members: WordArray

    def also(self, table: LabelColumns, column: int, label: bool) -> Cube:
        """Return the part of the cube with one more label given."""
        ones = table.columns[column]
        return Cube((*self.literals, (column, label)), self.members & (ones if label else ~ones))

    @classmethod
    def of(cls, table: LabelColumns, labels: BoolArray, columns: Sequence[int]) -> Cube:
        """Return the rows that agree with the labels on some columns."""
        members = table.everyone()
        for j in columns:
            members &= table.columns[j] if labels[j] else ~table.columns[j]
        return cls(tuple((j, bool(labels[j])) for j in columns), members)


Answer = Callable[[Cube, int], bool]
"""Can some row of the cube take the label?"""


def by_oracle(points: Sequence[Instance], x: Instance, ask: Callable[[Sample], bool]) -> Answer:
    """Return the answers of an oracle at x."""

    def answer(cube: Cube, label: int) -> bool:
        return ask([*((points[j], int(bit)) for j, bit in cube.literals), (x, label)])

    return answer


def by_truth(can: BoolArray) -> Answer:
    """Return the answers that follow from the outcome of a round."""
    sets = [pack(can[0]), pack(can[1])]

    def answer(cube: Cube, label: int) -> bool:
        return bool((cube.members & sets[label]).any())

    return answer


class Spent(Exception):
    """A call would leave too few to decide the remaining rows one by one."""


class Round:
    """What is known about every row: ``can[b]`` and ``cannot[b]``, as bit sets. All of it follows from answers.

    At most ``limit`` calls are made, if that is at least two a row: before a call that, if it decided nothing,
    would not leave one call for every label of every row still undecided, ``Spent`` is raised.
    """

    def __init__(self, table: LabelColumns, answer: Answer, limit: float = math.inf) -> None:
        self.table = table
        self.everyone = table.everyone()
        self.whole = Cube((), self.everyone)
        self.can: list[WordArray] = [np.zeros_like(self.everyone) for _ in (0, 1)]
        self.cannot: list[WordArray] = [np.zeros_like(self.everyone) for _ in (0, 1)]
        self.calls = 0
        self.limit = limit
        self._answer = answer

    def ask(self, cube: Cube, label: int) -> bool:
        """Ask about a cube, and note what follows."""
        alone = count(cube.members) == 1
        if not alone and self.calls + 1 + self.left > self.limit:
            raise Spent
        self.calls += 1
        yes = self._answer(cube, label)
        if not yes:
            self.cannot[label] |= cube.members
            # A realizable path has a continuation.
            self.can[1 - label] |= cube.members
        elif alone:
            self.can[label] |= cube.members
        return yes

    def allow(self, members: WordArray, label: int) -> None:
        """Note that all these rows can take the label."""
        self.can[label] |= members

    def undecided(self, label: int) -> WordArray:
        """Return the rows of which nothing is known for the label."""
        return self.everyone & ~self.can[label] & ~self.cannot[label]

    @property
    def left(self) -> int:
        """How many labels of rows are undecided."""
        return count(self.undecided(0)) + count(self.undecided(1))

    def outcome(self) -> BoolArray:
        """Return ``can[b, row]`` once everything is decided."""
        return np.stack([unpack(self.can[b], self.table.rows) for b in (0, 1)])


FAR = 7
"""Distances are told apart up to here."""
SAMPLED = 256
"""Distances to more new rows than this are taken to an even choice of them."""
MEMORY = 0.95
"""How much of what was counted is carried over to the next round."""


class Forecast:
    """How likely a row can take a label, by its Hamming distances to rows known to take it or the other."""

    def __init__(self) -> None:
        near = np.arange(FAR + 1)
        guess = np.where(near[:, None] < near, 0.85, np.where(near[:, None] > near, 0.15, 0.5))
        self.counted: FloatArray = np.stack([np.stack([guess, guess]), np.ones((2, FAR + 1, FAR + 1))])
        """How many rows could take the label, and how many there were: by label and both distances."""
        self._new = np.zeros_like(self.counted)

    def chance(self, label: int, distances: IntArray) -> FloatArray:
        """Return the estimate for every row."""
        table = self.counted[0, label] / self.counted[1, label]
        result: FloatArray = table[distances[label], distances[1 - label]]
        return result

    def observe(self, label: int, distances: IntArray, rows: BoolArray, truth: BoolArray) -> None:
        """Count what became of some rows; the estimates change only when the round is over."""
        cells = distances[label, rows] * (FAR + 1) + distances[1 - label, rows]
        for i, weights in enumerate((truth[rows], None)):
            found = np.bincount(cells, weights=weights, minlength=(FAR + 1) ** 2)
            self._new[i, label] += found.reshape(FAR + 1, FAR + 1)

    def finish(self) -> None:
        """Take the counts of the round into account, and let older ones weigh less."""
        self.counted = MEMORY * self.counted + self._new
        self._new[:] = 0.0


class PredictedCubes:
    """One round of asking: a row for each label by bisection, then cubes of rows predicted to be denied.

    With ``opposite`` that first bisection always asks about the half with the other label at a past point: where
    near points have equal labels, it ends at the border between the two kinds of rows. Otherwise, and whenever
    a prediction was wrong, it asks about the half less likely to hold the row.
    """

    def __init__(
        self, round: Round, forecast: Forecast, opposite: bool = False, truth: BoolArray | None = None
    ) -> None:
        self.round = round
        self.table = round.table
        self.forecast = forecast
        self.opposite = opposite
        self.truth = truth
        self.labels = self.table.labels()
        self.packed = pack(self.labels)
        self.distances: IntArray = np.full((2, self.table.rows), FAR, dtype=np.int64)
        self.noted: list[WordArray] = [np.zeros_like(round.everyone) for _ in (0, 1)]

    def run(self) -> None:
        """Ask until every row is decided for both labels."""
        for b in (0, 1):
            if not self.round.can[b].any() and self.round.ask(self.round.whole, b):
                self._bisect(self.round.whole, b, np.full(self.table.rows, 0.5), self.opposite)
        while (question := self._next()) is not None:
            cube, label, chance = question
            if self.round.ask(cube, label):
                self._bisect(cube, label, chance)

    def _next(self) -> tuple[Cube, int, FloatArray] | None:
        """Return a cube around the undecided row that is most surely denied, or None at the end."""
        self._measure()
        best: tuple[float, int, int] | None = None
        undecided = [unpack(self.round.undecided(b), self.table.rows) for b in (0, 1)]
        chances = [self.forecast.chance(b, self.distances) for b in (0, 1)]
        for b in (0, 1):
            if not undecided[b].any():
                continue
            if self.truth is not None:
                self.forecast.observe(b, self.distances, undecided[b], self.truth[b])
            row = int(np.where(undecided[b], chances[b], 2.0).argmin())
            best = min(best or (2.0, 0, 0), (float(chances[b][row]), b, row))
        if best is None:
            return None
        chance, b, row = best
        target = single(row, self.table.words) if chance >= 0.5 else pack(undecided[b] & (chances[b] < 0.5))
        avoid = self.round.everyone & ~self.round.cannot[b] & ~target
        columns = best_cube(self.table, self.labels[row], target, avoid)
        return Cube.of(self.table, self.labels[row], columns), b, chances[b]

    def _bisect(self, cube: Cube, label: int, chance: FloatArray, opposite: bool = False) -> None:
        """Find a row of the cube that can take the label, given that there is one."""
        rows = np.flatnonzero(unpack(cube.members & ~self.round.cannot[label], self.table.rows))
        while len(rows) > 1:
            ones = self.labels[rows]
            weight = chance[rows] + 1e-9
            share = weight @ ones / weight.sum()
            column = int(np.abs(share - 0.5).argmin())
            side = label == 0 if opposite else bool(share[column] < 0.5)
            part = cube.also(self.table, column, side)
            if not self.round.ask(part, label):
                side, part = not side, cube.also(self.table, column, not side)
            rows, cube = rows[ones[:, column] == side], part
        self.round.allow(single(int(rows[0]), self.table.words), label)

    def _measure(self) -> None:
        """Update the distances to the rows that became known."""
        for b in (0, 1):
            new = np.flatnonzero(unpack(self.round.can[b] & ~self.noted[b], self.table.rows))
            self.noted[b] = self.round.can[b].copy()
            self.distances[b, new] = 0
            if len(new) > SAMPLED:
                new = new[np.linspace(0, len(new) - 1, SAMPLED).astype(np.int64)]
            for row in new:
                apart = np.bitwise_count(self.packed ^ self.packed[row]).sum(axis=1, dtype=np.int64)
                np.minimum(self.distances[b], apart, out=self.distances[b])
