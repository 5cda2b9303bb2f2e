"""One run of the command line: a learner on a stream, saved and shown however it ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from adeptree.errors import HorizonReached, InvalidArgument
from adeptree.learners import Adept
from adeptree.streams import Example, Layout, PredictionLog, Stream
from adeptree.summary import ProgressBar, summary
from adeptree.terminal import show


class Game:
    """A learner on a stream. However it ends, what was learnt is saved and shown."""

    def __init__(self, learner: Adept, stream: Stream, layout: Layout, skipped: int) -> None:
        self.learner, self.stream, self.layout, self.skipped = learner, stream, layout, skipped
        self.before = learner.rounds
        self.points: set[str] = set()
        self.notes: list[str] = []
        self.whole = True
        self.ended = False
        self.interrupts = Interrupts()

    @property
    def played(self) -> int:
        """Rounds of this run."""
        return self.learner.rounds - self.before

    def play(self, save: str | None, predictions: str | None, append: bool, quiet: bool) -> None:
        """Play all rows; the stack unwinds from below: bar, predictions, save, summary."""
        with ExitStack() as stack:
            stack.enter_context(self.interrupts)
            stack.callback(self._summarise, quiet)
            stack.callback(self._save, save)
            log = stack.enter_context(PredictionLog(predictions, append)) if predictions else None
            bar = stack.enter_context(ProgressBar(self.layout.names, shown=not quiet))
            for example in self.stream.examples(self.learner.concept_class, self.layout):
                with self.interrupts.held():
                    self._round(example, log)
                bar.update(self.learner)
            bar.update(self.learner, last=True)
            self.ended = True
            if not self.played:
                raise InvalidArgument(f"{self.stream.name} has no rows" + " left" * bool(self.skipped))

    def _round(self, example: Example, log: PredictionLog | None) -> None:
        learner = self.learner
        if learner.rounds >= learner.horizon:
            raise HorizonReached(
                f"the stream goes on past the horizon of {learner.horizon} rounds, for which ADEPT was set up; "
                f"start again with a longer --horizon"
            )
        p, guess = learner.predict_proba(example.x), learner.predict(example.x)
        self.whole = False
        learner.learn(example.x, example.y)
        self.whole = True
        self.points.add(repr(learner.concept_class.key(example.x)))
        if log:
            log.write(learner.rounds, example.text, p, guess, example.y)

    def _save(self, path: str | None) -> None:
        # A round cut off halfway (no memory) must not replace a good file.
        if path and self.played and self.whole:
            with self.interrupts.held():
                self.learner.save(os.path.realpath(path))
            again = "" if self.stream.name == "stdin" else f" --skip {self.skipped + self.played}"
            self.notes.append(
                f"Saved to {path}." if self.ended else f"Saved to {path}; go on with --resume {path}{again}"
            )

    def _summarise(self, quiet: bool) -> None:
        if self.learner.rounds and not quiet:
            text = summary(self.learner, self.stream.name, self.layout.names, self.before + len(self.points))
            show("\n\n".join([text, *self.notes]))


class Interrupts:
    """Ctrl-C acts at once while waiting for a row, and after the round while one is learnt."""

    def __init__(self) -> None:
        self._busy = self._pending = False

    def __enter__(self) -> None:
        self._old = signal.getsignal(signal.SIGINT)
        if self._old is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._caught)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._old)

    def _caught(self, *_: object) -> None:
        if not self._busy:
            raise KeyboardInterrupt
        self._pending = True

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold Ctrl-C back until the end of the block."""
        self._busy = True
        try:
            yield
        finally:
            self._busy = False
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt
