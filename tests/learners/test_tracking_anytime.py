"""Tracking without horizon and number of switches: against the mixture written out, its proof, and its bound."""

from __future__ import annotations

import itertools
import math
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
from adeptree.core.errors import InvalidArgument
from adeptree.research.tracking import Tracking
from adeptree.research.tracking_anytime import CURVES, EACH, RATES, SHARES, TrackingAnytime, sharing_cost
from adeptree.theory.priors import KTPrior

CLASSES = [at.Thresholds(12), at.Intervals(6), at.Stumps(cuts={"u": [0.5, 1.5], "v": [0.5]}), at.Conjunctions(3)]


def laid_out(learner: TrackingAnytime, xs: list[Any]) -> tuple[Any, Any]:
    """The last paths as experts (with KT no mass is lost): their prior masses, and a row of labels each."""
    prior = np.exp(KTPrior().log_mass(len(xs), learner.tree.mistakes, learner.tree.contested))
    rules = map(learner.tree.frontier.concept, range(learner.width))
    return prior, np.array([[int(rule(x)) for x in xs] for rule in rules])


@pytest.mark.parametrize("c", [at.Thresholds(2), at.FiniteClass([[0, 0, 1], [1, 0, 1], [1, 1, 0]])], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_equals_the_mixture_over_all_switching_sequences_and_rates(c: at.ConceptClass, seed: int) -> None:
    """Every sequence of experts and every way to switch (also to the same expert), with its prior, one by one."""
    T, rng = 6, np.random.default_rng(seed)
    xs = (
        [int(x) for x in rng.integers(2 if seed else 3, size=T)] if isinstance(c, at.FiniteClass) else points(c, rng, T)
    )
    ys = rng.integers(2, size=T).tolist()
    learner = TrackingAnytime(c)
    found = learner.learn_many(xs, ys).tolist()
    prior, labels = laid_out(learner, xs)
    chosen: list[float] = []
    for t in range(T):
        says = np.zeros(2)
        for switch in itertools.product((False, True), repeat=t):
            # Blocks of rounds between switches; each block takes an expert of its own, by the prior.
            starts = [0, *(s + 1 for s in range(t) if switch[s])]
            chance = sum(
                math.prod(share[s] if switch[s] else 1 - share[s] for s in range(t))
                for share in ([1 / (s + 2) for s in range(t)], *([one] * t for one in SHARES))
            )
            for experts in itertools.product(range(len(prior)), repeat=len(starts)):
                mass = chance * math.prod(prior[e] for e in experts)
                who = [experts[sum(start <= s for start in starts) - 1] for s in range(t + 1)]
                r = [abs(chosen[s] - ys[s]) - (labels[who[s], s] != ys[s]) for s in range(t)]
                weight = mass * sum(eta * math.prod(1 + eta * x for x in r) for eta in RATES)
                says[labels[who[t], t]] += weight
        chosen.append(says[1] / says.sum())
        assert math.isclose(found[t], chosen[t], rel_tol=0, abs_tol=1e-9)


@pytest.mark.parametrize("c", CLASSES, ids=repr)
def test_the_proof_round_by_round(c: at.ConceptClass) -> None:
    """Z never exceeds 1, however wrong the learner is, and a sequence keeps the weight that the proof says."""
    T, rng = 40, np.random.default_rng(4)
    xs = points(c, rng, T)
    learner, losses, ys = TrackingAnytime(c), [], []
    for x in xs:
        p = learner.predict_proba(x)
        ys.append(int(p <= 0.5) if rng.random() < 0.7 else int(rng.integers(2)))
        losses.append(abs(p - ys[-1]))
        learner.learn(x, ys[-1])
        log_z = np.logaddexp.reduce((learner._masses() + learner.log_g - math.log(len(EACH))).ravel())
        assert abs(log_z) <= 1e-9, "with KT no mass is lost: Z stays 1"
    each = np.array(losses)[:, None]
    np.testing.assert_allclose(learner.excess, (each - np.log1p(RATES * each) / RATES).sum(axis=0), rtol=1e-9)
    assert math.isclose(learner.spread, sum(max(loss, 1 - loss) ** 2 for loss in losses))
    prior, labels = laid_out(learner, xs)
    for _ in range(200):
        m = int(rng.integers(4))
        ends = sorted(rng.choice(np.arange(1, T), size=m, replace=False).tolist())
        experts = rng.integers(len(prior), size=m + 1)
        who = [experts[sum(end <= s for end in ends)] for s in range(T)]
        r = np.array([losses[s] - (labels[who[s], s] != ys[s]) for s in range(T)])
        falling = math.log(T) + sum(map(math.log, ends))
        fixed = [-m * math.log(share) - (T - 1 - m) * math.log(1 - share) for share in SHARES]
        cost = -np.log(prior[experts]).sum() + min(falling, *fixed)
        assert cost <= (m + 1) * learner.rule_cost + sharing_cost(T, m) + 1e-9
        proven = ((cost + math.log(len(EACH))) / RATES + CURVES * RATES * (r**2).sum()).min()
        assert r.sum() <= proven + 1e-9
        L = sum(labels[who[s], s] != ys[s] for s in range(T))
        assert (r**2).sum() <= learner.spread + 1e-9
        exact = cost + math.log(len(EACH)) - np.log1p(RATES[:, None] * r).sum(axis=1)
        assert (exact >= -1e-9).all(), "the weight of a sequence is at most all weight"
        beyond = learner.excess + CURVES * RATES * L
        assert (r.sum() - np.log1p(RATES[:, None] * r).sum(axis=1) / RATES <= beyond + 1e-9).all()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(CLASSES), st.integers(0, 4), st.sampled_from([0.0, 0.1, 0.5]))
def test_bound_holds_on_drifting_streams(seed: int, c: at.ConceptClass, switches: int, noise: float) -> None:
    learner = TrackingAnytime(c, switches=2)
    follower = Tracking(c, horizon=60, switches=4)  # for its exact best sequences only
    for x, y in drifting(c, np.random.default_rng(seed), 60, switches, noise):
        learner.learn(x, y)
        follower.learn(x, y)
        assert learner.sequence_losses == follower.sequence_losses[:3]
        for m, best in enumerate(follower.sequence_losses):
            assert learner.expected_loss - best <= learner.bound_for(m) + 1e-9


@pytest.mark.parametrize("switches", [0, 1, 5])
@pytest.mark.parametrize("c", CLASSES, ids=repr)
def test_bound_holds_against_an_adversary_that_reads_p(c: at.ConceptClass, switches: int) -> None:
    learner = TrackingAnytime(c, switches=switches)
    promised = [learner.bound_after(t) for t in range(121)]
    for x in points(c, np.random.default_rng(3), 120):
        learner.learn(x, int(learner.predict_proba(x) <= 0.5))
        in_advance = promised[learner.rounds]
        assert in_advance is not None
        assert learner.sequence_regret <= learner.bound + 1e-9 <= in_advance + 1e-6
    assert learner.expected_loss >= 60


def test_a_world_that_flips_is_followed_without_being_told() -> None:
    c = at.Stumps(cuts={"x": [i / 42 for i in range(1, 42)]})
    rng = np.random.default_rng(5)
    T, period = 1800, 300
    xs = [{"x": float(x)} for x in rng.random(T)]
    ys = [int((x["x"] >= 0.5) ^ (t // period % 2 == 1) ^ (rng.random() < 0.01)) for t, x in enumerate(xs)]
    learner, told = TrackingAnytime(c, switches=5), Tracking(c, horizon=T, switches=5)
    learner.learn_many(xs, ys)
    told.learn_many(xs, ys)
    assert learner.sequence_losses == told.sequence_losses and learner.best_loss > 0.45 * T
    assert learner.expected_loss < 0.2 * T and learner.sequence_regret < learner.bound < 0.45 * T
    assert told.expected_loss < learner.expected_loss, "to be told is worth something"


@pytest.mark.parametrize("c", CLASSES[:3], ids=repr)
def test_saved_in_the_middle_and_loaded_goes_on_the_same(c: at.ConceptClass, tmp_path: Path) -> None:
    pairs = drifting(c, np.random.default_rng(6), 40, 2, 0.1)
    whole, half = TrackingAnytime(c, seed=9), TrackingAnytime(c, seed=9)
    for x, y in pairs[:20]:
        whole.learn(x, y)
        half.learn(x, y)
    half.save(tmp_path / "half.adept")
    loaded: Any = at.load(tmp_path / "half.adept")
    assert isinstance(loaded, TrackingAnytime) and loaded.settings() == whole.settings()
    for x, y in pairs[20:]:
        assert (loaded.predict_proba(x), loaded.predict(x)) == (whole.predict_proba(x), whole.predict(x))
        whole.learn(x, y)
        loaded.learn(x, y)
    assert (loaded.sequence_losses, loaded.bound) == (whole.sequence_losses, whole.bound)
    assert (loaded.excess.tolist(), loaded.spread) == (whole.excess.tolist(), whole.spread)


def test_late_labels_are_charged_as_they_were_answered() -> None:
    learner, rng = TrackingAnytime(at.Thresholds(9), switches=1), np.random.default_rng(8)
    waiting: list[Any] = []
    for t in range(900):
        waiting.append(learner.answer(int(rng.integers(9))))
        if t % 3 == 2:
            for ticket in waiting:
                learner.learn(ticket, int(ticket.x >= (2 if t < 450 else 7)) ^ int(rng.random() < 0.03))
            waiting = []
            assert learner.sequence_regret <= learner.bound + 1e-9
    assert learner.drift != 0.0 and learner.bound_after(1000) is None
    cost = 2 * learner.rule_cost + sharing_cost(900, 1) + math.log(len(EACH))
    beyond = [CURVES * RATES * learner.spread, learner.excess + CURVES * RATES * learner.sequence_losses[1]]
    assert math.isclose(learner.bound, float((cost / RATES + np.minimum(*beyond)).min()) + learner.drift)
    assert learner.bound < 900 and learner.sequence_losses[1] > 0


@pytest.mark.parametrize("c", CLASSES[:3], ids=repr)
def test_the_contract_of_online_learners(c: at.ConceptClass) -> None:
    report = check(partial(TrackingAnytime, c))
    assert report.passed, str(report)


def test_the_curves_are_those_of_the_logarithm() -> None:
    for eta, c in zip(RATES, CURVES, strict=True):
        x = np.linspace(-eta, eta, 1001)
        assert (np.log1p(x) >= x - c * x**2 - 1e-12).all() and math.isclose(math.log1p(-eta), -eta - c * eta**2)


def test_nothing_of_the_predictions_depends_on_the_switches_followed() -> None:
    pairs = drifting(at.Thresholds(12), np.random.default_rng(2), 50, 3, 0.1)
    xs, ys = zip(*pairs, strict=True)
    one, other = (TrackingAnytime(at.Thresholds(12), switches=s).learn_many(xs, ys) for s in (0, 7))
    assert one.tolist() == other.tolist()
    with pytest.raises(InvalidArgument, match="switches must be an int >= 0"):
        TrackingAnytime(at.Thresholds(4), switches=-1)
