"""An adversary in one file: it comes back to the point at which the learner was least sure.

Copy it, rename it, run it: ``python adversary.py``. The page about it is docs/develop/adversary.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from adeptree import Adversary, ConceptClass
from adeptree.games import Round


@dataclass  # its repr goes into the header of a transcript
class Insistent(Adversary):
    """Every ``every``-th round a new point, otherwise the one with P nearest to 1/2; always the less likely label."""

    concept_class: ConceptClass
    every: int = 3

    # start(rounds, seed) sets self.rounds and self.rng; override it (and call super) to begin with more.

    def instance(self, history: Sequence[Round]) -> Any:
        """Choose x from the past. Draw from self.rng only, so that a seed repeats the game; never write to history."""
        if len(history) % self.every == 0:
            return self.concept_class.random_instance(self.rng)
        return min(history, key=lambda r: abs(r.p - 0.5)).x

    def label(self, history: Sequence[Round], x: Any, p: float) -> int:
        """Choose y from the past, x and P(1) = p. The learner's coin of this round is not to be seen."""
        return int(p <= 0.5)


if __name__ == "__main__":
    import adeptree as at
    from adeptree.checks import check

    print("adversary:", check(Insistent(at.Thresholds(6))))
    run = at.play(at.Adept(at.Thresholds(64), horizon=300), Insistent(at.Thresholds(64)))
    print("game:      regret", round(run.regret, 1), "<=", round(run.bound, 1))
