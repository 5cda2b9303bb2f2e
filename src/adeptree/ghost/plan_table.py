"""The distinct plans of all rows, each stored once and named by a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from adeptree.core.types import IntArray
from adeptree.ghost import plans
from adeptree.ghost.stages import plan_label


class PlanTable:
    """Plans by number; what they predict and become is remembered, as many rows are in the same place."""

    def __init__(self, d: int) -> None:
        self.d = d
        self.plans: list[plans.Plan] = []
        self._numbers: dict[plans.Plan, int] = {}
        self._labels: dict[tuple[int, int, bool], int] = {}
        self._successors: dict[tuple[int, int, int, bool], int] = {}

    def number(self, plan: plans.Plan) -> int:
        """Return the plan's number, a new one if it was never seen."""
        found = self._numbers.get(plan)
        if found is None:
            found = len(self.plans)
            self.plans.append(plan)  # first: a number without a plan would be wrong for ever
            self._numbers[plan] = found
        return found

    def predict(self, number: int, ones: int, default: bool) -> int:
        """Return the plan's prediction."""
        key = (number, ones, default)
        if key not in self._labels:
            self._labels[key] = plan_label(self.d, self.plans[number], ones, int(default))
        return self._labels[key]

    def mistake(self, number: int, ghost: int, ones: int, predicted: bool) -> int:
        """Return the number of the plan after a mistake."""
        key = (number, ghost, ones, predicted)
        if key not in self._successors:
            self._successors[key] = self.number(plans.mistake(self.plans[number], ghost, ones, int(predicted)))
        return self._successors[key]

    @property
    def remembered(self) -> int:
        """How many plans, predictions and successors are stored."""
        return len(self.plans) + len(self._labels) + len(self._successors)

    def compact(self, used: IntArray) -> tuple[PlanTable, IntArray]:
        """Return a table of the used plans only, and the new numbers."""
        numbers, renamed = np.unique(used, return_inverse=True)
        table = PlanTable(self.d)
        for number in numbers.tolist():
            table.number(self.plans[number])
        return table, np.asarray(renamed, dtype=np.int64).reshape(used.shape)


def as_tuples(value: Any) -> Any:
    """Return nested lists as nested tuples (a file knows only lists).

    >>> as_tuples(["collect", 1, [0]])
    ('collect', 1, (0,))
    """
    return tuple(map(as_tuples, value)) if isinstance(value, (list, tuple)) else value
