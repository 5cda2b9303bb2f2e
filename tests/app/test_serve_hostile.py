"""Invalid requests: each is refused with an error message, nothing is learnt, and the next one is served."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from serving import Inside, Server, heard
from starlette.requests import Request

from adeptree.app.serve import requests
from adeptree.app.serve.requests import Limits, Refusal
from adeptree.app.serve.server import is_loopback

TOKEN = "a-token-of-this-test-0123"
JSON = {"Content-Type": "application/json"}
DEEP = b"[" * 100_000
BIG = 3000


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    quick = "import adeptree.app.serve.requests as r\nr.BODY_SECONDS = 1.0\n"
    options = ["--rules", "stumps(age, sex)", "--max-body", str(BIG), "--max-batch", "5", "--token", TOKEN]
    with Server(*options, before=quick) as server:
        yield server


def request(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    """Return a request as it goes over the wire; a header of None is left out."""
    named: dict[str, str | None] = {"Host": "127.0.0.1", "Authorization": f"Bearer {TOKEN}", "Connection": "close"}
    named |= {"Content-Type": "application/json", "Content-Length": str(len(body))} if body else {}
    named |= {name.replace("_", "-"): text for name, text in headers.items()}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {text}" for name, text in named.items() if text is not None)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def post(body: Any, path: str = "/answer", **headers: Any) -> bytes:
    return request("POST", path, body if isinstance(body, bytes) else json.dumps(body).encode(), **headers)


def get(path: str, **headers: Any) -> bytes:
    return request("GET", path, **headers)


CHUNKED: dict[str, Any] = {"Content_Length": None, "Transfer_Encoding": "chunked"}
ROW: dict[str, Any] = {"age": 41, "sex": "f"}

HOSTILE: dict[str, tuple[bytes, int]] = {
    # sizes
    "body too large": (post({"x": {**ROW, "more": "a" * BIG}}), 413),
    "body far too large": (post(b"{" + b" " * 20 * BIG), 413),
    "a gigabyte announced": (post(b"{}", Content_Length=str(1 << 30)), 413),
    "a length beyond all numbers": (post(b"{}", Content_Length="9" * 30), 400),
    "a length that is none": (post(b"{}", Content_Length="ten"), 400),
    "a negative length": (post(b"{}", Content_Length="-1"), 400),
    "chunked and too large": (post(b"%x\r\n" % (2 * BIG) + b" " * 2 * BIG + b"\r\n0\r\n\r\n", **CHUNKED), 413),
    "chunked, too large and without an end": (post(b"%x\r\n" % (99 * BIG) + b" " * 9 * BIG, **CHUNKED), 413),
    "chunks that are none": (post(b"zz\r\n{}\r\n0\r\n\r\n", **CHUNKED), 400),
    "chunks and a length": (post(b"2\r\n{}\r\n0\r\n\r\n", Transfer_Encoding="chunked"), 400),
    "too many at a time": (post({"xs": [ROW] * 6}), 400),
    "none at a time": (post({"xs": []}), 400),
    "a text too long": (post({"x": {**ROW, "sex": "f" * 1001}}), 400),
    "a header too long": (get("/health", X_Long="a" * 40_000), 431),
    "headers without an end": (b"GET /health HTTP/1.1\r\n" + b"X-More: and more\r\n" * 100_000, 400),
    # not JSON, or not the requested form
    "nothing": (request("POST", "/answer", Content_Type="application/json", Content_Length="0"), 400),
    "no JSON": (post(b"x=3"), 400),
    "cut off": (post(b'{"x": {"age": 4'), 400),
    "NaN": (post(b'{"x": {"age": NaN, "sex": "f"}}'), 400),
    "NaN where nobody reads it": (post(b'{"x": {"age": 1, "sex": "f", "more": NaN}}'), 400),
    "Infinity": (post(b'{"x": {"age": -Infinity, "sex": "f"}}'), 400),
    "1e999": (post(b'{"x": {"age": 1e999, "sex": "f"}}'), 400),
    "a number of 400 digits": (post(b'{"x": {"age": %s, "sex": "f"}}' % (b"9" * 400)), 400),
    "a number of 2,900 digits": (post(b'{"x": {"age": %s}}' % (b"9" * 2900)), 400),
    "nested too deeply": (post(DEEP[:BIG]), 400),
    "a name twice": (post(b'{"x": [1, "f"], "x": [2, "f"]}'), 400),
    "half a character": (post(b'{"x": {"age": 1, "sex": "\\ud83d"}}'), 400),
    "half a character in a key": (post(b'{"x": [1, "f"], "key": "\\ud83d"}'), 400),
    "NUL": (post(b'{"x": {"age": 1, "sex": "\\u0000"}}'), 400),
    "no UTF-8": (post(b'{"x": {"age": 1, "sex": "\xff"}}'), 400),
    "UTF-16": (post(json.dumps({"x": ROW}).encode("utf-16")), 400),
    "a byte-order mark": (post(b"\xef\xbb\xbf{}"), 400),
    "a list": (post([ROW]), 400),
    "a name more": (post({"x": ROW, "admin": True}), 400),
    "x and xs": (post({"x": ROW, "xs": [ROW]}), 400),
    "a column too few": (post({"x": {"age": 41}}), 400),
    "a value too many": (post({"x": [41, "f", 3]}), 400),
    "an object as a value": (post({"x": {"age": {"$gt": 0}, "sex": "f"}}), 400),
    "a single value": (post({"x": 41}), 400),
    "a key that is no text": (post({"x": ROW, "key": 3}), 400),
    "asked for nothing": (post({"asked": [{"key": "a"}]}), 400),
    "xs and more": (post({"xs": [ROW], "key": "a"}), 400),
    # labels
    "a label that is none": (post({"ticket": 1, "y": 2}, "/learn"), 400),
    "a label as text": (post({"ticket": 1, "y": "1"}, "/learn"), 400),
    "a ticket of yesterday": (post({"ticket": 10**30, "y": 1}, "/learn"), 404),
    "ticket 0": (post({"ticket": 0, "y": 1}, "/learn"), 400),
    "ticket true": (post({"ticket": True, "y": 1}, "/learn"), 400),
    "ticket 1.5": (post({"ticket": 1.5, "y": 1}, "/learn"), 400),
    "a ticket as text": (post({"ticket": "1; drop table", "y": 1}, "/learn"), 400),
    "a weight below 0": (post({"ticket": 1, "y": 1, "weight": -1}, "/learn"), 400),
    "a weight beyond all": (post({"ticket": 1, "y": 1, "weight": 1e300}, "/learn"), 400),
    "a weight of nothing": (post({"ticket": 1, "y": 1, "weight": None}, "/learn"), 400),
    # kinds of content
    "a form": (post(b"x=3", Content_Type="application/x-www-form-urlencoded"), 415),
    "plain text, as another site may send it": (post({"x": ROW}, Content_Type="text/plain"), 415),
    "no kind": (post({"x": ROW}, Content_Type=None), 415),
    "another charset": (post({"x": ROW}, Content_Type="application/json; charset=utf-16"), 415),
    "compressed": (post(b"\x1f\x8b\x08", Content_Encoding="gzip"), 415),
    # the client
    "no token": (get("/certificate", Authorization=None), 401),
    "a wrong token": (get("/certificate", Authorization="Bearer wrong"), 401),
    "the beginning of the token": (get("/certificate", Authorization=f"Bearer {TOKEN[:-1]}"), 401),
    "the token in another way": (get("/certificate", Authorization=f"Basic {TOKEN}"), 401),
    "a token that is no ASCII": (get("/certificate", Authorization="Bearer \xff\xfe"), 401),
    "no token, and nothing there": (get("/nowhere", Authorization=None), 401),
    "another site's name": (get("/health", Host="evil.example"), 403),
    "a name that begins as ours": (get("/health", Host="127.0.0.1.evil.example:80"), 403),
    "a page of another site": (get("/rules?within=1e9&limit=1000", Sec_Fetch_Site="cross-site"), 403),
    "a learner that is not there, and no token": (get("/l/nope/live", Authorization=None), 401),
    "no name": (get("/health", Host=""), 403),
    # paths, methods, queries
    "nothing there": (get("/answers"), 404),
    "up and up": (get("/../../../etc/passwd"), 404),
    "up, in disguise": (get("/l/%2e%2e/%2e%2e/etc/passwd"), 404),
    "a learner with slashes": (get("/l/..%2f..%2fmain/certificate"), 404),
    "a learner of NULs": (get("/l/%00/certificate"), 404),
    "a path of escapes": (get("/%1b[31m"), 404),
    "a very long path": (get("/" + "a" * 20_000), 404),
    "two slashes": (get("//certificate"), 404),
    "a slash more": (get("/certificate/"), 404),
    "the wrong method": (get("/answer"), 405),
    "another wrong method": (request("DELETE", "/certificate"), 405),
    "a method of one's own": (request("OPTIONS", "/learn"), 405),
    "within nothing": (get("/rules?within="), 400),
    "within NaN": (get("/rules?within=nan"), 400),
    "within the negative": (get("/rules?within=-1"), 400),
    "limitless": (get("/rules?limit=1000000000"), 400),
    "within twice": (get("/rules?within=1&within=2"), 400),
    "something else": (get("/rules?without=1"), 400),
    "a query that is no text": (get("/rules?within=%ff"), 400),
    # not HTTP
    "no HTTP": (b"hello\r\n\r\n", 400),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), 400),
    "HTTP of the future": (b"GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n", 505),
    "a header that is none": (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nno colon\r\n\r\n", 400),
    "a body that does not come": (post(b"{", Content_Length="900"), 408),
}


NOT_HTTP = {
    "a length beyond all numbers",
    "a length that is none",
    "a negative length",
    "chunks that are none",
    "headers without an end",
    "no HTTP",
    "TLS",
    "a header that is none",
}
"""Requests that the HTTP parser refuses: its reply is plain text."""


def replied(port: int, content: bytes) -> bytes:
    """Send bytes as they are, and return all that comes back."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as link:
        found = b""
        try:
            link.sendall(content)
            while more := link.recv(1 << 16):
                found += more
        except ConnectionError:
            pass
        return found


def one_reply(found: bytes) -> tuple[int, dict[str, str], bytes]:
    head, _, body = found.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    named = (line.partition(": ") for line in lines)
    return int(first.split()[1]), {name.lower(): text for name, _, text in named}, body


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_requests_are_refused_with_a_sentence(server: Server, name: str) -> None:
    content, status = HOSTILE[name]
    found = heard(*one_reply(replied(server.port, content)))
    assert found.status == status, found
    assert found.headers["connection"] == "close"
    if name in NOT_HTTP:
        assert "Invalid HTTP request received." in found.body, found
    else:
        assert re.search(r"\w+ \w+ \w+", found.why) and len(found.why) < 400 and found.why.isprintable(), found.why
    assert server.ask("/health").status == 200


def test_after_all_that_nothing_was_learnt(server: Server) -> None:
    token = {"Authorization": f"Bearer {TOKEN}"}
    assert server.ask("/certificate", **token).body["rounds"] == 0
    assert server.ask("/answer", {"x": ROW}, **token).body["ticket"] == 1
    said = server.ask("/metrics", **token).body
    assert not re.search(r'status="5(?!05)\d\d"', said), said
    routes = set(re.findall(r'route="([^"]*)"', said))
    assert routes <= {
        "other",
        "/answer",
        "/learn",
        "/rules",
        "/certificate",
        "/health",
        "/metrics",
        "/",
        "/l/*/certificate",
        "/l/*/live",
    }
    assert "Traceback" not in "\n".join(server.said)


def test_the_page_and_health_need_no_token_and_tell_nothing(server: Server) -> None:
    assert server.ask("/health").body == {"status": "ok"}
    html = server.ask("/").body
    assert "stumps" not in html and "sex" not in html
    assert server.ask("/live").status == 401


def test_too_many_connections_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    few = "import adeptree.app.serve.server as l\nl.MOST_CONNECTIONS = 3"
    with Server("--rules", "thresholds(v)", before=few) as server:
        links = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(3)]
        found = heard(*one_reply(replied(server.port, get("/health"))))
        assert found.status == 503 and found.headers["connection"] == "close"
        for link in links:
            link.close()
        assert server.ask("/answer", {"x": 3}).status == 200


def test_a_fault_of_ours_is_a_sentence_too(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with Inside() as inside:
        monkeypatch.setattr(inside.served["main"], "answer", lambda asked: 1 / 0)
        assert inside.ask("/answer", {"x": 1}).status == 500
        assert "ZeroDivisionError" in capsys.readouterr().err
        monkeypatch.undo()
        assert inside.ask("/answer", {"x": 1}).status == 200


def test_names_of_this_machine_are_known_with_and_without_a_port() -> None:
    local = Limits()
    for host in ("localhost", "LOCALHOST:8000", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:80"):
        requests.check_host(Request({"type": "http", "headers": [(b"host", host.encode())]}), local)
    assert is_loopback("127.8.8.8") and not is_loopback("192.168.0.1")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyaekt"), inner, max_size=3),
    max_leaves=6,
)
BODIES = st.one_of(
    VALUES,
    st.fixed_dictionaries({}, optional={"x": VALUES, "xs": VALUES, "key": VALUES, "asked": VALUES}),
    st.fixed_dictionaries({}, optional={"ticket": VALUES, "y": VALUES, "weight": VALUES, "labels": VALUES}),
    st.fixed_dictionaries({"ticket": st.integers(0, 4), "y": st.integers(0, 2)}, optional={"weight": VALUES}),
    st.fixed_dictionaries({"x": st.lists(VALUES, min_size=2, max_size=2)}),
    st.binary(max_size=30),
)


@pytest.fixture(scope="module")
def fuzzed() -> Iterator[Inside]:
    with Inside(main="stumps(age, sex)") as service:
        yield service


@settings(max_examples=300)
@given(path=st.sampled_from(["/answer", "/learn"]), body=BODIES)
def test_any_body_is_taken_or_refused_with_a_sentence(fuzzed: Inside, path: str, body: Any) -> None:
    found = fuzzed.ask(path, b"null" if body is None else body)
    assert found.status == 200 or (found.status in (400, 404, 409, 413) and found.why), found


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**25), 10**25),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=4),
    st.just("12:30"),
)
NAMES = st.sampled_from(["a", "b", "x", "a:b"])
PAIRS = st.lists(st.tuples(NAMES, VALUES), max_size=3)


def written(pairs: list[tuple[str, Any]], space: str) -> str:
    """Return an object whose names may come twice."""
    return "{" + ", ".join(f"{json.dumps(name)}{space}:{json.dumps(value)}" for name, value in pairs) + "}"


def outcome(parse: Any, body: str) -> Any:
    try:
        return repr(parse(body))
    except (ValueError, Refusal) as error:
        return str(error).removeprefix("the body is not proper JSON: ")


@example([[("x", 10**20)]], [], "", "")
@example([[("x", -9999999999999999999), ("a", -(2**63) - 1)], [("x", 1763600000000000000)]], [], "", "")
@given(st.lists(PAIRS, max_size=3), PAIRS, st.sampled_from(["", " "]), st.sampled_from(["", "1", "NaN", "{"]))
def test_the_quick_parser_reads_what_pythons_reads(rows: Any, more: Any, space: str, end: str) -> None:
    """It knows no names that come twice and no ints of more than 64 bits: such bodies are left to Python's."""
    inner = ", ".join(written(row, space) for row in rows)
    for body in (f'{{"xs": [{inner}]}}{end}', f"{written(more, space)}{end}", f"[{inner}]{end}"):
        assert outcome(lambda text: requests.parsed(text.encode()), body) == outcome(requests.DECODER.decode, body)
