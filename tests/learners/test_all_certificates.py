"""Every learner has a certificate: its numbers are true, and a number that is missing has its reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import adeptree as at
from adeptree import errors, research

RULES = at.Thresholds(7)
LEARNERS: dict[str, Callable[[], Any]] = {
    "hedge": lambda: at.Hedge(RULES, 60, costs=(3, 1)),
    "lazy": lambda: at.LazyAdept(RULES, 60, commits=8),
    "bpss": lambda: at.Bpss(RULES, 24, mistake_bound=3),
    "bpss, pruned": lambda: at.Bpss(RULES, 24, mistake_bound=3, prune=True),
    "transductive": lambda: research.Transductive(RULES, list(range(7)) * 6),
    "leader": lambda: at.FollowTheLeader(RULES, 60),
    "drift": lambda: at.Adept(RULES, drift=True),
}
ROUNDS = [((5 * t) % 7, int((5 * t) % 7 >= 3) ^ (t % 6 == 5)) for t in range(20)]


@pytest.mark.filterwarnings("ignore::adeptree.core.errors.NoBetterThanACoin")
@pytest.mark.parametrize("name", LEARNERS)
def test_the_certificate_tells_what_a_recount_finds(name: str) -> None:
    learner = LEARNERS[name]()
    miss, alarm = learner.costs
    losses = [0.0] * 8
    expected = 0.0
    for x, y in ROUNDS:
        p = learner.predict_proba(x)
        expected += (miss * (1 - p)) if y else alarm * p
        losses = [loss + (miss if y else alarm) * (int(x >= cut) != y) for cut, loss in enumerate(losses)]
        learner.learn(x, y)
    told = learner.certificate()
    cut = losses.index(min(losses))
    assert told.best_loss == min(losses) and told.best_rule in (f"x >= {cut}", "always 0", "always 1")
    assert told.expected_loss == pytest.approx(expected, abs=1e-9)
    assert told.regret == pytest.approx(expected - min(losses), abs=1e-9) and told.regret <= told.bound
    assert (told.in_advance is None) == bool(told.in_advance_note) or "coin" in told.in_advance_note
    text = str(told)
    assert (" many rates at once" in text) == (told.rate == "lanes")
    assert f"the best rule, {told.best_rule}, has {told.best_loss:,.10g}" in text
    assert ("Nothing is proven of it now" in text) == (told.bound == float("inf"))
    assert ("no base learner runs" in text) == (told.prior is not None and told.base is None)


@pytest.mark.parametrize("name", ["lazy", "bpss", "leader"])
@pytest.mark.filterwarnings("ignore::adeptree.core.errors.NoBetterThanACoin")
def test_what_a_learner_cannot_do_is_refused_with_the_learner_that_can(name: str) -> None:
    learner = LEARNERS[name]()
    with pytest.raises(errors.InvalidArgument, match="use Adept"):
        learner.rules_within(1)
    with pytest.raises(errors.InvalidArgument, match="use Adept"):
        learner.learn(3, 1, weight=2)


def test_hedge_lists_near_rules_and_takes_weights() -> None:
    learner = at.Hedge(RULES)
    learner.learn(3, 1, weight=0.5)
    assert [near.loss for near in learner.rules_within(0.5)] == [0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5]


def test_the_certificate_of_bpss_names_its_base_learner() -> None:
    text = str(at.Bpss(RULES, 24, mistake_bound=3).certificate())
    assert "the base learner Bisection (mistake bound 3)" in text


def test_the_certificate_of_the_lazy_learner_says_why_nothing_is_proven() -> None:
    text = str(LEARNERS["lazy"]().certificate())
    assert "In advance nothing is proven: the theorem does not state its constant." in text
