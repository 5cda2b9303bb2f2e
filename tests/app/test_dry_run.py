"""``--dry-run`` shows what the run would do, and does nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import call, good, small, write

import adeptree as at

ON_SCORE = ["--rules", "thresholds(n=16)", "--features", "score"]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


def trains() -> str:
    rows = (f"id {i};2013-05-0{1 + i % 7} 0{i % 9}:30;{i % 5},5;;{'yes' if i % 5 > 2 else 'no'}" for i in range(60))
    return write("trains.csv", "who;when;delay;note;late", *rows)


def test_it_shows_what_was_detected() -> None:
    result = call("run", trains(), "--decimal", ",", "--cost-miss", "5", "--dry-run")
    assert (result.exit_code, result.stderr) == (0, "")
    learner = at.Adept(at.TableStumps(["when", "weekday(when)", "hour(when)", "delay", "note"]), costs=(5, 1))
    assert result.stdout.splitlines() == [
        "trains.csv: CSV, separated by semicolons, with a header, decimal ,, UTF-8; 5 columns",
        "  who    text    left out, e.g. id 0",
        "  when   time    feature, weekday(when), hour(when), e.g. 2013-05-01 00:30",
        "  delay  number  feature, e.g. 0.5",
        "  note   empty   feature",
        "  late   text    label, e.g. no",
        "Label late: 1 is yes, 0 is no",
        "Rules: stumps(when, weekday(when), hour(when), delay, note)",
        "Learner: horizon none, rate adaptive, prior mixed, costs 5 and 1, seed 0, feedback all",
        f"Guarantee in advance: at most {learner.bound_after(60):,.1f} more cost than the best rule on any 60 rows; "
        "a coin guarantees as much",
        "This was a dry run: nothing was learnt or written.",
    ]


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (["--label", "score>7", "--key", "k"], ["Label score: 1 is > 7, 0 is anything else", "Rules: stumps(y)"]),
        (["--horizon", "99", *ON_SCORE], ["on any 99 rows", "Learner: horizon 99, rate paper"]),
        ([*ON_SCORE, "--key", "k"], ["  k      number  key", "  score  number  feature"]),
        (["--weight", "k"], ["  k      number  weight", "Rules: stumps(score)"]),
        (["--follow"], ["CSV, separated by commas, with a header, decimal ., UTF-8; 3 columns", "Label y: 1 is 1"]),
        (["--format", "csv", "--encoding", "latin-1"], ["decimal ., latin-1"]),
    ],
)
def test_it_follows_the_options_and_writes_nothing(options: list[str], lines: list[str]) -> None:
    write("f.csv", "k,score,y", *(f"{i},{7 * i % 16},{int(7 * i % 16 >= 9)}" for i in range(40)))
    before = sorted(Path().iterdir())
    outputs = ["--save", "s", "--predictions", "p.csv", "--report", "r.html"]
    text = good("run", "f.csv", *options, *outputs, "--dry-run")
    assert sorted(Path().iterdir()) == before and all(line in text for line in lines), text


def test_it_leaves_a_saved_run_as_it_is() -> None:
    run = ["run", small(), "--save", "s", "--resume", "-q"]
    good(*run)
    before = {path: path.read_bytes() for path in Path("s").iterdir()}
    assert "This was a dry run" in good(*run, "--dry-run")
    assert {path: path.read_bytes() for path in Path("s").iterdir()} == before
    assert call(*run, "--dry-run", "--cost-miss", "2").exit_code == 2


@pytest.mark.parametrize(("name", "form"), [("f.ndjson", "NDJSON, UTF-8"), ("f.json", "a JSON array, UTF-8")])
def test_it_names_the_format(name: str, form: str) -> None:
    rows = ['{"a": 1, "y": 0}', '{"a": 2, "y": 1}']
    write(name, *(rows if name == "f.ndjson" else [f"[{', '.join(rows)}]"]))
    assert good("run", name, "--dry-run").startswith(f"{name}: {form}; 2 columns\n")


def test_names_of_columns_do_not_steer_the_terminal() -> None:
    write("f.csv", "a\x1b[31m,y", "1,0", "2,1")
    assert "\x1b" not in good("run", "f.csv", "--dry-run")
