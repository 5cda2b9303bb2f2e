"""The cheapest covering plans: how many mistakes refute a set of requirements, and in which order.

A blueprint says what a plan does:

* ``Collect(ghosts)``: all levels are 1, where n classes in G groups hold at most n - G ghosts; any
  n - G + 1 ghosts refute them, whatever was predicted.
* ``Vote(family, wrong, rest)``: refute ``family`` = doubled(``wrong``); then predict the label whose
  holders refute ``wrong`` until that is a mistake (doubling lemma: there is such a label); then refute
  ``rest`` with fresh ghosts, all of which are right at that point (split lemma).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from adeptree.ghost.requirements import (
    Assignment,
    Requirement,
    Requirements,
    assignments,
    canonical,
    doubled,
    entries,
    hardest,
    never_covers,
    top_level,
)

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
