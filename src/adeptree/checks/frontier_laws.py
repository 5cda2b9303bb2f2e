"""Laws of a class's frontier: it is exactly the set of realizable labellings."""

from __future__ import annotations

from typing import Any

import numpy as np

from adeptree.checks.findings import fail
from adeptree.checks.subjects import ClassSubject, Domain
from adeptree.core.types import BoolArray
from adeptree.families.registry import frontier_of
from adeptree.roles.frontier import Frontier

ROUNDS = 6


def grown(domain: Domain, points: list[Any]) -> tuple[Frontier, BoolArray]:
    """Return a frontier that has seen the points, and the labels of its rows."""
    c = domain.concept_class
    frontier = frontier_of(c)
    labels: BoolArray = np.zeros((1, 0), dtype=np.bool_)
    for x in points:
        children = frontier.split(c.instance(x)).children
        frontier.grow(children)
        labels = np.column_stack([labels[children.parent], children.label])
    return frontier, labels


def check_frontier_rows(subject: ClassSubject) -> None:
    """ADEPT is exact only if the rows are all realizable labellings, each once."""
    for i in range(3):
        points = subject.domain.points(ROUNDS, f"rows {i}")
        for count in range(len(points) + 1):
            frontier, labels = grown(subject.domain, points[:count])
            rows = set(map(tuple, labels.astype(int).tolist()))
            if frontier.width != len(labels) or len(rows) != len(labels):
                fail(f"width is {frontier.width} for {len(rows)} different rows after {points[:count]}")
            if rows != subject.domain.labellings(points[:count]):
                fail(f"the rows after {points[:count]} are not the realizable labellings")


def check_frontier_repeats(subject: ClassSubject) -> None:
    """A point seen before splits no path."""
    points = subject.domain.distinct(4, "repeats")
    frontier, labels = grown(subject.domain, [*points, *points])
    if frontier.width != grown(subject.domain, points)[0].width:
        fail(f"seeing {points} twice changed the width")
    if (labels[:, : len(points)] != labels[:, len(points) :]).any():
        fail(f"a row gives one of {points} two labels")


def check_frontier_queries(subject: ClassSubject) -> None:
    """``asked`` is the paper's count: two queries per path and round, some of which may be inferred."""
    c = subject.concept_class
    frontier = frontier_of(c)
    asked = 0
    for x in subject.domain.points(ROUNDS, "queries"):
        asked += 2 * frontier.width
        frontier.grow(frontier.split(c.instance(x)).children)
        queries = frontier.queries
        if queries.asked != asked:
            fail(f"asked is {queries.asked} after x={x!r}, two a row make {asked}")
        if queries.posed < 0 or queries.posed + queries.inferred != queries.asked:
            fail(f"asked must be posed + inferred: {queries}")


def check_frontier_split_commits_nothing(subject: ClassSubject) -> None:
    """Prediction is speculative: only ``grow`` moves the frontier."""
    points = subject.domain.points(ROUNDS, "split")
    frontier, _ = grown(subject.domain, points[:4])
    width = frontier.width
    here, other = (subject.concept_class.instance(x) for x in points[4:6])
    first = frontier.split(here)
    frontier.split(other)
    again = frontier.split(here)
    if frontier.width != width or (first.can0 != again.can0).any() or (first.can1 != again.can1).any():
        fail(f"split at {points[4:6]} changed the frontier")


def check_frontier_concepts(subject: ClassSubject) -> None:
    """Every row can name a concept with its labels: the best rule comes from there, for free."""
    points = subject.domain.points(ROUNDS, "concepts")
    frontier, labels = grown(subject.domain, points)
    before = frontier.queries.asked, frontier.queries.posed
    for row, ys in enumerate(labels.astype(int).tolist()):
        concept = frontier.concept(row)
        if [concept(x) for x in points] != ys:
            fail(f"row {row} has the labels {ys} on {points}, its concept {concept} has others")
    if (frontier.queries.asked, frontier.queries.posed) != before:
        fail("naming a concept asked the oracle")


def check_frontier_state(subject: ClassSubject) -> None:
    """A frontier restored from its state continues as if it had never stopped."""
    c = subject.concept_class
    points = subject.domain.points(ROUNDS + 2, "state")
    frontier, _ = grown(subject.domain, points[:4])
    restored = frontier_of(c)
    restored.restore(frontier.state())
    for x in points[4:]:
        one, two = frontier.split(c.instance(x)), restored.split(c.instance(x))
        if not np.array_equal(one.can0, two.can0) or not np.array_equal(one.can1, two.can1):
            fail(f"after restore, the answers at x={x!r} differ")
        frontier.grow(one.children)
        restored.grow(two.children)
