"""Majority with pruning: an oracle-only learner without stages, whose bound is smaller from d = 15 on.

A level-0 block is one ghost, a level-j family is 15 blocks of level j-1; when the majority of a family is
wrong, half of it, on the wrong side, becomes a block of level j. A family of level 2d has so many
ghosts that it must hold a (d+1)-tree, which the class does not have (``docs/ghost.md``, section 6). The plan is
``("pruned", finished, families)`` with families[j] = the blocks of level j (ints of ghosts) so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_

from adeptree.ghost.ghost_learner import Answers, Ghost, History
from adeptree.ghost.plans import Plan
from adeptree.ghost.stages import PLAN_FINISHED, Decision, Stage, default_label, too_small
from adeptree.roles.base_learner import PerPath, RowLearner
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.frontier import Frontier

BLOCKS = 15
"""Blocks per family."""


@dataclass(frozen=True)
class MajorityWithPruning(Ghost):
    """The learner on single histories, by weak-consistency queries; on a frontier it runs path by path, and asks too.

    >>> MajorityWithPruning(15), MajorityWithPruning(1).mistake_bound
    (MajorityWithPruning(d=15), 241)
    """

    @property
    def mistake_bound(self) -> int:
        """(15/14) 225^d."""
        return int(BLOCKS * 225**self.d) // 14

    def spec(self, concept_class: ConceptClass) -> str | None:  # type: ignore[override]
        """Return nothing: its states are not saved."""
        return None

    def rows(self, frontier: Frontier) -> RowLearner:
        """Run it path by path."""
        return PerPath(self)

    def start(self) -> History:
        """Return the empty history."""
        return History((), (), (), Stage(self.d, 0, pruned(self.d)))

    def _decide(self, state: History, answers: Answers) -> Decision:
        plan = state.stage.plan
        if finished(plan):
            raise too_small(self.d, PLAN_FINISHED)
        default = default_label(len(state.ghosts), answers.ones)
        return Decision(predict(plan, answers.ones, default), by_tree=False)

    def _after_plan(self, stage: Stage, ghosts: int, ones: int, predicted: int) -> Stage:
        return stage._replace(plan=mistake(stage.plan, ghosts, ones, predicted))


def pruned(d: int) -> Plan:
    """Return the plan for dimension d before any mistake; without any dimension there is nothing to collect."""
    return ("pruned", int(d == 0), ((),) * (2 * d))


def finished(plan: Plan) -> bool:
    """Say whether the family of the highest level is full."""
    return bool(plan[1])


def predict(plan: Plan, ones: int, default: int) -> int:
    """Return the majority of the family that waits for its mistake, the default while one is being built."""
    level = _waiting(plan)
    if level is None:
        return default
    family = _union(plan[2][level])
    return int(2 * (family & ones).bit_count() > family.bit_count())


def mistake(plan: Plan, ghost: int, ones: int, predicted: int) -> Plan:
    """Return the plan after a mistake that bore the ghost of that number."""
    name, _, families = plan
    level = _waiting(plan)
    if level is None:
        block, level = 1 << ghost, -1
    else:
        family = _union(families[level])
        block = _lowest(family & (ones if predicted else ~ones), (family.bit_count() + 1) // 2)
        families = (*families[:level], (), *families[level + 1 :])
    level += 1
    families = (*families[:level], (*families[level], block), *families[level + 1 :])
    return (name, int(len(families[-1]) == BLOCKS), families)


def _waiting(plan: Plan) -> int | None:
    return next((level for level, blocks in enumerate(plan[2]) if len(blocks) == BLOCKS), None)


def _union(blocks: tuple[int, ...]) -> int:
    return reduce(or_, blocks, 0)


def _lowest(members: int, count: int) -> int:
    """Return the ``count`` members with the lowest numbers."""
    kept = 0
    for _ in range(count):
        kept |= members & -members
        members &= members - 1
    return kept
