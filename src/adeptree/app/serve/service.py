"""The service as an ASGI application: Starlette's routes, behind checks and counts of every request."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Route, Router
from starlette.types import Message, Receive, Scope, Send

from adeptree.app.serve import live_endpoint, routes
from adeptree.app.serve.metrics import BadRequest, Metrics, clock
from adeptree.app.serve.requests import Limits, Refusal, let_in, refusal_of
from adeptree.app.serve.writer import Writer
from adeptree.app.terminal import note
from adeptree.core.cell_text import brief
from adeptree.core.errors import did_you_mean
from adeptree.core.escaping import visible

OF_LEARNER = [
    Route("/answer", routes.answer, methods=["POST"]),
    Route("/learn", routes.learn, methods=["POST"]),
    Route("/certificate", routes.certificate),
    Route("/rules", routes.rules),
    Route("/live", live_endpoint.parts),
    Route("/", live_endpoint.page),
]
OF_SERVICE = [
    Route("/health", routes.health),
    Route("/metrics", routes.all_metrics),
    Route("/openapi.json", routes.document),
    Route("/favicon.ico", routes.no_icon),
    Route("/l/{name}", routes.moved),
]
NAMED = [Route(f"/l/{{name}}{route.path}", route.endpoint, methods=list(route.methods or ())) for route in OF_LEARNER]
ROUTES = [*OF_LEARNER, *NAMED, *OF_SERVICE]
KNOWN = {route.path.replace("{name}", "*") for route in ROUTES}
FREE = re.compile(r"/|/health|/favicon\.ico|/l/[^/]*/?")
"""Addresses that need no token, because they reveal nothing about a learner."""
SAFE = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]


class Service:
    """Learners by name, behind HTTP: an ASGI application that checks, counts and answers every request."""

    def __init__(self, writers: Mapping[str, Writer], limits: Limits | None = None) -> None:
        self.writers, self.limits = dict(writers), limits or Limits()
        self.metrics, self.rendered = Metrics(self.writers), dict[str, live_endpoint.Rendered]()
        self._router = Router(ROUTES, redirect_slashes=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; read its body within limits, and convert errors to JSON."""
        start, request, bad, replied = time.monotonic(), Request(scope), None, False
        path = scope["path"]
        route = re.sub("^/l/[^/]+", "/l/*", path)

        async def reply(message: Message) -> None:
            nonlocal replied
            if message["type"] == "http.response.start":
                replied = True
                status, headers = message["status"], [*message["headers"], *SAFE]
                # Counted before it is sent, so that a client that has the reply finds it in the counts.
                self.metrics.count(route if route in KNOWN else "other", status, time.monotonic() - start, bad)
                if status >= 400 or "upgrade" in request.headers:  # no more requests are read from this connection
                    headers.append((b"connection", b"close"))
                message = {**message, "headers": headers}
            await send(message)

        try:
            scope["app"], scope["body"] = self, await let_in(request, receive, self.limits, bool(FREE.fullmatch(path)))
            await self._router(scope, receive, reply)
        except (Exception, asyncio.CancelledError) as error:
            if replied:  # a second reply on this connection would answer another request
                raise
            refusal = _astray(scope, error) if isinstance(error, HTTPException) else refusal_of(error)
            if refusal.status == 500:
                note(f"a fault of the service: {type(error).__name__}: {error}")
            asked = f"{brief(visible(scope['method']))} {brief(visible(path))}"
            bad = BadRequest(clock(time.time()), asked, refusal.status, str(refusal))
            await routes.said({"error": str(refusal)}, refusal.status, refusal.headers)(scope, receive, reply)


def _astray(scope: Scope, error: HTTPException) -> Refusal:
    """Return the refusal of an unknown address or method."""
    if error.status_code == 405 and error.headers:
        allowed = ", ".join(sorted(error.headers["Allow"].split(", ")))
        why = f"this address takes {allowed}; got {brief(visible(scope['method']))}"
        return Refusal(405, why, {"Allow": allowed})
    path = brief(visible(scope["path"]))
    names = [route.path[1:] for route in (*OF_LEARNER, *OF_SERVICE)[:-1]]
    meant = did_you_mean(brief(visible(scope["path"].rpartition("/")[2])), list(filter(None, names)))
    return Refusal(404, f'there is nothing at "{path}"{meant}')
