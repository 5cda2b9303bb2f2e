"""The page of a learner behind a service: regret and bounds, rules, recent rounds, bad requests; it renews itself.

The page itself is the same for every learner and holds nothing of any. Its script asks the service for the parts below,
which are made here in HTML, and puts them in their places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from adeptree.core.cell_text import brief
from adeptree.core.errors import InvalidArgument
from adeptree.core.escaping import counted
from adeptree.learners.certificate import rounded_up
from adeptree.pages.run_history import Moment
from adeptree.pages.run_page import error_figure, regret_figure
from adeptree.pages.skeleton import document, facts, fill, gallery, line, section, table, text
from adeptree.pages.summary import percent, plainly, rule_text, stake_of, unit_of

if TYPE_CHECKING:
    from adeptree.learners.adept_learner import Adept
    from adeptree.pages.run_history import Course

PARTS = ("head", "numbers", "curves", "rules", "recent", "bad")
"""In their order on the page."""
LISTED = 10
"""Rules that are listed."""


class ShownRound(NamedTuple):
    """A round that was answered, or learnt: y is None while it waits; it may not ask for a label."""

    ticket: int
    x: str
    p: float
    guess: int | None
    y: int | None
    ask: bool = True


class BadRequest(NamedTuple):
    """A request that was refused, and why."""

    at: str
    asked: str
    status: int
    sentence: str


@dataclass(frozen=True)
class Live:
    """What the page shows of a learner, and of the service around it."""

    name: str
    rules: str
    columns: Sequence[str]
    learner: Adept
    course: Course
    recent: Sequence[ShownRound]
    open: int
    expired: int
    since: str
    requests: int
    refused: int
    bad: Sequence[BadRequest]
    kept: str
    broken: str
    others: Sequence[tuple[str, str]]
    """All learners of the service, and where their pages are."""


def live_page(token: bool = False) -> str:
    """Return the page, which asks for a token if the service has one; it needs no network but the service.

    >>> html = live_page()
    >>> all(f'id="{part}"' in html for part in PARTS), "http" in html
    (True, False)
    """
    places = [f'<div id="{part}"></div>' for part in PARTS]
    return document(
        "adeptree: live", [fill("live", needed="needed" if token else "none"), *places], kind="live", script="live.js"
    )


def live_parts(live: Live) -> dict[str, str]:
    """Return the parts of the page, as HTML by their names."""
    learner = live.learner
    shown = {"head": _head(live), "numbers": _numbers(live)}
    if learner.rounds:
        shown |= {"curves": _curves(live), "rules": _rules(live)}
    return {**dict.fromkeys(PARTS, ""), **shown, "recent": _recent(live), "bad": _bad(live)}


def others_part(others: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the parts where no learner is at the root: the names of all."""
    return {**dict.fromkeys(PARTS, ""), "head": f"<h1>adeptree: learners</h1>{_links(others)}"}


def _links(others: Sequence[tuple[str, str]], here: str = "") -> str:
    links = [f"<b>{text(name)}</b>" if name == here else f'<a href="{to}">{text(name)}</a>' for name, to in others]
    return f'<nav aria-label="Learners">{"".join(links)}</nav>'


def _head(live: Live) -> str:
    learner = live.learner
    said = "No label has come yet." if not learner.rounds else plainly(learner, rule_text(learner, live.columns))
    trouble = f'<p class="sum failed">{text(live.broken)}</p>' if live.broken else ""
    nav = _links(live.others, live.name) if len(live.others) > 1 else ""
    lead = f"{counted(learner.rounds, 'round')} against {live.rules}"
    return f'<h1>adeptree: {text(live.name)}</h1>{nav}<p>{text(lead)}</p>{trouble}<p class="sum">{text(said)}</p>'


def _numbers(live: Live) -> str:
    learner, unit = live.learner, unit_of(live.learner)
    t, found = stake_of(learner), dict[str, str]()
    if learner.rounds:
        constant = learner.best_constant()
        advance, final = learner.in_advance, learner.final
        found = {
            "regret so far, exactly": f"{learner.regret:,.2f}",
            "proven now, from what was seen": rounded_up(learner.bound, 1),
            "proven in advance, with prompt labels": "nothing" if advance is None else rounded_up(advance, 1),
            **({} if final is None or learner.ended else {"at the end, whatever comes": rounded_up(final, 1)}),
            f"{unit} expected": f"{learner.expected_loss:,.1f} ({percent(learner.expected_loss, t)})",
            f"{unit} of the best rule": f"{learner.best_loss:,} ({percent(learner.best_loss, t)})",
            f"{unit} of {constant.rule}": f"{constant.loss:,} ({percent(constant.loss, t)})",
        }
    expired = f", {live.expired:,} expired" if live.expired else ""
    found |= {
        "answers that wait for their labels": f"{live.open:,}{expired}",
        "requests": f"{live.requests:,} since {live.since}, {live.refused:,} of them bad",
        "kept in": live.kept or "nowhere: it is gone when the service ends (--save DIR keeps it)",
    }
    return section("standing", "Regret and bounds", facts(found))


def _curves(live: Live) -> str:
    learner = live.learner
    now = Moment(learner.rounds, learner.expected_loss, learner.best_loss, float(learner.bound), learner.width, "")
    moments = [*(moment for moment in live.course.moments if moment.round < now.round), now]
    return gallery([regret_figure(moments), error_figure(moments, learner.weighed)])


def _rules(live: Live) -> str:
    learner = live.learner
    reach = stake_of(learner) / 100 if learner.weighed else max(1, learner.rounds // 100)
    try:
        near = learner.rules_within(reach, LISTED)
    except InvalidArgument as error:  # (a structure that cannot list them)
        return section("near", "Best rule", f"<p>{text(rule_text(learner, live.columns))}</p><p>{text(error)}.</p>")
    more = ", and more" if near.more else ""
    rows = "".join(line(brief(rule_text(learner, live.columns, one.rule)), {"loss": f"{one.loss:,}"}) for one in near)
    lead = f"<p>{counted(len(near), 'rule')}{more} within {reach:,.10g} of the best, the best first.</p>"
    columns = [("rule", "left"), ("loss", "right")]
    return section("near", "Best rule and near-best rules", lead, table(columns, f"<tbody>\n{rows}</tbody>"))


def _recent(live: Live) -> str:
    if not live.recent:
        return section("rounds", "Recent rounds", "<p>None yet.</p>")
    rows = [
        line(
            brief(one.x),
            {
                "ticket": f"{one.ticket:,}",
                "p": _chance(one.p),
                "action": "review" if one.guess is None else str(one.guess),
                "label": ("waits" if one.ask else "not asked for") if one.y is None else str(one.y),
            },
        )
        for one in sorted(live.recent, key=lambda one: one.ticket, reverse=True)
    ]
    columns = [
        ("x", "left"),
        ("ticket", "right"),
        ("p, chance of guessing 1", "right"),
        ("action", "right"),
        ("label", "right"),
    ]
    return section("rounds", "Recent rounds", table(columns, f"<tbody>\n{''.join(rows)}</tbody>"))


def _chance(p: float) -> str:
    """Return a chance with three decimals, which never looks certain if it is not.

    >>> [_chance(p) for p in (0.0, 1e-9, 0.5, 0.99996, 1.0)]
    ['0.000', '< 0.001', '0.500', '> 0.999', '1.000']
    """
    return "< 0.001" if 0 < p < 0.001 else "> 0.999" if 0.999 < p < 1 else f"{p:.3f}"


def _bad(live: Live) -> str:
    if not live.bad:
        return section("refused", "Bad requests", "<p>None.</p>")
    rows = [
        line(one.sentence, {"status": str(one.status), "request": brief(one.asked), "at": one.at})
        for one in reversed(live.bad)
    ]
    columns = [("why", "left"), ("status", "right"), ("request", "right"), ("at", "right")]
    return section("refused", "Bad requests", table(columns, f"<tbody>\n{''.join(rows)}</tbody>"))
