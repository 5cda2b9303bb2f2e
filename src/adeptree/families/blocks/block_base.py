"""The optimal realizable learner of block unions."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from adeptree.core.types import Instance
from adeptree.families.blocks.block_frontier import BlockFrontier
from adeptree.families.blocks.block_unions import BlockUnions
from adeptree.roles.base_learner import Always, MadeFor, PerPath, RowLearner
from adeptree.roles.frontier import Frontier


@dataclass(frozen=True)
class DefaultZero(MadeFor[BlockUnions]):
    """The base learner of block unions: predict 0 on a block that never had a 1; M = d.

    >>> learner = DefaultZero().bind(BlockUnions(3))
    >>> learner.mistake_bound, learner.predict(learner.update(learner.start(), "a", 1), "a")
    (3, 1)
    """

    kind = BlockUnions

    def start(self) -> tuple[Hashable, ...]:
        """Return the empty set: no block is known to be 1."""
        return ()

    def predict(self, state: tuple[Hashable, ...], x: Instance) -> int:
        """Predict 1 on the blocks known to be 1."""
        return int(x in state)

    def update(self, state: tuple[Hashable, ...], x: Instance, y: int) -> tuple[Hashable, ...]:
        """Add a block with a 1."""
        return (*state, x) if y and x not in state else state

    def rows(self, frontier: Frontier) -> RowLearner:
        """Predict 0: only new blocks are contested, so no state is needed."""
        return Always(False) if isinstance(frontier, BlockFrontier) else PerPath(self)
