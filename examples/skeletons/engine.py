"""An engine in one file: Algorithm 2 path by path in plain Python, the definition of what engines compute.

Copy it, rename it, run it: ``python engine.py``. The page about it is docs/develop/engine.md.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from adeptree import BaseLearner, ConceptClass
from adeptree.core.types import Concept, Instance
from adeptree.roles.engine import Engine, Leader, Odds
from adeptree.theory.mixture import log_sum, log_weights, odds_of_one
from adeptree.theory.priors import Prior


@dataclass(frozen=True)
class Path:
    """A realizable labelling of the points so far."""

    sample: tuple[tuple[Instance, int], ...] = ()
    state: Any = None
    """Of the base learner on it."""
    mistakes: int = 0
    contested: int = 0
    loss: int = 0


class OneByOne(Engine):
    """Keeps the paths in a list and asks the class about each one, twice per round."""

    kind = "one-by-one"

    def __init__(self, concept_class: ConceptClass, base: BaseLearner, prior: Prior) -> None:
        super().__init__()  # self.rate (the learner sets it) and self.queries
        self.concept_class, self.base, self.prior = concept_class, base.bind(concept_class), prior
        self.rows = [Path(state=self.base.start())]
        self._looked: tuple[Instance, list[Path]] | None = None

    # --- A round: a look is kept until the commit, so that looking twice asks once ------------------------------

    def odds(self, x: Instance) -> Odds:
        """Return the share of the weight that says 1 at x, and its log-odds."""
        paths = self._children(x)
        said_one = np.array([path.sample[-1][1] == 1 for path in paths])
        return Odds(*odds_of_one(self._log_weights(paths, len(paths[0].sample)), said_one))

    def probability(self, x: Instance) -> float:
        """Return the share of the weight that says 1 at x."""
        return self.odds(x).p

    def commit(self, x: Instance, label: int) -> None:
        """Take over the round: the children are the paths, and who is wrong has lost."""
        self.rows = [replace(path, loss=path.loss + (path.sample[-1][1] != label)) for path in self._children(x)]
        self._looked = None

    def discard(self) -> None:
        """Forget what was looked at."""
        self._looked = None

    def _children(self, x: Instance) -> list[Path]:
        if self._looked is None or self._looked[0] != x:
            self._looked = (x, [child for path in self.rows for child in self._extended(path, x)])
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

    # --- The account: sums over all paths, by the formulas of theory/ --------------------------------------------

    def _log_masses(self, paths: list[Path], t: int) -> Any:
        mistakes, contested = (np.array([getattr(p, name) for p in paths]) for name in ("mistakes", "contested"))
        return self.prior.log_mass(t, mistakes, contested) - self.prior.log_total

    def _log_weights(self, paths: list[Path], t: int) -> Any:
        return log_weights(self._log_masses(paths, t), np.array([p.loss for p in paths]), self.best_loss, self.rate)

    @property
    def width(self) -> int:
        """Return the number of paths."""
        return len(self.rows)

    @property
    def best_loss(self) -> float:
        """Return the least loss of a path."""
        return min(path.loss for path in self.rows)

    def leader(self) -> Leader:
        """Return a best path: least loss, and among those the largest mass."""
        masses = self._log_masses(self.rows, len(self.rows[0].sample))
        mass, best = max((m, -i) for i, m in enumerate(masses) if self.rows[i].loss == self.best_loss)
        path = self.rows[-best]
        return Leader(path.loss, path.mistakes, path.contested, float(mass))

    def log_potential(self) -> float:
        """Return ln of the sum of all weights."""
        return float(log_sum(self._log_weights(self.rows, len(self.rows[0].sample))))

    def best_rule(self) -> Concept:
        """Return a rule of a best path."""
        return self.concept_class.erm(min(self.rows, key=lambda path: path.loss).sample)

    # --- Saving: plain values and arrays --------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return what restore needs."""
        return {"rows": [asdict(path) for path in self.rows]}

    def restore(self, state: dict[str, Any]) -> None:
        """Take it over."""
        self.rows = [Path(**row) for row in state["rows"]]
        self._looked = None


if __name__ == "__main__":
    import adeptree as at

    # What an engine is measured by: the same numbers as Algorithm 2 at the same rates, on any stream.
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
