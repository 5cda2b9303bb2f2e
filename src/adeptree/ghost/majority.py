"""Two simple plans for large dimensions: recursive majority, and majority with pruning.

**Recursive majority** (dimension D = 5 and up). A family is (k,0)-robust if it has a k-tree, and
(k,q)-robust if of every two parts one is (k,q-1)-robust; (D,1)-robust is (D|D). By the pigeonhole,
2^q + 1 blocks separated one after the other, each (k-1,q)-robust, are (k,q)-robust together. The first
2^q are the wrong sides of (k-1,q+1)-robust families, the last is built as it is. State:
``("robust", k, q, blocks, current)``; a block is a ghost number, ``TRUNK``, or a tuple of blocks.

**Majority with pruning** (from d = 15 on, where it is cheaper; a stand-alone learner without stages).
A level-0 block is one ghost, a level-j family is 15 blocks of level j-1; when the majority of a family is
wrong, half of it, on the wrong side, becomes a block of level j. A family of level 2d has so many
ghosts that it must hold a (d+1)-tree, which the class does not have. State:
``("pruned", finished, families)`` with families[j] = the blocks of level j (ints of ghosts) so far.
"""

from __future__ import annotations

from functools import cache
from typing import Any

Plan = tuple[Any, ...]
Tree = int | tuple[Any, ...]

TRUNK = -1
BLOCKS = 15
"""Blocks per family, in majority with pruning."""


@cache
def robust_cost(k: int, q: int) -> int:
    """Return the mistakes after which recursive majority has a (k,q)-robust family.

    >>> [robust_cost(k, 1) for k in (1, 2, 3, 4, 5)]
    [2, 12, 94, 1336, 38618]
    """
    if k == 0:
        return 0
    return int(2**q) * (robust_cost(k - 1, q + 1) + 1) + robust_cost(k - 1, q)


def robust(k: int, q: int) -> Plan:
    """Return the recursive majority plan before any mistake."""
    if k == 0:
        return ("robust", 0, q, (), None)
    return ("robust", k, q, (), robust(k - 1, q + 1))


def robust_finished(plan: Plan) -> bool:
    """Say whether the family is (k,q)-robust."""
    _, k, q, blocks, current = plan
    return k == 0 or (len(blocks) == 2**q and robust_finished(current))


def robust_predict(plan: Plan, ones: int, default: int) -> int:
    """Return the vote of the family that waits for its mistake, the default while one is being built."""
    current = plan[4]
    if not robust_finished(current):
        return robust_predict(current, ones, default)
    return default if _robust_side(_tree(current), current[2], default, ones) else 1 - default


def robust_mistake(plan: Plan, ghost: int, ones: int, predicted: int) -> Plan:
    """Return the plan after a mistake that bore the ghost of that number."""
    name, k, q, blocks, current = plan
    if not robust_finished(current):
        return (name, k, q, blocks, robust_mistake(current, ghost, ones, predicted))
    blocks = (*blocks, _pruned(_tree(current), current[2], predicted, ones, ghost))
    following = robust(k - 1, q + 1) if len(blocks) < 2**q else robust(k - 1, q)
    return (name, k, q, blocks, following)


def _tree(plan: Plan) -> Tree:
    return TRUNK if plan[1] == 0 else (*plan[3], _tree(plan[4]))


def _robust_side(tree: Tree, q: int, label: int, ones: int) -> bool:
    """Say whether the part with that label is (k,q-1)-robust, by counting blocks: the recursive majority."""
    if isinstance(tree, int):
        return tree == TRUNK or (ones >> tree) & 1 == label
    return sum(_robust_side(block, q, label, ones) for block in tree) > 1 << (q - 1)


def _pruned(tree: Tree, q: int, label: int, ones: int, ghost: int) -> Tree:
    if isinstance(tree, int):
        return ghost if tree == TRUNK else tree
    return tuple(_pruned(block, q, label, ones, ghost) for block in tree if _robust_side(block, q, label, ones))


def pruned(d: int) -> Plan:
    """Return the majority-with-pruning plan for dimension d before any mistake."""
    return ("pruned", 0, ((),) * (2 * d))


def pruned_predict(plan: Plan, ones: int, default: int) -> int:
    """Return the majority of the family that waits for its mistake, the default while one is being built."""
    level = _waiting(plan)
    if level is None:
        return default
    family = _union(plan[2][level])
    return int(2 * (family & ones).bit_count() > family.bit_count())


def pruned_mistake(plan: Plan, ghost: int, ones: int, predicted: int) -> Plan:
    """Return the plan after a mistake that bore the ghost of that number."""
    name, finished, families = plan
    level = _waiting(plan)
    if level is None:
        block, level = 1 << ghost, -1
    else:
        family = _union(families[level])
        block = _lowest(family & (ones if predicted else ~ones), (family.bit_count() + 1) // 2)
        families = (*families[:level], (), *families[level + 1 :])
    level += 1
    families = (*families[:level], (*families[level], block), *families[level + 1 :])
    finished = int(len(families[-1]) == BLOCKS)
    return (name, finished, families)


def _waiting(plan: Plan) -> int | None:
    return next((level for level, blocks in enumerate(plan[2]) if len(blocks) == BLOCKS), None)


def _union(blocks: tuple[int, ...]) -> int:
    union = 0
    for block in blocks:
        union |= block
    return union


def _lowest(members: int, count: int) -> int:
    """Return the ``count`` members with the lowest numbers."""
    kept = 0
    for _ in range(count):
        kept |= members & -members
        members &= members - 1
    return kept
