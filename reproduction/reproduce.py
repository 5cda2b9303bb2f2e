"""Reproduce the paper: run the cells that no journal holds, then check every claim."""

from __future__ import annotations

import json
import math
import os
import platform
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from adeptree import __version__
from adeptree.core.errors import StateError
from adeptree.core.files import write_atomically
from reproduction.claims import EXPERIMENTS, experiment
from reproduction.experiment import Cell, Experiment, Row, Verdict, altered
from reproduction.journal import Journal
from reproduction.mutants.mutation_testing import catches
from reproduction.runner import Task, run_tasks

DRAWN = ("curve", "curves")
"""Suffix of columns that are kept for one seed only, for a figure."""


@dataclass(frozen=True)
class Progress:
    """The progress of an experiment."""

    experiment: str
    finished: int
    total: int


@dataclass(frozen=True)
class Reproduction:
    """The measurements and verdicts by experiment, and how they were computed."""

    rows: dict[str, list[Row]]
    verdicts: dict[str, list[Verdict]]
    manifest: dict[str, Any]
    out: Path

    @property
    def held(self) -> bool:
        """True if every claim held."""
        return all(verdict.held for verdicts in self.verdicts.values() for verdict in verdicts)


def reproduce(
    quick: bool = True,
    only: str | Sequence[str] | None = None,
    jobs: int | Executor = 1,
    out: str | os.PathLike[str] = "results",
    on_progress: Callable[[Progress], None] | None = None,
    *,
    level: str | None = None,
) -> Reproduction:
    """Measure the claims of the paper and check them.

    Finished runs are kept in ``out`` (one file of JSON lines per experiment) and not run again. ``only`` names one
    experiment or several. ``level`` overrides ``quick``; "tiny" is for tests, too small to show anything. With
    ``jobs`` > 1 a script must call this under ``if __name__ == "__main__":``, because new processes import the script.
    ``jobs`` may be any executor, e.g. that of a Dask cluster (``docs/howto/many-cores.md``).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = reproduce(level="tiny", only="width", out=folder)
    >>> result.held, len(result.rows["width"])
    (True, 6)
    """
    names = list(EXPERIMENTS) if only is None else [only] if isinstance(only, str) else list(only)
    chosen = [experiment(name) for name in names]
    level = level or ("quick" if quick else "full")
    cells = {e.name: e.cells(level) for e in chosen}
    folder = _folder(out)
    journals = {e.name: Journal(folder, e.name, __version__) for e in chosen}
    kept = sum(j.row(cell) is not None for name, j in journals.items() for cell in cells[name])
    started = time.time()
    manifest = _manifest(level, chosen, cells, jobs, kept)
    _write(folder / "manifest.json", manifest)
    _run_missing(cells, journals, jobs, on_progress)
    rows = {name: [journal.rows[journal.key(cell)] for cell in cells[name]] for name, journal in journals.items()}
    for name in rows:
        _check_alike(name, rows[name], cells[name])
    verdicts = {
        e.name: [replace(v, mutants=catches(e.name, v.claim)) for v in e.verdicts(rows[e.name])] for e in chosen
    }
    manifest["wall_seconds"] = round(time.time() - started, 1)
    manifest["cpu_seconds"] = round(sum(j.seconds[j.key(c)] for n, j in journals.items() for c in cells[n]), 1)
    _write(folder / "manifest.json", manifest)
    _write(folder / "verdicts.json", {name: [asdict(v) for v in found] for name, found in verdicts.items()})
    return Reproduction(rows, verdicts, manifest, folder)


def _run_missing(
    cells: dict[str, list[Cell]],
    journals: dict[str, Journal],
    jobs: int | Executor,
    on_progress: Callable[[Progress], None] | None,
) -> None:
    """Run the cells that no journal holds, and tell how far each experiment is."""
    missing = {name: [c for c in cells[name] if journals[name].row(c) is None] for name in cells}
    finished = {name: len(cells[name]) - len(missing[name]) for name in cells}

    def tell(name: str) -> None:
        if on_progress is not None:
            on_progress(Progress(name, finished[name], len(cells[name])))

    def done(task: Task, row: Row, seconds: float) -> None:
        name, cell = task
        journals[name].add(cell, row, seconds)
        finished[name] += 1
        tell(name)

    for name in cells:
        tell(name)
    run_tasks([(name, cell) for name in missing for cell in missing[name]], done, jobs)


def _check_alike(name: str, rows: Sequence[Row], cells: Sequence[Cell]) -> None:
    """Refuse rows that one experiment cannot have measured.

    A column holds one kind of value; cells that differ in nothing but their seed measure the same columns (seed 0
    perhaps curves too, to be drawn).
    """
    kinds: dict[str, str] = {}
    for row, cell in zip(rows, cells, strict=True):
        drawn = DRAWN if cell.get("seed") == 0 else ()
        case = f"columns of {json.dumps({**cell, 'seed': None}, sort_keys=True)}"
        found = {column: _kind(value) for column, value in row.items()}
        found[case] = ", ".join(sorted(column for column in row if not column.endswith(drawn)))
        for what, kind in found.items():
            if kind and kinds.setdefault(what, kind) != kind:
                raise altered(name, f"{what}: {kinds[what]} here and {kind} there")


def _kind(value: Any) -> str:
    """Return what kind of value it is, "" for none.

    >>> [_kind(value) for value in (1, 2.5, [1, 2], {"b": [1], "a": 2}, None)]
    ['number', 'number', 'number list', '{a: number, b: number list}', '']
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_kind(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        kinds = sorted({_kind(part) for part in value} - {""})
        return " or ".join(kinds) + " list" if kinds else ""
    if value is None:
        return ""
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__


def _folder(out: str | os.PathLike[str]) -> Path:
    """Make the folder of results, or say why it cannot be."""
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StateError(
            f"results cannot be written to {folder}: {reason}; choose another folder with --out"
        ) from error
    return folder


def _manifest(
    level: str, chosen: Sequence[Experiment], cells: dict[str, list[Cell]], jobs: int | Executor, kept: int
) -> dict[str, Any]:
    """Return the settings, seeds and versions that a second run needs."""
    return {
        "level": level,
        "jobs": jobs if isinstance(jobs, int) else type(jobs).__name__,
        "kept_from_before": kept,
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "versions": {
            "adeptree": __version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
            "platform": platform.platform(),
        },
        "experiments": {
            e.name: {
                "theorem": e.theorem,
                "claim": e.claim,
                "cells": len(cells[e.name]),
                "seeds": sorted({cell["seed"] for cell in cells[e.name]}),
                "settings": cells[e.name],
            }
            for e in chosen
        },
    }


def _write(path: Path, content: Any) -> None:
    write_atomically(path, json.dumps(content, indent=1, sort_keys=True).encode() + b"\n")


COLUMNS: dict[str, Any] = dict.fromkeys(
    ("claim", "bound", "mean", "worst", "spread", "ratio", "mutants", "held"), "right"
)
COLUMNS |= {"claim": "left", "held": "left"}
"""The columns of the table, and the side where they stand."""


def cells_of(verdict: Verdict) -> list[str]:
    """Return the columns of one verdict."""
    sign = {"<=": "≤", ">=": "≥", "=": "="}[verdict.relation]
    within = f" ± {verdict.within:g}" if verdict.within else ""
    return [
        verdict.claim,
        f"{sign} {number(verdict.bound)}{within}",
        number(verdict.mean),
        number(verdict.worst),
        f"± {number(verdict.spread)}",
        number(verdict.ratio),
        str(verdict.mutants),
        verdict.outcome,
    ]


def number(value: float) -> str:
    """Return a number of about three digits.

    >>> number(0.0), number(0.12345), number(3.14159), number(1234.5), number(83278001.0)
    ('0', '0.123', '3.14', '1,234', '8.33e+07')
    """
    if not math.isfinite(value):
        return "-"
    if value == 0:
        return "0"
    if abs(value) >= 1e6 or abs(value) < 5e-4:
        return f"{value:.2e}"
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def summary(result: Reproduction) -> str:
    """Return the last line: how many claims held, in how many runs."""
    verdicts = [verdict for found in result.verdicts.values() for verdict in found]
    held = sum(verdict.outcome == "held" for verdict in verdicts)
    weak = sum(verdict.outcome == "no power" for verdict in verdicts)
    runs = sum(len(rows) for rows in result.rows.values())
    cpu = result.manifest["cpu_seconds"]
    said = f"{held} of {len(verdicts)} checks held" + (f", {weak} more that no mutant can fail" if weak else "")
    return f"{said}; {runs} runs, {cpu:.0f} s of processor time; kept in {result.out}"
