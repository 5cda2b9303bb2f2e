"""Laws of base learners: pure, total, deterministic, and at most M mistakes."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from adeptree.checks.findings import fail, skip
from adeptree.checks.subjects import BaseSubject, Pairs
from adeptree.core.errors import AdeptreeError
from adeptree.core.seeds import stream
from adeptree.core.types import Sample
from adeptree.families.listed import EnumerableClass
from adeptree.families.registry import frontier_of
from adeptree.roles.base_learner import PerPath

EXHAUSTIVE = 4
"""Number of points that are tried in every order with every realizable labelling."""


def check_mistake_bound(subject: BaseSubject) -> None:
    """M is in every formula, so it must be a possible mistake bound."""
    M = _bound(subject)
    if isinstance(M, bool) or not isinstance(M, int) or M < 0:
        fail(f"mistake_bound must be an int >= 0, it is {M!r} ({type(M).__name__})")


def check_bound_is_possible(subject: BaseSubject) -> None:
    """No deterministic learner errs less often than the Littlestone dimension, so M must not be below it."""
    M, d = _bound(subject), subject.domain.concept_class.littlestone_dimension
    if d is None:
        skip("the class declares no Littlestone dimension")
    if M < d:
        fail(f"mistake_bound is {M}, less than the Littlestone dimension {d}: no learner can keep it")


def check_predictions_are_labels(subject: BaseSubject) -> None:
    """A prediction is 0 or 1."""
    for i in range(4):
        state = subject.base.start()
        for x, y in subject.domain.realizable_sample(8, f"labels {i}"):
            guess = subject.predict(state, x)
            if not isinstance(guess, (int, np.integer, np.bool_)) or guess not in (0, 1):
                fail(f"predict must return 0 or 1, it returned {guess!r} ({type(guess).__name__}) at x={x!r}")
            state = subject.update(state, x, y)


def check_predict_is_pure(subject: BaseSubject) -> None:
    """Predicting twice gives the same label and leaves the state unchanged."""
    for i in range(3):
        state = subject.base.start()
        for x, y in subject.domain.realizable_sample(6, f"predict {i}"):
            before = copy.deepcopy(state)
            answers = [subject.predict(state, p) for p in (x, *subject.domain.points(3, "pure"), x)]
            if answers[0] != answers[-1]:
                fail(f"predict at x={x!r} said {answers[0]}, then {answers[-1]}")
            if not same(before, state):
                fail(f"predict at x={x!r} changed the state {before!r} to {state!r}")
            state = subject.update(state, x, y)


def check_update_is_pure(subject: BaseSubject) -> None:
    """Paths share their past: updating one child must not change its parent or its twin."""
    probes = subject.domain.points(4, "update probes")
    for i in range(3):
        sample: Pairs = []
        state = subject.base.start()
        for x in subject.domain.points(6, f"update {i}"):
            before = copy.deepcopy(state)
            expected = _labels(subject, state, probes)
            labels = subject.domain.continuations(sample, x)
            twins = [subject.update(state, x, y) for y in labels]
            if not same(before, state) or _labels(subject, state, probes) != expected:
                fail(f"update at x={x!r} changed the state it was given: {before!r} became {state!r}")
            if not same(subject.update(state, x, labels[0]), twins[0]):
                fail(f"update at x={x!r} with {labels[0]} gave two different states")
            state = twins[-1]
            sample.append((x, labels[-1]))


def check_fresh_start(subject: BaseSubject) -> None:
    """The learner is deterministic, and ``start`` always returns a fresh state: nothing is kept outside it."""
    twin = copy.deepcopy(subject.base)
    for i in range(3):
        sample = subject.domain.realizable_sample(8, f"fresh {i}")
        first = _guesses(subject.base, subject, sample)
        if first != _guesses(subject.base, subject, sample):
            fail(f"a second run on {sample} predicted otherwise")
        if first != _guesses(twin, subject, sample):
            fail(f"a copy of the learner predicted otherwise on {sample}")


def check_total(subject: BaseSubject) -> None:
    """Plain BPSS passes base learners labels that no concept has; they must still predict."""
    rng = stream(0, "checks total")
    for i in range(4):
        state = subject.base.start()
        points = subject.domain.points(4, f"total {i}")
        for x in [*points, *points, *points]:
            try:
                guess = subject.predict(state, x)
                state = subject.update(state, x, int(rng.integers(2)))
            except AdeptreeError as error:
                skip(f"it refuses unrealizable histories: {error}")
            if guess not in (0, 1):
                fail(f"on an unrealizable history it predicted {guess!r} at x={x!r}")


def check_mistakes_on_every_sequence(subject: BaseSubject) -> None:
    """At most M mistakes: all orders and realizable labellings of a few points."""
    M = _bound(subject)
    c = subject.domain.concept_class
    whole = isinstance(c, EnumerableClass) and c.size <= 6
    for i in range(2):
        points = subject.domain.distinct(EXHAUSTIVE + whole, f"every {i}")
        count, sample = _worst(subject, points, [], subject.base.start())
        if count > M:
            fail(f"{count} mistakes on the realizable sequence {sample}, more than M={M}")


def check_mistakes_against_the_other_label(subject: BaseSubject) -> None:
    """At most M mistakes when every prediction is contradicted as long as a concept allows it."""
    M = _bound(subject)
    for i in range(8):
        state, mistakes = subject.base.start(), 0
        sample: Pairs = []
        for x in subject.domain.points(24, f"other {i}"):
            labels = subject.domain.continuations(sample, x)
            y = 1 - int(subject.predict(state, x)) if len(labels) == 2 else labels[0]
            mistakes += len(labels) == 2
            state = subject.update(state, x, y)
            sample.append((x, y))
            if mistakes > M:
                fail(f"{mistakes} mistakes on the realizable sequence {sample}, more than M={M}")


def check_mistakes_against_a_chooser(subject: BaseSubject) -> None:
    """At most M mistakes when the next point is the one that leaves the most points open."""
    M, state, mistakes = _bound(subject), subject.base.start(), 0
    sample: Pairs = []
    points = subject.domain.distinct(9, "chooser")
    while points:
        wrong = [(x, 1 - subject.predict(state, x)) for x in points]
        scores = [_open(subject, [*sample, (x, y)], points) for x, y in wrong]
        if max(scores) < 0:
            return
        x, y = wrong[int(np.argmax(scores))]
        mistakes += len(subject.domain.continuations(sample, x)) == 2
        state = subject.update(state, x, y)
        sample.append((x, y))
        points.remove(x)
        if mistakes > M:
            fail(f"{mistakes} mistakes on the realizable sequence {sample}, more than M={M}")


def check_rows(subject: BaseSubject) -> None:
    """On a frontier's rows the learner predicts the same labels as its state machine on each path."""
    base, c = subject.base, subject.domain.concept_class
    for i in range(3):
        frontier = frontier_of(c)
        fast, plain = base.rows(frontier), PerPath(base)
        for x in subject.domain.points(7, f"base rows {i}"):
            split = frontier.split(c.instance(x))
            here = split.contested
            if (np.asarray(fast.predict(split))[here] != plain.predict(split)[here]).any():
                fail(f"at x={x!r} the rows say {fast.predict(split)[here]}, the machine {plain.predict(split)[here]}")
            fast.grow(split.children)
            plain.grow(split.children)
            frontier.grow(split.children)


def check_rows_state(subject: BaseSubject) -> None:
    """Rows restored from their state continue as if they had never stopped."""
    base, c = subject.base, subject.domain.concept_class
    frontier = frontier_of(c)
    rows = base.rows(frontier)
    points = [c.instance(x) for x in subject.domain.points(7, "base state")]
    for x in points[:4]:
        children = frontier.split(x).children
        rows.grow(children)
        frontier.grow(children)
    restored = base.rows(frontier)
    restored.restore(rows.state(), frontier.width)
    for x in points[4:]:
        split = frontier.split(x)
        here = split.contested
        if (np.asarray(rows.predict(split))[here] != np.asarray(restored.predict(split))[here]).any():
            fail(f"after restore, the predictions at x={x!r} differ")


def same(one: Any, other: Any) -> bool:
    """Compare two states, arrays included."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, (tuple, list)) and type(one) is type(other):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if type(one) is type(other) and hasattr(one, "__dict__") and getattr(type(one), "__eq__", None) is object.__eq__:
        return same(vars(one), vars(other))
    return bool(one == other)


def _bound(subject: BaseSubject) -> int:
    M = subject.base.mistake_bound
    if M is None:
        M = subject.domain.concept_class.mistake_bound
    if M is None:
        skip("neither the learner nor the class declares a mistake bound")
    return M


def _guesses(base: Any, subject: BaseSubject, sample: Sample) -> list[int]:
    twin, state, guesses = replace(subject, base=base), base.start(), []
    for x, y in sample:
        guesses.append(int(twin.predict(state, x)))
        state = twin.update(state, x, y)
    return guesses


def _labels(subject: BaseSubject, state: Any, points: list[Any]) -> list[int]:
    return [int(subject.predict(state, x)) for x in points]


def _worst(subject: BaseSubject, points: list[Any], sample: Sample, state: Any) -> tuple[int, Sample]:
    """Return the most mistakes any continuation can force, and such a sequence (forced rounds do not count)."""
    worst: tuple[int, Sample] = (0, sample)
    for i, x in enumerate(points):
        guess = subject.predict(state, x)
        labels = subject.domain.continuations(sample, x)
        for y in labels:
            after = subject.update(state, x, y)
            count, found = _worst(subject, points[:i] + points[i + 1 :], [*sample, (x, y)], after)
            count += len(labels) == 2 and guess != y
            worst = max(worst, (count, found), key=lambda pair: pair[0])
    return worst


def _open(subject: BaseSubject, sample: Sample, points: list[Any]) -> int:
    """Return how many points still have both labels after a sample, or -1 if it is not realizable."""
    if not subject.domain.concept_class.realizable(sample):
        return -1
    return sum(len(subject.domain.continuations(sample, x)) == 2 for x in points)
