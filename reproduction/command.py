"""The command ``python3 make.py reproduce``: progress bars, the table, the report, and the exit code."""

from __future__ import annotations

import multiprocessing
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adeptree.app import cli
from adeptree.app.terminal import show, told
from adeptree.core.errors import MissingExtra, StateError

if TYPE_CHECKING:
    from rich.console import Console

    from reproduction.reproduce import Reproduction

FAILED = 1
TROUBLE = 2
"""Never 1, which says that a claim did not hold."""
SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(
    add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, context_settings=SETTINGS
)


@app.command()
def reproduce_command(
    quick: Annotated[bool, typer.Option("--quick/--full", help="Play few seeds and rounds, or more of both.")] = True,
    only: Annotated[str | None, typer.Option("--only", metavar="NAME", help="Run a single experiment.")] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="Processes to use.", show_default="all cores")
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder of the results; runs are kept.")] = Path(
        "results"
    ),
    mutants: Annotated[
        bool, typer.Option("--mutants", help="Change the code instead, and print which check catches each change.")
    ] = False,
) -> None:
    """Measure every claim of the paper and check whether it holds.

    Finished runs are kept in DIR and not run again. The results are a table and DIR/report.html. With --mutants nothing
    is measured: small defects are put into the code, each in the games that show it soonest. --full tries each of them
    in all of its games and writes which check catches which (DIR/power.json). --only names one of them.
    """
    with told(TROUBLE):
        if mutants:
            if not _hunted(only, not quick, _possible(jobs or os.cpu_count() or 1), out):
                raise typer.Exit(FAILED)
            return
        _check_page(out)
        result = _reproduced(quick, only, _possible(jobs or os.cpu_count() or 1), out)
        if not result.held:
            raise typer.Exit(FAILED)


def _hunted(only: str | None, whole: bool, jobs: int, out: Path) -> bool:
    """Try the mutants, print the checks that catch each, and return whether every mutant is caught."""
    import json

    from adeptree.core.files import write_atomically
    from reproduction.mutants.mutation_testing import Caught, hunt, mutants, power, power_of

    def on_done(name: str, caught: Caught) -> None:
        show(f"{name}: {mutants()[name].what}")
        for row in caught.rows or (f"raised {caught.raised}" if caught.raised else "NOT CAUGHT",):
            show(f"    {row}")

    found = hunt(whole, only, jobs, on_done)
    free = [name for name, caught in found.items() if not caught.held]
    caught = power_of(found)
    show(f"{len(found) - len(free)} of {len(found)} mutants caught, by {len(caught['rows'])} checks")
    if only is not None or not whole:
        return not free
    weak = [row for row in power() if row not in caught["rows"]]
    for row in weak:
        show(f"no mutant fails any more: {row}")
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / "power.json", json.dumps(caught, indent=1).encode() + b"\n")
    show(f"which check catches which: {out / 'power.json'}", err=True)
    return not (free or weak)


def _check_page(out: Path) -> None:
    """Refuse, before minutes of work, a folder where the page could not be written after it."""
    page = out / "report.html"
    if page.exists() and not page.is_file():
        raise StateError(f"{page} is not an ordinary file; move it away, or choose another folder with --out")


def _possible(jobs: int) -> int:
    """Return the number of processes; one, with a message, if the system has no shared memory."""
    if jobs == 1:
        return 1
    try:
        multiprocessing.get_context("spawn").Lock()
    except (OSError, ImportError) as error:
        why = getattr(error, "strerror", None) or error
        show(f"adeptree: one process and not {jobs}, as this system has no semaphores for more: {why}", err=True)
        return 1
    return jobs


def _reproduced(quick: bool, only: str | None, jobs: int, out: Path) -> Reproduction:
    from rich.console import Console

    try:
        result = _measured(Console(stderr=True, highlight=False, soft_wrap=True), quick, only, jobs, out)
    except KeyboardInterrupt:
        show(f"adeptree: the runs that finished are kept in {out}: the same command resumes there", err=True)
        raise
    except RuntimeError as error:
        if "start new thread" not in str(error):
            raise
        raise StateError(
            f"this system allows no more threads or processes; try --jobs 1; what finished is kept in {out}"
        ) from None
    # A file or a pipe has no width, so the texts of the table are not wrapped.
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 130)
    with console.capture() as table:
        _print(console, result)
    show(table.get().rstrip("\n"), painted=True)
    _write_page(result)
    return result


def _measured(console: Console, quick: bool, only: str | None, jobs: int, out: Path) -> Reproduction:
    """Run what is missing, under one bar per experiment."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    from reproduction.reproduce import Progress, reproduce

    columns = (TextColumn("{task.description:>18}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bars(*columns, console=console, transient=False) as bars:
        tasks = {}

        def on_progress(progress: Progress) -> None:
            name = progress.experiment
            if name not in tasks:
                tasks[name] = bars.add_task(name, total=progress.total)
            bars.update(tasks[name], completed=progress.finished)

        return reproduce(quick, only, jobs, out, on_progress)


def _print(console: Console, result: Reproduction) -> None:
    """Print the table, one section per experiment, and a last line that sums it up."""
    from rich import box
    from rich.table import Table

    from reproduction.reproduce import COLUMNS, cells_of, summary

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for heading, justify in COLUMNS.items():
        # Numbers never wrap; the words give way on a narrow terminal.
        table.add_column(heading, justify=justify, no_wrap=heading != "claim", overflow="fold")
    for name, verdicts in result.verdicts.items():
        table.add_section()
        table.add_row(f"[bold]{name}[/]", *[""] * (len(COLUMNS) - 1))
        for verdict in verdicts:
            table.add_row(*cells_of(verdict), style=None if verdict.held else "bold red")
    console.print(table)
    failed = [(name, v) for name, verdicts in result.verdicts.items() for v in verdicts if not v.held]
    for name, verdict in failed:
        console.print(f"not held: {name}: {verdict.claim} ({verdict.note})", markup=False, soft_wrap=True)
    console.print(summary(result), markup=False, soft_wrap=True)


def _write_page(result: Reproduction) -> None:
    """Write the HTML page; without matplotlib print a note, and only the table above."""
    from reproduction.report.report_page import write_report

    try:
        path = write_report(result)
    except MissingExtra as error:
        show(f"adeptree: no page was written: {error}", err=True)
        return
    show(f"report: {path}", err=True)


def main() -> None:
    """Run the command line."""
    cli.main(partial(app, prog_name="python3 make.py reproduce"))
