"""The linear program in one HiGHS model: a query changes row bounds and solves from the last basis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.core.extras import Extra
from adeptree.solvers.lp.lifting import Point, lift

highspy: Any = Extra("highspy", "Halfspaces", "lp")

NEGLIGIBLE = 1e-9
"""Multipliers below this count as 0; conclusions from them are checked exactly."""

ROW_LIMIT = 256
"""A model with more rows than this (or 8 per queried point) is rebuilt, because unused rows cost time too."""


@dataclass(frozen=True)
class Outcome:
    """The unchecked result of HiGHS: a vector v, and the sample positions of its "no"."""

    vector: list[float]
    support: list[int]


class Model:
    """Find v and the largest t with v.p >= t on 1-points and v.p <= -t on 0-points, p = (x, 1) scaled to size 1.

    All entries of v are in [-1, 1] and t is in [0, 1], so there always is a solution (v = t = 0). t = 0 means that
    nothing fits, and the row multipliers prove it.
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.first_row: dict[Point, int] = {}
        self.active: dict[int, int] = {}
        self.highs: Any = None

    def _begin(self) -> None:
        self.highs = highspy.Highs()
        self.infinity = highspy.kHighsInf
        # Presolve would hide the multipliers (HiGHS #1481), and these programs are too small to benefit from it.
        for option, value in (("output_flag", False), ("presolve", "off"), ("parallel", "off")):
            self.highs.setOptionValue(option, value)
        for _ in range(self.dim + 1):
            self.highs.addVar(-1.0, 1.0)
        self.highs.addVar(0.0, 1.0)
        self.highs.changeColCost(self.dim + 1, -1.0)
        self.first_row, self.active = {}, {}

    def solve(self, sample: Sequence[tuple[Point, int]], seconds: float | None = None) -> Outcome | None:
        """Return the result of HiGHS for the sample; None if it is undecided within the remaining seconds."""
        if self.highs is None or 2 * len(self.first_row) > max(ROW_LIMIT, 8 * len(sample)):
            self._begin()
        rows = [self._row(x) + (0 if y else 1) for x, y in sample]
        self._switch(rows)
        if seconds is not None:
            # HiGHS adds up its time over queries, and the limit is on the sum.
            self.highs.setOptionValue("time_limit", self.highs.getRunTime() + seconds)
        self.highs.run()
        if self.highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        solution = self.highs.getSolution()
        multipliers = list(solution.row_dual)
        support = [i for i, row in enumerate(rows) if abs(multipliers[row]) > NEGLIGIBLE]
        return Outcome(list(solution.col_value)[:-1], support)

    def _row(self, x: Point) -> int:
        """Return the first of the two rows of x, for label 1; the next one is for label 0."""
        known = self.first_row.get(x)
        if known is not None:
            return known
        p = lift(x)
        size = max(map(abs, p))
        columns = np.arange(self.dim + 2, dtype=np.int32)
        for margin in (-1.0, 1.0):
            values = np.array([*(value / size for value in p), margin])
            self.highs.addRow(-self.infinity, self.infinity, self.dim + 2, columns, values)
        self.first_row[x] = 2 * len(self.first_row)
        return self.first_row[x]

    def _switch(self, rows: list[int]) -> None:
        """Activate exactly these rows."""
        wanted = dict.fromkeys(rows, 1)
        for row in self.active:
            if row not in wanted:
                self.highs.changeRowBounds(row, -self.infinity, self.infinity)
        for row in wanted:
            if row not in self.active:
                low, high = (-self.infinity, 0.0) if row % 2 else (0.0, self.infinity)
                self.highs.changeRowBounds(row, low, high)
        self.active = wanted
