"""The frontier of a listed class: the paths partition its concepts by their labels so far."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adeptree.core.declared_state import COUNT, Array, Fields, need
from adeptree.core.types import Concept, FloatArray, Instance, IntArray
from adeptree.families.listed import EnumerableClass
from adeptree.roles.frontier import Children, Frontier, Split


class Partition:
    """The row of every concept; -1 once its row is removed.

    The rows may be those of any frontier: a row without concepts is empty.
    """

    def __init__(self, concept_class: EnumerableClass) -> None:
        concept_class._check_listable()
        self.concept_class = concept_class
        self.row_of: IntArray = np.zeros(concept_class.size, dtype=np.int64)

    def _halves(self, x: Instance) -> IntArray:
        """Return 2 v + the label at x for every concept of row v, in one array, as there may be a million concepts."""
        halves = self.row_of + self.row_of
        halves += self.concept_class.labels(x)
        return halves

    def counts(self, x: Instance, width: int) -> tuple[IntArray, IntArray]:
        """Return, for each row, the numbers of its concepts with label 0 and label 1 at x."""
        halves = self._halves(x)
        if halves.min() < 0:
            halves = halves[halves >= 0]
        zeros, ones = np.bincount(halves, minlength=2 * width).reshape(width, 2).T
        return zeros, ones

    def grow(self, children: Children) -> None:
        """Move every concept to the child with its label; those of row -1 (the last two places) stay there."""
        target = np.append(children.row.T, [[-1, -1]])
        self.row_of = target[self._halves(children.x)]  # a new array: a saved state may hold the old one


class PartitionFrontier(Frontier):
    """A frontier whose rows are the nonempty cells of the partition: O(number of concepts) per round."""

    def __init__(self, concept_class: EnumerableClass) -> None:
        super().__init__()
        self.partition = Partition(concept_class)
        self._width = 1
        self.log_size = math.log(concept_class.size)

    def parts(self) -> list[Any]:
        """Return the frontier and the partition."""
        return [self, self.partition]

    @property
    def width(self) -> int:
        """Number of cells."""
        return self._width

    def _answers(self, x: Instance) -> Split:
        zeros, ones = self.partition.counts(x, self._width)
        return Split(x, zeros > 0, ones > 0, evidence=(zeros, ones))

    def grow(self, children: Children) -> None:
        """Refine the partition by the labels at x."""
        self.partition.grow(children)
        self._width = len(children.parent)

    def log_counts(self, children: Children) -> FloatArray:
        """Return ln of the number of concepts in the children's cells."""
        zeros, ones = children.evidence
        counts = np.where(children.label, ones[children.parent], zeros[children.parent])
        logs: FloatArray = np.log(counts.astype(np.float64))
        return logs

    def concept(self, row: int) -> Concept:
        """Return the first concept of the row's cell."""
        return self.partition.concept_class.concept(int((self.partition.row_of == row).argmax()))

    def state(self) -> dict[str, Any]:
        """Return the partition."""
        return {"row_of": self.partition.row_of, "width": self._width}

    def declared(self) -> Fields:
        """Declare the row of every concept (-1: none)."""
        return {"row_of": Array("i", self.partition.row_of.shape, -1), "width": COUNT}

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError unless every row has concepts."""
        row_of = state["row_of"]
        need(np.array_equal(np.unique(row_of[row_of >= 0]), np.arange(state["width"])), "row_of")

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a saved partition, if it fits the concepts."""
        self.check(state)
        self.partition.row_of, self._width = state["row_of"], state["width"]
