"""Requirements: what a set of ghosts must not be coverable by, and the algebra of the split lemma.

A *requirement* is a tuple of groups, a group a non-increasing tuple of levels >= 1; ``((2, 1), (2,))``
is written (2,1|2) in the docs. Ghosts F with trunk t are *covered* by it when F and t are the union of
classes, one per level, where the class of level l holds no l-tree and every group has a class with t in
it. Plans collect ghosts until no requirement of a set covers them. The set for (D|D), "however the
ghosts are split in two, a side together with t has a D-tree", is ``(((D,), (D,)),)``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import NamedTuple

Group = tuple[int, ...]
Requirement = tuple[Group, ...]
Requirements = tuple[Requirement, ...]
"""Sorted, canonical, and with no member that another one implies."""


class Assignment(NamedTuple):
    """One way in which classes can lose a level on either side of a separating point."""

    kept: tuple[int, ...]
    """How many classes of each kind (group, level) keep their level on the trunk's side."""
    wrong: Group
    """The levels left for the wrong side, where the trunk is not."""
    rest: Requirement
    """What is left for the trunk's side."""


def canonical(requirement: Iterable[Iterable[int]]) -> Requirement:
    """Sort groups and levels, and leave out classes of level 0 (they are empty).

    >>> canonical([[1, 0, 2], [3]])
    ((3,), (2, 1))
    """
    groups = (tuple(sorted((level for level in group if level > 0), reverse=True)) for group in requirement)
    return tuple(sorted(groups, reverse=True))


def top_level(requirement: Requirement) -> int:
    """Return the largest level."""
    return max(level for group in requirement for level in group)


def entries(requirement: Requirement) -> int:
    """Return the number of classes."""
    return sum(map(len, requirement))


def never_covers(requirement: Requirement) -> bool:
    """Say whether a group has no class left for the trunk: nothing is coverable then."""
    return not all(requirement)


def implies(weak: Requirement, strong: Requirement) -> bool:
    """Say whether covered by ``weak`` surely means covered by ``strong``: its groups embed in the other's."""

    def embed(index: int, free: tuple[Group, ...]) -> bool:
        return index == len(weak) or any(
            fits(weak[index], group) and embed(index + 1, free[:at] + free[at + 1 :]) for at, group in enumerate(free)
        )

    def fits(small: Group, large: Group) -> bool:
        return len(small) <= len(large) and all(a <= b for a, b in zip(small, large, strict=False))

    return embed(0, strong)


def hardest(requirements: Iterable[Requirement]) -> Requirements:
    """Keep the requirements that no other one implies: ghosts that refute these refute all.

    >>> hardest([((2,), (1,)), ((1,), (1,)), ((2,), ())])
    (((2,), (1,)),)
    """
    distinct = {canonical(requirement) for requirement in requirements}
    useful = [requirement for requirement in distinct if not never_covers(requirement)]
    return tuple(sorted(one for one in useful if not any(other != one and implies(one, other) for other in useful)))


def doubled(one_group: Requirements) -> Requirements:
    """Return all (q|q'): by the doubling lemma, refuting them makes one side of any split refute each q.

    >>> doubled((((2,),), ((1, 1),)))
    (((1, 1), (1, 1)), ((2,), (1, 1)), ((2,), (2,)))
    """
    groups = [requirement[0] for requirement in one_group]
    return hardest((left, right) for left in groups for right in groups)


def both_sides(dimension: int) -> Requirements:
    """Return the set of the requirement (D|D)."""
    return hardest([((dimension,), (dimension,))])


@cache
def assignments(requirement: Requirement) -> tuple[Assignment, ...]:
    """List what the two sides of a separating point would have to be covered by (token lemma).

    A class without an l-tree has no (l-1)-tree on one of the sides: it keeps its level on at most one.

    >>> [(a.wrong, a.rest) for a in assignments(((2,), (2,)))]
    [((2, 2), ((1,), (1,))), ((2, 1), ((2,), (1,))), ((2, 1), ((2,), (1,))), ((1, 1), ((2,), (2,)))]
    """
    kinds = [(at, level, group.count(level)) for at, group in enumerate(requirement) for level in sorted(set(group))]
    found = []
    for kept in product(*(range(count + 1) for _, _, count in kinds)):
        wrong: list[int] = []
        rest: list[list[int]] = [[] for _ in requirement]
        for (at, level, count), keeping in zip(kinds, kept, strict=True):
            rest[at] += [level] * keeping + [level - 1] * (count - keeping)
            wrong += [level - 1] * keeping + [level] * (count - keeping)
        found.append(Assignment(kept, canonical([wrong])[0], canonical(rest)))
    return tuple(found)
