"""Thresholds of both directions on one line (``two_way_line_kernel.py``)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.types import Concept
from adeptree.families.line.line_engine import Gap, LineEngine
from adeptree.families.line.thresholds import HalfLines, turned
from adeptree.roles.engine import Leader, Rows
from adeptree.theory.priors import Prior

_KERNEL = kernel("adeptree.structures.two_way_line_kernel")


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
    in_arena = True
    kernel: Any

    def __init__(self, concept_class: HalfLines, prior: Prior, kernel: Any = None) -> None:
        super().__init__(concept_class, prior)
        self._use(_KERNEL.TwoWayLine(self.measure()) if kernel is None else kernel)

    def share_out(self, share: float, lanes: int, spans: tuple[int, ...], room: int) -> list[Any]:
        """Keep one weight per lane, gap and direction."""
        return self.share_line(2, share, lanes, spans, room)

    def rows(self) -> Rows:
        """Return the rising rules, from left to right, then the falling ones."""
        slots = {name: np.asarray(column) for name, column in self.kernel.slots().items()}
        over, zeros = np.cumsum(slots["gain"]), self.kernel.zeros
        losses = np.concatenate([zeros + over, self.kernel.charged - zeros - over])
        k, n, mass = (np.tile(slots[name], 2) for name in ("wrong", "contested", "mass"))
        return Rows(losses, k.astype(np.int64), n.astype(np.int64), np.log(mass))

    def leader(self) -> Leader:
        """Return the best rule; among equals, one with the largest mass."""
        _, mistakes, contested, mass = self.kernel.leader()
        return Leader(self.best_loss, mistakes, contested, math.log(mass))

    def rule_of(self, gap: Gap) -> Concept:
        """Return the rule of a gap."""
        rising: Any = super().rule_of(gap)
        return turned(rising) if gap.falls else rising
