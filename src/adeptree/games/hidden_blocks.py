"""A concept class that nobody can see: a partition made while it is asked for, known by its oracle alone."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Protocol

import numpy as np

from adeptree.core.errors import InvalidArgument, InvalidInstance, got
from adeptree.core.types import Concept, Instance, Sample
from adeptree.families.blocks.block_base import DefaultZero
from adeptree.families.blocks.block_unions import BlockUnions
from adeptree.families.registry import register
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.family import Family

TOKENS = 1 << 62
"""Points of the game are ints below this, drawn uniformly: a point says nothing about its block."""


class Partition:
    """A partition of all points into infinite blocks, decided only where somebody has looked."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._block: dict[Hashable, int] = {}
        self._blocks = 0

    def new_block(self) -> int:
        """Return a block in which no point lies yet."""
        self._blocks += 1
        return self._blocks

    def fresh(self, block: int) -> int:
        """Put a point that nobody has looked at into the block, and return it."""
        x = int(self._rng.integers(TOKENS))
        while x in self._block:
            x = int(self._rng.integers(TOKENS))
        self._block[x] = block
        return x

    def block_of(self, x: Any) -> int:
        """Return the block of x; a point that was never played gets a block that never will be."""
        try:
            known = self._block.get(x)
        except TypeError:
            raise InvalidInstance(f"a point must be hashable; {got('x', x)}") from None
        if known is None:
            known = self._block[x] = self.new_block()
        return known


class HiddenUnion:
    """A concept as the oracle hands it out: it can be evaluated anywhere, and shows nothing else."""

    __slots__ = ("_blocks", "_partition")

    def __init__(self, blocks: Iterable[Hashable], partition: Partition) -> None:
        self._blocks = frozenset(blocks)
        self._partition = partition

    def __call__(self, x: Instance) -> int:
        """Return 1 if x lies in one of the blocks (always 0 on points of later phases)."""
        return int(self._partition.block_of(x) in self._blocks)

    def __str__(self) -> str:
        return f"a union of {len(self._blocks)} hidden blocks"


class Opponent(Protocol):
    """Who answers for the hidden class."""

    d: int

    def realizable(self, sample: Sample) -> bool:
        """Answer a counted query."""
        ...

    def erm(self, sample: Sample) -> HiddenUnion:
        """Answer a counted query."""
        ...

    def judge(self, sample: Sample) -> HiddenUnion:
        """Return a best concept, uncounted."""
        ...


class HiddenBlocks(ConceptClass):
    """The class as a learner of the game sees it: opaque points, and an oracle that counts every answer."""

    spec_name = "hidden-blocks"
    strategy = "literal"
    """Frontiers ask as Algorithm 2 does, at most 2 x width queries per round: a budget can be planned with that."""

    def __init__(self, adversary: Opponent) -> None:
        self.d = adversary.d
        self._adversary = adversary

    def __repr__(self) -> str:
        return f"hidden-blocks(d={self.d})"

    @property
    def vc_dimension(self) -> int:
        """d: that much is public."""
        return self.d

    @property
    def littlestone_dimension(self) -> int:
        """d as well."""
        return self.d

    def instance(self, x: Any) -> Instance:
        """Return x: learners see points, never blocks."""
        return x

    def realizable(self, sample: Sample) -> bool:
        """Ask the adversary: one query."""
        return self._adversary.realizable(sample)

    def erm(self, sample: Sample) -> HiddenUnion:
        """Ask the adversary: one query."""
        return self._adversary.erm(sample)

    def judge(self, sample: Sample) -> HiddenUnion:
        """Return a best concept in hindsight, for the account only: not a query."""
        return self._adversary.judge(sample)

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Refuse: only the adversary knows which points are fresh."""
        raise InvalidArgument("points of hidden blocks come from the game itself; play against the BlockReset")

    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Refuse: the blocks are hidden."""
        raise InvalidArgument("the blocks are hidden; after the game take adversary.hidden_class.random_concept(rng)")


def hidden_base(concept_class: HiddenBlocks) -> DefaultZero:
    """Return the base learner that predicts 0."""
    # On opaque points too a contested 1 uses up a block, so "predict 0" errs at most d times.
    return DefaultZero(BlockUnions(concept_class.d))


register(Family("", HiddenBlocks, base=hidden_base))
