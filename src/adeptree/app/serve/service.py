"""The service as a Starlette application, with a guard that checks, counts and answers every request."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from adeptree.app.serve import live, routes
from adeptree.app.serve.metrics import Metrics, clock
from adeptree.app.serve.refusals import Refusal, refusal_of
from adeptree.app.serve.requests import Limits, let_in
from adeptree.app.serve.writer import Writer
from adeptree.app.terminal import show
from adeptree.core.cell_text import brief
from adeptree.core.errors import did_you_mean
from adeptree.core.escaping import visible
from adeptree.pages.live_page import BadRequest

OF_LEARNER = [
    Route("/answer", routes.answer, methods=["POST"]),
    Route("/learn", routes.learn, methods=["POST"]),
    Route("/certificate", routes.certificate),
    Route("/rules", routes.rules),
    Route("/live", live.parts),
    Route("/", live.page),
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
"""Addresses that need no token: they tell nothing of a learner."""
SAFE = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]


class Service:
    """Learners by name, behind HTTP: an ASGI application."""

    def __init__(self, writers: Mapping[str, Writer], limits: Limits | None = None) -> None:
        self.writers, self.limits = dict(writers), limits or Limits()
        self.metrics, self.rendered = Metrics(self.writers), dict[str, live.Rendered]()
        self.app = Starlette(
            routes=ROUTES,
            middleware=[Middleware(Guard, service=self)],
            exception_handlers={404: _nowhere, 405: _wrong_method},
        )
        self.app.router.redirect_slashes = False
        self.app.state.service = self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one request."""
        await self.app(scope, receive, send)


class Guard:
    """Middleware: checks a request, reads its body within limits, counts it, and turns errors into JSON."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one request."""
        start, request, bad, replied = time.monotonic(), Request(scope), None, False
        path = scope["path"]
        route = re.sub("^/l/[^/]+", "/l/*", path)

        async def reply(message: Message) -> None:
            nonlocal replied
            if message["type"] == "http.response.start":
                replied = True
                status, headers = message["status"], [*message["headers"], *SAFE]
                # Counted before it is sent: a client that has the reply finds it in the counts.
                known = route if route in KNOWN else "other"
                self._service.metrics.count(known, status, time.monotonic() - start, bad)
                if status >= 400 or "upgrade" in request.headers:  # nothing more is read from this connection
                    headers.append((b"connection", b"close"))
                message = {**message, "headers": headers}
            await send(message)

        try:
            body = await let_in(request, receive, self._service.limits, FREE.fullmatch(path) is not None)

            async def whole() -> Message:
                return {"type": "http.request", "body": body, "more_body": False}

            await self._app(scope, whole, reply)
        except (Exception, asyncio.CancelledError) as error:
            if replied:  # the connection is gone, and a second reply would be the answer to another request
                raise
            refusal = refusal_of(error)
            if refusal.status == 500:
                show(f"adeptree: a fault of the service: {type(error).__name__}: {error}", err=True)
            asked = f"{brief(visible(scope['method']))} {brief(visible(path))}"
            bad = BadRequest(clock(time.time()), asked, refusal.status, str(refusal))
            await routes.said({"error": str(refusal)}, refusal.status, refusal.headers)(scope, receive, reply)


async def _nowhere(request: Request, error: Exception) -> Response:
    path = request.scope["path"]
    names = [route.path[1:] for route in (*OF_LEARNER, *OF_SERVICE)[:-1]]
    meant = did_you_mean(brief(visible(path.rpartition("/")[2])), list(filter(None, names)))
    raise Refusal(404, f'there is nothing at "{brief(visible(path))}"{meant}')


async def _wrong_method(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException) and error.headers
    allowed = ", ".join(sorted(error.headers["Allow"].split(", ")))
    raise Refusal(405, f"this address takes {allowed}; got {brief(visible(request.method))}", {"Allow": allowed})
