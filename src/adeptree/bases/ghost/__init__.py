"""The oracle-efficient realizable learner of ``docs/ghost.md``: all of it that others call is ``Ghost``."""

from __future__ import annotations

from adeptree.bases.ghost.bounds import mistake_bound
from adeptree.bases.ghost.learner import Ghost

__all__ = ["Ghost", "mistake_bound"]
