"""Stages: follow the side that has a D-tree, else the plan; a mistake on a D-tree ends the stage.

The invariant (Lemma 1): the concepts that agree with the truth at the points that ended a stage have Littlestone
dimension <= D. So the two sides of a contested point never both have a D-tree, and in stage 0 no point is contested. A
violation proves that the class has dimension > d.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from adeptree.core.errors import MistakeBoundExceeded
from adeptree.ghost import ghost_plans
from adeptree.ghost.trees import has_tree

CONTESTED_AT_0 = "a contested point after its last stage"
TWO_TREES = "deep shattered trees on both sides of a point"
PLAN_FINISHED = "a finished plan with no shattered tree on either side"


class Stage(NamedTuple):
    """The stage of a history. Its ghosts are numbered in order of birth, without gaps."""

    dimension: int
    """D: the bound on the Littlestone dimension of the remaining concepts."""
    kept: int
    """Number of ghosts that are older than the stage; the plan's ghosts come after them."""
    plan: ghost_plans.Plan


class StageDecision(NamedTuple):
    """The prediction at a contested point, and whether a D-tree determines it."""

    label: int
    by_tree: bool


def too_small(d: int, met: str) -> MistakeBoundExceeded:
    """Return the error for a d below the Littlestone dimension of the class."""
    return MistakeBoundExceeded(
        f"Ghost(d={d}) met {met}, which proves that the Littlestone dimension of the class is more than {d} "
        f"(or that the oracle is wrong); take a larger d"
    )


def fresh_stage(dimension: int, kept: int = 0) -> Stage:
    """Return an initial stage; it keeps the ghosts that had the true label at the point that led to it.

    >>> fresh_stage(1)
    Stage(dimension=1, kept=0, plan=('collect', 1, 0))
    """
    return Stage(dimension, kept, ghost_plans.stage_plan(dimension))


def default_label(ghosts: int, ones: int) -> int:
    """Return the majority label of the ghosts, 0 on a tie; used where the proof allows both labels."""
    return int(2 * ones.bit_count() > ghosts)


def decide(d: int, stage: Stage, ghosts: int, ones: int, columns: Collection[int]) -> StageDecision:
    """Predict at a contested point.

    ``ghosts`` is their number, ``ones`` those with label 1 here. Each column is the set of ghosts (and, in the bit
    after the last ghost, the trunk) with label 1 at an earlier point.
    """
    if stage.dimension == 0:
        raise too_small(d, CONTESTED_AT_0)
    label = tree_label(d, stage.dimension, ghosts, ones, columns)
    if label is not None:
        return StageDecision(label, by_tree=True)
    return StageDecision(plan_label(d, stage.plan, ones >> stage.kept, default_label(ghosts, ones)), by_tree=False)


def tree_label(d: int, dimension: int, ghosts: int, ones: int, columns: Collection[int]) -> int | None:
    """Return the label whose ghosts together with the trunk have a D-tree, or None."""
    at0, at1 = tree_sides(dimension, ghosts, ones, columns)
    if at0 and at1:
        raise too_small(d, TWO_TREES)
    return int(at1) if at0 or at1 else None


def tree_sides(dimension: int, ghosts: int, ones: int, columns: Collection[int]) -> tuple[bool, bool]:
    """Return, for each label, True if its ghosts together with the trunk have a D-tree."""
    trunk = 1 << ghosts
    zeros = (trunk - 1) & ~ones
    return has_tree(columns, zeros | trunk, dimension), has_tree(columns, ones | trunk, dimension)


def plan_label(d: int, plan: ghost_plans.Plan, ones: int, default: int) -> int:
    """Return the plan's prediction; ``ones`` uses the plan's numbering."""
    if ghost_plans.finished(plan):
        raise too_small(d, PLAN_FINISHED)
    return ghost_plans.predict(plan, ones, default)


def after_plan_mistake(stage: Stage, ghosts: int, ones: int, predicted: int) -> Stage:
    """Return the stage after a mistake of the plan; the newborn ghost gets the number ``ghosts``."""
    newborn = ghosts - stage.kept
    return stage._replace(plan=ghost_plans.mistake(stage.plan, newborn, ones >> stage.kept, predicted))
