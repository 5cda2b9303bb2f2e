"""The base learner of rules on tables: what fits best so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adeptree.core.types import Instance
from adeptree.roles.base_learner import MadeFor
from adeptree.roles.concept_class import ConceptClass


@dataclass(frozen=True)
class BestSoFar(MadeFor[ConceptClass]):
    """Predict what a best rule of the rows so far says; of paths that are kept one by one.

    >>> from adeptree import TableStumps
    >>> best = BestSoFar().bind(TableStumps(["age"]))
    >>> state = best.update(best.update(best.start(), {"age": 30.0}, 0), {"age": 40.0}, 1)
    >>> best.predict(state, {"age": 41.0}), best.predict(state, {"age": 31.0})
    (1, 0)
    """

    kind = ConceptClass

    def start(self) -> tuple[Any, ...]:
        """Return the labelled rows so far: none."""
        return ()

    def predict(self, state: tuple[Any, ...], x: Instance) -> int:
        """Ask the ERM oracle."""
        return self.known.erm([(dict(row), y) for row, y in state])(x)

    def update(self, state: tuple[Any, ...], x: Instance, y: int) -> tuple[Any, ...]:
        """Remember the row."""
        return (*state, (tuple(sorted(x.items())) if isinstance(x, dict) else x, y))

    def restored(self, state: Any) -> Any:
        """Return a state as a file gives it back."""
        return tuple((tuple(map(tuple, row)), y) for row, y in state)
