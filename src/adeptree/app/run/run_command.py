"""``adeptree run``: its options, and how they become a game."""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from adeptree.app.terminal import show, told
from adeptree.core.errors import DamagedFile, InvalidArgument, TooLarge

if TYPE_CHECKING:
    from adeptree.app.run.layout import Layout
    from adeptree.app.run.rows import Stream
    from adeptree.app.run.run_folder import RunFolder
    from adeptree.learners import Adept

# Everything that needs numpy is imported inside the functions, so that --help does not wait for it.

DEFAULT_STREAM = "machine-alarms"
LATER = {"frequency": False, "cost_miss": 1, "cost_false_alarm": 1, "weight": None, "max_weight": 1, "max_width": None}


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line."""

    stream: str
    format: str | None
    sep: str | None
    encoding: str | None
    decimal: str
    header: bool | None
    rules: str | None
    x: str | None
    label: str | None
    positive: str | None
    horizon: int | None
    rate: str | None
    prior: str | None
    seed: int
    on_bad_row: str
    follow: bool
    predictions: str | None
    report: str | None
    save: str | None
    resume: bool
    quiet: bool
    verbose: bool
    frequency: bool
    cost_miss: float
    cost_false_alarm: float
    weight: str | None
    max_weight: float
    max_width: int | None

    def settings(self) -> dict[str, Any]:
        """Return all that decides what a run computes and writes: a resumed run must have the same."""
        left_out = ("save", "resume", "quiet", "verbose")
        given = {name: value for name, value in vars(self).items() if name not in left_out}
        # What runs of earlier editions could not be asked for is nothing, as it is in their files.
        return given | {name: None for name, usual in LATER.items() if given[name] == usual}


def run_command(
    stream: Annotated[
        str, typer.Argument(help="A CSV, NDJSON or Parquet file, - for stdin, or a bundled stream.", show_default=True)
    ] = DEFAULT_STREAM,
    rules: Annotated[
        str | None,
        typer.Option(
            help='Compete with these: stumps, "stumps(age, sex)", "stumps(values=3)", "thresholds(delay)", '
            '"intervals(price)", "unions(price, m=3)", "steps(price)", "blocklist(sender, d=3)", or a spec such as '
            '"thresholds(n=1024)"; adeptree classes lists them.'
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(help='Column of two values, or a comparison: "delay>15", "kind==spam". Default: the last.'),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="VALUE",
            help="The label's value that is 1. Default: the greater number, a word such as yes, or the rarer value.",
        ),
    ] = None,
    x: Annotated[str | None, typer.Option(help="Column of x (a,b,c for several), where --rules names none.")] = None,
    format: Annotated[
        str | None, typer.Option(help="csv, ndjson or parquet. Default: by the ending of the name, else csv.")
    ] = None,
    sep: Annotated[
        str | None, typer.Option(help='What splits a line of CSV: one character, or "tab". Default: found out.')
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(help="Of a text, e.g. cp1252. Default: UTF-8, and cp1252 where a line is none.")
    ] = None,
    decimal: Annotated[str, typer.Option(help='"," if numbers have a decimal comma.')] = ".",
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line names the columns.",
            show_default="unless all are numbers",
        ),
    ] = None,
    horizon: Annotated[
        int | None, typer.Option(help="Rounds to plan for, as in the paper. Default: any number, unknown beforehand.")
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option(help="paper, first-order, anytime, adaptive or a number. Default: what fits the horizon."),
    ] = None,
    prior: Annotated[
        Literal["paper", "kt", "mixed"] | None,
        typer.Option(
            help="paper needs a horizon; kt is fast on long streams of thresholds.",
            show_default="paper with a horizon, else mixed",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the guesses.")] = 0,
    on_bad_row: Annotated[
        Literal["stop", "skip"],
        typer.Option(help="What to do at a row that cannot be read; either way it is reported."),
    ] = "stop",
    follow: Annotated[
        bool,
        typer.Option(
            "--follow",
            help="Answer every row with a line p,guess on stdout before reading the next; rows without a label are "
            "answered and not learnt. The summary goes to stderr.",
        ),
    ] = False,
    predictions: Annotated[
        str | None,
        typer.Option(help="Write round,x,p,guess,y here as CSV; p is the chance that the learner guesses 1."),
    ] = None,
    report: Annotated[str | None, typer.Option(help="Write a page about the run here, as HTML.")] = None,
    save: Annotated[
        str | None, typer.Option(metavar="DIR", help="Keep the run in this directory, row by row, to survive a crash.")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with the run in --save, if there is one; same settings, same stream."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show neither progress nor summary.")] = False,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="Show in the summary what was drawn too, and width, queries and rates."),
    ] = False,
    frequency: Annotated[
        bool,
        typer.Option(
            "--frequency",
            help="Add to predictions and answers how often rows like this were 1, calibrated as the run goes "
            "(p is the chance that the learner guesses 1, and no frequency).",
        ),
    ] = False,
    cost_miss: Annotated[float, typer.Option(help="What guessing 0 costs where the label is 1.")] = 1,
    cost_false_alarm: Annotated[float, typer.Option(help="What guessing 1 costs where the label is 0.")] = 1,
    weight: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of weights: how many times the costs a row counts.")
    ] = None,
    max_weight: Annotated[
        float, typer.Option(help="The largest weight to come; a larger one ends what was promised in advance.")
    ] = 1,
    max_width: Annotated[
        int | None, typer.Option(help="Keep at most so many paths; bounds then hold against the rules that were kept.")
    ] = None,
) -> None:
    """Play ADEPT on a stream and compare it with the best rule in hindsight."""
    given = dict(locals())
    with told():
        _run(Options(**given))


def _run(options: Options) -> None:
    from adeptree.app.run.answers import Answers
    from adeptree.app.run.outputs import check_outputs
    from adeptree.app.run.playing import Game
    from adeptree.app.run.run_folder import RunFolder
    from adeptree.app.run.stream_sources import form_of, open_stream

    check_outputs(options)
    with ExitStack() as stack:
        folder = None
        if options.save:
            folder = stack.enter_context(RunFolder(options.save, options.resume, options.follow))
        form = form_of(options.sep, options.encoding, options.decimal, options.header, options.follow)
        stream = stack.enter_context(open_stream(options.stream, options.format, form))
        stack.callback(_tell_remarks, stream)
        answers = Answers(stream.answers, options.frequency) if options.follow else None
        if answers:
            answers.open()
        layout = _understood(options, stream, folder)
        _tell_remarks(stream)
        if folder:
            folder.begin({**options.settings(), "columns": stream.columns, "found": _found(layout)})
        learner = _resumed(folder, layout) or _fresh(options, layout)
        game = Game(learner, stream, layout, options, answers)
        if folder:
            game.go_on(folder)
        game.play()


def _tell_remarks(stream: Stream) -> None:
    while stream.remarks:
        show(f"adeptree: {stream.remarks.pop(0)}", err=True)


def _found(layout: Layout) -> dict[str, Any]:
    """Return what the rules were found to mean."""
    values = [list(texts) for texts in layout.label.values]
    return {"class": repr(layout.concept_class), "shown": layout.shown, "label": values, **layout.reads.kept()}


def _understood(options: Options, stream: Stream, folder: RunFolder | None) -> Layout:
    """Return what the options mean on this stream; a resumed run means what it meant at its start."""
    from adeptree.app.run.label_values import Values
    from adeptree.app.run.layout import layout_of
    from adeptree.app.run.row_label import label_of
    from adeptree.app.run.rows import listed
    from adeptree.app.run.rules_option import Reads
    from adeptree.app.run.stream_sources import BUNDLED

    saved = folder.saved if folder else None
    if folder and saved is not None:
        folder.refuse_differences({**options.settings(), "columns": stream.columns})
    rules = options.rules or BUNDLED.get(options.stream, ("", None))[1]
    if rules is None:
        raise InvalidArgument(
            'say what to compete with, e.g. --rules stumps or --rules "thresholds(delay)"; adeptree classes lists more'
        )
    given = stream, rules, options.x, options.label, options.follow
    if folder is None or saved is None:
        layout = layout_of(*given, positive=options.positive)
        if options.weight in layout.names:  # (rules on all columns; a column that is named stays)
            layout = layout_of(*given, known=layout.reads.without(options.weight), positive=options.positive)
        for column in layout.copies(stream.there()):
            show(
                f'adeptree: warning: column "{column}" copies the label; a rule that reads it knows the answer',
                err=True,
            )
        if layout.reads.times and not options.quiet:
            show(f"adeptree: {layout.reads.said()}", err=True)
        left = [name for name in stream.columns if name not in (*layout.names, layout.label.column)]
        if left and re.fullmatch(r"\w+(\(\w+=\d+\))?", rules) and not (options.x or options.quiet):
            show(f"adeptree: left out, as their texts are all different: {listed(left)}", err=True)
        return layout
    found = saved["found"]
    values = Values(*map(tuple, found["label"]))
    # What is wrong with the label is no fault of the settings.
    label_of(stream, options.label, options.positive, known=values)
    try:
        layout = layout_of(*given, known=Reads.of(found), values=values, positive=options.positive)
    except (InvalidArgument, TooLarge):
        raise folder.damaged_settings() from None
    # Only what the options can have meant is believed.
    if _found(layout) != found or not layout.label.fits(options.positive):
        raise folder.damaged_settings()
    return layout


def _resumed(folder: RunFolder | None, layout: Layout) -> Adept | None:
    """Return the learner of the checkpoint, if there is one."""
    from adeptree import load

    if folder is None or not folder.checkpoint_path.exists():
        return None
    learner = load(folder.checkpoint_path)
    if learner.kind != "adept" or learner.concept_class != layout.concept_class:
        raise DamagedFile(f"{folder.checkpoint_path} does not belong to the settings beside it")
    return learner  # type: ignore[return-value]


def _fresh(options: Options, layout: Layout) -> Adept:
    from adeptree import Adept

    concept_class = layout.concept_class
    costs = (options.cost_miss, options.cost_false_alarm)
    named: dict[str, Any] = {"costs": costs, "max_weight": options.max_weight, "max_width": options.max_width}
    if options.rate is not None:
        named["rate"] = _rate(options.rate)
    if options.prior is not None:
        named["prior"] = options.prior
    elif options.horizon is not None and concept_class.littlestone_dimension is None:
        # No mistake bound M is finite here, so the paper's capacities do not exist.
        named["prior"] = "mixed"
    return Adept(concept_class, options.horizon, seed=options.seed, **named)


def _rate(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text
