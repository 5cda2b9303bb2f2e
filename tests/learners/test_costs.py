"""Costs and weights: one theorem, one unit, whole numbers as long as they are whole."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import opponents
import pytest
from test_promises import violations

import adeptree as at
from adeptree import errors

pytestmark = pytest.mark.usefixtures("both_engines")

C = at.Thresholds(31)


def stream(T: int, seed: int = 0) -> list[tuple[int, int]]:
    rng = np.random.default_rng(seed)
    return [(int(x), int((x >= 12) ^ (rng.random() < 0.2))) for x in rng.integers(0, 31, T)]


def test_weight_one_is_no_weight_to_the_last_bit() -> None:
    plain, weighed, costed = at.Adept(C), at.Adept(C), at.Adept(C, costs=(1, 1), max_weight=1)
    for x, y in stream(200):
        plain.learn(x, y)
        weighed.learn(x, y, weight=1.0)
        costed.learn(x, y)
    assert dict(plain.certificate()) == dict(weighed.certificate()) == dict(costed.certificate())


def test_weight_zero_changes_nothing_but_the_tree() -> None:
    learner, twin = at.Adept(C), at.Adept(C)
    for x, y in stream(60):
        learner.learn(x, y)
        twin.learn(x, y)
    before = (learner.expected_loss, learner.gap, learner.best_loss, learner.learning_rate, learner.realised_loss)
    learner.learn(13, 0, weight=0)
    assert before == (
        learner.expected_loss,
        learner.gap,
        learner.best_loss,
        learner.learning_rate,
        learner.realised_loss,
    )
    assert learner.rounds == 61 and learner.width >= twin.width
    assert learner.regret <= learner.bound


def test_costs_two_are_costs_one_at_half_the_rate() -> None:
    one, two = at.Adept(C, rate=0.6), at.Adept(C, rate=0.3, costs=(2, 2))
    adaptive, doubled = at.Adept(C), at.Adept(C, costs=(2, 2))
    for x, y in stream(150):
        assert two.predict_proba(x) == pytest.approx(one.predict_proba(x), abs=1e-12)
        assert doubled.predict_proba(x) == pytest.approx(adaptive.predict_proba(x), abs=1e-9)
        for learner in (one, two, adaptive, doubled):
            learner.learn(x, y)
    assert two.regret == pytest.approx(2 * one.regret) and two.bound == pytest.approx(2 * one.bound)
    assert doubled.bound_after(500) == pytest.approx(2 * adaptive.bound_after(500))  # type: ignore[operator]
    assert doubled.realised_bound() == pytest.approx(2 * adaptive.realised_bound())


def test_a_miss_and_a_false_alarm_cost_what_was_said() -> None:
    learner = at.Adept(C, costs=(5, 1), rate=0.1)
    expected, drawn = 0.0, 0
    for x, y in stream(120):
        p, guess = learner.predict_proba(x), learner.predict(x)
        expected += 5 * (1 - p) if y else p
        drawn += (5 if y else 1) * (guess != y)
        learner.learn(x, y)
    assert learner.expected_loss == pytest.approx(expected) and learner.realised_loss == drawn
    pairs = stream(120)
    best = min(sum((5 if y else 1) * (int(x >= a) != y) for x, y in pairs) for a in range(32))
    assert learner.best_loss == best and isinstance(learner.best_loss, int)
    text = str(learner.certificate())
    assert "in costs (miss 5, false alarm 1, times the weight of the round)" in text


def test_whole_weights_stay_whole_and_others_do_not() -> None:
    whole, broken = at.Adept(C, max_weight=4), at.Adept(C)
    for i, (x, y) in enumerate(stream(40)):
        whole.learn(x, y, weight=float(i % 5))
        broken.learn(x, y, weight=1 / (1 + i))
    assert isinstance(whole.best_loss, int) and whole.engine.rows().losses.dtype == np.int64
    assert isinstance(broken.best_loss, float) and broken.regret <= broken.bound


def test_three_copies_are_not_weight_three_but_both_are_certified() -> None:
    heavy, copies = at.Adept(C, max_weight=3), at.Adept(C)
    for x, y in stream(50):
        heavy.learn(x, y, weight=3)
        for _ in range(3):
            copies.learn(x, y)
    assert heavy.best_loss == copies.best_loss and heavy.expected_loss != pytest.approx(copies.expected_loss)
    assert heavy.regret <= heavy.bound and copies.regret <= copies.bound


WEIGHTS: dict[str, Any] = {
    "uniform": lambda t, rng: rng.random(),
    "heavy first": lambda t, rng: 1.0 if t < 10 else 0.01,
    "tiny after nothing": lambda t, rng: 0.0 if t < 12 else 1e-3,
    "sparse": lambda t, rng: float(rng.random() < 0.1),
    "huge at the end": lambda t, rng: 1.0 if t > 80 else 0.1,
}


@pytest.mark.parametrize("scale", [0.01, 1.0, 5.0])
@pytest.mark.parametrize("rate", ["adaptive", 0.3, 40.0])
@pytest.mark.parametrize("name", WEIGHTS)
def test_no_weights_break_a_bound(name: str, rate: Any, scale: float) -> None:
    learner, rng = at.Adept(C, rate=rate, max_weight=scale), np.random.default_rng(3)
    for t in range(100):
        some = [int(x) for x in rng.integers(0, 31, 6)]
        x = min(some, key=lambda x: abs(learner.predict_proba(x) - 0.5))
        weight = scale * WEIGHTS[name](t, rng)
        learner.learn(x, int(learner.predict_proba(x) < 0.5), weight=weight)
        assert violations(learner, learner.bound_after(learner.rounds)) == []


@pytest.mark.parametrize("costs", [(1, 5), (3, 0), (0.25, 0.5)])
def test_no_opponent_breaks_a_bound_in_costs(costs: tuple[float, float]) -> None:
    for name, play in opponents.ALL.items():
        learner = at.Adept(C, costs=costs)
        for now in play(learner, list(range(31)), 80, np.random.default_rng(2)):
            assert violations(now, now.bound_after(now.rounds)) == [], name


def test_a_weight_larger_than_was_said_ends_the_promise_not_the_certificate() -> None:
    learner = at.Adept(C)
    for x, y in stream(20):
        learner.learn(x, y)
    before = learner.in_advance, learner.realised_bound()
    assert before[0] is not None and before[1] < 100
    learner.learn(3, 1, weight=50)
    assert learner.in_advance is None and learner.realised_bound() == float("inf")
    assert learner.learning_rate <= 4 / 50
    for x, y in stream(100, seed=1):
        learner.learn(x, y, weight=float(x))
        assert violations(learner, None) == []


def test_the_rate_that_counts_whole_losses_promises_nothing_with_weights() -> None:
    first_order = at.Adept(C, horizon=100, rate="first-order")
    assert first_order.in_advance is not None
    first_order.learn(3, 1, weight=0.5)
    assert first_order.in_advance is None


def test_rates_that_look_at_no_loss_are_in_units_of_the_largest_cost() -> None:
    for how in ({"horizon": 100}, {"rate": "anytime"}):
        plain, costly = at.Adept(C, **how), at.Adept(C, costs=(2, 1), max_weight=3, **how)
        assert costly.learning_rate == pytest.approx(plain.learning_rate / 6)
        assert costly.bound_after(100) == pytest.approx(6 * (plain.bound_after(100) or 0.0))
        for x, y in stream(100, seed=1):
            costly.learn(x, y, weight=3 * (x % 2))
            assert violations(costly, costly.in_advance) == []


def test_a_promise_that_ended_stays_ended_in_a_file(tmp_path: Path) -> None:
    first_order, heavy = at.Adept(C, horizon=100, rate="first-order"), at.Adept(C)
    first_order.learn(3, 1, weight=0.5)
    heavy.learn(3, 1, weight=50)
    for learner in (first_order, heavy):
        learner.save(tmp_path / "a")
        again = at.load(tmp_path / "a")
        assert isinstance(again, at.Adept) and again.in_advance is None
        assert again.realised_bound() == learner.realised_bound()


def test_many_weighted_rounds_at_once() -> None:
    one, many = at.Adept(C, max_weight=3), at.Adept(C, max_weight=3)
    pairs, weights = stream(60), [i % 4 for i in range(60)]
    for (x, y), weight in zip(pairs, weights, strict=True):
        one.learn(x, y, weight=weight)
    many.learn_many([x for x, _ in pairs], [y for _, y in pairs], weights=weights)
    assert dict(one.certificate()) == dict(many.certificate())
    wrongs: list[list[Any]] = [[1] * 59, [1] * 59 + [-1], [1] * 59 + [float("nan")], [1] * 59 + ["3"]]
    for wrong in wrongs:
        with pytest.raises(errors.InvalidArgument):
            many.learn_many([x for x, _ in pairs], [y for _, y in pairs], weights=wrong)
    assert many.rounds == 60


@pytest.mark.parametrize("wrong", [-1, float("nan"), float("inf"), 1e30, "2", None, True])
def test_wrong_weights_and_costs_are_sentences(wrong: Any) -> None:
    learner = at.Adept(C)
    with pytest.raises(errors.InvalidArgument, match="weight must be a number from 0 to"):
        learner.learn(3, 1, weight=wrong)
    with pytest.raises(errors.InvalidArgument, match="must be a number from 0 to"):
        at.Adept(C, costs=(wrong, 1))
    with pytest.raises(errors.InvalidArgument, match="max_weight must be"):
        at.Adept(C, max_weight=wrong)
    assert learner.rounds == 0
    with pytest.raises(errors.InvalidArgument, match="one per round"):
        learner.learn_many([1, 2], [0, 1], weights=2)
    for costs in (3, (1, 2, 3), (0, 0), {"miss": 5, "false_alarm": 1}):
        with pytest.raises(errors.InvalidArgument, match="costs"):
            at.Adept(C, costs=costs)  # type: ignore[arg-type]


def test_products_do_not_overflow() -> None:
    with pytest.raises(errors.InvalidArgument, match="the largest cost times max_weight must be a number from"):
        at.Adept(C, costs=(10**6, 1), max_weight=2)
    with pytest.raises(errors.InvalidArgument, match="must be a number from 1e-06 to"):
        at.Adept(C, max_weight=1e-170)
    learner = at.Adept(C, costs=(10**6, 10**6))
    for wrong in (2, 10**400):
        with pytest.raises(errors.InvalidArgument, match="must be a number from 0 to"):
            learner.learn(3, 1, weight=wrong)
    for i in range(50):
        learner.learn(3, i % 2)
        assert violations(learner, learner.in_advance) == []
    assert learner.best_loss == 25 * 10**6


@pytest.mark.parametrize(("scale", "T", "coin"), [(0.01, 10, True), (10, 400, False)])
def test_a_coin_is_measured_in_the_same_units(scale: float, T: int, coin: bool) -> None:
    learner = at.Adept(C, horizon=T, max_weight=scale)
    assert ("a coin guarantees as much" in str(learner.certificate())) == coin


def test_weights_and_costs_are_saved(tmp_path: Path) -> None:
    learner = at.Adept(C, costs=(3, 0.5), max_weight=2)
    for i, (x, y) in enumerate(stream(40)):
        learner.learn(x, y, weight=i % 3)
    learner.save(tmp_path / "a")
    again = at.load(tmp_path / "a")
    assert isinstance(again, at.Adept) and dict(again.certificate()) == dict(learner.certificate())
    for one in (learner, again):
        one.learn(5, 1, weight=0.25)
    assert dict(again.certificate()) == dict(learner.certificate())


@pytest.mark.parametrize("weights", [[1] * 80, [0.1, 0.7, 3.0, 0.0] * 20])
def test_the_best_constant_is_counted_by_itself(weights: list[float], tmp_path: Path) -> None:
    pairs = stream(80)
    learner = at.Adept(C, costs=(2, 1), max_weight=3)
    learner.learn_many([x for x, _ in pairs[:40]], [y for _, y in pairs[:40]], weights=weights[:40])
    learner.save(tmp_path / "half")
    learner = at.load(tmp_path / "half")  # type: ignore[assignment]
    for (x, y), weight in zip(pairs[40:], weights[40:], strict=True):
        ticket = learner.answer(x)
        learner.learn(ticket, y, weight=weight)
    zeros = sum(2 * w for (_, y), w in zip(pairs, weights, strict=True) if y)
    ones = sum(w for (_, y), w in zip(pairs, weights, strict=True) if not y)
    found = learner.best_constant()
    assert found is not None and found.loss == pytest.approx(min(zeros, ones))
    assert str(found.rule) == ("always 0" if zeros <= ones else "always 1")
    certificate = learner.certificate()
    assert (certificate.best_constant, certificate.constant_loss) == (str(found.rule), found.loss)
    assert f'and "{found.rule}" has ' in str(certificate)


@pytest.mark.parametrize("kind", [at.Hedge, at.Bpss, at.LazyAdept, at.FollowTheLeader])
def test_every_learner_knows_the_best_constant(kind: Any) -> None:
    learner = kind(at.Thresholds(7), 14)
    for x, y in [(i % 7, int(i % 3 == 0)) for i in range(14)]:
        learner.learn(x, y)
    assert str(learner.best_constant()) == "always 0 (loss 5)"


# --- A round that weighs more than was announced ---------------------------------------------------------


HEAVY: dict[str, tuple[dict[str, Any], Callable[[at.Adept], Any]]] = {
    "a plain round": ({"max_weight": 0.5}, lambda learner: learner.learn(3, 1)),
    "a ticket": ({"max_weight": 0.5}, lambda learner: learner.learn(learner.answer(3), 1)),
    "a batch": ({"max_weight": 0.5}, lambda learner: learner.learn_many([3, 4, 5], [1, 0, 1])),
    "a weight": ({}, lambda learner: learner.learn(3, 1, 1.5)),
    "weights": ({}, lambda learner: learner.learn_many([3, 4, 5], [1, 0, 1], [1, 2, 3])),
    "a cost": ({"costs": (1, 2)}, lambda learner: learner.learn(3, 0, 1.5)),
}


@pytest.mark.parametrize("engine", ["auto", "paths"])
@pytest.mark.parametrize("name", HEAVY)
def test_a_round_that_ends_the_promise_warns_once(name: str, engine: str, tmp_path: Path) -> None:
    settings, play = HEAVY[name]
    learner = at.Adept(C, engine=engine, **settings)
    with pytest.warns(errors.PromiseEnded, match="more than the .* announced by max_weight and costs") as told:
        play(learner)
    assert len(told) == 1 and told[0].filename == __file__ and learner.in_advance is None
    learner.save(tmp_path / "saved")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        play(learner)
        play(at.load(tmp_path / "saved"))  # type: ignore[arg-type]


def test_as_an_error_the_warning_leaves_the_learner_and_its_promise_alone() -> None:
    learner = at.Adept(C, max_weight=0.5)
    learner.learn(9, 1, 0.5)
    promised = learner.in_advance
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for play in (lambda: learner.learn(3, 1), lambda: learner.learn_many([3], [1]), lambda: learner.learn(3, 1, 2)):
            with pytest.raises(errors.PromiseEnded):
                play()
        learner.learn(3, 1, 0.25)
    assert learner.rounds == 2 and promised is not None and learner.bound_after(1) == promised


def test_rounds_as_announced_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", errors.PromiseEnded)
        for settings, weight in (({}, 1), ({"max_weight": 0.5}, 0.5), ({"costs": (2, 3)}, 1), ({"max_weight": 9}, 9)):
            learner = at.Adept(C, **settings)
            learner.learn(3, 0, weight)
            learner.learn_many([3, 4], [1, 0], [weight, weight])
            assert learner.bound_after(10) is not None
