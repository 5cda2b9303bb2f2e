"""The cheapest covering plans: how many mistakes refute a set of requirements, and in which order.

A blueprint says what a plan does:

* ``Collect(ghosts)``: all levels are 1, where n classes in G groups hold at most n - G ghosts; any
  n - G + 1 ghosts refute them, whatever was predicted.
* ``Vote(family, wrong, rest)``: refute ``family`` = doubled(``wrong``); then predict the label whose
  holders refute ``wrong`` until that is a mistake (doubling lemma: there is such a label); then refute
  ``rest`` with fresh ghosts, all of which are right at that point (split lemma).

A *requirement* is a tuple of groups, a group a non-increasing tuple of levels >= 1; ``((2, 1), (2,))``
is written (2,1|2) in the docs. Ghosts F with trunk t are *covered* by it when F and t are the union of
classes, one per level, where the class of level l holds no l-tree and every group has a class with t in
it. Plans collect ghosts until no requirement of a set covers them. The set for (D|D), "however the
ghosts are split in two, a side together with t has a D-tree", is ``(((D,), (D,)),)``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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


SMALL = 4
"""Up to this many classes (in at most two requirements), every division of the work is tried."""


class Collect(NamedTuple):
    """Collect so many ghosts."""

    ghosts: int


class Vote(NamedTuple):
    """Build a family, vote with it until its vote is wrong, go on with the rest."""

    family: Requirements
    wrong: Requirements
    rest: Requirements


Blueprint = Collect | Vote
Division = tuple[Requirements, Requirements]
"""What the wrong side must refute, and what the rest must, so that together they refute the whole."""


def cost(requirements: Requirements) -> int:
    """Return the number of mistakes after which the plan has refuted the requirements.

    >>> cost((((1,), (1,)),)), cost((((3,), (3,)),))
    (1, 57)
    """
    return _cheapest(requirements)[0]


def blueprint(requirements: Requirements) -> Blueprint:
    """Return what the cheapest plan known for the requirements does.

    >>> blueprint((((1,), (1,)),))
    Collect(ghosts=1)
    >>> blueprint((((3,), (3,)),))[1]
    (((2, 2),),)
    """
    return _cheapest(requirements)[1]


@cache
def _cheapest(requirements: Requirements) -> tuple[int, Blueprint]:
    if not requirements:
        return 0, Collect(0)
    if max(map(top_level, requirements)) == 1:
        count = max(entries(requirement) - len(requirement) + 1 for requirement in requirements)
        return count, Collect(count)
    return min(_votes(requirements))


def _votes(requirements: Requirements) -> Iterator[tuple[int, Vote]]:
    """Price every division that makes progress: both parts must be strictly easier than the whole."""
    top = max(map(top_level, requirements))
    for wrong, rest in sorted(set(_divisions(requirements))):
        family = doubled(wrong)
        easier = wrong and max(map(top_level, wrong)) < top
        if easier and rest != requirements and family != requirements:
            yield cost(family) + 1 + cost(rest), Vote(family, wrong, rest)


def _divisions(requirements: Requirements) -> Iterator[Division]:
    top = max(map(top_level, requirements))
    for threshold in range(top, 0, -1):
        yield _threshold_division(requirements, threshold)
    small = len(requirements) <= 2 and all(entries(requirement) <= SMALL for requirement in requirements)
    if small and (top <= 2 or len(requirements) == 1):
        for choice in product(*map(_all_divisions, requirements)):
            wrong = hardest(one for part in choice for one in part[0])
            yield wrong, hardest(one for part in choice for one in part[1])


def _threshold_division(requirements: Requirements, threshold: int) -> Division:
    """Let the wrong side refute the assignment where exactly the levels >= threshold are lowered on it.

    Every other assignment lowers such a level on the trunk's side, and is left to the rest.
    """
    wrong: list[Requirement] = []
    rest: list[Requirement] = []
    for requirement in requirements:
        if top_level(requirement) < threshold:
            rest.append(requirement)
            continue
        wrong.append((tuple(level - (level >= threshold) for group in requirement for level in group),))
        for at, group in enumerate(requirement):
            for place, level in enumerate(group):
                if level >= threshold:
                    lowered = (*group[:place], level - 1, *group[place + 1 :])
                    rest.append(canonical((*requirement[:at], lowered, *requirement[at + 1 :])))
    return hardest(wrong), hardest(rest)


@cache
def _all_divisions(requirement: Requirement) -> tuple[Division, ...]:
    """List every division of one requirement's assignments, and "leave it to the rest"."""
    ways = [way for way in assignments(requirement) if not never_covers(way.rest)]
    forced_rest = [way for way in ways if max(way.wrong, default=0) >= top_level(requirement)]
    forced_wrong = [way for way in ways if way.rest == requirement]
    found: list[Division] = [((), (requirement,))]
    if not any(way in forced_rest for way in forced_wrong):
        free = [way for way in ways if way not in forced_rest and way not in forced_wrong]
        for chosen in _down_sets(sorted(free, key=lambda way: sum(way.kept))):
            rest = [*forced_rest, *chosen]
            wrong = hardest((way.wrong,) for way in ways if way not in rest)
            found.append((wrong, hardest(way.rest for way in rest)))
    return tuple(found)


def _down_sets(ways: list[Assignment]) -> Iterator[list[Assignment]]:
    """List the sets with everything below each member: who refutes a harder way refutes the easier ones."""
    if not ways:
        yield []
        return
    *lower, last = ways
    for chosen in _down_sets(lower):
        yield chosen
        if all(way in chosen for way in lower if _below(way, last)):
            yield [*chosen, last]


def _below(one: Assignment, other: Assignment) -> bool:
    return all(a <= b for a, b in zip(one.kept, other.kept, strict=True))
