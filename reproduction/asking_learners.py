"""Base learners that ask an oracle on every path, and the calls of all experts of Algorithm 1 with one inside."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import adeptree as at
from reproduction.experiments.cited import Alone
from reproduction.experiments.oracle_efficiency import Listening


class Pairwise:
    """Says the label that fewer labelled points of the history contradict, one by one: it asks 2 t queries for that."""

    mistake_bound = None

    def __init__(self, oracle: Any) -> None:
        self.oracle = oracle

    def start(self) -> tuple[Any, ...]:
        """Return the empty history."""
        return ()

    def predict(self, state: tuple[Any, ...], x: Any) -> int:
        """Ask about each labelled point together with either label of x."""
        fits = [sum(self.oracle([pair, (x, label)]) for pair in state) for label in (0, 1)]
        return int(fits[1] > fits[0])

    def update(self, state: tuple[Any, ...], x: Any, y: int) -> tuple[Any, ...]:
        """Return the longer history; nothing is asked."""
        return (*state, (x, y))


class Asking(Alone):
    """A base learner with a state for each path, which asks once per path and round, also if its path splits in two."""

    def __init__(self, base: at.BaseLearner, oracle: Listening) -> None:
        bound: Any = base.bind(at.OracleClass(realizable=oracle))
        answers: dict[int, Any] = {}
        x_now: list[Any] = [None]

        def ask(state: Any, x: Any) -> Any:
            if x_now[0] != x:
                x_now[0] = x
                answers.clear()
            if id(state) not in answers:
                answers[id(state)] = state, bound._query(state, x)  # (with the state, so that its id stays its own)
            return answers[id(state)][1]

        object.__setattr__(bound, "_ask", ask)
        self.start, self.predict, self.update = bound.start, bound.predict, bound.update


QUERIES: dict[str, Callable[[Any], int]] = {
    "Consistent": lambda state: 1,
    "WeightedVote": lambda state: len(state.functions),
    "MajorityPruning": lambda state: len(state.functions),
    "Ghost": lambda state: 2 + len(state.ghosts),
    "Pairwise": lambda state: 2 * len(state),
}
"""Q_A of a state: how many queries its prediction asks."""


def calls_of_experts(c: at.ConceptClass, base: Any, xs: Sequence[Any]) -> int:
    """Return the calls of all experts whose labels some concept has: those with equal labels are walked together.

    An expert is a schedule of at most M mistakes, and labels determine it as far as it has come. Experts whose labels
    no concept has are not counted, because a base learner is not defined there. So Algorithm 1 asks at least this.
    """
    T, M = len(xs), base.mistake_bound or 0
    experts = lru_cache(maxsize=None)(at.bounds.experts)
    paths: list[tuple[Any, int]] = [(base.start(), 0)]
    calls = 0
    for t, x in enumerate(xs):
        after = []
        for state, k in paths:
            calls += experts(T - t, M - k) * QUERIES["Ghost"](state)
            predicted = base.predict(state, x)
            for y in (0, 1):
                history = [*zip(state.points, state.truth, strict=True), (x, y)]
                if k + (y != predicted) <= M and c.realizable(history):
                    after.append((base.update(state, x, y), k + (y != predicted)))
        paths = after
    return calls


def calls_one_by_one(c: at.ConceptClass, base: at.BaseLearner, xs: Sequence[Any]) -> int:
    """Run every expert of Algorithm 1 by itself, until its labels are unrealizable, and count its calls."""
    T, calls = len(xs), 0
    M = base.mistake_bound or 0
    for schedule in itertools.product((0, 1), repeat=T):
        if sum(schedule) > M:
            continue
        oracle = Listening(c)
        learner = base.bind(at.OracleClass(realizable=oracle))
        state, history = learner.start(), []
        for x, flips in zip(xs, schedule, strict=True):
            label = learner.predict(state, x) ^ flips
            history.append((x, label))
            if not c.realizable(history):
                break
            state = learner.update(state, x, label)
        calls += oracle.calls
    return calls
