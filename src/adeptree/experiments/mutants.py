"""Runs experiments on sabotaged code: a row that holds whatever is broken says nothing.

A mutant (``sabotages``) changes one thing in the library or in the game while its experiments are played. A row of the
table that no mutant makes fail has no power, and is not shown as "held" (``power.json`` holds who caught what at the
level "quick"; ``adeptree reproduce --mutants`` makes it anew).
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module, resources
from typing import Any
from unittest.mock import patch

from adeptree.core.errors import InvalidArgument, unknown
from adeptree.experiments.claims import experiment
from adeptree.experiments.experiment import Cell, Row
from adeptree.experiments.runner import Task, run_tasks

Change = Callable[[Any], Any]
"""From what is there to what takes its place."""
RAISED = "raised"
POWER = "power.json"


@dataclass(frozen=True)
class Mutant:
    """A sabotage: what is changed, and the experiments that are played with it."""

    what: str
    """A sentence for the table."""
    targets: Mapping[str, Change]
    """By "module:name" or "module:class.name", below ``adeptree``."""
    played: Mapping[str, Cell]
    """Experiments, each with what its cells must hold ({} for all of them)."""

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Change everything, and put it back at the end."""
        with ExitStack() as stack:
            for target, change in self.targets.items():
                module, _, path = target.partition(":")
                *outer, name = path.split(".")
                owner: Any = import_module(f"adeptree.{module}")
                for part in outer:
                    owner = getattr(owner, part)
                stack.enter_context(patch.object(owner, name, change(inspect.getattr_static(owner, name))))
            yield

    def cells(self, name: str, level: str) -> list[Cell]:
        """Return the cells of an experiment that are played with it."""
        wanted = self.played[name]
        return [cell for cell in experiment(name).cells(level) if all(cell.get(k) == v for k, v in wanted.items())]


@dataclass(frozen=True)
class Caught:
    """Which rows failed with a mutant at work, and in how many runs something was raised."""

    rows: tuple[str, ...]
    raised: str = ""
    """The first thing that was raised."""

    @property
    def held(self) -> bool:
        """Whether it was caught at all."""
        return bool(self.rows or self.raised)


def mutants() -> dict[str, Mutant]:
    """Return all of them, by name."""
    from adeptree.experiments.sabotages import MUTANTS

    return MUTANTS


def run_sabotaged(mutant: str, name: str, cell: Cell) -> Row:
    """Run one cell with a mutant at work: what a worker process is told to do."""
    with mutants()[mutant].at_work():
        try:
            return experiment(name).row(cell)
        except Exception as error:  # whatever it is: the sabotage did not go unnoticed
            return {**cell, RAISED: f"{type(error).__name__}: {error}"}


def caught_by(mutant: str, rows: Mapping[str, list[Row]]) -> Caught:
    """Return what the checks say of rows that were measured with a mutant at work."""
    failed, raised = [], ""
    for name, measured in rows.items():
        whole = [row for row in measured if RAISED not in row]
        raised = raised or next((row[RAISED] for row in measured if RAISED in row), "")
        if not whole:
            continue
        with mutants()[mutant].at_work():  # a bound that was lowered is lowered for the check, too
            failed += [key(name, v.claim) for v in experiment(name).verdicts(whole) if not v.held]
    return Caught(tuple(dict.fromkeys(failed)), raised)


def hunt(
    level: str = "quick",
    only: str | None = None,
    jobs: int | str = 1,
    on_done: Callable[[str, Caught], None] | None = None,
) -> dict[str, Caught]:
    """Play every mutant, or one, and return who caught it."""
    names = list(mutants()) if only is None else [only]
    for name in names:
        if name not in mutants():
            raise InvalidArgument(unknown(name, "mutant", list(mutants())))
    found = {}
    for name in names:
        mutant = mutants()[name]
        tasks: list[Task] = [(e, cell) for e in mutant.played for cell in mutant.cells(e, level)]
        rows: dict[tuple[str, str], Row] = {}

        def done(task: Task, row: Row, seconds: float, kept: dict[tuple[str, str], Row] = rows) -> None:
            kept[task[0], json.dumps(task[1])] = row

        # Fresh workers for each: nothing that was remembered under a sabotage meets the next.
        run_tasks(tasks, done, jobs, work=partial(run_sabotaged, name))
        # In the order of the cells, whoever finished first.
        measured = {e: [rows[e, json.dumps(c)] for c in mutant.cells(e, level)] for e in mutant.played}
        found[name] = caught_by(name, measured)
        if on_done is not None:
            on_done(name, found[name])
    return found


def key(name: str, claim: str) -> str:
    """Return the name of a row."""
    return f"{name}: {claim}"


def catches(name: str, claim: str) -> int:
    """Return how many mutants are known to make the row fail; its numbers may be those of another level.

    >>> catches("width", "active paths on thresholds(n=4096)") > 0, catches("width", "pigs fly")
    (True, 0)
    """
    row = key(name, claim)
    if row in power():
        return len(power()[row])
    like = [found for known, found in power().items() if _without_numbers(known) == _without_numbers(row)]
    return min(map(len, like), default=0)


def _without_numbers(row: str) -> str:
    return re.sub("[0-9]+", "#", row)


@cache
def power() -> dict[str, list[str]]:
    """Return for each row the mutants that it is known to catch."""
    text = resources.files(__package__).joinpath(POWER).read_text(encoding="utf-8")
    return json.loads(text)  # type: ignore[no-any-return]


def power_of(found: Mapping[str, Caught]) -> dict[str, list[str]]:
    """Return the same from what was found now."""
    rows = sorted({row for caught in found.values() for row in caught.rows})
    return {row: [name for name, caught in found.items() if row in caught.rows] for row in rows}
