"""What the command line shows of a run: a progress bar while it lasts, a readable summary at the end."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adeptree import bounds
from adeptree.classes import BlockUnions, FiniteClass, Stumps
from adeptree.learners import Adept

if TYPE_CHECKING:
    from rich.progress import Progress

LABEL_WIDTH = 24
NUMBER_WIDTH = 13
REFRESH_SECONDS = 0.1


def rule_text(learner: Adept, columns: Sequence[str]) -> str:
    """Return the best rule with the stream's column names in place of x.

    >>> from adeptree import Thresholds
    >>> learner = Adept(Thresholds(8), horizon=9)
    >>> learner.learn(4, 0)
    >>> rule_text(learner, ["vibration"])
    'vibration >= 5'
    """
    rule = str(learner.best_rule())
    if isinstance(learner.concept_class, (Stumps, FiniteClass)):
        return rule
    if isinstance(learner.concept_class, BlockUnions):
        return re.sub(r"^block\b", lambda _: columns[0], rule)
    return re.sub(r"\bx(\d*)\b", lambda match: columns[int(match[1] or 0)], rule)


def summary(learner: Adept, name: str, columns: Sequence[str], points: int) -> str:
    """Return the end summary of a run on the stream ``name``, on which ``points`` distinct points were seen."""
    rounds = f"{learner.rounds:,}"
    if learner.rounds < learner.horizon:
        rounds += f" of {learner.horizon:,}"
    parts = [
        f"{name}: {rounds} rounds against {learner.concept_class!r}",
        _mistakes(learner, columns),
        _regret(learner),
        _inside(learner, points),
        _plainly(learner, rule_text(learner, columns)),
    ]
    return "\n\n".join(parts)


def _mistakes(learner: Adept, columns: Sequence[str]) -> str:
    rounds = learner.rounds
    return "\n".join(
        [
            "Mistakes",
            _line("expected", f"{learner.expected_loss:,.1f}", _percent(learner.expected_loss, rounds)),
            _line(
                "made (seed " + str(learner.seed) + ")",
                f"{learner.realised_loss:,}",
                _percent(learner.realised_loss, rounds),
            ),
            _line("best rule in hindsight", f"{learner.best_loss:,}", _percent(learner.best_loss, rounds)),
            _line("which is", "", rule_text(learner, columns)),
        ]
    )


def _regret(learner: Adept) -> str:
    scope = f"for all {learner.horizon:,} rounds"
    if learner.rate == "first-order":
        scope = f"while the best rule makes {learner.best_loss:,} mistakes"
    lines = [
        "Regret: expected mistakes beyond the best rule's",
        _line("exactly", f"{learner.regret:,.1f}"),
        _line("proven bound", f"{learner.bound:,.1f}", f"{scope}, whatever the labels"),
    ]
    if learner.bound > 0:
        lines.append(_line("exactly / bound", f"{learner.regret / learner.bound:.2f}"))
    return "\n".join(lines)


def _inside(learner: Adept, points: int) -> str:
    queries = learner.queries
    vc = learner.concept_class.vc_dimension
    sauer = "Sauer's bound unknown: VC dimension not known"
    if vc is not None:
        sauer = f"Sauer's bound {bounds.sauer(points, vc):,} ({points:,} distinct points, VC dimension {vc})"
    return "\n".join(
        [
            "Inside",
            _line("width: paths kept", f"{learner.width:,}", sauer),
            _line("oracle queries asked", f"{queries.asked:,}"),
            _line("  really posed", f"{queries.posed:,}"),
            _line("  inferred", f"{queries.inferred:,}"),
            _line("learning rate", f"{learner.learning_rate:.4g}", _rate(learner)),
            _line("mistake bound M", f"{learner.mistake_bound:,}", f"base learner {type(learner.base).__name__}"),
        ]
    )


def _rate(learner: Adept) -> str:
    return {"paper": "the paper's", "first-order": "first-order, now"}.get(str(learner.rate), "as given")


def _plainly(learner: Adept, rule: str) -> str:
    """Say what the numbers mean, for someone who sees them for the first time."""
    extra = 100 * learner.regret / learner.rounds
    mistakes = "mistake" if f"{abs(extra):.1f}" == "1.0" else "mistakes"
    if extra < 0.05:
        verdict = "at least as well as" if learner.regret <= 0 else "as well as"
        cost = "although that rule is known only now"
    else:
        verdict = "almost as well as" if extra < 5 else "not yet as well as"
        cost = f"at a cost of {extra:.1f} more {mistakes} per 100 rounds, although that rule is known only now"
    text = (
        f"In plain words: ADEPT predicted {verdict} the best rule ({rule}), {cost}. "
        f"It was told no rule in advance and nothing about how the labels come, hostile ones included; "
        f"the theorem holds its regret to {learner.bound:,.1f} mistakes on any stream."
    )
    return "\n".join(textwrap.wrap(text, min(100, _terminal_width())))


def _line(label: str, number: str, note: str = "") -> str:
    head = f"  {label:<{LABEL_WIDTH}}{number:>{NUMBER_WIDTH}}"
    if not note:
        return head
    # A long note goes on below itself, so that the column of numbers stays clear.
    indent = " " * (len(head) + 3)
    room = max(30, _terminal_width() - len(indent))
    return head + "   " + f"\n{indent}".join(textwrap.wrap(note, room))


def _percent(part: float, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"


def _terminal_width() -> int:
    return shutil.get_terminal_size((100, 24)).columns


class ProgressBar:
    """A live line on stderr, if that is a terminal; else nothing."""

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

    def update(self, learner: Adept, last: bool = False) -> None:
        """Show where the learner is, at most ten times a second: reading the best rule costs something."""
        now = time.monotonic()
        if self._bar is None or not learner.rounds or (now < self._due and not last):
            return
        self._due = now + REFRESH_SECONDS
        if not self._bar.tasks:
            self._bar.add_task("", total=learner.horizon)
        text = (
            f"error {_percent(learner.expected_loss, learner.rounds)}, "
            f"best {_percent(learner.best_loss, learner.rounds)} ({rule_text(learner, self._columns)}), "
            f"regret {learner.regret:,.1f}, width {learner.width:,}"
        )
        self._bar.update(self._bar.tasks[0].id, completed=learner.rounds, description=text, refresh=True)


def _bar() -> Progress:
    # rich takes a tenth of a second to import: only where a bar is drawn.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.table import Column

    text = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis"))
    bar = BarColumn(bar_width=16)
    return Progress(MofNCompleteColumn(), bar, text, console=Console(stderr=True), auto_refresh=False)
