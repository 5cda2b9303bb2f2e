"""Columns of times: in files, in data frames and one by one they give the same numbers; their rules are dates."""

from __future__ import annotations

import csv
import json
import math
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_form import times as repeats
from running import call, good, write

import adeptree as at
from adeptree.core.errors import InvalidArgument
from adeptree.families.rule_values import Interval, IntervalUnion, Threshold
from adeptree.families.tables.times import DAYS, TimeCell, TimeOfRow, time_in, with_times

FEATURES = ["delay", "when", "weekday(when)", "hour(when)"]
ZONES: Any = st.sampled_from([None, UTC, timezone(timedelta(hours=-5)), timezone(timedelta(hours=5, minutes=45))])
TIMES = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=ZONES)


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


def times(count: int) -> tuple[list[datetime | None], list[int], list[int]]:
    rng = np.random.default_rng(4)
    start = datetime(2013, 4, 20, 6, 30)
    whens = [start + timedelta(minutes=int(m)) for m in np.cumsum(rng.integers(1, 400, count))]
    ys = [int((when.weekday() >= 5) ^ (rng.random() < 0.1)) for when in whens]
    gaps: list[datetime | None] = [None if rng.random() < 0.1 else when for when in whens]
    return gaps, rng.integers(0, 9, count).tolist(), ys


def numbers(path: str) -> list[float]:
    return [float(row["p"]) for row in csv.DictReader(Path(path).read_text(encoding="utf-8").splitlines())]


def test_files_frames_and_single_calls_agree_to_the_last_digit() -> None:
    pd, pa, pl = (pytest.importorskip(name) for name in ("pandas", "pyarrow", "polars"))
    from pyarrow import parquet

    whens, delays, ys = times(200)
    texts = ["" if when is None else when.isoformat(" ") for when in whens]
    rows = list(zip(delays, texts, ys, strict=True))
    write("t.csv", "delay,when,y", *(f"{delay},{text},{y}" for delay, text, y in rows))
    write("t.jsonl", *(json.dumps({"delay": d, "when": text or None, "y": y}) for d, text, y in rows))
    columns = {"delay": delays, "when": whens}
    parquet.write_table(pa.table(columns | {"y": ys}), "t.parquet")
    c = at.TableStumps(FEATURES, times=["when"])
    assert at.parse(repr(c)) == c and c.columns == ("delay", "when")
    said = []
    learner = at.Adept(c)
    for i, (delay, when, y) in enumerate(zip(delays, whens, ys, strict=True)):
        x = {"delay": delay, "when": when if i % 2 else texts[i] or None}
        said.append(learner.predict_proba(x))
        learner.learn(x, y)
        if i == 100:
            learner.save("half")
            learner = at.load("half")  # type: ignore[assignment]
    frames = [pd.DataFrame(columns), pa.table(columns), pl.DataFrame(columns), pd.DataFrame(columns | {"when": texts})]
    frames[3]["when"] = frames[3]["when"].replace("", None)
    for frame in frames:
        assert np.asarray(at.Adept(c).learn_many(frame, ys)).tolist() == said
    assert (
        at.Adept(c).learn_many([dict(zip(columns, row, strict=True)) for row in zip(delays, whens, strict=True)], ys)[
            -1
        ]
        == said[-1]
    )
    for name in ("t.csv", "t.jsonl", "t.parquet"):
        run = call("run", name, "--rules", "stumps", "--predictions", "p.csv")
        assert run.exit_code == 0 and numbers("p.csv") == said
        assert "read as times (UTC if no zone is given): when; also weekday(when), hour(when)\n" in run.stderr
        assert "stumps(delay, when, weekday(when), hour(when))" in run.stdout
        good("run", name, "--rules", f"stumps({', '.join(FEATURES)})", "--predictions", "p.csv", "-q")
        assert numbers("p.csv") == said


@settings(max_examples=repeats(60, 200), deadline=None)
@given(TIMES, st.sampled_from(["T", " "]), st.sampled_from(["auto", "microseconds", "minutes"]))
def test_a_text_and_the_time_that_it_is_are_the_same_cell(when: datetime, sep: str, spec: str) -> None:
    text = when.isoformat(sep, spec)
    meant = datetime.fromisoformat(text)
    found: list[Any] = []
    for part in ("", "weekday", "hour"):
        cell = TimeCell(f"{part}(t)" if part else "t", "t", part)
        found.append(cell({"t": text}))
        assert found[-1] == cell({"t": meant})
    utc = meant if meant.tzinfo else meant.replace(tzinfo=UTC)
    assert found == [utc.timestamp(), DAYS[meant.weekday()], meant.hour]
    assert time_in(text) == meant
    if meant.tzinfo in (None, UTC):  # a number has no zone
        assert [TimeCell("p", "t", part)({"t": found[0]}) for part in ("weekday", "hour")] == found[1:]
    shown = datetime.fromisoformat(str(TimeOfRow(found[0])))
    assert shown.replace(tzinfo=UTC) == utc


def test_what_is_no_iso_time_stays_a_text() -> None:
    for text in [
        "03/04/2013",
        "2013-05",
        "20130501",
        "2013-02-30",
        "2013-05-01T24:00",
        "2013-05-01T7:00",
        "17:00",
        "x",
    ]:
        assert time_in(text) is None
    hour, when = TimeCell("hour(t)", "t", "hour"), TimeCell("t", "t", "")
    for value, cell in {"soon": "soon", None: None, "": "", 7200: 7200.0, True: "true", math.nan: None}.items():
        assert when({"t": value}) == cell
        assert hour({"t": value}) == (2.0 if value == 7200 else None)
    assert when({"t": date(1970, 1, 2)}) == when({"t": np.datetime64("1970-01-02")}) == 86400.0
    assert when({"t": np.datetime64("NaT")}) is None
    assert hour({"t": -1e-20}) == 23.0 and hour({"t": 1e300}) is not None
    pd = pytest.importorskip("pandas")
    fine = "2013-05-01T17:00:00.123456789"
    assert when({"t": pd.Timestamp(fine)}) == when({"t": fine}) and when({"t": pd.NaT}) is None


@settings(max_examples=repeats(60, 200), deadline=None)
@given(st.lists(TIMES.map(lambda t: t.replace(tzinfo=UTC).timestamp()), min_size=2, unique=True), st.data())
def test_round_times_keep_what_a_rule_says(points: list[float], data: st.DataObject) -> None:
    points.sort()
    cuts = sorted(data.draw(st.sampled_from(points)) - data.draw(st.sampled_from([0.0, 1e-3])) for _ in range(2))
    for rule in (Threshold(cuts[0]), Interval(*cuts), Interval(-math.inf, cuts[1]), IntervalUnion((Interval(*cuts),))):
        shown = with_times(rule, points)
        if all(points[0] < cut for cut in cuts):
            assert [shown(x) for x in points] == [rule(x) for x in points]


def test_cuts_are_the_roundest_times_between_two() -> None:
    low, high = (datetime(2013, 4, 30, 23, 50, tzinfo=UTC), datetime(2013, 5, 1, 17, 3, 9, tzinfo=UTC))
    for start, cut in [
        (datetime(2012, 7, 1, tzinfo=UTC), "2013-01-01"),
        (low, "2013-05-01"),
        (high.replace(hour=0), "2013-05-01T17:00"),
        (high.replace(minute=1), "2013-05-01T17:03"),
        (high.replace(second=8), "2013-05-01T17:03:09"),
    ]:
        ends = [start.timestamp(), high.timestamp()]
        assert str(with_times(Threshold(ends[1]), ends)) == f"x >= {cut}"


def test_the_best_rule_is_a_date_and_reads_rows_as_they_come() -> None:
    c = at.TableStumps(["when"], times=["when"])
    learner = at.Adept(c)
    for day in range(1, 29):
        learner.learn({"when": f"2013-05-{day:02}"}, int(day >= 12))
    rule = learner.best_rule()
    assert str(rule) == "when >= 2013-05-12" == str(c.erm([({"when": date(2013, 5, d)}, d >= 12) for d in (11, 12)]))
    assert [rule({"when": when}) for when in ("2013-05-11", datetime(2013, 5, 12), None)] == [0, 1, 0]
    days = at.Adept(at.TableStumps(["weekday(when)"], times=["when"]))
    for day in range(1, 29):
        days.learn({"when": date(2013, 5, day)}, int(date(2013, 5, day).weekday() == 6))
    sundays = days.best_rule()
    assert str(sundays) == "weekday(when) == Sun" and sundays({"when": "2013-05-05 03:00"}) == 1
    texts = [None, *(f"2013-05-{day:02}" for day in range(1, 29))]
    array, ys = np.array(texts, dtype="datetime64[ns]"), [int(i >= 12) for i in range(29)]
    said = at.Adept(c).learn_many([{"when": text} for text in texts], ys).tolist()
    assert at.Adept(c).learn_many(array, ys).tolist() == said


def test_names_of_columns_that_look_like_parts() -> None:
    plain = at.TableStumps(["hour(s)", "s"])
    assert plain.instance({"hour(s)": 3, "s": "2013-05-01"}) == {"hour(s)": 3.0, "s": "2013-05-01"}
    with pytest.raises(InvalidArgument, match="times must be columns that the features read"):
        at.TableStumps(["a"], times=["b"])
    with pytest.raises(InvalidArgument, match="times must be a list"):
        at.TableStumps(["a"], times="a")
    write("t.csv", "hour(s),y", *(f"{i},{int(i > 4)}" for i in range(9)))
    assert "hour(s) >= 5" in good("run", "t.csv", "--rules", "stumps(hour(s))")


def test_what_a_run_takes_for_times() -> None:
    write("t.csv", "a,day,y", *(f"{i},2013-05-{i:02},{int(i > 4)}" for i in range(1, 20)), "3,soon,1")
    run = call("run", "t.csv", "--rules", "stumps")
    assert "times (UTC if no zone is given): day; also weekday(day)\n" in run.stderr and "hour(" not in run.stdout
    assert "stumps(a, day, weekday(day))" in run.stdout
    write("u.csv", "day,y", *(f"{i:02}/05/2013,{int(i > 4)}" for i in range(1, 20)))
    assert "times" not in call("run", "u.csv", "--rules", "stumps").stderr
    told = call("run", "u.csv", "--rules", "stumps(weekday(day))").stderr
    assert "weekday(day) needs times in ISO 8601, such as 2013-05-01 or 2013-05-01T17:00; day has 01/05/2013" in told
    for others, text in (["2013-05-02", "", "soon", "late"], "soon"), (["n/a"], "none"):
        write("v.csv", "a,day,y", *(f"{i},{day},{i % 2}" for i, day in enumerate(others * 2)))
        assert f"day has {text} in its first rows" in call("run", "v.csv", "--rules", "stumps(weekday(day))").stderr
    for rules in ("thresholds(day)", "intervals(day)", "unions(day, m=2)"):
        assert "day >= 2013-05-05" in good("run", "t.csv", "--rules", rules)


def test_rules_may_name_several_texts() -> None:
    rows = [(c, int(c in "be")) for c in "abcdebeabcdebbe"]
    write("t.csv", "kind,id,y", *(f"{kind},{i}x,{y}" for i, (kind, y) in enumerate(rows * 9)))
    run = call("run", "t.csv", "--rules", "stumps(values=2)", "--predictions", "p.csv")
    assert run.exit_code == 0 and "stumps(kind, values=2)" in run.stdout and "kind in {b, e}" in run.stdout
    assert "left out, as their texts are all different in the first rows: id" in run.stderr
    c = at.TableStumps(["kind"], values=2)
    said = at.Adept(c).learn_many([{"kind": kind} for kind, _ in rows * 9], [y for _, y in rows * 9])
    assert numbers("p.csv") == said.tolist()
    assert "kind in {b, e}" in good("run", "t.csv", "--rules", "intervals(kind, values=3)")
    assert "kind in {" not in good("run", "t.csv", "--rules", "stumps(kind)")
    assert "does not fit" in call("run", "t.csv", "--rules", "stumps(3)").stderr
    assert "values must be an int in 1..8" in call("run", "t.csv", "--rules", "stumps(values=9)").stderr


def test_a_resumed_conversation_still_knows_its_times() -> None:
    for rules in ("stumps", "stumps(when)"):
        folder = rules[:7]
        write("feed.csv", "a,when,y", "1,2013-05-01T17:00,0", "5,2013-05-02T17:00,1")
        options = ["run", "feed.csv", "--rules", rules, "--follow", "--save", folder, "--resume"]
        good(*options)
        write("feed.csv", "a,when,y", "1,,0", "5,2013-06-02T17:00,1")
        again = call(*options)
        assert again.exit_code == 0 and "when >= 2013-05-02" in again.stderr
        assert at.load(f"{folder}/checkpoint").concept_class.times == ("when",)  # type: ignore[attr-defined]
        content = json.loads(Path(f"{folder}/settings.json").read_bytes())
        assert content["settings"]["found"]["times"] == ["when"]
