"""ADEPT with deferred pruning: predict with formal extensions and query the oracle at commits only (Theorem P).

Between commits a path is extended by both labels, even if no concept continues it: v with the label A(v, x) keeps k(v),
and the other extension has k(v) + 1. By Pascal's equality no weight is lost, so p costs no query. A commit poses both
queries of every path and keeps the realizable extensions. The proof is in ``docs/theory/deferred-pruning.md``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adeptree.core.types import BoolArray, Instance, IntArray
from adeptree.learners.adept import Paths
from adeptree.roles.frontier import Split


class LatePaths(Paths):
    """Paths whose extensions are checked only at a commit."""

    prunes_late = True

    def __init__(self, *problem: Any) -> None:
        super().__init__(*problem)
        self.base_rows = self.base.unasked_rows(self.frontier)
        self._asks = False

    def _formal(self, x: Instance) -> Split:
        every = np.ones(self.width, dtype=np.bool_)
        return Split(x, every, every)

    def _split(self, x: Instance) -> Split:
        return self.frontier.split(x) if self._asks else self._formal(x)

    def _guesses(self, split: Split) -> BoolArray:
        return self.base_rows.predict(self._formal(split.x))

    def _within_bound(self, mistakes: IntArray) -> BoolArray | None:
        # A formal extension may belong to no concept, and has no mass beyond M.
        return super()._within_bound(mistakes) if self._asks else mistakes <= (self.mistake_bound or 0)

    def commit(self, x: Instance, label: int, weight: float = 1) -> None:
        """Query both labels on every path and make the realizable extensions the active set."""
        self._asks, self.looked = True, None
        super().commit(x, label, weight)
        self._asks = False
