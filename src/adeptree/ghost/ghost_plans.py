"""Plans: the ghosts that a stage collects, until every split of them has a side with a D-tree.

A plan is data, a nested tuple of ints and strings, and every function here is pure. So siblings share plans, equal
plans are equal values, and plans are saved unchanged. The plan's ghosts are numbered 0, 1,
... in order of birth; ``ones`` is the int of the ghosts with label 1 at the point in question.

* ``("collect", count, ghosts)``
* ``("exact", columns)``: a position of the (2|2) game, for D = 2 (:mod:`adeptree.ghost.two_two_game`);
* ``("vote", requirements, family plan, wrong block or None, rest plan or None)``;
* ``("robust", ...)``, see :mod:`adeptree.ghost.majority`.

A block is data, a nested tuple (ghosts are bits of an int):

* * ``("flat", ghosts, trunk)``: functions that are pairwise different, with no further structure;
* ``("split", wrong, rest)``: one point has the wrong label on the block ``wrong`` and the right one on
  the block ``rest``.

``trunk`` is 1 if the trunk, the true history itself, is a member. Only the innermost ``rest`` can have it.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from adeptree.ghost import covering_plans, majority
from adeptree.ghost import two_two_game as exact

Plan = tuple[Any, ...]
Block = tuple[Any, ...]

COVERING_PLANS_UP_TO = 4
"""Largest dimension with covering plans, whose search takes too long beyond it: recursive majority takes over."""
REMEMBERED = 1 << 17
"""Size of the caches of predictions and successors of plans, which many rows of a frontier share."""


def stage_bound(dimension: int) -> int:
    """Return T(D): after this number of plan mistakes in the stage of dimension D, (D|D) holds.

    >>> [stage_bound(dimension) for dimension in range(1, 6)]
    [1, 6, 57, 944, 38618]
    """
    if dimension == 2:
        return exact.MISTAKES
    if dimension <= COVERING_PLANS_UP_TO:
        return covering_plans.cost(covering_plans.both_sides(dimension))
    return majority.robust_cost(dimension, 1)


@cache
def mistake_bound(d: int) -> int:
    """Return M(d), the number of mistakes that ``Ghost(d)`` never exceeds if the class has Ldim <= d.

    It is the sum of T(D) + 1 over the stages D = d, ..., 1: each ends with its one SOA mistake.

    >>> [mistake_bound(d) for d in range(6)]
    [0, 2, 9, 67, 1012, 39631]
    """
    return 0 if d == 0 else stage_bound(d) + 1 + mistake_bound(d - 1)


def stage_plan(dimension: int) -> Plan:
    """Return the initial plan of a stage of this dimension.

    >>> stage_plan(1), stage_plan(2)
    (('collect', 1, 0), ('exact', ()))
    """
    if dimension == 2:
        return ("exact", ())
    if dimension > COVERING_PLANS_UP_TO:
        return majority.robust(dimension, 1)
    return plan_for(covering_plans.both_sides(dimension))


def plan_for(requirements: covering_plans.Requirements) -> Plan:
    """Return the covering plan that refutes the requirements."""
    todo = covering_plans.blueprint(requirements)
    if isinstance(todo, covering_plans.Collect):
        return ("collect", todo.ghosts, 0)
    return ("vote", requirements, plan_for(todo.family), None, None)


def finished(plan: Plan) -> bool:
    """Return True if the plan has reached its goal.

    >>> finished(mistake(stage_plan(1), 0, ones=0, predicted=0))
    True
    """
    kind = plan[0]
    if kind == "collect":
        return bool(plan[2].bit_count() >= plan[1])
    if kind == "exact":
        return exact.won(plan[1])
    if kind == "vote":
        return plan[4] is not None and finished(plan[4])
    return majority.robust_finished(plan)


@lru_cache(REMEMBERED)
def predict(plan: Plan, ones: int, default: int) -> int:
    """Return the label to predict; ``default`` if the plan allows both."""
    kind = plan[0]
    if kind == "collect":
        return default
    if kind == "exact":
        return exact.predict(plan[1], ones)
    if kind == "vote":
        return _vote(plan, ones, default)
    return majority.robust_predict(plan, ones, default)


@lru_cache(REMEMBERED)
def mistake(plan: Plan, ghost: int, ones: int, predicted: int) -> Plan:
    """Return the plan after a wrong prediction that created ghost number ``ghost``."""
    kind = plan[0]
    if kind == "collect":
        return (kind, plan[1], plan[2] | 1 << ghost)
    if kind == "exact":
        return (kind, exact.after(plan[1], ones if predicted else ~ones))
    if kind == "vote":
        return _vote_mistake(plan, ghost, ones, predicted)
    return majority.robust_mistake(plan, ghost, ones, predicted)


def _vote(plan: Plan, ones: int, default: int) -> int:
    """Predict for the family, then for the side of it that refutes ``wrong``, then for the rest."""
    _, requirements, family, wrong, rest = plan
    if not finished(family):
        return predict(family, ones, default)
    if wrong is not None:
        return predict(rest, ones, default)
    block = _block(family)
    ghosts = ghosts_of(block)
    newborn = 1 << ghosts.bit_length()
    holders = (ghosts & ~ones, ghosts & ones)
    votes = [
        (holders[label].bit_count(), label == default, label)
        for label in (0, 1)
        if refutes(wrong_side(block, holders[label], newborn), _todo(requirements).wrong)
    ]
    return max(votes)[2]


def _vote_mistake(plan: Plan, ghost: int, ones: int, predicted: int) -> Plan:
    kind, requirements, family, wrong, rest = plan
    if not finished(family):
        return (kind, requirements, mistake(family, ghost, ones, predicted), None, None)
    if wrong is not None:
        return (kind, requirements, family, wrong, mistake(rest, ghost, ones, predicted))
    wrong = wrong_side(_block(family), ones if predicted else ~ones, 1 << ghost)
    rest = plan_for(_todo(requirements).rest)
    # The family is finished, so only this fact is kept.
    return (kind, requirements, ("collect", 0, 0), wrong, rest)


def _todo(requirements: covering_plans.Requirements) -> covering_plans.Vote:
    todo = covering_plans.blueprint(requirements)
    if not isinstance(todo, covering_plans.Vote):
        raise TypeError(f"the requirements {requirements} are not refuted by a vote")
    return todo


def _block(plan: Plan) -> Block:
    """Return the block that a finished plan has built, including the trunk."""
    if plan[0] == "collect":
        return ("flat", plan[2], 1)
    return ("split", plan[3], _block(plan[4]))


def ghosts_of(block: Block) -> int:
    """Return the ghosts of a block.

    >>> ghosts_of(("split", ("flat", 0b011, 0), ("flat", 0b100, 1)))
    7
    """
    if block[0] == "split":
        return ghosts_of(block[1]) | ghosts_of(block[2])
    return int(block[1])


def wrong_side(block: Block, side: int, newborn: int) -> Block:
    """Return the ghosts of the block that are in ``side``, with the ghost ``newborn`` in place of the trunk.

    The newborn is the trunk's copy with the wrong label: it equals the trunk on all earlier points.

    >>> wrong_side(("flat", 0b011, 1), 0b010, 0b100)
    ('flat', 6, 0)
    """
    if block[0] == "split":
        return ("split", wrong_side(block[1], side, newborn), wrong_side(block[2], side, newborn))
    kind, ghosts, trunk = block
    return (kind, ghosts & side | (newborn if trunk else 0), 0)


def refutes(block: Block, requirements: covering_plans.Requirements) -> bool:
    """Return True if it is proved that no requirement covers the block."""
    return not any(may_cover(requirement, block) for requirement in requirements)


def may_cover(requirement: covering_plans.Requirement, block: Block) -> bool:
    """Return True if the requirement may cover the block; False proves that it does not (split lemma).

    >>> may_cover(((1,), (1,)), ("flat", 0b1, 1)), may_cover(((1, 1), (1,)), ("flat", 0b1, 1))
    (False, True)
    """
    if block[0] == "split":
        return any(
            may_cover((way.wrong,), block[1]) and may_cover(way.rest, block[2])
            for way in covering_plans.assignments(requirement)
        )
    trunk = block[-1]
    if trunk and covering_plans.never_covers(requirement):
        return False
    levels = [level for group in requirement for level in group]
    room = len(levels) - (len(requirement) if trunk else 0)
    return max(levels, default=0) >= 2 or block[1].bit_count() <= room
