"""Blocks: how the ghosts of a plan are separated from each other, and what cannot cover them.

A block is data, a nested tuple (ghosts are bits of an int):

* ``("flat", ghosts, trunk)``: functions of which every two differ, nothing more is known;
* ``("exact", ghosts, columns, trunk)``: the same, with the columns of the (2|2) game they played;
* ``("split", wrong, rest)``: one point has the wrong label on the block ``wrong`` and the right one on
  the block ``rest``.

``trunk`` (0 or 1) says whether the trunk, the true history itself, counts as a member. Only the
innermost ``rest`` can have it.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from adeptree.bases.ghost.requirements import Requirement, Requirements, assignments, never_covers
from adeptree.bases.ghost.trees import has_tree

Block = tuple[Any, ...]


def ghosts_of(block: Block) -> int:
    """Return the ghosts of a block.

    >>> ghosts_of(("split", ("flat", 0b011, 0), ("flat", 0b100, 1)))
    7
    """
    if block[0] == "split":
        return ghosts_of(block[1]) | ghosts_of(block[2])
    return int(block[1])


def wrong_side(block: Block, side: int, newborn: int) -> Block:
    """Return the ghosts of the block that are in ``side``, and in the trunk's place the ghost ``newborn``.

    The newborn is the trunk's copy with the wrong label: it equals the trunk on all earlier points.

    >>> wrong_side(("flat", 0b011, 1), 0b010, 0b100)
    ('flat', 6, 0)
    """
    if block[0] == "split":
        return ("split", wrong_side(block[1], side, newborn), wrong_side(block[2], side, newborn))
    *head, trunk = block
    head[1] &= side
    if trunk:
        head[1] |= newborn
    return (*head, 0)


def refutes(block: Block, requirements: Requirements) -> bool:
    """Say whether it is proved that none of the requirements covers the block."""
    return not any(may_cover(requirement, block) for requirement in requirements)


def may_cover(requirement: Requirement, block: Block) -> bool:
    """Say whether the requirement may cover the block; False is a proof that it does not (split lemma).

    >>> may_cover(((1,), (1,)), ("flat", 0b1, 1)), may_cover(((1, 1), (1,)), ("flat", 0b1, 1))
    (False, True)
    """
    if block[0] == "split":
        return any(may_cover((way.wrong,), block[1]) and may_cover(way.rest, block[2])
                   for way in assignments(requirement))  # fmt: skip
    trunk = block[-1]
    if trunk and never_covers(requirement):
        return False
    if block[0] == "exact":
        return _covers(requirement, ghosts=block[1], columns=block[2], trunk=trunk)
    levels = [level for group in requirement for level in group]
    room = len(levels) - (len(requirement) if trunk else 0)
    return max(levels, default=0) >= 2 or block[1].bit_count() <= room


def _covers(requirement: Requirement, ghosts: int, columns: tuple[int, ...], trunk: int) -> bool:
    """Try every way to put the ghosts into classes, the trunk into one class of each group."""
    levels = [level for group in requirement for level in group]
    start = [0] * len(levels)
    if not trunk:
        return _fill(ghosts, start, levels, columns)
    # A bit above all ghosts: the trunk is never on the wrong side, so no column has it.
    trunk_bit = 1 << ghosts.bit_length()
    groups = [at for at, group in enumerate(requirement) for _ in group]
    places = [[c for c in range(len(levels)) if groups[c] == at] for at in range(len(requirement))]
    return any(
        _fill(ghosts, [trunk_bit if c in chosen else 0 for c in range(len(levels))], levels, columns)
        for chosen in product(*places)
    )


def _fill(ghosts: int, classes: list[int], levels: list[int], columns: tuple[int, ...]) -> bool:
    """Say whether the ghosts can join the classes so that none has a tree of its level's depth."""
    if not ghosts:
        return True
    ghost = 1 << (ghosts.bit_length() - 1)
    for at, level in enumerate(levels):
        joined = classes[at] | ghost
        if not has_tree(columns, joined, level):
            if _fill(ghosts ^ ghost, [*classes[:at], joined, *classes[at + 1 :]], levels, columns):
                return True
    return False
