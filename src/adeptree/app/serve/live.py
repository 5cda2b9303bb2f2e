"""The live page of a learner, and its parts, which the page asks for again and again."""

from __future__ import annotations

import asyncio
import re
import time
from base64 import b64encode
from hashlib import sha256
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from adeptree.app.serve.metrics import clock
from adeptree.app.serve.requests import has_token, query_of
from adeptree.app.serve.routes import ROOT, learner_of, said, service_of
from adeptree.app.serve.writer import Writer
from adeptree.pages.live_page import Live, live_page, live_parts, others_part

if TYPE_CHECKING:
    from adeptree.app.serve.service import Service

Rendered = tuple[float, dict[str, str]]
FRESH_SECONDS = 1.0
"""So old may the parts be that are sent: however many look on, they are drawn once in that time."""


async def page(request: Request) -> Response:
    """Return the page: the same for all clients, as it holds nothing of the learner."""
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


async def parts(request: Request) -> Response:
    """Return the parts of the page as HTML, by their names."""
    query_of(request)
    service, named = service_of(request), "name" in request.path_params
    if not named and ROOT not in service.writers:
        return said(others_part([(other, f"l/{other}/") for other in service.writers]))
    # Links between learners are relative, so that they also lead somewhere behind a proxy.
    writer, up, now = learner_of(request), "../../" if named else "", time.monotonic()
    name = f"{up}{writer.served.name}"
    before = service.rendered.get(name)
    if before is None or now - before[0] > FRESH_SECONDS:
        before = now, await asyncio.to_thread(_drawn, service, writer, up)
        service.rendered[name] = before
    return said(before[1])


def _drawn(service: Service, writer: Writer, up: str) -> dict[str, str]:
    served, metrics = writer.served, service.metrics
    with served.lock:
        live = Live(
            name=served.name,
            rules=served.columns.layout.shown,
            columns=served.columns.names,
            learner=served.learner,
            course=served.course,
            recent=list(served.recent.values()),
            open=len(served.book.open),
            expired=served.expired,
            since=clock(metrics.started),
            requests=metrics.requests,
            refused=metrics.refused,
            bad=list(metrics.recent),
            kept=str(served.folder.path) if served.folder else "",
            broken=writer.broken,
            others=[(other, f"{up}l/{other}/") for other in service.writers],
        )
        return live_parts(live)
