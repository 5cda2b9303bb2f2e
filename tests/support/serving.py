"""Services in tests: in this process, asked without a socket; and as a real process, asked over HTTP and killed."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import queue
import re
import signal
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

from running import process

from adeptree.app.run.run_setup import meanings, resumed
from adeptree.app.serve.requests import Limits
from adeptree.app.serve.served_learner import ServedLearner
from adeptree.app.serve.service import Service
from adeptree.app.serve.service_columns import ServiceColumns
from adeptree.app.serve.writer import Writer
from adeptree.learners.adept_learner import Adept
from adeptree.learners.tickets import Ticket
from adeptree.runner.run_folder import RunFolder

LOCAL = {"host": "127.0.0.1"}


class Heard(NamedTuple):
    """A reply: its status, its headers, and its body (the value of JSON, else text)."""

    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def why(self) -> str:
        """The sentence of a refusal."""
        assert self.headers["content-type"] == "application/json" and set(self.body) == {"error"}, self
        return str(self.body["error"])


def heard(status: int, headers: Mapping[str, str], body: bytes) -> Heard:
    text = body.decode()
    return Heard(
        status, headers, json.loads(text) if headers.get("content-type") == "application/json" and text else text
    )


def sent(ticket: Ticket) -> dict[str, Any]:
    """Return a ticket as it goes over the wire."""
    names = ("ticket", "action", "guess", "p", "ask")
    values = (ticket.id, str(ticket.action), ticket.guess, ticket.p, ticket.ask)
    return dict(zip(names, values, strict=True))


def encoded(value: Any) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


class Inside:
    """A service in this process; its writers run, and every request goes through all of it but the socket."""

    def __init__(self, limits: Limits | None = None, decisions: Mapping[str, Any] | None = None, **rules: str) -> None:
        limits, named = limits or Limits(), rules or {"main": "thresholds(v)"}
        self.served = {name: made(text, name, limits.open, **(decisions or {})) for name, text in named.items()}
        self.service = Service({name: Writer(served) for name, served in self.served.items()}, limits)

    def __enter__(self) -> Self:
        for writer in self.service.writers.values():
            writer.start()
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self.service.writers.values():
            writer.stop()

    def ask(self, path: str, value: Any = None, method: str = "", **headers: str) -> Heard:
        """Ask; with a value the method is POST."""
        path, _, query = path.partition("?")
        named = {"host": "127.0.0.1"} | ({} if value is None else {"content-type": "application/json"})
        named |= {name.replace("_", "-"): text for name, text in headers.items()}
        scope = {
            "type": "http",
            "method": method or ("GET" if value is None else "POST"),
            "path": path,
            "query_string": query.encode(),
            "headers": [(name.encode(), text.encode("latin-1")) for name, text in named.items()],
            "client": ("127.0.0.1", 1),
        }
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"" if value is None else encoded(value), "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        asyncio.run(self.service(scope, receive, send))
        start, body = sent
        found = {name.decode(): text.decode("latin-1") for name, text in start["headers"]}
        return heard(start["status"], found, body["body"])


def made(
    rules: str, name: str = "main", max_open: int = 100_000, folder: Path | None = None, **decisions: Any
) -> ServedLearner:
    """Return a learner behind a service, perhaps kept in a folder (which is not locked: the tests take it over)."""
    columns = ServiceColumns(rules, by=decisions.get("by"))
    concept_class: Any = columns.layout.concept_class
    competing = concept_class.rules if "by" in decisions else concept_class
    served = ServedLearner(name, columns, Adept(competing, **decisions), max_open)
    if folder is not None:
        kept = RunFolder(str(folder), resume=True, follow=True, durable=True)
        kept.begin({"columns": columns.all, "found": meanings(columns.layout)})
        os.close(kept._lock)
        kept._lock = -1
        served.learner = resumed(kept, columns.layout) or served.learner
        served.go_on(kept)
    return served


class Server:
    """A real ``adeptree serve``, on a free port of this machine."""

    def __init__(self, *options: str, before: str = "", port: int = 0, fresh: bool = False) -> None:
        self._process = process("serve", "--port", str(port), *options, before=before, fresh=fresh)
        self.said: list[str] = []
        lines: queue.Queue[str] = queue.Queue()
        stderr = self._process.stderr
        assert stderr is not None

        def listen() -> None:
            for line in stderr:
                lines.put(line.decode())
            lines.put("")

        self._ears = threading.Thread(target=listen, daemon=True)
        self._ears.start()
        self.port, self._lines = 0, lines
        while not self.port and (line := lines.get(timeout=60)):
            self.said.append(line.strip())
            self.port = int(found[1]) if (found := re.search(r"serving .* at http://\S+:(\d+)/", line)) else 0
        self._link: http.client.HTTPConnection | None = None

    def __enter__(self) -> Self:
        assert self.port, self.said
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.end(signal.SIGKILL)
        self._close()

    def _close(self) -> None:
        if self._link is not None:
            self._link.close()
        self._link = None
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()

    def end(self, by: int = signal.SIGTERM) -> int:
        """End it by a signal; return its exit code, negative if it was killed, and hear the rest of what it says."""
        self._process.send_signal(by)
        return self.wait()

    def wait(self) -> int:
        """Wait until it has ended by itself, and hear all that it says."""
        code = self._process.wait(timeout=60)
        self._ears.join(timeout=10)
        while not self._lines.empty():
            self.said += [line.strip()] if (line := self._lines.get()) else []
        if self._process.stderr is not None:
            self._process.stderr.close()
        return code

    def link(self) -> http.client.HTTPConnection:
        """Return a connection of one's own."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def ask(self, path: str, value: Any = None, method: str = "", **headers: str) -> Heard:
        """Ask over one kept connection; with a value the method is POST. OSError or a similar error if it is gone."""
        self._link = self._link or self.link()
        try:
            return asked(self._link, path, value, method, **headers)
        except (OSError, http.client.HTTPException):
            self._link.close()
            self._link = None
            raise


def asked(link: http.client.HTTPConnection, path: str, value: Any = None, method: str = "", **headers: str) -> Heard:
    """Ask over a connection."""
    body = None if value is None else encoded(value)
    named = {} if value is None else {"Content-Type": "application/json"}
    named |= {name.replace("_", "-"): text for name, text in headers.items()}
    link.request(method or ("GET" if value is None else "POST"), path, body, named)
    reply = link.getresponse()
    return heard(reply.status, {name.lower(): text for name, text in reply.getheaders()}, reply.read())


GONE = (OSError, http.client.HTTPException)


def patiently(seconds: float, holds: Any) -> Any:
    """Return what holds as soon as it does, at the latest after so long."""
    end = time.monotonic() + seconds
    while not (found := holds()) and time.monotonic() < end:
        time.sleep(0.02)
    return found
