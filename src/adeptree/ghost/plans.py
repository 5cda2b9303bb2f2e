"""Plans: which ghosts a stage collects, until every split of them has a side with a D-tree.

A plan is data, a nested tuple of ints and strings, and every function here is pure: siblings share
it, equal plans are equal values, and it can be saved as it is. The plan's ghosts are numbered 0, 1,
... in order of birth; ``ones`` is the int of the ghosts with label 1 at the point in question.

* ``("collect", count, ghosts)``
* ``("exact", columns)``: a position of the (2|2) game, for D = 2 (:mod:`adeptree.ghost.two_of_two`);
* ``("vote", requirements, family plan, wrong block or None, rest plan or None)``;
* ``("robust", ...)``, see :mod:`adeptree.ghost.majority`.
"""

from __future__ import annotations

from typing import Any

from adeptree.ghost import majority
from adeptree.ghost import two_of_two as exact
from adeptree.ghost.blueprints import Collect, Vote, blueprint
from adeptree.ghost.ghost_blocks import Block, ghosts_of, refutes, wrong_side
from adeptree.ghost.ghost_bounds import COVERING_PLANS_UP_TO
from adeptree.ghost.requirements import Requirements, both_sides

Plan = tuple[Any, ...]


def stage_plan(dimension: int) -> Plan:
    """Return the plan of a fresh stage of that dimension.

    >>> stage_plan(1), stage_plan(2)
    (('collect', 1, 0), ('exact', ()))
    """
    if dimension == 2:
        return ("exact", ())
    if dimension > COVERING_PLANS_UP_TO:
        return majority.robust(dimension, 1)
    return plan_for(both_sides(dimension))


def plan_for(requirements: Requirements) -> Plan:
    """Return the covering plan that refutes the requirements."""
    todo = blueprint(requirements)
    if isinstance(todo, Collect):
        return ("collect", todo.ghosts, 0)
    return ("vote", requirements, plan_for(todo.family), None, None)


def finished(plan: Plan) -> bool:
    """Say whether the plan has what it wanted.

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


def predict(plan: Plan, ones: int, default: int) -> int:
    """Return the label to predict; ``default`` where the plan does not care."""
    kind = plan[0]
    if kind == "collect":
        return default
    if kind == "exact":
        return exact.predict(plan[1], ones)
    if kind == "vote":
        return _vote(plan, ones, default)
    return majority.robust_predict(plan, ones, default)


def mistake(plan: Plan, ghost: int, ones: int, predicted: int) -> Plan:
    """Return the plan after the wrong prediction at whose point ghost number ``ghost`` was born."""
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
    # The family has done its work: what is kept is only that it is finished.
    return (kind, requirements, ("collect", 0, 0), wrong, rest)


def _todo(requirements: Requirements) -> Vote:
    todo = blueprint(requirements)
    if not isinstance(todo, Vote):
        raise TypeError(f"the requirements {requirements} are not refuted by a vote")
    return todo


def _block(plan: Plan) -> Block:
    """Return the block that a finished plan has built, with the trunk in it."""
    if plan[0] == "collect":
        return ("flat", plan[2], 1)
    return ("split", plan[3], _block(plan[4]))
