"""The base learner of rules on tables: follow the best rule so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adeptree.core.types import Instance
from adeptree.roles.base_learner import MadeFor
from adeptree.roles.concept_class import ConceptClass


@dataclass(frozen=True)
class BestSoFar(MadeFor[ConceptClass]):
    """Predict like a best rule of the rows so far; for tables whose paths are listed.

    >>> from adeptree import TableStumps
    >>> best = BestSoFar().bind(TableStumps(["age"]))
    >>> state = best.update(best.update(best.start(), {"age": 30.0}, 0), {"age": 40.0}, 1)
    >>> best.predict(state, {"age": 41.0}), best.predict(state, {"age": 31.0})
    (1, 0)
    """

    kind = ConceptClass

    def start(self) -> tuple[Any, ...]:
        """Return the empty list of labelled rows."""
        return ()

    def predict(self, state: tuple[Any, ...], x: Instance) -> int:
        """Predict with the ERM oracle's rule."""
        return self.known.erm([(dict(row), y) for row, y in state])(x)

    def update(self, state: tuple[Any, ...], x: Instance, y: int) -> tuple[Any, ...]:
        """Add the row."""
        return (*state, (tuple(sorted(x.items())) if isinstance(x, dict) else x, y))

    def restored(self, state: Any) -> Any:
        """Convert a state read from a file."""
        return tuple((tuple(map(tuple, row)), y) for row, y in state)
