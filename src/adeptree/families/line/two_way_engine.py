"""Thresholds of both directions on one line (``column_tree_kernel.py``)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.declared_state import Array, Fields, Number, need, rounding
from adeptree.core.types import Concept
from adeptree.families.line.line_engine import Gap, LineEngine
from adeptree.families.line.thresholds import HalfLines, turned
from adeptree.families.line.tree_shape import FAN, FanShape, Shape
from adeptree.roles.engine import Leader
from adeptree.theory.priors import Prior

_KERNEL = kernel("adeptree.structures.column_tree_kernel")
OVER, SUMS, REFS = 2, slice(5, 7), slice(7, 9)
"""Fields of an entry, as the kernel's ``slots`` has them: gains, sums of weights, and the losses these refer to."""


class TwoWayEngine(LineEngine):
    """The rules ``x >= cut``, from left to right, then ``x < cut``.

    >>> from adeptree import RealThresholds
    >>> from adeptree.theory.priors import KTPrior
    >>> engine = TwoWayEngine(RealThresholds(), KTPrior())
    >>> for x, y in [(3.0, 1), (12.0, 0), (8.0, 0), (5.0, 1)]:
    ...     engine.commit(x, y)
    >>> engine.width, engine.best_loss, str(engine.best_rule())
    (10, 0, 'x < 7')
    """

    kind = "two-way"
    kernel: Any

    def __init__(self, concept_class: HalfLines, prior: Prior, kernel: Any = None) -> None:
        super().__init__(concept_class, prior)
        self._use(_KERNEL.ColumnTree(self.measure()) if kernel is None else kernel)

    def share_out(self, share: float, lanes: int, spans: tuple[int, ...], room: int) -> list[Any]:
        """Keep one weight per lane, gap and direction."""
        return self.share_line(2, share, lanes, spans, room)

    def leader(self) -> Leader:
        """Return the best rule; among equals, one with the largest mass."""
        _, mistakes, contested, mass = self.kernel.leader()
        return Leader(self.best_loss, mistakes, contested, math.log(mass))

    def rule_of(self, gap: Gap) -> Concept:
        """Return the rule of a gap."""
        rising: Any = super().rule_of(gap)
        return turned(rising) if gap.falls else rising

    # --- Saving ------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the rate of the weights too: weights that were multiplied are saved as they are."""
        return super().state() | ({} if self.shared else {"built": float(self.kernel.built)})

    def shape(self, state: dict[str, Any]) -> Shape:
        """Return the shape of the tree."""
        return super().shape(state) if self.shared else FanShape(state["counts"], state["sizes"])

    def declared(self) -> Fields:
        """Return the weights of slots and entries too."""
        weights = Array(np.float64, "cells", 0)
        kept: Fields = {
            "up": weights,
            "down": weights,
            "sums": Array(np.float64, ("nodes", 10)),
            "built": Number(float, 0),
        }
        kept = {**kept, "sizes": Array(np.int64, "nodes", 0, FAN)}
        return {**super().declared(), **({} if self.shared else kept)}

    def restore(self, state: dict[str, Any]) -> None:
        """Plant the same tree if its weights are those of its gains, up to rounding."""
        if self.shared:
            super().restore(state)
            return
        self.check(state)
        self.kernel.built = -1.0
        super().restore(state)  # (with all weights computed from gains)
        if state["built"] == self.rate:
            self._compare(state, self.kernel.slots())
            self.kernel.built = self.rate
            super().restore(state)

    def _compare(self, state: dict[str, Any], found: dict[str, Any]) -> None:
        """Compare saved weights with those computed: logarithms of sums, and shares in buckets and nodes."""
        ours, theirs, error = state["sums"], found["sums"], rounding(state["built"], self.kernel.charged)
        need((ours[:, SUMS] > 0).all() and (ours[:, 9] < 1e6).all(), "sums")
        logs, computed = (np.log(sums[:, SUMS]) - state["built"] * sums[:, REFS] for sums in (ours, theirs))
        need(np.allclose(logs, computed, rtol=0, atol=error), "sums")
        need(np.allclose(ours[:, OVER:5], theirs[:, OVER:5], rtol=0, atol=1e-9 * (1 + self.kernel.charged)), "sums")
        leaf, (number, child, _) = state["sizes"] == 0, self.shape(state).nodes()
        for k, name in enumerate(("up", "down")):
            mine, known = (one[name] / np.repeat(one["sums"][leaf, 5 + k], state["counts"]) for one in (state, found))
            need(np.allclose(mine, known, rtol=0, atol=error), name)
            below = np.bincount(number // FAN, ours[:, k])[child[~leaf]]
            need(np.allclose(below, ours[~leaf, 5 + k], rtol=error, atol=0), "sums")
