"""Experiments: a claim of the paper, the games that measure it, and a check that can fail."""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from adeptree.core.errors import DamagedFile, InvalidArgument, NoBetterThanACoin, got

Cell = dict[str, Any]
"""The configuration of one run: plain values only, the seed among them."""
Row = dict[str, Any]
"""The measurements of one run, with its cell."""

LEVELS = ("tiny", "quick", "full")


@dataclass(frozen=True)
class Verdict:
    """One line of the table: what was promised, what was measured, and whether it held."""

    claim: str
    relation: str
    """Relation of the measured value to the bound: "<=", ">=" or "="."""
    bound: float
    mean: float
    worst: float
    spread: float
    """Standard deviation over seeds (of a fitted exponent: its standard error)."""
    runs: int
    held: bool
    note: str = ""
    within: float = 0.0
    """Tolerance of "="."""
    mutants: int = 0
    """Number of mutants known to make it fail; a check without one has no power."""

    @property
    def outcome(self) -> str:
        """The verdict: a check that no mutant can fail does not count as held."""
        return ("held" if self.mutants else "no power") if self.held else "FAILED"

    @property
    def ratio(self) -> float:
        """The measured value as a multiple of the bound: of the worst run, or the mean if the mean is bounded."""
        measured = self.mean if self.relation == ">=" else self.worst
        return measured / self.bound if self.bound else (1.0 if measured == self.bound else math.inf)


@dataclass(frozen=True)
class Experiment:
    """A claim with its settings, its run and its check; these two are pure functions.

    ``settings`` tell the cells (:func:`grid`), ``run(cell)`` plays one and returns what it measured, and
    ``check(rows)`` compares all of them with the theorem.
    """

    name: str
    theorem: str
    claim: str
    settings: Sequence[Cell]
    run: Callable[[Cell], Row]
    check: Callable[[Sequence[Row]], Iterable[Verdict]]

    def cells(self, level: str) -> list[Cell]:
        """Return the cells of a level: "tiny" (tests), "quick" or "full"."""
        if level not in LEVELS:
            raise InvalidArgument(f"level must be one of {', '.join(LEVELS)}; {got('level', level)}")
        return [cell for config in self.settings for cell in grid(config, level)]

    def row(self, cell: Cell) -> Row:
        """Run one cell; the row holds the cell too, so that it can be read on its own."""
        with warnings.catch_warnings():  # short games promise little, and are played on purpose
            warnings.simplefilter("ignore", NoBetterThanACoin)
            return {**cell, **self.run(cell)}

    def verdicts(self, rows: Sequence[Row]) -> list[Verdict]:
        """Check the rows; nothing measured is nothing shown."""
        if not rows:
            nothing = Verdict(self.claim, "=", math.nan, math.nan, math.nan, 0.0, 0, False, "nothing was measured")
            return [nothing]
        try:
            return list(self.check(rows))
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
            raise altered(self.name, repr(error)) from error


def altered(name: str, how: str) -> DamagedFile:
    """Return the error for rows that an experiment cannot have measured."""
    return DamagedFile(
        f"the rows of {name} do not hold what it measures ({how}); delete {name}.jsonl to have them measured again"
    )


def key_of(experiment: str, cell: Cell, version: str) -> str:
    """Return the name under which a finished cell is kept: a hash of all that its result depends on.

    >>> key_of("regret", {"a": 1, "b": 2}, "1.0") == key_of("regret", {"b": 2, "a": 1}, "1.0")
    True
    """
    text = json.dumps([experiment, version, cell], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def grid(config: Cell, level: str) -> list[Cell]:
    """Return a cell for each combination of values, with seeds 0, 1, ..., ``seeds`` - 1.

    A list stands for each of its values. A dict names the value of each level; "full" is "quick", unless it is given.

    >>> grid({"c": [0.5], "T": {"tiny": 10, "quick": 100}, "seeds": 2}, "tiny")
    [{'c': 0.5, 'T': 10, 'seed': 0}, {'c': 0.5, 'T': 10, 'seed': 1}]
    """
    chosen: Cell = dict(config)
    for name, value in config.items():
        if isinstance(value, dict):
            chosen[name] = value.get(level, value["quick"])
    chosen["seed"] = list(range(chosen.pop("seeds")))
    axes = [value if isinstance(value, (list, tuple)) else [value] for value in chosen.values()]
    return [dict(zip(chosen, values, strict=True)) for values in product(*axes)]


def part(rows: Sequence[Row], name: str) -> list[Row]:
    """Return the rows of one part of an experiment."""
    return [row for row in rows if row["part"] == name]


def groups(rows: Sequence[Row], *names: str) -> dict[tuple[Any, ...], list[Row]]:
    """Return the rows grouped by the values of these columns, in order of first appearance."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return found


def column(rows: Sequence[Row], name: str) -> list[float]:
    """Return one column as floats."""
    return [float(row[name]) for row in rows]
