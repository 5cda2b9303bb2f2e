"""A live line on stderr while a run lasts."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adeptree.app.terminal import show
from adeptree.core.visible import visible_lines
from adeptree.learners import Adept
from adeptree.pages.summary import percent, rule_text

if TYPE_CHECKING:
    from rich.progress import Progress

REFRESH_SECONDS = 0.1
BAR_WIDTH = 8


class ProgressBar:
    """Rounds, error, regret, width and the best rule, if stderr is a terminal; else nothing."""

    def __init__(self, columns: Sequence[str], shown: bool) -> None:
        self._columns = columns
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
        """Show where the learner is, at most ten times per second: reading the best rule costs something."""
        now = time.monotonic()
        if self._bar is None or not learner.rounds or (now < self._due and not last):
            return
        self._due = now + REFRESH_SECONDS
        # Without a horizon nobody knows how far it is: the bar then only moves.
        total = learner.rounds if last else learner.horizon
        if not self._bar.tasks:
            self._bar.add_task("", total=total)
        text = (
            f"error {percent(learner.expected_loss, learner.rounds)}, regret {learner.regret:,.1f}, "
            f"width {learner.width:,}, best: {rule_text(learner, self._columns)}"
        )
        # rich would rather shorten the counter: leave it and the bar their places.
        room = self._bar.console.width - BAR_WIDTH - 2 * len(str(total or learner.rounds)) - 3
        text = text if len(text) <= room else text[: max(0, room - 3)] + "..."
        self._bar.update(self._bar.tasks[0].id, total=total, completed=learner.rounds, description=text, refresh=True)


def _bar() -> Progress:
    # rich takes a tenth of a second to import: only where a bar is drawn.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = MofNCompleteColumn(), BarColumn(BAR_WIDTH), TextColumn("{task.description}", markup=False)
    return Progress(*columns, console=Console(stderr=True), auto_refresh=False)
