"""The cheapest covering plans: the steps of a plan, and the number of mistakes that refute requirements.

A blueprint defines the steps of a plan:

* ``Collect(ghosts)``: all levels are 1, where n classes in G groups hold at most n - G ghosts; any n - G + 1 ghosts
  refute them, whatever the predictions were.
* ``Vote(family, wrong, rest)``: refute ``family`` = doubled(``wrong``); then predict the label whose
  holders refute ``wrong`` until that is a mistake (doubling lemma: there is such a label); then refute
  ``rest`` with fresh ghosts, all of which are right at that point (split lemma).

A *requirement* is a tuple of groups, a group a non-increasing tuple of levels >= 1; ``((2, 1), (2,))`` is written
(2,1|2) in the docs. Ghosts F with trunk t are *covered* by it when F and t are the union of classes, one per level,
where the class of level l holds no l-tree and every group has a class with t in it. Plans collect ghosts until no
requirement of a set covers them. For (D|D), "in every split of the ghosts in two, one side together with t has a
D-tree", the set is ``(((D,), (D,)),)``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import Any, NamedTuple

Group = tuple[int, ...]
Requirement = tuple[Group, ...]
Requirements = tuple[Requirement, ...]
"""A set of requirements: sorted, canonical, and without members that others imply."""


class Assignment(NamedTuple):
    """One way in which classes can lose a level on either side of a separating point."""

    kept: tuple[int, ...]
    """Number of classes of each kind (group, level) that keep their level on the trunk's side."""
    wrong: Group
    """The remaining levels on the wrong side, without the trunk."""
    rest: Requirement
    """The remaining requirement on the trunk's side."""


def canonical(requirement: Iterable[Iterable[int]]) -> Requirement:
    """Sort groups and levels, and drop classes of level 0 (they are empty).

    >>> canonical([[1, 0, 2], [3]])
    ((3,), (2, 1))
    """
    groups = (tuple(sorted((level for level in group if level > 0), reverse=True)) for group in requirement)
    return tuple(sorted(groups, reverse=True))


def never_covers(requirement: Requirement) -> bool:
    """Return True if a group has no class left for the trunk, so that no set is covered."""
    return not all(requirement)


def both_sides(dimension: int) -> Requirements:
    """Return the set of the requirement (D|D); there is none for D = 0."""
    return (((dimension,), (dimension,)),) if dimension else ()


@cache
def assignments(requirement: Requirement) -> tuple[Assignment, ...]:
    """List the requirements that would have to cover the two sides of a separating point (token lemma).

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


class Collect(NamedTuple):
    """Collect this number of ghosts."""

    ghosts: int


class Vote(NamedTuple):
    """Build a family, vote with it until its vote is wrong, and continue with the rest."""

    family: Requirements
    wrong: Requirements
    rest: Requirements


Blueprint = Collect | Vote


def cost(requirements: Requirements) -> int:
    """Return the number of mistakes after which the plan has refuted the requirements.

    >>> cost((((1,), (1,)),)), cost((((3,), (3,)),))
    (1, 57)
    """
    todo = blueprint(requirements)
    return todo.ghosts if isinstance(todo, Collect) else cost(todo.family) + 1 + cost(todo.rest)


def blueprint(requirements: Requirements) -> Blueprint:
    """Return the first step of the cheapest known plan for the requirements: (D|D) up to D = 4, and their parts.

    >>> blueprint((((1,), (1,)),))
    Collect(ghosts=1)
    >>> blueprint((((3,), (3,)),))[1]
    (((2, 2),),)
    """
    return _known()[requirements]


@cache
def _known() -> dict[Requirements, Blueprint]:
    """Return the plans that ``benchmarks/ghost_plans.py`` has found; the search runs only once."""
    import json
    from importlib import resources

    text = resources.files(__package__).joinpath("covering_plans.json").read_text(encoding="utf-8")
    found = as_tuples(json.loads(text))
    return {requirements: Collect(*plan) if len(plan) == 1 else Vote(*plan) for requirements, plan in found}


def as_tuples(value: Any) -> Any:
    """Return nested lists as nested tuples (a file knows only lists).

    >>> as_tuples(["collect", 1, [0]])
    ('collect', 1, (0,))
    """
    return tuple(map(as_tuples, value)) if isinstance(value, (list, tuple)) else value
