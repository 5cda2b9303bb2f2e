"""Costs, weights, widths and frequencies at the command line."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from running import RULES, call, write

import adeptree as at


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _weighed_rows() -> str:
    lines = ["w,score,y", *(f"{(i % 4) / 2},{i * 7 % 16},{int(i * 7 % 16 >= 9) ^ (i % 5 == 0)}" for i in range(120))]
    return write("weighed.csv", *lines)


def test_costs_and_weights_reach_the_learner() -> None:
    path = _weighed_rows()
    options = ["--cost-miss", "5", "--cost-false-alarm", "2", "--weight", "w", "--max-weight", "1.5"]
    result = call("run", path, "--rules", "thresholds(n=16)", "--features", "score", *options, "--save", "kept")
    assert result.exit_code == 0, result.stderr
    rows = [(float(r["w"]), int(r["score"]), int(r["y"])) for r in csv.DictReader(Path(path).read_text().splitlines())]
    learner = at.Adept(at.Thresholds(16), costs=(5, 2), max_weight=1.5)
    for w, x, y in rows:
        learner.learn(x, y, weight=w)
    kept = at.load("kept/checkpoint")
    assert dict(kept.certificate()) == dict(learner.certificate())
    lost = min(sum(w * (5 if y else 2) for w, x, y in rows if (x >= a) != y) for a in range(17))
    assert re.search(rf"best rule: score >= \d+ +{lost:g} ", result.stdout)
    assert "A miss costs 5, a false alarm 2." in result.stdout and "mistakes" not in result.stdout
    assert "with weights up to 1.5" in " ".join(result.stdout.split())


def test_the_weight_is_no_feature_and_never_the_label() -> None:
    path = _weighed_rows()
    shown = call("run", path, "--rules", "stumps", "--weight", "w").stdout
    assert shown.startswith("weighed.csv: 120 rows, rules: stumps(score)\n")
    for options, why in (
        (["--rules", "stumps(w, score)", "--weight", "w"], '"w" is a feature'),
        (["--rules", "stumps(score)", "--weight", "y"], '"y" is the label'),
        (["--rules", "stumps(score)", "--weight", "wait"], 'no column "wait"'),
    ):
        failed = call("run", path, *options)
        assert failed.exit_code == 2 and why in failed.stderr


@pytest.mark.parametrize("weight", ["-1", "heavy", "", "nan", "1e300"])
def test_a_row_without_a_weight_is_a_bad_row(weight: str) -> None:
    path = write("odd.csv", "w,score,y", "1,3,0", f"{weight},5,1", "2,9,1")
    stopped = call("run", path, "--rules", "thresholds(score)", "--weight", "w")
    assert (
        stopped.exit_code == 2 and "odd.csv, line 3" in stopped.stderr and "column w: weight must be" in stopped.stderr
    )
    skipped = call("run", path, "--rules", "thresholds(score)", "--weight", "w", "--on-bad-row", "skip")
    assert skipped.exit_code == 0 and "2 rows" in skipped.stdout and "1 bad row was skipped" in skipped.stdout


def test_the_width_can_be_limited() -> None:
    path = _weighed_rows()
    call("run", path, "--rules", "real_thresholds()", "--features", "score", "--max-width", "5", "--save", "kept")
    kept = at.load("kept/checkpoint")
    assert kept.settings()["max_width"] == 5 and kept.width == 5
    refused = call("run", path, "--rules", "thresholds(score)", "--max-width", "5")
    assert refused.exit_code == 2 and "got --max-width 5; leave it out" in refused.stderr


def test_frequencies_are_given_only_to_who_asks() -> None:
    plain = call("run", "--predictions", "plain.csv")
    asked = call("run", "--predictions", "asked.csv", "--frequency")
    without = [line.rpartition(",")[0] for line in Path("asked.csv").read_text().splitlines()]
    assert without == Path("plain.csv").read_text().splitlines()
    with open("asked.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    given = at.Frequency()
    assert [float(row["frequency"]) for row in rows] == given.of_many(
        [float(row["p"]) for row in rows], [int(row["y"]) for row in rows]
    )
    assert asked.stdout.startswith(plain.stdout.rstrip()) and f"by {given.error:.1f} points" in asked.stdout


def test_a_conversation_is_given_the_same_frequencies() -> None:
    rows = [f"{i * 7 % 16},{int(i * 7 % 16 >= 9) ^ (i % 5 == 0)}" for i in range(80)]
    path = write("talk.csv", "score,y", *rows)
    call("run", path, *RULES, "--frequency", "--predictions", "out.csv")
    expected = [line.split(",") for line in Path("out.csv").read_text().splitlines()]
    talk = call("run", "-", *RULES, "--follow", "--frequency", stdin=Path(path).read_text())
    assert [line.split(",") for line in talk.stdout.splitlines()] == [[row[2], row[3], row[5]] for row in expected]


def test_a_run_goes_on_with_its_frequencies_and_weights_to_the_last_byte() -> None:
    lines = Path(_weighed_rows()).read_text().splitlines()
    options = ["--rules", "thresholds(score)", "--weight", "w", "--frequency", "--cost-miss", "3"]
    write("rows.csv", *lines)
    call("run", "rows.csv", *options, "--predictions", "whole.csv")
    write("rows.csv", *lines[:70])
    first = call("run", "rows.csv", *options, "--predictions", "parts.csv", "--save", "kept")
    assert first.exit_code == 0, first.stderr
    write("rows.csv", *lines)
    second = call("run", "rows.csv", *options, "--predictions", "parts.csv", "--save", "kept", "--resume")
    assert second.exit_code == 0, second.stderr
    assert Path("parts.csv").read_bytes() == Path("whole.csv").read_bytes()
    other = call("run", "rows.csv", *options[:-2], "--predictions", "parts.csv", "--save", "kept", "--resume")
    assert other.exit_code == 2 and "cost_miss: saved 3.0 / given 1.0" in other.stderr
