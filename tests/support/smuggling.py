"""Requests that try to be read as more than one: built with their meaning by RFC 9112, sent in packets, counted.

Every :class:`Sent` knows how many requests a strict reader finds in it and which statuses it may get. The property:
a connection gets at most one reply per request, a refusal is the last reply, and the learner has answered one question
per reply 200 to ``POST /answer``, never more.
"""

from __future__ import annotations

import json
import random
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import NamedTuple

TOKEN = "a-token-of-this-test-0123"
PATIENCE = 15.0
OK, REFUSED, EITHER = "ok", "refused", "either"


class Sent(NamedTuple):
    """Bytes that are one request (or none, if it never ends): its allowed fate, and whether the reply ends it all."""

    name: str
    content: bytes
    fate: str = OK
    asks: bool = False
    """True if a reply 200 is an answer of the learner."""
    last: bool = False
    head: bool = False
    """True if the reply has no body (HEAD)."""
    replies: bool = True
    spoilt: bool = False
    """True if bytes after it may turn the reply into a refusal: the client itself announced the end."""


class Got(NamedTuple):
    """A final reply."""

    status: int
    headers: dict[str, str]
    body: bytes


HOST, AUTH, KIND = b"Host: 127.0.0.1", b"Authorization: Bearer " + TOKEN.encode(), b"Content-Type: application/json"
QUESTION = json.dumps({"x": 3}).encode()


def lines(first: bytes, *headers: bytes, end: bytes = b"\r\n") -> bytes:
    return end.join([first, *headers, b"", b""])


INNER = lines(b"POST /answer HTTP/1.1", HOST, AUTH, KIND, b"Content-Length: %d" % len(QUESTION)) + QUESTION
"""A request inside the body of another: it must never be answered."""
HIDING = json.dumps({"x": {"v": 3, "note": INNER.decode()}}).encode()


def length(body: bytes) -> bytes:
    return b"Content-Length: %d" % len(body)


def chunks(body: bytes, rng: random.Random, extension: bytes = b"", trailers: bytes = b"") -> bytes:
    found, place = b"", 0
    while place < len(body):
        size = rng.randint(1, len(body) - place)
        found += b"%x%s\r\n%s\r\n" % (size, extension, body[place : place + size])
        place += size
    return found + b"0%s\r\n%s\r\n" % (extension, trailers)


def ask(*headers: bytes, body: bytes = QUESTION, auth: bytes = AUTH, kind: bytes = KIND, host: bytes = HOST) -> bytes:
    named = [header for header in (host, auth, kind, *headers) if header]
    return lines(b"POST /answer HTTP/1.1", *named) + body


CHUNKED = b"Transfer-Encoding: chunked"
OVERWRITING = b"Host: evil.example\r\nContent-Type: text/plain\r\nAuthorization: Bearer wrong\r\n"
GRANTING = b"Host: 127.0.0.1\r\n" + KIND + b"\r\n" + AUTH + b"\r\n"


def plain(rng: random.Random) -> Sent:
    return Sent("a question", ask(length(QUESTION)), asks=True)


def hiding(rng: random.Random) -> Sent:
    body = HIDING
    if rng.random() < 0.5:
        return Sent("a request as text in a body", ask(length(body), body=body), asks=True)
    return Sent("a request as text in chunks", ask(CHUNKED, body=chunks(body, rng)), asks=True)


def carrying(rng: random.Random) -> Sent:
    """A body that is another request: no JSON for POST; not read for GET."""
    if rng.random() < 0.5:
        return Sent("a request as a body of POST", ask(length(INNER), body=INNER), REFUSED)
    framing, body = rng.choice([(length(INNER), INNER), (CHUNKED, chunks(INNER, rng))])
    return Sent("a request as a body of GET", lines(b"GET /health HTTP/1.1", HOST, framing) + body)


def trailing(rng: random.Random) -> Sent:
    return Sent("trailers that overwrite", ask(CHUNKED, body=chunks(QUESTION, rng, trailers=OVERWRITING)), asks=True)


def granting(rng: random.Random) -> Sent:
    missing = rng.choice([{"auth": b""}, {"kind": b"Content-Type: text/plain"}, {"host": b"Host: evil.example"}])
    body = chunks(QUESTION, rng, trailers=GRANTING)
    return Sent(f"trailers that grant {next(iter(missing))}", ask(CHUNKED, body=body, **missing), REFUSED)


def upgrading(rng: random.Random) -> Sent:
    name = rng.choice([b"Upgrade", b"UPGRADE", b"uPGRADE"])
    to = rng.choice([b"h2c", b"websocket", b"TLS/1.0", b"nothing"])
    offer = [b"Connection: Upgrade, HTTP2-Settings", name + b": " + to, b"HTTP2-Settings: AAMA"]
    offer = offer[: rng.randint(2, 3)] if rng.random() < 0.8 else offer[1:2]
    framed = [length(QUESTION)], QUESTION
    if rng.random() < 0.3:
        framed = [CHUNKED], chunks(QUESTION, rng)
    headers = [*offer, *framed[0]]
    rng.shuffle(headers)
    return Sent("an upgrade", ask(*headers, body=framed[1]), asks=True, last=True)


def upgrading_inner(rng: random.Random) -> Sent:
    body = INNER
    head = ask(b"Connection: Upgrade", b"Upgrade: h2c", length(body), body=body)
    return Sent("an upgrade whose body is a request", head, REFUSED)


def framing(rng: random.Random) -> Sent:
    """Two framings, or one that is not."""
    n = len(QUESTION)
    bad = {
        "length and chunks": ask(length(QUESTION), CHUNKED, body=chunks(QUESTION, rng)),
        "chunks and length": ask(CHUNKED, b"Content-Length: 4", body=chunks(QUESTION, rng)),
        "chunks of nothing and a length": ask(CHUNKED, length(b"0\r\n\r\n" + INNER), body=b"0\r\n\r\n" + INNER),
        "two lengths": ask(length(QUESTION), b"Content-Length: 0", body=QUESTION),
        "two lengths in one": ask(b"Content-Length: %d, 0" % n),
        "length +": ask(b"Content-Length: +%d" % n),
        "length in hex": ask(b"Content-Length: 0x%x" % n),
        "length in words": ask(b"Content-Length: eight"),
        "a negative length": ask(b"Content-Length: -%d" % n),
        "length in another alphabet": ask("Content-Length: ٨".encode()),
        "a length with _": ask(b"Content-Length: 1_0"),
        "a space before the colon": ask(b"Content-Length : %d" % n),
        "another coding": ask(b"Transfer-Encoding: gzip, chunked", body=chunks(QUESTION, rng)),
        "chunked twice": ask(b"Transfer-Encoding: chunked, chunked", body=chunks(QUESTION, rng)),
        "two codings": ask(CHUNKED, CHUNKED, body=chunks(QUESTION, rng)),
        "xchunked": ask(b"Transfer-Encoding: xchunked", body=chunks(QUESTION, rng)),
        "identity": ask(b"Transfer-Encoding: identity", length(QUESTION)),
        "chunked with a tab inside": ask(b"Transfer-Encoding: chu\tnked", body=chunks(QUESTION, rng)),
        "HTTP/1.0 in chunks": lines(b"POST /answer HTTP/1.0", HOST, AUTH, KIND, CHUNKED) + chunks(QUESTION, rng),
    }
    name = rng.choice(list(bad))
    return Sent(name, bad[name], REFUSED)


def chunked(rng: random.Random) -> Sent:
    """Chunks that are not."""
    n = len(QUESTION)
    bad = {
        "0x": b"0x%x\r\n" % n + QUESTION + b"\r\n0\r\n\r\n",
        "+": b"+%x\r\n" % n + QUESTION + b"\r\n0\r\n\r\n",
        "-": b"-%x\r\n" % n + QUESTION + b"\r\n0\r\n\r\n",
        "_": b"0_%x\r\n" % n + QUESTION + b"\r\n0\r\n\r\n",
        "none": b"\r\n" + QUESTION + b"\r\n0\r\n\r\n",
        "space first": b" %x\r\n" % n + QUESTION + b"\r\n0\r\n\r\n",
        "a longer one": b"%x\r\n" % n + QUESTION + b"AB0\r\n\r\n",
        "LF in an extension": b"%x;a\nb\r\n" % n + QUESTION + b"\r\n0\r\n\r\n",
        "CR in an extension": b"%x;a\rb\r\n" % n + QUESTION + b"\r\n0\r\n\r\n",
        "a trailer without a colon": b"%x\r\n" % n + QUESTION + b"\r\n0\r\nGET /health HTTP/1.1\r\n\r\n",
    }
    name = rng.choice(list(bad))
    lax = name == "CR in an extension"
    return Sent(f"chunk: {name}", ask(CHUNKED, body=bad[name]), EITHER if lax else REFUSED, asks=lax)


def hosts(rng: random.Random) -> Sent:
    two = rng.choice([b"Host: evil.example", b"host: 127.0.0.1", b"Host:", b"HOST: 127.0.0.1"])
    first = b"" if rng.random() < 0.2 else HOST
    return Sent("two hosts, or none", ask(length(QUESTION), *([two] if first else []), host=first), REFUSED)


def doubled(rng: random.Random) -> Sent:
    two = rng.choice([b"Authorization: Bearer wrong", AUTH, KIND, b"content-type: text/plain"])
    return Sent("a header twice", ask(length(QUESTION), two), REFUSED)


def malformed(rng: random.Random) -> Sent:
    """Heads that are not."""
    bad = {
        "NUL in a value": ask(b"X-A: a\0b", length(QUESTION)),
        "CR in a value": ask(b"X-A: a\rTransfer-Encoding: chunked", length(QUESTION)),
        "a space in a name": ask(b"X A: a", length(QUESTION)),
        "no name": ask(b": a", length(QUESTION)),
        "no colon": ask(b"nothing", length(QUESTION)),
        "a folded first line": lines(b"POST /answer HTTP/1.1", b" Host: 127.0.0.1", HOST, AUTH, length(QUESTION)),
        "another version": lines(b"POST /answer HTTP/2.0", HOST, AUTH, KIND, length(QUESTION)) + QUESTION,
        "no version": lines(b"GET /health", HOST),
        "three words": lines(b"GET /health x HTTP/1.1", HOST),
    }
    name = rng.choice(list(bad))
    return Sent(name, bad[name], REFUSED)


def lenient(rng: random.Random) -> Sent:
    """Requests that RFC 9112 lets a server take or refuse, but never read as two."""
    body = chunks(QUESTION, rng, extension=rng.choice([b";a", b";a=b", b';a="b;c"', b" "]))
    first = b"POST /answer HTTP/1.1"
    may = {
        "chunk extensions": ask(CHUNKED, body=body),
        "a folded header": ask(b"X-A: a\r\n b", length(QUESTION)),
        "a folded length": ask(b"Content-Length:\r\n %d" % len(QUESTION)),
        "a folded coding": ask(b"Transfer-Encoding:\r\n\tchunked", body=chunks(QUESTION, rng)),
        "bare LF": lines(first, HOST, AUTH, KIND, length(QUESTION), end=b"\n") + QUESTION,
        "one bare LF": ask(b"X-A: a\n" + length(QUESTION)),
        "the same length twice": ask(length(QUESTION), length(QUESTION)),
        "an empty line first": b"\r\n" + ask(length(QUESTION)),
        "a length with zeros": ask(b"Content-Length: 000%d" % len(QUESTION)),
        "CHUNKED": ask(b"TRANSFER-ENCODING: CHUNKED", body=chunks(QUESTION, rng)),
    }
    name = rng.choice(list(may))
    return Sent(name, may[name], EITHER, asks=True)


def closing(rng: random.Random) -> Sent:
    if rng.random() < 0.3:
        return Sent("HTTP/1.0", lines(b"GET /health HTTP/1.0", HOST), last=True, spoilt=True)
    return Sent("close", ask(b"Connection: close", length(QUESTION)), asks=True, last=True, spoilt=True)


def reading(rng: random.Random) -> Sent:
    if rng.random() < 0.3:
        return Sent("HEAD", lines(b"HEAD /certificate HTTP/1.1", HOST, AUTH), head=True)
    if rng.random() < 0.3:
        return Sent("HEAD refused", lines(b"HEAD /nowhere HTTP/1.1", HOST, AUTH), REFUSED, head=True)
    return Sent("a health check", lines(b"GET /health HTTP/1.1", HOST))


def refused(rng: random.Random) -> Sent:
    body = rng.choice([QUESTION, INNER])
    first = rng.choice([b"POST /nowhere", b"PUT /answer", b"POST /l/no/answer", b"CONNECT /answer", b"POST /learn"])
    framed = rng.choice([(length(body), body), (CHUNKED, chunks(body, rng))])
    return Sent("a refusal", lines(first + b" HTTP/1.1", HOST, AUTH, KIND, framed[0]) + framed[1], REFUSED)


def stranger(rng: random.Random) -> Sent:
    auth = rng.choice([b"", b"Authorization: Bearer wrong", b"Authorization: Basic " + TOKEN.encode()])
    return Sent("no token", ask(length(INNER), body=INNER, auth=auth), REFUSED)


def expecting(rng: random.Random) -> Sent:
    return Sent("100-continue", ask(b"Expect: 100-continue", length(QUESTION)), asks=True)


def unfinished(rng: random.Random) -> Sent:
    """A body that does not end: no reply is due, and what follows belongs to it."""
    if rng.random() < 0.5:
        return Sent("a body that is short", ask(b"Content-Length: 9999"), replies=False)
    size = rng.choice([b"fff", b"1%016x" % len(QUESTION)])  # (the second is short if only 64 bits are read)
    return Sent("chunks without an end", ask(CHUNKED, body=size + b"\r\n" + QUESTION + b"\r\n0\r\n\r\n"), replies=False)


KINDS: list[Callable[[random.Random], Sent]] = [
    plain, plain, hiding, hiding, carrying, trailing, granting, upgrading, upgrading_inner, framing, framing, chunked,
    hosts, doubled, malformed, lenient, lenient, closing, reading, reading, refused, stranger, expecting, unfinished,
]  # fmt: skip


def sequence(rng: random.Random) -> list[Sent]:
    return [rng.choice(KINDS)(rng) for _ in range(rng.randint(1, 6))]


# --- On the wire -----------------------------------------------------------------------------------------------


def packets(content: bytes, rng: random.Random) -> list[bytes]:
    """Return the content in one packet, in a few, or, near a place, byte by byte."""
    way = rng.random()
    if way < 0.3:
        return [content]
    cuts = {rng.randrange(len(content) + 1) for _ in range(rng.randint(1, 6))}
    if way > 0.9:
        place = rng.randrange(len(content))
        cuts |= set(range(place, min(place + 20, len(content))))
    edges = [0, *sorted(cuts), len(content)]
    return [content[a:b] for a, b in pairwise(edges) if a < b]


def exchanged(port: int, sent: Sequence[Sent], parts: Sequence[bytes], pause: float = 0.0) -> list[Got]:
    """Send packets and return the replies that come until the service closes the connection.

    Where the last request never ends, our half is closed once there is a reply to each one before.
    """
    heads = [one.head for one in sent]
    due = next((place for place, one in enumerate(sent) if not one.replies), None)
    found = bytearray()
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as link:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(ConnectionError):  # (the service may close while we send)
            for part in parts:
                link.sendall(part)
                time.sleep(pause)
        with suppress(ConnectionError):
            while True:
                if due is not None and len(replies(bytes(found), heads, partly=True)) >= due:
                    due = None
                    with suppress(OSError):
                        link.shutdown(socket.SHUT_WR)
                if not (more := link.recv(1 << 16)):
                    break
                found += more
    return replies(bytes(found), heads)


def replies(found: bytes, heads: Sequence[bool], partly: bool = False) -> list[Got]:
    """Return the final replies in what came; ValueError if it is not a row of whole replies."""
    result = list[Got]()
    try:
        _read(found, heads, result)
    except ValueError:
        if not partly:
            raise
    return result


def _read(found: bytes, heads: Sequence[bool], result: list[Got]) -> None:
    while found:
        head, end, found = found.partition(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").split("\r\n")
        version, status = first.split()[:2]
        if version != "HTTP/1.1" or not end:
            raise ValueError(f"not a reply: {head!r}")
        if status.startswith("1"):
            if status != "100" or rest:
                raise ValueError(f"another protocol: {head!r}")
            continue
        headers = {name.lower(): text.strip() for name, _, text in (line.partition(":") for line in rest)}
        if len(result) < len(heads) and heads[len(result)]:
            body = b""
        elif headers.get("transfer-encoding") == "chunked":
            body, found = dechunked(found)
        elif "content-length" in headers:
            size = int(headers["content-length"])
            body, found = found[:size], found[size:]
            if len(body) < size:
                raise ValueError(f"a reply was cut off: {head!r}")
        else:
            body, found = found, b""
        result.append(Got(int(status), headers, body))


def dechunked(found: bytes) -> tuple[bytes, bytes]:
    body = b""
    while True:
        size, end, found = found.partition(b"\r\n")
        if not end:
            raise ValueError("a chunk was cut off")
        body, found = body + found[: int(size, 16)], found[int(size, 16) + 2 :]
        if int(size, 16) == 0:
            return body, found


def check(sent: Sequence[Sent], got: Sequence[Got]) -> tuple[int, int]:
    """Return the fewest and most answers that the learner gave; AssertionError if replies and requests disagree."""
    answers, left = 0, list(got)
    for one in sent:
        if not one.replies:  # it never ends: nothing, or a refusal
            assert len(left) <= 1 and all(reply.status >= 400 for reply in left), (one.name, left)
            return answers, answers
        assert left, f"no reply to {one.name}"
        reply = left.pop(0)
        taken, spoilt = reply.status < 400, one.spoilt and one is not sent[-1]
        assert one.fate == EITHER or spoilt or taken == (one.fate == OK), (one.name, one.content, reply)
        answers += one.asks and taken
        if not taken or one.last:
            assert reply.headers.get("connection", "").lower() == "close", (one.name, reply)
            assert not left, f"more came after the end: {one.name}, {left}"
            return answers, answers + (spoilt and one.asks and not taken)
    assert not left, left
    return answers, answers


END = Sent("the end", lines(b"GET /health HTTP/1.1", HOST, b"Connection: close"), last=True)


def attack(port: int, rng: random.Random, answered: Callable[[], int]) -> int:
    """Send one random sequence on a connection and check replies and answers; return the number of requests."""
    sent, before = [*sequence(rng), END], answered()
    content = b"".join(one.content for one in sent)
    got = exchanged(port, sent, packets(content, rng), rng.choice([0.0, 0.0, 0.002]))
    fewest, most = check(sent, got)
    if fewest < most:
        time.sleep(0.2)  # (an answer without a reply may still be under way)
    found = answered() - before
    assert fewest <= found <= most, (fewest, found, most, [one.name for one in sent], [one.status for one in got])
    return len(sent)
