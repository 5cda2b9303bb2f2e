"""The command line, thin: parses, calls, shows."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from adeptree.errors import AdeptreeError, InvalidArgument, StateError
from adeptree.experiments.command import reproduce_command
from adeptree.terminal import show

if TYPE_CHECKING:
    from adeptree.learners import Adept

# Everything that needs numpy is imported inside the commands, so that --help does not wait for it.

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

DEFAULT_STREAM = "machine-alarms"
INTERRUPTED = 130
BROKEN_PIPE = 141
TROUBLES = (AdeptreeError, OSError, MemoryError, KeyboardInterrupt)

CLASSES = {
    "thresholds": ("thresholds(n=1024)", "x >= a; x is a whole number 0..n-1"),
    "intervals": ("intervals(n=256)", "a <= x < b; x is a whole number 0..n-1"),
    "stumps": ("stumps(cuts={'age': [30, 50]})", "feature >= cut or feature < cut, one feature at a time"),
    "blocks": ("blocks(d=3)", "x is one of at most d values, e.g. senders on a blocklist"),
    "conjunctions": ("conjunctions(n=4)", "a and not b and ...; x is n columns of 0 and 1"),
    "disjunctions": ("disjunctions(n=4)", "a or not b or ...; x is n columns of 0 and 1"),
    "parities": ("parities(n=4)", "a xor b xor ...; x is n columns of 0 and 1"),
    "finite": ("finite(table=['001', '011'])", "one row of a table; x is a column of it, 0..n-1"),
}
"""An example and a line for every class that ``--rules`` accepts."""


def _version(wanted: bool) -> None:
    if wanted:
        from adeptree import __version__

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
    with _told():
        width = max(len(example) for example, _ in CLASSES.values())
        show("\n".join(f"{example:<{width}}  {line}" for example, line in CLASSES.values()))


app.command("reproduce")(reproduce_command)


@app.command()
def run(
    stream: Annotated[
        str, typer.Argument(help="A CSV file, - for stdin, or a bundled stream.", show_default=True)
    ] = DEFAULT_STREAM,
    rules: Annotated[str | None, typer.Option(help='Compete with these, e.g. "thresholds(n=1024)".')] = None,
    x: Annotated[
        str | None, typer.Option(help="Column of x; a,b,c for rules on bits. Default: all but the label.")
    ] = None,
    label: Annotated[str | None, typer.Option(help="Column of the label, 0/1/true/false. Default: the last.")] = None,
    horizon: Annotated[int | None, typer.Option(help="Rounds to plan for. Default: the number of rows.")] = None,
    rate: Annotated[str | None, typer.Option(help="paper, first-order or a number. Default: paper.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the guesses. Default: 0.")] = None,
    save: Annotated[str | None, typer.Option(help="Save the learner here at the end, also on Ctrl-C.")] = None,
    resume: Annotated[str | None, typer.Option(help="Go on from a saved learner.")] = None,
    skip: Annotated[int, typer.Option(min=0, help="Pass over the first rows, e.g. those already learnt.")] = 0,
    predictions: Annotated[
        str | None, typer.Option(help="Write round,x,p,guess,y here as CSV; with --resume, append.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show neither progress nor summary.")] = False,
) -> None:
    """Play ADEPT on a stream and compare it with the best rule in hindsight."""
    with _told():
        from adeptree import Adept, parse
        from adeptree.playing import Game
        from adeptree.streams import BUNDLED, open_stream

        _check_outputs(stream, save, predictions)
        learner = _resumed(resume, rules=rules, horizon=horizon, rate=rate, seed=seed) if resume else None
        with open_stream(stream) as source:
            source.skip(skip)
            rules = rules or BUNDLED.get(stream, ("", None))[1]
            concept_class = learner.concept_class if learner else parse(_needed(rules))
            layout = source.layout(concept_class, x, label)
            if learner is None:
                # An empty stream is told of when it is played, not as a wrong horizon.
                rounds = max(1, source.count()) if horizon is None else horizon
                learner = Adept(concept_class, rounds, rate=_rate(rate or "paper"), seed=seed or 0)
            Game(learner, source, layout, skip).play(save, predictions, append=resume is not None, quiet=quiet)


def _needed(rules: str | None) -> str:
    if rules is None:
        raise InvalidArgument(
            'say what to compete with, e.g. --rules "thresholds(n=1024)"; adeptree classes lists more'
        )
    return rules


def _rate(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def _resumed(path: str, **given: object) -> Adept:
    """Load the learner; what it was built with cannot be changed any more."""
    from adeptree import Adept, load

    for name, value in given.items():
        if value is not None:
            raise InvalidArgument(f"--{name} is settled by the learner in {path}; leave it out")
    learner = load(path)
    if not isinstance(learner, Adept):
        raise InvalidArgument(f"--resume: {path} holds a learner of the kind {learner.kind!r}; expected 'adept'")
    return learner


def _check_outputs(stream: str, save: str | None, predictions: str | None) -> None:
    """Refuse, before anything is learnt, an output that would fail at the end or destroy the input."""
    for option, path in (("--save", save), ("--predictions", predictions)):
        if path and os.path.exists(path) and os.path.exists(stream) and os.path.samefile(path, stream):
            raise InvalidArgument(f"{option}: {path} is the stream itself; name another file")
    if save and os.path.exists(save) and not os.path.isfile(save):
        # Saving replaces the file in one step: it would put a file in the place of a device.
        raise InvalidArgument(f"--save: {save} is not an ordinary file; name another")
    if save:
        try:
            tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(save))).close()
        except OSError as error:
            raise InvalidArgument(f"--save: {save} cannot be written: {error.strerror}") from None


@contextmanager
def _told() -> Iterator[None]:
    """Turn what can go wrong into sentences on stderr and an exit code: the only place that does."""
    try:
        yield
    except TROUBLES as error:
        raise typer.Exit(_tell(error)) from None


def _tell(error: BaseException) -> int:
    # Saving or showing may fail while an earlier trouble is on its way: then both are told, in order.
    troubles, link = [error], error
    while earlier := link.__cause__ or (None if link.__suppress_context__ else link.__context__):
        # A bare OSError below another trouble is its reason, which that one's sentence has told.
        if isinstance(earlier, TROUBLES) and not isinstance(earlier, OSError):
            troubles.insert(0, earlier)
        link = earlier
    sentences = dict.fromkeys(_sentence(trouble) for trouble in troubles)
    for sentence in filter(None, sentences):
        typer.echo(f"adeptree: {sentence}", err=True)
    return _code(troubles[0])


def _sentence(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, MemoryError):
        return "out of memory: so many rounds of these rules need more; take fewer, or simpler rules"
    return "" if isinstance(error, BrokenPipeError) else str(error)


def _code(error: BaseException) -> int:
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return BROKEN_PIPE
    return 2 if isinstance(error, AdeptreeError) and not isinstance(error, StateError) else 1


def main() -> None:
    """Run the command line."""
    for output in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter of some column's name gets it escaped.
        if isinstance(output, io.TextIOWrapper):
            output.reconfigure(errors="backslashreplace")
    app()
