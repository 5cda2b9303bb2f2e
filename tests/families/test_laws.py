"""Laws of every game: the potential, the regret bound, speculation and the account."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from long_form import times
from strategies import (
    Family,
    Stream,
    every_engine,
    family_streams,
    intervals,
    paths_of,
    small_families,
    steady,
    thresholds,
)

import adeptree as at
from adeptree import bounds
from reproduction.reference.paper import capacity, regret_bound

rates = st.sampled_from(["paper", 0.3, 2.0])
drawn = family_streams(longest=14)


def potential(learner: at.Adept, eta: float) -> float:
    """Z_t: the sum of W exp(-eta L), with exact integer capacities."""
    left, M, rows = (learner.horizon or 0) - learner.rounds, learner.mistake_bound or 0, learner.engine.rows()
    pairs = zip(rows.mistakes.tolist(), rows.losses.tolist(), strict=True)
    return math.fsum(capacity(left, M - k) * math.exp(-eta * L) for k, L in pairs)


@every_engine
@steady
@given(drawn, rates)
def test_potential_never_grows_past_its_law(engine: str, drawn: tuple[Family, Stream], rate: Any) -> None:
    family, stream = drawn
    learner = at.Adept(family.c, horizon=14, rate=rate, engine=engine)
    if paths_of(learner) is None:
        return
    eta = learner.learning_rate
    before = potential(learner, eta)
    assert before == capacity(14, learner.mistake_bound or 0)
    for x, y in stream:
        loss = abs(learner.predict_proba(x) - y)
        learner.learn(x, y)
        after = potential(learner, eta)
        assert 0 < after <= before * math.exp(-eta * loss + eta**2 / 8) * (1 + 1e-12)
        before = after


@steady
@given(drawn)
def test_the_path_of_every_concept_survives(drawn: tuple[Family, Stream]) -> None:
    family, stream = drawn
    learner = at.Adept(family.c, horizon=len(stream), engine="paths")
    for t, (x, y) in enumerate(stream, start=1):
        learner.learn(x, y)
        paths = {}
        for row in range(learner.width):
            concept = learner.paths.frontier.concept(row)
            paths[tuple(int(concept(z)) for z, _ in stream[:t])] = int(learner.paths.losses[row])
        for rule in family.rules:
            assert paths[tuple(rule(z) for z, _ in stream[:t])] == sum(rule(z) != v for z, v in stream[:t])
        assert int(learner.paths.mistakes.max()) <= (learner.mistake_bound or 0)


# ------------------------------------------------------------------------------------------------ regret

FAIR, PLACES = (np.random.default_rng(seed).random(40).tolist() for seed in (5, 9))
Answer = Callable[[float, int], int]
"""The label of a round, given P(1) and the round's number."""

ANSWERS: dict[str, Answer] = {
    "random": lambda p, t: int(FAIR[t] < 0.5),
    "all 0": lambda p, t: 0,
    "all 1": lambda p, t: 1,
    "contradictory": lambda p, t: t % 2,
    "greedy": lambda p, t: int(p < 0.5),
    "greedy, ties 1": lambda p, t: int(p <= 0.5),
}
ORDERS: dict[str, Callable[[int, int], int]] = {
    "random": lambda t, n: int(PLACES[t] * n),
    "sorted": lambda t, n: t * n // 40,
    "one point": lambda t, n: 0,
    "in turn": lambda t, n: t % n,
}
WIDER = [*small_families(), thresholds(40), intervals(13)]


@pytest.mark.parametrize("family", WIDER, ids=repr)
@pytest.mark.parametrize("rate", ["paper", "first-order", 0.5])
def test_expected_regret_is_within_the_bound(family: Family, rate: Any) -> None:
    T = times(24, 40)
    for order in ORDERS.values():
        for answer in ANSWERS.values():
            learner = at.Adept(family.c, horizon=T, rate=rate)
            stream: Stream = []
            total = 0.0
            for t in range(T):
                x = family.points[order(t, len(family.points))]
                p = learner.predict_proba(x)
                assert 0.0 <= p <= 1.0
                y = answer(p, t)
                learner.learn(x, y)
                stream.append((x, y))
                total += abs(p - y)
            regret = total - family.best_loss(stream)
            assert learner.regret == pytest.approx(regret, abs=1e-9)
            assert regret <= learner.bound + 1e-9
            assert learner.in_advance is not None and regret <= learner.in_advance + 1e-9
            if rate == "paper":
                M = learner.mistake_bound or 0
                log_experts, eta = math.log(bounds.experts(T, M)), bounds.paper_rate(T, M)
                exact = log_experts / eta + eta * T / 8 if M else 0.0
                assert learner.in_advance == pytest.approx(min(T, exact), rel=1e-12)
                assert learner.in_advance <= regret_bound(T, M) + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_regret_bound_when_the_adversary_also_picks_the_points(seed: int) -> None:
    """The adversary also picks the point where the learner is least sure."""
    family = intervals(9)
    learner = at.Adept(family.c, horizon=30, base=at.SOA() if seed % 2 else None)
    stream: Stream = []
    rng = np.random.default_rng(seed)
    for _ in range(30):
        sure = [abs(learner.predict_proba(x) - 0.5) for x in family.points]
        x = int(np.argmin(sure)) if rng.random() < 0.9 else int(rng.integers(9))
        y = int(learner.predict_proba(x) < 0.5)
        learner.learn(x, y)
        stream.append((x, y))
    assert learner.best_loss == family.best_loss(stream)
    assert learner.expected_loss - family.best_loss(stream) <= regret_bound(30, learner.mistake_bound or 0)


# -------------------------------------------------------------------------------------------- speculation


@every_engine
@steady
@given(drawn)
def test_prediction_commits_nothing(engine: str, drawn: tuple[Family, Stream]) -> None:
    family, stream = drawn
    plain = at.Adept(family.c, horizon=14, seed=3, engine=engine)
    curious = at.Adept(family.c, horizon=14, seed=3, engine=engine)
    drawn_labels = []
    for x, y in stream:
        first = curious.predict_proba(x)
        asked = curious.queries.asked
        assert curious.predict_proba(x) == first
        assert curious.predict(x) == curious.predict(x)
        assert curious.queries.asked == asked, "the second time nothing is asked"
        for other in family.points[:3]:
            curious.predict_proba(other)
        assert curious.predict_proba(x) == first
        drawn_labels.append(curious.predict(x))
        curious.learn(x, y)
        plain.learn(x, y)  # without a prediction before
        assert curious.expected_loss == plain.expected_loss
        assert curious.realised_loss == plain.realised_loss
        ours, theirs = paths_of(curious), paths_of(plain)
        if ours is not None and theirs is not None:
            assert (ours.mistakes == theirs.mistakes).all() and (ours.losses == theirs.losses).all()
        assert curious.engine.leader() == plain.engine.leader()
    assert plain.realised_loss == sum(z != y for z, (_, y) in zip(drawn_labels, stream, strict=True))


@steady
@given(drawn)
def test_queries_are_two_per_row_and_round(drawn: tuple[Family, Stream]) -> None:
    family, stream = drawn
    learner = at.Adept(family.c, horizon=14)
    expected = 0
    xs: list[Any] = []
    for x, y in stream:
        expected += 2 * len(family.labellings(xs))
        learner.predict_proba(x)
        learner.learn(x, y)
        xs.append(x)
        assert learner.queries.asked == expected
        assert learner.queries.posed == 0 and learner.queries.inferred == expected
        assert learner.width == len(family.labellings(xs))


def test_an_oracle_is_asked_only_once_a_round() -> None:
    calls = []

    def realizable(sample: Any) -> bool:
        calls.append(sample)
        return all(y == (x >= 3) for x, y in sample) or all(y == (x >= 5) for x, y in sample)

    learner = at.Adept(at.OracleClass(realizable=realizable), horizon=5, base=at.Halving(at.Thresholds(8)))
    for x in (4, 1, 6):
        learner.predict_proba(x)
        count = len(calls)
        learner.predict(x)
        learner.learn(x, 1)
        learner.best_rule()(x)
        assert len(calls) == count == learner.queries.posed
    assert learner.width == 2 and learner.queries.asked == 2 + 4 + 4


# ------------------------------------------------------------------------------------------------ account


@steady
@given(drawn)
def test_best_loss_and_rule_are_those_of_erm(drawn: tuple[Family, Stream]) -> None:
    family, stream = drawn
    learner = at.Adept(family.c, horizon=14)
    total = 0.0
    for t, (x, y) in enumerate(stream, start=1):
        total += abs(learner.predict_proba(x) - y)
        learner.learn(x, y)
        erm, rule = family.c.erm(stream[:t]), learner.best_rule()
        loss = sum(int(erm(z)) != v for z, v in stream[:t])
        assert learner.best_loss == loss == sum(int(rule(z)) != v for z, v in stream[:t])
        assert learner.rounds == t
        assert learner.regret == pytest.approx(total - loss, abs=1e-12)


@pytest.mark.parametrize("rate", ["paper", "first-order", 0.4])
@pytest.mark.parametrize("family", [thresholds(6), intervals(4)], ids=repr)
def test_hedge_is_exponential_weights(family: Family, rate: Any) -> None:
    T = 20
    hedge = at.Hedge(family.c, horizon=T, rate=rate)
    stream: Stream = []
    size = len(family.rules) if isinstance(family.c, at.Thresholds) else len(family.rows)
    rules = list({tuple(rule(x) for x in family.points): rule for rule in family.rules}.values())
    assert hedge.width == size == len(rules)
    for x, y in family.stream(1, T):
        losses = [sum(rule(z) != v for z, v in stream) for rule in rules]
        eta = {"paper": math.sqrt(8 * math.log(size) / T), 0.4: 0.4}.get(
            rate, min(0.5, math.sqrt(math.log(size) / (min(losses) + 1)))
        )
        weights = [math.exp(-eta * loss) for loss in losses]
        p = sum(w for w, rule in zip(weights, rules, strict=True) if rule(x)) / sum(weights)
        assert hedge.predict_proba(x) == pytest.approx(p, abs=1e-12)
        hedge.learn(x, y)
        stream.append((x, y))
        assert hedge.best_loss == family.best_loss(stream)
    assert hedge.regret <= hedge.bound


def test_predict_follows_the_probability() -> None:
    """The coin of a round is 1 with probability p: over many seeds, about as often."""
    ones, expected = 0, 0.0
    for seed in range(400):
        learner = at.Adept(at.Thresholds(8), horizon=10, seed=seed)
        learner.learn(3, 1)
        ones += learner.predict(5)
        expected += learner.predict_proba(5)
    assert abs(ones - expected) < 4 * math.sqrt(400 * 0.25)
    assert 0 < ones < 400
