"""Streams and runs for the laws of online learners."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from adeptree.checks.findings import fail
from adeptree.checks.subjects import LearnerSubject
from adeptree.core.seeds import stream
from adeptree.games.adversaries import less_likely
from adeptree.learners.online_learner import OnlineLearner

Labeller = Callable[[int, float], int]
"""The label of a round, from its number and the probability predicted."""


@dataclass(frozen=True)
class Played:
    """One round of a run."""

    x: Any
    p: float
    guess: int
    y: int


def run(learner: OnlineLearner, points: list[Any], label: Labeller) -> list[Played]:
    """Play the points; the label may depend on the round and on the probability."""
    rounds = []
    for t, x in enumerate(points):
        p = learner.predict_proba(x)
        rounds.append(Played(x, p, learner.predict(x), label(t, p)))
        learner.learn(x, rounds[-1].y)
    return rounds


def streams(subject: LearnerSubject) -> dict[str, tuple[list[Any], Labeller]]:
    """Return streams of all kinds: random, sorted, repeated points; labels at random, greedy, all equal."""
    T = subject.horizon
    points = subject.domain.points(T, "learner")
    few = subject.domain.points(2, "few")
    try:
        ordered = sorted(points)
    except TypeError:
        ordered = sorted(points, key=repr)
    coins = stream(0, "checks learner labels").integers(2, size=T).tolist()
    return {
        "random": (points, lambda t, p: coins[t]),
        "sorted": (ordered, lambda t, p: int(t >= T // 2)),
        "greedy": (points, lambda t, p: less_likely(p)),
        "greedy on few points": ([few[t % 2] for t in range(T)], lambda t, p: less_likely(p)),
        "all 1": (points, lambda t, p: 1),
        "contradictions": ([few[0]] * T, lambda t, p: t % 2),
    }


def trials(subject: LearnerSubject) -> Iterator[tuple[str, OnlineLearner, list[Any], Labeller]]:
    """Yield a fresh learner for every stream, with its name."""
    for name, (points, label) in streams(subject).items():
        yield name, subject.make(), points, label


def twins(subject: LearnerSubject) -> tuple[OnlineLearner, OnlineLearner, list[tuple[Any, int]]]:
    """Return two learners of the same seed and a random labelled stream."""
    points, label = streams(subject)["random"]
    return subject.make(seed=3), subject.make(seed=3), [(x, label(t, 0.5)) for t, x in enumerate(points)]


def check_undisturbed(
    subject: LearnerSubject, disturb: Callable[[OnlineLearner, Any], None], what: str, counted: bool = True
) -> None:
    """Compare a learner that is disturbed before and after every look with a twin that is left alone.

    ``counted`` says whether the disturbance may not cost a query either.
    """
    disturbed, alone, pairs = twins(subject)
    for x, y in pairs:
        disturb(disturbed, x)
        disturbed.predict_proba(x)
        disturb(disturbed, x)
        seen = [(one.predict_proba(x), one.predict(x), account(one)) for one in (disturbed, alone)]
        asked = [queries(one) for one in (disturbed, alone)]
        if seen[0] != seen[1] or (counted and asked[0] != asked[1]):
            fail(f"{what} changed the learner at x={x!r}: {seen[0]}, {asked[0]} instead of {seen[1]}, {asked[1]}")
        disturb(disturbed, x)
        disturbed.learn(x, y)
        alone.learn(x, y)
    if account(disturbed) != account(alone):
        fail(f"{what} gave {account(disturbed)} instead of {account(alone)}")


def account(learner: OnlineLearner) -> dict[str, Any]:
    """Return everything that a learner reports about itself, except queries."""
    names = ("rounds", "expected_loss", "realised_loss", "best_loss", "regret", "width", "bound")
    return {name: getattr(learner, name) for name in names}


def queries(learner: OnlineLearner) -> tuple[int, int, int]:
    """Return the three counters."""
    return learner.queries.asked, learner.queries.posed, learner.queries.inferred
