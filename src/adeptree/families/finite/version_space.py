"""Base learners on the version space: Halving and the Standard Optimal Algorithm."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from adeptree.core.declared_state import Array, check_fields
from adeptree.core.types import BoolArray, Instance
from adeptree.families.finite.finite_class import FiniteClass
from adeptree.families.finite.partition import Partition, PartitionFrontier
from adeptree.families.listed import EnumerableClass
from adeptree.roles.base_learner import MadeFor, RowLearner
from adeptree.roles.frontier import Children, Frontier, Split
from adeptree.theory.bit_tables import mask


@dataclass(frozen=True)
class _VersionSpace(MadeFor[EnumerableClass]):
    """The state is the set of concepts that fit, as a bit mask over the concepts' numbers."""

    kind = EnumerableClass

    def start(self) -> int:
        """Return the mask of all concepts."""
        return (1 << self.known.size) - 1

    def update(self, state: int, x: Instance, y: int) -> int:
        """Keep the concepts with label y at x."""
        ones = mask(self.known.labels(x))
        return state & ones if y else state & ~ones

    def predict(self, state: int, x: Instance) -> int:
        """Predict 1 iff the concepts with label 1 are strictly the larger part."""
        ones = mask(self.known.labels(x))
        return int(self._size(state & ones) > self._size(state & ~ones))

    @abstractmethod
    def _size(self, concepts: int) -> int:
        """Return the size of a set of concepts, for comparison."""

    @abstractmethod
    def compare(self, partition: Partition, split: Split) -> BoolArray:
        """Predict for every contested row at once."""

    def rows(self, frontier: Frontier) -> RowLearner:
        """Run on the partition of the concepts by the frontier's rows."""
        return _PartitionRows(self, frontier)


@dataclass(frozen=True)
class Halving(_VersionSpace):
    """Predict with the majority of the concepts that fit (a tie is 0): M = floor(log2 size).

    >>> from adeptree import Thresholds
    >>> halving = Halving().bind(Thresholds(7))
    >>> halving.mistake_bound, halving.predict(halving.start(), 4)
    (3, 1)
    """

    @property
    def mistake_bound(self) -> int | None:
        """floor(log2 size): each mistake removes at least half of the concepts."""
        return None if self.concept_class is None else self.concept_class.size.bit_length() - 1

    def _size(self, concepts: int) -> int:
        return concepts.bit_count()

    def compare(self, partition: Partition, split: Split) -> BoolArray:
        """Count both sides of every row."""
        zeros, ones = partition.counts(split.x, len(split.can0))
        return ones > zeros


@dataclass(frozen=True)
class SOA(_VersionSpace):
    """Littlestone's Standard Optimal Algorithm: predict the label whose side has the larger dimension.

    A tie is 0, an empty side has dimension -1. It is optimal: M = the Littlestone dimension. It computes and caches
    exact dimensions of subclasses, so it suits finite classes of modest size.

    >>> from adeptree import FiniteClass
    >>> soa = SOA().bind(FiniteClass([[0, 0], [0, 1], [1, 1]]))
    >>> soa.mistake_bound, soa.predict(soa.start(), 1)
    (1, 1)
    """

    @property
    def mistake_bound(self) -> int | None:
        """The exact Littlestone dimension."""
        return None if self.concept_class is None else self.table.littlestone.dimension()

    @cached_property
    def table(self) -> FiniteClass:
        """The class as a table."""
        return self.known.to_finite()

    def _size(self, concepts: int) -> int:
        return self.table.littlestone.dimension(concepts)

    def compare(self, partition: Partition, split: Split) -> BoolArray:
        """Compute both dimensions of every contested row."""
        guess = split.can1.copy()
        labels = self.known.labels(split.x).astype(np.bool_)
        for row in np.flatnonzero(split.contested).tolist():
            inside = partition.row_of == row
            guess[row] = self._size(mask(inside & labels)) > self._size(mask(inside & ~labels))
        return guess


class _PartitionRows(RowLearner):
    """Stores the row of every concept, in place of one version space per path."""

    def __init__(self, base: _VersionSpace, frontier: Frontier) -> None:
        self.base = base
        self.frontier = frontier
        # The frontier may hold the needed partition; otherwise a separate one follows its rows.
        self.shared = isinstance(frontier, PartitionFrontier) and frontier.partition.concept_class == base.known
        self.own = Partition(base.known)

    @property
    def partition(self) -> Partition:
        return self.frontier.partition if isinstance(self.frontier, PartitionFrontier) and self.shared else self.own

    def parts(self) -> list[Any]:
        return [self, self.own]

    def predict(self, split: Split) -> BoolArray:
        return self.base.compare(self.partition, split)

    def grow(self, children: Children) -> None:
        if not self.shared:
            self.own.grow(children)

    def state(self) -> dict[str, Any]:
        return {} if self.shared else {"row_of": self.own.row_of}

    def restore(self, state: dict[str, Any], width: int) -> None:
        if not self.shared:
            row_of = state["row_of"]
            check_fields(state, {"row_of": Array("i", self.own.row_of.shape, -1, width - 1)})
            self.own.row_of = row_of
