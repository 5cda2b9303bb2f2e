"""Mutation testing of the checks: a check that no mutant can fail has no power.

A mutant (``catalogue``) changes one thing in the library or in the game while its experiments run. A row of the table
that no mutant makes fail is not shown as "held". ``power.json`` lists the mutants that each row catches at the level
"quick", and the fewest games that show each mutant; ``python3 make.py reproduce --mutants --full`` writes it again.
"""

from __future__ import annotations

import inspect
import json
import multiprocessing
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module, resources
from typing import Any, NamedTuple
from unittest.mock import patch

from adeptree.core.errors import DamagedFile, InvalidArgument, StateError, unknown
from reproduction.claims import experiment
from reproduction.experiment import Cell, Row

Change = Callable[[Any], Any]
"""From what is there to what takes its place."""
Timed = tuple[Row, float]
"""A row, and the seconds it took."""
RAISED = "raised"
POWER = "power.json"


@dataclass(frozen=True)
class Mutant:
    """A deliberate defect: the changes, and the experiments to play with them."""

    what: str
    """A description for the table."""
    targets: Mapping[str, Change]
    """By "module:name" or "module:class.name"; modules are below ``adeptree``, or begin with "reproduction."."""
    played: Mapping[str, Cell]
    """Experiments, each with what its cells must hold ({} for all of them)."""

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Change everything, and put it back at the end."""
        with ExitStack() as stack:
            for target, change in self.targets.items():
                module, _, path = target.partition(":")
                *outer, name = path.split(".")
                owner: Any = import_module(module if module.startswith("reproduction.") else f"adeptree.{module}")
                for part in outer:
                    owner = getattr(owner, part)
                stack.enter_context(patch.object(owner, name, change(inspect.getattr_static(owner, name))))
            yield


class Place(NamedTuple):
    """Some games of an experiment, and how many seconds of processor time they take."""

    experiment: str
    where: Cell
    seconds: float


NOTHING = Mutant("nothing is changed", {}, {})


@dataclass(frozen=True)
class Caught:
    """The rows that failed with a mutant, and the first exception of a run."""

    rows: tuple[str, ...]
    raised: str = ""
    quickest: Place | None = None
    """The fewest games that show it."""

    @property
    def held(self) -> bool:
        """True if it was caught."""
        return bool(self.rows or self.raised)


def mutants() -> dict[str, Mutant]:
    """Return all of them, by name."""
    from reproduction.mutants.catalogue import MUTANTS

    return MUTANTS


def run_mutated(mutant: Mutant, name: str, cell: Cell) -> Row:
    """Run one cell with a mutant at work."""
    with mutant.at_work():
        try:
            return experiment(name).row(cell)
        except (AttributeError, ImportError, NameError, TypeError) as error:  # the mutant no longer fits the code
            error.add_note(f"mutant: {mutant.what}")
            raise
        except Exception as error:  # any other error is a catch
            return {**cell, RAISED: f"{type(error).__name__}: {error}"}


def caught_by(mutant: Mutant, name: str, rows: Sequence[Row]) -> Caught:
    """Return what the checks say of rows that were measured with a mutant at work."""
    whole = [row for row in rows if RAISED not in row]
    raised = next((row[RAISED] for row in rows if RAISED in row), "")
    if not whole:
        return Caught((), raised)
    with mutant.at_work():  # a bound that was lowered is lowered for the check, too
        failed = [key(name, v.claim) for v in experiment(name).verdicts(whole) if not v.held]
    return Caught(tuple(dict.fromkeys(failed)), raised)


def tried(mutant: Mutant | str, name: str, where: Cell, level: str, honest: Sequence[Timed] = ()) -> Caught:
    """Play a mutant in one experiment: the task of a worker process.

    ``honest`` are all rows of the experiment as they should be, with their seconds: then the fewest games that show
    the mutant are searched, too.
    """
    mutant = mutants()[mutant] if isinstance(mutant, str) else mutant
    cells = [cell for cell in experiment(name).cells(level) if fits(cell, where)]
    rows = [run_mutated(mutant, name, cell) for cell in cells]
    caught = caught_by(mutant, name, rows)
    if not honest or not caught.held:
        return caught
    places = {json.dumps(place): place for cell in cells for place in _places(cell)}.values()
    for place in sorted(places, key=lambda place: sum(t for row, t in honest if fits(row, place))):
        if _hold(name, [row for row, _ in honest if fits(row, place)]):
            here = caught_by(mutant, name, [row for row in rows if fits(row, place)])
            if here.rows or (here.held and not caught.rows):
                seconds = sum(t for row, t in honest if fits(row, place))
                return replace(caught, quickest=Place(name, place, round(seconds, 2)))
    return caught


def _hold(name: str, rows: Sequence[Row]) -> bool:
    """Return True if the checks are possible with these rows only, and hold."""
    with suppress(DamagedFile):
        return all(v.held for v in experiment(name).verdicts(rows))
    return False


def _places(cell: Cell) -> Iterator[Cell]:
    """Return what may be asked of cells so that this one is among them: one or two of its values."""
    values = {k: v for k, v in cell.items() if k != "seed" and not isinstance(v, list)}
    yield {}
    for k, v in values.items():
        yield {k: v}
        if k != "part" and "part" in values:
            yield {"part": values["part"], k: v}


def fits(cell: Cell, where: Cell) -> bool:
    """Return True if a cell (or its row) has all of these values."""
    return all(cell.get(k) == v for k, v in where.items())


def hunt(
    whole: bool = False,
    only: str | None = None,
    jobs: int = 1,
    on_done: Callable[[str, Caught], None] | None = None,
    level: str = "quick",
) -> dict[str, Caught]:
    """Play every mutant, or one: where it is known to be caught soonest, or (``whole``) in all that it is made for.

    Each mutant has its own process, so that no cache of one reaches another. The same games are played without any
    change first, and no check may fail there.
    """
    names = list(mutants()) if only is None else [only]
    for name in names:
        if name not in mutants():
            raise InvalidArgument(unknown(name, "mutant", list(mutants())))
    with ProcessPoolExecutor(jobs, mp_context=_context(), max_tasks_per_child=1) as workers:
        if whole:
            return _whole_hunt(workers, names, level, on_done)
        places = {name: quickest(name) for name in names}
        idle = {json.dumps([p.experiment, p.where]): p for p in places.values()}
        calm = {k: workers.submit(tried, NOTHING, p.experiment, p.where, level) for k, p in idle.items()}
        tries = {name: workers.submit(tried, name, p.experiment, p.where, level) for name, p in places.items()}
        for k, future in calm.items():
            if future.result().held:
                raise StateError(f"something is caught although nothing is changed, in {k}: {future.result()}")
        return _results({name: [future] for name, future in tries.items()}, on_done)


def _whole_hunt(
    workers: ProcessPoolExecutor, names: Sequence[str], level: str, on_done: Callable[[str, Caught], None] | None
) -> dict[str, Caught]:
    experiments = dict.fromkeys(e for name in names for e in mutants()[name].played)
    cells = {e: experiment(e).cells(level) for e in experiments}
    running = {e: [workers.submit(_timed, e, some) for some in _shares(cells[e])] for e in cells}
    honest = {e: [timed for future in futures for timed in future.result()] for e, futures in running.items()}
    return _results(
        {
            name: [
                workers.submit(tried, name, e, where, level, honest[e]) for e, where in mutants()[name].played.items()
            ]
            for name in names
        },
        on_done,
    )


def _shares(cells: Sequence[Cell], size: int = 40) -> list[Sequence[Cell]]:
    return [cells[start : start + size] for start in range(0, len(cells), size)]


def _timed(name: str, cells: Sequence[Cell]) -> list[Timed]:
    """Run cells, and see how long each takes."""
    rows = []
    for cell in cells:
        started = time.process_time()
        rows.append((experiment(name).row(cell), time.process_time() - started))
    return rows


def _results(
    tries: Mapping[str, Sequence[Future[Caught]]], on_done: Callable[[str, Caught], None] | None
) -> dict[str, Caught]:
    """Return for each mutant what all its experiments say."""
    found = {}
    for name, futures in tries.items():
        parts = [future.result() for future in futures]
        places = sorted((p.quickest for p in parts if p.quickest), key=lambda place: place.seconds)
        rows = tuple(dict.fromkeys(row for p in parts for row in p.rows))
        found[name] = Caught(rows, next((p.raised for p in parts if p.raised), ""), places[0] if places else None)
        if on_done is not None:
            on_done(name, found[name])
    return found


def _context() -> multiprocessing.context.BaseContext:
    """Return how processes are started: where possible from one that has imported everything already."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([f"{__package__}.catalogue"])
    return context


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
def _known() -> dict[str, Any]:
    text = resources.files(__package__).joinpath(POWER).read_text(encoding="utf-8")
    return json.loads(text)  # type: ignore[no-any-return]


def power() -> dict[str, list[str]]:
    """Return for each row the mutants that it is known to catch."""
    return _known()["rows"]  # type: ignore[no-any-return]


def quickest(mutant: str) -> Place:
    """Return the fewest games that are known to show a mutant."""
    try:
        return Place(*_known()["quickest"][mutant])
    except KeyError:
        raise StateError(f'no check is known to catch "{mutant}"; --mutants --full searches for one') from None


def power_of(found: Mapping[str, Caught]) -> dict[str, Any]:
    """Return what was found now, as it is kept."""
    rows = sorted({row for caught in found.values() for row in caught.rows})
    return {
        "rows": {row: [name for name, caught in found.items() if row in caught.rows] for row in rows},
        "quickest": {name: list(caught.quickest) for name, caught in found.items() if caught.quickest},
    }
