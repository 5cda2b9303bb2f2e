"""The service as an ASGI application: finds the route, checks who asks, and turns whatever happens into a reply."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from adeptree.app.serve import live, routes
from adeptree.app.serve.counters import Counters, clock
from adeptree.app.serve.exchange import Handler, Reply, Request, said
from adeptree.app.serve.refusals import Refusal, refusal_of
from adeptree.app.serve.request_rate import RequestRate
from adeptree.app.serve.requests import (
    Body,
    Limits,
    Receive,
    check_host,
    check_site,
    check_token,
    has_token,
    headers_of,
)
from adeptree.app.serve.writer import Writer
from adeptree.app.terminal import show
from adeptree.core.cell_text import brief
from adeptree.core.errors import did_you_mean
from adeptree.core.escaping import visible
from adeptree.pages.live_page import BadRequest

Send = Callable[[dict[str, Any]], Any]
OF_SERVICE: dict[str, dict[str, Handler]] = {
    "health": {"GET": routes.health},
    "metrics": {"GET": routes.all_metrics},
    "openapi.json": {"GET": routes.document},
    "favicon.ico": {"GET": routes.no_icon},
}
OF_LEARNER: dict[str, dict[str, Handler]] = {
    "": {"GET": live.page},
    "live": {"GET": live.parts},
    "answer": {"POST": routes.answer},
    "learn": {"POST": routes.learn},
    "certificate": {"GET": routes.certificate},
    "rules": {"GET": routes.rules},
}
ROOT = "main"
"""The learner that is at the root, too."""
NAMED = re.compile(r"/l/([^/]*)(?:/(.*))?", re.DOTALL)
FREE = ("", "health", "favicon.ico")
"""What needs no token: none of it tells anything of a learner."""
SAFE = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}


class Service:
    """Learners by name, and what may be asked of them."""

    def __init__(self, writers: Mapping[str, Writer], limits: Limits | None = None) -> None:
        self.writers, self.limits = dict(writers), limits or Limits()
        self.counters, self.rate = Counters(), RequestRate(self.limits.rate)
        self.of_service, self.rendered = dict(OF_SERVICE), dict[str, live.Rendered]()

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Take one request."""
        if scope["type"] != "http":
            return
        start, route, body = time.monotonic(), ["other"], Body(receive)
        try:
            reply, bad = await self._reply(scope, body, route, start), None
        except (Exception, asyncio.CancelledError) as error:
            refusal = refusal_of(error)
            if refusal.status == 500:
                show(f"adeptree: a fault of the service: {type(error).__name__}: {error}", err=True)
            reply = said({"error": str(refusal)}, refusal.status, refusal.headers)
            asked = f"{brief(visible(scope['method']))} {brief(visible(scope['path']))}"
            bad = BadRequest(clock(time.time()), asked, refusal.status, str(refusal))
        # Counted before it is sent: a client that has the reply finds it in the counts.
        self.counters.count(route[0], reply.status, time.monotonic() - start, bad)
        given_up = reply.status in (408, 413, 503) or _has(scope, b"expect")
        whole = body.ended or (not given_up and await body.drain(self.limits.body))
        await _send(send, reply, close=reply.status >= 400 or not whole or _has(scope, b"upgrade"))

    async def _reply(self, scope: Mapping[str, Any], receive: Receive, route: list[str], now: float) -> Reply:
        headers, path = headers_of(scope), scope["path"]
        check_host(headers, self.limits)
        named = NAMED.fullmatch(path)
        name, rest = (named[1], named[2]) if named else (ROOT, path.removeprefix("/"))
        free = rest in FREE if not named else rest in (None, "")
        if named or rest != "health":
            self.rate.check((scope.get("client") or ("",))[0], now)
        writer = self.writers.get(name)
        if not free:
            check_token(headers, self.limits)
            check_site(headers)
        found = self.of_service.get(rest) if not named else None
        if found is None:
            found = OF_LEARNER.get(rest or "")
            if found is None:
                raise Refusal(404, self._nowhere(path, rest or ""))
            # Without the token, the page of a missing learner is that of any other: names of learners stay private.
            if writer is None and (has_token(headers, self.limits) if named else rest not in ("", "live")):
                raise Refusal(404, self._no_learner(name if named else "", rest or ""))
        if rest is None:
            return Reply(b"", status=308, headers={"Location": f"{quote(name)}/"})
        route[0] = f"/{'l/*/' if named else ''}{rest}"
        method = scope["method"]
        handler = found.get("GET" if method == "HEAD" else method)
        if handler is None:
            allowed = ", ".join([*found, *(["HEAD"] if "GET" in found else [])])
            raise Refusal(405, f"this address takes {allowed}; got {brief(visible(method))}", {"Allow": allowed})
        return await handler(Request(self, writer, scope, receive, headers))

    def _nowhere(self, path: str, rest: str) -> str:
        known = [*(name for name in OF_LEARNER if name), *self.of_service]
        return f'there is nothing at "{brief(visible(path))}"{did_you_mean(brief(visible(rest)), known)}'

    def _no_learner(self, name: str, rest: str) -> str:
        known = ", ".join(f"/l/{other}/{rest}" for other in list(self.writers)[:20])
        called = f'learner "{brief(visible(name))}"' if name else "learner at the root"
        return f"there is no {called}; there are {known}"


def _has(scope: Mapping[str, Any], header: bytes) -> bool:
    return any(name.lower() == header for name, _ in scope["headers"])


async def _send(send: Send, reply: Reply, close: bool) -> None:
    """Send a reply; nothing more is read from a connection whose request was refused or offered another protocol."""
    headers = {"Content-Type": reply.kind, "Content-Length": str(len(reply.body)), **SAFE, **reply.headers}
    if close:
        headers["Connection"] = "close"
    if reply.status == 204:
        del headers["Content-Length"]
    listed = [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": reply.status, "headers": listed})
    await send({"type": "http.response.body", "body": reply.body})
