"""``adeptree run``: its options, and how they become a game."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from adeptree.app.command_options import LearnerOptions, among, command_of, names_of_options
from adeptree.app.terminal import show

if TYPE_CHECKING:
    from adeptree.app.run.streams import Stream

# Everything that needs numpy is imported inside the functions, so that --help does not wait for it.

DEFAULT_STREAM = "machine-alarms"


def _rules_like(incomplete: str) -> list[str]:
    from adeptree.families.registry import families

    return among(*(family.on_columns.word for family in families() if family.on_columns))(incomplete)


@dataclass(frozen=True, kw_only=True)
class Options(LearnerOptions):
    """What was asked for on the command line."""

    stream: Annotated[
        str, typer.Argument(help="A CSV, NDJSON or Parquet file, - for stdin, or a bundled stream.", show_default=True)
    ] = DEFAULT_STREAM
    rules: Annotated[
        str | None,
        typer.Option(
            help='Compete with these: stumps, "stumps(age, sex)", "stumps(values=3)", "thresholds(delay)", '
            '"intervals(price)", "unions(price, m=3)", "steps(price)", "blocklist(sender, d=3)", '
            '"experts(lr, ht, at=0.7)", "thresholds(score) | experts(lr, ht)", or a spec such as '
            '"thresholds(n=1024)"; adeptree rules lists them. Default: stumps, on all columns.',
            autocompletion=_rules_like,
        ),
    ] = None
    label: Annotated[
        str | None,
        typer.Option(help='Column of two values, or a comparison: "delay>15", "kind==spam". Default: the last.'),
    ] = None
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="VALUE",
            help="The label's value that is 1. Default: the greater number, a word such as yes, or the rarer value.",
        ),
    ] = None
    features: Annotated[
        str | None, typer.Option(help="Columns that the rules read (a,b,c), where --rules names none. Default: all.")
    ] = None
    format: Annotated[
        str | None,
        typer.Option(
            help="csv, ndjson or parquet. Default: by the ending of the name, else csv.",
            autocompletion=among("csv", "ndjson", "parquet"),
        ),
    ] = None
    sep: Annotated[
        str | None, typer.Option(help='What splits a line of CSV: one character, "tab" or "space". Default: found out.')
    ] = None
    encoding: Annotated[
        str | None, typer.Option(help="Of a text, e.g. cp1252. Default: UTF-8, and cp1252 where a line is none.")
    ] = None
    decimal: Annotated[str, typer.Option(help='"," if the numbers of a CSV have a decimal comma.')] = "."
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line names the columns.",
            show_default="unless all are numbers",
        ),
    ] = None
    on_bad_row: Annotated[
        Literal["stop", "skip"],
        typer.Option(help="What to do at a row that cannot be read; either way it is reported."),
    ] = "stop"
    follow: Annotated[
        bool,
        typer.Option(
            "--follow",
            help="Answer every row with a line p,guess on stdout before reading the next; rows without a label are "
            "answered and not learnt. The summary goes to stderr.",
        ),
    ] = False
    predictions: Annotated[
        str | None,
        typer.Option(
            help="Write row,p,guess,y here as CSV, with the value of an only column; p is the chance of guessing 1."
        ),
    ] = None
    report: Annotated[str | None, typer.Option(help="Write a page about the run here, as HTML.")] = None
    save: Annotated[
        str | None, typer.Option(metavar="DIR", help="Keep the run in this directory, row by row, to survive a crash.")
    ] = None
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with the run in --save, if there is one; same settings, same stream."),
    ] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what was detected, and stop: nothing is learnt or written.")
    ] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show neither progress nor summary.")] = False
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="Show in the summary what was drawn too, and width, queries and rates."),
    ] = False
    frequency: Annotated[
        bool,
        typer.Option(
            "--frequency",
            help="Add to predictions and answers how often rows like this were 1, calibrated as the run goes "
            "(p is the chance that the learner guesses 1, and no frequency).",
        ),
    ] = False
    weight: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of weights: how many times the costs a row counts.")
    ] = None
    key: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Labels may come late: a row without one waits under its key for a row with the same key and a label.",
        ),
    ] = None
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Labels in a second file or pipe, with columns for --key and --label, in any order: read before the "
            "first row, or with --follow as they come.",
        ),
    ] = None

    def settings(self) -> dict[str, Any]:
        """Return all that decides what a run computes: a resumed run must have the same, and may have other outputs."""
        left_out = ("save", "resume", "quiet", "verbose", "dry_run", "report", "predictions")
        return {name: getattr(self, name) for name in names_of_options(Options) if name not in left_out}


def _run(options: Options) -> None:
    """Play ADEPT on a stream and compare it with the best rule in hindsight."""
    from adeptree.app.run.answers import Answers
    from adeptree.app.run.dry_run import dry_run
    from adeptree.app.run.late_game import LateGame
    from adeptree.app.run.outputs import check_outputs
    from adeptree.app.run.playing import Game
    from adeptree.app.run.row_keys import label_column, with_labels
    from adeptree.app.run.starting import fresh, meanings, resumed, understood
    from adeptree.app.run.stream_sources import form_of, open_stream
    from adeptree.runner.run_folder import RunFolder

    check_outputs(options)
    with ExitStack() as stack:
        folder = None
        if options.save:
            folder = stack.enter_context(RunFolder(options.save, options.resume, options.follow))
        form = form_of(options.sep, options.encoding, options.decimal, options.header, options.follow)
        if options.key and options.label:
            form = replace(form, also=(label_column(options.label),))
        stream = stack.enter_context(open_stream(options.stream, options.format, form))
        answers = Answers(stream.answers, options.frequency) if options.follow and not options.dry_run else None
        if answers:
            answers.open()
        labels = None
        if options.labels and options.key:
            # (a pipe has no ending that tells its format)
            format = None if os.path.splitext(options.labels)[1] else options.format
            apart = stack.enter_context(open_stream(options.labels, format, form))
            stack.callback(_tell_remarks, apart)
            stream, labels, label = with_labels(stream, apart, options.key, options.label)
            options = replace(options, label=label)
        stack.callback(_tell_remarks, stream)
        layout = understood(options, stream, labels, folder)
        _tell_remarks(stream)
        learner = resumed(folder, layout) or fresh(options, layout)
        if options.dry_run:
            show(dry_run(options, stream, layout, learner))
            return
        if folder:
            folder.begin({**options.settings(), "columns": stream.columns, "found": meanings(layout)})
        game = Game(learner, stream, layout, options, answers)
        if options.key:
            game = LateGame(learner, stream, layout, options, answers, key=options.key, labels=labels)
        if folder:
            game.go_on(folder)
        game.play()


run_command = command_of(Options, _run)


def _tell_remarks(stream: Stream) -> None:
    while stream.remarks:
        show(f"adeptree: {stream.remarks.pop(0)}", err=True)
