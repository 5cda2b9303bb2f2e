"""The side of a run that is on disk: going on from a checkpoint, and writing the next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from adeptree.app.run.layout import Examples, Layout
from adeptree.app.run.position import Position, position_of
from adeptree.app.run.progress import ProgressBar
from adeptree.app.run.rounds import MOST
from adeptree.app.run.rows import Row, Stream, digest
from adeptree.app.run.run_folder import ANSWERED, ROWS, RunFolder
from adeptree.app.run.writing import PredictionLog
from adeptree.app.terminal import show
from adeptree.core.errors import AdeptreeError, DamagedFile, HorizonReached, InvalidArgument
from adeptree.core.escaping import counted
from adeptree.core.interrupts import Interrupts
from adeptree.core.json_lines import UNFIT
from adeptree.learners import Adept, Frequency
from adeptree.pages.run_history import Course
from adeptree.pages.uncertainty import Sureness

if TYPE_CHECKING:
    from adeptree.app.run.run_command import Options


class KeptGame(ABC):
    """A run that may be kept in a folder."""

    def __init__(self, learner: Adept, stream: Stream, layout: Layout, options: Options) -> None:
        self.learner, self.stream, self.layout, self.options = learner, stream, layout, options
        self.folder: RunFolder | None = None
        self.position = Position()
        self.course = Course() if options.report else None
        self.frequency = Frequency() if options.frequency else None
        self.sureness = Sureness()
        self.log: PredictionLog | None = None
        self.again: list[Row] = []
        self.notes: list[str] = []
        self.interrupts = Interrupts()
        self.whole, self.ended = True, False

    @abstractmethod
    def _take(self, rows: list[Row], bar: ProgressBar | None) -> None:
        """Take rows: they are kept in the journal, answered and learnt; ``bar`` is None for the second time."""

    @abstractmethod
    def _examples(self, rows: list[Row]) -> Examples:
        """Return what rows say."""

    @abstractmethod
    def _first_untakeable(self, examples: Examples) -> tuple[int, AdeptreeError] | None:
        """Return the place and the fault of the first row at which the run ends, if there is one."""

    def go_on(self, folder: RunFolder) -> None:
        """Save the run to a folder, from where its checkpoint is."""
        self.folder = folder
        found = folder.position()
        if found is not None:
            try:
                self._restore(found)
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

    def _restore(self, found: dict[str, Any]) -> None:
        """Take over what a checkpoint says of a run; ValueError and its like if no run was there."""
        self.position = position_of(found["position"], self.learner.rounds, self.learner.waiting)
        if self.course and found["course"]:
            self.course.restore(found["course"], self.learner.rounds)
        if self.frequency:
            self.frequency.restore(found["frequency"])
        self.sureness.restore(found["sureness"], self.learner.rounds)

    def _refuse_untakeable(self) -> None:
        """Refuse a journal with a row that the run cannot have taken: a bad one, or one past the horizon."""
        if untakeable := self._first_untakeable(self._examples(self.again)):
            place, error = untakeable
            path, number = self.folder and self.folder.path / ROWS, self.position.taken + place + 1
            why = f"the horizon is {self.learner.horizon}" if isinstance(error, HorizonReached) else error
            raise DamagedFile(
                f"{path} holds a row {number} that cannot have been taken ({why}); start again with another --save"
            )

    def _take_again(self) -> None:
        """Bring the run to where it was stopped: rows in the journal are taken again, the stream's are passed over."""
        if not self.folder:
            return
        # No checkpoint before the last of them: it would empty the journal.
        most = 1 if self.options.follow else MOST
        for start in range(0, len(self.again), most):
            self._take(self.again[start : start + most], None)
        self.again = []
        self._pass_over()
        self._checkpoint()
        if self.position.taken and not self.options.quiet:
            show(f"adeptree: going on after {counted(self.position.taken, 'row')}", err=True)

    def _pass_over(self) -> None:
        """Leave out the rows that were taken before; in a conversation they do not come again."""
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
        """Return where the run is, as plain values."""
        course = self.course.state() if self.course else None
        run: dict[str, Any] = {"position": asdict(self.position), "course": course}
        run["sureness"] = self.sureness.state()
        return run | ({"frequency": self.frequency.state()} if self.frequency else {})

    def _last_checkpoint(self) -> None:
        # A round cut off halfway (no memory) must not replace a good state.
        if self.folder and self.whole:
            with self.interrupts.held():
                self._checkpoint()
            again = "" if self.ended else "; the same command with --resume goes on"
            self.notes.append(f"Saved to {self.folder.path}{again}.")
