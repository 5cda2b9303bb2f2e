"""Killed at any moment and resumed, a run ends with the same bytes as one never stopped."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from running import POSIX, RULES, Forker, call, good, killed_often, process, small, whole_and_saved, write

import adeptree as at
from adeptree.runner import run_folder as journal
from adeptree.runner.rows import Row, block_of, rows_in


def journalled(*rows: tuple[int, Row]) -> bytes:
    """Return a journal of numbered rows."""
    lines = journal.JOURNAL.writer()
    blocks = ({"from": number} | block_of([row]) for number, row in rows)
    return "".join([lines.header, *map(lines.row, blocks)]).encode()


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


def noisy(rows: int, name: str = "noisy.csv", values: int = 64) -> str:
    rng = random.Random(5)
    lines = []
    for i in range(rows):
        x = rng.randrange(values)
        y = int((x >= values // 3) ^ (rng.random() < 0.2))
        lines.append(f"{x / 4},{y}" if i % 97 else "oops")
    return write(name, "score,y", *lines)


@POSIX
@pytest.mark.parametrize(
    "before",
    [
        "",
        "adeptree.runner.run_folder.CHECKPOINT_SECONDS = 0.01; adeptree.runner.run_folder.SHARE = 1",
        "adeptree.app.run.run_loop.FEWEST = adeptree.app.run.batching.MOST = 7",
    ],
    ids=["few checkpoints", "many checkpoints", "short steps"],
)
def test_twenty_random_kills_change_nothing(before: str) -> None:
    stream = noisy(1500)
    options = [stream, "--rules", "thresholds(score)", "--on-bad-row", "skip", "--quiet"]
    killed_often(options, 10, random.Random(len(before)), before)


EXIT_AT_CALL = """
adeptree.runner.run_folder.CHECKPOINT_SECONDS = adeptree.runner.run_folder.SHARE = 0
def counted(real):
    def wrapper(*args):
        left = int(open("left").read()) - 1
        open("left", "w").write(str(left))
        if left < 0:
            os._exit(9)
        return real(*args)
    return wrapper
for name in ("write", "fsync", "replace", "ftruncate", "chmod"):
    setattr(os, name, counted(getattr(os, name)))
"""


@POSIX
@pytest.mark.parametrize("step", [1, 5])
def test_a_run_that_ends_at_any_system_call_is_the_same_run(step: int) -> None:
    """Not at random: with a checkpoint after every step, the process is gone at the n-th call, for n of all sizes."""
    whole, saved = whole_and_saved(noisy(12), "--rules", "thresholds(score)", "--on-bad-row", "skip", "-q")
    good(*whole)
    stops = 0
    steps = f"adeptree.app.run.run_loop.FEWEST = adeptree.app.run.batching.MOST = {step}"
    forker = Forker(f"sys.stderr = open(os.devnull, 'w')\n{steps}\n{EXIT_AT_CALL}")
    Path("left").write_text("0")
    while forker.run(*saved) != 0:
        stops += 1
        assert stops < 200, "the run does not get on"
        Path("left").write_text(str(stops))
    assert stops > 10
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


@POSIX
def test_rows_of_the_journal_survive_a_stop_while_they_are_taken_again() -> None:
    rows = Path(small(20)).read_text().splitlines()
    options = ["run", "feed.csv", *RULES, "--follow", "--predictions", "p.csv", "--save", "s", "--resume", "-q"]
    write("feed.csv", *rows[:11])
    good(*options)
    Path("s/rows.journal").write_bytes(journalled(*((i, Row(i + 1, rows[i].split(","))) for i in range(11, 21))))
    write("feed.csv", rows[0])
    forker = Forker(f"sys.stderr = sys.stdout = open(os.devnull, 'w')\n{EXIT_AT_CALL}")
    for left in range(100):
        Path("left").write_text(str(left))
        if forker.run(*options) == 0:
            break
    assert left > 10
    good("run", "small.csv", *RULES, "--predictions", "whole.csv")
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


# ------------------------------------------------------------------------------------------ resuming


def test_resuming_a_finished_run_changes_nothing_and_a_longer_stream_is_gone_on_with() -> None:
    name = small(20)
    _, saved = whole_and_saved(name, *RULES)
    good(*saved)
    before = Path("p.csv").read_bytes()
    assert "20 rows" in good(*saved)
    assert Path("p.csv").read_bytes() == before
    small(40)
    good("run", "small.csv", *RULES, "--predictions", "whole.csv")
    result = call(*saved)
    assert result.stderr == "adeptree: resuming after 20 rows\n"
    assert "small.csv: 40 rows" in result.stdout
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


def test_a_pipe_is_read_again_from_its_beginning() -> None:
    text = Path(small(30)).read_text()
    lines = text.splitlines(keepends=True)
    options = ["run", "-", *RULES, "--predictions", "p.csv", "--save", "s"]
    good(*options, stdin="".join(lines[:12]))
    good(*options, "--resume", stdin=text)
    good("run", "-", *RULES, "--predictions", "whole.csv", stdin=text)
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


def test_the_report_of_a_resumed_run_is_that_of_the_whole() -> None:
    options = ["run", small(25), "--rules", "intervals(score)", "--report", "r.html", "-q", "--save", "s", "--resume"]
    good(*options)
    small(60)
    good(*options)
    resumed = Path("r.html").read_bytes()
    good(*options[:-3])
    assert Path("r.html").read_bytes() == resumed


def test_the_learner_can_be_taken_over_into_python() -> None:
    good("run", small(), *RULES, "--save", "s")
    learner = at.load("s/checkpoint")
    assert isinstance(learner, at.Adept) and learner.rounds == 40


def test_other_settings_are_refused_with_the_difference() -> None:
    name = small()
    good("run", name, *RULES, "--save", "s", "--seed", "3")
    before = {path.name: path.read_bytes() for path in Path("s").iterdir()}
    result = call("run", name, *RULES, "--save", "s", "--resume", "--horizon", "90", "--label", "y==1")
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.splitlines() == [
        "adeptree: --resume: the run in s has other settings; give the same, or name another --save",
        "  label: saved nothing / given y==1",
        "  horizon: saved nothing / given 90",
        "  seed: saved 3 / given 0",
    ]
    write(name, "score,z", "1,0")
    assert (
        "  columns: saved ['score', 'y'] / given ['score', 'z']"
        in call("run", name, *RULES, "--save", "s", "--seed", "3", "--resume").stderr
    )
    assert {path.name: path.read_bytes() for path in Path("s").iterdir()} == before


def test_a_resumed_run_may_have_other_outputs() -> None:
    """The report then has the whole course, and the predictions are whole or refused."""
    run, name = ["run", small(60), *RULES, "--save", "s", "--resume"], "small.csv"
    good("run", small(60), *RULES, "--save", "whole", "--report", "whole.html", "--predictions", "whole.csv")
    small(25)
    good(*run, "--predictions", "p.csv", "-q")
    small(60)
    refused = call(*run, "--predictions", "other.csv")
    assert refused.exit_code == 2 and "other.csv is not as the run left it" in refused.stderr
    Path("other.csv").unlink()
    shutil.copy("p.csv", "moved.csv")
    good(*run, "--predictions", "moved.csv", "--report", "r.html", "--verbose")
    assert Path("moved.csv").read_bytes() == Path("whole.csv").read_bytes()
    assert Path("r.html").read_bytes() == Path("whole.html").read_bytes()
    shutil.rmtree("s")
    small(25)
    good(*run)
    small(60)
    before = {path: path.read_bytes() for path in Path("s").iterdir()}
    refused = call(*run, "--predictions", "late.csv")
    assert refused.exit_code == 2 and not Path("late.csv").exists() and refused.stdout == ""
    assert refused.stderr.startswith("adeptree: --predictions: the saved run took 25 rows without this option")
    assert {path: path.read_bytes() for path in Path("s").iterdir()} == before
    assert f"{name}: 60 rows" in good(*run)


def test_an_old_run_is_never_overwritten() -> None:
    good("run", small(), *RULES, "--save", "s")
    result = call("run", "small.csv", *RULES, "--save", "s")
    assert result.exit_code == 2
    assert "--save: s holds a run; resume it with --resume, or name another directory" in result.stderr
    assert at.load("s/checkpoint").rounds == 40


def test_another_stream_is_refused() -> None:
    options = ["run", small(), *RULES, "--save", "s", "--resume"]
    good(*options)
    text = Path("small.csv").read_text()
    Path("small.csv").write_text(text.replace("\n7,", "\n8,", 1))
    assert "the first 40 rows of small.csv are not those of the run in s" in call(*options).stderr
    Path("small.csv").write_text("".join(text.splitlines(keepends=True)[:11]))
    assert "--resume: small.csv has 10 rows, but s has 40" in call(*options).stderr
    Path("small.csv").write_text(text)
    good(*options)


# ------------------------------------------------------------------------- damage, full disks, no memory


def saved_run() -> list[str]:
    _, options = whole_and_saved(small(), *RULES)
    good(*options)
    return options


@pytest.mark.parametrize(
    ("file", "change", "sentence"),
    [
        (
            "settings.json",
            lambda b: b[:-9],
            "s/settings.json is not the settings of a run (or its beginning is damaged)",
        ),
        ("settings.json", lambda b: b.replace(b"(n=16)", b"(n=17)"), "s/settings.json is not the settings of a run"),
        (
            "settings.json",
            lambda b: b.replace(b'"version": 8', b'"version": 7'),
            "s/settings.json: file format version 7 is not supported; this version reads 8",
        ),
        ("checkpoint", lambda b: b[:-9], "s/checkpoint is truncated or altered"),
        ("checkpoint", lambda b: b"hello", "s/checkpoint is not a file saved by adeptree"),
        (
            "rows.journal",
            lambda b: b"x\n" + b,
            "s/rows.journal is not the journal of a run (or its beginning is damaged)",
        ),
        ("rows.journal", lambda b: b + b"x\n", "s/rows.journal is damaged in line 2; start again with another --save"),
        (
            "rows.journal",
            lambda b: journalled((42, Row(43, ["3", "0"]))),
            "continues with row 42, but row 41 is missing",
        ),
        ("../p.csv", lambda b: b[:-9], "--predictions: p.csv is not as the run left it (9 bytes are missing)"),
        ("../p.csv", lambda b: b.replace(b"0.5", b"0.6", 1), "p.csv is not as the run left it (it was changed)"),
    ],
)
def test_a_damaged_file_is_a_sentence_and_everything_stays(file: str, change: Any, sentence: str) -> None:
    options = saved_run()
    path = Path("s", file)
    old = path.read_bytes()
    path.write_bytes(change(old))
    files = {path: path.read_bytes() for path in [*Path("s").iterdir(), Path("p.csv")]}
    result = call(*options)
    assert result.exit_code in (1, 2) and result.stdout == ""
    assert sentence in result.stderr and result.stderr.count("\n") == 1
    assert {path: path.read_bytes() for path in files} == files
    path.write_bytes(old)
    good(*options)


@pytest.mark.parametrize("torn", [1, 8, 12, 25])
def test_a_torn_last_line_of_the_journal_is_left_out(torn: int) -> None:
    _, options = whole_and_saved(small(10), *RULES)
    good(*options)
    lines = journalled((11, Row(12, ["6", "0"])), (12, Row(13, ["13", "1"]))).splitlines(keepends=True)
    Path("s/rows.journal").write_bytes(b"".join([*lines[:2], lines[2][:torn]]))
    write("small.csv", *Path("small.csv").read_text().splitlines(), "6,0", "13,1")
    assert call(*options).stderr == "adeptree: resuming after 11 rows\n"
    good("run", "small.csv", *RULES, "--predictions", "whole.csv")
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


def test_out_of_memory_leaves_the_last_good_state(monkeypatch: pytest.MonkeyPatch) -> None:
    options = ["run", small(10), *RULES, "--save", "s", "--resume"]
    good(*options)
    old = Path("s/checkpoint").read_bytes()
    small(20)

    learn_many = at.Adept.learn_many

    def torn(self: at.Adept, xs: Any, ys: Any) -> None:
        learn_many(self, xs[:1], ys[:1])
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(at.Adept, "learn_many", torn)
        result = call(*options)
    assert result.exit_code == 1 and "out of memory" in result.stderr
    assert at.load("s/checkpoint").rounds == 10 and len(Path("s/checkpoint").read_bytes()) == len(old)
    assert "20 rows" in good(*options)


@POSIX
@pytest.mark.parametrize("limit", [400, 1500, 9000])
def test_a_full_disk_is_a_sentence_and_the_run_can_go_on(limit: int) -> None:
    whole, options = whole_and_saved(small(400), *RULES)
    good(*whole)
    before = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))"
    with process(*options, before=before) as running:
        _, err = running.communicate(timeout=60)
    assert running.returncode == 1
    sentences = err.decode().splitlines()
    assert sentences and all(line.startswith("adeptree: ") for line in sentences)
    assert all("could not be written: File too large" in line for line in sentences)
    good(*options)
    assert Path("p.csv").read_bytes() == Path("whole.csv").read_bytes()


@POSIX
def test_two_runs_do_not_share_a_folder() -> None:
    with process("run", "-", *RULES, "--save", "s") as running:
        assert running.stdin is not None
        running.stdin.write(b"score,y\n3,0\n")
        running.stdin.flush()
        deadline = time.monotonic() + 60
        while not Path("s/rows.journal").exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        result = call("run", "-", *RULES, "--save", "s", "--resume", stdin="score,y\n3,0\n")
        assert result.exit_code == 2 and "another run is writing to s" in result.stderr
        running.communicate(timeout=60)
    assert at.load("s/checkpoint").rounds == 1


def test_save_needs_a_directory_of_its_own_and_an_ordinary_file_of_predictions() -> None:
    assert "is not a directory" in call("run", "--save", "/dev/null").stderr
    result = call("run", "--save", "s", "--predictions", "/dev/null")
    assert "--predictions: /dev/null is not an ordinary file" in result.stderr and not Path("s").exists()


def test_files_hold_data_only() -> None:
    saved_run()
    settings = json.loads(Path("s/settings.json").read_text())
    assert (settings["format"], settings["version"]) == (journal.RUN.name, journal.RUN.version)
    assert settings["settings"]["rules"] == "thresholds(n=16)"
    assert sorted(os.listdir("s")) == ["checkpoint", "rows.journal", "settings.json"]


@pytest.mark.parametrize(
    "text",
    [
        *([[2], ",", "a\nb"], [[2, 3], ",", "a\nb\nc"], [2, "", "a\nb"], [[2, 0], ",", "a\nb"]),
        *([[2, "3"], ",", "a\nb"], [0, ",", "a\nb"], ["2", ",", "a\nb"], [2, ",,", "a\nb"], "x"),
    ],
)
def test_rows_that_no_block_holds_are_refused(text: Any) -> None:
    rows = [Row(2, ["a", "5"]), Row(3, ["b", ""])]
    assert rows_in(block_of(rows)) == rows and "text" in block_of(rows)
    assert "rows" in block_of([Row(2, ["a\n"]), Row(3, ["b"])]) and "rows" in block_of([Row(2, [], "torn"), rows[1]])
    with pytest.raises((ValueError, TypeError)):
        rows_in({"text": text})
