"""The frontier of stumps with arbitrary cuts: the gaps between the values seen, and the path of each gap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adeptree.core.declared_state import COUNT, Array, Fields, need
from adeptree.core.types import Concept, FloatArray, Instance, IntArray
from adeptree.families.line.counting_cuts import DOUBLES, doubles_between
from adeptree.families.line.readable_cuts import round_cut
from adeptree.families.rule_values import Constant, Stump
from adeptree.families.stumps.real_stumps import RealStumps
from adeptree.roles.frontier import Children, Frontier, Split


class RealStumpFrontier(Frontier):
    """A frontier made of cells: all cuts in one gap between neighbouring values of one feature, in one direction.

    All stumps of a cell label the points seen alike, so a cell belongs to one row; a row is the set of its cells, at
    most one per feature (except the two constants, which are the end cells of every feature). A new point cuts one cell
    per feature and direction; all others are forced. O(number of cells) per round.
    """

    ROWS = ("feature", "low", "high", "rows")  # arrays of gaps, so the rows are counted separately
    of_floats = True

    def __init__(self, concept_class: RealStumps) -> None:
        super().__init__()
        self.concept_class = concept_class
        count = len(concept_class.features)
        self.feature: IntArray = np.arange(count)
        # The cuts of a gap are low < cut <= high.
        self.low: FloatArray = np.full(count, -np.inf)
        self.high: FloatArray = np.full(count, np.inf)
        # rows[0]: the row of the gap's cell "feature >= cut"; rows[1]: of "feature < cut". -1 once it is removed.
        self.rows: IntArray = np.zeros((2, count), dtype=np.int64)
        self._width = 1
        self.log_size = math.log(2 * count) + math.log(DOUBLES)

    @property
    def width(self) -> int:
        """Number of rows that cells belong to."""
        return self._width

    def values(self, x: Instance) -> FloatArray:
        """Return, for every gap, x's value of the gap's feature."""
        return self.concept_class.vector(x)[self.feature]

    def _answers(self, x: Instance) -> Split:
        values = self.values(x)
        below = self.low < values
        cut = np.flatnonzero(below & (values < self.high))
        # Every cell's label at x, as an index into a table with one line per label; for a divided gap, the label of the
        # cuts up to x. Cells without a row (-1) fall into an extra column.
        line = self._width + 1
        places = self.rows + np.stack([below, ~below]) * line
        can = np.zeros((2, line), dtype=np.bool_)
        can.ravel()[places] = True
        rising, falling = self.rows[:, cut]
        can[0, rising] = True
        can[1, falling] = True
        return Split(x, can[0, :-1], can[1, :-1], evidence=(places, cut, values[cut]))

    def grow(self, children: Children) -> None:
        """Move every cell to the child with its label; the gaps that x falls into become two."""
        places, cut, values = children.evidence
        line = self._width + 1
        child = np.full(2 * line, -1, dtype=np.int64)
        child[children.parent + line * children.label] = np.arange(len(children.parent))
        rising, falling = self.rows[:, cut]
        # In a divided gap, the old index keeps the cuts up to x; those above x are appended.
        upper = np.stack([child[rising], child[falling + line]])
        self.rows = np.concatenate([child[places], upper], axis=1)
        self.low = np.concatenate([self.low, values])
        high = np.concatenate([self.high, self.high[cut]])
        high[cut] = values
        self.high = high
        self.feature = np.concatenate([self.feature, self.feature[cut]])
        self._width = len(children.parent)
        if self.rows.min() < 0:
            self._forget_gaps()

    def log_counts(self, children: Children) -> FloatArray:
        """Return ln of the children's numbers of stumps, over all features and both directions."""
        places, cut, values = children.evidence
        line = self._width + 1
        lower = doubles_between(self.low, self.high)
        upper = doubles_between(values, self.high[cut])
        lower[cut] = doubles_between(self.low[cut], values)
        rising, falling = self.rows[:, cut]
        # As in grow: cuts above x are label 0 of a rising cell and label 1 of a falling one; -1 is the spare column.
        found = np.concatenate([places.ravel(), rising % line, falling % line + line])
        counts = np.bincount(found % (2 * line), np.concatenate([lower, lower, upper, upper]), minlength=2 * line)
        return np.log(counts[children.parent + line * children.label])

    def _forget_gaps(self) -> None:
        """Drop the gaps whose rows are both removed."""
        alive = self.rows.max(axis=0) >= 0
        self.rows = self.rows[:, alive]
        self.low, self.high, self.feature = self.low[alive], self.high[alive], self.feature[alive]

    def concept(self, row: int) -> Concept:
        """Return a constant if it fits, else the stump of the first feature that fits, at the roundest cut."""
        fits = self.rows == row
        all_ones = fits[0] & np.isneginf(self.low) | fits[1] & np.isposinf(self.high)
        all_zeros = fits[0] & np.isposinf(self.high) | fits[1] & np.isneginf(self.low)
        if all_zeros.any() or all_ones.any():
            return Constant(int(not all_zeros.any()))
        gaps = np.flatnonzero(fits.any(axis=0))
        gap = int(gaps[self.feature[gaps].argmin()])
        cut = round_cut(float(self.low[gap]), float(self.high[gap]))
        return Stump(self.concept_class.features[int(self.feature[gap])], cut, above=bool(fits[0, gap]))

    def declared(self) -> Fields:
        """Declare gaps of features, and the rows of their two cells (-1: none)."""
        end = Array(np.float64, "gaps", -np.inf, np.inf)
        rows = Array(np.int64, (2, "gaps"), -1)
        return {"feature": Array(np.int64, "gaps", 0), "low": end, "high": end, "rows": rows, "width": COUNT}

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError if gaps of a feature overlap or a row has no cell."""
        feature, low, high, rows = (state[name] for name in self.ROWS)
        need(feature.max() < len(self.concept_class.features), "feature")
        order = np.lexsort((low, feature))
        same = np.diff(feature[order]) == 0
        need((low < high).all() and (high[order][:-1] <= low[order][1:])[same].all(), "low and high")
        need(np.array_equal(np.unique(rows[rows >= 0]), np.arange(state["width"])), "rows")

    def restore(self, state: dict[str, Any]) -> None:
        """Restore saved gaps, if those of a feature do not overlap and their cells belong to existing rows."""
        self.check(state)
        self.feature, self.low, self.high, self.rows = (state[name] for name in self.ROWS)
        self._width = state["width"]
