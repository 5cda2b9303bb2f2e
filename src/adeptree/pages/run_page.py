"""The report of ``adeptree run``: one self-contained HTML page."""

from __future__ import annotations

import os
from itertools import groupby
from typing import TYPE_CHECKING

from adeptree.core.escaping import rounded_up
from adeptree.pages.curves import CONSTANT, PROVEN, Curve, curves
from adeptree.pages.skeleton import (
    Figure,
    document,
    drawn,
    facts,
    folded,
    line,
    opening,
    section,
    table,
    text,
    tiles,
    write_page,
)
from adeptree.pages.standing import RunFacts, Standing, amount
from adeptree.pages.summary import cells, certified, columns, heading, segment_cells

if TYPE_CHECKING:
    from adeptree.learners.adept_learner import Adept
    from adeptree.pages.run_history import Course, Moment

LONGEST_LIST = 40
"""Number of changes of the best rule that are listed, the last ones."""


def write_run_page(path: str | os.PathLike[str], learner: Adept, account: RunFacts, course: Course) -> None:
    """Write the page, all or nothing."""
    write_page(path, run_page(learner, account, course))


def run_page(learner: Adept, account: RunFacts, course: Course) -> str:
    """Return the whole page as HTML; it needs no network and no script."""
    standing = Standing(learner, account)
    lead = text(heading(learner, account)).replace("\n", "<br>")
    parts = [
        opening(account.name, lead, tiles_of(standing) + assessed(standing)),
        drawn(error_figure(course.moments, standing.unit)),
        drawn(regret_figure(course.moments)),
        *tables_of(standing),
        near_list(standing),
        _rules(course.moments, standing.unit),
        _certificate(standing),
    ]
    return document(f"adeptree: {account.name}", parts)


def tiles_of(standing: Standing) -> str:
    """Return the main numbers at the top of a page."""
    told, lines = standing.told, standing.lines
    named = zip((f"{standing.unit} of adeptree", "best rule in hindsight", "best constant"), lines, strict=False)
    found = {name: cells(standing, line)[1] for name, line in named}
    found["behind the best rule"] = f"{lines[0].loss - lines[1].loss:,.1f}"
    bound = told.average_bound if standing.learner.partial else told.bound
    return tiles(found | {"guaranteed: behind at most": "nothing proven" if bound is None else rounded_up(bound, 1)})


def assessed(standing: Standing) -> str:
    """Return the assessment of the numbers; near-best rules are a separate list."""
    return f'<p class="sum">{"<br>".join(map(text, standing.assessment(near=False)))}</p>\n'


def tables_of(standing: Standing) -> list[str]:
    """Return the tables of losses and of segments."""
    found = [[columns(standing), *(cells(standing, line) for line in standing.lines)], segment_cells(standing)]
    tables = []
    for names, *rows in filter(None, found):
        sides = [(name, "right" if place else "left") for place, name in enumerate(names)]
        lines = "".join(line(row[0], dict(zip(names[1:], row[1:], strict=True))) for row in rows)
        tables.append(table(sides, f"<tbody>\n{lines}</tbody>"))
    return tables


def regret_figure(moments: list[Moment]) -> Figure:
    """Draw the regret and its bounds."""
    regret = Curve("regret, exactly", [m.expected_loss - m.best_loss for m in moments], 0)
    bound = Curve("proven then", [m.bound for m in moments], PROVEN)
    return curves("run-regret", "expected regret so far", [m.round for m in moments], [regret, bound], between=True)


def error_figure(moments: list[Moment], unit: str) -> Figure:
    """Draw mistakes, or costs, per 100 rows: of the learner, of the best rule and of the best constant."""
    name, rounds = "run-loss" if unit == "cost" else "run-error", [m.round for m in moments]
    losses = {
        "adeptree": [m.expected_loss for m in moments],
        "best rule": [m.best_loss for m in moments],
        "best constant": [m.constant_loss for m in moments],
    }
    shown = [
        Curve(said, [100 * loss / t for loss, t in zip(lost, rounds, strict=True)], colour)
        for (said, lost), colour in zip(losses.items(), (0, 1, CONSTANT), strict=True)
    ]
    return curves(name, f"{unit} so far, per 100 rows", rounds, shown)


def near_list(standing: Standing) -> str:
    """Return the best rule, and those that are nearly as good."""
    said, rules = standing.near_rules()
    listed = "".join(f"<li>{text(rule)}</li>" for rule in rules)
    return section("near", "Best rule", f"<p>{text(standing.rule)}</p><p>{text(said)}</p><ul>{listed}</ul>")


def _rules(moments: list[Moment], unit: str) -> str:
    """List the changes of the best rule at the recorded moments."""
    changes = [next(same) for _, same in groupby(moments, key=lambda m: m.rule)]
    left_out = len(changes) - LONGEST_LIST
    note = [f"<p>{left_out:,} earlier changes are not shown.</p>"] if left_out > 0 else []
    rows = [line(m.rule, {"from row": f"{m.round:,}", unit: amount(m.best_loss)}) for m in changes[-LONGEST_LIST:]]
    names = [("best rule", "left"), ("from row", "right"), (f"its {unit} then", "right")]
    return folded("rules", "Best rule over time", *note, table(names, f"<tbody>\n{''.join(rows)}</tbody>"))


def _certificate(standing: Standing) -> str:
    found = certified(standing)
    known = {name: value for name, value in found.items() if value not in ("none", found["certificate"])}
    return folded("certificate", "Certificate", f"<p>{text(found['certificate'])}</p>", facts(known))
