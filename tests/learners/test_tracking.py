"""Fixed-share over ADEPT's paths: against Adept, explicit experts, dynamic programming, and its own bound."""

from __future__ import annotations

import math
import runpy
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drifting_pairs import drifting, points
from hypothesis import given, settings
from hypothesis import strategies as st

import adeptree as at
from adeptree.checks import check
from adeptree.core.errors import HorizonReached, InvalidArgument, MistakeBoundExceeded
from adeptree.learners.loading import KINDS
from adeptree.research.tracking import Tracking, switching_cost
from adeptree.theory.priors import KTPrior

Pair = tuple[Any, int]

CLASSES = [
    at.Thresholds(12),
    at.Intervals(6),
    at.Stumps(cuts={"u": [0.5, 1.5], "v": [0.5]}),
    at.BlockUnions(2),
    at.Conjunctions(3),
]


@pytest.fixture(autouse=True)
def loadable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, Tracking.kind, Tracking)


@pytest.mark.parametrize("c", CLASSES, ids=repr)
def test_no_switch_is_adept(c: at.ConceptClass) -> None:
    rng = np.random.default_rng(1)
    pairs = drifting(c, rng, 60, 2, 0.1)
    adept = at.Adept(c, horizon=60, rate=0.3, prior="paper", engine="paths")
    tracking = Tracking(c, horizon=60, switches=0, rate=0.3, prior="paper")
    xs, ys = zip(*pairs, strict=True)
    np.testing.assert_allclose(tracking.learn_many(xs, ys), adept.learn_many(xs, ys), rtol=0, atol=1e-12)
    assert tracking.best_loss == adept.best_loss == tracking.sequence_losses[0]


@pytest.mark.parametrize("c", CLASSES, ids=repr)
def test_equals_fixed_share_over_explicit_experts(c: at.ConceptClass) -> None:
    """With KT no prior mass is lost, so the experts may be listed once the points are known: the last round's paths."""
    T, eta, alpha = 40, 0.7, 0.05
    rng = np.random.default_rng(2)
    xs = points(c, rng, T)
    ys = rng.integers(2, size=T).tolist()
    learner = Tracking(c, horizon=T, switches=2, prior="kt", rate=eta, share=alpha)
    found = learner.learn_many(xs, ys)
    prior = np.exp(KTPrior().log_mass(T, learner.tree.mistakes, learner.tree.contested))
    assert math.isclose(prior.sum(), 1.0, rel_tol=1e-12)
    labels = [[int(rule(x)) for x in xs] for rule in map(learner.tree.frontier.concept, range(learner.width))]
    advice = np.array(labels).T
    weight = prior.copy()
    for t, y in enumerate(ys):
        assert math.isclose(found[t], weight[advice[t] == 1].sum() / weight.sum(), rel_tol=0, abs_tol=1e-9)
        weight = weight * np.exp(-eta * (advice[t] != y))
        weight = (1 - alpha) * weight + alpha * prior * weight.sum()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(CLASSES), st.integers(0, 3))
def test_sequence_losses_are_those_of_the_best_sequences(seed: int, c: at.ConceptClass, switches: int) -> None:
    rng = np.random.default_rng(seed)
    xs = points(c, rng, 14)
    ys = rng.integers(2, size=14).tolist()
    learner = Tracking(c, horizon=14, switches=switches)
    for t, (x, y) in enumerate(zip(xs, ys, strict=True), start=1):
        learner.learn(x, y)
        if t in (1, 6, 14):
            sample = list(zip(xs[:t], ys[:t], strict=True))
            assert learner.sequence_losses == [best_sequence(c, sample, s) for s in range(switches + 1)]


def best_sequence(c: at.ConceptClass, sample: list[tuple[Any, int]], switches: int) -> int:
    """Cut the sample everywhere into at most switches + 1 parts, and ask ERM about each."""
    t = len(sample)
    loss = {(a, b): errors(c, sample[a:b]) for a in range(t) for b in range(a + 1, t + 1)}
    best = [0] + [loss[0, b] for b in range(1, t + 1)]
    for _ in range(switches):
        best = [0] + [min(best[b], *(best[a] + loss[a, b] for a in range(b))) for b in range(1, t + 1)]
    return best[t]


def errors(c: at.ConceptClass, sample: list[tuple[Any, int]]) -> int:
    rule = c.erm(sample)
    return sum(int(rule(x)) != y for x, y in sample)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(CLASSES),
    st.integers(0, 4),
    st.integers(0, 4),
    st.sampled_from([0.0, 0.1, 0.5]),
    st.sampled_from(["kt", "paper"]),
    st.sampled_from([None, 0.2, 2.0]),
)
def test_bound_holds_on_drifting_streams(
    seed: int, c: at.ConceptClass, switches: int, tuned: int, noise: float, prior: str, rate: float | None
) -> None:
    learner = Tracking(c, horizon=60, switches=tuned, prior=prior, rate=rate)
    follower = Tracking(c, horizon=60, switches=switches)  # for its exact best sequences only
    for x, y in drifting(c, np.random.default_rng(seed), 60, switches, noise):
        learner.learn(x, y)
        follower.learn(x, y)
        assert learner.sequence_regret <= learner.bound + 1e-9
        for s, best in enumerate(follower.sequence_losses):
            assert learner.expected_loss - best <= learner.bound_for(s) + 1e-9


@pytest.mark.parametrize("prior", ["kt", "paper"])
@pytest.mark.parametrize("switches", [0, 1, 5])
@pytest.mark.parametrize("c", CLASSES, ids=repr)
def test_bound_holds_against_an_adversary_that_reads_p(c: at.ConceptClass, switches: int, prior: str) -> None:
    rng = np.random.default_rng(3)
    learner = Tracking(c, horizon=120, switches=switches, prior=prior)
    for x in points(c, rng, 120):
        learner.learn(x, int(learner.predict_proba(x) <= 0.5))
        assert learner.sequence_regret <= learner.bound + 1e-9
    assert learner.expected_loss >= 60


def test_the_proof_round_by_round() -> None:
    """ln Z falls by at most eta l - eta^2/8 a round, and every sequence keeps the weight that the proof says."""
    c, T, eta, alpha = at.Thresholds(6), 30, 0.5, 0.1
    rng = np.random.default_rng(4)
    learner = Tracking(c, horizon=T, switches=1, rate=eta, share=alpha)
    log_z = loss = 0.0
    for _ in range(T):
        x, y = int(rng.integers(6)), int(rng.integers(2))
        p = learner.predict_proba(x)
        loss += abs(p - y)
        log_z += math.log(1 - abs(p - y) + abs(p - y) * math.exp(-eta))
        learner.learn(x, y)
        t = learner.rounds
        assert loss <= -log_z / eta + eta * t / 8 + 1e-9
        best = learner.sequence_losses
        for s in range(min(2, t)):
            kept = -(s + 1) * learner.rule_cost - switching_cost(t, s, alpha) - eta * best[s]
            assert log_z >= kept - 1e-9


def test_a_world_that_flips_is_followed_where_adept_is_lost() -> None:
    c = at.Stumps(cuts={"x": [i / 42 for i in range(1, 42)]})
    rng = np.random.default_rng(5)
    T, period = 1800, 300
    xs = [{"x": float(x)} for x in rng.random(T)]
    ys = [int((x["x"] >= 0.5) ^ (t // period % 2 == 1) ^ (rng.random() < 0.01)) for t, x in enumerate(xs)]
    tracking = Tracking(c, horizon=T, switches=T // period - 1)
    fixed = at.Adept(c, horizon=T)
    tracking.learn_many(xs, ys)
    fixed.learn_many(xs, ys)
    assert tracking.best_loss == fixed.best_loss > 0.45 * T
    assert fixed.expected_loss > 0.4 * T
    assert tracking.sequence_losses[-1] < 0.02 * T
    assert tracking.expected_loss < 0.07 * T
    assert tracking.sequence_regret < tracking.bound


@pytest.mark.parametrize("prior", ["kt", "paper"])
@pytest.mark.parametrize("c", CLASSES[:4], ids=repr)
def test_saved_in_the_middle_and_loaded_goes_on_the_same(c: at.ConceptClass, prior: str, tmp_path: Path) -> None:
    pairs = drifting(c, np.random.default_rng(6), 40, 2, 0.1)
    whole = Tracking(c, horizon=40, switches=2, prior=prior, seed=9)
    half = Tracking(c, horizon=40, switches=2, prior=prior, seed=9)
    for x, y in pairs[:20]:
        whole.learn(x, y)
        half.learn(x, y)
    half.save(tmp_path / "half.adept")
    loaded = at.load(tmp_path / "half.adept")
    assert isinstance(loaded, Tracking) and loaded.settings() == whole.settings()
    for x, y in pairs[20:]:
        assert (loaded.predict_proba(x), loaded.predict(x)) == (whole.predict_proba(x), whole.predict(x))
        whole.learn(x, y)
        loaded.learn(x, y)
    assert loaded.sequence_losses == whole.sequence_losses and loaded.bound == whole.bound
    with pytest.raises(HorizonReached):
        loaded.predict_proba(pairs[0][0])


@pytest.mark.parametrize("prior", ["kt", "paper"])
@pytest.mark.parametrize("c", CLASSES[:3], ids=repr)
def test_the_contract_of_online_learners(c: at.ConceptClass, prior: str) -> None:
    report = check(partial(Tracking, c, switches=2, prior=prior))
    assert report.passed, str(report)


@pytest.mark.parametrize(("T", "switches"), [(1, 0), (1, 3), (2, 5), (10, 9), (10, 50)])
@pytest.mark.parametrize("prior", ["kt", "paper"])
def test_more_switches_than_rounds_are_as_many_as_rounds_allow(T: int, switches: int, prior: str) -> None:
    learner = Tracking(at.Thresholds(4), horizon=T, switches=switches, prior=prior)
    for t in range(T):
        learner.learn(t % 4, t % 2)
    assert math.isfinite(learner.bound) and learner.sequence_regret <= learner.bound
    assert learner.sequence_losses[-1] == 0 if switches >= T - 1 else True


def test_a_class_of_one_rule_costs_nothing() -> None:
    one = at.FiniteClass([[0, 1, 1]])
    learner = Tracking(one, horizon=20, switches=0, prior="paper")
    for t in range(20):
        learner.learn(t % 3, 1)
    assert learner.bound == 0.0 and learner.regret == 0.0


def test_unknown_mistake_bounds_need_kt() -> None:
    c = at.OracleClass(realizable=lambda sample: len({y for _, y in sample}) < 2)
    base = _Zero()
    learner = Tracking(c, horizon=30, switches=1, base=base)
    for t in range(30):
        learner.learn(t, int(t >= 15))
    assert learner.sequence_losses == [15, 0] and learner.sequence_regret <= learner.bound
    with pytest.raises(InvalidArgument, match="no mistake bound is known"):
        Tracking(c, horizon=30, switches=1, base=base, prior="paper")
    wrong = Tracking(c, horizon=30, switches=1, base=base, prior="paper", mistake_bound=0)
    with pytest.raises(MistakeBoundExceeded, match="k=1 mistakes"):
        wrong.learn(0, 1)


class _Zero:
    """Says 0 until told otherwise."""

    def start(self) -> int:
        return 0

    def predict(self, state: int, x: Any) -> int:
        return state

    def update(self, state: int, x: Any, y: int) -> int:
        return y


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"switches": -1}, "switches must be an int >= 0"),
        ({"switches": 1, "share": 1.0}, "share must be a number in"),
        ({"switches": 1, "rate": 0}, "rate must be .*a positive number"),
        ({"switches": 1, "prior": "flat"}, "prior must be one of 'paper', 'kt'"),
    ],
)
def test_wrong_arguments_are_refused_with_a_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        Tracking(at.Thresholds(4), horizon=10, **wrong)


def test_the_example_of_a_drifting_world() -> None:
    """On a short stream, without River: who is good is as the example's docstring says."""
    example = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "drifting_world.py"))
    scope = example["row"].__globals__
    scope.update(ROUNDS=1200, river_errors=lambda stream: {})
    errors = example["row"](300)
    assert errors["sequence"] < 0.03 < errors["Tracking"] <= errors["bound"] < 0.12 < errors["Adept"]
    assert errors["best rule"] > 0.45


def test_a_weak_promise_points_to_what_the_learner_has() -> None:
    """Every learner that warns has ``bound``; Tracking, for one, has no certificate."""
    for build in (lambda: Tracking(at.Thresholds(1000), 20, 5), lambda: at.Adept(at.Thresholds(1000), 20)):
        with pytest.warns(at.errors.NoBetterThanACoin, match="`bound`, which is proven from what was seen") as told:
            learner: at.OnlineLearner = build()
        assert "certificate" not in str(told[0].message) or hasattr(learner, "certificate")
        learner.learn(3, 1)
        assert learner.regret <= learner.bound
