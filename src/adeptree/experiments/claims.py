"""All experiments by name, in the order of the table."""

from __future__ import annotations

import difflib

from adeptree.core.errors import InvalidArgument
from adeptree.experiments import (
    anytime,
    first_order,
    frontier_figure,
    lower_bound,
    oracle_efficiency,
    regret,
    soa_memory,
    tradeoff,
    width,
)
from adeptree.experiments import query_counts as queries
from adeptree.experiments.experiment import Cell, Experiment, Row

EXPERIMENTS: dict[str, Experiment] = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (
        regret,
        width,
        queries,
        oracle_efficiency,
        soa_memory,
        first_order,
        tradeoff,
        lower_bound,
        frontier_figure,
        anytime,
    )
}


def experiment(name: str) -> Experiment:
    """Return the experiment of a name, or say which one may have been meant.

    >>> experiment("regrets")
    Traceback (most recent call last):
    ...
    adeptree.core.errors.InvalidArgument: "regrets" is no experiment; did you mean "regret"?
    """
    if name in EXPERIMENTS:
        return EXPERIMENTS[name]
    near = difflib.get_close_matches(name, EXPERIMENTS, n=1)
    if near:
        raise InvalidArgument(f'"{name}" is no experiment; did you mean "{near[0]}"?')
    raise InvalidArgument(f'"{name}" is no experiment; known are {", ".join(EXPERIMENTS)}')


def run_cell(name: str, cell: Cell) -> Row:
    """Run one cell: what a worker process is told to do, so it must be importable by name."""
    return EXPERIMENTS[name].row(cell)
