"""Labels that the learner asks for (Theorem Q): chances, the worst case, unbiased estimates, late labels, a limit."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.core.compiled import kernel
from adeptree.core.errors import InvalidArgument, UnsupportedCombination
from adeptree.theory.coins import Coins

LEDGER = kernel("adeptree.theory.ledger_kernel")

COSTS = [(1.0, 1.0), (5.0, 1.0), (0.2, 3.0)]
TWO = at.FiniteClass([[0], [1]])
"""One point and two rules: always 0 and always 1."""
SHARES = [0.0, 1e-300, *np.logspace(-14, -0.31, 80), *(1 - np.logspace(-14, -0.31, 80)), 1.0]


def chance(p: float, eta: float, most: float) -> float:
    """Return the chance of asking where a round costs at most this much."""
    return min(1.0, 4 * p * (1 - p) + eta * most / 3)


def gap(p: float, y: int, cost: float, eta: float, q: float) -> float:
    """Return what a round costs beyond its mean estimated mix loss, the round counting 1/q times if it is asked."""
    wrong = 1 - p if y else p
    return cost * wrong + q / eta * math.log1p(wrong * math.expm1(-eta * cost / q))


@pytest.mark.parametrize("costs", COSTS, ids=str)
@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_a_round_costs_no_more_than_with_all_labels(costs: tuple[float, float], weight: float) -> None:
    """On a grid of shares and rates, also for rounds lighter than announced; with a floor of 0.3 times it fails."""
    most, too_low = max(costs), 0
    for eta in (1e-4, 0.01, 0.3, 1.0, 3.0, 20.0):
        for p in SHARES:
            q, low = chance(p, eta / most, most), min(1.0, 4 * p * (1 - p) + 0.3 * eta / 3)
            for y, cost in ((1, costs[0] * weight), (0, costs[1] * weight)):
                allowed = eta / most * cost**2 / 8
                assert gap(p, y, cost, eta / most, q) <= allowed * (1 + 1e-9) + 1e-13 * most
                too_low += gap(p, y, cost, eta / most, low) > 1.001 * allowed
    assert too_low or weight < 1


@pytest.mark.parametrize("costs", COSTS, ids=str)
@pytest.mark.parametrize("horizon", [60, None])
def test_the_learner_takes_these_chances(costs: tuple[float, float], horizon: int | None) -> None:
    learner = at.Adept(TWO, horizon, costs=costs, max_weight=2, feedback="asked", prior="uniform", seed=3)
    rng, known, asked, most = np.random.default_rng(0), 0.0, 0, 2 * max(costs)
    for t in range(60):
        p, eta = learner.predict_proba(0), learner.learning_rate
        wanted = math.sqrt(8 * math.log(2) / 60) / most if horizon else 2 * math.sqrt(math.log(2) / (t + 1)) / most
        assert wanted * (1 - 1e-12) <= eta <= wanted * (math.sqrt(1.05) if horizon is None else 1 + 1e-12)
        ticket, q = learner.answer(0), chance(p, eta, most)
        assert (ticket.p, ticket.r) == (p, 0.0) and ticket.q == pytest.approx(q, rel=1e-14) and ticket.action in (0, 1)
        known += max(gap(p, 1, 2 * costs[0], eta, q), gap(p, 0, 2 * costs[1], eta, q))
        if ticket.ask:
            asked += 1
            learner.learn(ticket, int(rng.random() < 0.6), weight=2 * float(rng.random()))
    told = learner.certificate()
    assert learner.ledger.beyond_mix == pytest.approx(known, abs=1e-9) and learner.waiting == 0
    assert (
        told.labels == asked == learner.rounds == learner.ledger.picked < learner.answered == 60 and told.reviews == 0
    )
    assert told.average_bound == pytest.approx(math.log(2) / learner.learning_rate + known)
    assert told.in_advance is not None and (told.average_bound or 0.0) <= told.in_advance + 1e-9


@pytest.mark.parametrize("costs", COSTS, ids=str)
@pytest.mark.parametrize("falling", [False, True])
def test_the_worst_case_of_two_rules(costs: tuple[float, float], falling: bool) -> None:
    """Value iteration over all labels and coins of 6 rounds: never above the promise, and near it."""
    (a, b), T, most = costs, 6, max(costs)
    built = at.Adept(TWO, None if falling else T, costs=costs, feedback="asked", prior="uniform")
    promise = built.bound_after(T) or 0.0
    rates = [
        (2 * math.sqrt(math.log(2) / t) if falling else math.sqrt(8 * math.log(2) / T)) / most for t in range(1, T + 1)
    ]
    exact = math.log(2) / rates[-1] + sum(rates) * most**2 / 8
    assert exact <= promise * (1 + 1e-12) and (falling or exact == pytest.approx(promise))

    @cache
    def worst(t: int, lost: float, rule: int) -> float:
        """Return the largest expected cost minus that of a rule; ``lost`` is how much more the rule 0 has lost."""
        if t == T:
            return 0.0
        p, values = 1 / (1 + math.exp(-rates[t] * lost)), []
        q = chance(p, rates[t], most)
        for y, wrong, cost in ((0, p, b), (1, 1 - p, a)):
            moved = lost + (cost if y else -cost) / q
            later = q * worst(t + 1, round(moved, 12), rule) + (1 - q) * worst(t + 1, lost, rule)
            values.append(wrong * cost - (cost if rule != y else 0.0) + later)
        return max(values)

    found = max(worst(0, 0.0, rule) for rule in (0, 1))
    assert 0.4 * promise < found <= exact + 1e-9


@pytest.mark.parametrize("flip", [False, True])
def test_estimates_are_unbiased(flip: bool) -> None:
    """Also where the share of 1 has been 0 or 1 for long: the floor is drawn in every round."""
    xs = np.tile(np.arange(4), 30)
    ys = (xs >= 2).astype(int)
    ys = np.where(np.arange(120) < 90, ys, 1 - ys) if flip else ys
    true = [int((np.where(xs >= cut, 1, 0) != ys).sum()) for cut in range(5)]
    found, sure = list[list[float]](), 0
    for seed in range(300):
        learner = at.Adept(at.Thresholds(4), rate=0.9, feedback="asked", seed=seed)
        for x, y in zip(xs.tolist(), ys.tolist(), strict=True):
            sure += learner.predict_proba(x) in (0.0, 1.0)
            learner.learn(x, y)
        near = {str(one.rule): one.loss for one in learner.rules_within(1e6)}
        names = ({0: "always 1", 4: "always 0"}.get(cut, "") for cut in range(5))
        found.append([near.get(f"x >= {cut}", near.get(name, math.nan)) for cut, name in enumerate(names)])
    means, errors = np.nanmean(found, axis=0), np.nanstd(found, axis=0) / math.sqrt(300)
    assert not np.isnan(found).any() and sure > 100
    assert (np.abs(means - true) <= 4 * errors + 1e-9).all(), (means, true)


def stream(T: int, noise: float = 0.2) -> tuple[list[int], list[int]]:
    rng = np.random.default_rng(2)
    xs = [int(x) for x in rng.integers(16, size=(T,))]
    return xs, [int(x >= 5) ^ int(rng.random() < noise) for x in xs]


def best_cut(xs: list[int], ys: list[int]) -> float:
    return min(sum((2 if y else 1) * (int(x >= cut) != y) for x, y in zip(xs, ys, strict=True)) for cut in range(17))


@pytest.mark.parametrize("delay", [0, 4])
def test_on_average_the_promise_is_kept(delay: int) -> None:
    """Over 200 seeds, with prompt labels and with late ones; and few labels are asked for."""
    T = 400
    xs, ys = stream(T)
    costs, errors, bounds, asked = list[float](), list[float](), list[float](), list[int]()
    for seed in range(200):
        learner = at.Adept(at.Thresholds(16), T, costs=(2, 1), feedback="asked", seed=seed)
        paid, wrong, waiting = 0.0, 0.0, list[tuple[int, at.Ticket, int]]()
        for t, (x, y) in enumerate(zip(xs, ys, strict=True)):
            ticket = learner.answer(x)
            wrong += abs(y - ticket.p)
            paid += (2 if y else 1) * abs(y - ticket.p)
            waiting += [(t, ticket, y)] if ticket.ask else []
            while waiting and (t == T - 1 or waiting[0][0] <= t - delay):
                learner.learn(*waiting.pop(0)[1:])
        told = learner.certificate()
        assert (told.in_advance is None) == (delay > 0) and told.regret <= told.bound + 1e-9
        costs.append(paid)
        errors.append(wrong)
        bounds.append(told.average_bound or math.nan)
        asked.append(told.labels)
    best, eta = best_cut(xs, ys), learner.learning_rate
    assert np.mean(costs) - 3 * np.std(costs) / math.sqrt(200) <= best + np.mean(bounds)
    assert np.mean(asked) <= 4 * np.mean(errors) + 2 * eta * T / 3
    in_advance = at.Adept(at.Thresholds(16), T, costs=(2, 1), feedback="asked").in_advance
    assert in_advance is not None and (delay or np.mean(bounds) <= in_advance)
    # Q-late: pairs of rounds that wait together if every label is asked for cost eta (max cost)^2 / 4 each.
    price = at.Adept(at.Thresholds(16), T, costs=(2, 1), feedback="asked").prior.price(T) or 0.0
    assert np.mean(costs) <= best + price / eta + eta * 4 * (T + 2 * delay * T) / 8


def test_many_rounds_at_once_are_single_rounds_and_a_file_goes_on(tmp_path: Path) -> None:
    xs, ys = stream(1500)
    how: dict[str, Any] = {"costs": (5, 1), "feedback": "asked", "max_labels": 300, "seed": 7}
    many, single, tickets = (at.Adept(at.Thresholds(16), **how) for _ in range(3))
    many.learn_many(xs, ys)
    for i, (x, y) in enumerate(zip(xs, ys, strict=True)):
        single.learn(x, y)
        ticket = tickets.answer(x)
        if ticket.ask:
            if i % 3 == 0 and tickets.rounds < 100:  # (a ticket that waits is part of the file)
                tickets.save(tmp_path / "it.adept")
                tickets = at.load(tmp_path / "it.adept")  # type: ignore[assignment]
                ticket = next(iter(tickets.tickets))
            tickets.learn(ticket, y)
    # (A point that was let in before its label may have another p by rounding, which counts as drift.)
    told = [{**one.certificate(), "drift": 0.0} for one in (many, single, tickets)]
    assert told[0] == told[1] == told[2] and 300 == told[0]["labels"] == many.rounds
    assert many.predict_proba(3) == tickets.predict_proba(3)


PLAY = """
import adeptree as at
from tests.learners.test_asked import LEARNERS, stream
xs, ys = stream(300)
for make in LEARNERS:
    learner = make()
    for t, (x, y) in enumerate(zip(xs, ys)):
        row = {"x": x, "m": x / 16, "tenant": "ab"[x % 2]}
        learner.learn(row if learner.concept_class.combines else x, y, weight=1 if t % 3 else 0.5)
    print(learner.expected_loss.hex(), learner.ledger.beyond_mix.hex(), learner.rounds, float(learner.best_loss).hex())
"""
COLUMN = at.Thresholds(16).on("x")
LEARNERS: list[Any] = [
    lambda: at.Adept(at.Thresholds(16), costs=(5, 1), feedback="asked"),
    lambda: at.Adept(at.RealThresholds(), 300, feedback="asked"),
    lambda: at.Adept(at.Intervals(16), 300, feedback="asked"),
    lambda: at.Adept(at.Thresholds(16), 300, feedback="asked", drift=True),
    lambda: at.Adept(at.Thresholds(16), 300, feedback="asked", engine="paths"),
    lambda: at.Adept(at.Thresholds(16), rate=0.3, feedback="asked", drift="sharing", engine="paths"),
    lambda: at.Adept(COLUMN | at.Experts("m"), feedback="asked", max_labels=90),
    lambda: at.Adept(COLUMN, feedback="asked", by="tenant", segments=2),
    lambda: at.Adept(COLUMN, 300, feedback="asked", by="tenant", segments=2, drift=True),
]


def test_compiled_and_interpreted_play_the_same_rounds() -> None:
    """To the bit, on every kind of structure."""
    root = Path(__file__).parents[2]
    said = []
    for engine in ("", "python"):
        env = {**os.environ, "ADEPTREE_ENGINE": engine, "PYTHONPATH": os.pathsep.join([str(root), *sys.path])}
        run = subprocess.run(
            [sys.executable, "-c", PLAY], env=env, capture_output=True, text=True, check=True, cwd=root
        )
        said.append(run.stdout)
    assert said[0] == said[1] and said[0].count("\n") == len(LEARNERS)


@pytest.mark.parametrize("make", LEARNERS)
def test_every_structure_learns_from_few_labels(make: Any) -> None:
    """A copy continues, and what is known on average is below what is known in advance."""
    learner = make()
    xs, ys = stream(300, noise=0.05)
    for t, (x, y) in enumerate(zip(xs, ys, strict=True)):
        if t == 150:
            learner = __import__("copy").deepcopy(learner)
        learner.learn({"x": x, "m": x / 16, "tenant": "ab"[x % 2]} if learner.concept_class.combines else x, y)
    told = learner.certificate()
    assert 20 < told.labels == learner.rounds < 270 and told.regret <= told.bound + 1e-9
    if learner.by and learner.drift_of:
        assert told.average_bound is None and "with by= and drift= together nothing is proven" in told.in_advance_note
    else:
        most = math.inf if learner.max_labels else told.in_advance
        assert told.average_bound is not None and most is not None and told.average_bound <= most + 1e-9


def test_a_limit_on_labels() -> None:
    """Until it is reached nothing changes; from then on each round adds the most that it can cost."""
    xs, ys = stream(400)
    free, capped = (at.Adept(at.Thresholds(16), 400, feedback="asked", seed=1, max_labels=most) for most in (None, 50))
    for x, y in zip(xs, ys, strict=True):
        before, left, p = capped.ledger.beyond_mix, 50 - capped.ledger.picked, capped.predict_proba(x)
        capped.learn(x, y)
        if left:
            free.learn(x, y)
            assert free.predict_proba(3) == capped.predict_proba(3)
        else:
            assert capped.ledger.beyond_mix - before == pytest.approx(max(p, 1 - p))
    told = capped.certificate()
    assert (told.labels, capped.answered, told.in_advance) == (50, 400, None)
    assert capped.bound_after(50) is not None and capped.bound_after(51) is None
    assert "nothing is proven: after 50 labels it asks for no more, and a case adds all that it can cost" in str(told)
    assert not capped.tickets and (told.average_bound or 0.0) > 150
    assert not any(at.Adept(at.Thresholds(9), feedback="asked", max_labels=0).answer(3).ask for _ in range(9))


def test_the_certificate_says_what_is_an_estimate_and_for_whom_it_holds() -> None:
    learner = at.Adept(at.Thresholds(16), 300, feedback="asked")
    learner.learn_many([t % 16 for t in range(100)], [int(t % 16 >= 8) for t in range(100)])
    text = str(learner.certificate())
    assert f"and asked for {learner.rounds} labels" in text and "losses are estimates" in text and "exactly" not in text
    assert "on average over the coins, against any rule fixed in advance: the expected cost is at most" in text
    assert "In advance, with prompt labels, with weights up to 1: at most" in text
    assert learner.realised_bound() == math.inf and learner.final is None
    settled, known = learner.ledger.excess, learner.ledger.beyond_mix
    waiting = [ticket for ticket in (learner.answer(7) for _ in range(60)) if ticket.ask]
    told = learner.certificate()
    assert told.average_bound is None and f"{len(waiting)} labels that the learner wanted did not come" in str(told)
    for ticket in waiting[:-1]:
        learner.learn(ticket, 0)
    assert learner.certificate().average_bound is None and learner.waiting == 1
    learner.learn(waiting[-1], 0)
    told = learner.certificate()
    least = (learner.prior.price(160) or 0.0) / learner.learning_rate + known + learner.ledger.excess - settled
    assert told.in_advance is None and least <= (told.average_bound or 0.0) <= least + 0.1
    learner.give_up(next(ticket for ticket in (learner.answer(7) for _ in range(60)) if ticket.ask))
    assert learner.certificate().average_bound is None


def asking(coins: Coins, t: int) -> float:
    """Return the coin of a round that decides whether its label is asked for."""
    return float(LEDGER.coin(LEDGER.mixed(coins.seed), t, 0))


def test_whether_a_label_is_wanted_is_drawn_apart_from_the_guess() -> None:
    """A function of seed, round and point, by another coin than the guess; the two are independent."""
    coins, pairs = Coins(5), []
    learner = at.Adept(TWO, rate=1.0, feedback="asked", seed=5)
    for t in range(1, 60):
        learner.predict(0)
        ticket = learner.answer(0)
        assert ticket.ask == (asking(coins, t) < ticket.q) and ticket.action == (coins.of(t, 0) < ticket.p)
        if ticket.ask:
            learner.learn(ticket, t % 2)
    for seed in range(100):
        each = Coins(seed)
        pairs += [(each.of(t, 0) - 0.5, asking(each, t) - 0.5) for t in range(1, 301)]
    a, b = np.array(pairs).T
    for same, other in ((a, b), (a[1:], b[:-1]), (a[:-1], b[1:]), (a**2 - 1 / 12, b)):
        assert abs((same * other).mean()) <= 4 * same.std() * other.std() / math.sqrt(len(same))


def test_refusals_name_the_option_to_change() -> None:
    c, row = at.Thresholds(9), at.Thresholds(9).on("score")
    for how, said in [
        ({"review": 0.2}, 'feedback="asked" refuses review=; got review=Review.* use feedback="reviewed"'),
        ({"rate": "adaptive"}, 'losses are estimates, which a rate must not follow; got rate=.adaptive. .*"anytime"'),
        ({"rate": "first-order"}, "which a rate must not follow"),
        ({"prior": "paper", "horizon": 9}, 'prior="paper" loses mass, so that feedback="asked" has no guarantee'),
        ({"max_width": 9}, "with max_width=9 paths are dropped"),
        ({"max_labels": -1}, "max_labels must be an int >= 0"),
        ({"drift": True}, "needs a constant rate; give horizon="),
        ({"drift": True, "horizon": 50, "rate": "anytime"}, "needs a constant rate; give horizon="),
    ]:
        with pytest.raises(InvalidArgument, match=said):
            at.Adept(c, feedback="asked", **how)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedCombination, match="the number of segments is not known; give segments="):
        at.Adept(row, 100, feedback="asked", by="tenant")
    with pytest.raises(InvalidArgument, match='max_labels= needs feedback="asked"; got max_labels=5'):
        at.Adept(c, max_labels=5)
    learner = at.Adept(c, 1000, feedback="asked")
    learner.learn_many([3] * 100, [1] * 100)
    ticket = next(one for one in (learner.answer(3) for _ in range(500)) if not one.ask)
    with pytest.raises(InvalidArgument, match=rf"did not ask for the label of ticket {ticket.id};"):
        learner.learn(ticket, 1)
    with pytest.raises(InvalidArgument, match="with feedback= build with a larger max_weight="):
        learner.learn(3, 1, weight=2)


def test_labels_that_did_not_come_are_the_reason_also_after_the_last_one() -> None:
    learner = at.Adept(at.Thresholds(16), 200, feedback="asked", max_labels=10, seed=1)
    tickets = [learner.answer(t % 16) for t in range(60)]
    assert "10 labels that the learner wanted did not come, or not yet" in str(learner.certificate())
    for ticket in (one for one in tickets if one.ask):
        learner.learn(ticket, 1)
    told = learner.certificate()
    assert told.average_bound is not None and told.average_bound > 0
    assert "losses estimates" in repr(learner) and "losses estimates" in repr(told)


LOADED = """
import sys
import adeptree as at
row = at.Thresholds(9).on("s")
for how in ({"feedback": "asked", "segments": 3}, {"review": 0.2}, {}):
    learner = at.Adept(row, by="t", **how)
    for t in range(20):
        learner.learn({"s": t % 9, "t": "ab"[t % 2]}, t // 3 % 2)
    learner.save(sys.argv[1])
    for one in (learner, at.load(sys.argv[1])):
        told = one.certificate()
        print(*(type(value) is float for value in (one.bound, told.bound, told.pooled_bound, one.sequence_bound(0))))
"""


def test_a_file_keeps_what_bounds_depend_on_and_bounds_are_plain_floats(tmp_path: Path) -> None:
    """Without a label the rate of the last round is the first one; with the interpreted engine, losses are arrays."""
    row = at.Intervals(6).on("s")
    learner = at.Adept(row, by="t", segments=3, feedback="asked", max_labels=0)
    for t in range(6):
        learner.answer({"s": t, "t": "abc"[t % 3]})
    learner.save(tmp_path / "it.adept")
    for again in (at.load(tmp_path / "it.adept"), __import__("copy").deepcopy(learner)):
        assert dict(again.certificate()) == dict(learner.certificate())
    assert learner.last_rate > learner.learning_rate
    env = {**os.environ, "ADEPTREE_ENGINE": "python", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", LOADED, str(tmp_path / "it.adept")]
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True"] * 24
