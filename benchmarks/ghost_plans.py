"""Search the cheapest covering plans of Ghost for D <= 4 (docs/theory/ghost.md, section 4), and write them down.

``python benchmarks/ghost_plans.py`` renews src/adeptree/ghost/covering_plans.json, which takes a few seconds: the
library looks plans up and searches nothing. The tests see to it that the file holds what the search finds.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from pathlib import Path

from adeptree.ghost.covering_plans import (
    Assignment,
    Blueprint,
    Collect,
    Group,
    Requirement,
    Requirements,
    Vote,
    assignments,
    both_sides,
    canonical,
    never_covers,
)

WRITTEN = Path(__file__).parents[1] / "src" / "adeptree" / "ghost" / "covering_plans.json"
LARGEST = 4
"""Beyond, recursive majority is used: searching covering plans takes too long."""
SMALL = 4
"""Up to this many classes (in at most two requirements), every division of the work is tried."""


Division = tuple[Requirements, Requirements]
"""Requirements of the wrong side and of the rest, which together refute the whole."""


def top_level(requirement: Requirement) -> int:
    """Return the largest level."""
    return max(level for group in requirement for level in group)


def entries(requirement: Requirement) -> int:
    """Return the number of classes."""
    return sum(map(len, requirement))


def implies(weak: Requirement, strong: Requirement) -> bool:
    """Return True if covered by ``weak`` implies covered by ``strong``: its groups embed in the other's."""

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


@cache
def cheapest(requirements: Requirements) -> tuple[int, Blueprint]:
    """Return the cheapest plan that the search finds for the requirements, and its cost in mistakes."""
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
            yield cheapest(family)[0] + 1 + cheapest(rest)[0], Vote(family, wrong, rest)


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


def needed() -> dict[Requirements, Blueprint]:
    """Return the plans of all (D|D), and of whatever these need."""
    todo = [both_sides(D) for D in range(LARGEST + 1)]
    found: dict[Requirements, Blueprint] = {}
    while todo:
        requirements = todo.pop()
        if requirements not in found:
            plan = found[requirements] = cheapest(requirements)[1]
            todo += [plan.family, plan.rest] if isinstance(plan, Vote) else []
    return found


def text() -> str:
    """Return the file: a line for each set of requirements, with what its plan does."""
    lines = ",\n".join(json.dumps([requirements, plan]) for requirements, plan in sorted(needed().items()))
    return f"[\n{lines}\n]\n"


if __name__ == "__main__":
    (Path(sys.argv[1]) if len(sys.argv) > 1 else WRITTEN).write_text(text(), encoding="utf-8")
