"""Frontiers over bit strings: conjunctions, disjunctions and parities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adeptree.core.declared_state import Array, Fields, need
from adeptree.core.types import BoolArray, FloatArray, Instance
from adeptree.families.bits.bit_rules import Conjunctions, Disjunctions, Parities, Words, pack, unpack
from adeptree.families.rule_values import Monomial, Parity
from adeptree.roles.frontier import Children, Frontier, Split

CHUNK = 1 << 20
"""Most (row, point) pairs processed together, to bound the memory of one round."""


class MonomialFrontier(Frontier):
    """A row keeps the most specific rule that fits it, and its labels.

    It is written for conjunctions, whose *strong* label is 1: a 1 removes the literals that fail there. A disjunction
    is a conjunction of the flipped point with the flipped label, so its strong label is 0.
    """

    ROWS = ("literals", "strong")
    GROWS = ("points",)

    def __init__(self, concept_class: Conjunctions | Disjunctions) -> None:
        super().__init__()
        self.concept_class = concept_class
        every = np.ones(len(concept_class.literal_numbers()), dtype=np.bool_)
        self.literals: Words = pack(every)[None, :]
        self.points: dict[Instance, int] = {}
        self.held: Words = np.zeros((0, self.literals.shape[1]), dtype=np.uint64)
        self.strong: BoolArray = np.zeros((1, 0), dtype=np.bool_)

    def _answers(self, x: Instance) -> Split:
        held = self.concept_class.holding(x)
        can_weak = np.any(self.literals & ~held, axis=1)
        # At a repeated point, a row has the label of its most specific rule.
        can_strong = ~can_weak if x in self.points else self._survives(self.literals & held)
        if self.concept_class.any_of:
            return Split(x, can_strong, can_weak)
        return Split(x, can_weak, can_strong)

    def _survives(self, literals: Words) -> BoolArray:
        """Return the rows that, with these literals left, still deny all points with the weak label."""
        fits = np.ones(self.width, dtype=np.bool_)
        step = max(1, CHUNK // max(1, len(self.held)))
        for start in range(0, self.width, step):
            rows = slice(start, start + step)
            denied = (literals[rows, None, :] & ~self.held[None, :, :]).any(axis=2)
            fits[rows] = (denied | self.strong[rows]).all(axis=1)
        return fits

    def grow(self, children: Children) -> None:
        """Drop the literals that a strong label refutes."""
        held = self.concept_class.holding(children.x)
        strong = children.label != self.concept_class.any_of
        literals = self.literals[children.parent]
        self.literals = np.where(strong[:, None], literals & held, literals)
        self.strong = self.strong[children.parent]
        if children.x not in self.points:
            self.points[children.x] = len(self.points)
            self.held = np.vstack([self.held, held])
            self.strong = np.column_stack([self.strong, strong])

    def concept(self, row: int) -> Monomial:
        """Return the most specific rule that fits."""
        return self.concept_class.from_packed(self.literals[row])

    def declared(self) -> Fields:
        """Return the literals of each row, and where it has the strong label."""
        literals = Array(np.uint64, ("rows", self.literals.shape[1]))
        return {"literals": literals, "strong": Array(np.bool_, ("rows", "points"))}

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError unless every point has a label."""
        points = state["points"]
        need(len(set(points)) == len(points) == state["strong"].shape[1], "points")
        need(all(self.concept_class.instance(x) == x for x in points), "points")

    def state(self) -> dict[str, Any]:
        """Return the literals, labels and points."""
        return super().state() | {"points": list(self.points)}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore saved rows."""
        super().restore(state)
        self.points = {x: i for i, x in enumerate(state["points"])}
        held = [self.concept_class.holding(x) for x in self.points]
        self.held = np.array(held, dtype=np.uint64).reshape(len(held), self.literals.shape[1])


class ParityFrontier(Frontier):
    """A row is one parity that fits it.

    A point x is contested for all rows or for none: for all, unless x is a sum of points seen. One vector orthogonal to
    all points seen but not to x then turns a solution for one label into one for the other.
    """

    ROWS = ("solution",)

    def __init__(self, concept_class: Parities) -> None:
        super().__init__()
        self.n = concept_class.n
        self.basis: dict[int, int] = {}
        """Reduced row echelon form of the points seen: pivot bit -> vector, as Python ints."""
        self.solution: Words = pack(np.zeros((1, self.n), dtype=np.bool_))
        self.log_size = self.n * math.log(2)

    def _answers(self, x: Instance) -> Split:
        if self._residue(x):
            both = np.ones(self.width, dtype=np.bool_)
            return Split(x, both, both)
        label = self._labels(x)
        return Split(x, ~label, label)

    def grow(self, children: Children) -> None:
        """Correct the solutions whose label at x is not the child's."""
        residue = self._residue(children.x)
        label = self._labels(children.x)[children.parent]
        self.solution = self.solution[children.parent]
        if residue:
            turn = self._orthogonal(residue)
            self.solution = np.where((label != children.label)[:, None], self.solution ^ turn, self.solution)
            self._add(residue)

    def log_counts(self, children: Children) -> FloatArray:
        """Return ln of 2^(n - rank): each point that is not a sum of others halves the parities of every row."""
        rank = len(self.basis) + bool(self._residue(children.x))
        return np.full(len(children.parent), (self.n - rank) * math.log(2))

    def concept(self, row: int) -> Parity:
        """Return the row's parity."""
        return Parity(tuple(unpack(self.solution[row], self.n)))

    def _labels(self, x: Instance) -> BoolArray:
        ones = np.bitwise_count(self.solution & pack(np.array(x, dtype=np.bool_))).sum(axis=1)
        odd: BoolArray = ones % 2 == 1
        return odd

    def _residue(self, x: Instance) -> int:
        """Return x reduced by the basis: 0 if x is a sum of points seen."""
        vector = sum(int(bit) << i for i, bit in enumerate(x))
        for pivot, member in self.basis.items():
            if vector >> pivot & 1:
                vector ^= member
        return vector

    def _orthogonal(self, residue: int) -> Words:
        """Return a vector orthogonal to the basis whose product with the residue is 1."""
        pivot = residue.bit_length() - 1
        bits = np.zeros(self.n, dtype=np.bool_)
        bits[pivot] = True
        for other, member in self.basis.items():
            bits[other] = member >> pivot & 1
        return pack(bits)

    def _add(self, residue: int) -> None:
        pivot = residue.bit_length() - 1
        reduced = {other: member ^ residue if member >> pivot & 1 else member for other, member in self.basis.items()}
        self.basis = {**reduced, pivot: residue}

    def declared(self) -> Fields:
        """Return a solution of each row."""
        return {"solution": Array(np.uint64, ("rows", self.solution.shape[1]))}

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError unless the basis is reduced: every pivot occurs in its own vector only."""
        pivots = [pivot for pivot, _ in state["basis"]]
        need(all(type(bits) is int and 0 <= bits < 2**self.n for pair in state["basis"] for bits in pair), "basis")
        for own, member in state["basis"]:
            need(own < self.n and [pivot for pivot in pivots if member >> pivot & 1] == [own], "basis")

    def state(self) -> dict[str, Any]:
        """Return the solutions and the basis."""
        return super().state() | {"basis": [list(pair) for pair in self.basis.items()]}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore saved rows."""
        super().restore(state)
        self.basis = {pivot: member for pivot, member in state["basis"]}
