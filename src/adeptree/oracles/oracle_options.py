"""What an OracleClass accepts."""

from __future__ import annotations

from concurrent.futures import Executor

from adeptree.core.arguments import check_size
from adeptree.core.errors import InvalidArgument, got

STRATEGIES = ("auto", "cubes", "bits", "literal", "paper")


def check_sources(find: object, realizable: object, find_many: object) -> None:
    """Say so if there is not exactly one way to ask."""
    if (find is None and find_many is None) == (realizable is None):
        raise InvalidArgument(
            "give exactly one of find= (returns a concept or None; find_many= for a list of samples) and "
            "realizable= (a bool)"
        )


def check_options(
    strategy: object,
    repeats: object,
    on_unknown: object,
    call_cost: object,
    executor: object,
    batch: object,
    finds: bool,
) -> None:
    """Say what is wrong with the options, if anything is."""
    if repeats not in ("infer", "ask"):
        raise InvalidArgument(f'repeats must be "infer" or "ask"; {got("repeats", repeats)}')
    if strategy not in STRATEGIES:
        raise InvalidArgument(f"strategy must be one of {', '.join(STRATEGIES)}; {got('strategy', strategy)}")
    if strategy == "cubes" and not (finds and repeats == "infer"):
        raise InvalidArgument('strategy="cubes" needs find= and repeats="infer"; give those, or strategy="auto"')
    if strategy == "bits" and (finds or repeats == "ask"):
        raise InvalidArgument('strategy="bits" needs realizable= and repeats="infer"; give those, or strategy="auto"')
    if on_unknown not in ("raise", "keep"):
        raise InvalidArgument(f'on_unknown must be "raise" or "keep"; {got("on_unknown", on_unknown)}')
    if call_cost is not None and not (isinstance(call_cost, (int, float)) and 0 <= call_cost < float("inf")):
        raise InvalidArgument(f"call_cost must be a number of seconds; {got('call_cost', call_cost)}")
    if executor is not None and not isinstance(executor, Executor):
        raise InvalidArgument(
            f"executor must be one, such as adeptree.core.workers.processes(2); {got('executor', executor)}"
        )
    if batch is not None:
        check_size("batch", batch)
