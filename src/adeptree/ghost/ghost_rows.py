"""The ghost learner on all rows of a frontier at once, without oracle queries.

A ghost of a path is a realizable labelling of the same points, so it is another row of the frontier, given by its
number. The frontier's split contains its label at a point. Children with the label that ghosts prefer (0, or 1 if 0 is
denied) keep their parents' numbers, so a ghost's number never changes while no row is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from adeptree.core.types import BoolArray, Instance, IntArray, LabelArray
from adeptree.ghost.covering_plans import as_tuples
from adeptree.ghost.ghost_plans import Plan, mistake, stage_plan
from adeptree.ghost.ghost_stages import CONTESTED_AT_0, TWO_TREES, plan_label, too_small, tree_sides
from adeptree.ghost.saved_ghosts import check_ghosts, packed_labels
from adeptree.ghost.trees import columns_of
from adeptree.oracles.oracle_frontier import TABLES, regrown
from adeptree.roles.base_learner import RowLearner
from adeptree.roles.frontier import Children, Split
from adeptree.theory.bit_tables import mask, masks

NONE = -1
"""Marks an empty entry in arrays of row numbers."""
FIRST_D = 1
"""The first assumed dimension if none is given: with 0 there is nothing to learn."""


@dataclass(frozen=True)
class GhostRound:
    """The decisions on the contested rows at one point."""

    x: Instance
    step: LabelArray
    """The label of every row as a ghost: 0 if it can take it, else 1."""
    rows: IntArray
    """The contested rows, to which the following fields refer."""
    count: IntArray
    """Number of ghosts of each row; they fill its first entries."""
    ones: BoolArray
    """``ones[i, j]``: the j-th ghost of row ``rows[i]`` takes label 1."""
    label: BoolArray
    by_tree: BoolArray
    d: IntArray
    """For each row, the dimension that is not refuted, including this point."""
    again: BoolArray
    """Rows whose dimension increased: their stage begins with the present ghosts."""

    @cached_property
    def masks(self) -> list[int]:
        """Return each line of ``ones`` as an int."""
        return masks(self.ones)


class GhostRows(RowLearner):
    """Ghost(d) with, for every row, its stage's dimension, its ghosts (row numbers) and its plan.

    Without d every row has a separate dimension, which is refuted row by row. Dropping rows (mistake pruning) voids the
    mistake bound, because a dropped row may be another row's ghost; a row that loses a ghost restarts the plan of its
    stage with the remaining ones.
    """

    GROWS = ("_plans", "_numbers")

    def __init__(self, d: int | None) -> None:
        self.d = d
        first = FIRST_D if d is None else d
        self._assumed: IntArray = np.full(1, first, dtype=np.int64)
        self._dimension: IntArray = np.full(1, first, dtype=np.int64)
        self._kept: IntArray = np.zeros(1, dtype=np.int64)
        self._ghosts: IntArray = np.full((1, 1), NONE, dtype=np.int64)
        self._plan: IntArray = np.zeros(1, dtype=np.int64)
        self._plans: list[Plan] = []
        self._numbers: dict[Plan, int] = {}
        """The distinct plans; ``_plan`` holds the plan number of each row."""
        self._number(stage_plan(first))
        self._labels = TABLES.LabelTable(1, 0, b"")
        """The labels of the rows, without points whose column is constant or a copy of an earlier one."""
        self._round: GhostRound | None = None

    def parts(self) -> list[Any]:
        """Return the object and its table of labels."""
        return [self, self._labels]

    def predict(self, split: Split) -> BoolArray:
        """Return the only label of a forced row, and the decision on a contested one."""
        self._round = self._decide(split)
        labels = ~split.can0
        labels[self._round.rows] = self._round.label
        return labels

    def grow(self, children: Children) -> None:
        """Give every child its parent's state, and the mistaken ones a ghost or the next stage."""
        now = self._round_of(children)
        contested = len(now.rows) > 0
        complete = len(children.parent) == children.parents + len(now.rows)
        if self._needs_labels and (contested or not complete or self._is_new(children.label)):
            new = children.label if contested or self._is_new(children.label) else None
            self._labels = regrown(self._labels, children.parent, new, complete)
        if contested or not complete:
            parent = children.parent
            rows = self._assumed, self._dimension, self._kept, self._plan
            self._assumed, self._dimension, self._kept, self._plan = (one[parent] for one in rows)
            if len(self._plans) > 8 * len(parent):  # most rows share their plan
                self._renumber()
            lost = self._follow(children, now, complete)
            self._learn(children, now, lost)
            if not complete:
                self._restart(lost.nonzero()[0])
        self._round = None

    def state(self) -> dict[str, Any]:
        """Return the arrays, and the distinct plans as nested tuples."""
        self._renumber()
        return {
            "d": self._assumed if self.d is None else self.d,
            "dimension": self._dimension,
            "kept": self._kept,
            "ghosts": self._ghosts,
            "plan": self._plan,
            "plans": list(self._plans),
            "points": self._labels.points,
            "labels": packed_labels(self._labels),
        }

    def restore(self, state: dict[str, Any], width: int) -> None:
        """Restore a saved state, after checking its ghosts and plans."""
        check_ghosts(state, width)
        self.d = None if np.ndim(state["d"]) else int(state["d"])
        self._assumed = np.zeros(width, dtype=np.int64) + state["d"]
        self._dimension = np.array(state["dimension"], dtype=np.int64)
        self._kept = np.array(state["kept"], dtype=np.int64)
        self._ghosts = np.array(state["ghosts"], dtype=np.int64)
        self._plan, self._plans = state["plan"], [as_tuples(plan) for plan in state["plans"]]
        self._renumber()
        labels = np.unpackbits(state["labels"], axis=1, count=int(state["points"]), bitorder="little")
        self._labels = TABLES.LabelTable(*labels.shape, labels.tobytes())
        self._round = None

    @property
    def _needs_labels(self) -> bool:
        """Return True if trees must be searched: for d > 1, because any two rows form a 1-tree."""
        return self.d is None or self.d >= 2

    def _is_new(self, label: BoolArray) -> bool:
        """Return True if a column without contested rows is new and not constant."""
        known = {0, mask(np.ones_like(label)), *map(self._labels.column, range(self._labels.points))}
        return mask(label) not in known

    def _number(self, plan: Plan) -> int:
        """Return the number of a plan; assign one if it is new."""
        number = self._numbers.setdefault(plan, len(self._plans))
        if number == len(self._plans):
            self._plans.append(plan)
        return number

    def _renumber(self) -> None:
        """Drop plans that no row uses, and number the others in the order of the rows."""
        plans, (numbers, first, self._plan) = self._plans, np.unique(self._plan, return_index=True, return_inverse=True)
        order = np.argsort(first)
        self._plans = [plans[number] for number in numbers[order].tolist()]
        self._numbers = {plan: number for number, plan in enumerate(self._plans)}
        self._plan = np.argsort(order)[self._plan]

    def _decide(self, split: Split) -> GhostRound:
        rows = split.contested.nonzero()[0]
        ghosts = self._ghosts[rows]
        there = ghosts != NONE
        count = there.sum(axis=1)
        ones = there & ~split.can0[ghosts]
        default = 2 * ones.sum(axis=1) > count
        d, dimension = self._assumed[rows], self._dimension[rows]
        trees = find_trees(self._labels, dimension, rows, ghosts, ones)
        again = trees[0] & trees[1]
        if self.d is not None and again.any():
            raise too_small(self.d, TWO_TREES if dimension.all() else CONTESTED_AT_0)
        refuted = again.nonzero()[0]
        while len(refuted):
            d[refuted] += 1
            more = find_trees(self._labels, d[refuted], rows[refuted], ghosts[refuted], ones[refuted])
            trees[:, refuted] = more
            refuted = refuted[more.all(axis=0)]
        by_tree = trees[0] | trees[1]
        label = np.where(by_tree, trees[1], default)
        now = GhostRound(split.x, (~split.can0).astype(np.uint8), rows, count, ones, label, by_tree, d, again)
        self._ask_plans(now, default)
        return now

    def _ask_plans(self, now: GhostRound, default: BoolArray) -> None:
        """Set the plans' predictions for rows where no tree decides."""
        kept, numbers, masks = self._kept[now.rows].tolist(), self._plan[now.rows].tolist(), now.masks
        for at in (~now.by_tree).nonzero()[0].tolist():
            d = int(now.d[at])  # a new plan has no ghosts yet
            plan, ones = (stage_plan(d), 0) if now.again[at] else (self._plans[numbers[at]], masks[at] >> kept[at])
            now.label[at] = plan_label(d, plan, ones, int(default[at]))

    def _round_of(self, children: Children) -> GhostRound:
        """Return the decisions at the children's point; decide now if there was no prediction."""
        if self._round is not None and self._round.x is children.x:
            return self._round
        return self._decide(Split(children.x, children.row[0] != NONE, children.row[1] != NONE))

    def _follow(self, children: Children, now: GhostRound, complete: bool) -> BoolArray:
        """Pass the ghosts to the children, extended by one point; return the rows that lost one.

        A ghost whose continuation was dropped is lost even if the other label remains, because plans and stages have
        already used its label.
        """
        before = self._ghosts[children.parent]
        self._ghosts = before
        if complete:
            return np.zeros(len(before), dtype=np.bool_)
        moved = np.append(children.row[now.step, np.arange(children.parents)], NONE)
        self._ghosts = moved[before]
        return np.asarray(((before != NONE) & (self._ghosts == NONE)).any(axis=1), dtype=np.bool_)

    def _learn(self, children: Children, now: GhostRound, lost: BoolArray) -> None:
        """Update the children on which the base learner erred."""
        place = np.full(children.parents, NONE, dtype=np.int64)
        place[now.rows] = np.arange(len(now.rows))
        at = place[children.parent]
        self._start_over(at, now)
        wrong = ((at != NONE) & (now.label[at] != children.label)).nonzero()[0] if len(now.rows) else at[:0]
        at = at[wrong]
        by_tree = now.by_tree[at]
        self._end_stages(wrong[by_tree], at[by_tree], now)
        self._add_ghosts(wrong[~by_tree], at[~by_tree], children, now, lost)

    def _start_over(self, at: IntArray, now: GhostRound) -> None:
        """Start over with a larger d on the children of rows that refuted it, keeping all ghosts."""
        if now.again.any():
            rows = ((at != NONE) & now.again[at]).nonzero()[0]
            self._assumed[rows] = self._dimension[rows] = now.d[at[rows]]
            self._kept[rows] = now.count[at[rows]]
            self._begin_plans(rows)

    def _end_stages(self, wrong: IntArray, at: IntArray, now: GhostRound) -> None:
        """Begin the next stage with the ghosts that had the true label."""
        if not len(wrong):
            return
        self._keep(wrong, (self._ghosts[wrong] != NONE) & (now.ones[at] != now.label[at, None]))
        self._dimension[wrong] -= 1
        self._begin_plans(wrong)

    def _add_ghosts(self, wrong: IntArray, at: IntArray, children: Children, now: GhostRound, lost: BoolArray) -> None:
        """Add the sibling with the predicted label as a ghost, and update the plan."""
        if not len(wrong):
            return
        count = now.count[at]
        if count.max() == self._ghosts.shape[1]:
            room = np.full_like(self._ghosts, NONE)
            self._ghosts = np.concatenate([self._ghosts, room], axis=1)
        newborn = children.row[now.label[at].astype(np.int64), children.parent[wrong]]
        self._ghosts[wrong, count] = newborn
        lost[wrong] |= newborn == NONE
        masks = now.masks
        for row, place, ghosts in zip(wrong.tolist(), at.tolist(), count.tolist(), strict=True):
            kept = int(self._kept[row])
            plan = self._plans[self._plan[row]]
            self._plan[row] = self._number(mistake(plan, ghosts - kept, masks[place] >> kept, int(now.label[place])))

    def _restart(self, rows: IntArray) -> None:
        """Restart the stage's plan on rows that lost a ghost."""
        self._keep(rows, self._ghosts[rows] != NONE)
        self._begin_plans(rows)

    def _begin_plans(self, rows: IntArray) -> None:
        self._plan[rows] = [self._number(stage_plan(dimension)) for dimension in self._dimension[rows].tolist()]

    def _keep(self, rows: IntArray, kept: BoolArray) -> None:
        """Keep only some ghosts of these rows, moved to the front; none of them belongs to the plan."""
        order = np.argsort(~kept, axis=1, kind="stable")
        ghosts = np.where(kept, self._ghosts[rows], NONE)
        self._ghosts[rows] = np.take_along_axis(ghosts, order, axis=1)
        self._kept[rows] = kept.sum(axis=1)


def find_trees(labels: Any, dimension: IntArray, rows: IntArray, ghosts: IntArray, ones: BoolArray) -> BoolArray:
    """Return, for each label and row, True if its ghosts with the label and the row itself have a D-tree.

    ``ghosts[i]`` are those of ``rows[i]``, of which ``ones[i]`` take label 1, and ``dimension[i]`` is its D. Rows
    differ from each other, so any two of them form a 1-tree. 2-trees are found for all rows together, deeper ones row
    by row if there are enough ghosts.
    """
    sides = ((ghosts != NONE) & ~ones, ones)
    trees = np.array([side.sum(axis=1) + 1 >= 1 << dimension for side in sides])
    for label, side in enumerate(sides):
        two = (trees[label] & (dimension == 2)).nonzero()[0]
        if len(two):
            members = np.column_stack([np.where(side[two], ghosts[two], NONE), rows[two]])
            trees[label, two] = labels.two_by_two(members.ravel(), len(two))
    for at in (trees.any(axis=0) & (dimension > 2)).nonzero()[0].tolist():
        members = np.append(ghosts[at][ghosts[at] != NONE], rows[at])
        trees[:, at] = tree_sides(int(dimension[at]), len(members) - 1, mask(ones[at]), columns_of(labels, members))
    return trees
