"""Segments without review: a learner for all rows, one per segment, each at its own rate, and Hedge over the two."""

from __future__ import annotations

import math
import pickle
import tracemalloc
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kernel_forms import forms_of

import adeptree as at
from adeptree.core.compiled import COMPILED
from adeptree.core.errors import UnsupportedCombination
from adeptree.families.combined.segmented_engine import LevelsPrior
from adeptree.families.combined.segments_engine import SegmentsPrior
from adeptree.families.line.thresholds_engine import ThresholdsEngine
from adeptree.learners import guarantees
from adeptree.learners.state_validation import check_saved
from adeptree.theory.coins import word_of
from adeptree.theory.priors import KTPrior, MixedPrior

GRID = at.Thresholds(9).on("score")
FLOATS = at.RealThresholds().on("score")
CUTS = np.arange(10)


def mixed(weights: list[float], losses: list[float], rate: float) -> float:
    """Return the mix loss of experts with these weights."""
    least = min(losses)
    return least - math.log(sum(w * math.exp(-rate * (x - least)) for w, x in zip(weights, losses, strict=True))) / rate


class SlowLine:
    """Ten cuts with a weight each, and the adaptive rate, written out."""

    def __init__(self, scale: float) -> None:
        self.losses, self.points = [0.0] * 10, set[int]()
        self.rate, self.kappa, self.excess, self.lost = 4 / scale, 2.0, 0.0, 0.0
        self.last = self.rate

    def weights(self) -> list[float]:
        least = min(self.losses)
        weights = [0.1 * math.exp(-self.rate * (loss - least)) for loss in self.losses]
        return [w / sum(weights) for w in weights]

    def p(self, x: int) -> float:
        return sum(w for cut, w in zip(CUTS, self.weights(), strict=True) if x >= cut)

    def price(self) -> float:
        """Rules of least loss that agree on all points are one path; the largest counts."""
        paths: dict[tuple[bool, ...], float] = {}
        for cut, loss in zip(CUTS, self.losses, strict=True):
            if loss == min(self.losses):
                labels = tuple(bool(x >= cut) for x in sorted(self.points))
                paths[labels] = paths.get(labels, 0.0) + 0.1
        return -math.log(max(paths.values()))

    def settle(self, x: int, y: int, cost: float, said: float) -> float:
        self.points.add(x)
        wrong = [cost * ((x >= cut) != y) for cut in CUTS]
        lost = cost * abs(said - y)
        self.excess += lost - mixed(self.weights(), wrong, self.rate)
        self.losses = [one + two for one, two in zip(self.losses, wrong, strict=True)]
        self.lost += lost
        self.last = self.rate
        if self.excess >= 2.1 * self.kappa / self.rate:
            self.kappa = max(self.kappa, self.price(), math.log(10))
            self.rate = min(self.rate, 2 * self.kappa / self.excess)
        return lost

    def proven(self) -> float:
        return min(self.losses) + self.price() / self.last + self.excess - self.lost


class SlowLevels:
    """Hedge over a line for all and a line per segment."""

    def __init__(self, scale: float) -> None:
        self.scale, self.all, self.each = scale, SlowLine(scale), dict[str, SlowLine]()
        self.rate, self.excess, self.lost, self.last = 4 / scale, 0.0, 0.0, 4 / scale

    def of(self, name: str) -> SlowLine:
        return self.each.setdefault(name, SlowLine(self.scale))

    def weights(self) -> list[float]:
        losses = [self.all.lost, sum(line.lost for line in self.each.values())]
        weights = [math.exp(-self.rate * (loss - min(losses))) for loss in losses]
        return [w / sum(weights) for w in weights]

    def says(self, row: dict[str, Any]) -> tuple[float, float]:
        return self.all.p(row["score"]), self.of(row["tenant"]).p(row["score"])

    def p(self, row: dict[str, Any]) -> float:
        return sum(w * p for w, p in zip(self.weights(), self.says(row), strict=True))

    def enter(self, row: dict[str, Any]) -> None:
        self.all.points.add(row["score"])
        self.of(row["tenant"]).points.add(row["score"])

    def settle(self, row: dict[str, Any], y: int, cost: float, p: float, says: tuple[float, float]) -> None:
        weights, x = self.weights(), row["score"]
        parts = [self.all.settle(x, y, cost, says[0]), self.of(row["tenant"]).settle(x, y, cost, says[1])]
        self.lost += cost * abs(p - y)
        self.excess += cost * abs(p - y) - mixed(weights, parts, self.rate)
        self.last = self.rate
        if self.excess >= 2.1 * 2 / self.rate:
            self.rate = min(self.rate, 2 * 2 / self.excess)

    def proven(self, loss: float) -> float:
        return self.lost - loss + min(self.all.proven(), sum(line.proven() for line in self.each.values()))


def rows(seed: int, T: int, apart: int = 3, noise: float = 0.15) -> list[tuple[dict[str, Any], int]]:
    """Return rows whose cut depends on the tenant."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(T):
        name, score = "abc"[int(rng.integers(3))], int(rng.integers(9))
        label = int(score >= 2 + apart * "abc".index(name)) ^ int(rng.random() < noise)
        found.append(({"tenant": name, "score": score}, label))
    return found


@pytest.mark.parametrize("costs", [(1, 1), (5, 2)])
@pytest.mark.parametrize(("apart", "late"), [(3, False), (0, False), (3, True), (0, True)])
def test_the_weights_of_all_rules_written_out(costs: tuple[float, float], apart: int, late: bool) -> None:
    """Against an opponent that reads p; with weights, and labels that come late in any order."""
    learner = at.Adept(GRID, costs=costs, prior="uniform", by="tenant", max_weight=2)
    slow, rng, waiting = SlowLevels(2.0 * max(costs)), np.random.default_rng(7), list[Any]()
    for t, (row, label) in enumerate(rows(1, 400, apart=apart)):
        y = int(slow.p(row) < 0.5) if t % 3 == 0 else label
        weight = float(rng.random() * 2)
        p, says = slow.p(row), slow.says(row)
        assert learner.predict_proba(row) == pytest.approx(p, abs=1e-12)
        if late and rng.random() < 0.7:
            slow.enter(row)
            waiting.append((learner.answer(row), row, y, weight, p, says))
            if rng.random() < 0.3:
                continue
            ticket, row, y, weight, p, says = waiting.pop(int(rng.integers(len(waiting))))
            learner.learn(ticket, y, weight=weight)
        else:
            learner.learn(row, y, weight=weight)
        slow.settle(row, y, costs[1 - y] * weight, p, says)
        assert learner.learning_rate == pytest.approx(slow.rate, rel=1e-11)
    told = learner.certificate()
    kernel: Any = learner.engine.kernel
    assert told.expected_loss == pytest.approx(slow.lost, rel=1e-12)
    assert learner.ledger.excess == pytest.approx(slow.excess, abs=1e-9)
    assert kernel.own[0] == pytest.approx(slow.all.rate, rel=1e-10)
    for k, name in enumerate(kernel.segments.places):
        assert kernel.segments.own[5 * k] == pytest.approx(slow.each[name].rate, rel=1e-10)
    assert told.bound == pytest.approx(slow.proven(told.best_loss), abs=1e-8)
    assert told.pooled_bound == pytest.approx(slow.proven(min(slow.all.losses)), abs=1e-8)
    assert (told.overlaps > 50) == late and len(kernel.said) == len(waiting) == told.waiting


@pytest.mark.parametrize("late", [False, True])
def test_the_parts_are_learners_as_they_are_alone(late: bool) -> None:
    """To the numbers of ``Adept`` on all rows, and of one per segment; with the default prior, over floats."""
    learner = at.Adept(FLOATS, by="tenant", costs=(3, 1))
    alone = {name: at.Adept(at.RealThresholds(), costs=(3, 1)) for name in ("all", *"abcd")}
    rng, waiting = np.random.default_rng(3), list[Any]()
    for _ in range(1500 if COMPILED else 400):
        name, score = "abcd"[int(rng.integers(4))], round(float(rng.random()), 2)
        row, y = {"tenant": name, "score": score}, int(rng.random() < (0.8 if score > 0.4 else 0.2))
        both = alone["all"], alone[name]
        if late:
            waiting.append((learner.answer(row), y, [(one, one.answer(score)) for one in both]))
            while len(waiting) > 20:
                ticket, y, others = waiting.pop(int(rng.integers(20)))
                learner.learn(ticket, y)
                for one, its in others:
                    one.learn(its, y)
        else:
            learner.learn(row, y)
            for one in both:
                one.learn(score, y)
    kernel: Any = learner.engine.kernel
    each = [alone[name] for name in kernel.segments.places]
    assert kernel.lost[0] == pytest.approx(alone["all"].expected_loss, rel=1e-12)
    assert kernel.lost[1] == pytest.approx(sum(one.expected_loss for one in each), rel=1e-12)
    own = [np.array(kernel.own), *np.array(kernel.segments.own)[:20].reshape(4, 5)]
    for its, one in zip(own, [alone["all"], *each], strict=True):
        assert its[0] == pytest.approx(one.rate_rule.eta, rel=1e-10)
        assert its[2] == pytest.approx(one.ledger.excess, abs=1e-9)
    assert learner.best_loss == sum(one.best_loss for one in each)


def rules_of_every_kind() -> dict[str, Any]:
    """Return rules whose segments have separate structures, all on rows with the columns u, v and w."""
    return {
        "intervals": at.Intervals(6).on("u"),
        "unions": at.RealIntervalUnions(2).on("v"),
        "blocks": at.BlockUnions(2).on("w"),
        "listed": at.FiniteClass([[0, 0, 1, 1, 1, 0], [0, 1, 1, 0, 0, 0], [1, 1, 1, 1, 0, 0]]).on("u"),
        "stumps": at.RealStumps(["u", "v"]),
        "table": at.TableStumps(["u", "v", "w"]),
        "table of sets": at.TableIntervals(["u", "w"], values=2),
        "union": at.Experts("v", at=0.5) | at.Thresholds(6).on("u") | at.TableStumps(["u", "w"]),
        "shares": at.union(at.Experts("v"), at.Thresholds(6).on("u") | at.Intervals(6).on("u"), shares=(1, 3)),
    }


EVERY = rules_of_every_kind()


def mixed_rows(seed: int, T: int) -> list[tuple[dict[str, Any], int, float]]:
    """Return rows of four tenants, labels and weights; one tenant's labels are turned."""
    rng, found = np.random.default_rng(seed), list[tuple[dict[str, Any], int, float]]()
    for _ in range(T):
        u, v, w = int(rng.integers(6)), round(float(rng.random()), 2), "xyz"[int(rng.integers(3))]
        name = "abcd"[int(rng.integers(4))]
        y = int((u >= 3) ^ (name == "c") ^ (rng.random() < 0.15))
        found.append(({"tenant": name, "u": u, "v": v, "w": w}, y, float(rng.choice([1, 0.5]))))
    return found


@pytest.mark.parametrize("kind", EVERY)
def test_parts_of_every_kind_are_learners_as_they_are_alone(kind: str) -> None:
    """Two levels: the losses, rates and excesses of ``Adept`` on all rows, and of one per segment."""
    rules, learner = EVERY[kind], at.Adept(EVERY[kind], by="tenant", costs=(3, 1), max_weight=2)
    assert learner.engine.members[1].kind == "segments"  # type: ignore[attr-defined]
    alone = {name: at.Adept(rules, costs=(3, 1), max_weight=2, prior="mixed") for name in ("all", *"abcd")}
    waiting = list[Any]()
    for t, (row, y, weight) in enumerate(mixed_rows(2, 500 if COMPILED else 120)):
        both = alone["all"], alone[row["tenant"]]
        if t % 3 == 0:
            waiting.append((learner.answer(row), y, [(one, one.answer(row)) for one in both]))
            if len(waiting) > 9:
                ticket, y, others = waiting.pop(t % 9)
                learner.learn(ticket, y)
                for one, its in others:
                    one.learn(its, y)
        else:
            learner.learn(row, y, weight=weight)
            for one in both:
                one.learn(row, y, weight=weight)
        assert learner.regret <= learner.bound + 1e-9
    kernel: Any = learner.engine.kernel
    each = [alone[name] for name in kernel.segments.places]
    assert kernel.lost[0] == pytest.approx(alone["all"].expected_loss, rel=1e-9)
    assert kernel.lost[1] == pytest.approx(sum(one.expected_loss for one in each), rel=1e-9)
    own = [np.array(kernel.own), *np.array(kernel.segments.own)[:20].reshape(4, 5)]
    for its, one in zip(own, [alone["all"], *each], strict=True):
        assert its[0] == pytest.approx(one.rate_rule.eta, rel=1e-9)
        assert its[2] == pytest.approx(one.ledger.excess, abs=1e-8)
    assert learner.best_loss == pytest.approx(sum(one.best_loss for one in each))
    told = learner.certificate()
    assert told.pooled_loss == pytest.approx(alone["all"].best_loss)


@pytest.mark.parametrize("kind", ["thresholds", "stumps", "table", "union"])
def test_with_drift_the_parts_have_all_rates_at_once(kind: str) -> None:
    """The losses of ``Adept(drift="sharing")`` on all rows and per segment; bounds hold at every moment."""
    rules = {**EVERY, "thresholds": at.RealThresholds().on("v")}[kind]
    learner = at.Adept(rules, by="tenant", drift=True, costs=(3, 1), max_weight=2)
    how: dict[str, Any] = {"costs": (3, 1), "max_weight": 2, "drift": "sharing"}
    alone = {name: at.Adept(rules, **how) for name in ("all", *"abcd")}
    waiting = list[Any]()
    for t, (row, y, weight) in enumerate(mixed_rows(4, 400 if COMPILED else 80)):
        both = alone["all"], alone[row["tenant"]]
        y ^= int(t % 100 < 50)
        if t % 4 == 0:
            waiting.append((learner.answer(row), y, [(one, one.answer(row)) for one in both]))
            if len(waiting) > 5:
                ticket, y, others = waiting.pop(t % 5)
                learner.learn(ticket, y)
                for one, its in others:
                    one.learn(its, y)
        else:
            learner.learn(row, y, weight=weight)
            for one in both:
                one.learn(row, y, weight=weight)
        assert learner.regret <= learner.bound + 1e-9
    kernel: Any = learner.engine.kernel
    each = [alone[name] for name in kernel.segments.places]
    assert kernel.lost[0] == pytest.approx(alone["all"].expected_loss, rel=1e-9)
    assert kernel.lost[1] == pytest.approx(sum(one.expected_loss for one in each), rel=1e-9)
    told = learner.certificate()
    assert told.pooled_bound is not None and told.pooled_loss is not None
    assert told.pooled_loss == pytest.approx(alone["all"].best_loss)
    # The bound of either part follows from the bounds of the learners.
    ends = [(alone["all"],), each]
    beyond = min(sum(one.best_loss + guarantees.theorem_one(one) - one.expected_loss for one in some) for some in ends)
    assert told.bound == pytest.approx(min(told.regret + beyond, learner.rounds * learner.scale), abs=1e-6)
    assert told.pooled_bound == pytest.approx(told.expected_loss - told.pooled_loss + beyond, abs=1e-6)
    assert told.in_advance is None and "with by= and drift= together nothing is proven" in told.in_advance_note
    with pytest.raises(at.errors.InvalidArgument, match="build with a larger max_weight="):
        learner.learn({"tenant": "a", "u": 1, "v": 0.5, "w": "x"}, 1, weight=3)


@pytest.mark.parametrize("drift", [False, "sharing"])
@pytest.mark.parametrize("kind", EVERY)
def test_at_one_rate_they_are_half_and_half(kind: str, drift: Any) -> None:
    """The joint mixture against separate learners for all rows and for each segment, weighed by their losses."""
    rules, eta = EVERY[kind], at.Review(0.2).rate(3, 1)
    learner = at.Adept(rules, by="tenant", costs=(3, 1), review=0.2, drift=drift)
    alone = {name: at.Adept(rules, costs=(3, 1), rate=eta, prior="mixed", drift=drift) for name in ("all", *"abcd")}
    log_z = dict.fromkeys(alone, 0.0)
    for row, y, weight in mixed_rows(5, 200 if COMPILED else 80):
        both = ("all", row["tenant"])
        says = [alone[name].predict_proba(row) for name in both]
        odds = log_z["all"] - sum(z for name, z in log_z.items() if name != "all")
        share = 1 / (1 + math.exp(-odds))
        assert learner.predict_proba(row) == pytest.approx(share * says[0] + (1 - share) * says[1], abs=1e-9)
        for name, p in zip(both, says, strict=True):
            cost = weight * learner.costs[1 - y]
            log_z[name] += math.log1p(abs(p - y) * math.expm1(-eta * cost))
            alone[name].learn(row, y, weight=weight)
        learner.learn(row, y, weight=weight)
        assert learner.regret <= learner.bound + 1e-9
    assert learner.best_loss == pytest.approx(sum(alone[name].best_loss for name in "abcd"))


@pytest.mark.parametrize("segments", [1000, 20])
def test_one_common_cut_costs_nothing_and_cuts_that_differ_are_found(segments: int) -> None:
    T = 20_000 if COMPILED else 1_500
    rng = np.random.default_rng(0)
    xs, who = rng.random(T).round(3), rng.integers(0, segments, T)
    cuts = 0.4 if segments == 1000 else 0.4 + 0.5 * ((who % 7) / 7 - 0.43)
    ys = ((xs >= cuts) ^ (rng.random(T) < 0.2)).astype(int)
    pooled, learner = at.Adept(at.RealThresholds()), at.Adept(FLOATS, by="tenant")
    pooled.learn_many(xs, ys)
    learner.learn_many([{"tenant": f"t{k}", "score": x} for k, x in zip(who, xs.tolist(), strict=True)], ys)
    if segments == 1000:
        assert learner.expected_loss <= pooled.expected_loss + 5
    elif COMPILED:
        assert learner.expected_loss <= 0.8 * pooled.expected_loss
    told = learner.certificate()
    assert told.regret <= told.bound and told.pooled_bound is not None and told.pooled_loss is not None
    assert told.expected_loss - told.pooled_loss <= told.pooled_bound
    assert told.pooled_leads == (segments == 1000) or not COMPILED


@pytest.mark.parametrize("seed", range(6))
def test_the_bounds_hold_at_every_moment(seed: int) -> None:
    """Against opponents that read p, with costs, weights, and labels in time and late."""
    rng = np.random.default_rng(seed)
    costs = ((1, 1), (4, 1), (1, 3))[seed % 3]
    learner = at.Adept(GRID, costs=costs, by="tenant", max_weight=2, prior=("mixed", "kt", "uniform")[seed // 2])
    lost, waiting = np.zeros((4, 10)), list[at.Ticket]()  # of the ten cuts, per tenant and in all
    for t, (row, label) in enumerate(rows(seed, 300, apart=seed % 4)):
        reads = seed % 2 and t % 50 < 40
        if seed < 3:
            p = learner.predict_proba(row)
            y, weight = int(p < 0.5) if reads else label, float(rng.random() * 2)
            learner.learn(row, y, weight=weight)
        else:
            waiting.append(learner.answer(row))
            if t % 4 == 0 or not waiting:
                continue
            ticket = waiting.pop(int(rng.integers(len(waiting))) if t % 2 else 0)
            row, y, weight = ticket.x, int(ticket.p < 0.5) if reads else label, float(rng.random() * 2)
            learner.learn(ticket, y, weight=weight)
        wrong = ((row["score"] >= CUTS) != y) * costs[1 - y] * weight
        lost["abc".index(row["tenant"])] += wrong
        lost[3] += wrong
        assert learner.regret <= learner.bound + 1e-9
        told = learner.certificate()
        assert told.pooled_bound is not None and told.pooled_loss is not None
        assert told.expected_loss - told.pooled_loss <= told.pooled_bound + 1e-9
    assert told.best_loss == pytest.approx(lost[:3].min(axis=1).sum())
    assert told.pooled_loss == pytest.approx(lost[3].min())


def test_the_guarantee_in_advance_needs_the_number_of_segments() -> None:
    unknown = at.Adept(GRID, by="tenant")
    assert unknown.bound_after(1000) is None
    known = at.Adept(GRID, by="tenant", segments=3)
    for row, y in rows(5, 400):
        unknown.learn(row, y)
        y = int(known.predict_proba(row) < 0.5)
        known.learn(row, y)
        told = known.bound_after(known.rounds)
        assert told is not None and known.regret <= told
    assert unknown.in_advance is None and "the number of segments is not known; give segments=" in str(
        unknown.certificate()
    )
    K: Any = MixedPrior(4, math.log(10), False).price(400)
    hedge, C = at.bounds.adaptive_regret_in_advance(400, 2.0), at.bounds.adaptive_constant(K, 0.5 * 2 ** (-1 / 8))
    one: Any = MixedPrior(4, math.log(10), False).price(134)
    assert known.in_advance == pytest.approx(min(400, hedge + C * math.sqrt(3 * one * 400) + 3 * (one / 8 + 0.5)))
    costly = at.Adept(GRID, by="tenant", segments=3, costs=(5, 1)).bound_after(10_000)
    assert costly == pytest.approx(5 * (at.Adept(GRID, by="tenant", segments=3).bound_after(10_000) or 0))
    late = known.answer({"tenant": "a", "score": 1})
    known.learn({"tenant": "a", "score": 2}, 1)
    known.learn(late, 1)
    assert known.in_advance is None and "while another waited" in known.certificate().in_advance_note


@pytest.mark.parametrize("prior", [KTPrior(4), MixedPrior(4, math.log(17), False)], ids=lambda prior: prior.name)
def test_the_guarantee_covers_segments_of_any_sizes(prior: Any) -> None:
    """The guarantees of the segments' own rounds sum to at most what is stated for all."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        S, T = int(rng.integers(1, 9)), int(rng.integers(2, 3000) if rng.random() < 0.8 else rng.integers(2, 9))
        sizes = np.diff(np.concatenate([[0], np.sort(rng.integers(0, T + 1, size=S - 1)), [T]]))
        floor = prior.floor * 2 ** (-1 / 8)
        each = sum(at.bounds.adaptive_regret_in_advance(int(n), prior.price(int(n)), floor) for n in sizes if n)
        assert each <= LevelsPrior(prior.name, SegmentsPrior(prior, S)).further(T, 1.0) + 1e-9


def test_saved_in_the_middle_and_loaded_goes_on_to_the_last_bit(tmp_path: Path) -> None:
    learner = at.Adept(FLOATS, costs=(3, 1), by="tenant", seed=4)
    rng = np.random.default_rng(8)

    def row() -> dict[str, Any]:
        return {"tenant": "abcdefgh"[int(rng.integers(8))], "score": float(rng.random())}

    for _ in range(400):
        learner.learn(row(), int(rng.random() < 0.4), weight=float(rng.random()))
    waiting = [learner.answer(row()) for _ in range(4)]
    learner.give_up(waiting.pop())
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
    assert dict(again.certificate()) == dict(learner.certificate()) == dict(copied.certificate())
    kernel: Any = learner.engine.kernel
    assert kernel.said == {}


def test_an_altered_file_is_refused() -> None:
    learner = at.Adept(GRID, by="tenant")
    for row, y in rows(1, 60):
        learner.learn(row, y)
    waiting = learner.answer({"tenant": "a", "score": 3})
    saved = learner.saved()
    state = saved["learnt"]["engine"]
    part = state["columns"][1]
    own, each = state["own"], part["own"]
    for where, field, value in [
        (state, "own", own * [1, 0.5, 1, 1, 1]),
        (state, "own", own * [-1, 1, 1, 1, 1]),
        (state, "own", own * [1, 1, 100, 1, 1]),
        (state, "own", own * [1, 1, 1, 0.99, 1]),
        (state, "own", own[:-1]),
        (state, "lost", [1e9, 1.0]),
        (state, "said", state["said"] + 1),
        (state, "said", state["said"][:0]),
        (part, "own", each[:-1]),
        (part, "own", -each),
        (part, "own", each * [1, 1, 1, 1, 0.5]),
    ]:
        kept, where[field] = where[field], value
        with pytest.raises(ValueError, match="cannot be what a learner saved"):
            at.Adept(GRID, by="tenant").engine.restore(state)
        where[field] = kept
    at.Adept(GRID, by="tenant").engine.restore(state)
    state["waiting"]["tickets"] = [waiting.id - 1]
    with pytest.raises(ValueError, match="waiting tickets cannot be what a learner saved"):
        check_saved(saved)


def test_batches_rows_and_coins_are_those_of_single_calls() -> None:
    stream = rows(9, 200)
    one, many = at.Adept(GRID, by="tenant", seed=3), at.Adept(GRID, by="tenant", seed=3)
    drawn = 0
    for row, y in stream:
        drawn += one.predict(row) != y
        one.learn(row, y)
    many.learn_many([row for row, _ in stream], [y for _, y in stream])
    assert dict(one.certificate()) == dict(many.certificate()) and one.realised_loss == drawn
    looks = many.predict_proba_many([row for row, _ in stream[:50]]).tolist()
    assert looks == [one.predict_proba(row) for row, _ in stream[:50]]
    odd = {"tenant": 7, "score": 3.0, "more": "x"}
    assert one.predict_proba(odd) == one.predict_proba({"tenant": "7", "score": 3})
    assert one.predict_proba({"score": 3}) == one.predict_proba({"tenant": math.nan, "score": np.int64(3)})
    before = one.predict_proba(stream[0][0])
    one.by_segment(), one.certificate(), one.rules_within(3)
    assert one.predict_proba(stream[0][0]) == before and one.width == many.width == 10 + 10**3


def test_after_a_round_heavier_than_announced_rates_begin_lower() -> None:
    learner = at.Adept(GRID, by="tenant")
    with pytest.warns(at.errors.PromiseEnded):
        learner.learn({"tenant": "a", "score": 3}, 1, weight=50)
    for row, y in rows(2, 200):
        learner.learn(row, y, weight=50)
        assert learner.regret <= learner.bound + 1e-9
    learner.learn({"tenant": "new", "score": 3}, 1, weight=0)
    kernel: Any = learner.engine.kernel
    assert learner.learning_rate <= 4 / 50 and kernel.segments.own[15] == 4 / 50


def test_machine_code_and_source_give_the_same_bits() -> None:
    sources = ("structures.segments", "structures.mixture", "structures.thresholds")
    kinds = zip(*(forms_of(f"adeptree.{source}_kernel") for source in sources), strict=True)
    measure, found = ThresholdsEngine(at.RealThresholds(), MixedPrior()).measure(), []
    for segments, mixture, line in kinds:
        pooled = mixture.MixtureKernel([line.ThresholdsKernel(*measure)], ["score"], [None], [0.0], word_of)
        each = segments.ArenaKernel(line.ThresholdsKernel(*measure))
        each.by, each.column = "tenant", "score"
        each.rate_each()
        made = segments.TwoLevelsKernel(
            [pooled, each], "01", [None] * 2, [-1.0] * 2, word_of, lambda: 1.5, [9.0] * 99, 0.5
        )
        made.direct, bits = [True, True], list[Any]()
        made.set_rate(4.0)
        for t, (row, y) in enumerate(rows(4, 300)):
            if t == 150:
                made.set_rate(1.5)
            bits.append((made.chance(row), made.log_ratio(), made.proven(), list(made.own)))
            if t % 5 == 0:
                made.open(row, 0)
            elif t % 5 == 4:
                made.settle((rows(4, 300)[t - 4][0], t - 3), y, 2.0, 0.5, 0.0, 0, 3)
            else:
                made.learn(row, y, 1.0 + t % 3)
        found.append((bits, made.ledger.excess, made.count(), made.asked, made.said))
    assert all(one == found[0] for one in found)


def test_a_segment_takes_few_bytes() -> None:
    """Size with three rounds each, names included."""
    count = 5_000 if COMPILED else 500
    learner, rng = at.Adept(FLOATS, by="tenant"), np.random.default_rng(0)
    learner.learn({"tenant": "a", "score": 0.5}, 1)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for t in range(3 * count):
            learner.learn({"tenant": f"tenant {t % count}", "score": float(rng.random())}, t % 2)
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert (after - before) / count <= 900


def test_what_has_no_guarantee_is_refused() -> None:
    with pytest.raises(UnsupportedCombination, match="by= with rate='anytime' needs review=, or a positive number"):
        at.Adept(GRID, by="tenant", rate="anytime")
    build = partial(at.Adept, GRID, by="tenant")
    assert build().engine.kind == "two-levels" and build(rate=0.5).engine.kind == "segmented"
    with pytest.raises(UnsupportedCombination, match="is compared with its most probable rule"):
        at.Adept(at.RealSteps().on("score"), by="tenant")
