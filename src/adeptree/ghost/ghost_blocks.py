"""Blocks: how the ghosts of a plan are separated from each other, and what cannot cover them.

A block is data, a nested tuple (ghosts are bits of an int):

* ``("flat", ghosts, trunk)``: functions of which every two differ, nothing more is known;
* ``("split", wrong, rest)``: one point has the wrong label on the block ``wrong`` and the right one on
  the block ``rest``.

``trunk`` (0 or 1) says whether the trunk, the true history itself, counts as a member. Only the
innermost ``rest`` can have it.
"""

from __future__ import annotations

from typing import Any

from adeptree.ghost.requirements import Requirement, Requirements, assignments, never_covers

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
    kind, ghosts, trunk = block
    return (kind, ghosts & side | (newborn if trunk else 0), 0)


def refutes(block: Block, requirements: Requirements) -> bool:
    """Say whether it is proved that none of the requirements covers the block."""
    return not any(may_cover(requirement, block) for requirement in requirements)


def may_cover(requirement: Requirement, block: Block) -> bool:
    """Say whether the requirement may cover the block; False is a proof that it does not (split lemma).

    >>> may_cover(((1,), (1,)), ("flat", 0b1, 1)), may_cover(((1, 1), (1,)), ("flat", 0b1, 1))
    (False, True)
    """
    if block[0] == "split":
        return any(
            may_cover((way.wrong,), block[1]) and may_cover(way.rest, block[2]) for way in assignments(requirement)
        )
    trunk = block[-1]
    if trunk and never_covers(requirement):
        return False
    levels = [level for group in requirement for level in group]
    room = len(levels) - (len(requirement) if trunk else 0)
    return max(levels, default=0) >= 2 or block[1].bit_count() <= room
