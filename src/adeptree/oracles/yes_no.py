"""One round with an oracle that says yes or no: the questions, and what is known from their answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from adeptree.core.types import BoolArray, Instance, Sample
from adeptree.oracles.bitsets import LabelColumns, WordArray, count, pack, unpack


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
