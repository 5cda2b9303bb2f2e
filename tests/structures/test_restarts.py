"""Restarts: copies against learners played one by one, their lifetimes, the bound of Theorem 3, late labels, files."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drifting_pairs import drifting, points
from shared_weights import sequence_losses

import adeptree as at
from adeptree.theory.sharing import last_round, restarts

CLASSES: dict[str, Any] = {
    "intervals": at.Intervals(9),
    "unions": at.RealIntervalUnions(2),
    "steps": at.RealSteps(),
    "blocks": at.BlockUnions(2),
    "sets": at.TableStumps(["u", "v"], values=2),
    "union": at.Intervals(5).on("u") | at.Thresholds(5).on("v"),
}


def some(c: Any, rng: np.random.Generator) -> Any:
    """Return a point of a class."""
    if c is CLASSES["sets"]:
        return {"u": str(rng.choice(["a", "b", "c"])), "v": float(rng.integers(4))}
    if c is CLASSES["union"]:
        return {"u": int(rng.integers(3)), "v": int(rng.integers(2))}
    return points(c, rng, 1)[0]


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("how", [{"rate": 0.4}, {"review": 0.5, "costs": (5, 1)}], ids=repr)
def test_copies_are_learners_that_begin_later(name: str, how: dict[str, Any]) -> None:
    """Every copy played as a separate learner; births, deaths and weights written out."""
    c, rng, T = CLASSES[name], np.random.default_rng(len(name)), 70
    learner = at.Adept(c, drift=True, **how)
    eta, costs = learner.learning_rate, learner.costs
    plain: dict[str, Any] = {"rate": eta, "costs": costs, "prior": "mixed"}
    copies, weights, mixed = {0: at.Adept(c, **plain)}, {0: 1.0}, 0.0
    for t in range(1, T + 1):
        x, y, weight = some(c, rng), int(rng.random() < (0.2 if t < 40 else 0.7)), float(rng.choice([1, 0.5]))
        p = sum(weights[s] * copies[s].predict_proba(x) for s in copies) / sum(weights.values())
        assert learner.predict_proba(x) == pytest.approx(p, abs=1e-11)
        learner.learn(x, y, weight=weight)
        cost, before = weight * costs[1 - y], sum(weights.values())
        for s, copy in copies.items():
            weights[s] *= 1 - abs(copy.predict_proba(x) - y) * (1 - math.exp(-eta * cost))
            copy.learn(x, y, weight=weight)
        whole = sum(weights.values())
        mixed -= math.log(whole / before) / eta
        for s in list(copies):
            weights[s] *= 1 - 1 / (t + 1)
            lowest = next(k for k in range(9) if s % 2 ** (k + 1)) if s else 0
            if s and t == s + 2 ** (lowest + 1):
                del copies[s], weights[s]
        copies[t], weights[t] = at.Adept(c, **plain), whole / (t + 1)
    kernel: Any = learner.engine.kernel
    assert list(kernel.births) == list(copies)
    assert learner.best_loss == copies[0].best_loss and str(learner.best_rule()) == str(copies[0].best_rule())
    assert learner.ledger.excess == pytest.approx(learner.expected_loss - mixed, abs=1e-9)


def test_a_rule_is_handed_from_copy_to_copy() -> None:
    """For every way to switch, the fewest copies that follow it one after the other are as many as the theorem says."""
    T = 130
    fewest = np.full((T + 1, T + 1), 10**6)  # [a, b]: copies that follow rounds a + 1 to b, the first of birth a
    for b in range(1, T + 1):
        for a in range(b - 1, 0, -1):
            if b <= last_round(a):
                fewest[a, b] = 1
            else:
                fewest[a, b] = 1 + fewest[a + 1 : int(last_round(a)) + 1, b].min()
            assert fewest[a, b] <= max(1, math.ceil(math.log2(b - a)))
    most = np.where(np.arange(T + 1) > 0, 0, -(10**6))  # [t]: the most copies that m switches need
    for m in range(1, 5):
        most = np.array([max([most[a] + fewest[a, t] for a in range(1, t)], default=-(10**6)) for t in range(T + 1)])
        for t in range(m + 1, T + 1):
            assert most[t] <= restarts(m, t)
    assert max(sum(last_round(s) > t for s in range(t + 1)) for t in range(1, 3000)) <= 2 + math.log2(3000)


@pytest.mark.parametrize("how", [{"rate": 0.3}, {"review": 0.2}, {"review": 0.1, "costs": (3, 1)}], ids=repr)
@pytest.mark.parametrize("fooled", [True, False])
def test_the_bound_holds_for_sequences_of_intervals(how: dict[str, Any], fooled: bool) -> None:
    c, rng, T = at.Intervals(5), np.random.default_rng(1), 160
    learner = at.Adept(c, drift=True, **how)
    promised, pairs, ys = [learner.bound_after(t) for t in range(T + 1)], drifting(c, rng, T, 3, 0.05), list[int]()
    for x, y in pairs:
        ys.append(int(learner.predict_proba(x) <= 0.5) if fooled else y)
        learner.learn(x, ys[-1])
        most = promised[learner.rounds]
        assert most is not None and learner.regret <= learner.bound + 1e-9 <= most + 1e-6
    costs = [learner.costs[1 - y] for y in ys]
    rules = [(low, high) for low in range(6) for high in range(low, 6)]
    wrong = np.array([[(a <= x < b) != y for (x, _), y in zip(pairs, ys, strict=True)] for a, b in rules])
    for m, best in enumerate(sequence_losses(wrong, costs, 3)):
        assert learner.expected_loss - best <= learner.sequence_bound(m) + 1e-9
    assert learner.best_loss == pytest.approx(sequence_losses(wrong, costs, 0)[0])


def test_a_change_is_followed() -> None:
    rng, T = np.random.default_rng(0), 1200
    xs = rng.integers(60, size=T).tolist()
    ys = [int((10 <= x < 30 if t < 600 else 30 <= x < 50) ^ (rng.random() < 0.05)) for t, x in enumerate(xs)]
    still, moving = (at.Adept(at.Intervals(60), review=0.3, drift=drift) for drift in (False, True))
    for learner in (still, moving):
        learner.learn_many(xs, ys)
    assert moving.expected_loss < 160 < 390 < still.expected_loss
    assert moving.certificate().switches == tuple((m, moving.sequence_bound(m)) for m in (1, 3, 10))


@pytest.mark.parametrize("name", CLASSES)
def test_files_and_late_labels(name: str, tmp_path: Path) -> None:
    c, rng = CLASSES[name], np.random.default_rng(2)
    learner = at.Adept(c, drift="sharing", review=0.2)
    waiting: list[at.Ticket] = []
    for _ in range(90):
        waiting.append(learner.answer(some(c, rng)))
        if rng.random() < 0.8:
            ticket = waiting.pop(int(rng.integers(len(waiting))))
            learner.learn(ticket, int(ticket.p < 0.5))
            assert learner.regret <= learner.bound + 1e-9
    learner.save(tmp_path / "it.adept")
    again, copied = at.load(tmp_path / "it.adept"), pickle.loads(pickle.dumps(learner))
    assert dict(again.certificate()) == dict(learner.certificate())
    for i in range(30):
        x: Any = waiting.pop() if i % 10 == 0 and waiting else some(c, rng)
        y = int(rng.random() < 0.4)
        for one in (learner, again, copied):
            one.learn(x, y)
        x = some(c, rng)
        assert again.predict_proba(x) == learner.predict_proba(x) == copied.predict_proba(x)
    assert again.expected_loss == learner.expected_loss == copied.expected_loss
    batch, single = (at.Adept(c, drift="sharing", rate=0.5) for _ in range(2))
    xs, ys = [some(c, rng) for _ in range(40)], [int(rng.random() < 0.4) for _ in range(40)]
    found = batch.learn_many(xs, ys)
    for x, y in zip(xs, ys, strict=True):
        single.learn(x, y)
    assert batch.expected_loss == single.expected_loss and len(found) == 40
    assert batch.predict_proba_many(xs[:5]).tolist() == [single.predict_proba(x) for x in xs[:5]]


def test_an_altered_file_is_refused() -> None:
    made = at.Adept(at.Intervals(9), drift=True, rate=0.5)
    made.learn_many([t % 9 for t in range(50)], [t % 2 for t in range(50)])
    state = made.engine.state()
    weights = state["log_share"]
    for field, value in [
        ("clock", -1),
        ("clock", 49),
        ("log_share", weights[:-1]),
        ("log_share", weights + 5),
        ("log_share", weights * math.nan),
        ("copies", state["copies"][1:]),
        ("copies", [state["copies"][0] | {"gain": None}, *state["copies"][1:]]),
    ]:
        with pytest.raises(ValueError, match="cannot be what a learner saved"):
            at.Adept(at.Intervals(9), drift=True, rate=0.5).engine.restore(state | {field: value})
    again = at.Adept(at.Intervals(9), drift=True, rate=0.5)
    again.engine.restore(state)
    assert again.engine.probability(3) == made.engine.probability(3)
