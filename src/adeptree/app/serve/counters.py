"""What a service counts since its start, and how Prometheus reads it."""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable

from adeptree.app.serve.served_learner import ServedLearner
from adeptree.app.serve.writer import Writer
from adeptree.pages.live_page import BadRequest

RECENT_BAD = 12
EDGES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Seconds: how long requests take is counted between these."""
GAUGES: dict[str, tuple[str, Callable[[Writer], float]]] = {
    "rounds": ("Rounds whose label came.", lambda writer: writer.served.learner.rounds),
    "answered": ("Answers given.", lambda writer: writer.served.learner.answered),
    "open_tickets": ("Answers that wait for their labels.", lambda writer: len(writer.served.book.open)),
    "expired_tickets": ("Tickets that expired since the start.", lambda writer: writer.served.expired),
    "repeated_labels": ("Labels that came again since the start.", lambda writer: writer.served.repeated),
    "expected_loss": ("Expected loss of the learner so far.", lambda writer: writer.served.learner.expected_loss),
    "best_loss": ("Loss of the best rule in hindsight.", lambda writer: writer.served.learner.best_loss),
    "regret": ("Expected loss minus that of the best rule, exactly.", lambda writer: writer.served.learner.regret),
    "bound": ("What is proven of the regret now.", lambda writer: writer.served.learner.bound),
    "width": ("Paths that are kept.", lambda writer: writer.served.learner.width),
    "journal_rows": ("Rows in the journal since the last checkpoint.", lambda writer: _journal_rows(writer.served)),
    "journal_writes": ("Groups of rows written to the disk since the start.", lambda writer: writer.groups),
    "journal_seconds": ("Seconds that was waited for the disk since the start.", lambda writer: writer.wait_seconds),
    "broken": ("1 if the journal can not be written any more.", lambda writer: int(bool(writer.broken))),
}
"""What Prometheus is told of each learner, and how it is read."""


class Counters:
    """Requests by route and status, how long they took, and the last bad ones.

    >>> counters = Counters()
    >>> counters.count("/answer", 200, 0.002)
    >>> counters.count("/answer", 400, 0.03, BadRequest("12:00", "POST /answer", 400, "no x"))
    >>> counters.bad, [line for line in counters.lines() if "400" in line or 'le="0.0025"' in line]
    (1, ['adeptree_requests_total{route="/answer",status="400"} 1', 'adeptree_request_seconds_bucket{le="0.0025"} 1'])
    """

    def __init__(self) -> None:
        self.started = time.time()
        self.requests: Counter[tuple[str, int]] = Counter()
        self.recent: deque[BadRequest] = deque(maxlen=RECENT_BAD)
        self.bad = 0
        self._slots, self._seconds = [0] * (len(EDGES) + 1), 0.0

    def count(self, route: str, status: int, seconds: float, bad: BadRequest | None = None) -> None:
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


def _journal_rows(served: ServedLearner) -> int:
    return served.taken - served.saved if served.folder else 0


def standing(writer: Writer) -> dict[str, float]:
    """Return where a learner stands, by the names of the metrics."""
    with writer.served.lock:
        return {name: read(writer) for name, (_, read) in GAUGES.items()}


def metrics(counters: Counters, writers: dict[str, Writer]) -> str:
    """Return everything as Prometheus reads it."""
    lines = counters.lines()
    found = {name: standing(writer) for name, writer in writers.items()}
    for gauge, (said, _) in GAUGES.items():
        lines += [f"# HELP adeptree_{gauge} {said}", f"# TYPE adeptree_{gauge} gauge"]
        lines += [f'adeptree_{gauge}{{learner="{name}"}} {_number(values[gauge])}' for name, values in found.items()]
    return "\n".join([*lines, ""])


def _number(value: float) -> str:
    return {math.inf: "+Inf", -math.inf: "-Inf"}.get(value, repr(value))


def clock(at: float) -> str:
    """Return a time of this machine as people write it."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
