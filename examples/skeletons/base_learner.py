"""A base learner in one file: on a line, say 1 only where a 1 must be.

Copy it, rename it, run it: ``python base_learner.py``. The page about it is docs/develop/base-learner.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from adeptree import Thresholds
from adeptree.roles.base_learner import MadeFor


@dataclass(frozen=True)
class Careful(MadeFor[Thresholds]):
    """Thresholds: predict 1 from the least value on that had a 1. Every mistake lowers it, so M = n."""

    kind = Thresholds  # the classes it is made for

    @property
    def mistake_bound(self) -> int | None:
        """M, on streams that some rule gets right; by default the Littlestone dimension, the best possible."""
        return None if self.concept_class is None else self.concept_class.n

    def start(self) -> int:
        """Return the state before any point: the least value that had a 1 (n: none)."""
        return self.known.n

    def predict(self, state: int, x: int) -> int:
        """Return 0 or 1; the state stays what it is."""
        return int(x >= state)

    def update(self, state: int, x: int, y: int) -> int:
        """Return a new state. States are plain values, so that learners can be saved."""
        return min(state, x) if y else state


if __name__ == "__main__":
    import adeptree as at
    from adeptree.checks import check

    print("base:   ", check(Careful(), concept_class=Thresholds(6)))
    learner = at.Adept(Thresholds(16), base=Careful())
    for x, y in [(3, 0), (12, 1), (8, 1), (5, 0)]:
        learner.learn(x, y)
    print("learner:", learner.best_rule(), "| regret", round(learner.regret, 3), "<=", round(learner.bound, 3))
