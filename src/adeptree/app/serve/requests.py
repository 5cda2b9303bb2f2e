"""A request as it comes from outside: who may ask, how much, and what its body says; all else is refused."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl

from adeptree.app.serve.refusals import Refusal
from adeptree.core.cell_text import brief
from adeptree.core.escaping import visible

Receive = Callable[[], Any]
BODY_SECONDS = 20.0
"""A body must be there within this time."""
MOST_HEADERS = 1 << 15
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
DRAINED = 8
"""A refused request's body is read up to this multiple of the limit before the connection is closed, so that a client
that sends everything before it reads receives the error message."""
ONCE = frozenset({"authorization", "content-encoding", "content-length", "content-type", "host", "transfer-encoding"})


@dataclass(frozen=True)
class Limits:
    """What a service takes, from anybody."""

    body: int = 1 << 20
    batch: int = 1000
    open: int = 100_000
    rate: float = 5000
    """Requests per second and address."""
    hosts: frozenset[str] | None = LOOPBACK_NAMES
    """Names by which the service may be called; None: any. Else a page of another site could call it by its own."""
    token: str = field(default="", repr=False)


def headers_of(scope: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers by their names in lower case; refuse those that two readers could read differently."""
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEADERS:
        raise Refusal(431, f"the headers of a request may have {MOST_HEADERS:,} bytes")
    if (version := scope.get("http_version", "1.1")) not in ("1.0", "1.1"):
        raise Refusal(505, f"this service speaks HTTP/1.1; got HTTP/{version}")
    found = dict[str, str]()
    for raw, value in scope["headers"]:
        name = raw.decode("latin-1").lower()
        if name in found and name in ONCE:
            raise Refusal(400, f"the header {name} came twice; send it once")
        found[name] = value.decode("latin-1")
    if "transfer-encoding" in found and ("content-length" in found or version == "1.0"):
        raise Refusal(400, "Transfer-Encoding came with Content-Length or in HTTP/1.0; send one of them, in HTTP/1.1")
    return found


class Body:
    """The body of a request as it arrives, which remembers whether it has ended."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._size, self.ended = receive, 0, False

    async def __call__(self) -> Any:
        """Wait for the next part."""
        message = await self._receive()
        self.ended = not message.get("more_body", False)
        self._size += len(message.get("body", b""))
        return message

    async def drain(self, most: int) -> bool:
        """Read what is left, within limits, and tell whether that was all: unread bytes could destroy the reply."""
        with suppress(TimeoutError):
            async with asyncio.timeout(BODY_SECONDS):
                while not self.ended and self._size <= DRAINED * most:
                    await self()
        return self.ended


def check_host(headers: Mapping[str, str], limits: Limits) -> None:
    """Refuse a request that calls the service by a name that it does not have."""
    host = headers.get("host", "").lower()
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    if limits.hosts is not None and name not in limits.hosts:
        raise Refusal(
            403,
            f'this service does not go by the name "{brief(visible(host))}"; call it by 127.0.0.1 or localhost, or '
            f"start it with --allow-host NAME",
        )


def check_site(headers: Mapping[str, str]) -> None:
    """Refuse what a page of another site has a browser ask for: it could only keep the service busy."""
    if headers.get("sec-fetch-site", "").lower() == "cross-site":
        raise Refusal(403, "a page of another site asked for this; only the service's own page and programs may")


def has_token(headers: Mapping[str, str], limits: Limits) -> bool:
    """Tell whether a request may read learners; the time that this takes depends on the token's length alone."""
    kind, _, given = headers.get("authorization", "").partition(" ")
    same = hmac.compare_digest(sha256(given.strip().encode()).digest(), sha256(limits.token.encode()).digest())
    return not limits.token or (kind.lower() == "bearer" and same)


def check_token(headers: Mapping[str, str], limits: Limits) -> None:
    """Refuse a request without the token."""
    if not has_token(headers, limits):
        raise Refusal(
            401,
            "this needs the header Authorization: Bearer TOKEN, with the service's token",
            {"WWW-Authenticate": "Bearer"},
        )


def query_of(scope: Mapping[str, Any], known: tuple[str, ...]) -> dict[str, str]:
    """Return the values of a query; a name that is not known, or comes twice, is refused."""
    try:
        pairs = parse_qsl(
            scope["query_string"].decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=20
        )
    except (ValueError, UnicodeDecodeError):
        raise Refusal(400, "the part of the address after ? is not proper text") from None
    for name, _ in pairs:
        if name not in known:
            said = f"it takes {', '.join(known)}" if known else "it takes none"
            raise Refusal(400, f'"{brief(visible(name))}" after ? is unknown here; {said}')
    if len(dict(pairs)) < len(pairs):
        raise Refusal(400, "a name came twice after ?; give it once")
    return dict(pairs)


async def json_of(receive: Receive, headers: Mapping[str, str], limits: Limits) -> Any:
    """Return what the body of a request says."""
    kind = headers.get("content-type", "").partition(";")
    if kind[0].strip().lower() != "application/json":
        raise Refusal(415, "the body must be JSON, with the header Content-Type: application/json")
    if "charset" in kind[2].lower() and "utf-8" not in kind[2].lower():
        raise Refusal(415, "the body must be JSON in UTF-8")
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise Refusal(415, "the body must not be compressed")
    try:
        async with asyncio.timeout(BODY_SECONDS):
            body = await _body(receive, headers, limits.body)
    except TimeoutError:
        raise Refusal(408, f"the body did not come within {BODY_SECONDS:g} seconds") from None
    return parsed(body)


async def _body(receive: Receive, headers: Mapping[str, str], most: int) -> bytes:
    size, parts, more = 0, list[bytes](), True
    declared = headers.get("content-length", "0")
    hopeless = declared.isdecimal() and int(declared[:20]) > DRAINED * most
    while more and not hopeless:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refusal(400, "the connection was closed before the body was there")
        size += len(message.get("body", b""))
        parts += [message.get("body", b"")] if size <= most else []
        more, hopeless = message.get("more_body", False), size > DRAINED * most
    if size > most or hopeless:
        raise Refusal(413, f"a body may have {most:,} bytes; send fewer at a time (--max-body)")
    return b"".join(parts)


def parsed(body: bytes) -> Any:
    """Return the JSON value that a body is.

    >>> parsed(b'{"x": [1, 2.5, null]}')
    {'x': [1, 2.5, None]}
    >>> parsed(b'{"y": 0, "y": 1}')
    Traceback (most recent call last):
    ...
    adeptree.app.serve.refusals.Refusal: the body is not proper JSON: "y" comes twice
    """
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_no_number, object_pairs_hook=_once)
    except UnicodeDecodeError:
        raise Refusal(400, "the body is not UTF-8 text") from None
    except RecursionError:
        raise Refusal(400, "the body is not proper JSON: it is nested too deeply") from None
    except ValueError as error:
        raise Refusal(400, f"the body is not proper JSON: {brief(visible(str(error)))}") from None


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict[str, Any]()
    for name, value in pairs:
        if name in found:
            raise ValueError(f'"{brief(name)}" comes twice')
        found[name] = value
    return found
