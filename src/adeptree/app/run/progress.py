"""A progress line on stderr during a run."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adeptree.app.run.streams import Stream
from adeptree.app.terminal import show
from adeptree.core.escaping import counted, visible_lines
from adeptree.learners.adept_learner import Adept
from adeptree.pages.standing import rule_text

if TYPE_CHECKING:
    from rich.progress import Progress

REFRESH_SECONDS = 0.1
BAR_WIDTH = 8
EXAMPLES = 3


class Skipped:
    """Counts bad rows, and keeps the first three for messages.

    >>> skipped = Skipped()
    >>> [skipped.add(f"line {i}: bad") for i in range(4)], skipped.line()
    ([True, True, True, False], '4 bad rows skipped: line 0: bad; line 1: bad; line 2: bad; and 1 more')
    """

    def __init__(self) -> None:
        self.count, self._examples = 0, list[str]()

    def add(self, sentence: str) -> bool:
        """Count a bad row; return True if it is among the first three."""
        self.count += 1
        self._examples += [sentence] if self.count <= EXAMPLES else []
        return self.count <= EXAMPLES

    def line(self) -> str:
        """Return the summary in one line."""
        more = [f"and {self.count - EXAMPLES:,} more"] if self.count > EXAMPLES else []
        return f"{counted(self.count, 'bad row')} skipped: {'; '.join(self._examples + more)}"


class ProgressBar:
    """Shows rows, speed, error, regret and the best rule if stderr is a terminal; else nothing."""

    def __init__(self, columns: Sequence[str], stream: Stream, shown: bool) -> None:
        self._columns, self._stream = columns, stream
        self._began, self._before = time.monotonic(), stream.taken
        self._shown = shown and sys.stderr.isatty()
        self._bar: Progress | None = None
        self._due = 0.0

    def __enter__(self) -> ProgressBar:
        if self._shown:
            self._bar = _bar()
            self._bar.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.stop()

    def tell(self, sentence: str) -> None:
        """Write a line to stderr, above the bar if there is one."""
        if self._bar is None:
            show(sentence, err=True)
        else:
            self._bar.console.print(visible_lines(sentence), markup=False, highlight=False, emoji=False, soft_wrap=True)

    def update(self, learner: Adept, last: bool = False) -> None:
        """Show the learner's state at most ten times per second, because reading the best rule takes time."""
        now = time.monotonic()
        if self._bar is None or not learner.rounds or (now < self._due and not last):
            return
        self._due = now + REFRESH_SECONDS
        # The length of a pipe without a horizon is unknown: the bar then only moves.
        rows = self._stream.total()
        done, total = (learner.rounds, learner.horizon) if rows is None else (self._stream.taken, rows)
        total = done if last else total
        if not self._bar.tasks:
            self._bar.add_task("", total=total)
        speed = (self._stream.taken - self._before) / max(1e-9, now - self._began)
        error, best = f"{learner.expected_loss / learner.rounds:.1%}", rule_text(learner, self._columns)
        text = f"{'' if last else f'{speed:,.0f} rows/s, '}error {error}, regret {learner.regret:,.1f}, best: {best}"
        # Keep rich from shortening the counter and the bar.
        room = self._bar.console.width - BAR_WIDTH - 2 * len(str(total or done)) - 12
        text = text if len(text) <= room else text[: max(0, room - 3)] + "..."
        self._bar.update(self._bar.tasks[0].id, total=total, completed=done, description=text, refresh=True)


def _bar() -> Progress:
    # rich takes 0.1 s to import: only if a bar is drawn.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    parts = MofNCompleteColumn(), BarColumn(BAR_WIDTH), TimeRemainingColumn()
    columns = *parts, TextColumn("{task.description}", markup=False)
    return Progress(*columns, console=Console(stderr=True), auto_refresh=False)
