"""One self-contained HTML page about one run of ``adeptree run``."""

from __future__ import annotations

import os
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from adeptree.core.files import write_atomically
from adeptree.core.visible import visible_lines
from adeptree.pages.drawing import COLOURS, HEIGHT, INK, STYLE, Figure, canvas, legend_below, plotting, to_svg
from adeptree.pages.report_style import CSS
from adeptree.pages.summary import CONFIDENCE, GUESSES_UNKNOWN, Account, heading, percent, plainly, rule_text

if TYPE_CHECKING:
    from adeptree.learners import Adept
    from adeptree.pages.course import Course, Moment
from adeptree.learners.certificate import rounded_up

LONGEST_LIST = 40
"""Changes of the best rule that are listed; of more, the last ones."""


def write_run_page(path: str | os.PathLike[str], learner: Adept, account: Account, course: Course) -> None:
    """Write the page, all or nothing."""
    plotting(Path(path).parent)
    write_atomically(Path(path), run_page(learner, account, course).encode("utf-8", "backslashreplace"))


def run_page(learner: Adept, account: Account, course: Course) -> str:
    """Return the whole page as HTML; it needs no network and no script."""
    title = _text(f"adeptree: {account.name}")
    with plotting().rc_context(STYLE):
        figures = [_regret(course.moments), _errors(course.moments)]
    parts = [_opening(learner, account), _numbers(learner, account), _figures(figures), _rules(course.moments)]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}</title>\n<style>{CSS}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join([*parts, _certificate(learner)])
        + "\n</main>\n</body>\n</html>\n"
    )


def _text(value: str) -> str:
    """Return a text for the page: names in it come from files that anybody may have written."""
    return escape(visible_lines(value))


def _opening(learner: Adept, account: Account) -> str:
    rule = rule_text(learner, account.columns)
    return (
        f"<header>\n<h1>{_text(account.name)}</h1>\n"
        f"<p>{_text(heading(learner, account)).replace(chr(10), '<br>')}</p>\n"
        f'<p class="sum">{_text(plainly(learner, rule))}</p>\n'
        '<nav aria-label="Contents"><a href="#numbers">Numbers</a><a href="#figures">Figures</a>'
        '<a href="#rules">Best rule over time</a><a href="#certificate">Certificate</a></nav>\n</header>'
    )


def _numbers(learner: Adept, account: Account) -> str:
    T = learner.rounds if learner.horizon is None else learner.horizon
    t, most = learner.rounds, learner.realised_bound(CONFIDENCE) + learner.best_loss
    facts = {
        "rounds": f"{t:,}",
        "mistakes expected": f"{learner.expected_loss:,.1f} ({percent(learner.expected_loss, t)})",
        f"mistakes made with seed {learner.seed}": f"{learner.realised_loss:,} ({percent(learner.realised_loss, t)})",
        f"at most, with probability {CONFIDENCE:.0%}, {GUESSES_UNKNOWN}": rounded_up(most, 1),
        "best rule in hindsight": rule_text(learner, account.columns),
        "its mistakes": f"{learner.best_loss:,} ({percent(learner.best_loss, t)})",
        "regret so far, exactly": f"{learner.regret:,.1f}",
        "proven now, from what was seen": rounded_up(learner.bound, 1),
        f"proven in advance, of any stream of {T:,} rounds": _promised(learner.in_advance),
        **({} if learner.final is None or learner.ended else {"at the end, whatever comes": _promised(learner.final)}),
        "width (paths kept)": f"{learner.width:,}",
    }
    listed = "\n".join(f"<dt>{_text(name)}</dt><dd>{_text(value)}</dd>" for name, value in facts.items())
    return (
        '<section aria-labelledby="numbers">\n<h2 id="numbers">Numbers</h2>\n'
        f'<dl class="facts">\n{listed}\n</dl>\n</section>'
    )


def _promised(value: float | None) -> str:
    return "nothing" if value is None else rounded_up(value, 1)


def _regret(moments: list[Moment]) -> Figure:
    figure, axes = canvas(height=HEIGHT + 0.3)
    rounds = [m.round for m in moments]
    axes.plot(rounds, [m.expected_loss - m.best_loss for m in moments], color=COLOURS[0], label="regret, exactly")
    axes.plot(rounds, [m.bound for m in moments], "--", color=INK, label="proven then")
    axes.set(xlabel="round", ylabel="expected regret so far", xlim=(0, None))
    axes.update_datalim([(0, 0)])  # zero is always in view, also where the regret is below it
    axes.autoscale_view()
    legend_below(figure, axes)
    caption = (
        "Expected mistakes of ADEPT minus the mistakes of the best rule so far, after each round, and what is proven "
        "about it, dashed: from what was seen until then. The line must stay below it."
    )
    alt = f"Regret over {rounds[-1]:,} rounds, with the dashed bound above it."
    return Figure("regret", "Regret over time", caption, to_svg(figure, "regret", alt))


def _errors(moments: list[Moment]) -> Figure:
    figure, axes = canvas(height=HEIGHT + 0.3)
    rounds = [m.round for m in moments]
    axes.plot(rounds, [100 * m.expected_loss / m.round for m in moments], color=COLOURS[0], label="ADEPT, expected")
    axes.plot(rounds, [100 * m.best_loss / m.round for m in moments], color=COLOURS[1], label="best rule so far")
    axes.set(xlabel="round", ylabel="mistakes so far, % of rounds", xlim=(0, None), ylim=(0, None))
    legend_below(figure, axes)
    caption = (
        "Share of mistakes up to each round: of ADEPT in expectation, and of the rule that is best up to that round "
        "(which rule that is only hindsight tells, and it may change)."
    )
    alt = f"Error rates over {rounds[-1]:,} rounds of ADEPT and of the best rule in hindsight."
    return Figure("error", "Error over time", caption, to_svg(figure, "error", alt))


def _figures(drawn: list[Figure]) -> str:
    shown = "\n".join(
        f'<figure id="figure-{f.name}">\n<h3>{_text(f.title)}</h3>\n{f.svg}\n'
        f"<figcaption>{_text(f.caption)}</figcaption>\n</figure>"
        for f in drawn
    )
    opening = '<section aria-labelledby="figures">\n<h2 id="figures">Figures</h2>\n<div class="figures">'
    return f"{opening}\n{shown}\n</div>\n</section>"


def _rules(moments: list[Moment]) -> str:
    """List when the best rule changed, as far as the noted moments tell."""
    changes = [next(same) for _, same in groupby(moments, key=lambda m: m.rule)]
    left_out = len(changes) - LONGEST_LIST
    rows = "".join(
        f'<tr><th scope="row">{_text(m.rule)}</th><td class="right" data-label="from round">{m.round:,}</td>'
        f'<td class="right" data-label="mistakes">{m.best_loss:,}</td></tr>\n'
        for m in changes[-LONGEST_LIST:]
    )
    note = f"<p>{left_out:,} earlier changes are not shown.</p>\n" if left_out > 0 else ""
    head = '<th scope="col">best rule</th><th scope="col" class="right">from round</th>'
    head += '<th scope="col" class="right">its mistakes then</th>'
    return (
        f'<section aria-labelledby="rules">\n<h2 id="rules">Best rule over time</h2>\n{note}'
        f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}</tbody></table></div>\n</section>"
    )


def _certificate(learner: Adept) -> str:
    certificate = learner.certificate()
    listed = "\n".join(
        f"<dt>{_text(name.replace('_', ' '))}</dt><dd>{_text(_value(value))}</dd>"
        for name, value in dict(certificate).items()
    )
    return (
        '<section aria-labelledby="certificate">\n<h2 id="certificate">Certificate</h2>\n'
        f'<p>{_text(str(certificate))}</p>\n<dl class="facts">\n{listed}\n</dl>\n</section>'
    )


def _value(value: object) -> str:
    if value is None or isinstance(value, (bool, str)):
        return {None: "none", True: "yes", False: "no"}.get(value, str(value))  # type: ignore[arg-type]
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}"
