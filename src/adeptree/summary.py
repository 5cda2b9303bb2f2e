"""What the command line shows of a run: a progress bar while it lasts, a readable summary at the end."""

from __future__ import annotations

import math
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
BAR_WIDTH = 8
ALMOST = 5.0
"""Up to so many extra mistakes per 100 rounds are called almost as good as the best rule."""
LONG_RULE = 60


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
    rule = rule_text(learner, columns)
    parts = [
        f"{name}: {rounds} rounds against {learner.concept_class!r}",
        _mistakes(learner, rule),
        _regret(learner),
        _inside(learner, points),
        _plainly(learner, rule),
    ]
    return "\n\n".join(parts)


def _mistakes(learner: Adept, rule: str) -> str:
    rounds = learner.rounds
    made, best = learner.realised_loss, learner.best_loss
    return "\n".join(
        [
            "Mistakes",
            _line("expected", f"{learner.expected_loss:,.1f}", _percent(learner.expected_loss, rounds)),
            _line(f"made with seed {learner.seed}", f"{made:,}", _percent(made, rounds)),
            _line("best rule in hindsight", f"{best:,}", f"{_percent(best, rounds)}   {rule}"),
        ]
    )


def _regret(learner: Adept) -> str:
    lines = [
        "Regret: expected mistakes beyond those of the best rule",
        _line("so far, exactly", f"{learner.regret:,.1f}"),
        _line("proven bound", f"{learner.bound:,.1f}", f"on any stream {_scope(learner)}"),
    ]
    if learner.bound > 0:
        lines.append(_line("share of the bound", f"{100 * learner.regret / learner.bound:.1f} %"))
    return "\n".join(lines)


def _scope(learner: Adept) -> str:
    if learner.rate == "first-order":
        return f"with a best rule of {learner.best_loss:,} mistakes"
    return f"of {learner.horizon:,} rounds"


def _inside(learner: Adept, points: int) -> str:
    queries, base = learner.queries, type(learner.base).__name__
    return "\n".join(
        [
            "Inside",
            _line("width: paths kept", f"{learner.width:,}"),
            _sauer(learner.concept_class.vc_dimension, points),
            _line("oracle queries asked", f"{queries.asked:,}"),
            _line("  posed", f"{queries.posed:,}", "reached an oracle"),
            _line("  inferred", f"{queries.inferred:,}", "answered by logic"),
            _line("learning rate", f"{learner.learning_rate:.4g}", _rate(learner)),
            _line("mistake bound M", f"{learner.mistake_bound:,}", f"of the base learner {base}"),
        ]
    )


def _sauer(vc: int | None, points: int) -> str:
    if vc is None:
        return _line("Sauer's bound", "unknown", "as the VC dimension is")
    return _line("Sauer's bound", f"{bounds.sauer(points, vc):,}", f"{points:,} distinct points, VC dimension {vc}")


def _rate(learner: Adept) -> str:
    return {"paper": "the paper's", "first-order": "first-order, as of now"}.get(str(learner.rate), "as given")


def _plainly(learner: Adept, rule: str) -> str:
    """Say what the numbers mean, for someone who sees them for the first time."""
    extra = round(100 * learner.regret / learner.rounds, 1)
    verdict, cost = "as well as", "it makes practically as many mistakes"
    if extra > 0:
        verdict = "almost as well as" if extra < ALMOST else "not yet as well as"
        cost = f"it makes {extra:.1f} more mistakes per 100 rounds"
    if extra < 0:
        verdict, cost = "even better than", f"it makes {-extra:.1f} fewer mistakes per 100 rounds"
    named = f"the best rule, {rule}," if len(rule) <= LONG_RULE else "the best rule,"
    text = (
        f"In plain words: ADEPT predicted {verdict} {named} which only hindsight can name; on average {cost}. "
        f"It assumes nothing about the labels: on any stream {_scope(learner)}, a hostile one included, it is "
        f"proven to make on average at most {math.ceil(learner.bound):,} mistakes more than the best rule."
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
            f"error {_percent(learner.expected_loss, learner.rounds)}, regret {learner.regret:,.1f}, "
            f"width {learner.width:,}, best: {rule_text(learner, self._columns)}"
        )
        # rich would rather shorten the counter: leave it and the bar their places.
        room = self._bar.console.width - BAR_WIDTH - 2 * len(str(learner.horizon)) - 3
        text = text if len(text) <= room else text[: max(0, room - 3)] + "..."
        self._bar.update(self._bar.tasks[0].id, completed=learner.rounds, description=text, refresh=True)


def _bar() -> Progress:
    # rich takes a tenth of a second to import: only where a bar is drawn.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = MofNCompleteColumn(), BarColumn(BAR_WIDTH), TextColumn("{task.description}", markup=False)
    return Progress(*columns, console=Console(stderr=True), auto_refresh=False)
