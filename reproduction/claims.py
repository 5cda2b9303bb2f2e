"""Registry of the experiments, in the order of the table: the claims of ``claims.toml`` and their modules."""

from __future__ import annotations

import tomllib
from importlib import import_module, resources

from adeptree.core.errors import InvalidArgument, unknown
from reproduction.experiment import Cell, Experiment, Row

CLAIMS = tomllib.loads(resources.files(__package__).joinpath("claims.toml").read_text(encoding="utf-8"))


def _experiment(name: str) -> Experiment:
    told = CLAIMS[name]
    module = import_module(f"{__package__}.experiments.{told['module']}")
    return Experiment(name, told["theorem"], told["claim"], told["settings"], module.run, module.check)


EXPERIMENTS = {name: _experiment(name) for name in CLAIMS}


def experiment(name: str) -> Experiment:
    """Return the experiment of a name, or say which one may have been meant.

    >>> experiment("regrets")
    Traceback (most recent call last):
    ...
    adeptree.core.errors.InvalidArgument: unknown experiment "regrets"; did you mean "regret"?
    """
    if name not in EXPERIMENTS:
        raise InvalidArgument(unknown(name, "experiment", list(EXPERIMENTS)))
    return EXPERIMENTS[name]


def run_cell(name: str, cell: Cell) -> Row:
    """Run one cell: the task of a worker process, so it must be importable by name."""
    return EXPERIMENTS[name].row(cell)
