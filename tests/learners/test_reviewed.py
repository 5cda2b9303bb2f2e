"""Labels for reviewed cases only (Theorem S): the chances, the worst case, unbiased estimates, files and refusals."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.core.errors import InvalidArgument, UnsupportedCombination
from adeptree.theory.decide import review_rate

COSTS = [(1.0, 1.0, 0.25), (5.0, 1.0, 0.5), (1.0, 3.0, 0.1), (1.0, 1.0, 0.45)]
TWO = at.FiniteClass([[0], [1]])
"""One point and two rules: always 0 and always 1."""


def mix_losses(p: float, a: float, b: float, eta: float) -> tuple[float, float]:
    """Return the mix loss if the label is 1, and if it is 0."""
    return -math.log1p((1 - p) * math.expm1(-eta * a)) / eta, -math.log1p(p * math.expm1(-eta * b)) / eta


def chances(p: float, a: float, b: float, c: float, eta: float) -> tuple[float, float, float, float]:
    """Return the chances of 0, of 1 and of a review, and what the review costs beyond what is needed."""
    best = review_rate(a, b, c)

    def needed(rate: float) -> float:
        m1, m0 = mix_losses(p, a, b, rate)
        return max(0.0, (1 - m1 / a - m0 / b) / (1 - c / a - c / b))

    r = floor = eta / best
    rho = needed(best)
    if rho > floor:
        low, high = floor, 1.0
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if needed(eta / middle) > middle else (low, middle)
        r = rho = high
    m1, m0 = mix_losses(p, a, b, eta / r)
    q0, q1 = max(0.0, (m1 - rho * c) / a), max(0.0, (m0 - rho * c) / b)
    shrink = (1 - r) / (q0 + q1) if q0 + q1 else 0.0
    return q0 * shrink, q1 * shrink, r, c * max(0.0, floor - rho)


@pytest.mark.parametrize("costs", COSTS, ids=str)
def test_either_label_costs_at_most_its_mix_loss_and_what_is_spare(costs: tuple[float, float, float]) -> None:
    """On a grid of shares, also 0 and 1; at 1.2 times the rate it fails."""
    a, b, c = costs
    best = review_rate(a, b, c)
    shares = [0.0, 1e-300, *np.logspace(-12, -0.31, 60), *(1 - np.logspace(-12, -0.31, 60)), 1.0]
    for eta in (1e-3 * best, 0.05 * best, 0.4 * best, best):
        for p in shares:
            q0, q1, r, spare = chances(p, a, b, c, eta)
            m1, m0 = mix_losses(p, a, b, eta / r)
            assert q0 * a + r * c <= m1 + spare + 1e-9 * a and q1 * b + r * c <= m0 + spare + 1e-9 * b
            assert r >= eta / best and spare <= c * eta / best + 1e-15


@pytest.mark.parametrize("costs", COSTS, ids=str)
@pytest.mark.parametrize("horizon", [40, None])
def test_the_learner_takes_these_chances(costs: tuple[float, float, float], horizon: int | None) -> None:
    a, b, c = costs
    learner = at.Adept(TWO, horizon, costs=(a, b), review=c, feedback="reviewed", prior="uniform", seed=3)
    rng, spare, reviews = np.random.default_rng(0), 0.0, 0
    for _ in range(40):
        p, eta = learner.predict_proba(0), learner.learning_rate
        ticket = learner.answer(0)
        _, q1, r, more = chances(p, a, b, c, eta)
        assert (ticket.p, ticket.r) == pytest.approx((q1, r), abs=1e-9)
        spare += more
        if ticket.action == "review":
            reviews += 1
            learner.learn(ticket, int(rng.random() < 0.6))
    assert (
        learner.ledger.beyond_mix == pytest.approx(spare, abs=1e-9)
        and reviews == learner.rounds == learner.ledger.picked
    )
    assert learner.answered == 40 and learner.waiting == 0
    told = learner.certificate()
    assert told.average_bound == pytest.approx(math.log(2) / learner.learning_rate + spare)
    assert told.in_advance is not None and (told.average_bound or 0.0) <= told.in_advance + 1e-9


@pytest.mark.parametrize("costs", COSTS, ids=str)
def test_the_worst_case_of_two_rules(costs: tuple[float, float, float]) -> None:
    """Value iteration over all labels and reviews of 7 rounds: never above the promise, and near it."""
    a, b, c = costs
    T, best = 7, review_rate(a, b, c)
    eta = min(best, math.sqrt(math.log(2) * best / (c * T)))
    promise = at.Adept(TWO, T, costs=(a, b), review=c, feedback="reviewed", prior="uniform").in_advance or 0.0
    assert promise == pytest.approx(math.log(2) / eta + T * c * eta / best)

    @cache
    def worst(rounds: int, odds: float, rule: int) -> float:
        """Return the largest expected cost minus that of a rule, from these log-odds on."""
        if not rounds:
            return 0.0
        q0, q1, r, _ = chances(1 / (1 + math.exp(-odds)), a, b, c, eta)
        values = []
        for y, wrong, cost in ((0, q1, b), (1, q0, a)):
            moved = odds + (cost if y else -cost) * eta / r
            later = r * worst(rounds - 1, round(moved, 12), rule) + (1 - r) * worst(rounds - 1, odds, rule)
            values.append(wrong * cost + r * c - (cost if rule != y else 0.0) + later)
        return max(values)

    most = max(worst(T, 0.0, rule) for rule in (0, 1))
    assert 0.25 * promise < most <= promise + 1e-9


@pytest.mark.parametrize("flip", [False, True])
def test_estimates_are_unbiased(flip: bool) -> None:
    """Also where the weight has gone to one side long ago: the floor is drawn in every round."""
    xs = np.tile(np.arange(4), 30)
    ys = (xs >= 2).astype(int)
    ys = np.where(np.arange(120) < 90, ys, 1 - ys) if flip else ys
    true = [int((np.where(xs >= cut, 1, 0) != ys).sum()) for cut in range(5)]
    found = []
    for seed in range(300):
        learner = at.Adept(at.Thresholds(4), 120, review=0.3, feedback="reviewed", seed=seed)
        learner.learn_many(xs.tolist(), ys.tolist())
        near = {str(one.rule): one.loss for one in learner.rules_within(1e6)}
        found.append(
            [
                near.get(f"x >= {cut}", near.get({0: "always 1", 4: "always 0"}.get(cut, ""), math.nan))
                for cut in range(5)
            ]
        )
    means, errors = np.nanmean(found, axis=0), np.nanstd(found, axis=0) / math.sqrt(300)
    assert not np.isnan(found).any()
    assert (np.abs(means - true) <= 4 * errors + 1e-9).all(), (means, true)


def test_on_average_the_promise_is_kept() -> None:
    """Against every rule fixed in advance, over 200 seeds; labels do not react to the coins."""
    rng = np.random.default_rng(2)
    T, c = 400, 0.2
    xs = rng.integers(16, size=T).tolist()
    ys = [int(x >= 5) ^ int(rng.random() < 0.2) for x in xs]
    costs, bounds = list[float](), list[float]()
    for seed in range(200):
        learner = at.Adept(at.Thresholds(16), T, costs=(2, 1), review=c, feedback="reviewed", seed=seed)
        paid = 0.0
        for x, y in zip(xs, ys, strict=True):
            ticket = learner.answer(x)
            if ticket.action == "review":
                learner.learn(ticket, y)
                paid += c
            elif ticket.action != y:
                paid += 2 if y else 1
        costs.append(paid)
        bounds.append(learner.certificate().average_bound or 0.0)
    best = min(sum((2 if y else 1) * (int(x >= cut) != y) for x, y in zip(xs, ys, strict=True)) for cut in range(17))
    assert np.mean(costs) - 3 * np.std(costs) / math.sqrt(200) <= best + np.mean(bounds)
    in_advance = at.Adept(at.Thresholds(16), T, costs=(2, 1), review=c, feedback="reviewed").in_advance
    assert in_advance is not None and np.mean(bounds) <= in_advance


def test_many_rounds_at_once_are_single_rounds_and_a_file_goes_on(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    xs, ys = rng.integers(16, size=1500).tolist(), rng.integers(2, size=1500).tolist()
    how: dict[str, Any] = {"costs": (5, 1), "review": 0.5, "feedback": "reviewed", "seed": 7}
    many, single, tickets = (at.Adept(at.Thresholds(16), **how) for _ in range(3))
    many.learn_many(xs, ys)
    for i, (x, y) in enumerate(zip(xs, ys, strict=True)):
        single.learn(x, y)
        ticket = tickets.answer(x)
        if ticket.action == "review":
            tickets.learn(ticket, y)
        if i == 1200:
            tickets.save(tmp_path / "it.adept")
            tickets = at.load(tmp_path / "it.adept")  # type: ignore[assignment]
    told = [dict(one.certificate()) for one in (many, single, tickets)]
    assert told[0] == told[1] == told[2] and 1500 > 2 * told[0]["reviews"] == 2 * many.rounds
    assert many.predict_proba(3) == tickets.predict_proba(3)


def test_the_certificate_says_what_is_an_estimate_and_for_whom_it_holds() -> None:
    learner = at.Adept(at.Thresholds(16), 200, review=0.2, feedback="reviewed")
    learner.learn_many([t % 16 for t in range(100)], [int(t % 16 >= 8) for t in range(100)])
    text = str(learner.certificate())
    assert "Labels are known for these only, so losses are estimates" in text and "exactly" not in text
    assert "on average over the coins, against any rule fixed in advance: the expected cost is at most" in text
    assert learner.realised_bound() == math.inf and learner.final is None
    open_ones = [ticket for ticket in (learner.answer(3) for _ in range(60)) if ticket.action == "review"]
    learner.learn(open_ones[1], 0)
    learner.learn(open_ones[0], 0)
    assert learner.waiting == len(open_ones) - 2 and learner.certificate().average_bound is None
    assert "a round was answered while another waited for its label" in str(learner.certificate())


def test_it_combines_with_drift_and_segments() -> None:
    rows = [{"tenant": "ab"[t % 2], "score": t * 7 % 9} for t in range(400)]
    ys = [int(t * 7 % 9 >= (3 if t < 200 else 6)) for t in range(400)]
    options: tuple[dict[str, Any], ...] = (
        {"drift": True},
        {"by": "tenant", "segments": 2},
        {"by": "tenant", "segments": 2, "drift": True},
    )
    for how in options:
        learner = at.Adept(at.Thresholds(9).on("score"), 400, review=0.2, feedback="reviewed", **how)
        learner.learn_many(rows, ys)
        assert learner.rounds == learner.ledger.picked > 20 and learner.regret <= learner.bound + 1e-9
    with pytest.raises(UnsupportedCombination, match="the number of segments is not known; give segments="):
        at.Adept(at.Thresholds(9).on("score"), 400, review=0.2, feedback="reviewed", by="tenant")
    with pytest.raises(UnsupportedCombination, match="needs a constant rate; give horizon="):
        at.Adept(at.Thresholds(9), review=0.2, feedback="reviewed", drift=True)


def test_refusals_name_the_option_to_change() -> None:
    c = at.Thresholds(9)
    for how, said in [
        ({"feedback": "some"}, "feedback must be one of"),
        ({"feedback": "reviewed", "review": 0.2, "max_labels": 5}, 'max_labels= needs feedback="asked"'),
        ({"feedback": "reviewed"}, r'feedback="reviewed" needs review=, a cost or Review\(cost\)'),
        ({"feedback": "reviewed", "review": at.Review(0.2, at_most=5)}, "without other settings; got review=Review"),
        ({"feedback": "reviewed", "review": at.Review(0.2, policy="cheapest")}, "without other settings"),
        ({"feedback": "reviewed", "review": 0.2, "rate": 0.1}, "sets the rate; got rate=0.1 .* leave rate out"),
    ]:
        with pytest.raises(InvalidArgument, match=said):
            at.Adept(c, **how)  # type: ignore[arg-type]
    learner = at.Adept(c, 1000, review=0.1, feedback="reviewed")
    ticket = next(one for one in (learner.answer(3) for _ in range(500)) if one.action != "review")
    with pytest.raises(InvalidArgument, match=rf"did not ask for the label of ticket {ticket.id};"):
        learner.learn(ticket, 1)
