"""What a service counts since its start, and how Prometheus reads it."""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections import Counter, deque
from typing import Any, NamedTuple

from adeptree.app.serve.writer import Writer

RECENT_BAD = 12
EDGES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Seconds: how long requests take is counted between these."""
GAUGES = {
    "rounds": "Rounds whose label came.",
    "answered": "Answers given.",
    "open_tickets": "Answers that wait for their labels.",
    "expired_tickets": "Tickets that expired since the start.",
    "repeated_labels": "Labels that came again since the start.",
    "expected_loss": "Expected loss of the learner so far.",
    "best_loss": "Loss of the best rule in hindsight.",
    "regret": "Expected loss minus that of the best rule, exactly.",
    "bound": "What is proven of the regret now.",
    "width": "Paths that are kept.",
    "journal_rows": "Rows in the journal since the last checkpoint.",
    "journal_writes": "Groups of rows written to the disk since the start.",
    "journal_seconds": "Seconds that was waited for the disk since the start.",
    "broken": "1 if the journal can not be written any more.",
}


class Bad(NamedTuple):
    """A request that was refused."""

    at: float
    asked: str
    status: int
    sentence: str


class Counters:
    """Requests by route and status, how long they took, and the last bad ones.

    >>> counters = Counters()
    >>> counters.count("/answer", 200, 0.002)
    >>> counters.count("/answer", 400, 0.03, Bad(0.0, "POST /answer", 400, "no x"))
    >>> counters.bad, [line for line in counters.lines() if "400" in line or 'le="0.0025"' in line]
    (1, ['adeptree_requests_total{route="/answer",status="400"} 1', 'adeptree_request_seconds_bucket{le="0.0025"} 1'])
    """

    def __init__(self) -> None:
        self.started = time.time()
        self.requests: Counter[tuple[str, int]] = Counter()
        self.recent: deque[Bad] = deque(maxlen=RECENT_BAD)
        self.bad = 0
        self._slots, self._seconds = [0] * (len(EDGES) + 1), 0.0

    def count(self, route: str, status: int, seconds: float, bad: Bad | None = None) -> None:
        """Count a request; ``route`` is one of few, whatever was asked for."""
        self.requests[route, status] += 1
        self._slots[bisect_left(EDGES, seconds)] += 1
        self._seconds += seconds
        if bad is not None:
            self.bad += 1
            self.recent.append(bad)

    def lines(self) -> list[str]:
        """Return the lines of Prometheus' text."""
        lines = [
            "# HELP adeptree_requests_total Requests by route and status.",
            "# TYPE adeptree_requests_total counter",
        ]
        for (route, status), number in sorted(self.requests.items()):
            lines.append(f'adeptree_requests_total{{route="{route}",status="{status}"}} {number}')
        lines += [
            "# HELP adeptree_request_seconds How long requests took.",
            "# TYPE adeptree_request_seconds histogram",
        ]
        total = 0
        for edge, number in zip([*EDGES, "+Inf"], self._slots, strict=True):
            total += number
            lines.append(f'adeptree_request_seconds_bucket{{le="{edge}"}} {total}')
        lines += [f"adeptree_request_seconds_sum {self._seconds!r}", f"adeptree_request_seconds_count {total}"]
        lines += ["# HELP adeptree_started_seconds When the service began.", "# TYPE adeptree_started_seconds gauge"]
        return [*lines, f"adeptree_started_seconds {self.started!r}"]


def standing(writer: Writer) -> dict[str, Any]:
    """Return where a learner stands, by the names of the metrics."""
    served, learner = writer.served, writer.served.learner
    with served.lock:
        return {
            "rounds": learner.rounds,
            "answered": learner.answered,
            "open_tickets": len(served.book.open),
            "expired_tickets": served.expired,
            "repeated_labels": served.repeated,
            "expected_loss": learner.expected_loss,
            "best_loss": learner.best_loss,
            "regret": learner.regret,
            "bound": learner.bound,
            "width": learner.width,
            "journal_rows": served.taken - served.saved if served.folder else 0,
            "journal_writes": writer.groups,
            "journal_seconds": writer.wait_seconds,
            "broken": int(bool(writer.broken)),
        }


def metrics(counters: Counters, writers: dict[str, Writer]) -> str:
    """Return everything as Prometheus reads it."""
    lines = counters.lines()
    found = {name: standing(writer) for name, writer in writers.items()}
    for gauge, said in GAUGES.items():
        lines += [f"# HELP adeptree_{gauge} {said}", f"# TYPE adeptree_{gauge} gauge"]
        lines += [f'adeptree_{gauge}{{learner="{name}"}} {_number(values[gauge])}' for name, values in found.items()]
    return "\n".join([*lines, ""])


def _number(value: float) -> str:
    return {math.inf: "+Inf", -math.inf: "-Inf"}.get(value, repr(value))
