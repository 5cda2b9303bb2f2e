"""How the compiled paths engine writes a row of each class, and how that compares with the frontiers' rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import Concept, Instance, IntArray
from adeptree.families.blocks.block_unions import BlockUnions
from adeptree.families.line.intervals import Intervals
from adeptree.families.line.thresholds import Thresholds
from adeptree.families.rule_values import BlockUnion, Interval, Threshold
from adeptree.roles.concept_class import ConceptClass

Columns = NDArray[np.signedinteger[Any]]
_SHORT = 2**31 - 2


class Shape(ABC):
    """The columns of a row, and the points as the passes know them: ints."""

    code: ClassVar[int]
    """Its number in ``sweep_kernels``."""
    line: int = 0
    """n of the line, where there is one."""
    dimension: int
    """The most mistakes of the natural base learner."""
    dtype: type[np.signedinteger[Any]] = np.int32

    @abstractmethod
    def first(self) -> list[int]:
        """Return the columns of the only row before the first round."""

    @abstractmethod
    def point(self, x: Instance) -> int:
        """Return x as the passes know it; nothing is committed."""

    def points(self, xs: Sequence[Instance]) -> Columns:
        """Return many, as they will be known one after the other."""
        return np.ascontiguousarray(xs, dtype=self.dtype)

    def remember(self, xs: Sequence[Instance]) -> None:
        """Take note that these were committed."""

    @abstractmethod
    def concept(self, columns: Columns, row: int) -> Concept:
        """Return the concept that the frontier would return for the row."""

    @abstractmethod
    def to_frontier(self, columns: Columns, mistakes: IntArray, seen: IntArray) -> dict[str, Any]:
        """Return the rows as ``Frontier.state`` does."""

    @abstractmethod
    def from_frontier(self, state: dict[str, Any]) -> tuple[Columns, IntArray]:
        """Return the columns, and the points seen, of a frontier's state."""

    def to_base(self, mistakes: IntArray) -> dict[str, Any]:
        """Return what the row learner remembers beside the frontier."""
        return {}


class ThresholdShape(Shape):
    """low, high."""

    code = 0

    def __init__(self, concept_class: Thresholds) -> None:
        self.line, self.dimension = concept_class.n, concept_class.littlestone_dimension
        self.dtype = np.int32 if self.line <= _SHORT else np.int64

    def first(self) -> list[int]:
        """All thresholds."""
        return [0, self.line]

    def point(self, x: Instance) -> int:
        """x itself."""
        return int(x)

    def concept(self, columns: Columns, row: int) -> Threshold:
        """The lowest threshold that fits."""
        return Threshold(int(columns[0, row]))

    def to_frontier(self, columns: Columns, mistakes: IntArray, seen: IntArray) -> dict[str, Any]:
        """The ranges."""
        low, high = columns.astype(np.int64)
        return {"low": low, "high": high}

    def from_frontier(self, state: dict[str, Any]) -> tuple[Columns, IntArray]:
        """The ranges."""
        return np.stack([state["low"], state["high"]]).astype(self.dtype), np.zeros(0, dtype=np.int64)


class IntervalShape(ThresholdShape):
    """The box; row 0 is the blank one (it takes label 0 whenever it can, and it always can)."""

    code = 1

    def __init__(self, concept_class: Intervals) -> None:
        self.line, self.dimension = concept_class.n, concept_class.littlestone_dimension
        self.dtype = np.int32 if self.line <= _SHORT else np.int64

    def first(self) -> list[int]:
        """The blank row."""
        return [0, 0, 0, 0]

    def concept(self, columns: Columns, row: int) -> Interval:  # type: ignore[override]
        """The shortest interval that fits."""
        return Interval(int(columns[1, row]), int(columns[2, row])) if row else Interval(0, 0)

    def to_frontier(self, columns: Columns, mistakes: IntArray, seen: IntArray) -> dict[str, Any]:
        """The boxes and the points seen."""
        return {"box": columns.astype(np.int64), "blank": np.arange(columns.shape[1]) == 0, "seen": seen}

    def from_frontier(self, state: dict[str, Any]) -> tuple[Columns, IntArray]:
        """The boxes and the points seen."""
        return state["box"].astype(self.dtype), np.asarray(state["seen"], dtype=np.int64)

    def to_base(self, mistakes: IntArray) -> dict[str, Any]:
        """The search counts the mistakes on the blank row."""
        return {"mistakes": int(mistakes[0])}


class BlockShape(Shape):
    """A set of blocks is its parent's and one more: (parent row, number of the block), 8 bytes whatever d is.

    A row never changes its set, since the children with another are appended; so parents stay where they are.
    """

    code = 2

    def __init__(self, concept_class: BlockUnions) -> None:
        self.concept_class, self.dimension = concept_class, concept_class.d
        self.number: dict[Hashable, int] = {}

    def first(self) -> list[int]:
        """No block."""
        return [0, -1]

    def point(self, x: Instance) -> int:
        """The number of the block: the next one for a new block."""
        return self.number.get(self.concept_class.block_of(x), len(self.number))

    def points(self, xs: Sequence[Instance]) -> Columns:
        """The numbers the blocks have, or will get in this order."""
        number = dict(self.number)
        numbers = [number.setdefault(self.concept_class.block_of(x), len(number)) for x in xs]
        return np.array(numbers, dtype=self.dtype)

    def remember(self, xs: Sequence[Instance]) -> None:
        """Number the new blocks."""
        for x in xs:
            self.number.setdefault(self.concept_class.block_of(x), len(self.number))

    def concept(self, columns: Columns, row: int) -> BlockUnion:
        """The union of the row's blocks."""
        names, members = list(self.number), []
        while row:
            members.append(names[columns[1, row]])
            row = int(columns[0, row])
        return self.concept_class.union(members[::-1])

    def to_frontier(self, columns: Columns, mistakes: IntArray, seen: IntArray) -> dict[str, Any]:
        """The members of every row: as many as the base learner's mistakes."""
        members = np.full((len(mistakes), self.dimension), -1, dtype=np.int64)
        left, row = mistakes.copy(), np.arange(len(mistakes))
        while (rest := np.flatnonzero(left)).size:
            left[rest] -= 1
            members[rest, left[rest]] = columns[1, row[rest]]
            row[rest] = columns[0, row[rest]]
        return {"members": members, "count": mistakes, "blocks": list(self.number)}

    def from_frontier(self, state: dict[str, Any]) -> tuple[Columns, IntArray]:
        """With no row dropped, the blocks seen say it all: each, when new, doubled the rows with room for it."""
        self.number = {block: i for i, block in enumerate(state["blocks"])}
        columns = np.array([self.first()], dtype=np.int64).T
        count = np.zeros(1, dtype=np.int64)
        for i in range(len(self.number)):
            parents = np.flatnonzero(count < self.dimension)
            columns = np.concatenate([columns, [parents, np.full(len(parents), i)]], axis=1)
            count = np.concatenate([count, count[parents] + 1])
        return columns.astype(self.dtype), np.zeros(0, dtype=np.int64)


def shape_of(concept_class: ConceptClass) -> Shape:
    """Return the shape of a class that has one.

    >>> shape_of(Thresholds(7)).first()
    [0, 7]
    """
    if isinstance(concept_class, Thresholds):
        return ThresholdShape(concept_class)
    if isinstance(concept_class, Intervals):
        return IntervalShape(concept_class)
    if isinstance(concept_class, BlockUnions):
        return BlockShape(concept_class)
    raise InvalidArgument(
        f"the compiled paths engine is made for Thresholds, Intervals and BlockUnions; "
        f'{got("concept_class", concept_class)}; use engine="paths"'
    )
