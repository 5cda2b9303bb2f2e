"""Cells as users have them: whichever way a row comes, learner and rules read the same in it."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from long_form import times

import adeptree as at
from adeptree.core.errors import InvalidArgument, InvalidInstance
from adeptree.families.rule_values import Threshold
from adeptree.families.tables.times import time_in, with_times

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

CELLS = [None, math.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), np.timedelta64("NaT")]
CELLS += [True, np.bool_(False), "true", "red", np.str_("red"), np.str_("2013-05-01")]
CELLS += [3, np.int8(3), 3.5, np.float32(3.5), Decimal("3.25"), Fraction(13, 4), -0.0, np.longdouble(2)]
CELLS += [math.inf, np.float64(-math.inf), 10**400, -(10**400), Fraction(-(10**400), 3), 1.7976931348623157e308]
CELLS += [date(2013, 5, 1), datetime(2013, 5, 1, 7), datetime(2013, 5, 1, 7, tzinfo=UTC), pd.Timestamp("2013-05-02")]
CELLS += [np.datetime64("2013-05-01T07", "ns"), np.datetime64("2013-05-03")]
ROUNDS = st.lists(st.tuples(*[st.sampled_from(range(len(CELLS)))] * 2, st.integers(0, 1)), min_size=1, max_size=15)
CLASSES = [
    at.TableStumps(["a", "b"]),
    at.TableIntervals(["a", "b"], values=2),
    at.TableStumps(["a", "b", "weekday(b)", "hour(b)"], times=["b"]),
]


@settings(max_examples=times(60, 150), deadline=None)
@given(st.sampled_from(CLASSES), ROUNDS)
def test_rules_read_rows_as_the_learner_does(c: Any, rounds: Any) -> None:
    rows = [{"a": CELLS[a], "b": CELLS[b]} for a, b, _ in rounds]
    ys = [y for _, _, y in rounds]
    learner, batch, said = at.Adept(c), at.Adept(c), []
    for row, y in zip(rows, ys, strict=True):
        said.append(learner.predict_proba(row))
        learner.learn(row, y)
    assert batch.learn_many(rows, ys).tolist() == said
    for near in learner.rules_within(2):
        labels = [near.rule(row) for row in rows]
        assert labels == [near.rule(c.instance(row)) for row in rows]
        assert near.loss == sum(label != y for label, y in zip(labels, ys, strict=True))
    assert learner.rules_within(0)[0].loss == learner.best_loss


def test_a_gap_by_the_name_of_a_part_is_that_of_its_time() -> None:
    c = at.TableStumps(["when", "weekday(when)"], times=["when"])
    for gap in (None, math.nan, pd.NA):
        row = c.instance({"when": "2013-05-01T23:30-04:00", "weekday(when)": gap})
        assert row["weekday(when)"] == "Wed" and c.instance(row) == row


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.longdouble, pd.DataFrame, pl.DataFrame, "texts"])
def test_infinities_in_many_rows_are_those_of_single_ones(kind: Any, tmp_path: Path) -> None:
    numbers, ys = [math.inf, 1.0, -math.inf, math.nan, 2.0, math.inf], [1, 0, 1, 0, 0, 1]
    features = ["a"] if kind != "texts" else ["a", "b"]
    c = at.TableIntervals(features)
    many: Any = {"a": numbers} | ({"b": list("xyxyzz")} if kind == "texts" else {})
    xs = (
        pl.DataFrame(many)
        if kind in ("texts", pl.DataFrame)
        else pd.DataFrame(many)
        if kind is pd.DataFrame
        else np.array(numbers, dtype=kind)[:, None]
    )
    rows = [dict(zip(many, cells, strict=True)) for cells in zip(*many.values(), strict=True)]
    single, batch = at.Adept(c), at.Adept(c)
    said = []
    for row, y in zip(rows, ys, strict=True):
        said.append(single.predict_proba(row))
        single.learn(row, y)
    assert list(batch.learn_many(xs, ys)) == said
    batch.save(tmp_path / "learner")
    loaded: Any = at.load(tmp_path / "learner")
    for learner in (single, batch, loaded):
        rule = learner.best_rule()
        assert str(rule) == str(single.best_rule())
        assert learner.best_loss == sum(rule(row) != y for row, y in zip(rows, ys, strict=True))
        assert list(learner.predict_proba_many(xs)) == [single.predict_proba(row) for row in rows]


def test_numbers_beyond_every_float_in_river() -> None:
    pytest.importorskip("river")
    from adeptree.compat.river import AdeptClassifier

    model = AdeptClassifier(rules="stumps")
    for value in (10**400, Fraction(-(10**400)), 3):
        model.learn_one({"a": value, "b": "x"}, value == 10**400)
    assert model.predict_proba_one({"a": 10**500})[True] == model.predict_proba_one({"a": math.inf})[True]
    assert model.best_rule()({"a": 10**500}) == 1


@settings(max_examples=times(80, 200), deadline=None)
@given(st.integers(-(10**9), 2 * 10**9), st.lists(st.integers(0, 30), min_size=2, max_size=4, unique=True), st.data())
@example(1367513998, [0, 10, 30], None)
def test_the_cut_that_is_shown_separates_the_same_points(base: int, steps: list[int], data: Any) -> None:
    """Points a few bits apart, around full seconds and microseconds."""
    unit = data.draw(st.sampled_from([2.0**-22, 1e-6, 3e-7, 0.4])) if data else 0.19999998
    points = sorted({base + step * unit for step in steps})
    for low, high in pairwise(points):
        rule = with_times(Threshold(high), points)
        text = str(rule).removeprefix("x >= ")
        time = time_in(text)
        cut = float(text) if time is None else time.replace(tzinfo=UTC).timestamp()
        assert low < cut == rule.start <= high


def test_times_finer_than_a_microsecond() -> None:
    c, learner = at.TableStumps(["t"], times=["t"]), at.Adept(at.TableStumps(["t"], times=["t"]))
    rows, ys = [{"t": t} for t in (1367513998, 1367513999.9999998, 1367514001)], [0, 1, 1]
    learner.learn_many(rows, ys)
    rule = learner.best_rule()
    assert [rule(row) for row in rows] == ys and str(rule) == "t >= 2013-05-02T16:59:59" and learner.best_loss == 0
    near = [({"t": 1367514000.0000002}, 0), ({"t": 1367514000.0000005}, 1)]
    assert str(c.erm(near)) == "t >= 1367514000.0000005"
    assert str(c.erm([({"t": 1367514000}, 0), ({"t": 1367514000.0000017}, 1)])) == "t >= 2013-05-02T17:00:00.000001"


@pytest.mark.parametrize("times", [(), ("t",)])
def test_durations_and_years_beyond_python_are_refused(times: Any) -> None:
    c = at.TableStumps(["t"], times=times)
    spans = [np.timedelta64(5, "s"), np.timedelta64(5, "ns"), np.timedelta64(5, "Y"), timedelta(1), pd.Timedelta("3s")]
    far: list[Any] = [np.datetime64(year) for year in ("10000", "0000-12-31", "-0005-01-01", "300000-01-01")]
    far.append(pd.Timestamp(np.datetime64("20000-01-01", "s")))
    for values, words in ((spans, "durations as numbers, e.g. of seconds"), (far, "times of the years 1 to 9999")):
        for value in values:
            with pytest.raises(InvalidInstance, match=f"column 't' must hold {words}; got t="):
                c.instance({"t": value})
            with pytest.raises(InvalidInstance, match=words):
                at.Adept(c).learn_many(np.array([[value]]), [1])
    with pytest.raises(InvalidInstance, match="durations"):
        at.Adept(c).learn_many(pd.DataFrame({"t": pd.to_timedelta([1, 2], unit="s")}), [0, 1])
    assert c.instance({"t": np.datetime64("0001-01-01")}) == {"t": -62135596800.0}
    assert c.instance({"t": np.datetime64("9999-12-31")}) == {"t": 253402214400.0}


def test_arrays_of_nanoseconds_are_times() -> None:
    days = np.array([["2013-05-01"], ["NaT"], ["2013-05-03"]], dtype="datetime64[ns]")
    for c in (at.TableStumps(["t"]), at.TableStumps(["t"], times=["t"])):
        assert list(c.instances_of(days)) == [{"t": 1367366400.0}, {}, {"t": 1367539200.0}]
        many, single = at.Adept(c), at.Adept(c)
        many.learn_many(days, [0, 0, 1])
        for day, y in zip(days, [0, 0, 1], strict=True):
            single.learn(day, y)
        assert [many.predict_proba(day) for day in days] == [single.predict_proba({"t": day[0]}) for day in days]
    pytest.importorskip("sklearn")
    from adeptree.compat.sklearn import AdeptClassifier

    rule = AdeptClassifier(rules="stumps").fit(days, [0, 0, 1]).best_rule()
    assert [rule({"x0": day}) for day in days[:, 0]] == [0, 0, 1]


def test_who_meets_a_gap_is_told_of_tables() -> None:
    c = at.RealStumps(["age"])
    for x in ({"age": None}, {"age": math.nan}, {"age": "old"}, {}):
        with pytest.raises(InvalidInstance, match="TableStumps takes rows with texts and gaps"):
            c.instance(x)
    with pytest.raises(InvalidInstance, match="TableStumps takes"):
        at.Adept(c).learn_many(np.array([[1.0], [math.nan]]), [0, 1])
    pytest.importorskip("sklearn")
    from adeptree.compat.sklearn import AdeptClassifier

    for X in ([["x"], ["y"]], [[1.0], [math.nan]], pd.DataFrame({"a": [pd.NA, 1.0]}), pd.DataFrame({"a": ["x", None]})):
        model = AdeptClassifier().fit(X, [0, 1])  # (its rules take them)
        assert model.learner_.best_loss == 0
        with pytest.raises(InvalidInstance, match="finite number"):
            AdeptClassifier(rules="real_thresholds()", feature="x0").fit([["x"], ["y"]], [0, 1])
    with pytest.raises(ValueError, match="NaN"):
        AdeptClassifier().fit([[1.0], [2.0]], [0, math.nan])


def test_rules_of_a_frame() -> None:
    pa = pytest.importorskip("pyarrow")
    columns = {"age": [31, 44, None], "sex": ["f", "m", None], "when": [datetime(2013, 5, day) for day in (1, 2, 3)]}
    plain, late = columns | {"y": [0, 1, 1]}, columns | {"y": [0, 1, 1], "id": [1, 2, 3]}
    for made in (pd.DataFrame, pl.DataFrame, pa.table):
        c = at.TableStumps.of(made(plain), label="y")
        assert c == at.TableStumps(["age", "sex", "when", "weekday(when)"], times=["when"])
        assert at.TableUnions.of(made(late), ["y", "id"], m=2, values=3, times=()) == at.TableUnions(
            ["age", "sex", "when"], 2, values=3
        )
        learner = at.Adept(c)
        learner.learn_many(made(plain), [0, 1, 1])
        assert learner.rounds == 3
    with pytest.raises(InvalidArgument, match=r"columns of the frame \(age, sex, when, y\).*'z'"):
        at.TableStumps.of(pd.DataFrame(plain), label="z")
    with pytest.raises(InvalidArgument, match="one or more different texts"):
        at.TableIntervals.of(pd.DataFrame({"y": [1]}), label="y")
    for wrong in (columns, [1, 2], pd.Series([1]), None):
        with pytest.raises(InvalidArgument, match="a data frame of pandas"):
            at.TableThresholds.of(wrong)
