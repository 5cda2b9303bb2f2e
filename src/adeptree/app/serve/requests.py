"""Checks of a request before it is carried out: host, token, size, framing and JSON."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import orjson
from starlette.requests import Request
from starlette.types import Receive

from adeptree.core.cell_text import brief
from adeptree.core.errors import AdeptreeError, InvalidArgument, StateError
from adeptree.core.escaping import visible

OUT_OF_MEMORY = "out of memory after this many rounds; give the service more memory, or use simpler rules"
ENDING = "the service is ending, and this was not finished; send it again when it is back (an answer with its key)"


class Refusal(AdeptreeError):
    """Raised if a request is refused; it has no effect.

    >>> refusal = Refusal(404, "no such ticket")
    >>> refusal.status, str(refusal)
    (404, 'no such ticket')
    """

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.headers = status, dict(headers or {})


def refusal_of(error: BaseException) -> Refusal:
    """Return the refusal for a request that raised an error.

    >>> refusal_of(InvalidArgument("weight must be a number")).status, refusal_of(StateError("disk full")).status
    (400, 503)
    """
    if isinstance(error, Refusal):
        return error
    if isinstance(error, (asyncio.CancelledError, MemoryError)):
        return Refusal(503, OUT_OF_MEMORY if isinstance(error, MemoryError) else ENDING)
    if isinstance(error, AdeptreeError):
        return Refusal(
            503 if isinstance(error, StateError) else 400 if isinstance(error, InvalidArgument) else 409, str(error)
        )
    return Refusal(500, f"a fault of the service itself ({type(error).__name__}); nothing was done with this request")


BODY_SECONDS = 20.0
"""The time limit for a body."""
MOST_HEADERS = 1 << 15
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
ALIKE, LONG_INTS = bytes.maketrans(b"123456789", b"0" * 9), (b"0" * 20, b"-" + b"0" * 19)
"""Such a number may be an int of more than 64 bits, of which orjson makes a float."""
DRAINED = 8
"""Multiple of the limit up to which a body is read, so that a client that sends it first gets the error."""
ONCE = {b"authorization", b"content-encoding", b"content-length", b"content-type", b"host", b"transfer-encoding"}


@dataclass(frozen=True)
class Limits:
    """The limits of a service, for every client."""

    body: int = 1 << 20
    batch: int = 1000
    open: int = 100_000
    hosts: frozenset[str] | None = LOOPBACK_NAMES
    """Accepted Host names; None: any. The check prevents DNS rebinding by pages of other sites."""
    token: str = field(default="", repr=False)


async def let_in(request: Request, receive: Receive, limits: Limits, free: bool) -> bytes:
    """Check a request and return its body; ``free`` is an address that needs no token."""
    try:
        check_framing(request)
        check_host(request, limits)
        if not free:
            check_client(request, limits)
    except Refusal:
        with suppress(Refusal):
            await _body(request, receive, limits.body, keep=False)
        raise
    return await _body(request, receive, limits.body)


def check_framing(request: Request) -> None:
    """Refuse a request that a proxy could interpret differently (request smuggling)."""
    raw, version = request.headers.raw, request.scope.get("http_version", "1.1")
    if sum(len(name) + len(value) for name, value in raw) > MOST_HEADERS:
        raise Refusal(431, f"the headers of a request may have {MOST_HEADERS:,} bytes")
    if version not in ("1.0", "1.1"):
        raise Refusal(505, f"this service speaks HTTP/1.1; got HTTP/{version}")
    single = [name for name, _ in raw if name in ONCE]
    for name in set(single):
        if single.count(name) > 1:
            raise Refusal(400, f"the header {name.decode()} came twice; send it once")
    if b"transfer-encoding" in single and (b"content-length" in single or version == "1.0"):
        raise Refusal(400, "Transfer-Encoding came with Content-Length or in HTTP/1.0; send one of them, in HTTP/1.1")


def check_host(request: Request, limits: Limits) -> None:
    """Refuse a request with an unknown Host name."""
    host = request.headers.get("host", "").lower()
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    if limits.hosts is not None and name not in limits.hosts:
        raise Refusal(
            403,
            f'this service does not go by the name "{brief(visible(host))}"; call it by 127.0.0.1 or localhost, or '
            f"start it with --allow-host NAME",
        )


def has_token(request: Request, limits: Limits) -> bool:
    """Return True if a request has the token, compared in time that depends on the token's length only."""
    if not limits.token:
        return True
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    same = hmac.compare_digest(sha256(given.strip().encode()).digest(), sha256(limits.token.encode()).digest())
    return kind.lower() == "bearer" and same


def check_client(request: Request, limits: Limits) -> None:
    """Refuse a request without the token, and a browser's cross-site request."""
    if not has_token(request, limits):
        why = "this needs the header Authorization: Bearer TOKEN, with the service's token"
        raise Refusal(401, why, {"WWW-Authenticate": "Bearer"})
    if request.headers.get("sec-fetch-site", "").lower() == "cross-site":
        raise Refusal(403, "a page of another site asked for this; only the service's own page and programs may")


async def _body(request: Request, receive: Receive, most: int, keep: bool = True) -> bytes:
    declared, size, parts, more = request.headers.get("content-length", "0"), 0, list[bytes](), True
    hopeless = declared.isdecimal() and int(declared[:20]) > DRAINED * most
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while more and not hopeless:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refusal(400, "the connection was closed before the body was there")
                part, more = message.get("body", b""), message.get("more_body", False)
                size += len(part)
                parts += [part] if keep and size <= most else []
                hopeless = size > DRAINED * most
    except TimeoutError:
        raise Refusal(408, f"the body did not come within {BODY_SECONDS:g} seconds") from None
    if size > most or hopeless:
        raise Refusal(413, f"a body may have {most:,} bytes; send fewer at a time (--max-body)")
    return b"".join(parts)


def query_of(request: Request, *known: str) -> dict[str, str]:
    """Return the values of a query; unknown or repeated names are refused."""
    pairs = request.query_params.multi_items()
    for name, _ in pairs:
        if name not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise Refusal(400, f'"{brief(visible(name))}" after ? is unknown here; {takes}')
    if len(dict(pairs)) < len(pairs):
        raise Refusal(400, "a name came twice after ?; give it once")
    return dict(pairs)


def json_of(request: Request) -> Any:
    """Return the JSON value in the body of a request."""
    kind = request.headers.get("content-type", "").partition(";")
    if kind[0].strip().lower() != "application/json":
        raise Refusal(415, "the body must be JSON, with the header Content-Type: application/json")
    if "charset" in kind[2].lower() and "utf-8" not in kind[2].lower():
        raise Refusal(415, "the body must be JSON in UTF-8")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refusal(415, "the body must not be compressed")
    return parsed(request.scope["body"])


def parsed(body: bytes) -> Any:
    """Parse the JSON value of a body.

    >>> parsed(b'{"x": [1, 2.5, null]}')
    {'x': [1, 2.5, None]}
    >>> parsed(b'{"y": 0, "y": 1}')
    Traceback (most recent call last):
    ...
    adeptree.app.serve.requests.Refusal: the body is not proper JSON: "y" comes twice
    """
    with suppress(orjson.JSONDecodeError):
        found = orjson.loads(body)
        # If there are as many colons as names, no name came twice. All other bodies are left to Python's parser.
        digits = body.translate(ALIKE)
        if body.count(b":") == _names(found) and not any(long in digits for long in LONG_INTS):
            return found
    try:
        return DECODER.decode(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise Refusal(400, "the body is not UTF-8 text") from None
    except RecursionError:
        raise Refusal(400, "the body is not proper JSON: it is nested too deeply") from None
    except ValueError as error:
        raise Refusal(400, f"the body is not proper JSON: {brief(visible(str(error)))}") from None


def _names(found: Any) -> int:
    """Count the names in an object of values, and of lists of such objects."""
    lists = [some for some in found.values() if type(some) is list] if type(found) is dict else []
    return sum(len(row) for rows in [[found], *lists] for row in rows if type(row) is dict)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f'"{brief(next(name for name in names if names.count(name) > 1))}" comes twice')
    return found


DECODER = json.JSONDecoder(parse_constant=_no_number, object_pairs_hook=_once)
