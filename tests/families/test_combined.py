"""Rules that combine: unions, columns and experts, against explicit weights."""

from __future__ import annotations

import copy
import itertools
import math
import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adeptree as at

Row = dict[str, Any]


def rules() -> Any:
    return at.union(at.Experts("lr", "ht", at=0.5), at.Thresholds(8).on("score"), shares=(2, 1))


def explicit() -> list[tuple[float, Callable[[Row], int]]]:
    """Return every rule of ``rules()`` with its prior mass, thresholds with equal masses."""

    def follow(name: str, gap: int) -> Callable[[Row], int]:
        return lambda row: gap if row.get(name) is None else int(row[name] >= 0.5)

    votes = [(2 / 3 / 4, follow(name, gap)) for name in ("lr", "ht") for gap in (0, 1)]
    return votes + [(1 / 3 / 9, lambda row, cut=cut: int(row["score"] >= cut)) for cut in range(9)]


def some_row(rng: random.Random) -> Row:
    row: Row = {"score": rng.randrange(8), "lr": rng.random(), "ht": rng.random(), "other": "x"}
    for name in ("lr", "ht"):
        if rng.random() < 0.2:
            row[name] = rng.choice([None, math.nan])
        if rng.random() < 0.1:
            del row[name]
    return row


def plain(row: Row) -> Row:
    return {name: value for name, value in row.items() if value is not None and value == value}


@pytest.mark.parametrize("costs", [(1, 1), (5, 1)])
@pytest.mark.parametrize("review", [None, 0.3])
def test_a_union_is_the_mixture_of_all_its_rules(costs: tuple[float, float], review: float | None) -> None:
    for seed in range(6):
        rng, all_rules = random.Random(seed), explicit()
        learner = at.Adept(rules(), prior="uniform", rate=None if review else 0.3, review=review, costs=costs)
        losses, waiting = [0.0] * len(all_rules), []
        for _ in range(60):
            row, eta = some_row(rng), learner.learning_rate
            low = min(losses)
            weights = [mass * math.exp(-eta * (loss - low)) for (mass, _), loss in zip(all_rules, losses, strict=True)]
            says = [rule(plain(row)) for _, rule in all_rules]
            ones = sum(weight for weight, one in zip(weights, says, strict=True) if one)
            assert learner.predict_proba(row) == pytest.approx(ones / sum(weights), abs=1e-12)
            y = rng.randrange(2)
            if rng.random() < 0.3:
                waiting.append((learner.answer(row), y, says))
                if rng.random() < 0.5:
                    continue
                ticket, y, says = waiting.pop(rng.randrange(len(waiting)))
                learner.learn(ticket, y)
            else:
                learner.learn(row, y)
            losses = [loss + (costs[1 - y] if one != y else 0) for loss, one in zip(losses, says, strict=True)]
            assert learner.best_loss == pytest.approx(min(losses))
            assert learner.regret <= learner.bound + 1e-9
        within = {str(near.rule): near.loss for near in learner.rules_within(3)}
        assert len(within) >= sum(loss <= min(losses) + 3 for loss in losses[:4])
        assert min(within.values()) == pytest.approx(min(losses))


def test_shares_are_equal_in_any_bracketing() -> None:
    a, b, c = at.Thresholds(4).on("a"), at.Experts("b"), at.RealStumps(["c"])
    assert (a | b) | c == a | (b | c) == at.union(a, b, c)
    assert (a | b | c).shares == (1 / 3, 1 / 3, 1 / 3)
    uneven = at.union(a, b, shares=(3, 1))
    assert uneven.shares == (0.75, 0.25)
    assert (uneven | c).shares == (0.5, 0.5)
    assert at.parse(repr(uneven | c)) == uneven | c


def test_the_price_of_a_model_is_the_logarithm_of_their_number() -> None:
    learner = at.Adept(at.Experts("a", "b", "c"), review=0.25)
    rng = random.Random(3)
    for _ in range(50):
        row = {name: rng.randrange(2) for name in "abc"}
        learner.learn(row, row["b"])
        assert learner.regret <= math.log(3) / math.log(3) + 1e-12
    assert str(learner.best_rule()) == "b >= 0.5"
    assert learner.certificate().forever == pytest.approx(math.log(6) / math.log(3))  # (with a rule for missing votes)


def test_models_and_all_one_column_rules_compete() -> None:
    rules = at.Experts("m1", "m2", "m3") | at.TableStumps(["age", "sex"])
    learner, rng = at.Adept(rules), random.Random(4)
    for _ in range(200):
        row: Row = {"age": rng.randrange(60), "sex": rng.choice("mf"), **{m: rng.random() for m in ("m1", "m2", "m3")}}
        learner.learn(row, int(row["age"] >= 30))
    assert str(learner.best_rule()) == "age >= 30"
    assert learner.regret < 20


def test_single_calls_batches_frames_tickets_and_copies_agree(tmp_path: Path) -> None:
    rng = random.Random(5)
    stream = [(some_row(rng), rng.randrange(2)) for _ in range(80)]
    one, many, ticketed = (at.Adept(rules(), seed=3) for _ in range(3))
    for i, (row, y) in enumerate(stream):
        guess, before = one.predict(row), one.realised_loss
        one.learn(row, y)
        assert one.realised_loss - before == (guess != y)  # the coin of predict is that of the round
        ticketed.learn(ticketed.answer(row), y)
        if i % 20 == 7:
            one = copy.deepcopy(one)
            one.save(tmp_path / "f")
            one = at.load(tmp_path / "f")  # type: ignore[assignment]
    many.learn_many(*map(list, zip(*stream, strict=True)))
    for other in (many, ticketed):
        assert other.expected_loss == pytest.approx(one.expected_loss, abs=1e-9)
        assert other.realised_loss == one.realised_loss
        assert str(other.best_rule()) == str(one.best_rule())


def test_a_frame_is_learnt_as_its_rows() -> None:
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    rng = random.Random(5)
    stream = [(some_row(rng), rng.randrange(2)) for _ in range(80)]
    many, framed = at.Adept(rules(), seed=3), at.Adept(rules(), seed=3)
    many.learn_many(*map(list, zip(*stream, strict=True)))
    framed.learn_many(pandas.DataFrame([row for row, _ in stream]), [y for _, y in stream])
    assert framed.expected_loss == pytest.approx(many.expected_loss, abs=1e-9)
    assert framed.realised_loss == many.realised_loss


def test_paths_by_the_oracle_keep_their_bound_on_a_union() -> None:
    learner, rng = at.Adept(rules(), engine="paths", mistake_bound=20), random.Random(6)
    for _ in range(12):
        learner.learn(some_row(rng), rng.randrange(2))
    assert learner.regret <= learner.bound
    assert learner.engine.kind == "paths"


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: at.Thresholds(4) | at.Experts("a"), 'use rules.on("column")'),
        (lambda: at.Adept(at.Experts("a"), horizon=9, prior="paper", mistake_bound=3), 'use prior="mixed"'),
        (lambda: at.Adept(at.Experts("a"), max_width=9), "leave max_width out"),
        (lambda: at.union(at.Experts("a"), shares=(1, 2)), "shares must be 1 number from 1e-9 to 1e9"),
        (lambda: at.Experts(), "columns"),
        (lambda: at.union(), "a union needs rules"),
        (lambda: at.union(at.Experts("a"), at.Experts("b"), shares=("1", "2")), "numbers from 1e-9 to 1e9"),  # type: ignore[arg-type]
        (lambda: at.union(at.Experts("a"), at.Experts("b"), shares=3), "numbers from 1e-9 to 1e9"),  # type: ignore[arg-type]
        (lambda: at.union(at.Experts("a"), at.Experts("b"), shares=(10**400, 1)), "numbers from 1e-9 to 1e9"),
        (lambda: at.Thresholds(4).on(3), "column must be one or more different texts"),  # type: ignore[arg-type]
        (lambda: at.Thresholds(4).on(""), "column must be one or more different texts"),
        (lambda: at.Thresholds(4).on("a").on("b"), "names the columns it reads already"),
        (lambda: at.Adept(at.RealSteps().on("a")), "compared with its most probable rule"),
        (lambda: at.Adept(at.TableSteps(["a"]) | at.Experts("b")), "compared with its most probable rule"),
        (lambda: at.Adept(at.Experts("a")).learn({"a": "yes"}, 1), "must hold votes (0 or 1) or scores"),
        (lambda: at.Adept(at.Thresholds(4).on("a")).learn({"b": 1}, 1), "column 'a' must not be missing"),
        (lambda: at.Adept(at.Thresholds(4).on("a")).learn({"a": 9.0}, 1), "column 'a': x must be an int in 0..3; got"),
        (lambda: at.Adept(at.Thresholds(4).on("a")).learn({"a": "b"}, 1), "column 'a': x must be an int in 0..3"),
        (lambda: at.Adept(at.Thresholds(4).on("a")).learn(3, 1), "x must be a mapping of column names"),
    ],
)
def test_wrong_combinations_are_refused_with_a_reason(build: Callable[[], Any], said: str) -> None:
    with pytest.raises(at.errors.InvalidArgument) as error:
        build()
    assert said in str(error.value)


@pytest.mark.parametrize(
    "rules",
    [
        at.Thresholds(9).on("s") | at.Experts("s", at=4),
        at.Intervals(9).on("s") | at.RealThresholds().on("s"),
        at.Thresholds(4).on("s") | at.Thresholds(9).on("s"),
        at.Thresholds(4).on("s") | at.RealStumps(["s"]),
        at.Thresholds(4).on("s") | at.TableStumps(["s", "t"]),
        at.FiniteClass(["0011", "0101"]).on("s") | at.Experts("s", at=2),
    ],
    ids=repr,
)
def test_parts_that_read_one_column_are_saved_and_loaded(rules: Any, tmp_path: Path) -> None:
    for seed in range(20):  # (a loaded learner is tried on rows that it draws)
        rules.instance(rules.random_instance(np.random.default_rng(seed)))
    learner = at.Adept(rules, review=0.1)
    for i in range(8):
        learner.learn({"s": i % 4, "t": "ab"[i % 2]}, i % 3 == 0)
    learner.save(tmp_path / "f")
    again = at.load(tmp_path / "f")
    assert again.predict_proba({"s": 2, "t": "a"}) == learner.predict_proba({"s": 2, "t": "a"})
    assert again.certificate() == learner.certificate()


PARTS = [
    at.Experts("m"),
    at.TableStumps(["amount"]),
    at.TableThresholds(["amount"]),
    at.RealStumps(["amount"]),
    at.Stumps(cuts={"amount": [1]}),
    at.union(at.Experts("m"), at.TableStumps(["amount"]), shares=(1, 2)),
]


@pytest.mark.parametrize(("one", "two"), list(itertools.combinations(PARTS, 2)), ids=repr)
def test_always_1_is_a_rule_of_a_part(one: Any, two: Any, tmp_path: Path) -> None:
    learner = at.Adept(at.union(one, two, shares=(1, 2)))
    learner.learn({"m": 0, "amount": 10}, 1)
    near = {str(one.rule): one.loss for one in learner.rules_within(1)}
    assert near["always 1"] == 0 and near["always 0"] == 1
    learner.save(tmp_path / "f")
    assert at.load(tmp_path / "f").certificate() == learner.certificate()


@pytest.mark.parametrize("value", [np.True_, np.float32(1), np.timedelta64(1, "s"), timedelta(1)], ids=repr)
@pytest.mark.parametrize("c", [at.RealThresholds().on("s"), at.Stumps(cuts={"s": [1]}) | at.Experts("s")], ids=repr)
def test_a_value_is_read_alike_by_all_calls(c: Any, value: Any) -> None:
    found = set()
    for call in range(4):
        learner, row = at.Adept(c), {"s": value}
        try:
            if call == 0:
                learner.learn(row, 1)
            elif call == 1:
                learner.learn_many([row], [1])
            elif call == 2:
                learner.learn(learner.answer(row), 1)
            else:
                learner.predict_proba(row)
                learner.learn(row, 1)
            found.add(repr((learner.expected_loss, learner.best_rule())))
        except at.errors.InvalidInstance as error:
            found.add(str(error))
    assert len(found) == 1


def test_a_second_look_at_a_mixture_of_mixtures_asks_nothing() -> None:
    learner = at.Adept(rules())
    row = {"lr": 0.7, "ht": 0.2, "score": 3}
    learner.predict_proba(row)
    asked = learner.queries.asked
    learner.predict_proba(row)
    learner.learn(row, 1)
    assert learner.queries.asked == asked > 0


@pytest.mark.parametrize("rules", [at.Conjunctions(2), at.FiniteClass([[0, 0], [0, 1], [1, 1]])], ids=repr)
def test_listed_classes_on_a_column_play_batches(rules: Any) -> None:
    """Placing a point of theirs calls Python code, which a compiled batch cannot."""
    rng = np.random.default_rng(1)
    rows = [{"x": rules.random_instance(rng)} for _ in range(40)]
    ys = rng.integers(2, size=40)
    single, batch = (at.Adept(rules.on("x") | at.Experts("u")) for _ in range(2))
    for row, y in zip(rows, ys.tolist(), strict=True):
        single.learn(row, y)
    batch.learn_many(rows, ys)
    assert batch.expected_loss == single.expected_loss
    assert batch.predict_proba_many(rows).tolist() == [single.predict_proba(row) for row in rows]
