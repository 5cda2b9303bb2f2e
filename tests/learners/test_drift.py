"""Drift: fixed share against explicit weights and all sequences, its bounds, followers, late labels and files."""

from __future__ import annotations

import inspect
import itertools
import math
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drifting_pairs import drifting, points
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_weights import Rule, play, sequence_losses

import adeptree as at
from adeptree.core.errors import DamagedFile, InvalidArgument, InvalidInstance, UnsupportedCombination
from adeptree.families.line.counting_cuts import value_at
from adeptree.theory import sharing
from adeptree.theory.sharing import RATES, SHARES, Drift

CLASSES = [at.Thresholds(12), at.Intervals(6), at.Stumps(cuts={"u": [0.5, 1.5], "v": [0.5]}), at.Conjunctions(3)]


# --- Against weights that are written out ----------------------------------------------------------------------------


def laid_out(learner: at.Adept, columns: bool) -> list[Rule]:
    """Return the rules of a learner on lines after its last round, each with its share of the prior."""
    inner: Any = learner.engine.inner  # type: ignore[attr-defined]
    members, found = inner.members if columns else [inner], []
    for column, member in enumerate(members):
        slots = member.kernel.slots()
        lows = value_at(slots["keys"]) if member.line.of_floats else slots["keys"]
        share = 1 / (2 * len(members)) if columns else 1.0
        for low, mass in zip(lows.tolist(), slots["mass"].tolist(), strict=True):
            found += [Rule(column, low, rises, mass * share) for rises in ((True, False) if columns else (True,))]
    return found


@pytest.mark.parametrize("seed", range(32))
def test_weights_are_those_of_all_rules_written_out(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Grids and two columns (floats, given cuts), one lane and all, costs and weights, with followers and without."""
    monkeypatch.setattr(sharing, "WINDOWS", (5, 9, 50))
    rng = np.random.default_rng(seed)
    real, one_lane, followers = (bool(seed >> i & 1) for i in range(3))
    n, T, miss = int(rng.choice([12, 300])), int(rng.choice([30, 150])), float(rng.choice([1, 5]))
    rule: at.ConceptClass = at.RealStumps(["a", "b"]) if real else at.Thresholds(n)
    if real and seed >= 16:  # (so that a value is its rank)
        rule = at.Stumps(cuts={name: [cut + 0.5 for cut in range(n - 1)] for name in "ab"})
    how: dict[str, Any] = {"rate": 0.4} if one_lane else {}
    prior = str(rng.choice(["kt", "mixed"]))
    learner = at.Adept(rule, prior=prior, costs=(miss, 1), drift=followers or "sharing", **how)
    rows = rng.integers(n, size=(T, 1 + real)).astype(float).tolist()
    labels = [int((row[0] >= n // 3) ^ (rng.random() < 0.2) ^ (t > T // 2)) for t, row in enumerate(rows)]
    weights = rng.choice([1, 0.5], size=T).tolist()
    found = []
    for row, y, w in zip(rows, labels, weights, strict=True):
        x: Any = dict(zip("ab", row, strict=True)) if real else int(row[0])
        found.append(learner.predict_proba(x))
        learner.predict_proba({"a": 1.0, "b": 2.0} if real else 3)  # (a look changes nothing)
        learner.learn(x, y, weight=w)
    costs = [w * (miss if y else 1) for y, w in zip(labels, weights, strict=True)]
    assert learner.drift_of == Drift(followers, one_lane, miss)
    rules = laid_out(learner, real)
    chances, last = play(rules, rows, labels, costs, learner.drift_of, 0.4, falls=real)
    assert np.abs(np.array(chances) - found).max() < 1e-12
    wrong = np.array([[one(row) != y for row, y in zip(rows, labels, strict=True)] for one in rules])
    assert learner.best_loss == pytest.approx((wrong * costs).sum(axis=1).min())
    if not one_lane:
        assert last.sum() == pytest.approx(1), "no weight is lost or gained"
    best = sequence_losses(wrong, costs, 3)
    for m, loss in enumerate(best):
        assert learner.expected_loss - loss <= learner.sequence_bound(m) + 1e-9


@pytest.mark.parametrize("c", [at.Thresholds(2), at.FiniteClass([[0, 0, 1], [1, 0, 1], [1, 1, 0]])], ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_paths_are_the_mixture_over_all_sequences_and_rates(c: at.ConceptClass, seed: int) -> None:
    """Every sequence of experts and every way to switch (also to the same expert), with its prior, one by one."""
    T, rng = 6, np.random.default_rng(seed)
    xs = rng.integers(2 if seed else 3, size=T).tolist() if isinstance(c, at.FiniteClass) else points(c, rng, T)
    ys = rng.integers(2, size=T).tolist()
    learner = at.Adept(c, prior="kt", engine="paths", drift=True)
    found = learner.learn_many(xs, ys).tolist()
    rows = learner.engine.rows()
    rules = learner.engine.rules_of(range(learner.width))
    prior, labels = np.exp(rows.log_mass), np.array([[int(rule(x)) for x in xs] for rule in rules])
    chosen: list[float] = []
    for t in range(T):
        says = np.zeros(2)
        for switch in itertools.product((False, True), repeat=t):
            # Blocks of rounds between switches; each block takes another expert, by the prior.
            starts = [0, *(s + 1 for s in range(t) if switch[s])]
            chance = sum(
                mass * math.prod(share[s] if switch[s] else 1 - share[s] for s in range(t))
                for mass, share in ((3, [1 / (s + 2) for s in range(t)]), *((1, [one] * t) for one in SHARES))
            )
            for experts in itertools.product(range(len(prior)), repeat=len(starts)):
                mass = chance * math.prod(prior[e] for e in experts)
                path = [experts[sum(start <= s for start in starts) - 1] for s in range(t + 1)]
                r = [abs(chosen[s] - ys[s]) - (labels[path[s], s] != ys[s]) for s in range(t)]
                says[labels[path[t], t]] += mass * sum(
                    w * eta * math.prod(1 + eta * x for x in r)
                    for w, eta in zip((16, 8, 4, 2, 1, 1), RATES, strict=True)
                )
        chosen.append(says[1] / says.sum())
        assert math.isclose(found[t], chosen[t], rel_tol=0, abs_tol=1e-9)


@pytest.mark.parametrize("how", [{}, {"rate": 0.5}, {"review": 0.2}, {"review": at.Review(0.1, policy="cheapest")}])
def test_a_line_and_listed_paths_agree(how: dict[str, Any]) -> None:
    pairs = drifting(at.Thresholds(40), np.random.default_rng(1), 300, 3, 0.1)
    line, paths = (at.Adept(at.Thresholds(40), drift="sharing", engine=engine, **how) for engine in ("auto", "paths"))
    for i, (x, y) in enumerate(pairs):
        for learner in (line, paths):
            learner.learn(learner.answer(x) if i % 3 else x, y)
    assert line.expected_loss == pytest.approx(paths.expected_loss, abs=1e-9)
    assert line.sequence_bound(0) == pytest.approx(paths.sequence_bound(0), abs=1e-9)
    assert dict(line.certificate())["reviews"] == dict(paths.certificate())["reviews"]


@pytest.mark.parametrize("drift", [True, "sharing"])
@pytest.mark.parametrize("seed", range(4))
def test_models_with_missing_votes(seed: int, drift: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two models that take turns to be right: every rule with its weights, and followers, written out."""
    monkeypatch.setattr(sharing, "WINDOWS", (6, 30))
    rng, T = np.random.default_rng(seed), 120
    learner = at.Adept(at.Experts("lr", "ht"), costs=(2, 1), drift=drift)
    rates, shares, logs = (np.array(column)[:, None] for column in Drift().lanes())
    rules = [(name, gap) for name in ("lr", "ht") for gap in (0, 1)]
    spans = (0, 6, 30) if drift is True else ()
    prior = np.array([(0.1 if spans else 1.0) / 4] * 4 + [0.9 / 3] * len(spans))
    weights: Any = np.exp(logs) * prior
    lost, costs, chosen, when = np.zeros((4, T)), np.zeros(T), [0] * len(spans), 1
    for t in range(T):
        row = {name: float(rng.random()) for name in ("lr", "ht") if rng.random() < 0.8}
        votes = [int(row[name] >= 0.5) if name in row else gap for name, gap in rules]
        for k, span in enumerate(spans):
            if t >= when if span == 0 else t and t % max(1, span // 25) == 0:
                recent = lost[:, max(0, t - span) if span else 0 : t].sum(axis=1)
                pairs = [min(range(2 * i, 2 * i + 2), key=lambda j: recent[j]) for i in range(2)]
                chosen[k] = min(pairs, key=lambda j: recent[j])
        when = t + max(1, t // 25) if t >= when else when
        says = np.array(votes + [votes[rule] for rule in chosen])
        p = float((rates * weights * says).sum() / (rates * weights).sum())
        assert learner.predict_proba(row) == pytest.approx(p, abs=1e-12)
        y = int((row.get("lr" if t < T // 2 else "ht", 0.6) >= 0.5) ^ (rng.random() < 0.1))
        learner.learn(row, y)
        costs[t] = (2 if y else 1) / 2
        lost[:, t] = costs[t] * (np.array(votes) != y)
        loss = costs[t] * abs(p - y)
        weights = weights * (1 + rates * (loss - costs[t] * (says != y)))
        share = np.where(shares < 0, 1 / (t + 2), shares)
        weights = (1 - share) * weights + share * weights.sum(axis=1, keepdims=True) * prior
    assert learner.best_loss == pytest.approx(2 * lost.sum(axis=1).min())


def test_a_tree_that_is_built_again_keeps_its_weights() -> None:
    """Sorted points make the tree lopsided; maps that wait at its nodes must reach the gaps first."""
    rng = np.random.default_rng(0)
    line, paths = (
        at.Adept(at.RealThresholds(), drift="sharing", rate=0.5, engine=engine) for engine in ("auto", "paths")
    )
    for x in np.sort(rng.random(600)).tolist():
        y = int((x >= 0.3) ^ (rng.random() < 0.2))
        line.learn(x, y)
        paths.learn(x, y)
    for x in rng.random(50).tolist():
        assert line.predict_proba(x) == pytest.approx(paths.predict_proba(x), abs=1e-9)


# --- What is proven --------------------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(CLASSES), st.integers(0, 4), st.sampled_from([0.0, 0.1, 0.5]))
def test_the_bound_holds_on_drifting_streams(seed: int, c: at.ConceptClass, switches: int, noise: float) -> None:
    learner = at.Adept(c, drift=True, engine="paths")
    for x, y in drifting(c, np.random.default_rng(seed), 60, switches, noise):
        learner.learn(x, y)
        for m in range(5):
            assert learner.expected_loss - learner.sequence_loss(m) <= learner.sequence_bound(m) + 1e-9


@pytest.mark.parametrize("how", [{}, {"review": 0.15}, {"costs": (5, 1)}, {"costs": (5, 1), "review": 0.5}], ids=repr)
@pytest.mark.parametrize("engine", ["auto", "paths"])
def test_the_bound_holds_against_an_adversary_that_reads_p(engine: str, how: dict[str, Any]) -> None:
    """In advance, and now, against the best sequences with up to three switches."""
    c, T = at.Thresholds(9), 150
    learner = at.Adept(c, engine=engine, drift=True, **how)
    promised, rng, xs, ys = [learner.bound_after(t) for t in range(T + 1)], np.random.default_rng(3), [], list[int]()
    for x in points(c, rng, T):
        xs.append(x)
        ys.append(int(learner.predict_proba(x) <= 0.5))
        learner.learn(x, ys[-1])
        most = promised[learner.rounds]
        assert most is not None and learner.regret <= learner.bound + 1e-9 <= most + 1e-6
    costs = [learner.costs[1 - y] for y in ys]
    wrong = np.array([[int(x >= cut) != y for x, y in zip(xs, ys, strict=True)] for cut in range(10)])
    for m, best in enumerate(sequence_losses(wrong, costs, 3)):
        assert learner.expected_loss - best <= learner.sequence_bound(m) + 1e-9
        if engine == "paths":
            assert learner.sequence_loss(m) == pytest.approx(best)


def test_a_change_is_followed_and_a_promise_names_its_scope() -> None:
    rng = np.random.default_rng(5)
    xs = rng.random(3000)
    ys = ((xs >= np.where(np.arange(3000) < 1500, 0.2, 0.8)) ^ (rng.random(3000) < 0.05)).astype(int)
    still, moving = at.Adept(at.RealThresholds()), at.Adept(at.RealThresholds(), drift=True)
    for learner in (still, moving):
        learner.learn_many(xs, ys)
    assert moving.expected_loss < 250 < 500 < still.expected_loss
    certificate = moving.certificate()
    assert certificate.switches == tuple((m, moving.sequence_bound(m)) for m in (1, 3, 10))
    assert "To any sequence of rules the regret is at most" in str(certificate) and "with 1 change" in str(certificate)
    assert certificate.forever is None and still.sequence_bound(1) == math.inf and still.certificate().switches is None
    with pytest.raises(InvalidArgument, match=r'with drift=True and engine="paths"; got switches=1 '):
        moving.sequence_loss(1)


def test_with_drift_nothing_is_promised_forever() -> None:
    """The price of a rule that stays grows like ln t, also for very long streams."""
    learner = at.Adept(at.Thresholds(16), drift=True, review=0.1)
    learner.learn_many([t % 16 for t in range(3000)], [int(t % 16 > 4) for t in range(3000)])
    told = learner.certificate()
    assert told.forever is None and told.in_advance is not None and told.regret <= told.bound <= told.in_advance
    promised = [learner.bound_after(10**k) or 0.0 for k in range(2, 19)]
    assert np.allclose(np.diff(promised), math.log(10) / learner.learning_rate)
    alone = at.Adept(at.Thresholds(16), drift="sharing", review=0.1).bound_after(100)
    assert alone is not None and promised[0] - alone == pytest.approx(math.log(10) / learner.learning_rate)


def test_no_lane_dies() -> None:
    """With one scale for all lanes, the losing ones would underflow to 0."""
    rng = np.random.default_rng(0)
    learner = at.Adept(at.Thresholds(64), drift=True)
    learner.learn_many(rng.integers(64, size=30_000), rng.integers(2, size=30_000))
    kept = learner.engine.state()
    assert np.isfinite(kept["log_scale"]).all() and kept["log_scale"].min() < -900
    weights = kept["inner"]["weights"]
    assert (weights > 0).all() and kept["followed"].min() > 0


def test_followers_do_what_the_cheapest_recent_rule_does() -> None:
    """A window of 100 rounds follows labels that change too often for shares."""
    rng, T = np.random.default_rng(4), 6000
    xs = rng.random(T)
    ys = (xs >= np.where(np.arange(T) // 400 % 2, 0.3, 0.7)).astype(int)
    ys ^= rng.random(T) < 0.25
    losses = []
    for drift in ("sharing", True):
        learner = at.Adept(at.RealThresholds(), drift=drift)
        learner.learn_many(xs, ys)
        losses.append(learner.expected_loss)
    assert losses[1] < losses[0]


# --- Late labels, files, refusals ------------------------------------------------------------------------------------

DRIFTS: dict[str, Any] = {
    "lanes": lambda: at.Adept(at.Thresholds(30), drift=True),
    "stumps": lambda: at.Adept(at.RealStumps(["a", "b"]), drift=True, costs=(2, 1)),
    "given cuts": lambda: at.Adept(at.Stumps(cuts={"a": range(1, 8), "b": [1.5, 3]}), drift=True, costs=(2, 1)),
    "review": lambda: at.Adept(at.RealThresholds(), drift=True, review=0.2),
    "union": lambda: at.Adept(at.Thresholds(9).on("a") | at.RealStumps(["b"]) | at.Experts("b"), drift=True),
    "paths": lambda: at.Adept(at.Intervals(5), drift=True, engine="paths"),
}


def some(learner: at.Adept, rng: np.random.Generator) -> Any:
    """Return a point of the learner's class."""
    if learner.concept_class.combines or isinstance(learner.concept_class, (at.RealStumps, at.Stumps)):
        return {"a": int(rng.integers(9)), "b": float(rng.integers(5))}
    return float(rng.random()) if isinstance(learner.concept_class, at.RealThresholds) else int(rng.integers(5))


@pytest.mark.parametrize("name", DRIFTS)
def test_saved_in_the_middle_and_loaded_goes_on_to_the_last_bit(name: str, tmp_path: Path) -> None:
    learner, rng = DRIFTS[name](), np.random.default_rng(2)
    for _ in range(250):
        learner.learn(some(learner, rng), int(rng.random() < 0.4))
    waiting = [learner.answer(some(learner, rng)) for _ in range(3)]
    learner.save(tmp_path / "it.adept")
    again, copied = at.load(tmp_path / "it.adept"), pickle.loads(pickle.dumps(learner))
    assert dict(again.certificate()) == dict(learner.certificate())
    for i in range(200):
        x: Any = waiting.pop() if i % 40 == 0 and waiting else some(learner, rng)
        y = int(rng.random() < 0.4)
        for one in (learner, again, copied):
            one.learn(x, y)
        x = some(learner, rng)
        assert again.predict_proba(x) == learner.predict_proba(x) == copied.predict_proba(x)
    assert again.expected_loss == learner.expected_loss == copied.expected_loss


GOES_ON = """
import copy, pickle, sys
import adeptree as at
x = {"a": 1, "b": 0.5}
for c in (at.Experts("a", "b"), at.RealStumps(["a"]), at.Thresholds(9).on("a") | at.TableStumps(["b"])):
    learner = at.Adept(c, drift=True)
    learner.learn(x, 1)
    learner.save(sys.argv[1])
    for again in (copy.deepcopy(learner), pickle.loads(pickle.dumps(learner)), at.load(sys.argv[1])):
        again.learn(x, 0)
        told = [*dict(again.certificate()).values(), again.predict_proba(x), again.variance]
        print(*{type(one).__module__ for one in told} - {"builtins"}, "goes on")
"""


def test_interpreted_a_loaded_learner_goes_on_with_numbers_of_python(tmp_path: Path) -> None:
    env = {**os.environ, "ADEPTREE_ENGINE": "python", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "ignore", "-c", GOES_ON, str(tmp_path / "it.adept")]
    run = subprocess.run(command, env=env, capture_output=True, text=True)
    assert run.stdout == "goes on\n" * 9, run.stdout + run.stderr


@pytest.mark.parametrize("name", DRIFTS)
def test_late_labels_keep_the_certificate(name: str) -> None:
    learner, rng = DRIFTS[name](), np.random.default_rng(7)
    waiting: list[at.Ticket] = []
    for _ in range(200):
        waiting.append(learner.answer(some(learner, rng)))
        if rng.random() < 0.8:
            ticket = waiting.pop(int(rng.integers(len(waiting))))
            learner.learn(ticket, int(ticket.p < 0.5))
            assert learner.regret <= learner.bound + 1e-9
    certificate = learner.certificate()
    assert certificate.in_advance is None and certificate.in_advance_note
    late = at.Adept(at.Thresholds(9), drift=True, review=0.2)
    first, second = late.answer(3), late.answer(4)
    late.learn(second, 1)
    late.learn(first, 0)
    assert "with drift= the guarantee in advance is proven for prompt labels only" in str(late.certificate())


@pytest.mark.parametrize("name", ["lanes", "stumps", "review"])
def test_an_altered_file_is_refused(name: str, tmp_path: Path) -> None:
    learner, rng = DRIFTS[name](), np.random.default_rng(2)
    for _ in range(60):
        learner.learn(some(learner, rng), int(rng.random() < 0.4))
    state = learner.engine.state()
    lines = state["inner"].get("columns", [state["inner"]])
    for part, field, value in [
        (state, "chosen", np.full_like(state["chosen"], 99)),
        (state, "labels", state["labels"] + 7),
        (state, "clock", -1),
        (state, "next", -5),
        (state, "log_scale", state["log_scale"][:-1]),
        (lines[0], "weights", lines[0]["weights"] * math.nan),
        (lines[0], "weights", -lines[0]["weights"]),
        (lines[0], "factors", lines[0]["factors"][:-1]),
        (lines[0], "ring", np.full_like(lines[0]["ring"], 2**63 - 16)),
        (lines[0], "ring", lines[0]["ring"][:-1]),
        (lines[0], "ends", np.full_like(lines[0]["ends"], 2**63 - 16)),
    ]:
        kept = part[field]
        part[field] = value
        with pytest.raises(ValueError, match="cannot be what a learner saved"):
            DRIFTS[name]().engine.restore(state)
        part[field] = kept
    DRIFTS[name]().engine.restore(state)
    path = tmp_path / "it.adept"
    learner.save(path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(DamagedFile):
        at.load(path)


def test_a_whole_number_beyond_every_float_is_refused() -> None:
    learner, x = at.Adept(at.Stumps(cuts={"a": [1]}), drift=True), {"a": 10**400}
    for call in (lambda: learner.learn(x, 1), lambda: learner.learn_many([x], [1]), lambda: learner.predict_proba(x)):
        with pytest.raises(InvalidInstance, match="'a' must be a finite number"):
            call()


def test_refusals_name_the_option_to_change() -> None:
    c = at.Thresholds(9)
    for how, said in [
        ({"drift": "often"}, 'drift must be True, False or "sharing"'),
        ({"drift": True, "prior": "paper", "horizon": 9}, 'prior="paper" loses mass, so that drift= .* prior="mixed"'),
        ({"drift": True, "max_width": 5}, "drift= has no guarantee; leave max_width out"),
        ({"drift": True, "review": at.Review(0.2, delay=3)}, "with drift= a delay has no guarantee; got delay=3"),
        ({"drift": True, "review": 1e-20}, "rate times the largest cost of a round may be up to 30; got 46"),
        ({"drift": True, "rate": 100.0}, "rate times the largest cost of a round may be up to 30; got 100"),
        ({"segments": 3}, "segments= is the number of segments of by=, which is missing; got segments=3"),
        ({"drift": True, "rate": "adaptive"}, "with drift= the rate must be left out or a positive number"),
    ]:
        with pytest.raises(InvalidArgument, match=said):
            at.Adept(c, **how)  # type: ignore[arg-type]
    for rules in (at.Intervals(9), at.IntervalUnions(9, 2), at.TableStumps(["a"], values=2), at.BlockUnions(2)):
        with pytest.raises(UnsupportedCombination, match="drift= without review= needs one rate for"):
            at.Adept(rules, drift=True)
    learner = at.Adept(c, drift=True, costs=(2, 1))
    with pytest.raises(InvalidArgument, match=r"a round costs 4, more than the 2 announced .* larger max_weight="):
        learner.learn(3, 1, weight=2)
    assert learner.rounds == 0


def test_an_old_name_is_refused_with_the_new_one() -> None:
    with pytest.raises(InvalidArgument, match="switches= was renamed; use drift=True"):
        at.Adept(at.Thresholds(8), switches=2)  # type: ignore[call-arg]
    assert "drift" in inspect.signature(at.Adept).parameters
