"""Listening: the socket, uvicorn on it, and what uvicorn leaves open (slow and too many connections, signals)."""

from __future__ import annotations

import asyncio
import errno
import gc
import importlib
import ipaddress
import json
import re
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from adeptree.app.serve.service import Service
from adeptree.core.cells import brief
from adeptree.core.errors import InvalidArgument
from adeptree.core.extras import Extra
from adeptree.core.visible import visible

uvicorn = Extra("uvicorn", "adeptree serve", "serve")

FIRST_SECONDS = 20.0
"""A connection on which no request has come for so long is closed."""
IDLE_SECONDS = 65
"""Between requests: longer than what proxies in front keep connections for."""
LEAVE_SECONDS = 5
"""At the end, requests that are under way have so long."""
MOST_CONNECTIONS = 500
LONGEST_HEAD = 1 << 16
"""Bytes that may come before a request is one."""
BACKLOG = 1024
UPGRADE = re.compile(rb"\r\nupgrade:", re.IGNORECASE)


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address.

    >>> [is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens, or say why there is none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.getaddrinfo(host, None, family)
    except (OSError, UnicodeError):
        raise InvalidArgument(
            f'--host: "{brief(visible(host))}" is no address of this machine; choose 127.0.0.1, or 0.0.0.0 for all'
        ) from None
    try:
        sock = socket.create_server((host, port), family=family, backlog=BACKLOG)
        # A reply is head and body; without this the second would wait for the system to acknowledge the first (40 ms).
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock
    except (OSError, OverflowError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        blamed = "--host" if isinstance(error, OSError) and error.errno == errno.EADDRNOTAVAIL else "--port"
        raise InvalidArgument(f"{blamed}: {host}, port {port} cannot be listened on: {why}; choose another") from None


def check_installed() -> None:
    """Say what is missing before anything is begun."""
    uvicorn.require()
    assert uvicorn.Server and _protocol()


def prepared(service: Service) -> Any:
    """Return the server of a service, which does not listen yet."""
    config = uvicorn.Config(
        service,
        http=_protocol(),
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=LEAVE_SECONDS,
    )
    server = uvicorn.Server(config)
    server.capture_signals = nullcontext
    return server


def listen(server: Any, sock: socket.socket) -> None:
    """Answer requests until Ctrl-C or SIGTERM; those under way are still answered."""
    # Looking through thousands of open tickets for cycles, of which there are none, would keep requests waiting.
    gc.freeze()
    gc.set_threshold(50_000, 50, 100)
    server.run(sockets=[sock])


@contextmanager
def ended_by_signals(server: Any) -> Iterator[None]:
    """Let signals end the service, also one that has not begun to listen; uvicorn's own way lets them strike again."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = [signal.SIGINT, signal.SIGTERM]
    before = {number: signal.signal(number, server.handle_exit) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


REASONS = {
    400: "Bad Request",
    408: "Request Timeout",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}


def refused(status: int, sentence: str) -> bytes:
    """Return a whole reply to what never became a request."""
    body = json.dumps({"error": sentence}).encode()
    reason = REASONS[status]
    head = f"HTTP/1.1 {status} {reason}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
    return f"{head}connection: close\r\n\r\n".encode() + body


class Guarded:
    """What is added to uvicorn's reader of connections: limits, and refusals in JSON."""

    transport: Any
    cycle: Any
    connections: Any
    loop: Any
    _head = 0
    """Bytes that came, and are no request yet."""
    _clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Take a connection, unless there are too many, and not for ever without a request."""
        super().connection_made(transport)  # type: ignore[misc]
        if len(self.connections) > MOST_CONNECTIONS:
            self._end(503, f"{MOST_CONNECTIONS} are connected already; try again later")
        else:
            self._clock = self.loop.call_later(FIRST_SECONDS, self._late, None)

    def _late(self, before: Any) -> None:
        """Close a connection on which no new request came since the last look; one under way may go on."""
        if self.transport.is_closing():
            return
        done = self.cycle is None or self.cycle.response_complete
        if done and self.cycle is before:
            seconds = FIRST_SECONDS if before is None else IDLE_SECONDS
            self._end(408, f"no request came within {seconds:g} seconds")
        else:
            self._clock = self.loop.call_later(IDLE_SECONDS, self._late, self.cycle)

    def data_received(self, data: bytes) -> None:
        """Read on, unless what should become a request is endless."""
        before = self.cycle
        beginning = before is None or before.response_complete
        if beginning and UPGRADE.search(data):
            # Offers of another protocol are passed over, as they may be; the fast reader would leave out the body.
            head, end, rest = data.partition(b"\r\n\r\n")
            data = UPGRADE.sub(b"\r\nx-grade:", head) + end + rest
        super().data_received(data)  # type: ignore[misc]
        if self.cycle is not before or not beginning:
            self._head = 0
            return
        self._head += len(data)
        if self._head > LONGEST_HEAD and not self.transport.is_closing():
            self._end(431, f"the address and the headers of a request may have {LONGEST_HEAD:,} bytes")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        if self._clock is not None:
            self._clock.cancel()
        super().connection_lost(exc)  # type: ignore[misc]

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP (which uvicorn would in plain text)."""
        self._end(400, f"this is no HTTP request: {msg}")

    def _end(self, status: int, sentence: str) -> None:
        self.transport.write(refused(status, sentence))
        self.transport.close()


def _protocol() -> type[Any]:
    """Return uvicorn's reader of HTTP, the fast one where it is installed, with our guards."""
    try:
        base = importlib.import_module("uvicorn.protocols.http.httptools_impl").HttpToolsProtocol
    except ImportError:
        base = importlib.import_module("uvicorn.protocols.http.h11_impl").H11Protocol
    return type("GuardedProtocol", (Guarded, base), {})
