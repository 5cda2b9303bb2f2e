"""``adeptree run``: its options, and the game that they define."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from adeptree.app.command_options import LearnerOptions, command_of, names_of_options
from adeptree.app.terminal import note, show

if TYPE_CHECKING:
    from adeptree.app.run.run_loop import Game
    from adeptree.app.run.streams import Stream

# Modules that need numpy are imported inside functions, so that --help is fast.

DEFAULT_STREAM = "machine-alarms"


@dataclass(frozen=True, kw_only=True)
class Options(LearnerOptions):
    """The options of the command line."""

    stream: str = DEFAULT_STREAM
    rules: str | None = None
    label: str | None = None
    positive: str | None = None
    features: str | None = None
    format: str | None = None
    sep: str | None = None
    encoding: str | None = None
    decimal: str = "."
    header: bool | None = None
    on_bad_row: Literal["stop", "skip"] = "stop"
    follow: bool = False
    predictions: str | None = None
    report: str | None = None
    save: str | None = None
    resume: bool = False
    dry_run: bool = False
    quiet: bool = False
    verbose: bool = False
    frequency: bool = False
    weight: str | None = None
    key: str | None = None
    labels: str | None = None
    separate: bool = False
    jobs: int | None = None

    def settings(self) -> dict[str, Any]:
        """Return the settings that determine a run's results; a resumed run must have the same, except for outputs."""
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
    from adeptree.app.run.dry_run import dry_run
    from adeptree.app.run.label_keys import label_column, with_labels
    from adeptree.app.run.outputs import Answers, check_outputs
    from adeptree.app.run.run_setup import fresh, meanings, resumed, understood
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
            # a pipe has no file name extension
            format = None if os.path.splitext(options.labels)[1] else options.format
            apart = stack.enter_context(open_stream(options.labels, format, form))
            stack.callback(_tell_remarks, apart)
            stream, labels, label = with_labels(stream, apart, options.key, options.label)
            options = replace(options, label=label)
        stack.callback(_tell_remarks, stream)
        layout = understood(options, stream, labels, folder)
        _tell_remarks(stream)
        shared = replace(options, by=None) if options.separate else options
        learner = resumed(folder, layout, shared.segments) or fresh(shared, layout)
        if options.dry_run:
            show(dry_run(options, stream, layout, learner))
            return
        if folder:
            folder.begin({**options.settings(), "columns": stream.columns, "found": meanings(layout)})
        game = _game(learner, stream, layout, options, answers, labels)
        if folder:
            game.go_on(folder)
        game.play()


def _game(*game: Any) -> Game:
    """Return the game of the options; only its module is imported."""
    *common, labels = game
    options: Options = game[3]
    if options.separate:
        from adeptree.app.run.separate import SeparateGame

        return SeparateGame(*common)
    if options.follow or options.decisions or options.key:
        from adeptree.app.run.ticket_game import TicketGame

        return TicketGame(*common, labels=labels)
    from adeptree.app.run.run_loop import Game

    return Game(*common)


run_command = command_of(Options, _run)


def _tell_remarks(stream: Stream) -> None:
    while stream.remarks:
        note(stream.remarks.pop(0))
