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

from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import Any, NamedTuple

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


def never_covers(requirement: Requirement) -> bool:
    """Say whether a group has no class left for the trunk: nothing is coverable then."""
    return not all(requirement)


def both_sides(dimension: int) -> Requirements:
    """Return the set of the requirement (D|D); there is none for D = 0."""
    return (((dimension,), (dimension,)),) if dimension else ()


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


class Collect(NamedTuple):
    """Collect so many ghosts."""

    ghosts: int


class Vote(NamedTuple):
    """Build a family, vote with it until its vote is wrong, go on with the rest."""

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
    """Return what the cheapest plan known for the requirements does: of (D|D) up to D = 4, and all that these need.

    >>> blueprint((((1,), (1,)),))
    Collect(ghosts=1)
    >>> blueprint((((3,), (3,)),))[1]
    (((2, 2),),)
    """
    return _known()[requirements]


@cache
def _known() -> dict[Requirements, Blueprint]:
    """Return the plans that ``benchmarks/ghost_plans.py`` has found: one search, for everybody."""
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
