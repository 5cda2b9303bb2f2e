"""The two forms of a kernel, side by side in one process: the source, interpreted, and the machine code made of it."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

BUILT = find_spec("adeptree._compiled.ledger_kernel") is not None
"""True if there is machine code for comparison."""


def forms_of(source: str) -> list[Any]:
    """Return the module of a kernel, and its compiled twin where there is one."""
    names = [source, f"adeptree._compiled.{source.rpartition('.')[2]}"]
    return [import_module(name) for name in names[: 1 + BUILT]]


def play_many(engine: Any, labels: Any, costs: Any, probabilities: Any, first: int) -> int:
    """Play the rounds of the engine's batch from ``first`` on, until the rate is due; return the next one."""
    return int(engine.kernel.run(labels, costs, probabilities, first, len(labels)))
