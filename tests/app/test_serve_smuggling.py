"""Request smuggling: a service reads the requests that RFC 9112 finds in the bytes, and no other."""

from __future__ import annotations

import random
import re
import socket
import time
from collections.abc import Iterator

import pytest
from serving import Server
from smuggling import (
    AUTH,
    CHUNKED,
    EITHER,
    END,
    GRANTING,
    HOST,
    INNER,
    KIND,
    OVERWRITING,
    QUESTION,
    REFUSED,
    TOKEN,
    Got,
    Sent,
    ask,
    attack,
    check,
    chunks,
    exchanged,
    length,
    lines,
    replies,
    sequence,
)

RNG = random.Random(0)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    options = ["--rules", "thresholds(v)", "--learner", "fraud=thresholds(w)", "--token", TOKEN]
    with Server(*options) as server:
        yield server
        assert server.end() == 0
        assert not re.search("Traceback|a fault of the service", "\n".join(server.said)), server.said


def answered(server: Server) -> int:
    said = server.ask("/metrics", Authorization=f"Bearer {TOKEN}").body
    found = re.search(r'adeptree_answered\{learner="main"\} (\d+)', said)
    assert found is not None, said
    return int(found[1])


def played(server: Server, sent: list[Sent], parts: list[bytes] | None = None, pause: float = 0.0) -> list[Got]:
    """Send requests; check replies and the number of answers of the learner."""
    before = answered(server)
    got = exchanged(server.port, sent, parts or [b"".join(one.content for one in sent)], pause)
    assert answered(server) - before in {*check(sent, got)}, (sent, got)
    return got


UPGRADE = Sent("an upgrade", ask(b"Connection: Upgrade", b"Upgrade: h2c", length(QUESTION)), asks=True, last=True)
INSIDE = Sent(
    "an upgrade of a request", ask(b"Connection: Upgrade", b"Upgrade: h2c", length(INNER), body=INNER), REFUSED
)


@pytest.mark.parametrize("sent", [UPGRADE, INSIDE], ids=["a question", "a request inside"])
def test_an_upgrade_is_one_request_wherever_it_is_split(server: Server, sent: Sent) -> None:
    head = sent.content.index(b"\r\n\r\n") + 4
    before = answered(server)
    for place in range(1, head + 2):
        parts = [sent.content[:place], sent.content[place:] + END.content]
        check([sent, END], exchanged(server.port, [sent, END], parts, 0.0015))
    assert answered(server) - before == (head + 1) * sent.asks


REFUSALS = {
    "two hosts": ask(b"Host: 127.0.0.1", length(QUESTION)),
    "another second host": ask(b"Host: evil.example", length(QUESTION)),
    "another first host": ask(HOST, length(QUESTION), host=b"Host: evil.example"),
    "two tokens": ask(b"Authorization: Bearer wrong", length(QUESTION)),
    "two tokens, the right one last": ask(AUTH, length(QUESTION), auth=b"Authorization: Bearer wrong"),
    "two kinds": ask(KIND, length(QUESTION), kind=b"Content-Type: text/plain"),
    "length and chunks": ask(length(QUESTION), CHUNKED, body=chunks(QUESTION, RNG)),
    "chunks and length": ask(CHUNKED, b"Content-Length: 3", body=chunks(QUESTION, RNG)),
    "two lengths": ask(length(QUESTION), b"Content-Length: 3"),
    "two lengths in one": ask(b"Content-Length: 8, 3"),
    "another version": lines(b"POST /answer HTTP/2.0", HOST, AUTH, KIND, length(QUESTION)) + QUESTION,
    "chunks in HTTP/1.0": lines(b"POST /answer HTTP/1.0", HOST, AUTH, KIND, CHUNKED) + chunks(QUESTION, RNG),
    "trailers that bring the token": ask(CHUNKED, auth=b"", body=chunks(QUESTION, RNG, trailers=GRANTING)),
    "trailers that bring the host": ask(
        CHUNKED, host=b"Host: evil.example", body=chunks(QUESTION, RNG, trailers=GRANTING)
    ),
    "trailers that bring the kind": ask(
        CHUNKED, kind=b"Content-Type: text/plain", body=chunks(QUESTION, RNG, trailers=GRANTING)
    ),
    "an unknown address": lines(b"POST /nowhere HTTP/1.1", HOST, AUTH, KIND, length(INNER)) + INNER,
    "a wrong method": lines(b"PUT /answer HTTP/1.1", HOST, AUTH, KIND, length(INNER)) + INNER,
    "no token": ask(length(INNER), auth=b"", body=INNER),
    "no JSON": ask(length(INNER), body=INNER),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_refusal_ends_the_connection(server: Server, name: str) -> None:
    sent = [Sent(name, REFUSALS[name], REFUSED), Sent("a question", ask(length(QUESTION)), asks=True), END]
    assert len(played(server, sent)) == 1
    cut = len(REFUSALS[name]) // 2
    played(server, sent, [REFUSALS[name][:cut], REFUSALS[name][cut:], ask(length(QUESTION))], 0.01)


def test_bytes_after_the_last_request_are_not_a_fault_of_the_service() -> None:
    """They end the connection before its reply: then there is nothing to send, and no second reply either."""
    last = ask(b"Connection: close", length(QUESTION))
    with Server("--rules", "thresholds(v)", "--token", TOKEN) as server:
        for tail in (b"x", b"\0\0\r\n\r\n", INNER):
            for cut in (0, len(last) - 1, len(last)):
                sent = Sent("the last", last, EITHER, last=True)
                assert len(exchanged(server.port, [sent], [last[:cut], last[cut:] + tail], 0.001)) <= 1
        assert server.end() == 0 and "fault" not in "\n".join(server.said), server.said


def test_trailers_change_nothing(server: Server) -> None:
    sent = Sent("trailers", ask(CHUNKED, body=chunks(QUESTION, RNG, trailers=OVERWRITING)), asks=True)
    assert [one.status for one in played(server, [sent, sent, END])] == [200, 200, 200]


def test_pipelined_requests_are_answered_one_by_one(server: Server) -> None:
    one = Sent("a question", ask(length(QUESTION)), asks=True)
    looks = Sent("GET with a request as its body", lines(b"GET /health HTTP/1.1", HOST, length(INNER)) + INNER)
    assert [reply.status for reply in played(server, [one, looks, one, one, looks, END])] == [200] * 6


def test_a_body_that_turns_bad_after_its_address_was_read_leaves_no_trace(server: Server) -> None:
    before = answered(server)
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as link:
        link.sendall(lines(b"GET /health HTTP/1.1", HOST, CHUNKED))
        time.sleep(0.1)
        link.sendall(b"zz\r\n" + INNER)
        found = b""
        while more := link.recv(1 << 16):
            found += more
    assert [one.status for one in replies(found, [])] in ([400], [200])
    assert answered(server) == before


def test_a_refused_client_that_sends_its_body_later_gets_the_reply(server: Server) -> None:
    """Closing at once would reset the connection, and the client would lose the reason."""
    body = b" " * 300_000
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as link:
            link.sendall(lines(b"POST /nowhere HTTP/1.1", HOST, AUTH, KIND, length(body)))
            time.sleep(0.02)
            for place in range(0, len(body), 50_000):
                link.sendall(body[place : place + 50_000])
                time.sleep(0.002)
            found = b""
            while more := link.recv(1 << 16):
                found += more
        assert [one.status for one in replies(found, [])] == [404]


def test_random_sequences_are_read_as_rfc_9112_says(server: Server) -> None:
    """The long form is benchmarks/serve_smuggling.py."""
    seed, requests, end = 0, 0, time.monotonic() + 4
    while time.monotonic() < end:
        requests += attack(server.port, random.Random(seed), lambda: answered(server))
        seed += 1
    assert requests > 100
    names = {one.name for number in range(400) for one in sequence(random.Random(number))}
    assert len(names) > 50  # (the generator reaches all kinds)


@pytest.mark.parametrize("auth", [b"", b"Authorization: Bearer wrong", b"Authorization: Basic " + TOKEN.encode()])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "A"])
def test_without_the_token_no_name_of_a_learner_is_told(server: Server, auth: bytes, method: str) -> None:
    rests = ["", "/", "/live", "/answer", "/learn", "/certificate", "/rules", "/?x", "/nowhere", "//", "/health"]
    for rest in rests:
        told = list[tuple[int, dict[str, str], bytes]]()
        for name in ("fraud", "freud", "a%0Ab"):
            first = f"{method} /l/{name}{rest} HTTP/1.1".encode()
            headers = [header for header in (HOST, auth, KIND, b"Connection: close", length(QUESTION)) if header]
            sent = Sent("x", lines(first, *headers) + QUESTION, head=method == "HEAD")
            (got,) = exchanged(server.port, [sent], [sent.content])
            told.append((got.status, {**got.headers, "date": ""}, got.body))
            if rest == "" and got.status == 308:  # (the one reply that repeats the name)
                assert told[-1][1].pop("location") == f"{name}/"
        assert told[0] == told[1] == told[2], (rest, told)


def test_with_the_token_a_missing_learner_is_told(server: Server) -> None:
    for path in ("/l/freud", "/l/freud/", "/l/freud/certificate"):
        assert server.ask(path, Authorization=f"Bearer {TOKEN}").status == 404
    assert server.ask("/l/fraud/", Authorization=f"Bearer {TOKEN}").status == 200
    assert server.ask("/l/fraud").headers["location"] == "fraud/"
