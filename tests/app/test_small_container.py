"""A small container: nowhere to write but one folder, no home, closed or full outputs, hardly any threads."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from running import MAIN, POSIX, environment, small

pytestmark = POSIX

FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
NO_TEMPORARY_FOLDER = """
import tempfile
def nowhere():
    raise FileNotFoundError(2, "No usable temporary directory found")
tempfile.gettempdir = nowhere
"""
NO_SEMAPHORES = """
import multiprocessing.synchronize, adeptree.experiments.reproduce as made
def none(*_, **__):
    raise OSError(30, "Read-only file system")
multiprocessing.synchronize.Lock = none
real = made.reproduce
made.reproduce = lambda quick, only, jobs, out, told: real(quick, only, jobs, out, told, level="tiny")
"""
COUNT_THREADS = """
import atexit
atexit.register(lambda: print("threads", len(os.listdir("/proc/self/task"))))
import os
"""
NOBODY, DROP, DAC_OVERRIDE = 65534, 24, 1


def _open_to_all(path: Path) -> bool:
    return all(place.stat().st_mode & 0o005 == 0o005 for place in (path, *path.parents))


def _humble() -> Callable[[], None] | None:
    """Return what makes a child of root an ordinary user: another one, or root without the right to write anywhere."""
    if os.geteuid() != 0:
        return None
    if all(_open_to_all(Path(place).resolve()) for place in (sys.executable, sys.prefix, __file__)):
        return lambda: os.setuid(NOBODY)
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "prctl"):
        pytest.skip("root writes everywhere here, and another user cannot read the interpreter")
    return lambda: libc.prctl(DROP, DAC_OVERRIDE, 0, 0, 0) and os._exit(99)


@pytest.fixture
def out(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Go to a folder that nobody may write to; yield one that everybody may."""
    with tempfile.TemporaryDirectory() as made:  # (pytest's own is closed to other users)
        home, place = Path(made, "read-only"), Path(made, "out")
        home.mkdir()
        place.mkdir()
        Path(made).chmod(0o755)
        place.chmod(0o777)
        with monkeypatch.context() as patched:
            patched.chdir(home)
            small()
            home.chmod(0o555)
            yield place
        home.chmod(0o755)


def run(*args: str, before: str = "", closed: tuple[int, ...] = (), **options: Any) -> tuple[int, str, str]:
    """Run the command in the container and return its exit code, stdout and stderr."""
    humble = _humble()

    def prepare() -> None:
        if humble:
            humble()
        for number in closed:
            os.close(number)

    env = {name: value for name, value in environment().items() if not name.startswith(("XDG_", "MPL", "OPENBLAS"))}
    # A home inside the read-only folder: elsewhere root would simply make it.
    env |= {"HOME": str(Path.cwd() / "no-home"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", f"{before}\n{MAIN}", *args]
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = subprocess.run(command, env=env, preexec_fn=prepare, timeout=60, **{**pipes, **options})
    assert done.returncode != 99, "the child could not be made an ordinary user"
    return done.returncode, (done.stdout or b"").decode(), (done.stderr or b"").decode()


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
        ("reproduce", "--only", "width"),
    ],
    ids=["report", "predictions", "html", "save", "results"],
)
def test_what_cannot_be_written_is_a_sentence_before_any_work(out: Path, command: tuple[str, ...]) -> None:
    read, write = os.pipe()  # nobody ever writes a row: a command that waits for one does not end
    try:
        code, shown, err = run(*(part.replace("OUT", str(out)) for part in command), stdin=read)
    finally:
        os.close(read)
        os.close(write)
    assert code in (1, 2) and shown == "" and err.strip().startswith("adeptree: ") and err.strip().count("\n") == 0
    assert "be written" in err and ("Permission denied" in err or "Read-only" in err)
    assert list(out.iterdir()) == []


def test_the_page_of_the_results_is_checked_before_the_work(out: Path) -> None:
    (out / "report.html").mkdir()
    code, _, err = run("reproduce", "--only", "width", "--out", str(out))
    assert code == 2 and "report.html is not an ordinary file" in err and err.count("\n") == 1
    assert [path.name for path in out.iterdir()] == ["report.html"]


def test_closed_outputs_do_not_end_a_run(out: Path) -> None:
    code, shown, _ = run(*STUMPS, closed=(2,))
    assert code == 0 and "In plain words" in shown
    code, _, err = run("show", closed=(1,))
    assert (code, err) == (0, "")
    code, _, _ = run(*STUMPS, "--save", f"{out}/run", "--predictions", f"{out}/p.csv", closed=(0, 1, 2))
    assert code == 0 and len((out / "p.csv").read_text().splitlines()) == 41
    code, shown, err = run(*STUMPS, "--save", f"{out}/run", "--predictions", f"{out}/p.csv", "--resume")
    assert code == 0 and "going on after 40 rows" in err


def test_no_file_gets_the_number_of_a_closed_output(out: Path) -> None:
    printing = "import adeptree.app.run.writing as w, os\nreal = w.AppendedFile.append\n"
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


def test_without_semaphores_one_process_does_the_work_and_says_so(out: Path) -> None:
    code, shown, err = run(
        "reproduce", "--only", "width", "--jobs", "2", "--out", str(out / "results"), before=NO_SEMAPHORES
    )
    sentence = "adeptree: one process and not 2, as this system has no semaphores for more: Read-only file system"
    assert code == 0 and "held" in shown and err.splitlines()[0] == sentence
