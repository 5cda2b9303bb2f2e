"""Ways to compute ADEPT's distribution; all give the same numbers."""

from adeptree.learners.engines.base import Engine, Leader, Limits, Odds
from adeptree.learners.engines.dropping import Dropped

__all__ = ["Dropped", "Engine", "Leader", "Limits", "Odds"]
