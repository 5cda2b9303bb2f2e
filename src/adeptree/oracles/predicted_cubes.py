"""One round with a yes/no oracle: queries, deductions from their answers, and predicted cubes.

With bits only, the optimistic strategy predicts the rows that cannot take a label and queries them together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from adeptree.core.types import BoolArray, FloatArray, Instance, IntArray, Sample
from adeptree.theory.bit_tables import mask, unpack


class Cube(NamedTuple):
    """The rows with some given labels: (column, label) pairs, and the rows as a set."""

    literals: tuple[tuple[int, int], ...]
    members: int

    def also(self, table: Any, column: int, label: int) -> Cube:
        """Return the part of the cube with one more given label."""
        ones = table.column(column)
        return Cube((*self.literals, (column, label)), self.members & (ones if label else ~ones))


Answer = Callable[[Cube, int], bool]
"""Function that returns True if some row of the cube can take the label."""


def by_oracle(points: Sequence[Instance], x: Instance, ask: Callable[[Sample], bool]) -> Answer:
    """Return a function that queries the oracle at x."""
    return lambda cube, label: ask([*((points[j], bit) for j, bit in cube.literals), (x, label)])


def by_truth(can: BoolArray) -> Answer:
    """Return a function that answers from the outcome of a round."""
    sets = [mask(can[0]), mask(can[1])]
    return lambda cube, label: bool(cube.members & sets[label])


class Spent(Exception):
    """Raised if a call would leave too few calls to decide the remaining rows one by one."""


class CubeRound:
    """The knowledge about every row, deduced from answers: ``can[b]`` and ``cannot[b]``, as sets.

    At most ``limit`` calls are made, if that is at least two per row. ``Spent`` is raised before a call that might
    leave fewer calls than there are undecided labels of rows.
    """

    def __init__(self, table: Any, answer: Answer, limit: float = math.inf) -> None:
        self.table, self.answer, self.limit = table, answer, limit
        self.everyone: int = (1 << table.rows) - 1
        self.can, self.cannot = [0, 0], [0, 0]
        self.calls = 0

    def ask(self, cube: Cube, label: int) -> bool:
        """Query a cube, and record the deductions."""
        alone = cube.members.bit_count() == 1
        if not alone and self.calls + 1 + sum(self.undecided(b).bit_count() for b in (0, 1)) > self.limit:
            raise Spent
        self.calls += 1
        yes = self.answer(cube, label)
        if not yes:
            self.cannot[label] |= cube.members
            # A realizable path has a continuation.
            self.can[1 - label] |= cube.members
        elif alone:
            self.can[label] |= cube.members
        return yes

    def undecided(self, label: int) -> int:
        """Return the rows for which the label is undecided."""
        return self.everyone & ~self.can[label] & ~self.cannot[label]


FAR = 7
"""Largest distance that is distinguished."""
SAMPLED = 256
"""Distances to more new rows than this are computed to an evenly spaced subset."""
MEMORY = 0.95
"""Factor by which counts decay per round."""


def _first_counts() -> FloatArray:
    near = np.arange(FAR + 1)
    guess = np.where(near[:, None] < near, 0.85, np.where(near[:, None] > near, 0.15, 0.5))
    return np.stack([np.stack([guess, guess]), np.ones((2, FAR + 1, FAR + 1))])


@dataclass(frozen=True)
class Forecast:
    """An estimate of the probability that a row can take a label, from earlier rounds with decaying weights."""

    counted: FloatArray = field(default_factory=_first_counts)
    """Numbers of rows that could take the label, and of all rows, by label and Hamming distances.

    The distances are those to the nearest rows known to take the label and to take the other."""
    sides: FloatArray = field(default_factory=lambda: np.stack([np.full((2, 2), 0.5), np.ones((2, 2))]))
    """The same numbers by the label, and by the row's label at a past point."""

    def chance(self, label: int, distances: IntArray) -> FloatArray:
        """Return the estimate for every row."""
        table = self.counted[0, label] / self.counted[1, label]
        result: FloatArray = table[distances[label], distances[1 - label]]
        return result

    def after(self, table: Any, can: BoolArray, seen: FloatArray | None) -> Forecast:
        """Return the forecast after a round; ``seen`` holds the counts of the round, if it was replayed."""
        counted = self.counted if seen is None else MEMORY * self.counted + seen
        if not table.points:
            return Forecast(counted, self.sides)
        ones = np.array([table.ones()] * 2) / table.points
        both = np.stack([1 - ones, ones], axis=-1)  # for every row, the shares of points with label 0 and 1
        sides = np.stack([(both * can[..., None]).mean(axis=1), both.mean(axis=1)])
        return Forecast(counted, MEMORY * self.sides + sides)


class PredictedCubes:
    """One round of queries: find a row for each label by bisection, then query cubes of rows predicted to be denied.

    A bisection queries the half that is less likely to hold the row, estimated first by the rows' label at the dividing
    point. So if near points have equal labels, it queries the half with the other label, and ends at the border between
    the two kinds of rows.
    """

    def __init__(self, round: CubeRound, forecast: Forecast, truth: BoolArray | None = None) -> None:
        self.round, self.table, self.forecast, self.truth = round, round.table, forecast, truth
        self.rows = self.table.rows
        self.distances: IntArray = np.full((2, self.rows), FAR, dtype=np.int64)
        self.noted = [0, 0]
        self.seen = np.zeros_like(forecast.counted)
        """Counts of the outcome of rows, if the truth is known."""

    def run(self) -> None:
        """Query until every row is decided for both labels."""
        whole = Cube((), self.round.everyone)
        for b in (0, 1):
            if not self.round.can[b] and self.round.ask(whole, b):
                self._bisect(whole, b, None, self.forecast.sides[0, b] / self.forecast.sides[1, b])
        while (question := self._next()) is not None:
            cube, label, chance = question
            if self.round.ask(cube, label):
                self._bisect(cube, label, chance + 1e-9, np.ones(2))

    def _next(self) -> tuple[Cube, int, FloatArray] | None:
        """Return a cube around the undecided row that is most probably denied, or None at the end."""
        self._measure()
        best: tuple[float, int, int] | None = None
        undecided = [unpack(self.round.undecided(b), self.rows) for b in (0, 1)]
        chances = [self.forecast.chance(b, self.distances) for b in (0, 1)]
        for b in (0, 1):
            if not undecided[b].any():
                continue
            if self.truth is not None:
                self._observe(b, undecided[b], self.truth[b])
            row = int(np.where(undecided[b], chances[b], 2.0).argmin())
            best = min(best or (2.0, 0, 0), (float(chances[b][row]), b, row))
        if best is None:
            return None
        chance, b, row = best
        target = 1 << row if chance >= 0.5 else mask(undecided[b] & (chances[b] < 0.5))
        avoid = self.round.everyone & ~self.round.cannot[b] & ~target
        columns = self.table.best_cube(row, target, avoid, b)
        literals = tuple((j, self.table.label(row, j)) for j in columns)
        return Cube(literals, self.table.cube(row, columns)), b, chances[b]

    def _bisect(self, cube: Cube, label: int, weight: FloatArray | None, sides: FloatArray) -> None:
        """Find a row of the cube that can take the label (one exists); without weights, all rows are equal."""
        rows = np.flatnonzero(unpack(cube.members & ~self.round.cannot[label], self.rows))
        while len(rows) > 1:
            if weight is None:
                share = np.array(self.table.count(cube.members & ~self.round.cannot[label])) / len(rows)
            else:
                # Not a matrix product, whose last digits, and so the chosen columns, depend on the processor.
                some = weight[rows]
                share = np.array(self.table.weigh(rows.data, some.data)) / some.sum()
            column = int(np.abs(share - 0.5).argmin())
            side = int(share[column] * sides[1] < (1 - share[column]) * sides[0])
            part = cube.also(self.table, column, side)
            if not self.round.ask(part, label):
                side, part = 1 - side, cube.also(self.table, column, 1 - side)
            rows, cube = rows[unpack(self.table.column(column), self.rows)[rows] == side], part
        self.round.can[label] |= 1 << int(rows[0])

    def _measure(self) -> None:
        """Update the distances to the rows that became known."""
        for b in (0, 1):
            new = np.flatnonzero(unpack(self.round.can[b] & ~self.noted[b], self.rows))
            self.noted[b] = self.round.can[b]
            self.distances[b, new] = 0
            if len(new) > SAMPLED:
                new = new[np.linspace(0, len(new) - 1, SAMPLED).astype(np.int64)]
            self.table.measure(new.data, self.distances[b].data)

    def _observe(self, label: int, rows: BoolArray, truth: BoolArray) -> None:
        """Count the outcome of some rows."""
        cells = self.distances[label, rows] * (FAR + 1) + self.distances[1 - label, rows]
        for i, weights in enumerate((truth[rows], None)):
            found = np.bincount(cells, weights=weights, minlength=(FAR + 1) ** 2)
            self.seen[i, label] += found.reshape(FAR + 1, FAR + 1)
