"""One run of the command line: a learner on a stream, saved and reported however it ends.

A run is a loop over steps of rows: take rows, journal them, play them, count them. The invariant behind resuming is
that learner = checkpoint + journal: every row is in the journal before it is learnt, and a checkpoint is replaced in
one step. Rows are numbered, so a resumed run replays the rows that the checkpoint does not cover and continues with the
next one.

Read :meth:`Game.play`, ``_take`` and ``_play`` for the loop, then ``_restore`` and ``_take_again`` for resuming.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from adeptree.app.run.batching import FEWEST, MOST, Position, Rounds, next_step, position_of
from adeptree.app.run.csv_rows import has_comma
from adeptree.app.run.layout import UNKNOWN, Examples, Layout, WeightColumn
from adeptree.app.run.outputs import FREQUENCY, Answers, PredictionLog
from adeptree.app.run.progress import ProgressBar, Skipped
from adeptree.app.run.streams import Stream
from adeptree.app.terminal import TROUBLES, note, show, tell
from adeptree.core.errors import AdeptreeError, HorizonReached, InvalidArgument
from adeptree.core.escaping import counted, visible
from adeptree.core.interrupts import Interrupts
from adeptree.learners.adept_learner import Adept
from adeptree.learners.frequency import Frequency
from adeptree.pages.record import Record
from adeptree.pages.run_history import Course
from adeptree.pages.standing import RunFacts
from adeptree.pages.summary import calibration, summary
from adeptree.runner.appended_file import Written
from adeptree.runner.rows import LabelRow, NumberRows, Row, digest
from adeptree.runner.run_folder import ANSWERED, RunFolder

if TYPE_CHECKING:
    from adeptree.app.run.run_command import Options


FEW = 10
"""Least number of rounds for a warning that no label was 1."""


class Game:
    """A learner on a stream, optionally saved in a folder; it is saved and reported even after an error.

    Rows are taken in steps of many, or one by one if each is answered before the next. Results and outputs do not
    depend on where a step ends.
    """

    def __init__(
        self, learner: Adept, stream: Stream, layout: Layout, options: Options, answers: Answers | None
    ) -> None:
        self.learner, self.stream, self.layout, self.options = learner, stream, layout, options
        self.answers = answers
        self.folder: RunFolder | None = None
        self.log: PredictionLog | None = None
        self.position = Position()
        self.course = Course(stream.total()) if options.report or options.save else None
        self.frequency = Frequency() if options.frequency else None
        self.record = Record.of(learner)
        self.again, self.notes = list[Row](), list[str]()
        self.interrupts = Interrupts()
        self.whole, self.ended, self.skipped = True, False, Skipped()
        self.rounds = Rounds(learner, layout.names, self.course)
        self.weight = None if options.weight is None else WeightColumn(stream, options.weight, layout, learner)
        self.step = 1 if options.follow else FEWEST

    def play(self) -> None:
        """Play all rows; the exit stack then closes the bar and writes checkpoint, report and summary."""
        options = self.options
        with ExitStack() as stack:
            stack.enter_context(self.interrupts)
            # Rows are short-lived, and garbage collection of cycles would take as long as reading them.
            stack.callback(gc.set_threshold, *gc.get_threshold())
            gc.set_threshold(10 * MOST, *gc.get_threshold()[1:])
            if options.predictions:
                file = options.predictions, self.position
                log = stack.enter_context(PredictionLog(*file, self.layout.names, self._more_columns()))
                self.log, self.position = log, replace(self.position, predictions=log.written)
            self._take_again()
            stack.push(self._end)
            stack.callback(self._report)
            stack.callback(self._last_checkpoint)
            stack.callback(self._tell_bad)
            seen = not (options.quiet or options.follow)
            bar = stack.enter_context(ProgressBar(self.layout.names, self.stream, seen))
            while rows := self._next_rows():
                with self.interrupts.held():
                    start = time.monotonic()
                    self._take(rows, bar)
                    if not options.follow:
                        self.step = next_step(self.step, len(rows), time.monotonic() - start)
                    if self.folder and self.folder.due():
                        self._checkpoint()
                bar.update(self.learner)
            bar.update(self.learner, last=True)
            self.ended = True
            if self.learner.rounds >= FEW and not self.position.ones:
                note(f"warning: {self.layout.label.never_one()}")
            if not self.position.taken and not options.follow:
                raise InvalidArgument(f"{self.stream.name} has no rows")
            if self.position.unlabelled == self.position.taken and not options.follow:
                column = self.layout.label.column
                raise InvalidArgument(f'{self.stream.name}: no row has a label in "{column}"; choose with --label')

    def _more_columns(self) -> tuple[str, ...]:
        """Return the additional columns of the predictions."""
        return FREQUENCY[: bool(self.frequency)]

    # --- Rows ----------------------------------------------------------------------------------------

    def _next_rows(self) -> Sequence[Row]:
        """Return the rows of the next step; empty at the end."""
        return self.stream.take(self.step)

    def _take(self, rows: Sequence[Row], bar: ProgressBar | None) -> None:
        """Take rows: journal, answer and learn them; ``bar`` is None when they are replayed."""
        examples = self._examples(rows)
        if untakeable := self._first_untakeable(examples):
            place, error = untakeable
            if place:
                self._take(rows[:place], bar)
            if isinstance(error, HorizonReached):
                raise error
            do = "to continue without such rows, add --on-bad-row skip" + " --resume" * bool(self.folder)
            cells = [] if rows[place].fault else [rows[place].cells[i] for i in self.layout.places]
            if self.stream.form.startswith("CSV") and any(map(has_comma, cells)):
                do = "if the comma begins a fraction, add --decimal ,"
            raise type(error)(f"{self._sentence(rows[place], error)}; {do}")
        if bar is not None:
            self._keep(rows, examples, bar)
        for part in examples.parts():
            self._play(part, bar)
        self._taken(rows, examples)
        self.whole = True

    def _play(self, part: Examples, bar: ProgressBar | None) -> None:
        """Play rows that all have labels, or none."""
        first, weights = self.learner.answered + 1, self.weight.of(part.rows) if self.weight else None
        # Learn and count in one step, so that a checkpoint has both or neither.
        self.whole = False
        ps, given = self.rounds.play(part, weights, bool(self.log)), list[float]()
        if self.frequency:
            given = self.frequency.of_many(ps.tolist(), part.ys if part.learnt else [None] * len(ps))
        if self.log:
            ys, guesses = list(part.ys) if part.learnt else repeat(None), self.rounds.guesses(first, part, ps)
            plain, more = isinstance(part.rows, NumberRows), self._more(part, given)
            columns = self._numbers(part), self.layout.shown_columns(part.rows), ps.tolist(), guesses, ys, *more
            self.log.write(*columns, plain=plain and part.learnt and not more)
        if part.learnt:
            self.record.note(part.xs, part.ys, weights, ps)

    def _examples(self, rows: Sequence[Row]) -> Examples:
        return self.layout.examples(self.weight.marked(rows) if self.weight else rows, labelled=False)

    def _first_untakeable(self, examples: Examples) -> tuple[int, AdeptreeError] | None:
        """Return the index and the fault of the first row that ends the run, if there is one."""
        rounds, horizon, skip = self.learner.answered, self.learner.horizon, self.options.on_bad_row == "skip"
        if (skip or not examples.bad) and (horizon is None or rounds + len(examples.rows) <= horizon):
            return None
        good = zip(examples.rows, examples.ys, strict=True)
        for place in range(len(examples.rows) + len(examples.bad)):
            if place in examples.bad:
                if not skip:
                    return place, examples.bad[place]
            elif horizon is not None and rounds >= horizon:
                return place, HorizonReached(
                    f"the stream continues past the horizon of {horizon} rounds, for which ADEPT was set up; "
                    f"start again with a longer --horizon, or without one"
                )
            else:
                rounds += self._is_round(*next(good))
        return None

    def _is_round(self, row: Row, y: int) -> bool:
        """Return True if a row counts for the horizon."""
        return y != UNKNOWN

    def _sentence(self, row: Row, error: AdeptreeError) -> str:
        return f"{self.stream.where(row)}{':' if row.fault else ','} {error}"

    def _keep(self, rows: Sequence[Row], examples: Examples, bar: ProgressBar) -> None:
        """Write rows to the journal, and report bad ones."""
        if self.folder:
            self.folder.append(self.position.taken + 1, rows)
        for place, error in examples.bad.items():
            sentence = self._sentence(rows[place], error)
            if self.skipped.add(sentence) and self.answers:  # answers need not wait for the report
                bar.tell(f"adeptree: skipped: {sentence}")
            if self.answers and not isinstance(rows[place], LabelRow):
                self.answers.give()

    def _numbers(self, examples: Examples) -> list[int]:
        """Return the numbers of the rows being taken, counted from 1 with bad ones."""
        return [self.position.taken - self.position.apart + place + 1 for place in examples.places]

    def _more(self, examples: Examples, given: list[float]) -> list[Any]:
        return [given] if self.frequency else []

    def _taken(self, rows: Sequence[Row], examples: Examples) -> None:
        """Count the rows, which makes them part of the run in every file at once."""
        before, ys = self.position, np.asarray(examples.ys)
        self.position = replace(
            before,
            taken=before.taken + len(rows),
            bad=before.bad + len(examples.bad),
            unlabelled=before.unlabelled + int((ys == UNKNOWN).sum()),
            ones=before.ones + int((ys == 1).sum()),
            digest=digest(rows, before.digest) if self.folder else 0,
            predictions=self.log.written if self.log else Written(),
        )

    # --- On disk -------------------------------------------------------------------------------------

    def go_on(self, folder: RunFolder) -> None:
        """Save the run to a folder, continuing from its checkpoint."""
        self.folder = folder
        folder.restore(self._restore)
        # Check the journal before any file is changed, so that a damaged one leaves everything unchanged.
        self.again = folder.rows_after(self.position.taken)
        self._refuse_untakeable()
        if folder.counts_nothing():
            last = self.position.taken + len(self.again)
            lost = f"if rows were answered after row {last:,}, the run continues without them"
            note(f"{folder.path / ANSWERED} is missing: {lost}")

    def _restore(self, found: dict[str, Any]) -> None:
        """Restore a run from a checkpoint; raises an error such as ValueError if it is not consistent."""
        rounds, answered = self.learner.rounds, self.learner.answered
        self.position = position_of(found["position"], rounds, answered - rounds, bool(self.options.decisions))
        if self.course and found["course"]:
            self.course.restore(found["course"], rounds)
        if self.frequency:
            self.frequency.restore(found["frequency"])
        self.record.restore(found["record"], self.learner.concept_class)

    def _refuse_untakeable(self) -> None:
        """Raise an error for a journal with an impossible row: a bad one, or one past the horizon."""
        if self.folder and (untakeable := self._first_untakeable(self._examples(self.again))):
            place, error = untakeable
            why = f"the horizon is {self.learner.horizon}" if isinstance(error, HorizonReached) else error
            raise self.folder.impossible(self.position.taken + place + 1, why)

    def _take_again(self) -> None:
        """Restore the run's position: replay the journal's rows, and skip those of the stream."""
        if not self.folder:
            return
        # No checkpoint before the last of them, because it would empty the journal.
        most = 1 if self.options.follow or self.options.key else MOST
        self.folder.take_again(self.again, self.position.taken, partial(self._take, bar=None), most)
        self.again = []
        self._pass_over()
        self._checkpoint()
        if self.position.taken and not self.options.quiet:
            note(f"resuming after {counted(self.position.taken, 'row')}")

    def _pass_over(self) -> None:
        """Skip the rows that were taken before; with ``--follow`` they do not come again."""
        if self.options.follow:
            return
        found, passed, taken, name = 0, 0, self.position.taken - self.position.apart, self.stream.name
        folder = self.folder and self.folder.path
        while passed < taken:
            rows = self.stream.take(min(MOST, taken - passed))
            if not rows:
                raise InvalidArgument(f"--resume: {name} has {counted(passed, 'row')}, but {folder} has {taken:,}")
            found, passed = digest(rows, found), passed + len(rows)
        if found != self.position.digest:
            raise InvalidArgument(
                f"--resume: the first {counted(taken, 'row')} of {name} are not those of the run in {folder}; "
                f"give the same stream from its beginning, or (new rows only) use --follow"
            )

    def _checkpoint(self) -> None:
        if self.folder:
            if self.log:
                self.log.sync()
            self.folder.checkpoint(self.learner.saved(), self._kept())

    def _kept(self) -> dict[str, Any]:
        """Return the run's position as plain values."""
        course = self.course.state() if self.course else None
        run: dict[str, Any] = {"position": asdict(self.position), "course": course}
        run["record"] = self.record.state()
        return run | ({"frequency": self.frequency.state()} if self.frequency else {})

    def _last_checkpoint(self) -> None:
        # A torn round (out of memory) must not replace a good state.
        if self.folder and self.whole:
            with self.interrupts.held():
                self._checkpoint()
            again = "" if self.ended else "; the same command with --resume continues it"
            self.notes.append(f"Saved to {self.folder.path}{again}.")

    # --- Output -------------------------------------------------------------------------------

    def _tell_bad(self) -> None:
        if self.skipped.count and not self.answers:
            note(self.skipped.line())

    def _run_facts(self) -> RunFacts:
        position = self.position
        name, shown, label = visible(self.stream.name), visible(self.layout.shown), visible(self.layout.label.said())
        return RunFacts(name, shown, self.layout.names, position.bad, position.unlabelled, label, record=self.record)

    def _report(self) -> None:
        if self.course and self.options.report and self.learner.rounds:
            from adeptree.pages.run_page import write_run_page

            self.rounds.note(last=True)
            write_run_page(self.options.report, self.learner, self._run_facts(), self.course)
            self.notes.append(f"Report: {self.options.report}")

    def _end(self, _: Any, error: BaseException | None, __: Any) -> None:
        """Show the error that stopped the run, and the summary below it."""
        if not isinstance(error, TROUBLES):
            self._summarise()
            return
        code = tell(error)
        try:
            self._summarise()
        except TROUBLES as another:
            another.__context__ = None  # the first error is reported
            tell(another)
        raise typer.Exit(code)

    def _summarise(self) -> None:
        if self.learner.rounds and not self.options.quiet:
            if self.frequency:
                self.notes.insert(0, calibration(self.frequency.error))
            text = summary(self.learner, self._run_facts(), self.options.verbose)
            show("\n\n".join([text, *self.notes]), err=self.options.follow)
