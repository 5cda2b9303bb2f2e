"""Data never steers a terminal, a spreadsheet or a browser; and every command tells its troubles in sentences."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest
from running import POSIX, RULES, call, process, small, write
from test_cli import drained
from typer.testing import CliRunner

from adeptree.app.cli import app
from adeptree.app.run.outputs import inert
from adeptree.core.escaping import visible

EVIL = "\x1b]0;owned\x07\x9b31m\u202e"
"""Sets the title of a terminal, its colour, and the direction of what follows."""
SPELT = r"\x1b]0;owned\x07\x9b31m\u202e"
TAG = "<script>alert(1)</script>"
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.chdir(tmp_path)


def shown(*args: str) -> tuple[str, str]:
    """Return stdout and stderr as a terminal with colours gets them."""
    result = CliRunner().invoke(app, list(args), color=True)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    for text in (result.stdout, result.stderr):
        assert "\x1b]" not in text and "\x07" not in text and "\x9b" not in text and "\u202e" not in text
    return result.stdout, result.stderr


def hostile(name: str = f"{EVIL}.ndjson") -> str:
    rows = [{f"a{EVIL}\nforged": f"v{EVIL}", "b": i, "y": 1} for i in range(4)]
    return write(name, *map(json.dumps, rows))


def test_only_what_steers_is_spelt_out() -> None:
    assert visible(f"{EVIL}\ud800\r\n\t") == SPELT + r"\ud800\r\n\t"
    assert visible("Zürich, naïve 東京 \u00a0😀") == "Zürich, naïve 東京 \u00a0😀"


def test_the_summary_spells_out_names_and_rules() -> None:
    stream = hostile()
    out, _ = shown("run", stream, "--rules", f"blocklist('a{EVIL}\nforged', d=2)", "--label", "y")
    heading = out.splitlines()[0]
    assert heading.startswith(f"{SPELT}.ndjson: 4 rows, rules: blocklist(a{SPELT}\\nforged, d=2)")
    assert "\nforged" not in out and f"a{SPELT}\\nforged" in out.split("mistakes", 1)[1]
    out, _ = shown("run", stream, "--rules", f"stumps('a{EVIL}\nforged', b)", "--on-bad-row", "skip")
    assert "\nforged" not in out and f"stumps(a{SPELT}\\nforged, b)" in out


@pytest.mark.parametrize(
    "options",
    [
        ["run", "f.ndjson", "--rules", "thresholds(b)", "--label", f"a{EVIL}\nforged"],
        ["run", "f.ndjson", "--rules", "thresholds(b)", "--label", EVIL],
        ["run", "f.ndjson", "--rules", EVIL],
        ["run", EVIL, *RULES],
        ["run", "f.ndjson", "--rules", "thresholds(b)", "--save", f"no/{EVIL}"],
        ["show", "--rules", f"thresholds(n={EVIL})"],
    ],
)
def test_errors_spell_out_what_they_quote(options: list[str]) -> None:
    hostile("f.ndjson")
    out, err = shown(*options)
    assert out == "" and err.lstrip().startswith("adeptree: ") and "owned" in err


def test_show_spells_out_values_and_keeps_its_own_colours() -> None:
    out, _ = shown("show", "--stream", hostile(), "--rules", f"blocklist('a{EVIL}\nforged', d=2)", "--rounds", "3")
    assert f"x = v{SPELT}" in out and f"the first rows of {SPELT}.ndjson" in " ".join(out.split())
    assert "\x1b[1mRound 1" in out


@POSIX
def test_progress_and_usage_on_a_real_terminal() -> None:
    import pty

    hostile()
    for options in (["run", f"{EVIL}.ndjson", "--rules", "thresholds(b)"], ["run", "one", EVIL], ["run", f"--{EVIL}"]):
        assert seen_on(pty.openpty(), options)
    write("g.csv", f"a{EVIL},y", "1,0", "2,1", f"{EVIL},1", "3,1,4")
    seen = seen_on(pty.openpty(), ["run", "g.csv", "--rules", f"stumps('a{EVIL}')", "--on-bad-row", "skip"])
    assert f"best: a{SPELT} " in seen and "skipped: g.csv, line 5" in seen


def seen_on(terminal: tuple[int, int], options: list[str]) -> str:
    parent, child = terminal
    with process(*options, stderr=child) as running:
        os.close(child)
        seen = drained(parent)
        running.communicate(timeout=60)
    assert "\x1b]" not in seen and "\x07" not in seen and "\x9b" not in seen and "\u202e" not in seen
    return seen


# ----------------------------------------------------------------------------------- spreadsheets, browsers


def test_no_cell_of_the_predictions_is_a_formula() -> None:
    cells = [
        "=1+1",
        "+1+1",
        "-1+1",
        "@SUM(A1)",
        '=HYPERLINK("http://x","y")',
        "＝1+1",
        "-a",
        "plain",
        "-3.5",
        "+2",
        "a=b",
        "a;b;-3",
        "a;=1+1",
        "a;b\t@SUM(A1);c",
    ]
    write("f.ndjson", *(json.dumps({"a": cell, "y": 1}) for cell in cells))
    assert call("run", "f.ndjson", "--rules", "blocklist(a, d=2)", "--predictions", "p.csv", "-q").exit_code == 0
    with open("p.csv", encoding="utf-8", newline="") as file:
        written = [row["a"] for row in csv.DictReader(file)]
    assert written[:-2] == [*(f"'{cell}" for cell in cells[:7]), *cells[7:-2]]
    assert written[-2:] == ["a;'=1+1", "a;b\t'@SUM(A1);c"]  # for a spreadsheet that splits lines there
    write("n.csv", "=b,y", "-3.5,0", "-1e-3,1")
    assert call("run", "n.csv", "--rules", "stumps", "--predictions", "p.csv", "-q").exit_code == 0
    assert [line.split(",")[1] for line in Path("p.csv").read_text().splitlines()] == ["'=b", "-3.5", "-1e-3"]
    assert [inert(cell) for cell in ("\t=1", "\r=1")] == ["'\t'=1", "'\r'=1"]


def harmless(html: str) -> bool:
    return "<script>alert" not in html and "&lt;script&gt;alert" in html


def test_the_page_of_a_run_is_escaped() -> None:
    write("f.csv", f"{TAG},y", f"{TAG},1", "b,0", f"{TAG},1")
    os.rename("f.csv", f"{TAG.replace('/', '')}.csv")
    options = ["--rules", f"blocklist('{TAG}', d=1)", "--report", "r.html", "-q"]
    assert call("run", f"{TAG.replace('/', '')}.csv", *options).exit_code == 0
    assert harmless(Path("r.html").read_text(encoding="utf-8"))


def test_the_page_of_a_game_is_escaped() -> None:
    write("f.csv", f"{TAG},y", f"{TAG},1", "b,0", f"{TAG},1")
    options = ["--rules", f"blocklist('{TAG}', d=1)", "--html", "s.html"]
    assert call("show", "--stream", "f.csv", *options).exit_code == 0
    html = Path("s.html").read_text(encoding="utf-8")
    assert harmless(html) and html.count("<script>") == 1


# ------------------------------------------------------------------------------------------------ one door


@POSIX
@FULL
@pytest.mark.parametrize(
    "options",
    [
        ["--version"],
        ["--help"],
        ["rules"],
        ["show"],
        ["run"],
        ["run", "small.csv", *RULES, "--follow"],
    ],
    ids=lambda options: " ".join(options[:2]),
)
def test_every_command_says_that_nothing_can_be_written(options: list[str]) -> None:
    small()
    with open("/dev/full", "wb") as full, process(*options, stdout=full) as running:
        _, err = running.communicate(timeout=60)
    sentence = err.decode().replace("\r", "\n").strip().splitlines()[-1]
    assert running.returncode in (1, 2) and sentence.startswith("adeptree: ") and "No space left" in sentence
    assert b"Traceback" not in err and b"Exception ignored" not in err


@POSIX
@FULL
def test_nobody_can_be_told_that_nobody_can_be_told() -> None:
    with open("/dev/full", "wb") as full, process("run", "nothing", stderr=full) as running:
        out, _ = running.communicate(timeout=60)
    assert (running.returncode, out) == (2, b"")


@POSIX
def test_usage_errors_keep_their_code_and_their_form() -> None:
    with process("run", "--nothing") as running:
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (2, b"")
    assert err.decode().startswith("adeptree: no such option: --nothing") and err.count(b"\n") == 1
