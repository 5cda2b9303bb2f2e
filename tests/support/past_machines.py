"""Base learners given by a function of the labelled past: they have no state that could be wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Past = tuple[tuple[Any, int], ...]
Predict = Callable[[Past, Any], int]


@dataclass(frozen=True)
class OfThePast:
    """A state machine whose state is the whole past."""

    function: Predict

    def start(self) -> Past:
        return ()

    def predict(self, past: Past, x: Any) -> int:
        return self.function(past, x)

    def update(self, past: Past, x: Any, y: int) -> Past:
        return (*past, (x, y))
