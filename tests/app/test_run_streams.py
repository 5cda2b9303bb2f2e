"""Streams of every format, labels as comparisons, rules on columns, bad rows, and answers line by line."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import select
import subprocess
from pathlib import Path
from typing import Any

import pytest
from running import POSIX, RULES, call, good, process, small, unnumbered, write

import adeptree as at
from adeptree.app.run import csv_rows
from adeptree.app.run.row_label import label_of
from adeptree.app.run.stream_sources import open_stream


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


def predictions() -> list[dict[str, str]]:
    return list(csv.DictReader(Path("p.csv").read_text(encoding="utf-8").splitlines()))


# ------------------------------------------------------------------------------------------- formats

TABLE: dict[str, list[Any]] = {
    "sender": ["ann", "bob", 'c"a,t', "ann", "dörte", "bob"],
    "delay": [12.5, -3.0, 0.1, 1e-7, 40.25, 12.5],
    "count": [1, 20, 3, 44, 5, 6],
    "late": [True, False, False, True, True, False],
}


def in_all_formats() -> list[str]:
    rows = [dict(zip(TABLE, values, strict=True)) for values in zip(*TABLE.values(), strict=True)]
    with open("t.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(TABLE)
        writer.writerows(row.values() for row in rows)
    write("t.ndjson", *(json.dumps(row, ensure_ascii=False) for row in rows))
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet needs the extra parquet")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(TABLE), "t.parquet", row_group_size=2)
    return ["t.csv", "t.ndjson", "t.parquet"]


@pytest.mark.parametrize(
    ("rules", "label"),
    [
        ("stumps", "late"),
        ("stumps", "sender==ann"),
        ("thresholds(delay)", "count>4"),
        ("intervals(count)", "delay>=12.5"),
        ("blocklist(sender, d=2)", "late"),
    ],
)
def test_ndjson_and_parquet_equal_csv(rules: str, label: str) -> None:
    seen = {}
    for name in in_all_formats():
        text = good("run", name, "--rules", rules, "--label", label, "--predictions", "p.csv")
        seen[text.replace(name, "")] = Path("p.csv").read_bytes()
    assert len(seen) == 1
    assert len(predictions()) == 6


def test_format_of_stdin_is_given() -> None:
    rows = '{"score": 3, "y": 0}\n\n{"y": 1, "score": 12, "more": [1]}\n'
    assert good("run", "-", *RULES, "--format", "ndjson", stdin=rows).startswith("stdin: 2 rows")
    assert "cannot be read from a pipe" in call("run", "-", *RULES, "--format", "parquet", stdin=rows).stderr


def test_wrong_ndjson_and_parquet_get_a_sentence() -> None:
    write("f.ndjson", '{"score": 3, "y": 0}', '{"score": 3, "y"', "[1, 2]", '{"score": null, "y": 1}')
    err = call("run", "f.ndjson", *RULES, "--on-bad-row", "skip").stderr.split("; f.ndjson")
    assert err[0].startswith("adeptree: 3 bad rows skipped: f.ndjson, line 2: not proper JSON: Expecting ':'")
    assert err[1] == ", line 3: expected a JSON object, got [1, 2]"
    assert err[2].startswith(", line 4, column score: x must be an int in 0..15; got x=''")
    write("g.ndjson", "nothing", "here")
    assert "has no object of two keys or more; line 1" in call("run", "g.ndjson", *RULES).stderr
    write("empty.ndjson")
    assert "empty.ndjson is empty" in call("run", "empty.ndjson", *RULES).stderr
    pytest.importorskip("pyarrow")
    write("f.parquet", "score,y")
    result = call("run", "f.parquet", *RULES)
    assert result.exit_code == 2 and "f.parquet is not a Parquet file" in result.stderr


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    write("f.parquet")
    result = call("run", "f.parquet", *RULES)
    assert result.exit_code == 2 and "pip install '.[parquet]'" in result.stderr


def test_quoted_cells_and_one_row_a_line() -> None:
    """If each line is answered, a line is a row; otherwise a quoted cell may span lines."""
    name = write("f.csv", "note,score,y", '"one, ""two""",3,0', '"x', 'y",12,1', "z,13,1")
    options = [name, *RULES, "--features", "score", "--on-bad-row", "skip", "--predictions", "p.csv"]
    result = call("run", *options, "--follow", "-q")
    assert result.exit_code == 0
    told = [f"adeptree: skipped: f.csv, line {line}: {csv_rows.LONE_QUOTE}\n" for line in (3, 4)]
    assert result.stderr == "".join(told)
    assert [(row["row"], row["score"]) for row in predictions()] == [("1", "3"), ("4", "13")]
    assert call("run", *options).stderr == ""
    assert [(row["row"], row["score"]) for row in predictions()] == [("1", "3"), ("2", "12"), ("3", "13")]


# -------------------------------------------------------------------------------------------- labels


@pytest.mark.parametrize(
    ("label", "cells", "expected"),
    [
        ("delay>15", ["15", "15.5", "-1", "1e3"], [0, 1, 0, 1]),
        ("delay>=15", ["15", "15.0", "14.9"], [1, 1, 0]),
        ("delay <  0", ["-0.5", "0"], [1, 0]),
        ("delay<=0", ["0", "1"], [1, 0]),
        ("delay==2", ["2", "2.0", "20", "x"], [1, 1, 0, 0]),
        ("delay!=0", ["0", "0.0", "1"], [0, 0, 1]),
        ("delay==setosa", ["setosa", "virginica", "NA"], [1, 0, None]),
        ("delay!=NA", ["setosa", "NA", "none"], [1, 0, None]),
        ("delay != 'a b'", ["a b", "ab"], [0, 1]),
        ("delay", ["0", "1", "True", "FALSE", "1.0", " 0 "], [0, 1, 1, 0, 1, 0]),
        ("delay>15", ["", "NA", "nan"], [None, None, None]),
        ("delay", ["", "NA"], [None, None]),
    ],
)
def test_label_comparisons(label: str, cells: list[str], expected: list[int | None]) -> None:
    write("f.csv", "x,delay", "0,0")
    with open_stream("f.csv") as stream:
        read = label_of(stream, label)
    assert [read(["0", cell]) for cell in cells] == expected


@pytest.mark.parametrize(
    ("label", "sentence"),
    [
        ("dely>15", '--label: f.csv has no column "dely"; did you mean "delay"? Its columns are: score, delay, kind'),
        ("Kinds", 'has no column "Kinds"; did you mean "kind"?'),
        ("delay>soon", '--label: expected a number after >, e.g. --label "delay>15"; got \'soon\''),
        ("delay=3", '--label: write == to compare, e.g. --label "delay==3"'),
        ("delay==", "--label: expected a value after =="),
        ("day", '--label: "day" has 3 values in the first rows of f.csv (mon, tue, wed), and a label has two; say'),
        ("day", 'say when it is 1, and in all others it is 0: --label "day==VALUE"'),
        ("delay", 'and in all others it is 0: --label "delay>VALUE"; of two values here: score, kind'),
        ("kind>3", "line 2, column kind: expected a number, to compare it with 3; got 'late'"),
        ("score>3", '"score" is the label and cannot be a feature'),
    ],
)  # fmt: skip
def test_wrong_labels_get_a_sentence(label: str, sentence: str) -> None:
    write("f.csv", "score,delay,kind,day", "3,20,late,mon", "4,1,early,tue", "4,2,early,wed")
    result = call("run", "f.csv", *RULES, "--features", "score", "--label", label)
    assert result.exit_code == 2 and sentence in result.stderr


def test_a_column_whose_name_looks_like_a_comparison_is_a_column() -> None:
    write("f.csv", "score,delay>15", "3,0", "12,1")
    assert "2 rows" in good("run", "f.csv", *RULES, "--label", "delay>15")


# --------------------------------------------------------------------------------------------- rules


def people() -> str:
    rng = random.Random(2)
    rows = []
    for i in range(60):
        age, bmi = rng.randrange(20, 70), round(rng.uniform(18, 35), 1)
        rows.append(f"p{i % 7},{age},{bmi},{int(age >= 45) ^ int(rng.random() < 0.1)}")
    return write("people.csv", "from,age,body-mass,y", *rows)


@pytest.mark.parametrize(
    ("rules", "shown", "concept_class", "best"),
    [
        ("stumps", "stumps(from, age, body-mass)", at.TableStumps(["from", "age", "body-mass"]), "age >= "),
        ("stumps(age)", "stumps(age)", at.TableStumps(["age"]), "age >= "),
        ("stumps(age, body-mass)", "stumps(age, body-mass)", at.TableStumps(["age", "body-mass"]), "age >= "),
        ("stumps('body-mass')", "stumps(body-mass)", at.TableStumps(["body-mass"]), "body-mass "),
        ("thresholds(age)", "thresholds(age)", at.TableThresholds(["age"]), "age >= "),
        ("intervals( age )", "intervals(age)", at.TableIntervals(["age"]), "age"),
        ("blocklist(from, d=2)", "blocklist(from, d=2)", at.BlockUnions(2), "from in {"),
        ("stumps(cuts={'age': [40]})", "stumps(cuts={'age': (40.0,)})", at.Stumps({"age": [40]}), "age >= "),
    ],
)  # fmt: skip
def test_rules_on_columns(rules: str, shown: str, concept_class: at.ConceptClass, best: str) -> None:
    text = good("run", people(), "--rules", rules, "--save", "s")
    assert text.startswith(f"people.csv: 60 rows, rules: {shown}\n")
    learner = at.load("s/checkpoint")
    assert isinstance(learner, at.Adept)
    assert learner.concept_class == concept_class and learner.regret <= learner.bound + 1e-9
    line = next(line for line in text.splitlines() if "best rule" in line)
    assert best in line
    # Resumed, the columns are those found at the start.
    assert good("run", "people.csv", "--rules", rules, "--save", "s", "--resume") == text


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--rules", "stumps(agee)"], 'has no column "agee"; did you mean "age"?'),
        (
            ["--rules", "stumps(age)", "--features", "age"],
            "--features: stumps(age) names its columns already; leave it out",
        ),
        (["--rules", "blocklist(age, body-mass, d=2)"], "blocklist reads one column, e.g. blocklist(age)"),
        (["--rules", "real_steps()"], "say which column the rules read, with --features"),
        (["--rules", "blocklist(from)"], "say how many may be on the list, e.g. blocklist(sender, d=3)"),
        (["--rules", "blocklist(from, d=0)"], "say how many may be on the list"),
        (
            ["--rules", "real_steps()", "--features", "from"],
            "line 2, column from: x must be a finite number; got x='p0'",
        ),
        (["--rules", "stumps(n=3)"], "does not fit"),
        (["--rules", "stumps(y)"], '"y" is the label'),
        (["--rules", "real_stumps(features=['from'])"], "line 2, column from: feature 'from' must be a finite number"),
    ],
)
def test_wrong_rules_get_a_sentence(options: list[str], sentence: str) -> None:
    result = call("run", people(), *options)
    assert result.exit_code == 2 and sentence in result.stderr, result.stderr


def test_texts_and_gaps_are_values() -> None:
    write("f.csv", "a,b,y", "x,,0", "z,3,1", "x,NA,0", ",4,1", "z,5,1", "x,nan,0", "x,,0")
    text = good("run", "f.csv", "--rules", "stumps", "--save", "s")
    assert text.startswith("f.csv: 7 rows, rules: stumps(a, b)\n")
    learner = at.load("s/checkpoint")
    assert isinstance(learner, at.Adept) and str(learner.best_rule()) == "a != x" and learner.best_loss == 0


def test_a_horizon_goes_with_cuts_that_are_not_given() -> None:
    text = good("run", people(), "--rules", "stumps", "--horizon", "100", "--save", "s")
    assert text.startswith("people.csv: 60 of 100 rows")
    assert at.load("s/checkpoint").settings()["prior"] == "mixed"


# ------------------------------------------------------------------------------------------ bad rows


def spoilt(rows: int, bad: int) -> tuple[str, list[int]]:
    """Write a stream with bad rows mixed in, and return the lines they are in."""
    rng = random.Random(3)
    broken = [
        "",
        '"',
        'a"b,1',
        "1",
        "1,2,3",
        "x,1",
        "nan,0",
        "NA,1",
        "17,1",
        "3,2",
        "3,",
        ",",
        "\ufeff",
        '3,"1"2',  # (torn over two lines it could be a row: see test_files)
        "\x00,1",
    ]
    lines = [b"%d,%d" % (x, x >= 9) for x in (rng.randrange(16) for _ in range(rows))]
    places = sorted(rng.sample(range(rows + bad), bad))
    for i, place in enumerate(places):
        lines.insert(place, b"\xff,1" if i % 9 == 0 else (broken[1 + i % (len(broken) - 1)]).encode())
    Path("spoilt.csv").write_bytes(b"score,y\n" + b"".join(line + b"\n" for line in lines))
    return "spoilt.csv", [place + 2 for place in places]


def test_ten_thousand_bad_rows_disturb_nothing_else() -> None:
    name, places = spoilt(1000, 10_000)
    result = call("run", name, *RULES, "--on-bad-row", "skip", "--predictions", "p.csv")
    assert result.exit_code == 0
    lines = Path(name).read_bytes().splitlines()
    unlabelled = {i for i, line in enumerate(lines, 1) if line == b"3,"}
    bad = [i for i in places if i not in unlabelled]
    told = result.stderr.splitlines()
    assert "spoilt.csv, line 2: not UTF-8, read as cp1252" in told.pop(0)
    assert len(told) == 1 and told[0].startswith(f"adeptree: {len(bad):,} bad rows skipped: spoilt.csv, line ")
    assert [int(line) for line in re.findall(r"spoilt.csv, line (\d+)", told[0])] == bad[:3]
    assert "spoilt.csv: 1,000 rows" in result.stdout and f"{len(bad):,} bad rows were skipped." in result.stdout
    assert f"{len(unlabelled):,} rows without a label, answered and not learnt." in result.stdout
    spoilt_predictions = unnumbered("p.csv")
    clean = [line for i, line in enumerate(lines, 1) if i not in set(bad)]
    Path("clean.csv").write_bytes(b"\n".join(clean) + b"\n")
    good("run", "clean.csv", *RULES, "--predictions", "p.csv")
    assert unnumbered("p.csv") == spoilt_predictions


def test_the_first_bad_row_stops_unless_told_otherwise() -> None:
    name, places = spoilt(50, 20)
    result = call("run", name, *RULES)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"adeptree: spoilt.csv, line {places[0]}")
    assert "bad row" not in result.stdout


def test_a_run_that_a_bad_row_stopped_goes_on_as_it_says() -> None:
    name, _ = spoilt(200, 30)
    good("run", name, *RULES, "--on-bad-row", "skip", "--predictions", "whole.csv")
    options = ["run", name, *RULES, "--save", "s", "--predictions", "p.csv"]
    result = call(*options)
    assert result.exit_code == 2
    assert result.stderr.endswith("; to continue without such rows, add --on-bad-row skip --resume\n")
    good(*options, "--on-bad-row", "skip", "--resume")
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()
    # From then on it is a run that skips.
    result = call(*options, "--resume")
    assert result.exit_code == 2 and "on_bad_row: saved skip / given stop" in result.stderr
    assert "continues" not in call("run", name, *RULES).stdout


# -------------------------------------------------------------------------------------------- follow


def answered(running: subprocess.Popen[bytes], line: str) -> str:
    """Send a line, and return the answer, which must come before anything else is sent."""
    assert running.stdin is not None and running.stdout is not None
    running.stdin.write(line.encode() + b"\n")
    running.stdin.flush()
    ready, _, _ = select.select([running.stdout], [], [], 60)
    assert ready, f"no answer to {line!r}"
    return running.stdout.readline().decode().rstrip("\n")


@POSIX
@pytest.mark.parametrize("rules", ["thresholds(n=16)", "stumps"])
def test_follow_answers_every_line_before_the_next(rules: str) -> None:
    sent = ["3,0", "12,1", "5,", "oops", "9,1", "5,0"]
    options = ["--rules", rules, "--follow", "--on-bad-row", "skip", "--predictions", "p.csv"]
    with process("run", "-", *options, bufsize=0) as running:
        answers = [answered(running, line) for line in ["score,y", *sent]]
        assert running.stdin is not None and running.stderr is not None and running.stdout is not None
        running.stdin.close()
        assert running.stdout.read() == b""
        err = running.stderr.read().decode()
        assert running.wait(timeout=60) == 0
    assert answers[0] == "p,guess" and answers[4] == ","
    learner = at.Adept(at.parse("thresholds(n=16)") if rules != "stumps" else at.TableStumps(["score"]))
    for line, answer in zip(sent, answers[1:], strict=True):
        if line == "oops":
            continue
        score, y = line.split(",")
        x: Any = int(score) if rules != "stumps" else {"score": int(score)}
        assert answer == f"{learner.predict_proba(x)!r},{learner.predict(x)}"
        if y:
            learner.learn(x, int(y))
    assert "adeptree: skipped: stdin, line 5: expected 2 values, got 1 value" in err
    assert "stdin: 4 rows" in err and "1 row without a label" in err and "1 bad row was skipped." in err
    assert [row["y"] for row in predictions()] == ["0", "1", "", "1", "0"]


def test_follow_answers_ndjson_in_ndjson_and_is_quiet_when_asked() -> None:
    rows = '{"score": 3, "y": 0}\n{"score": 5, "y": null}\nx\n{"score": 5}\n'
    result = call("run", "-", *RULES, "--follow", "--format", "ndjson", "-q", "--on-bad-row", "skip", stdin=rows)
    first, second, third, fourth = map(json.loads, result.stdout.splitlines())
    assert set(first) == {"p", "guess"} and second == fourth and third == {"p": None, "guess": None}
    assert result.stderr.count("\n") == 1


def test_follow_goes_on_with_new_rows_only() -> None:
    lines = Path(small(30)).read_text().splitlines(keepends=True)
    options = ["run", "-", *RULES, "--follow", "--save", "s", "--resume", "--predictions", "p.csv", "-q"]
    out = good(*options, stdin="".join(lines[:12]))
    out += good(*options, stdin=lines[0] + "".join(lines[12:])).removeprefix("p,guess\n")
    whole = good("run", "-", *RULES, "--follow", "--predictions", "whole.csv", "-q", stdin="".join(lines))
    assert out == whole
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


@POSIX
def test_follow_keeps_every_answered_row_when_killed() -> None:
    lines = Path(small(30)).read_text().splitlines()
    options = ["run", "-", *RULES, "--follow", "--save", "s", "--resume", "--predictions", "p.csv"]
    out: list[str] = []
    for part in (lines[1:8], lines[8:20], lines[20:]):
        with process(*options, bufsize=0) as running:
            answered(running, lines[0])
            out += [answered(running, line) for line in part]
            running.kill()
            running.wait(timeout=60)
    good(*options, stdin=lines[0] + "\n")
    whole = good("run", "-", *RULES, "--follow", "--predictions", "whole.csv", stdin="\n".join(lines) + "\n")
    assert ["p,guess", *out] == whole.splitlines()
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


# -------------------------------------------------------------------------------------------- memory


@POSIX
def test_a_long_pipe_does_not_grow_memory() -> None:
    rows = 30_000
    before = (
        "import resource, sys\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "import adeptree.app.run.run_loop\n"
        "from adeptree import Adept\n"
        "learn_many, wanted = Adept.learn_many, [10_000, 30_000]\n"
        "def noted(self, xs, ys):\n"
        "    played = learn_many(self, xs, ys)\n"
        "    if self.rounds >= wanted[0]: print(wanted.pop(0), peak(), file=sys.stderr)\n"
        "    return played\n"
        "Adept.learn_many = noted\n"
    )
    with process("run", "-", "--rules", "blocklist(x, d=1)", "-q", before=before) as running:
        text = b"x,y\n" + b"".join(b"%d,%d\n" % (i % 5, i % 5 == 3) for i in range(rows))
        _, err = running.communicate(text, timeout=110)
    assert running.returncode == 0, err.decode()
    (_, early), (_, late) = (map(int, line.split()) for line in err.decode().splitlines())
    unit = 1024 if os.uname().sysname == "Darwin" else 1
    # 20,000 more rows: held as a whole they would be over 5 MB.
    assert (late - early) / unit < 2500


def test_where_a_gap_is_a_bad_row_the_sentence_says_who_reads_gaps() -> None:
    write("t.csv", "price,y", "1,0", ",1")
    told = call("run", "t.csv", "--rules", "real_steps()", "--features", "price", "-q").stderr
    assert "line 3, column price: x must be a finite number" in told
    assert "(real_steps() reads no gaps; stumps, intervals, unions and steps do)" in told


def test_steps_choose_the_column_themselves() -> None:
    rng = random.Random(0)
    rows = [(rng.random(), rng.random()) for _ in range(300)]
    write("t.csv", "a,b,kind,y", *(f"{a:.3f},{b:.3f},{'' if a < 0.1 else 'x'},{int(b * 5) % 2}" for a, b in rows))
    told = call("run", "t.csv", "--rules", "steps").stdout
    assert re.search(r"0\.2 <= b < 0\.4 or 0\.6 <= b < 0\.8", told), told
    assert "of the best: " not in told


def test_errors_name_what_helps_with_decimal_commas_and_binary_files(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    write("f.csv", "id;v;y", *(f"{i};0,{i};{i % 2}" for i in range(9)))
    for rules, x in (("real_thresholds()", ["--features", "v"]), ("experts(v)", [])):
        wrong = call("run", "f.csv", "--rules", rules, *x)
        assert wrong.exit_code == 2 and wrong.stderr.endswith("; if the comma begins a fraction, add --decimal ,\n")
    assert "9 rows" in good("run", "f.csv", "--rules", "real_thresholds()", "--features", "v", "--decimal", ",")
    Path("b.csv").write_bytes(b"\x80a\rb,\x01\n" * 9)
    said = call("run", "b.csv").stderr
    assert "universal-newline" not in said and "a carriage return inside a line; expected a text file" in said
