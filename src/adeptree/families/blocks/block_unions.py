"""Unions of at most d blocks: the paper's C_d, over blocks that need not be known in advance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.core.arguments import LARGEST_SET, check_size
from adeptree.core.errors import InvalidArgument, InvalidInstance, got
from adeptree.core.types import FloatArray, Instance, Sample, label_of
from adeptree.families.rule_values import BlockUnion
from adeptree.roles.concept_class import ConceptClass


@dataclass(frozen=True)
class Block:
    """The canonical form of an instance whose block is computed by a function or key."""

    name: Hashable


@dataclass(frozen=True, repr=False)
class BlockUnions(ConceptClass):
    """Concepts that are 1 on at most d blocks of the domain and 0 elsewhere.

    There are infinitely many blocks, and a block need not be known before it arrives.

    Parameters
    ----------
    d
        The largest number of blocks of a concept.
    block
        Maps an instance to its block: a function, or the key of a mapping such as ``"sender"``; by default an
        instance is its own block.

    Examples
    --------
    >>> c = BlockUnions(2)
    >>> c, c.vc_dimension, c.littlestone_dimension
    (blocks(d=2), 2, 2)
    >>> c.realizable([("a", 1), ("b", 1), ("c", 1)])
    False
    >>> str(c.erm([("a", 1), ("a", 1), ("b", 1), ("c", 0)]))
    "block in {'a', 'b'}"
    """

    d: int
    block: Callable[[Any], Hashable] | str | None = None
    spec_name = "blocks"

    def __post_init__(self) -> None:
        object.__setattr__(self, "d", check_size("d", self.d, at_most=LARGEST_SET))
        if not (self.block is None or isinstance(self.block, str) or callable(self.block)):
            raise InvalidArgument(f"block must be a function, a key or None; {got('block', self.block)}")

    def __repr__(self) -> str:
        if self.block is None:
            return f"blocks(d={self.d})"
        # A function is shown by its name, not by its address, because saved files compare this text.
        shown = repr(self.block) if isinstance(self.block, str) else getattr(self.block, "__qualname__", "function")
        return f"blocks(d={self.d}, block={shown})"

    @property
    def reads_by_function(self) -> bool:  # type: ignore[override]
        """True if ``block`` is a function."""
        return callable(self.block)

    @property
    def vc_dimension(self) -> int:
        """VC dimension: d, as d points of different blocks are shattered, and d + 1 cannot all be 1."""
        return self.d

    @property
    def littlestone_dimension(self) -> int:
        """Littlestone dimension: d, as each mistake of "predict 0 on a new block" uses one block."""
        return self.d

    def instance(self, x: Any) -> Hashable:
        """Return the block of x, marked as a block, so that it is not mapped again."""
        name = self.block_of(x)
        return name if self.block is None else Block(name)

    def instances_of(self, xs: Iterable[Any]) -> list[Hashable]:
        """Return many instances in their canonical form; texts and ints have it already."""
        points: list[Any] = xs.tolist() if isinstance(xs, np.ndarray) else list(xs)
        if self.block is None and set(map(type, points)) <= {str, int}:
            return points
        return [self.instance(x) for x in points]

    def block_of(self, x: Any) -> Hashable:
        """Return the block of an instance (or of its canonical form)."""
        if isinstance(x, Block):
            return x.name
        block = self._mapped(x)
        if isinstance(block, np.generic):
            block = block.item()
        try:
            hash(block)
        except TypeError:
            raise InvalidInstance(f"a block must be hashable; {got('block', block)}") from None
        return block  # type: ignore[no-any-return]

    def _mapped(self, x: Any) -> Any:
        if callable(self.block):
            return self.block(x)
        if self.block is None or not isinstance(x, Mapping):
            return x
        if self.block not in x:
            raise InvalidInstance(f"x must have the key {self.block!r}; it has {sorted(map(str, x))}")
        return x[self.block]

    def realizable(self, sample: Sample) -> bool:
        """Return True if no block has both labels and at most d blocks have a 1."""
        pairs = self._blocks(sample)
        ones = {b for b, y in pairs if y}
        return len(ones) <= self.d and not any(b in ones for b, y in pairs if not y)

    def erm(self, sample: Sample) -> BlockUnion:
        """Return the d blocks with the largest surplus of 1s (earliest first among equals)."""
        gains: Counter[Hashable] = Counter()
        for block, y in self._blocks(sample):
            gains[block] += 2 * y - 1
        best = [block for block, gain in gains.most_common(self.d) if gain > 0]
        return self.union(best)

    def union(self, blocks: list[Hashable]) -> BlockUnion:
        """Return the concept that is 1 on these blocks."""
        return BlockUnion(tuple(blocks), self.block_of)

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw one of 4 d blocks."""
        return int(rng.integers(4 * self.d))

    def random_concept(self, rng: np.random.Generator) -> BlockUnion:
        """Draw d of the blocks that :meth:`random_instance` draws from."""
        return self.union(sorted(rng.choice(4 * self.d, size=self.d, replace=False).tolist()))

    def _blocks(self, sample: Sample) -> list[tuple[Hashable, int]]:
        return [(self.block_of(x), label_of(y)) for x, y in sample]


def best_blocks(gains: FloatArray, d: int) -> list[int]:
    """Return the at most d blocks with the largest positive gains, the earliest among equals, in order of arrival.

    >>> best_blocks(np.array([1.0, 0.0, 2.0, 1.0, -3.0]), 2)
    [0, 2]
    """
    order = np.argsort(-gains, kind="stable")[:d]
    return sorted(order[gains[order] > 0].tolist())
