"""Recursive majority: the plan of stages of dimension D = 5 and up.

A family is (k,0)-robust if it has a k-tree, and (k,q)-robust if of every two parts one is (k,q-1)-robust; (D,1)-robust
is (D|D). By the pigeonhole, 2^q + 1 blocks separated one after the other, each (k-1,q)-robust, are (k,q)-robust
together. The first 2^q are the wrong sides of (k-1,q+1)-robust families, the last is built as it is. State:
``("robust", k, q, blocks, current)``; a block is a ghost number, ``TRUNK``, or a tuple of blocks.
"""

from __future__ import annotations

from functools import cache
from typing import Any

Plan = tuple[Any, ...]
Tree = int | tuple[Any, ...]

TRUNK = -1


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
    """Return True if the family is (k,q)-robust."""
    _, k, q, blocks, current = plan
    return k == 0 or (len(blocks) == 2**q and robust_finished(current))


def robust_predict(plan: Plan, ones: int, default: int) -> int:
    """Return the vote of the family that waits for its mistake; the default while a family is being built."""
    current = plan[4]
    if not robust_finished(current):
        return robust_predict(current, ones, default)
    return default if _robust_side(_tree(current), current[2], default, ones) else 1 - default


def robust_mistake(plan: Plan, ghost: int, ones: int, predicted: int) -> Plan:
    """Return the plan after a mistake that created the ghost with this number."""
    name, k, q, blocks, current = plan
    if not robust_finished(current):
        return (name, k, q, blocks, robust_mistake(current, ghost, ones, predicted))
    blocks = (*blocks, _pruned(_tree(current), current[2], predicted, ones, ghost))
    following = robust(k - 1, q + 1) if len(blocks) < 2**q else robust(k - 1, q)
    return (name, k, q, blocks, following)


def _tree(plan: Plan) -> Tree:
    return TRUNK if plan[1] == 0 else (*plan[3], _tree(plan[4]))


def _robust_side(tree: Tree, q: int, label: int, ones: int) -> bool:
    """Return True if the part with this label is (k,q-1)-robust, by counting blocks (recursive majority)."""
    if isinstance(tree, int):
        return tree == TRUNK or (ones >> tree) & 1 == label
    return sum(_robust_side(block, q, label, ones) for block in tree) > 1 << (q - 1)


def _pruned(tree: Tree, q: int, label: int, ones: int, ghost: int) -> Tree:
    if isinstance(tree, int):
        return ghost if tree == TRUNK else tree
    return tuple(_pruned(block, q, label, ones, ghost) for block in tree if _robust_side(block, q, label, ones))
