"""An engine in one file: Algorithm 2 path by path in plain Python, the definition of what engines compute.

Copy it, rename it, run it: ``python engine.py``. The page about it is docs/develop/engine.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from adeptree import BaseLearner, ConceptClass
from adeptree.core.types import Concept, Instance
from adeptree.roles.engine import Engine, Odds, Rows
from adeptree.theory.mixture import log_weights, odds_of_one
from adeptree.theory.priors import Prior


@dataclass(frozen=True)
class Path:
    """A realizable labelling of the points so far."""

    sample: tuple[tuple[Instance, int], ...] = ()
    state: Any = None
    """Mistakes of the base learner on the path."""
    mistakes: int = 0
    contested: int = 0
    loss: float = 0


class OneByOne(Engine):
    """Keeps the paths in a list and asks the class about each one, twice per round."""

    kind = "one-by-one"

    def __init__(self, concept_class: ConceptClass, base: BaseLearner, prior: Prior) -> None:
        super().__init__()  # self.rate (the learner sets it) and self.queries
        self.concept_class, self.base, self.prior = concept_class, base.bind(concept_class), prior
        self.paths = [Path(state=self.base.start())]
        self._looked: tuple[Instance, list[Path]] | None = None

    # --- A round: a look is kept until the commit, so that looking twice asks once ------------------------------

    def odds(self, x: Instance) -> Odds:
        """Return the share of the weight that says 1 at x, and its log-odds."""
        paths = self._children(x)
        rows, said_one = self._rows_of(paths), np.array([path.sample[-1][1] == 1 for path in paths])
        weight = log_weights(rows.log_mass, rows.losses, rows.best_loss, self.rate)
        return Odds(*odds_of_one(weight, said_one))

    def probability(self, x: Instance) -> float:
        """Return the share of the weight that says 1 at x."""
        return self.odds(x).p

    def commit(self, x: Instance, label: int, weight: float = 1) -> None:
        """Commit the round: the children are the paths, and those that are wrong lose."""
        lost = [weight * (path.sample[-1][1] != label) for path in self._children(x)]
        self.paths = [replace(path, loss=path.loss + loss) for path, loss in zip(self._children(x), lost, strict=True)]
        self._looked = None

    def discard(self) -> None:
        """Forget what was looked at."""
        self._looked = None

    def _children(self, x: Instance) -> list[Path]:
        if self._looked is None or self._looked[0] != x:
            self._looked = (x, [child for path in self.paths for child in self._extended(path, x)])
        return self._looked[1]

    def _extended(self, path: Path, x: Instance) -> list[Path]:
        labels = [y for y in (0, 1) if self.concept_class.realizable([*path.sample, (x, y)])]
        self.queries.asked += 2
        self.queries.posed += 2
        guess = self.base.predict(path.state, x) if len(labels) == 2 else labels[0]
        return [
            Path(
                (*path.sample, (x, y)),
                self.base.update(path.state, x, y),
                path.mistakes + (y != guess),
                path.contested + (len(labels) == 2),
                path.loss,
            )
            for y in labels
        ]

    # --- The account: made of the rows, by the formulas of theory/ ------------------------------------------------

    def rows(self) -> Rows:
        """Return the paths as arrays: width, best loss, leader and potential come of them."""
        return self._rows_of(self.paths)

    def _rows_of(self, paths: list[Path]) -> Rows:
        losses, k, n = (np.array([getattr(p, name) for p in paths]) for name in ("loss", "mistakes", "contested"))
        mass = self.prior.log_mass(len(paths[0].sample), k, n) - self.prior.log_total
        return Rows(losses, k, n, mass)

    def rules_of(self, places: Sequence[int]) -> list[Concept]:
        """Return a rule of each of these paths: the best rule and those near it come of them."""
        return [self.concept_class.erm(self.paths[place].sample) for place in places]

    # --- Saving: plain values and arrays --------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return what restore needs."""
        return {"paths": [asdict(path) for path in self.paths]}

    def restore(self, state: dict[str, Any]) -> None:
        """Take it over."""
        self.paths = [Path(**row) for row in state["paths"]]
        self._looked = None


if __name__ == "__main__":
    import adeptree as at

    # The contract of an engine: the same numbers as Algorithm 2 at the same rates, on any stream.
    learner = at.Adept(at.Thresholds(9), prior="kt", engine="paths")
    engine = OneByOne(at.Thresholds(9), at.Bisection(), learner.prior)
    rng, apart = np.random.default_rng(0), 0.0
    for _ in range(40):
        x, y = int(rng.integers(9)), int(rng.integers(2))
        engine.rate = learner.engine.rate
        apart = max(apart, abs(engine.probability(x) - learner.predict_proba(x)))
        engine.commit(x, y)
        learner.learn(x, y)
    print(f"40 rounds: {engine.width} paths, best loss {engine.best_loss}, the same probabilities: {apart < 1e-12}")
