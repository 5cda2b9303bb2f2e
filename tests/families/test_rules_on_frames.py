"""Rules on whole frames, and as SQL."""

from __future__ import annotations

import random
import sqlite3
from datetime import date
from typing import Any

import numpy as np
import pytest

import adeptree as at
from adeptree.core.errors import InvalidArgument
from adeptree.families.combined.row_rules import PartRule
from adeptree.families.rule_values import BlockUnion, Constant, Interval, IntervalUnion, Stump, Threshold

pd = pytest.importorskip("pandas")

NAMES = ["age", 'a "b', "job", "tenant"]
CREATE = 'CREATE TABLE rows ("age" REAL, "a ""b" INTEGER, "job" TEXT, "tenant" TEXT)'


def table(seed: int, count: int = 60) -> list[dict[str, Any]]:
    rng = random.Random(seed)

    def one(*values: Any) -> Any:
        return None if rng.random() < 0.25 else rng.choice(values)

    return [
        {
            "age": one(1.5, 2.0, 7.25, -3.0, 1e300, float("inf")),
            'a "b': one(1, 2, 3, 4),
            "job": one("cook", "it's", 'a "nurse"', "", "NULL"),
            "tenant": one("a", "b", "c"),
        }
        for _ in range(count)
    ]


RULES: dict[str, at.ConceptClass] = {
    "stumps": at.TableStumps(NAMES, values=3),
    "intervals": at.TableIntervals(NAMES),
    "unions": at.TableUnions(NAMES, 3),
    "thresholds": at.TableThresholds(["age", "job"], values=2),
    "models": at.Experts("age", 'a "b', at=2.0) | at.TableStumps(["job"]),
}


def rules_of(name: str, rows: list[dict[str, Any]], seed: int) -> list[Any]:
    rng, learner = random.Random(seed), at.Adept(RULES[name], seed=seed)
    for row in rows:
        learner.learn(row, int(rng.random() < 0.5))
    return [learner.best_rule(), *(near.rule for near in learner.rules_within(8, 300))]


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("seed", range(3))
def test_sql_says_what_the_rule_says(name: str, seed: int) -> None:
    """Also of values that no row had when the rule was learnt, and of missing ones."""
    rows, base = [*table(seed), *table(seed + 100)], sqlite3.connect(":memory:")
    base.execute(CREATE)
    base.executemany("INSERT INTO rows VALUES (?, ?, ?, ?)", [tuple(row.values()) for row in rows])
    rules = rules_of(name, rows[:60], seed)
    assert len({str(rule) for rule in rules}) > 8
    for rule in rules:
        found = [label for (label,) in base.execute(f"SELECT {rule.to_sql()} FROM rows")]
        assert found == [rule(row) for row in rows], (str(rule), rule.to_sql())


def test_sql_of_segments() -> None:
    rows = [{**row, "age": min(row["age"], 1e6)} for row in table(5) if row["age"] is not None]
    learner: Any = at.Adept(at.RealThresholds().on("age"), by="tenant", costs=(2, 1))
    for i, row in enumerate(rows):
        learner.learn(row, int(i % 3 == 0))
    base = sqlite3.connect(":memory:")
    base.execute(CREATE)
    base.executemany("INSERT INTO rows VALUES (?, ?, ?, ?)", [tuple(row.values()) for row in rows])
    for part in (0, 1):
        rule = PartRule(learner.concept_class, part, learner.engine.members[part].best_rule())
        found = [label for (label,) in base.execute(f"SELECT {rule.to_sql()} FROM rows")]
        assert found == [rule(row) for row in rows] == rule(pd.DataFrame(rows)).tolist(), rule.to_sql()


def test_values_of_one_column() -> None:
    blocks = BlockUnion(("a", "b'", 3), block_of=lambda x: x)
    assert blocks.condition("from") == """"from" IN ('a', 'b''', 3)"""
    assert Threshold(3).condition("x") == '"x" >= 3.0' and IntervalUnion(()).condition("x") == "(1 = 0)"
    assert IntervalUnion((Interval(1, 4), Interval(7, float("inf")))).condition("x") == (
        '(("x" >= 1.0 AND "x" < 4.0) OR ("x" >= 7.0))'
    )
    learner = at.Adept(at.RealThresholds().on("score"))
    learner.learn_many(pd.DataFrame({"score": [0.1, 0.9, 0.5]}), [0, 1, 1])
    rule: Any = learner.best_rule()
    assert rule.to_sql() == 'CASE WHEN "score" >= 0.5 THEN 1 ELSE 0 END'
    with pytest.raises(InvalidArgument, match="has no SQL; thresholds, intervals, values and stumps have"):
        PartRule(rule.owner, 0, lambda x: 1).to_sql()


def test_times_have_no_sql() -> None:
    learner = at.Adept(at.TableStumps(["when", "weekday(when)"], times=["when"]))
    for day in range(1, 29):
        learner.learn({"when": f"2013-05-{day:02}"}, int(day >= 12))
    with pytest.raises(InvalidArgument, match="a rule about times has no SQL that every database reads; got when"):
        learner.best_rule().to_sql()  # type: ignore[attr-defined]
    frame = pd.DataFrame({"when": [date(2013, 5, 11), None, date(2013, 5, 12)]})
    assert learner.best_rule()(frame).tolist() == [0, 0, 1]  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", RULES)
def test_a_frame_gets_one_label_per_row(name: str) -> None:
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    rows = table(9)
    columns = {n: [row[n] for row in rows] for n in NAMES}
    for rule in [*rules_of(name, rows, 1)[:40], Constant(1), Constant(0)]:
        said = [rule(row) for row in rows]
        assert set(said) <= {0, 1} and all(type(label) is int for label in said)
        arrays = {n: np.array(values, dtype=object) for n, values in columns.items()}
        series = {n: pd.Series(values, dtype=object) for n, values in columns.items()}
        for frame in (
            pd.DataFrame(columns),
            pl.DataFrame(columns, strict=False),
            pa.table(columns),
            columns,
            arrays,
            series,
        ):
            labels = rule(frame)
            assert labels.dtype == np.int64 and labels.tolist() == said
    assert Stump("age", 2.0, above=False)({"age": np.array([1.0, 3.0])}).tolist() == [1, 0]
    row = pd.DataFrame({"age": [1.0, 3.0]}).iloc[1]
    assert Stump("age", 2.0, above=True)(row) == 1 and Constant(1)(row) == 1 and Constant(1)({}) == 1
