"""One run of the command line: a learner on a stream, saved and shown however it ends."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from adeptree.app.run.answers import Answers
from adeptree.app.run.layout import Example, Layout
from adeptree.app.run.position import Position, position_of
from adeptree.app.run.progress import ProgressBar
from adeptree.app.run.rows import Row, Stream
from adeptree.app.run.run_folder import ANSWERED, ROWS, RunFolder
from adeptree.app.run.writing import PredictionLog, Written
from adeptree.app.terminal import show
from adeptree.core.errors import DamagedFile, HorizonReached, InvalidArgument
from adeptree.core.interrupts import Interrupts
from adeptree.core.json_lines import UNFIT
from adeptree.core.visible import counted, visible
from adeptree.learners import Adept
from adeptree.pages.course import Course
from adeptree.pages.summary import Account, rule_text, summary

if TYPE_CHECKING:
    from adeptree.app.run.run_command import Options


class Game:
    """A learner on a stream. However it ends, what was learnt is saved and shown."""

    def __init__(
        self, learner: Adept, stream: Stream, layout: Layout, options: Options, answers: Answers | None
    ) -> None:
        self.learner, self.stream, self.layout, self.options = learner, stream, layout, options
        self.folder: RunFolder | None = None
        self.position = Position()
        self.course = Course() if options.report else None
        self.whole = True
        self.ended = False
        self.notes: list[str] = []
        self.interrupts = Interrupts()
        self.log: PredictionLog | None = None
        self.answers = answers
        self.again: list[Row] = []

    def go_on(self, folder: RunFolder) -> None:
        """Save the run to a folder, from where its checkpoint is."""
        self.folder = folder
        found = folder.position()
        if found is not None:
            try:
                self.position = position_of(found["position"], self.learner.rounds)
                if self.course and found["course"]:
                    self.course.restore(found["course"], self.learner.rounds)
            except UNFIT:
                raise DamagedFile(
                    f"{folder.checkpoint_path} does not say where its run was; start again with another --save"
                ) from None
        # Before any file is touched: a damaged journal is refused, and everything stays as it is.
        self.again = folder.rows_after(self.position.taken)
        self._refuse_untakeable()
        if folder.counts_nothing():
            last = self.position.taken + len(self.again)
            show(
                f"adeptree: {folder.path / ANSWERED} is missing: if rows were answered after row {last:,}, the run "
                f"goes on without them",
                err=True,
            )

    def _refuse_untakeable(self) -> None:
        """Refuse a journal with a row that the run cannot have taken: a bad one, or one past the horizon."""
        rounds, horizon = self.learner.rounds, self.learner.horizon
        for number, row in enumerate(self.again, self.position.taken + 1):
            why = ""
            try:
                labelled = self._example(row).y is not None
                why = f"the horizon is {horizon}" if horizon is not None and rounds >= horizon else ""
                rounds += labelled
            except InvalidArgument as error:
                why = "" if self.options.on_bad_row == "skip" else str(error)
            if why:
                path = self.folder and self.folder.path / ROWS
                raise DamagedFile(
                    f"{path} holds a row {number} that cannot have been taken ({why}); start again with another --save"
                )

    def play(self) -> None:
        """Play all rows; the stack unwinds from below: bar, checkpoint, report, summary."""
        options = self.options
        with ExitStack() as stack:
            stack.enter_context(self.interrupts)
            if options.predictions:
                log = stack.enter_context(PredictionLog(options.predictions, self.position.predictions))
                self.log, self.position = log, replace(self.position, predictions=log.written)
            self._take_again()
            stack.callback(self._summarise)
            stack.callback(self._report)
            stack.callback(self._last_checkpoint)
            bar = stack.enter_context(ProgressBar(self.layout.names, shown=not (options.quiet or options.follow)))
            for row in self.stream:
                with self.interrupts.held():
                    self._take(row, bar)
                    if self.folder and self.folder.due():
                        self._checkpoint()
                bar.update(self.learner)
            bar.update(self.learner, last=True)
            self.ended = True
            if not self.position.taken and not options.follow:
                raise InvalidArgument(f"{self.stream.name} has no rows")

    # --- One row -------------------------------------------------------------------------------------

    def _take(self, row: Row, bar: ProgressBar | None) -> None:
        """Take a row: it is kept in the journal, then answered, then learnt; ``bar`` is None for the second time."""
        number = self.position.taken + 1
        try:
            example = self._example(row)
        except InvalidArgument as error:
            self._bad(row, error, bar)
            return
        self._check_horizon()
        p, guess = self.learner.predict_proba(example.x), self.learner.predict(example.x)
        if bar is not None and self.folder:
            self.folder.append(number, row)
        if self.log:
            self.log.write(self.learner.rounds + 1, example.text, p, guess, "" if example.y is None else example.y)
        if bar is not None and self.answers:
            self.answers.give(p, guess)
        # Learnt and counted are one step: a checkpoint has both or neither.
        self.whole = False
        self._learn(example)
        self._taken(row, unlabelled=example.y is None)
        self.whole = True

    def _example(self, row: Row) -> Example:
        return self.layout.example(row, labelled=not self.options.follow)

    def _learn(self, example: Example) -> None:
        if example.y is None:
            return
        self.learner.learn(example.x, example.y)
        if self.course:
            self.course.note(self.learner, self._rule)

    def _bad(self, row: Row, error: InvalidArgument, bar: ProgressBar | None) -> None:
        sentence = f"{self.stream.where(row)}{':' if row.fault else ','} {error}"
        if self.options.on_bad_row == "stop":
            raise type(error)(sentence) from None
        if bar is not None:
            if self.folder:
                self.folder.append(self.position.taken + 1, row)
            bar.tell(f"adeptree: skipped: {sentence}")
            if self.answers:
                self.answers.give(None, None)
        self._taken(row, bad=True)

    def _taken(self, row: Row, bad: bool = False, unlabelled: bool = False) -> None:
        """Count the row: from here on it is part of the run, in every file at once."""
        before = self.position
        self.position = Position(
            before.taken + 1,
            before.bad + bad,
            before.unlabelled + unlabelled,
            row.digest(before.digest),
            self.log.written if self.log else Written(),
        )

    def _check_horizon(self) -> None:
        horizon = self.learner.horizon
        if horizon is not None and self.learner.rounds >= horizon:
            raise HorizonReached(
                f"the stream goes on past the horizon of {horizon} rounds, for which ADEPT was set up; "
                f"start again with a longer --horizon, or without one"
            )

    # --- Crash safety --------------------------------------------------------------------------------

    def _take_again(self) -> None:
        """Bring the run to where it was stopped: rows in the journal are taken again, the stream's are passed over."""
        if not self.folder:
            return
        # No checkpoint before the last of them: it would empty the journal.
        for row in self.again:
            self._take(row, None)
        self.again = []
        self._pass_over()
        self._checkpoint()
        if self.position.taken and not self.options.quiet:
            show(f"adeptree: going on after {counted(self.position.taken, 'row')}", err=True)

    def _pass_over(self) -> None:
        """Leave out the rows that were taken before; in a conversation they do not come again."""
        if self.options.follow:
            return
        digest, taken, name = 0, self.position.taken, self.stream.name
        folder = self.folder and self.folder.path
        for passed in range(taken):
            row = next(self.stream, None)
            if row is None:
                raise InvalidArgument(f"--resume: {name} has {counted(passed, 'row')}, but {folder} has {taken:,}")
            digest = row.digest(digest)
        if digest != self.position.digest:
            raise InvalidArgument(
                f"--resume: the first {counted(taken, 'row')} of {name} are not those of the run in {folder}; "
                f"give the same stream from its beginning, or (new rows only) use --follow"
            )

    def _checkpoint(self) -> None:
        if self.folder:
            if self.log:
                self.log.sync()
            course = self.course.state() if self.course else None
            self.folder.checkpoint(self.learner.saved(), {"position": asdict(self.position), "course": course})

    def _last_checkpoint(self) -> None:
        # A round cut off halfway (no memory) must not replace a good state.
        if self.folder and self.whole:
            with self.interrupts.held():
                self._checkpoint()
            again = "" if self.ended else "; the same command with --resume goes on"
            self.notes.append(f"Saved to {self.folder.path}{again}.")

    # --- What is shown -------------------------------------------------------------------------------

    def _rule(self) -> str:
        return rule_text(self.learner, self.layout.names)

    def _account(self) -> Account:
        position = self.position
        name, shown = visible(self.stream.name), visible(self.layout.shown)
        return Account(name, shown, self.layout.names, position.bad, position.unlabelled)

    def _report(self) -> None:
        if self.course and self.options.report and self.learner.rounds:
            from adeptree.pages.run_page import write_run_page

            self.course.note(self.learner, self._rule, last=True)
            write_run_page(self.options.report, self.learner, self._account(), self.course)
            self.notes.append(f"Report: {self.options.report}")

    def _summarise(self) -> None:
        if self.learner.rounds and not self.options.quiet:
            text = summary(self.learner, self._account())
            show("\n\n".join([text, *self.notes]), err=self.options.follow)
