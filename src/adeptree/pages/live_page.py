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
from adeptree.pages.run_history import Moment
from adeptree.pages.run_page import assessed, error_figure, regret_figure, tables_of, tiles_of
from adeptree.pages.skeleton import document, drawn, facts, fill, folded, line, section, table, text
from adeptree.pages.standing import Account, Standing, rule_text, stake_of

if TYPE_CHECKING:
    from adeptree.learners.adept_learner import Adept
    from adeptree.pages.run_history import Course

PARTS = ("head", "curves", "rules", "recent", "bad", "numbers")
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
    trouble = f'<p class="sum failed">{text(live.broken)}</p>' if live.broken else ""
    nav = _links(live.others, live.name) if len(live.others) > 1 else ""
    lead = f"{counted(learner.rounds, 'row')}, rules: {live.rules}"
    said = '<p class="sum">No label has come yet.</p>'
    if learner.rounds:
        standing = _standing(live)
        said = tiles_of(standing) + assessed(standing)
    return f"<h1>adeptree: {text(live.name)}</h1>{nav}<p>{text(lead)}</p>{trouble}{said}"


def _numbers(live: Live) -> str:
    expired = f", {live.expired:,} expired" if live.expired else ""
    found = {
        "answers that wait for their labels": f"{live.open:,}{expired}",
        "requests": f"{live.requests:,} since {live.since}, {live.refused:,} of them bad",
        "kept in": live.kept or "nowhere: it is gone when the service ends (--save DIR keeps it)",
    }
    return section("standing", "Service", facts(found))


def _curves(live: Live) -> str:
    now = Moment.of(live.learner, "")
    moments = [*(moment for moment in live.course.moments if moment.round < now.round), now]
    regret = folded("regret", "Regret over time", drawn(regret_figure(moments)))
    standing = _standing(live)
    return "".join([drawn(error_figure(moments, standing.unit)), *tables_of(standing), regret])


def _standing(live: Live) -> Standing:
    return Standing(live.learner, Account(live.name, live.rules, live.columns))


def _rules(live: Live) -> str:
    learner = live.learner
    reach = stake_of(learner) / 100 if learner.weighed else max(1, learner.rounds // 100)
    try:
        near = learner.rules_within(reach, LISTED)
    except InvalidArgument as error:  # (a structure that cannot list them)
        return folded("near", "Best rule", f"<p>{text(rule_text(learner, live.columns))}</p><p>{text(error)}.</p>")
    more = ", and more" if near.more else ""
    rows = "".join(line(brief(rule_text(learner, live.columns, one.rule)), {"loss": f"{one.loss:,}"}) for one in near)
    lead = f"<p>{counted(len(near), 'rule')}{more} within {reach:,.10g} of the best, the best first.</p>"
    columns = [("rule", "left"), ("loss", "right")]
    return folded("near", "Best rule and near-best rules", lead, table(columns, f"<tbody>\n{rows}</tbody>"))


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
    return folded("rounds", "Recent rounds", table(columns, f"<tbody>\n{''.join(rows)}</tbody>"))


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
    return folded("refused", "Bad requests", table(columns, f"<tbody>\n{''.join(rows)}</tbody>"))
