"""Rules on one column of a table: the kernel against its columns' structures one by one, and against enumeration."""

from __future__ import annotations

import importlib
import math
import pickle
from datetime import date, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_columns import SlowTable

import adeptree as at
from adeptree.core.compiled import COMPILED
from adeptree.core.errors import DamagedFile, InvalidArgument, InvalidInstance
from adeptree.families.rule_values import Interval, IntervalUnion
from adeptree.families.tables import column_engine, table_engine
from adeptree.families.tables.cell_rules import NumberRule, ValueRule
from adeptree.families.tables.table_cells import TableCells, cell_of
from adeptree.families.tables.table_engine import TableEngine, TableStepsEngine
from adeptree.theory.priors import KTPrior, MixedPrior

CLASSES: list[Any] = [
    at.TableStumps(["age", "sex"]),
    at.TableIntervals(["age", "sex"]),
    at.TableUnions(["age", "sex"], 2),
    at.TableStumps(["age", "sex"], values=2),
    at.TableIntervals(["age", "sex"], values=3),
    at.TableStumps(["sex"], values=8),
]
STEPS: list[Any] = [at.TableSteps(["age", "sex"]), at.TableSteps(["age", "sex"], values=2)]
CELLS = st.one_of(st.none(), st.sampled_from([0.0, -1.5, 2.0, 2.5, 7.0, 1e300]), st.sampled_from(["red", "green", "é"]))
RATES = [0.0, 1e-9, 0.3, 2.0, 40.0, 1e6]
ROWS = st.fixed_dictionaries({"age": CELLS, "sex": CELLS})
ROUNDS = st.lists(st.tuples(ROWS, st.integers(0, 1), st.sampled_from([1, 1, 1, 0.5, 3])), max_size=25)


def engine_of(c: Any, prior: Any) -> TableEngine:
    return (TableStepsEngine if c in STEPS else TableEngine)(c, prior)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(CLASSES + STEPS),
    ROUNDS,
    st.sampled_from(RATES),
    st.sampled_from(["kt", "mixed"]),
)
def test_the_engine_is_the_sum_of_its_columns(c: Any, rounds: Any, rate: float, prior: str) -> None:
    engine, slow = engine_of(c, {"kt": KTPrior, "mixed": MixedPrior}[prior]()), SlowTable(c, prior, rate)
    engine.rate = rate
    for row, y, weight in rounds:
        x = c.instance(row)
        p, log_odds = slow.odds(x)
        odds = engine.odds(x)
        assert odds.p == pytest.approx(p, abs=1e-9)
        assert odds.log_odds == pytest.approx(log_odds, rel=1e-12, abs=1e-8)
        engine.commit(x, y, weight)
        slow.commit(x, y, weight)
    total = np.logaddexp.reduce([w for pair in slow.weights({}) for w in pair]) - math.log(engine.prior.kinds)
    assert engine.log_potential() - rate * engine.best_loss == pytest.approx(total, abs=1e-8)
    assert rate or total == pytest.approx(0, abs=1e-9)  # no mass is made or lost


FRUIT = st.sampled_from(["apple", "pear", "fig", "date", "lime", "plum", None])
BASKETS = st.lists(st.tuples(FRUIT, st.integers(0, 1), st.sampled_from([1, 1, 0.25, 3])), max_size=30)


@settings(max_examples=60, deadline=None)
@given(BASKETS, st.integers(2, 6), st.sampled_from(RATES), st.data())
def test_sets_of_values_are_those_that_are_drawn(rounds: Any, d: int, rate: float, data: st.DataObject) -> None:
    """Also with labels that come late, at extreme rates, and restored in the middle."""
    c = at.TableStumps(["fruit"], values=d)
    engine, slow = TableEngine(c, MixedPrior()), SlowTable(c, "mixed", rate)
    engine.rate = rate
    waiting: list[Any] = []
    for i, (fruit, y, weight) in enumerate(rounds):
        x = c.instance({"fruit": fruit})
        p, log_odds = slow.odds(x)
        odds = engine.odds(x)
        assert odds.p == pytest.approx(p, abs=1e-9)
        assert odds.log_odds == pytest.approx(log_odds, rel=1e-12, abs=1e-9)
        if data.draw(st.booleans()):
            engine.commit(x, y, weight)
            slow.commit(x, y, weight)
        else:
            assert engine.kernel.open(x, 0)
            waiting.append((x, y, weight, p))
            slow.commit(x, 0, 0.0)
        if i == 12:
            restored = TableEngine(c, MixedPrior())
            restored.rate = rate
            restored.restore(engine.state())
            engine = restored
    for x, y, weight, p in waiting:
        assert engine.kernel.settle(x, y, weight, p, 0.0, 0, 0)
        slow.commit(x, y, weight)
    total = np.logaddexp.reduce([w for pair in slow.weights({}) for w in pair]) - math.log(engine.prior.kinds)
    assert engine.log_potential() - rate * engine.best_loss == pytest.approx(total, rel=1e-12, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(CLASSES), ROUNDS)
def test_best_rule_and_its_loss_are_those_of_the_erm_oracle(c: Any, rounds: Any) -> None:
    engine = TableEngine(c, MixedPrior())
    engine.rate = 0.5
    sample = [(c.instance(row), y) for row, y, _ in rounds]
    for x, y in sample:
        engine.commit(x, y)
    rule, best = engine.best_rule(), c.erm(sample)
    losses = [sum(concept(x) != y for x, y in sample) for concept in (rule, best)]
    assert losses == [engine.best_loss] * 2
    assert engine.leader().loss == losses[0] and engine.leader().log_prior <= 0


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(CLASSES), ROUNDS, st.integers(0, 3))
def test_rules_within_reach_are_all_that_the_column_has(c: Any, rounds: Any, k: int) -> None:
    engine = TableEngine(c, MixedPrior())
    engine.rate = 0.5
    sample = [(c.instance(row), y) for row, y, _ in rounds]
    for x, y in sample:
        engine.commit(x, y)
    near = engine.rules_within(k, 1000)
    losses = [rule.loss for rule in near]
    assert losses == [sum(rule.rule(x) != y for x, y in sample) for rule in near] == sorted(losses)
    assert losses[0] == engine.best_loss and losses[-1] <= engine.best_loss + k and not near.more
    # No two of a column, and no constant, say the same of all rows.
    for name in c.features if sample else ():
        said = [tuple(near.rule(x) for x, _ in sample) for near in near if getattr(near.rule, "feature", name) == name]
        assert len(set(said)) == len(said)
    # Whatever rules there are on these rows: those within reach label them as one that was found.
    found = {tuple(rule.rule(x) for x, _ in sample) for rule in near}
    cuts = [-2.0, 0.0, 1.0, 2.0, 2.25, 5.0, 10.0, math.inf]
    spans = [Interval(a, b) for a in [-math.inf, *cuts] for b in cuts]
    for name in c.features:
        kinds: dict[Any, list[Any]] = {
            at.TableStumps: [Interval(-math.inf, b) for b in cuts] + [Interval(a, math.inf) for a in cuts],
            at.TableIntervals: spans,
            at.TableUnions: [IntervalUnion((a, b)) for a in spans[::3] for b in spans[::5]],
        }
        every: list[Any] = [NumberRule(name, rule, gap) for rule in kinds[type(c)] for gap in (0, 1)]
        values = (None, "red", "green", "é")
        sets = [some for size in range(1, c.values + 1) for some in combinations(values, size)]
        every += [ValueRule(name, *some, equal=equal) for some in sets for equal in (True, False)]
        for rule in every:
            labels = tuple(rule(x) for x, _ in sample)
            if sum(label != y for label, (_, y) in zip(labels, sample, strict=True)) <= engine.best_loss + k:
                assert labels in found


@pytest.mark.parametrize("c", CLASSES + STEPS, ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_one_by_one_in_batches_and_resumed_to_the_last_bit(c: Any, seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    xs = [c.random_instance(rng) for _ in range(300)]
    ys = rng.integers(0, 2, 300).tolist()
    single, batch = at.Adept(c), at.Adept(c)
    alone = []
    for i, (x, y) in enumerate(zip(xs, ys, strict=True)):
        alone.append(single.predict_proba(x))
        if i == 150:
            single.save(tmp_path / "learner")
            single = at.load(tmp_path / "learner")  # type: ignore[assignment]
        single.learn(x, y)
    assert batch.learn_many(xs, ys).tolist() == alone
    assert batch.predict_proba_many(xs[:9]).tolist() == [single.predict_proba(x) for x in xs[:9]]
    assert (single.expected_loss, single.realised_loss) == (batch.expected_loss, batch.realised_loss)
    copied = pickle.loads(pickle.dumps(single))
    assert copied.predict_proba(xs[0]) == single.predict_proba(xs[0])
    assert single.regret <= single.certificate().bound + 1e-9


@pytest.mark.skipif(not COMPILED, reason="there is nothing to compare the interpreted kernels with")
@pytest.mark.parametrize("c", CLASSES + STEPS, ids=repr)
def test_compiled_and_interpreted_give_the_same_bits(c: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, engines = np.random.default_rng(5), []
    for compiled in (True, False):
        sources = {table_engine: "structures.mixture_kernel", column_engine: "structures.column_kernel"}
        for module, source in sources.items():
            home = f"adeptree._compiled.{source.split('.')[-1]}" if compiled else f"adeptree.{source}"
            monkeypatch.setattr(module, "_KERNEL", importlib.import_module(home))
        if not compiled:
            line = importlib.import_module("adeptree.structures.thresholds_kernel")
            monkeypatch.setattr("adeptree.families.line.thresholds_engine._KERNEL", line)
            monkeypatch.setattr("adeptree.families.line.cuts_engine.kernel", importlib.import_module)
            two_way = importlib.import_module("adeptree.structures.column_tree_kernel")
            monkeypatch.setattr("adeptree.families.line.two_way_engine._KERNEL", two_way)
        engines.append(engine_of(c, MixedPrior()))
    for t in range(120):
        for engine in engines:
            engine.rate = [3.0, 0.7, 0.05][t // 40]
        x, y = c.random_instance(rng), int(rng.integers(2))
        assert engines[0].probability(x).hex() == engines[1].probability(x).hex()
        assert engines[0].odds(x).log_odds.hex() == engines[1].odds(x).log_odds.hex()
        for engine in engines:
            engine.commit(x, y)


@pytest.mark.parametrize(
    ("c", "rate"), [(c, rate) for c in CLASSES for rate in ("adaptive", "anytime")] + [(c, "adaptive") for c in STEPS]
)
def test_no_adversary_beats_what_is_proven(c: Any, rate: str) -> None:
    """Labels against the guess, drawn values and gaps, new texts all the time: regret stays below both bounds."""
    rng, learner = np.random.default_rng(7), at.Adept(c, rate=rate)
    for t in range(400):
        x = c.random_instance(rng)
        if rng.random() < 0.2:
            x = {**x, "sex": f"new {t}"}
        learner.learn(x, int(learner.predict_proba(x) < 0.5) if rng.random() < 0.8 else int(rng.integers(2)))
        if t % 20 == 0:
            bounds = (learner.certificate().bound, learner.bound_after(learner.rounds))
            assert all(learner.regret <= bound + 1e-9 for bound in bounds if bound is not None)


def test_what_no_table_has_is_refused(tmp_path: Path) -> None:
    c, rng = CLASSES[0], np.random.default_rng(0)
    engine = TableEngine(c, MixedPrior())
    for _ in range(20):
        engine.commit(c.random_instance(rng), int(rng.integers(2)))
    for key, wrong in {
        "values": ["red", "red", "green", None],
        "gain": np.array([1.0, 2.0]),
        "sums": [1.0, math.nan, 0.0, 0.0],
        "gaps": 1,
        "line": engine.state()["columns"][1]["line"] | {"zeros": -1.0},
    }.items():
        state = engine.state()
        state["columns"][1] = state["columns"][1] | {key: wrong}
        with pytest.raises((DamagedFile, ValueError)):
            TableEngine(c, MixedPrior()).restore(state)


def test_cells() -> None:
    given = [np.float64(2), np.int8(3), np.bool_(1), np.str_("a"), float("inf"), np.nan, np.datetime64("1970-01-02")]
    most = 1.7976931348623157e308
    assert [cell_of("x", value) for value in given] == [2.0, 3.0, "true", "a", most, None, 86400.0]
    assert cell_of("x", datetime(1970, 1, 1, 1)) == 3600.0 and cell_of("x", date(1970, 1, 3)) == 172800.0
    with pytest.raises(InvalidInstance, match="numbers, texts or gaps"):
        cell_of("x", [1])
    with pytest.raises(InvalidInstance, match="mapping of column names"):
        CLASSES[0].instance([1, 2])
    cells = TableCells.of(("a",), [{"a": 1.0}, {}, {"a": "x"}])
    assert list(cells) == [{"a": 1.0}, {}, {"a": "x"}] and list(cells[1:]) == [{}, {"a": "x"}]


def test_arrays_and_mappings_are_alike() -> None:
    c, rng = at.TableStumps(["a", "b"]), np.random.default_rng(2)
    table = rng.random((50, 2))
    table[rng.random((50, 2)) < 0.3] = np.nan
    ys = rng.integers(0, 2, 50)
    mappings = [dict(zip("ab", row, strict=True)) for row in table.tolist()]
    assert at.Adept(c).learn_many(table, ys).tolist() == at.Adept(c).learn_many(mappings, ys).tolist()


def test_what_is_said_of_two_values_is_listed_once() -> None:
    c = at.TableStumps(["sex"])
    learner = at.Adept(c)
    for sex, y in [("male", 0), ("female", 1), ("male", 0), ("female", 1)]:
        learner.learn({"sex": sex}, y)
    said = [str(rule.rule) for rule in learner.rules_within(4)]
    assert said == ["sex == female", "always 0", "always 1", "sex == male"]
    learner.learn({"sex": None}, 0)  # a third value: now `!= male` says something else than `== female`
    assert "sex != male" in [str(rule.rule) for rule in learner.rules_within(4)]
    learner.learn({"sex": 3}, 0)
    assert "sex is a number" in [str(rule.rule) for rule in learner.rules_within(6)]


def test_columns_with_different_numbers_of_cells_share_one_table_of_weights() -> None:
    """The first column, whose table all use, has hardly a number; rates change from large to small and back."""
    c, rng = at.TableStumps(["rare", "full"]), np.random.default_rng(3)
    engine, slow = TableEngine(c, MixedPrior()), SlowTable(c, "mixed", 0.0)
    for t in range(240):
        rate = [40.0, 0.01, 3.0][t // 80]
        engine.rate = slow.rate = rate
        for line in slow.lines.values():
            line.rate = rate
        row = {"full": float(rng.integers(1000)), **({"rare": float(t)} if t % 50 == 0 else {})}
        assert engine.probability(row) == pytest.approx(slow.odds(row)[0], abs=1e-9)
        y = int(row["full"] > 400) ^ int(rng.random() < 0.1)
        engine.commit(row, y)
        slow.commit(row, y, 1.0)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(STEPS), ROUNDS, st.sampled_from([0.0, 0.3, 2.0]))
def test_the_most_probable_steps(c: Any, rounds: Any, rate: float) -> None:
    """The rule has the reported loss, and no single column has more probable steps."""
    engine = TableStepsEngine(c, MixedPrior())
    engine.rate = rate
    for row, y, weight in rounds:
        engine.commit(c.instance(row), y, weight)
    rule, leader = engine.best_rule(), engine.leader()
    lost = sum(weight for row, y, weight in rounds if rule(c.instance(row)) != y)
    assert lost == pytest.approx(leader.loss) and leader.loss == pytest.approx(engine.best_loss)
    # It is one of those that the sum is over, and heavier than what each column has to say by itself.
    assert leader.log_prior <= engine.log_potential() + 1e-9
    for member in engine.members:
        line, column = member.line, member.kernel
        loss = line.best_loss + min(column.side0, column.side1)
        own = line.leader().log_prior - math.log(2 * engine.prior.kinds) - rate * loss
        assert own <= leader.log_prior - rate * leader.loss + 1e-9
    restored = TableStepsEngine(c, MixedPrior())
    restored.rate = rate
    restored.restore(engine.state())
    assert restored.log_potential() == engine.log_potential()
    state = engine.state()
    state["columns"][0]["line"]["log_weight"] += 0.01
    with pytest.raises((DamagedFile, ValueError)):
        TableStepsEngine(c, MixedPrior()).restore(state)


def test_steps_find_the_column_and_refuse_what_they_cannot_list() -> None:
    rng, learner = np.random.default_rng(0), at.Adept(at.TableSteps(["a", "b", "c"]))
    rows = rng.random((600, 3))
    labels = (np.searchsorted([0.2, 0.4, 0.6, 0.8], rows[:, 1]) % 2) ^ (rng.random(600) < 0.05)
    learner.learn_many(rows, labels)
    text = str(learner.best_rule())
    assert text.count("b") == 2 and "a" not in text and "c" not in text
    assert learner.regret <= learner.certificate().bound
    with pytest.raises(InvalidArgument, match="any number of cuts"):
        learner.rules_within(1)
    with pytest.raises(InvalidArgument, match="anytime"):
        at.Adept(at.TableSteps(["a"]), rate="anytime")


@pytest.mark.parametrize("c", [*CLASSES[:3], STEPS[0]], ids=repr)
def test_a_limited_width_is_refused_unless_paths_are_kept(c: Any) -> None:
    choices: list[dict[str, Any]] = [{}, {"prior": "kt"}, {"engine": "collapsed"}]
    for options in choices:
        with pytest.raises(InvalidArgument, match=r"max_width=3 \(--max-width\); leave it out, or build"):
            at.Adept(c, max_width=3, **options)
    learner = at.Adept(c, max_width=3, engine="paths")
    for i, sex in enumerate(["m", "f", None, "m", "f"]):
        learner.learn({"age": float(i * 3 % 5), "sex": sex}, i % 2)
    assert learner.width == 3 and learner.certificate().dropped_paths > 0


@pytest.mark.skipif(not COMPILED, reason="the quick way is compiled")
def test_bools_and_missing_floats_take_the_quick_way() -> None:
    """A row with True, or with NaN in place of None, is a plain point: the learner is not asked to check it."""
    plain, texts = (at.Adept(at.TableStumps(["age", "sex", "member"])) for _ in range(2))
    rng = np.random.default_rng(4)
    for _ in range(200):
        age, member, sex = float(rng.choice([1.5, 4.0, math.nan])), bool(rng.random() < 0.5), "fm"[rng.integers(2)]
        row = {"age": age, "sex": sex, "member": member}
        other = {"age": None if math.isnan(age) else age, "sex": sex, "member": "true" if member else "false"}
        assert plain._quick_look(row) == texts._quick_look(other) >= 0
        label = int(member or age > 3)
        assert plain._quick_round(row, label) >= 0
        plain._whole(plain._adapt)
        texts.learn(other, label)
        texts._whole(texts._adapt)
    assert plain.certificate() == texts.certificate()
    assert plain._quick_look({"age": math.inf, "sex": "f", "member": True}) < 0
