"""Metrics of a service in Prometheus' text format, and its last refused requests."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily

from adeptree.app.serve.writer import Writer

RECENT_BAD = 12
EDGES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper edges, in seconds, of the buckets for request durations."""
TEXT = "text/plain; version=0.0.4; charset=utf-8"
GAUGES: dict[str, tuple[str, Callable[[Writer], float]]] = {
    "rounds": ("Rounds whose label came.", lambda w: w.served.learner.rounds),
    "answered": ("Answers given.", lambda w: w.served.learner.answered),
    "open_tickets": ("Answers that wait for their labels.", lambda w: len(w.served.book.open)),
    "expired_tickets": ("Tickets that expired since the start.", lambda w: w.served.expired),
    "repeated_labels": ("Labels that came again since the start.", lambda w: w.served.repeated),
    "stored_labels": ("Labels that came and were not wanted.", lambda w: w.served.book.stored),
    "open_reviews": ("Reviews that wait for their labels.", lambda w: w.served.reviews[0]),
    "expired_reviews": ("Reviews that will get no label.", lambda w: w.served.reviews[1]),
    "expected_loss": ("Expected loss of the learner so far.", lambda w: w.served.learner.expected_loss),
    "misses": ("Expected misses so far, times their cost.", lambda w: w.served.learner.ledger.missed),
    "false_alarms": ("Expected false alarms so far, times their cost.", lambda w: w.served.learner.ledger.alarmed),
    "picked": ("Rows handed to review, or whose label was asked for.", lambda w: w.served.learner.ledger.picked),
    "constant_loss": ("Loss of the best constant.", lambda w: w.served.learner.best_constant().loss),
    "best_loss": ("Loss of the best rule in hindsight.", lambda w: w.served.learner.best_loss),
    "regret": ("Expected loss minus that of the best rule, exactly.", lambda w: w.served.learner.regret),
    "bound": ("Bound on the regret so far.", lambda w: w.served.learner.bound),
    "width": ("Paths that are kept.", lambda w: w.served.learner.width),
    "journal_rows": ("Rows in the journal since the last checkpoint.", lambda w: w.served.unsaved),
    "journal_writes": ("Groups of rows written to the disk since the start.", lambda w: w.groups),
    "journal_seconds": ("Seconds of waiting for the disk since the start.", lambda w: w.wait_seconds),
    "broken": ("1 if the journal cannot be written any more.", lambda w: int(bool(w.broken))),
}
"""The metrics of each learner, with the functions that read them."""


class BadRequest(NamedTuple):
    """A refused request with its reason."""

    at: str
    asked: str
    status: int
    why: str


class Metrics:
    """Requests by route and status, their durations, and the state of each learner."""

    def __init__(self, writers: Mapping[str, Writer]) -> None:
        self.started, self._writers, self._registry = time.time(), writers, CollectorRegistry(auto_describe=False)
        self.recent: deque[BadRequest] = deque(maxlen=RECENT_BAD)
        self.requests = self.refused = 0
        to, labels = self._registry, ["route", "status"]
        self._requests = Counter("adeptree_requests", "Requests by route and status.", labels, registry=to)
        self._seconds = Histogram("adeptree_request_seconds", "Time of a request.", buckets=EDGES, registry=to)
        Gauge("adeptree_started_seconds", "Time of the start, since 1970.", registry=to).set(self.started)
        to.register(self)

    def count(self, route: str, status: int, seconds: float, bad: BadRequest | None = None) -> None:
        """Count a request; ``route`` is one of a few names, for any address."""
        self._requests.labels(route, status).inc()
        self._seconds.observe(seconds)
        self.requests += 1
        if bad is not None:
            self.refused += 1
            self.recent.append(bad)

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Return the metrics of the learners, each a consistent snapshot."""
        families = {
            name: GaugeMetricFamily(f"adeptree_{name}", text, labels=["learner"]) for name, (text, _) in GAUGES.items()
        }
        for learner, writer in self._writers.items():
            with writer.served.lock:
                for name, (_, read) in GAUGES.items():
                    families[name].add_metric([learner], read(writer))
        return families.values()

    def text(self) -> bytes:
        """Return all metrics in the format ``TEXT``, with descriptions as comments."""
        text: bytes = generate_latest(self._registry)
        for name, writer in self._writers.items():
            with writer.served.lock:
                if standing := writer.served.standing():
                    text += f"# {name}: {standing.gap}\n# {name}: {standing.guarantee}\n".encode()
        return text


def clock(at: float) -> str:
    """Format a time in the local time zone."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
