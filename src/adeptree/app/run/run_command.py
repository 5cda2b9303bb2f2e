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
    from adeptree.app.run.playing import Game
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
            help='Rules to compete with; adeptree rules lists them. For example stumps, "stumps(age, sex)", '
            '"stumps(values=3)", "thresholds(delay)", '
            '"intervals(price)", "unions(price, m=3)", "steps(price)", "blocklist(sender, d=3)", '
            '"experts(lr, ht, at=0.7)", "thresholds(score) | experts(lr, ht)", or a spec such as '
            '"thresholds(n=1024)".',
            show_default="stumps, on all columns",
            autocompletion=_rules_like,
        ),
    ] = None
    label: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN|TEST",
            help='Column of two values, or a comparison: "delay>15", "kind==spam".',
            show_default="the last column",
        ),
    ] = None
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="VALUE",
            help="The value of the label that is 1.",
            show_default="the greater number, a word such as yes, or the rarer value",
        ),
    ] = None
    features: Annotated[
        str | None, typer.Option(metavar="COLUMNS", help="Columns that the rules read (a,b,c).", show_default="all")
    ] = None
    format: Annotated[
        str | None,
        typer.Option(
            metavar="csv|ndjson|parquet",
            help="Format of the stream.",
            show_default="by the ending of the name, else csv",
            autocompletion=among("csv", "ndjson", "parquet"),
        ),
    ] = None
    sep: Annotated[
        str | None,
        typer.Option(help='Separator of CSV: one character, "tab" or "space".', show_default="detected"),
    ] = None
    encoding: Annotated[
        str | None,
        typer.Option(help="Encoding of a text, e.g. cp1252.", show_default="UTF-8, and cp1252 for other lines"),
    ] = None
    decimal: Annotated[str, typer.Option(metavar=".|,", help='"," if the numbers of a CSV have a decimal comma.')] = "."
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
        typer.Option(help="Stop at a row that cannot be read, or skip it. Either way it is reported."),
    ] = "stop"
    follow: Annotated[
        bool,
        typer.Option(
            "--follow",
            help="Answer each row on stdout before reading the next. Rows without a label are answered and not learnt. "
            "The summary goes to stderr.",
        ),
    ] = False
    predictions: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write every prediction as CSV. The columns are row, p, guess and y, and the value if the rules read "
            "one column. p is the chance of guessing 1.",
        ),
    ] = None
    report: Annotated[str | None, typer.Option(metavar="FILE", help="Write an HTML report.")] = None
    save: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Keep the run in this directory, row by row, so that a crash loses nothing."),
    ] = None
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Resume the run in --save, if there is one. The settings and the stream must be the same."
        ),
    ] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what was detected, and stop: nothing is learnt or written.")
    ] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show neither progress nor summary.")] = False
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="Add the drawn guesses, the width, queries and rates to the summary."),
    ] = False
    frequency: Annotated[
        bool,
        typer.Option(
            "--frequency",
            help="Add calibrated frequencies of the label 1 to predictions and answers. (p is the chance that the "
            "learner guesses 1, not a frequency.)",
        ),
    ] = False
    weight: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of weights: a row counts this number of times.")
    ] = None
    key: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Match late labels to rows by this column. A row without a label waits for a row with the same key.",
        ),
    ] = None
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Read late labels from a second file or pipe. It has columns for --key and --label, in any order, and "
            "is read before the first row, or with --follow as it comes.",
        ),
    ] = None
    separate: Annotated[
        bool,
        typer.Option("--separate", help="With --by: a separate learner for each segment. They share nothing."),
    ] = False
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="With --separate: the number of processes. The numbers are the same for any.",
            show_default="1",
        ),
    ] = None

    def settings(self) -> dict[str, Any]:
        """Return all that decides what a run computes: a resumed run must have the same, and may have other outputs."""
        left_out = ("save", "resume", "quiet", "verbose", "dry_run", "report", "predictions", "separate", "jobs")
        return {name: getattr(self, name) for name in names_of_options(Options) if name not in left_out}


def _run(options: Options) -> None:
    """Learn a stream, and compare with the best rule in hindsight.

    Examples:
      adeptree run                                         try the bundled stream
      adeptree run data.csv                                predict the last column
      adeptree run data.csv --label "delay>15" --dry-run   show what is detected
      adeptree run scores.csv --cost-miss 5 --review 0.5   alarm, pass or review
      tail -f log.csv | adeptree run - --label fraud --follow
    """
    from adeptree.app.run.answers import Answers
    from adeptree.app.run.dry_run import dry_run
    from adeptree.app.run.outputs import check_outputs
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
        columns = ("p", "guess", *options.decisions, *["frequency"][: options.frequency])
        answers = Answers(stream.answers, columns) if options.follow and not options.dry_run else None
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
        shared = replace(options, by=None) if options.separate else options
        learner = resumed(folder, layout) or fresh(shared, layout)
        if options.dry_run:
            show(dry_run(options, stream, layout, learner))
            return
        if options.separate:
            from adeptree.app.run.separate import play_separate

            play_separate(options, stream, layout)
            return
        if folder:
            folder.begin({**options.settings(), "columns": stream.columns, "found": meanings(layout)})
        game = _game(learner, stream, layout, options, answers, labels)
        if folder:
            game.go_on(folder)
        game.play()


def _game(*game: Any) -> Game:
    """Return the game of the options; only the kind that is played is loaded."""
    *common, labels = game
    options: Options = game[3]
    if options.key:
        from adeptree.app.run.late_game import LateGame

        return LateGame(*common, key=options.key, labels=labels)
    if options.decisions:
        from adeptree.app.run.ticket_game import TicketGame

        return TicketGame(*common)
    from adeptree.app.run.playing import Game

    return Game(*common)


run_command = command_of(Options, _run)


def _tell_remarks(stream: Stream) -> None:
    while stream.remarks:
        show(f"adeptree: {stream.remarks.pop(0)}", err=True)
