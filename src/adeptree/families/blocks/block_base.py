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
    """Block unions: predict 0 on a block that never had a 1; M = d.

    >>> learner = DefaultZero().bind(BlockUnions(3))
    >>> learner.mistake_bound, learner.predict(learner.update(learner.start(), "a", 1), "a")
    (3, 1)
    """

    kind = BlockUnions

    def start(self) -> tuple[Hashable, ...]:
        """Return the blocks known to be 1: none."""
        return ()

    def predict(self, state: tuple[Hashable, ...], x: Instance) -> int:
        """Predict 1 on the blocks known to be 1."""
        return int(x in state)

    def update(self, state: tuple[Hashable, ...], x: Instance, y: int) -> tuple[Hashable, ...]:
        """Remember a block with a 1."""
        return (*state, x) if y and x not in state else state

    def rows(self, frontier: Frontier) -> RowLearner:
        """Contested are only blocks never seen before, so nothing needs to be remembered."""
        return Always(False) if isinstance(frontier, BlockFrontier) else PerPath(self)
