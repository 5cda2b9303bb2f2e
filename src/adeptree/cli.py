"""The command line, thin: parses, calls, shows."""

from __future__ import annotations

import io
import os
import sys
import warnings
from contextlib import suppress
from typing import Annotated, Any

import typer

from adeptree.errors import NoBetterThanACoin
from adeptree.experiments.command import reproduce_command
from adeptree.run_command import run_command
from adeptree.show_command import show_command
from adeptree.terminal import INTERRUPTED, TROUBLES, fill_in, show, tell, told

# Everything that needs numpy is imported inside the commands, so that --help does not wait for it.

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

USAGE_ERROR: Any = typer.BadParameter.__base__
"""What typer raises where the command line does not fit; the module that it is in depends on the release."""

ON_COLUMNS = {
    "stumps": "column >= cut or column < cut, on every column of numbers",
    "stumps(age, bmi)": "the same, on these columns",
    "thresholds(delay)": "column >= cut",
    "intervals(price)": "cut <= column < cut",
    "blocklist(sender, d=3)": "column is one of at most d values",
}
"""Rules on columns of the stream: their cuts and values are found while it is read."""

CLASSES = {
    "thresholds": ("thresholds(n=1024)", "x >= a; x is a whole number 0..n-1"),
    "intervals": ("intervals(n=256)", "a <= x < b; x is a whole number 0..n-1"),
    "stumps": ("stumps(cuts={'age': [30, 50]})", "feature >= cut or feature < cut, one feature at a time"),
    "blocks": ("blocks(d=3)", "x is one of at most d values, e.g. senders on a blocklist"),
    "conjunctions": ("conjunctions(n=4)", "a and not b and ...; x is n columns of 0 and 1"),
    "disjunctions": ("disjunctions(n=4)", "a or not b or ...; x is n columns of 0 and 1"),
    "parities": ("parities(n=4)", "a xor b xor ...; x is n columns of 0 and 1"),
    "finite": ("finite(table=['001', '011'])", "one row of a table; x is a column of it, 0..n-1"),
    "real_thresholds": ("real_thresholds()", "x >= a; x is any number"),
    "real_intervals": ("real_intervals()", "a <= x < b; x is any number"),
    "real_stumps": ("real_stumps(features=['age'])", "feature >= cut or feature < cut; cuts are not given"),
}
"""An example and a line for every class that ``--rules`` accepts as a spec; x is given by ``--x``."""


def _version(wanted: bool) -> None:
    if wanted:
        from adeptree import __version__

        with told():
            show(f"adeptree {__version__}")
        raise typer.Exit


@app.callback()
def adeptree(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Predict 0/1 labels on any stream, almost as well as the best rule in hindsight.

    Start with: adeptree run
    """


@app.command()
def classes() -> None:
    """List the classes of rules that --rules accepts."""
    with told():
        width = max(len(example) for example, _ in CLASSES.values())
        on_columns = [f"  {example:<{width}}  {line}" for example, line in ON_COLUMNS.items()]
        specs = [f"  {example:<{width}}  {line}" for example, line in CLASSES.values()]
        show("\n".join(["On columns of the stream:", *on_columns, "", "On the column of --x, or as named:", *specs]))


app.command("reproduce")(reproduce_command)
app.command("run")(run_command)
app.command("show")(show_command)


def main() -> None:
    """Run the command line."""
    fill_in()
    # No command multiplies large matrices. numpy's threads for that cost memory a core, and where a container allows
    # few threads, numpy cannot even be imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for output in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter of some column's name gets it escaped.
        if isinstance(output, io.TextIOWrapper):
            output.reconfigure(errors="backslashreplace")
    # The summary says it in words where it belongs.
    warnings.simplefilter("ignore", NoBetterThanACoin)
    sys.exit(_code())


def _code() -> int:
    """Run the command and return its exit code; what typer itself shows goes through the same door."""
    try:
        return app(standalone_mode=False) or 0
    except USAGE_ERROR as error:
        text = io.StringIO()
        error.show(file=text)
        with suppress(OSError):  # the code says it too
            show(text.getvalue().rstrip("\n"), err=True)
        return int(error.exit_code)
    except typer.Abort:
        return INTERRUPTED
    except TROUBLES as error:
        return tell(error)
