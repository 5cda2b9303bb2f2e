"""A service that is ended at any moment ends cleanly, and reports it to clients that wait for a reply."""

from __future__ import annotations

import json
import signal
import socket

from running import POSIX
from serving import Inside, Server, heard

SOON = """
import os, signal, adeptree.app.serve.server as server
real = server.listen

def listen(*given):
    os.kill(os.getpid(), signal.SIGTERM)
    real(*given)

server.listen = listen
"""
POST = b"POST /answer HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


def reply(link: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """Return the one reply that comes before the connection is closed."""
    found = b""
    while more := link.recv(1 << 16):
        found += more
    head, _, body = found.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return int(first.split()[1]), {line.split(": ")[0].lower(): line.split(": ")[1] for line in lines}, body


@POSIX
def test_a_signal_before_it_listens_ends_it_as_any_other() -> None:
    server = Server("--rules", "thresholds(v)", before=SOON)
    assert server.wait() == 0, server.said
    server.__exit__()


@POSIX
def test_whoever_is_still_sending_at_the_end_is_told_so() -> None:
    quick = "import adeptree.app.serve.server as l; l.LEAVE_SECONDS = 1"
    with Server("--rules", "thresholds(v)", before=quick) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as link:
            link.sendall(POST + b'Content-Length: 90\r\n\r\n{"x":')
            assert server.ask("/health").status == 200  # (so the beginning was read)
            assert server.end(signal.SIGTERM) == 0
            found = heard(*reply(link))
        assert found.status == 503 and "the service is ending" in found.why


def test_an_offer_of_another_protocol_is_passed_over() -> None:
    body = json.dumps({"x": 3}).encode()
    offer = b"Connection: Upgrade, HTTP2-Settings, close\r\nUPGRADE: h2c\r\nHTTP2-Settings: AAMA\r\n"
    with Server("--rules", "thresholds(v)", fresh=True) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as link:
            link.sendall(POST + offer + b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            assert heard(*reply(link)).body["ticket"] == 1


def test_what_is_unknown_is_named_and_a_label_has_one_weight() -> None:
    with Inside() as inside:
        assert inside.ask("/answer", {"x": 3, "admin": 1}).why.startswith('"admin" is unknown here; an answer takes')
        assert inside.ask("/answer", {"asked": [{"x": 3, "id": 1}]}).why.startswith('asked[0]: "id" is unknown here')
        inside.ask("/answer", {"x": 3})
        label = {"ticket": 1, "y": 1}
        assert inside.ask("/learn", {**label, "wait": 1}).why.startswith('"wait" is unknown here; a label is')
        twice = inside.ask("/learn", {"labels": [label, {**label, "weight": 2}]})
        assert (twice.status, twice.why) == (409, "labels[1]: ticket 1 comes twice, with another weight")
        assert inside.served["main"].learner.rounds == 0


def test_a_client_that_sends_all_of_a_large_body_before_it_reads_hears_why_it_is_refused() -> None:
    with Server("--rules", "thresholds(v)", "--token", "t" * 20) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as link:
            link.sendall(POST + b"Content-Length: 6000000\r\n\r\n" + bytes(6_000_000))
            found = heard(*reply(link))
        assert found.status == 401 and "Bearer TOKEN" in found.why
