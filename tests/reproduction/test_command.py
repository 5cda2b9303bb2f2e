"""The command ``make.py reproduce``: its table, its page, its exit codes and its error messages."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from running import POSIX, REPRODUCE, ROOT, call, environment, process
from small_container import read_only_folder, run
from typer.testing import CliRunner

from adeptree.core.errors import InvalidArgument
from adeptree.core.json_lines import seal, unseal
from reproduction import command
from reproduction import reproduce as reproducing
from reproduction.claims import experiment
from reproduction.experiment import Verdict
from reproduction.report.report_page import page
from reproduction.reproduce import Reproduction, reproduce

FAST = "width"
"""An experiment whose tiny cells take no time."""
EVIL = "\x1b]0;owned\x07\x9b31m\u202e"
"""Sets the title of a terminal, its colour, and the direction of the text after it."""
TAG = "<script>alert(1)</script>"
TINY = """
import reproduction.reproduce as made
real = made.reproduce
made.reproduce = lambda quick, only, jobs, out, told: real(quick, only, jobs, out, told, level="tiny")
"""
NO_SEMAPHORES = """
import multiprocessing.synchronize
def none(*_, **__):
    raise OSError(30, "Read-only file system")
multiprocessing.synchronize.Lock = none
"""
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    """The command alone, on tiny settings whatever is asked for."""

    def tiny_settings(quick: bool, only: Any, jobs: int, out: Any, on_progress: Any) -> Reproduction:
        return reproduce(quick, only, jobs, out, on_progress, level="tiny")

    monkeypatch.setattr(reproducing, "reproduce", tiny_settings)
    return command.app


def test_help_does_not_wait_for_the_library() -> None:
    code = "import sys, reproduction.command; print({'numpy', 'rich', 'matplotlib'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_command_shows_the_table_and_writes_the_page(app: typer.Typer, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = CliRunner().invoke(app, ["--only", FAST, "--jobs", "1", "--out", str(tmp_path)], env={"COLUMNS": "140"})
    assert done.exit_code == 0, done.output
    for word in ("claim", "bound", "mean", "worst", "spread", "ratio", "held", "7 of 7 checks held"):
        assert word in done.output
    assert (tmp_path / "report.html").exists()


def test_a_failed_claim_is_exit_code_1(app: typer.Typer, tmp_path: Path) -> None:
    reproduce(level="tiny", only=FAST, out=tmp_path)
    path = tmp_path / f"{FAST}.jsonl"
    rows = [unseal(line) for line in path.read_text().splitlines()[1:]]
    texts = [json.dumps(row).replace('"worst_ratio": 1.0', '"worst_ratio": 1.5') for row in rows]
    path.write_text("".join(f"{seal(text)}\n" for text in texts))
    done = CliRunner().invoke(app, ["--only", FAST, "--jobs", "1", "--out", str(tmp_path)], env={"COLUMNS": "140"})
    assert done.exit_code == 1
    assert "not held: width" in done.output
    assert "FAILED" in done.output


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    """The fast experiment, measured once."""
    return reproduce(level="tiny", only=FAST, out=tmp_path_factory.mktemp("measured"))


@pytest.mark.parametrize("column", ["d_vc", "width", "worst_ratio"])
@pytest.mark.parametrize("value", [10**400, float("nan"), float("inf"), 1e308, "x", None, [1], True, "gone", "more"])
def test_altered_rows_are_run_again_or_a_sentence(
    app: typer.Typer, measured: Reproduction, tmp_path: Path, column: str, value: Any
) -> None:
    shutil.copytree(measured.out, tmp_path, dirs_exist_ok=True)
    path = tmp_path / f"{FAST}.jsonl"
    entries = [unseal(line) for line in path.read_text().splitlines()[1:]]
    if value == "gone":
        del entries[1]["row"][column]
    else:
        entries[1]["row"]["extra" if value == "more" else column] = value
    path.write_text("".join(f"{seal(json.dumps(entry))}\n" for entry in entries))
    done = CliRunner().invoke(app, ["--only", FAST, "--jobs", "1", "--out", str(tmp_path)], env={"COLUMNS": "140"})
    assert isinstance(done.exception, SystemExit) or done.exception is None, done.exception
    if value in (10**400, float("inf")) or value != value:
        assert done.exit_code == 0
        assert reproduce(level="tiny", only=FAST, out=tmp_path).rows == measured.rows
    elif value == "more":  # a column that is not read
        assert done.exit_code == 0
    elif value == 1e308 and column != "worst_ratio":
        assert done.exit_code in (1, 2)
    else:
        assert done.exit_code in (1, 2)
        assert done.exit_code == 1 or "the rows of width do not hold what it measures" in done.output


def test_wrong_names_are_told_the_right_one(app: typer.Typer, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["--only", "regrett", "--out", str(tmp_path)])
    assert done.exit_code == 2
    assert 'did you mean "regret"?' in done.output
    with pytest.raises(InvalidArgument, match="known are algorithms, formulas, regret, width"):
        experiment("nothing like it")


def test_an_interrupt_names_the_folder_to_resume_in(app: typer.Typer, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> Reproduction:
        raise KeyboardInterrupt

    monkeypatch.setattr(reproducing, "reproduce", interrupted)
    done = CliRunner().invoke(app, ["--out", "[red]o"])
    assert done.exit_code == 130 and done.stderr.splitlines()[-1] == "adeptree: interrupted"
    assert "kept in [red]o: the same command resumes there" in done.stderr


def test_without_matplotlib_the_table_is_all(app: typer.Typer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = CliRunner().invoke(app, ["--only", FAST, "--jobs", "1", "--out", str(tmp_path)], env={"COLUMNS": "140"})
    assert done.exit_code == 0
    assert "7 of 7 checks held" in done.output
    assert "pip install '.[plot]'" in done.output
    assert not (tmp_path / "report.html").exists()


# --- The two ways to start it -------------------------------------------------------------------------


@pytest.mark.parametrize("options", [[], ["--full"], ["--mutants", "--out", "x"], ["--help"]])
def test_the_installed_command_names_the_new_one(options: list[str]) -> None:
    result = call("reproduce", *options)
    assert result.exit_code == 2 and result.stdout == ""
    assert "python3 make.py reproduce" in result.stderr
    assert "reproduce" not in call("--help").stdout


def test_the_package_runs_as_a_module(tmp_path: Path) -> None:
    start = [sys.executable, "-m", "reproduction", "--help"]
    done = subprocess.run(start, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("Usage: python3 make.py reproduce [OPTIONS]")


def test_make_sets_up_and_starts_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = importlib.util.spec_from_file_location("make", ROOT / "make.py")
    assert place is not None and place.loader is not None
    make = importlib.util.module_from_spec(place)
    place.loader.exec_module(make)
    assert {"matplotlib>=3.9"} == set(make.requirements("reproduce")) - set(make.requirements(""))
    started: list[Any] = []
    monkeypatch.setattr(make, "install", lambda venv, kind: started.append(kind))
    monkeypatch.setattr(make, "become", started.append)
    monkeypatch.setenv("PYTHONPATH", "")
    make.main(["--venv", str(tmp_path), "reproduce", "--full", "--mutants"])
    assert started == ["reproduce", [make.tool(tmp_path, "python"), "-m", "reproduction", "--full", "--mutants"]]


# --- Hostile names, full disks, small containers ------------------------------------------------------


def test_errors_escape_the_names_that_they_quote() -> None:
    done = CliRunner().invoke(command.app, ["--only", EVIL], color=True)
    assert done.stdout == "" and done.stderr.lstrip().startswith("adeptree: ") and "owned" in done.stderr
    assert not set(done.stderr) & set(EVIL) - set("]0;owned31m")


def test_the_page_is_escaped() -> None:
    pytest.importorskip("matplotlib")
    manifest: dict[str, Any] = {"level": TAG, "started": TAG, "jobs": TAG, "wall_seconds": 1.0, "cpu_seconds": 1.0}
    manifest |= {"kept_from_before": 0, "versions": {TAG: TAG}, "experiments": {TAG: {"cells": TAG, "seeds": [TAG]}}}
    verdict = Verdict(TAG, "<=", 1.0, 2.0, 2.0, 0.0, 1, False, TAG)
    html = page(Reproduction({}, {"width": [verdict]}, manifest, Path(TAG)))
    assert TAG not in html and "&lt;script&gt;" in html


@POSIX
@FULL
def test_a_full_disk_is_an_error_message(tmp_path: Path) -> None:
    options = ["--only", FAST, "--jobs", "1", "--out", str(tmp_path)]
    with open("/dev/full", "wb") as full, process(*options, before=TINY, main=REPRODUCE, stdout=full) as running:
        _, err = running.communicate(timeout=60)
    message = err.decode().replace("\r", "\n").strip().splitlines()[-1]
    assert running.returncode == 2 and message.startswith("adeptree: ") and "No space left" in message
    assert b"Traceback" not in err and b"Exception ignored" not in err


@pytest.fixture
def out(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Enter a read-only folder; yield a writable one."""
    yield from read_only_folder(monkeypatch)


@POSIX
def test_a_folder_without_write_permission_is_refused_before_any_work(out: Path) -> None:
    code, shown, err = run("--only", FAST, main=REPRODUCE)
    assert code == 2 and shown == "" and err.strip().startswith("adeptree: ") and err.strip().count("\n") == 0
    assert "be written" in err and ("Permission denied" in err or "Read-only" in err)


@POSIX
def test_the_place_of_the_page_is_checked_before_the_work(out: Path) -> None:
    (out / "report.html").mkdir()
    code, _, err = run("--only", FAST, "--out", str(out), main=REPRODUCE)
    assert code == 2 and "report.html is not an ordinary file" in err and err.count("\n") == 1
    assert [path.name for path in out.iterdir()] == ["report.html"]


@POSIX
def test_without_semaphores_it_uses_one_process(out: Path) -> None:
    options = ["--only", FAST, "--jobs", "2", "--out", str(out / "results")]
    code, shown, err = run(*options, before=TINY + NO_SEMAPHORES, main=REPRODUCE)
    message = "adeptree: one process and not 2, as this system has no semaphores for more: Read-only file system"
    assert code == 0 and "held" in shown and err.splitlines()[0] == message
