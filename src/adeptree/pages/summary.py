"""The summary of a run as text: a table of losses, their assessment, and the guarantee."""

from __future__ import annotations

import math
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from adeptree.core.escaping import counted, rounded_up, visible
from adeptree.core.types import labels_of
from adeptree.learners.adept_learner import Adept
from adeptree.learners.inputs import Inputs
from adeptree.learners.saving import Saved as Learner
from adeptree.pages.record import Record
from adeptree.pages.standing import Line, RunFacts, Standing, amount, graded, short

SEGMENTS = 10
"""Number of segments shown, the largest first."""


def of_learner(learner: Learner, xs: Any = None, ys: Any = None, weights: Any = None) -> str:
    """Return the summary of a learner in Python; with its rows, including the numbers that need hindsight."""
    record = None
    if xs is not None:
        record = Record.of(learner)
        record.note(Inputs(learner.concept_class, xs).xs, labels_of(ys), weights)
    account = RunFacts(type(learner).__name__, repr(learner.rules), [], record=record, options=False)
    return summary(learner, account) if learner.rounds else f"{account.name}: no label has come yet."


def summary(learner: Any, account: RunFacts, verbose: bool = False) -> str:
    """Return the summary at the end of a run: the table, its assessment, and optionally the certificate."""
    standing = Standing(learner, account)
    said = "\n".join(map(_wrapped, standing.assessment()))
    parts = [heading(learner, account), table(standing), segments(standing), said]
    if verbose:
        parts.append("\n".join(_wrapped(f"{name}: {value}") for name, value in certified(standing).items()))
    return "\n\n".join(filter(None, parts))


def waiting(rows: int) -> str:
    """Describe the number of rows that wait for their labels.

    >>> waiting(1), waiting(1200)
    ('1 row answered, whose label has not come.', '1,200 rows answered, whose labels have not come.')
    """
    return f"{counted(rows, 'row')} answered, whose {'label has' if rows == 1 else 'labels have'} not come."


class Totals(NamedTuple):
    """The losses of several learners together: of the learners, of the best rules and of the best constants."""

    unit: str
    rows: int
    lines: list[Line]

    @property
    def ours(self) -> Line:
        """Return what the learners lost."""
        return self.lines[0]


def of_segments(learners: Mapping[str, Adept], account: RunFacts, by: str) -> str:
    """Return the summary of separate learners: total losses, and a line for each, the largest first."""
    each = {name: Standing(learner, account) for name, learner in learners.items()}
    lines = [_together([one.lines[place] for one in each.values()]) for place in range(3)]
    first = next(iter(each.values()))
    named = (first.ours.name, "best rule of each", "best constant of each")
    lines = [line._replace(name=name) for line, name in zip(lines, named, strict=True)]
    total = Totals(first.unit, sum(one.rows for one in each.values()), lines)
    rows = [[f"by {by}", "rows", *columns(total)[1:2], *columns(total)[3:], f"best rule (its {total.unit})"]]
    for name, one in sorted(each.items(), key=lambda item: -item[1].rows):
        loss, _, *parts = cells(one, one.ours)[1:]
        best = f"{one.rule} ({amount(one.told.best_loss)})"
        rows.append([short(visible(name or "missing")), f"{one.rows:,}", loss, *parts, short(best)])
    usual = [one.learner.usual_regret or 0.0 for one in each.values()]
    said = [graded(lines[0].loss - lines[1].loss, total.rows, total.unit, sum(usual))]
    proven = [one.told.average_bound if one.learner.partial else one.told.bound for one in each.values()]
    if (most := sum(math.inf if bound is None else bound for bound in proven)) < math.inf:
        scope = ", on average over the coins" if first.learner.partial else " on these rows"
        said.append(f"Guaranteed: together at most {rounded_up(most, 1)} more than the best rule of each{scope}.")
    _, end, more = heading(first.learner, account).partition("\n")
    rules = f"rules: {account.rules}, a separate learner for each {by}"
    answered = sum(learner.answered for learner in learners.values())
    seen = f" learnt, of {answered:,}" if first.learner.partial else ""
    head = f"{account.name}: {counted(total.rows, 'row')}{seen}, {rules}{end}{more}"
    return "\n\n".join([head, table(total), _listed(rows), "\n".join(map(_wrapped, said))])


def _together(lines: list[Line]) -> Line:
    """Return the sum of lines; a part is unknown if it is unknown in one of them."""
    columns: Any = zip(*(line[1:] for line in lines), strict=True)
    loss, *parts = (None if None in column else sum(column) for column in columns)
    return Line("", loss or 0.0, *parts)


def heading(learner: Learner, account: RunFacts) -> str:
    """Describe the run in one or two lines.

    >>> from adeptree import Thresholds
    >>> learner = Adept(Thresholds(8), horizon=9)
    >>> learner.learn(4, 0)
    >>> print(heading(learner, RunFacts("f.csv", "thresholds(n=8)", ["score"], bad=2)))
    f.csv: 1 of 9 rows, rules: thresholds(n=8)
    2 bad rows were skipped.
    """
    planned = learner.horizon if learner.horizon is not None and learner.rounds < learner.horizon else None
    rows = f"{learner.rounds:,} of {counted(planned, 'row')}" if planned else counted(learner.rounds, "row")
    seen = "" if not learner.partial else f" learnt, of {learner.answered:,}"
    lines = [f"{account.name}: {rows}{seen}, rules: {account.rules}"]
    if learner.costs != (1, 1):
        lines.append(f"A miss costs {learner.costs[0]:g}, a false alarm {learner.costs[1]:g}.")
    if account.label:
        lines.append(account.label)
    if account.bad:
        lines.append(f"{counted(account.bad, 'bad row')} {'was' if account.bad == 1 else 'were'} skipped.")
    if account.unlabelled:
        lines.append(f"{counted(account.unlabelled, 'row')} without a label, answered and not learnt.")
    if account.waiting:
        lines.append(waiting(account.waiting))
    if account.early:
        rows = "whose row has" if account.early == 1 else "whose rows have"
        lines.append(f"{counted(account.early, 'label')} {rows} not come.")
    return "\n".join(lines)


def columns(standing: Standing | Totals) -> list[str]:
    """Return the names of the columns of the table."""
    reviews = ["reviews"] if standing.ours.reviews is not None else []
    return ["", standing.unit, "per 100 rows", "misses", "false alarms", *reviews]


def cells(standing: Standing | Totals, line: Line) -> list[str]:
    """Return a row of the table as texts."""
    rate = f"{100 * line.loss / standing.rows:,.1f}" if standing.rows else "0.0"
    ours = line is standing.ours
    parts = ["-" if part is None else _exact(part, ours) for part in (line.missed, line.alarmed)]
    reviews = [] if standing.ours.reviews is None else [_exact(line.reviews or 0.0, ours)]
    return [line.name, _exact(line.loss, ours), rate, *parts, *reviews]


def _exact(loss: float, decimal: bool) -> str:
    return f"{loss:,.1f}" if decimal or loss != round(loss) else f"{loss:,.0f}"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Align rows of texts in columns, the first one to the left.

    >>> print(aligned([["", "cost"], ["best rule", "12"]]))
                 cost
      best rule    12
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([f"  {first:<{widths[0]}}", *cells]))
    return "\n".join(lines)


def table(standing: Standing | Totals) -> str:
    """Return the table of losses: the learner, the best rule, the best constant, and thresholds on a score."""
    return aligned([columns(standing), *(cells(standing, line) for line in standing.lines)])


def segment_cells(standing: Standing) -> list[list[str]]:
    """Return the table of the segments as texts, the names of its columns first; empty without ``by``."""
    found = standing.segments()
    if not found:
        return []
    known = found[0][1] is not None
    _, unit, _, *names = columns(standing)
    head = [f"by {standing.learner.by}", *(["rows", unit, *names] if known else [])]
    rows = []
    for name, n, line in found:
        missed, alarmed = line.missed or 0.0, line.alarmed or 0.0
        parts = [missed, alarmed, max(0.0, line.loss - missed - alarmed)][: len(names)]  # the rest is reviews
        numbers = [f"{n:,}", *(_exact(part, True) for part in (line.loss, *parts))] if known else []
        rows.append([short(visible(name)), *numbers, short(visible(line.name))])
    return [[*head, f"best rule (its {standing.unit})"], *rows]


def segments(standing: Standing) -> str:
    """Return the table of the segments; empty without ``by``."""
    return _listed(segment_cells(standing))


def _listed(rows: list[list[str]]) -> str:
    more = f"\n  and {counted(len(rows) - 1 - SEGMENTS, 'more segment')}" if len(rows) - 1 > SEGMENTS else ""
    return aligned(rows[: 1 + SEGMENTS]) + more if rows else ""


def _wrapped(line: str) -> str:
    return "\n".join(textwrap.wrap(line, min(100, _terminal_width()), subsequent_indent="  "))


def certified(standing: Standing) -> dict[str, str]:
    """Return the certificate as texts by name, with the names of the stream's columns in the best rule."""
    certificate = replace(standing.told, best_rule=standing.rule)
    named = {"certificate": str(certificate), "seed": str(standing.learner.seed)}
    return named | {name.replace("_", " "): _value(value) for name, value in dict(certificate).items()}


def _value(value: object) -> str:
    """Format a value of the certificate.

    >>> _value(None), _value(True), _value(1234), _value(1234.5), _value("always 0")
    ('none', 'yes', '1,234', '1,234.5', 'always 0')
    """
    if value is None or isinstance(value, (bool, str)):
        return {None: "none", "": "none", True: "yes", False: "no"}.get(value, str(value))
    return f"{value:,.10g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def calibration(error: float) -> str:
    """Describe the calibration error of the frequencies.

    >>> calibration(0.84)
    'Frequencies differ from the share of 1s among their rows by 0.8 points on average.'
    """
    return f"Frequencies differ from the share of 1s among their rows by {error:.1f} points on average."


def _terminal_width() -> int:
    return shutil.get_terminal_size((100, 24)).columns
