"""The live page of a learner: regret and bounds, rules, recent rounds, bad requests; it refreshes itself.

The page is the same for every learner and holds no data. Its script requests the parts below, rendered here as HTML,
and inserts them.
"""

from __future__ import annotations

import asyncio
import re
import time
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from adeptree.app.serve.metrics import clock
from adeptree.app.serve.requests import has_token, query_of
from adeptree.app.serve.routes import ROOT, learner_of, said, service_of
from adeptree.app.serve.served_learner import ServedLearner
from adeptree.app.serve.writer import Writer
from adeptree.core.cell_text import as_text, brief
from adeptree.core.escaping import counted
from adeptree.pages.run_history import Moment
from adeptree.pages.run_page import assessed, error_figure, near_list, regret_figure, tables_of, tiles_of
from adeptree.pages.skeleton import document, drawn, facts, fill, folded, line, section, table, text
from adeptree.pages.standing import Standing

if TYPE_CHECKING:
    from adeptree.app.serve.service import Service

Rendered = tuple[float, dict[str, str]]
FRESH_SECONDS = 1.0
"""Longest age of the parts in seconds, so that any number of viewers costs one rendering per interval."""
PARTS = ("head", "curves", "recent", "rules", "bad", "numbers")
"""The parts, in their order on the page."""


async def page(request: Request) -> Response:
    """Return the page, which holds no data of the learner and is the same for all clients."""
    query_of(request)
    limits = service_of(request).limits
    if "name" in request.path_params and has_token(request, limits):
        learner_of(request)
    html = live_page(bool(limits.token))
    scripts = re.findall(r"(?s)<script>(.*?)</script>", html)
    allowed = " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src {allowed}; connect-src 'self'; base-uri 'none'; "
        f"form-action 'none'; frame-ancestors 'none'"
    )
    return Response(html, media_type="text/html", headers={"Content-Security-Policy": policy})


def live_page(token: bool = False) -> str:
    """Return the page, which asks for a token if the service has one; it needs no other network.

    >>> html = live_page()
    >>> all(f'id="{part}"' in html for part in PARTS), "http" in html
    (True, False)
    """
    places = [f'<div id="{part}"></div>' for part in PARTS]
    return document(
        "adeptree: live", [fill("live", needed="needed" if token else "none"), *places], kind="live", script="live.js"
    )


async def parts(request: Request) -> Response:
    """Return the parts of the page as HTML, by their names."""
    query_of(request)
    service, named = service_of(request), "name" in request.path_params
    if not named and ROOT not in service.writers:
        head = f"<h1>adeptree: learners</h1>{_links(service.writers)}"
        return said({**dict.fromkeys(PARTS, ""), "head": head})
    # Links between learners are relative, so that they work behind a proxy.
    writer, up, now = learner_of(request), "../../" if named else "", time.monotonic()
    name = f"{up}{writer.served.name}"
    before = service.rendered.get(name)
    if before is None or now - before[0] > FRESH_SECONDS:
        before = now, await asyncio.to_thread(_drawn, service, writer, up)
        service.rendered[name] = before
    return said(before[1])


def _drawn(service: Service, writer: Writer, up: str) -> dict[str, str]:
    served, found = writer.served, dict.fromkeys(PARTS, "")
    with served.lock:
        standing, rows = served.standing(), counted(served.learner.rounds, "row")
        trouble = f'<p class="sum failed">{text(writer.broken)}</p>' if writer.broken else ""
        nav = _links(service.writers, served.name, up) if len(service.writers) > 1 else ""
        lead = f"<p>{rows}, rules: {text(served.columns.layout.shown)}</p>"
        told = '<p class="sum">No label has come yet.</p>'
        if standing:
            told = tiles_of(standing) + assessed(standing)
            found |= {"curves": _curves(served, standing), "rules": near_list(standing)}
        found["head"] = f"<h1>adeptree: {text(served.name)}</h1>{nav}{lead}{trouble}{told}"
        found |= {"recent": _recent(served), "bad": _bad(service), "numbers": _numbers(service, served)}
        return found


def _links(names: Iterable[str], here: str = "", up: str = "") -> str:
    links = [f"<b>{text(n)}</b>" if n == here else f'<a href="{up}l/{n}/">{text(n)}</a>' for n in names]
    return f'<nav aria-label="Learners">{"".join(links)}</nav>'


def _curves(served: ServedLearner, standing: Standing) -> str:
    now = Moment.of(served.learner, "")
    moments = [*(moment for moment in served.course.moments if moment.round < now.round), now]
    charts = error_figure(moments, standing.unit), regret_figure(moments)
    return "".join([*map(drawn, charts), *tables_of(standing)])


def _recent(served: ServedLearner) -> str:
    if not served.recent:
        return section("rounds", "Recent rounds", "<p>None yet.</p>")
    rows = []
    for number, (opened, y) in sorted(served.recent.items(), reverse=True):
        ticket, x = opened.ticket, ", ".join(as_text(cell) or "?" for cell in opened.cells)
        label = ("waits" if ticket.ask else "not asked for") if y is None else str(y)
        cells = {"ticket": f"{number:,}", "p": _chance(ticket.p), "action": str(ticket.action), "label": label}
        rows.append(line(brief(x), cells))
    names = ("ticket", "p of 1", "action", "label")
    return section("rounds", "Recent rounds", _table([("x", "left"), *((name, "right") for name in names)], rows))


def _chance(p: float) -> str:
    """Format a probability with three decimals that shows 0 or 1 only if exact.

    >>> [_chance(p) for p in (0.0, 1e-9, 0.5, 0.99996, 1.0)]
    ['0.000', '< 0.001', '0.500', '> 0.999', '1.000']
    """
    return "< 0.001" if 0 < p < 0.001 else "> 0.999" if 0.999 < p < 1 else f"{p:.3f}"


def _bad(service: Service) -> str:
    if not service.metrics.recent:
        return section("refused", "Bad requests", "<p>None.</p>")
    bad = reversed(service.metrics.recent)
    rows = [line(one.why, {"status": str(one.status), "request": brief(one.asked), "at": one.at}) for one in bad]
    names = ("status", "request", "at")
    return folded("refused", "Bad requests", _table([("why", "left"), *((name, "right") for name in names)], rows))


def _numbers(service: Service, served: ServedLearner) -> str:
    metrics, expired = service.metrics, f", {served.expired:,} expired" if served.expired else ""
    found = {
        "answers that wait for their labels": f"{len(served.book.open):,}{expired}",
        "requests": f"{metrics.requests:,} since {clock(metrics.started)}, {metrics.refused:,} of them bad",
        "kept in": str(served.folder.path)
        if served.folder
        else "nowhere: it is gone when the service ends (--save DIR keeps it)",
    }
    return section("standing", "Service", facts(found))


def _table(columns: list[tuple[str, str]], rows: list[str]) -> str:
    return table(columns, f"<tbody>\n{''.join(rows)}</tbody>")
