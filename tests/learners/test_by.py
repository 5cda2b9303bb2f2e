"""Segments: one rule for all next to one per segment, against all weights written out; bounds and files."""

from __future__ import annotations

import math
import pickle
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adeptree as at
from adeptree.core.errors import InvalidArgument, InvalidInstance, UnsupportedCombination
from adeptree.theory.decide import review_rate
from adeptree.theory.priors import KTPrior, MixedPrior

RULES = at.Thresholds(9).on("score")
Round = tuple[dict[str, Any], int]


def rounds(seed: int, T: int, names: str = "abc", noise: float = 0.1) -> list[Round]:
    """Return rows whose cut depends on the tenant."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(T):
        name, score = names[int(rng.integers(len(names)))], int(rng.integers(9))
        found.append(
            ({"tenant": name, "score": score}, int(score >= 3 * names.index(name)) ^ int(rng.random() < noise))
        )
    return found


def explicit(stream: list[Round], eta: float, costs: tuple[float, float], drift: bool) -> list[float]:
    """Return the chance of 1 in every round: ten cuts with equal masses, pooled next to per segment, one by one."""
    cuts, weights, clock = np.arange(10), {"": np.full(10, 0.1)}, dict[str, int]()
    log_z, found = np.zeros(2), []
    for row, y in stream:
        says = row["score"] >= cuts
        parts = ("", row["tenant"])
        each = [weights.setdefault(name, np.full(10, 0.1)) for name in parts]
        share = np.exp(log_z - log_z.max())
        found.append(float(sum(z * w[says].sum() for z, w in zip(share, each, strict=True)) / share.sum()))
        for i, name in enumerate(parts):
            w = weights[name] * np.exp(-eta * costs[1 - y] * (says != y))
            log_z[i] += math.log(w.sum())
            w, clock[name] = w / w.sum(), clock.get(name, 0) + 1
            alpha = 1 / (clock[name] + 1) if drift else 0.0
            weights[name] = (1 - alpha) * w + alpha / 10
    return found


@pytest.mark.parametrize("drift", [False, "sharing"])
@pytest.mark.parametrize("costs", [(1, 1), (5, 1)])
def test_the_weights_of_all_rules_written_out(costs: tuple[float, float], drift: Any) -> None:
    """``uniform`` gives the ten cuts of a grid of nine points equal masses."""
    stream = rounds(1, 300)
    learner = at.Adept(RULES, costs=costs, review=0.2, prior="uniform", by="tenant", drift=drift)
    found = []
    for row, y in stream:
        found.append(learner.predict_proba(row))
        learner.learn(row, y)
    assert np.abs(np.array(found) - explicit(stream, review_rate(*costs, 0.2), costs, bool(drift))).max() < 1e-12


@pytest.mark.parametrize("drift", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_bounds_hold_for_one_rule_and_for_one_per_segment(seed: int, drift: bool) -> None:
    """Also against an adversary that reads p; labels in time and late."""
    learner = at.Adept(RULES, costs=(2, 1), review=0.3, by="tenant", drift=drift)
    lost = np.zeros((4, 10))  # of the ten cuts, per tenant and in all
    waiting: list[at.Ticket] = []
    for t, (row, label) in enumerate(rounds(seed, 250)):
        y = int(learner.predict_proba(row) < 0.5) if seed % 2 else label
        if seed < 2:
            learner.learn(row, y)
        else:
            waiting.append(learner.answer(row))
            if t % 3 == 0:
                continue
            ticket = waiting.pop(0)
            row = ticket.x
            learner.learn(ticket, y)
        wrong = ((row["score"] >= np.arange(10)) != y) * learner.costs[1 - y]
        lost[["a", "b", "c"].index(row["tenant"])] += wrong
        lost[3] += wrong
    told = learner.certificate()
    assert told.best_loss == pytest.approx(lost[:3].min(axis=1).sum()) and told.pooled_loss == lost[3].min()
    assert told.segments == 3 and told.pooled_bound is not None and told.pooled_loss is not None
    assert told.regret <= told.bound + 1e-9
    assert told.expected_loss - told.pooled_loss <= told.pooled_bound + 1e-9
    assert {name: loss for name, _, loss in learner.by_segment()} == pytest.approx(
        dict(zip("abc", lost[:3].min(axis=1).tolist(), strict=True))
    )
    assert "The best rule for all of the 3 segments, score >= " in str(told)


def test_per_segment_wins_where_segments_differ_and_costs_ln_2_where_they_do_not() -> None:
    rate = review_rate(1, 1, 0.25)
    for names, wins in (("abc", True), ("a", False)):
        stream = rounds(5, 1500, names)
        alone, by = at.Adept(RULES, review=0.25), at.Adept(RULES, review=0.25, by="tenant")
        for row, y in stream:
            alone.learn(row, y)
            by.learn(row, y)
        if wins:
            assert by.expected_loss < 0.7 * alone.expected_loss
            assert str(by.best_rule()).startswith("by tenant (")
            assert by.certificate().pooled_leads is False and "follows one rule per segment" in str(by.certificate())
        assert by.expected_loss <= alone.ledger.expected_loss - alone.ledger.excess + math.log(2) / rate + 1e-9


def test_a_guarantee_in_advance_needs_the_number_of_segments() -> None:
    unknown = at.Adept(RULES, review=0.2, by="tenant")
    known = at.Adept(RULES, review=0.2, by="tenant", segments=2)
    for row, y in rounds(2, 40, "ab"):
        for learner in (unknown, known):
            learner.learn(row, y)
    assert unknown.in_advance is None
    assert "In advance nothing is proven: the number of segments is not known; give segments=." in str(
        unknown.certificate()
    )
    before = known.in_advance
    assert before is not None and known.regret <= known.bound <= before
    known.learn({"tenant": "c", "score": 3}, 1)
    told = known.certificate()
    assert told.in_advance is None and "3 segments came; segments=2 was announced" in told.in_advance_note
    both = at.Adept(RULES, review=0.2, by="tenant", segments=2, drift=True)
    both.learn({"tenant": "c", "score": 3}, 1)
    assert "with by= and drift= together nothing is proven in advance" in both.certificate().in_advance_note
    unknown = at.Adept(RULES, review=0.2, by="tenant", drift=True)
    unknown.learn({"tenant": "c", "score": 3}, 1)
    assert unknown.certificate().in_advance_note == both.certificate().in_advance_note
    for learner in (both, unknown):
        assert learner.sequence_bound(1) == math.inf and learner.certificate().switches is None


def test_the_certificate_limits_its_promises_to_what_was_announced() -> None:
    for given in ({"review": 0.2}, {"horizon": 90}, {"feedback": "asked", "horizon": 90}):
        learner = at.Adept(RULES, by="tenant", segments=3, max_weight=2, **given)
        learner.learn(learner.answer({"tenant": "c", "score": 3}), 1)
        told = learner.certificate()
        assert (told.most_segments, told.max_weight, told.segments) == (3, 2, 1)
        assert ", of at most 3 segments, with weights up to 2: at most" in str(told)
        end = "whatever rounds come, of at most 3 segments, with weights up to 2, if labels come at once."
        assert (end in str(told)) == (told.final is not None)


def test_estimates_of_the_best_rule_for_all_are_called_so() -> None:
    options: dict[str, Any] = {"by": "tenant", "segments": 3, "review": 0.2, "horizon": 400}
    for feedback, drift, says in (
        ("all", False, r"tenant.*has [\d.]+; the expected cost is at most"),
        ("reviewed", False, r"has an estimated [\d.]+; the estimated cost is at most"),
        ("reviewed", True, r"Nothing is proven of it: with by= and drift= together [a-z ]+\. This rests on"),
    ):
        learner = at.Adept(RULES, feedback=feedback, drift=drift, **options)
        for row, y in rounds(3, 60):
            ticket = learner.answer(row)
            if ticket.ask:
                learner.learn(ticket, y)
        text, shown = str(learner.certificate()), [repr(learner), repr(learner.certificate())]
        assert re.search(says, text)
        assert all(("losses estimates" in one) == (feedback == "reviewed") for one in shown)
        assert ("estimates" in learner._repr_html_()) == (feedback == "reviewed")


@pytest.mark.parametrize(
    "prior",
    [KTPrior(4), MixedPrior(4, math.log(17), False), MixedPrior(None, None, True)],
    ids=["kt", "mixed", "floats"],
)
def test_equal_segments_cost_the_most(prior: Any) -> None:
    """The guarantee for S segments covers every division of T rounds among them."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        S, T = int(rng.integers(1, 9)), int(rng.integers(10, 3000))
        ends = np.sort(rng.integers(0, T + 1, size=S - 1))
        sizes = np.diff(np.concatenate([[0], ends, [T]]))
        prices = [prior.price(int(size)) for size in sizes if size]
        one = prior.price(-(-T // S))
        assert (one is None) == (None in prices)
        if one is not None:
            assert sum(prices) <= S * one + 1e-9


@pytest.mark.parametrize("drift", [False, True])
def test_saved_in_the_middle_and_loaded_goes_on_to_the_last_bit(tmp_path: Path, drift: bool) -> None:
    rules = at.RealThresholds().on("score")
    learner = at.Adept(rules, review=at.Review(0.2, policy="cheapest"), costs=(3, 1), by="tenant", drift=drift, seed=4)
    rng = np.random.default_rng(8)

    def row() -> dict[str, Any]:
        return {"tenant": "abcdefgh"[int(rng.integers(8))], "score": float(rng.random())}

    for _ in range(400):
        learner.learn(row(), int(rng.random() < 0.4), weight=float(rng.random()))
    waiting = [learner.answer(row()) for _ in range(3)]
    learner.save(tmp_path / "it.adept")
    again: Any = at.load(tmp_path / "it.adept")
    copied = pickle.loads(pickle.dumps(learner))
    assert dict(again.certificate()) == dict(learner.certificate()) == dict(copied.certificate())
    assert again.by_segment() == learner.by_segment() and len(learner.by_segment()) == 8
    for i in range(200):
        x: Any = waiting.pop() if i % 40 == 0 and waiting else {**row(), "tenant": "new"} if i % 50 == 7 else row()
        y = int(rng.random() < 0.4)
        for one in (learner, again, copied):
            one.learn(x, y)
        x = row()
        assert again.predict_proba(x) == learner.predict_proba(x) == copied.predict_proba(x)
    assert again.expected_loss == learner.expected_loss == copied.expected_loss


def test_an_altered_file_is_refused() -> None:
    learner = at.Adept(RULES, review=0.2, by="tenant")
    for row, y in rounds(1, 60):
        learner.learn(row, y)
    state = learner.engine.state()
    part = state["columns"][1]
    for field, value in [
        ("sizes_of", part["sizes_of"] + 1),
        ("sizes_of", -part["sizes_of"]),
        ("sizes_of", part["sizes_of"][:, :-1]),
        ("names", ["a", "a", "b"]),
        ("names", ["a", None, "b"]),
        ("keys", part["keys"][::-1].copy()),
        ("keys", part["keys"][:-1]),
        ("zeros", part["zeros"] - 1000),
        ("whole", 3),
    ]:
        kept = part[field]
        part[field] = value
        with pytest.raises(ValueError, match="cannot be what a learner saved"):
            at.Adept(RULES, review=0.2, by="tenant").engine.restore(state)
        part[field] = kept
    at.Adept(RULES, review=0.2, by="tenant").engine.restore(state)


def test_rows_and_refusals() -> None:
    learner = at.Adept(RULES, review=0.2, by="tenant")
    learner.learn_many([{"tenant": 7, "score": 3}, {"score": 4}, {"tenant": "7", "score": 5}], [0, 1, 1])
    assert [name for name, _, _ in learner.by_segment()] == ["7", ""]
    at.Adept(RULES, by="tenant", rate=0.5).learn({"tenant": "a", "score": 3}, 1)
    with pytest.raises(InvalidArgument, match=r'must name the columns they read; .* use rules.on\("column"\)'):
        at.Adept(at.Thresholds(9), by="tenant", review=0.2)
    for rules in (at.RealSteps().on("score"), at.TableSteps(["score"]), at.RealSteps().on("score") | RULES):
        with pytest.raises(
            UnsupportedCombination, match=r"is compared with its most probable rule, so that it does not"
        ):
            at.Adept(rules, by="tenant", review=0.2)
    refused: tuple[tuple[dict[str, Any], str], ...] = (
        ({"engine": "paths"}, 'by= cannot be used with engine="paths"; use engine="auto"'),
        ({"prior": "paper", "horizon": 90}, "so that by= has no guarantee with it"),
        ({"max_width": 9}, "so that by= has no guarantee; leave max_width out"),
    )
    for given, says in refused:
        with pytest.raises(UnsupportedCombination, match=re.escape(says)):
            at.Adept(RULES, by="tenant", **given)
    with pytest.raises(InvalidArgument, match="segments must be"):
        at.Adept(RULES, by="tenant", segments=0, review=0.2)
    for wrong in ("", 3):
        with pytest.raises(InvalidArgument, match=f"by must be the name of a column; got by={wrong!r}"):
            at.Adept(RULES, by=wrong, review=0.2)  # type: ignore[arg-type]


def test_segments_of_segments_are_refused() -> None:
    learner = at.Adept(at.Thresholds(8).on("v"), by="shop")
    with pytest.raises(InvalidArgument, match=r"; got rules=.* or learner\.rules in place of rules with segments"):
        at.Adept(learner.concept_class, by="shop")
    with pytest.raises(InvalidArgument, match="in place of rules with segments"):
        learner.concept_class | at.Experts("lr")
    assert at.Adept(learner.rules, by="shop").concept_class == learner.concept_class


def test_missing_names_are_one_segment_and_whole_numbers_one_name() -> None:
    names = ["a", None, math.nan, 1, 1.0, "1", ""]
    rows = [*({"tenant": name, "score": 3} for name in names), {"score": 3}]
    single, many = (at.Adept(RULES, review=0.2, by="tenant") for _ in range(2))
    for row in rows:
        single.learn(row, 1)
    many.learn_many(rows, [1] * len(rows))
    assert [name for name, _, _ in single.by_segment()] == [name for name, _, _ in many.by_segment()] == ["a", "", "1"]
    assert single.expected_loss == many.expected_loss


@pytest.mark.parametrize("how", [{}, {"review": 0.2}, {"review": 0.2, "drift": True}], ids=repr)
@pytest.mark.parametrize(
    ("value", "name"),
    [
        (np.float32(1), "1"),
        (np.float16(2), "2"),
        (np.datetime64("2020-01-01"), "2020-01-01 00:00:00"),
        (pd.NA, ""),
        (True, "True"),
        (np.timedelta64(1, "s"), "durations as numbers"),
        (timedelta(1), "durations as numbers"),
        (np.datetime64("20000-01-01"), "years 1 to 9999"),
        pytest.param(10**5000, "at most 4,300 digits", id="many digits"),
    ],
)
def test_a_row_is_in_one_segment_by_all_calls(value: Any, name: str, how: dict[str, Any]) -> None:
    row = {"score": 3, "tenant": value}
    calls: list[Callable[[at.Adept], Any]] = [
        lambda learner: learner.learn(row, 1),
        lambda learner: learner.learn_many([row], [1]),
        lambda learner: learner.learn(learner.answer(row), 1),
        lambda learner: learner.learn(row, learner.predict_proba(row) <= 1),
    ]
    for call in calls:
        learner = at.Adept(RULES, by="tenant", **how)
        if " " in name and "-" not in name:
            with pytest.raises(InvalidInstance, match=name):
                call(learner)
            assert not learner.by_segment()
        else:
            call(learner)
            assert [one for one, _, _ in learner.by_segment()] == [name]


def test_many_segments_are_saved_and_loaded(tmp_path: Path) -> None:
    """The number of combinations of rules is beyond every float."""
    learner = at.Adept(at.RealThresholds().on("score"), review=0.1, by="tenant")
    for i in range(1400):
        learner.learn({"tenant": i % 700, "score": i / 7}, i % 2)
    learner.save(tmp_path / "it.adept")
    again: Any = at.load(tmp_path / "it.adept")
    assert again.certificate().segments == 700 and dict(again.certificate()) == dict(learner.certificate())
    row = {"tenant": 5, "score": 0.5}
    assert (
        again.predict_proba(row) == learner.predict_proba(row) == pickle.loads(pickle.dumps(learner)).predict_proba(row)
    )
