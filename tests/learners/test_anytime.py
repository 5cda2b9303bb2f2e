"""Without a horizon: the KT prior against explicit paths, its bounds, the certificate, and a limited width."""

from __future__ import annotations

import itertools
import math
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from strategies import Family, Stream, every_engine, family_streams, paths_of, steady, thresholds

import adeptree as at
from adeptree import bounds, errors
from adeptree.theory.mixture import mixability_gap
from adeptree.theory.priors import KTPrior

drawn = family_streams(longest=14)
constants = st.sampled_from([0.1, 0.7, 3.0])
rules = st.sampled_from(["adaptive", "anytime", 0.1, 0.7, 3.0])


def explicit_probability(family: Family, learner: at.Adept, past: Stream, x: Any, eta: float) -> float:
    """P(1) with the KT prior, from all labellings and their own histories: no frontier, no tables."""
    xs = [z for z, _ in past] + [x]
    weights = [0.0, 0.0]
    for labels in family.labellings(xs):
        mass, k, n = 1.0, 0, 0
        state = learner.base.start()
        for t, (z, b) in enumerate(zip(xs, labels, strict=True)):
            both = {w[t] for w in family.labellings(xs[: t + 1]) if w[:t] == labels[:t]} == {0, 1}
            if both:
                wrong = learner.base.predict(state, z) != b
                mass *= ((k if wrong else n - k) + 0.5) / (n + 1)
                k, n = k + wrong, n + 1
            state = learner.base.update(state, z, b)
        loss = sum(b != y for b, (_, y) in zip(labels, past, strict=False))
        weights[labels[-1]] += mass * math.exp(-eta * loss)
    return weights[1] / sum(weights)


OTHER_PRIOR = ("cuts", "steps", "stump-lines")
"""Engines with another prior: compared with all labellings in test_engine_cuts.py and test_engine_stumps.py."""


@every_engine
@steady
@given(family_streams(longest=7), constants)
def test_kt_equals_explicit_paths(engine: str, drawn: tuple[Family, Stream], eta: float) -> None:
    family, stream = drawn
    learner = at.Adept(family.c, rate=eta, prior="kt", engine=engine)
    if learner.engine.kind in OTHER_PRIOR:
        return
    for t, (x, y) in enumerate(stream):
        expected = explicit_probability(family, learner, stream[:t], x, eta)
        assert learner.predict_proba(x) == pytest.approx(expected, abs=1e-9)
        learner.learn(x, y)


@every_engine
@steady
@given(drawn)
def test_kt_mass_is_one_at_all_times(engine: str, drawn: tuple[Family, Stream]) -> None:
    family, stream = drawn
    learner = at.Adept(family.c, prior="kt", engine=engine)
    if learner.engine.kind in OTHER_PRIOR:
        return
    for x, y in stream:
        learner.learn(x, y)
        rows = paths_of(learner)
        assert rows is None or math.fsum(np.exp(rows.log_mass)) == pytest.approx(1.0, abs=1e-12)


def test_kt_tables_are_exact_for_many_rounds() -> None:
    kt = KTPrior()
    for k, n in [(0, 1), (3, 10), (8, 1000), (16, 100_000), (400, 200_000)]:
        exact = math.lgamma(k + 0.5) + math.lgamma(n - k + 0.5) - math.lgamma(n + 1) - math.log(math.pi)
        assert kt.log_mass(0, np.array([k]), np.array([n]))[0] == pytest.approx(exact, abs=3e-9)


def test_kt_cost_is_a_bound() -> None:
    kt = KTPrior()
    for n in range(1, 300):
        k = np.arange(n + 1)
        mass = kt.log_mass(0, k, np.full(n + 1, n))
        for M in (0, 1, 3, 10, n):
            assert -mass[: M + 1].min() <= bounds.kt_cost(n, M) + 1e-9 or M == 0
        assert -mass[0] <= bounds.kt_cost(n, 0) + 1e-9


@every_engine
@steady
@given(drawn, rules)
def test_the_bound_holds_in_every_round_against_every_path(
    engine: str, drawn: tuple[Family, Stream], rate: Any
) -> None:
    family, stream = drawn
    learner = at.Adept(family.c, rate=rate, engine=engine)
    etas = [math.inf]
    for x, y in stream:
        etas.append(learner.learning_rate)
        assert etas[-1] <= etas[-2]
        learner.learn(x, y)
        if (rows := paths_of(learner)) is not None:
            against = learner.expected_loss - rows.losses
            assert (against <= -rows.log_mass / etas[-1] + learner.gap + 1e-9).all()
        assert learner.gap <= math.fsum(etas[1:]) / 8 + 1e-9
        assert learner.regret <= learner.certificate().bound + 1e-9 == learner.bound + 1e-9


@pytest.mark.parametrize("rate", ["adaptive", "anytime"])
@pytest.mark.parametrize("noise", [0.0, 0.3, "greedy"])
def test_promises_hold(rate: str, noise: Any) -> None:
    c = at.Thresholds(63)
    adversary = at.Greedy(c) if noise == "greedy" else at.Stochastic(c, noise=noise)
    learner = at.Adept(c, rate=rate)
    for _ in range(4):
        at.play(learner, adversary, rounds=100, seed=3)
        certificate = learner.certificate()
        assert certificate.in_advance is not None
        assert certificate.regret <= certificate.bound <= certificate.in_advance


@steady
@given(drawn, constants, st.sampled_from(["paper", "kt", "mixed"]))
def test_the_final_bound_never_rises_and_holds(drawn: tuple[Family, Stream], eta: float, prior: str) -> None:
    family, stream = drawn
    learner = at.Adept(family.c, horizon=len(stream), rate=eta, prior=prior)
    finals = [learner.certificate().final or 0.0]
    for x, y in stream:
        learner.learn(x, y)
        finals.append(learner.certificate().final or 0.0)
    assert all(b <= a + 1e-9 for a, b in itertools.pairwise(finals))
    assert all(learner.regret <= final + 1e-9 for final in finals)
    if prior == "paper":
        exact = bounds.regret_at_rate(len(stream), learner.log_experts, eta) if learner.mistake_bound else 0.0
        assert finals[0] == pytest.approx(min(len(stream), exact))


@steady
@given(drawn, constants)
def test_the_account_adds_up(drawn: tuple[Family, Stream], eta: float) -> None:
    """C1: expected loss = (ln Z_0 - ln Z_T - pruned mass)/eta + Delta; KT prunes no mass."""
    family, stream = drawn
    learner = at.Adept(family.c, rate=eta)
    for x, y in stream:
        learner.learn(x, y)
    mix = -learner.engine.log_potential() / eta + learner.best_loss
    assert learner.expected_loss == pytest.approx(mix + learner.gap, abs=1e-7)


def test_mixability_gap() -> None:
    for loss, eta in itertools.product([0.0, 1e-12, 0.2, 0.5, 1.0], [0.0, 1e-9, 0.1, 2.0, 50.0, 1e6]):
        z = math.log(loss / (1 - loss)) if 0 < loss < 1 else math.copysign(math.inf, loss - 0.5)
        gap = mixability_gap(loss, z, eta)
        assert 0.0 <= gap <= min(loss, eta / 8) + 1e-15


@pytest.mark.parametrize("options", [{}, {"horizon": 60}, {"horizon": 60, "rate": "first-order"}, {"rate": "anytime"}])
def test_saved_in_the_middle(options: dict[str, Any], tmp_path: Any) -> None:
    stream = thresholds(30).stream(5, 60)
    learner = at.Adept(at.Thresholds(30), **options)
    for x, y in stream[:30]:
        learner.learn(x, y)
    learner.save(tmp_path / "a")
    again = at.load(tmp_path / "a")
    for x, y in stream[30:]:
        assert again.predict_proba(x) == learner.predict_proba(x)
        learner.learn(x, y)
        again.learn(x, y)
    assert isinstance(again, at.Adept)
    assert dict(again.certificate()) == dict(learner.certificate())


@pytest.mark.parametrize("options", [{}, {"horizon": 60}, {"horizon": 60, "rate": "first-order"}, {"rate": "anytime"}])
def test_many_rounds_at_once_are_single_rounds(options: dict[str, Any]) -> None:
    stream = thresholds(30).stream(5, 60)
    one, many = (at.Adept(at.Thresholds(30), seed=4, **options) for _ in range(2))
    singles = []
    for x, y in stream:
        singles.append(one.predict_proba(x))
        one.learn(x, y)
    xs, ys = np.array([x for x, _ in stream]), np.array([y for _, y in stream])
    p = np.concatenate([many.learn_many(xs[:7], ys[:7]), many.learn_many(xs[7:], ys[7:])])
    assert p == pytest.approx(singles, abs=1e-12)
    assert dict(one.certificate()) == pytest.approx(dict(many.certificate()))
    if not one.ended:
        assert many.predict_proba_many([3, 5]) == pytest.approx([one.predict_proba(3), one.predict_proba(5)])


def test_a_batch_past_the_horizon_learns_nothing() -> None:
    learner = at.Adept(at.Thresholds(8), horizon=3)
    with pytest.raises(errors.HorizonReached, match="4 rounds are more than the 3 that are left"):
        learner.learn_many([1, 2, 3, 4], [0, 1, 1, 1])
    assert learner.rounds == 0
    learner.learn_many([1, 2, 3], [0, 1, 1])
    assert learner.ended


def test_a_batch_with_a_wrong_value_changes_nothing() -> None:
    learner = at.Adept(at.Thresholds(8))
    batches: list[tuple[Any, Any]] = [
        ([1, 9], [0, 1]),
        ([1, 2], [0, 2]),
        (np.array([1, 9]), np.array([0, 1])),
        ([1], [0, 1]),
    ]
    for xs, ys in batches:
        with pytest.raises(errors.InvalidArgument):
            learner.learn_many(xs, ys)
    assert learner.rounds == 0


def test_a_limited_width_is_never_silent() -> None:
    stream = thresholds(200).stream(1, 300)
    limited, whole = at.Adept(at.Thresholds(200), max_width=20), at.Adept(at.Thresholds(200))
    for x, y in stream:
        limited.learn(x, y)
        whole.learn(x, y)
        assert limited.width <= 20
    certificate = limited.certificate()
    kept = np.exp(limited.paths.rows().log_mass).sum()
    assert certificate.dropped_paths > 0
    assert certificate.dropped_mass + kept == pytest.approx(1.0, abs=1e-12)
    assert certificate.regret <= certificate.bound
    assert "dropped" in str(certificate) and "dropped" not in str(whole.certificate())
    assert certificate.best_loss >= whole.best_loss
    if certificate.best_is_kept:
        assert certificate.best_loss == whole.best_loss


def test_a_kept_best_rule_is_known_to_be_one() -> None:
    learner = at.Adept(at.Thresholds(64), max_width=12)
    for x, y in [(x % 64, int(x % 64 >= 40)) for x in range(0, 5000, 37)]:
        learner.learn(x, y)
    certificate = learner.certificate()
    assert certificate.dropped_paths > 0 and certificate.best_is_kept and certificate.best_loss == 0


def test_the_certificate_asks_no_oracle() -> None:
    calls = 0

    def realizable(sample: Any) -> bool:
        nonlocal calls
        calls += 1
        return bool(sum(y for _, y in sample) <= 2)

    learner = at.Adept(at.OracleClass(realizable=realizable, littlestone_dimension=2))
    for x in range(6):
        learner.learn(x, x % 2)
    before = calls
    text = str(learner.certificate())
    assert calls == before and "regret" in text


def test_what_needs_a_horizon_says_so() -> None:
    c = at.Thresholds(8)
    for options in ({"rate": "paper"}, {"rate": "first-order"}, {"prior": "paper"}):
        with pytest.raises(errors.InvalidArgument, match="horizon"):
            at.Adept(c, **options)  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidArgument, match="rounds="):
        at.play(at.Adept(c), at.Greedy(c))


def test_hedge_without_a_horizon() -> None:
    c = at.Thresholds(31)
    hedge = at.Hedge(c)
    at.play(hedge, at.Stochastic(c, noise=0.2), rounds=400, seed=1)
    assert hedge.rate == "adaptive" and 0 < hedge.regret <= hedge.bound
