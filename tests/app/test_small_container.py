"""A small container: nowhere to write but one folder, no home, closed or full outputs, hardly any threads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import POSIX
from small_container import read_only_folder, run

pytestmark = POSIX

FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
NO_TEMPORARY_FOLDER = """
import tempfile
def nowhere():
    raise FileNotFoundError(2, "No usable temporary directory found")
tempfile.gettempdir = nowhere
"""
COUNT_THREADS = """
import atexit
atexit.register(lambda: print("threads", len(os.listdir("/proc/self/task"))))
import os
"""


@pytest.fixture
def out(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Enter a read-only folder; yield a writable one."""
    yield from read_only_folder(monkeypatch)


STUMPS = ("run", "small.csv", "--rules", "stumps")


@pytest.mark.parametrize("before", ["", NO_TEMPORARY_FOLDER], ids=["temporary folder", "none"])
def test_a_page_with_figures_needs_no_home(out: Path, before: str) -> None:
    code, shown, err = run(*STUMPS, "--report", f"{out}/r.html", before=before)
    assert (code, err) == (0, "") and "Report: " in shown
    assert [path.name for path in out.iterdir()] == ["r.html"] and "<svg" in (out / "r.html").read_text()


@pytest.mark.parametrize(
    "command",
    [
        ("run", "-", "--rules", "stumps", "--report", "r.html"),
        ("run", "-", "--rules", "stumps", "--predictions", "p.csv", "--save", "OUT/run"),
        ("show", "--html", "g.html", "--stream", "no-such-stream.csv"),
        ("run", "small.csv", "--rules", "stumps", "--save", "run"),
    ],
    ids=["report", "predictions", "html", "save"],
)
def test_what_cannot_be_written_is_a_sentence_before_any_work(out: Path, command: tuple[str, ...]) -> None:
    read, write = os.pipe()  # no row is ever written: a command that waits for one does not end
    try:
        code, shown, err = run(*(part.replace("OUT", str(out)) for part in command), stdin=read)
    finally:
        os.close(read)
        os.close(write)
    assert code in (1, 2) and shown == "" and err.strip().startswith("adeptree: ") and err.strip().count("\n") == 0
    assert "be written" in err and ("Permission denied" in err or "Read-only" in err)
    assert list(out.iterdir()) == []


def test_closed_outputs_do_not_end_a_run(out: Path) -> None:
    code, shown, _ = run(*STUMPS, closed=(2,))
    assert code == 0 and "Guaranteed: " in shown
    code, _, err = run("show", closed=(1,))
    assert (code, err) == (0, "")
    code, _, _ = run(*STUMPS, "--save", f"{out}/run", "--predictions", f"{out}/p.csv", closed=(0, 1, 2))
    assert code == 0 and len((out / "p.csv").read_text().splitlines()) == 41
    code, shown, err = run(*STUMPS, "--save", f"{out}/run", "--predictions", f"{out}/p.csv", "--resume")
    assert code == 0 and "resuming after 40 rows" in err


def test_no_file_gets_the_number_of_a_closed_output(out: Path) -> None:
    printing = "import adeptree.app.run.outputs as w, os\nreal = w.AppendedFile.append\n"
    printing += "w.AppendedFile.append = lambda self, text: (os.write(1, b'noise'), real(self, text))[1]"
    code, _, err = run(*STUMPS, "--predictions", f"{out}/p.csv", before=printing, closed=(1,))
    assert (code, err) == (0, "") and "noise" not in (out / "p.csv").read_text()


def test_follow_refuses_a_closed_stdout(out: Path) -> None:
    code, _, err = run(*STUMPS, "--follow", closed=(1,))
    assert code == 2 and err.startswith("adeptree: --follow: stdout is closed") and err.count("\n") == 1


@FULL
def test_full_outputs_are_named(out: Path) -> None:
    with open("/dev/full", "wb") as full:
        code, _, err = run(*STUMPS, stdout=full)
        assert (code, err) == (1, "adeptree: stdout could not be written: No space left on device\n")
        code, _, err = run("--help", stdout=full)
        assert (code, err) == (1, "adeptree: No space left on device\n")
        code, shown, _ = run("run", "--nonsense", stderr=full)
        assert (code, shown) == (2, "")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted in /proc")
def test_a_run_starts_no_threads(out: Path) -> None:
    code, shown, err = run(*STUMPS, "--quiet", before=COUNT_THREADS)
    assert (code, shown, err) == (0, "threads 1\n", "")
