"""The server of a service: its socket, uvicorn with the HTTP parser h11, and signals."""

from __future__ import annotations

import errno
import gc
import ipaddress
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from adeptree.core.cell_text import brief
from adeptree.core.errors import InvalidArgument
from adeptree.core.escaping import visible
from adeptree.core.extras import Extra

if TYPE_CHECKING:
    from adeptree.app.serve.service import Service

EXTRA = ("uvicorn", "starlette.applications", "prometheus_client", "orjson")
uvicorn, starlette, prometheus, orjson = (Extra(module, "adeptree serve", "serve") for module in EXTRA)

IDLE_SECONDS = 65
"""Keep-alive timeout, longer than that of common proxies."""
LEAVE_SECONDS = 5
"""Seconds that running requests get at shutdown."""
MOST_CONNECTIONS = 500
LONGEST_HEAD = 1 << 16
"""Most bytes of an unfinished head, chunk line or trailer before the connection is refused."""
BACKLOG = 1024


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach an address.

    >>> [is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket; raise an error if that is not possible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.getaddrinfo(host, None, family)
    except (OSError, UnicodeError):
        raise InvalidArgument(
            f'--host: "{brief(visible(host))}" is not an address of this machine; choose 127.0.0.1, or 0.0.0.0 for all'
        ) from None
    try:
        sock = socket.create_server((host, port), family=family, backlog=BACKLOG)
        # Disable Nagle's algorithm: otherwise the body of a reply waits 40 ms for the acknowledgement of its head.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock
    except (OSError, OverflowError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        blamed = "--host" if isinstance(error, OSError) and error.errno == errno.EADDRNOTAVAIL else "--port"
        raise InvalidArgument(f"{blamed}: {host}, port {port} cannot be listened on: {why}; choose another") from None


def check_installed() -> None:
    """Raise an error, before the start, if a dependency is missing."""
    for extra in (uvicorn, starlette, prometheus, orjson):
        extra.require()
    assert uvicorn.Server and starlette.Starlette and prometheus.Counter and orjson.loads


def prepared(service: Service) -> Any:
    """Return the server of a service, which does not listen yet."""
    config = uvicorn.Config(
        service,
        http="h11",  # strict framing: it ignores trailers and refuses two Host headers
        h11_max_incomplete_event_size=LONGEST_HEAD,
        limit_concurrency=MOST_CONNECTIONS + 1,  # uvicorn refuses at the limit and counts the new connection
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
    """Serve requests until Ctrl-C or SIGTERM; running requests are completed."""
    # Disable cyclic garbage collection: scanning thousands of open tickets, which have no cycles, would delay requests.
    gc.freeze()
    gc.set_threshold(50_000, 50, 100)
    server.run(sockets=[sock])


@contextmanager
def ended_by_signals(server: Any) -> Iterator[None]:
    """End the service on signals, even before it listens; uvicorn's handler would raise them again."""
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
