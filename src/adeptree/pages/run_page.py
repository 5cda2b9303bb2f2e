"""One self-contained HTML page about one run of ``adeptree run``."""

from __future__ import annotations

import os
from itertools import groupby
from typing import TYPE_CHECKING

from adeptree.learners.certificate import rounded_up
from adeptree.pages.curves import PROVEN, Curve, curves
from adeptree.pages.skeleton import Figure, document, facts, gallery, line, opening, section, table, text, write_page
from adeptree.pages.summary import (
    CONFIDENCE,
    GUESSES_UNKNOWN,
    Account,
    amount,
    heading,
    percent,
    plainly,
    rule_text,
    stake_of,
    unit_of,
)

if TYPE_CHECKING:
    from adeptree.learners.adept_learner import Adept
    from adeptree.pages.run_history import Course, Moment

LONGEST_LIST = 40
"""Changes of the best rule that are listed; of more, the last ones."""


def write_run_page(path: str | os.PathLike[str], learner: Adept, account: Account, course: Course) -> None:
    """Write the page, all or nothing."""
    write_page(path, run_page(learner, account, course))


def run_page(learner: Adept, account: Account, course: Course) -> str:
    """Return the whole page as HTML; it needs no network and no script."""
    figures = [regret_figure(course.moments), error_figure(course.moments, learner.weighed)]
    rules = _rules(course.moments, unit_of(learner))
    parts = [_opening(learner, account), _numbers(learner, account), gallery(figures), rules]
    return document(f"adeptree: {account.name}", [*parts, _certificate(learner)])


def _opening(learner: Adept, account: Account) -> str:
    said = plainly(learner, rule_text(learner, account.columns))
    contents = {
        "numbers": "Numbers",
        "figures": "Figures",
        "rules": "Best rule over time",
        "certificate": "Certificate",
    }
    lead = text(heading(learner, account)).replace("\n", "<br>")
    return opening(account.name, lead, f'<p class="sum">{text(said)}</p>\n', contents)


def _numbers(learner: Adept, account: Account) -> str:
    T = learner.rounds if learner.horizon is None else learner.horizon
    t, most = stake_of(learner), learner.realised_bound(CONFIDENCE) + learner.best_loss
    unit, constant, made = unit_of(learner), learner.best_constant(), learner.realised_loss
    found = {
        "rounds": f"{learner.rounds:,}",
        f"{unit} expected": f"{learner.expected_loss:,.1f} ({percent(learner.expected_loss, t)})",
        f"{unit} made with seed {learner.seed}": f"{amount(made)} ({percent(made, t)})",
        f"at most, with probability {CONFIDENCE:.0%}, {GUESSES_UNKNOWN}": rounded_up(most, 1),
        "best rule in hindsight": rule_text(learner, account.columns),
        f"its {unit}": f"{amount(learner.best_loss)} ({percent(learner.best_loss, t)})",
        f"{unit} of {constant.rule}": f"{amount(constant.loss)} ({percent(constant.loss, t)})",
        "regret so far, exactly": f"{learner.regret:,.1f}",
        "proven now, from what was seen": rounded_up(learner.bound, 1),
        f"proven in advance, of any stream of {T:,} rounds": _promised(learner.in_advance),
        **({} if learner.final is None or learner.ended else {"at the end, whatever comes": _promised(learner.final)}),
        "width (paths kept)": f"{learner.width:,}",
    }
    unsure = [f"<p>{text(account.unsure)}</p>"] if account.unsure else []
    return section("numbers", "Numbers", facts(found), *unsure)


def _promised(value: float | None) -> str:
    return "nothing" if value is None else rounded_up(value, 1)


def regret_figure(moments: list[Moment]) -> Figure:
    """Draw the regret and what was proven of it."""
    regret = Curve("regret, exactly", [m.expected_loss - m.best_loss for m in moments], 0)
    bound = Curve("proven then", [m.bound for m in moments], PROVEN)
    return curves("run-regret", "expected regret so far", [m.round for m in moments], [regret, bound])


def error_figure(moments: list[Moment], weighed: bool) -> Figure:
    """Draw the share of mistakes; of weighed rounds, what one loses on average: it may be more than 1."""
    name, axis, scale = (
        ("run-loss", "losses so far, per round", 1) if weighed else ("run-error", "mistakes so far, % of rounds", 100)
    )
    ours = Curve("ADEPT, expected", [scale * m.expected_loss / m.round for m in moments], 0)
    best = Curve("best rule so far", [scale * m.best_loss / m.round for m in moments], 1)
    return curves(name, axis, [m.round for m in moments], [ours, best])


def _rules(moments: list[Moment], unit: str) -> str:
    """List when the best rule changed, as far as the noted moments tell."""
    changes = [next(same) for _, same in groupby(moments, key=lambda m: m.rule)]
    left_out = len(changes) - LONGEST_LIST
    note = [f"<p>{left_out:,} earlier changes are not shown.</p>"] if left_out > 0 else []
    rows = [line(m.rule, {"from round": f"{m.round:,}", unit: amount(m.best_loss)}) for m in changes[-LONGEST_LIST:]]
    columns = [("best rule", "left"), ("from round", "right"), (f"its {unit} then", "right")]
    return section("rules", "Best rule over time", *note, table(columns, f"<tbody>\n{''.join(rows)}</tbody>"))


def _certificate(learner: Adept) -> str:
    certificate = learner.certificate()
    found = {name.replace("_", " "): _value(value) for name, value in dict(certificate).items()}
    return section("certificate", "Certificate", f"<p>{text(certificate)}</p>", facts(found))


def _value(value: object) -> str:
    if value is None or isinstance(value, (bool, str)):
        return {None: "none", "": "none", True: "yes", False: "no"}.get(value, str(value))
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}"
