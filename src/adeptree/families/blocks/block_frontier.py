"""The frontier of block unions: a path is the set of blocks it labels 1."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from adeptree.core.declared_state import Array, Fields, need
from adeptree.core.types import Instance, IntArray
from adeptree.families.blocks.block_unions import BlockUnions
from adeptree.families.rule_values import BlockUnion
from adeptree.roles.frontier import Children, Frontier, Split


class BlockFrontier(Frontier):
    """A row lists the numbers of its at most d blocks; blocks are numbered as they arrive."""

    ROWS = ("members", "count")
    GROWS = ("number",)

    def __init__(self, concept_class: BlockUnions) -> None:
        super().__init__()
        self.concept_class = concept_class
        self.number: dict[Hashable, int] = {}
        self.members: IntArray = np.full((1, concept_class.d), -1, dtype=np.int64)
        self.count: IntArray = np.zeros(1, dtype=np.int64)

    def _answers(self, x: Instance) -> Split:
        block = self.concept_class.block_of(x)
        if block in self.number:
            inside = (self.members == self.number[block]).any(axis=1)
            return Split(x, ~inside, inside)
        return Split(x, np.ones(self.width, dtype=np.bool_), self.count < self.concept_class.d)

    def grow(self, children: Children) -> None:
        """Add a new block to the rows that label it 1."""
        self.members, self.count = self.members[children.parent], self.count[children.parent]
        block = self.concept_class.block_of(children.x)
        if block in self.number:
            return
        rows = np.flatnonzero(children.label)
        self.members[rows, self.count[rows]] = len(self.number)
        self.count[rows] += 1
        self.number[block] = len(self.number)

    def concept(self, row: int) -> BlockUnion:
        """Return the union of the row's blocks."""
        names = list(self.number)
        return self.concept_class.union([names[i] for i in self.members[row, : self.count[row]]])

    def state(self) -> dict[str, Any]:
        """Return the rows and the blocks in order of arrival."""
        return super().state() | {"blocks": list(self.number)}

    def declared(self) -> Fields:
        """Return the members of each row (-1: none), and their number."""
        members = Array("i", ("rows", "most"), -1)
        return {"members": members, "count": Array("i", "rows", 0)}

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError unless all members are blocks."""
        members, blocks = state["members"], state["blocks"]
        need(
            members.max() < len(set(blocks)) == len(blocks) and ((members >= 0).sum(axis=1) == state["count"]).all(),
            "members",
        )

    def restore(self, state: dict[str, Any]) -> None:
        """Restore saved rows, if they are sets of the blocks."""
        super().restore(state)
        self.number = {block: i for i, block in enumerate(state["blocks"])}
