"""Running the command line in tests: in this process, as a real process, and as one that can be killed at once."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from forking import CAN_FORK, Forked, shared
from typer.testing import CliRunner

from adeptree.app.cli import app

ROOT = Path(__file__).resolve().parents[2]
MAIN = "from adeptree.app.cli import main; main()"
REPRODUCE = "from reproduction.command import main; main()"
RULES = ["--rules", "thresholds(n=16)"]
POSIX = pytest.mark.skipif(os.name == "nt", reason="signals, /dev/full, file limits and fork are POSIX")


def call(*args: str, stdin: str | bytes | None = None) -> Any:
    """Run the command in this process."""
    result = CliRunner().invoke(app, list(args), input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def good(*args: str, stdin: str | bytes | None = None) -> str:
    """Run the command, which must succeed, and return its stdout."""
    result = call(*args, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return str(result.stdout)


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }


USUAL = shared(environment())
"""An environment with another variable needs a fresh process: the variable may be read during an import."""


def process(
    *args: str, before: str = "", main: str = MAIN, fresh: bool = False, **options: Any
) -> subprocess.Popen[bytes]:
    """Start the real command; ``before`` is Python to run first in its process. A fresh one imports everything."""
    pipes: dict[str, Any] = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
    code, options = f"{before}\n{main}", {**pipes, **options}
    if CAN_FORK and not fresh and shared(environment()) == USUAL:
        return Forked(code, args, environment(), **options)
    return subprocess.Popen([sys.executable, "-c", code, *args], env=environment(), **options)


def write(name: str, *lines: str) -> str:
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return name


def unnumbered(name: str) -> list[str]:
    """Return the lines of predictions without the numbers of their rows."""
    return [line.partition(",")[2] for line in Path(name).read_text(encoding="utf-8").splitlines()]


def small(rows: int = 40) -> str:
    return write("small.csv", "score,y", *(f"{7 * i % 16},{int(7 * i % 16 >= 9 or i % 5 == 0)}" for i in range(rows)))


LOADED = """
import json, os, signal, sys, time
import adeptree.app.run.run_loop, adeptree.app.run.run_command, adeptree.runner.run_folder
from adeptree.app.cli import app
"""
AT_ONCE = """
code = 1
try:
    app(sys.argv[1:], standalone_mode=False)
    code = 0
finally:
    os._exit(code)
"""


class Forker:
    """Starts the command in processes that have everything imported, so that killing them hits the run."""

    def __init__(self, before: str = "") -> None:
        self._before = f"{LOADED}\n{before}"

    def run(self, *args: str, kill_after: float | None = None, by: int = 9) -> int:
        """Run the command, perhaps kill it, and return its exit code: 0 if all went well, -9 if it was killed."""
        with process(*args, before=self._before, main=AT_ONCE, stdin=None, stdout=None, stderr=None) as running:
            if kill_after is not None:
                time.sleep(kill_after)
                running.send_signal(by)
            return running.wait()


def whole_and_saved(*options: str) -> tuple[list[str], list[str]]:
    """Return the arguments of a run never stopped, and of one that may be."""
    whole = ["run", *options, "--predictions", "whole.csv"]
    return whole, ["run", *options, "--predictions", "p.csv", "--save", "s", "--resume"]


def killed_often(options: list[str], kills: int, rng: random.Random, before: str = "") -> None:
    """Kill a run at random moments and resume it, again and again: it ends with the bytes of one never stopped."""
    whole, saved = whole_and_saved(*options)
    forker = Forker(f"sys.stderr = open(os.devnull, 'w')\n{before}")
    assert forker.run(*whole) == 0
    start = time.monotonic()
    assert forker.run(*saved) == 0
    lasted = time.monotonic() - start
    expected = Path("whole.csv").read_bytes()
    while kills > 0:
        shutil.rmtree("s", ignore_errors=True)
        Path("p.csv").unlink(missing_ok=True)
        while forker.run(*saved, kill_after=rng.uniform(0, lasted)) == -signal.SIGKILL:
            kills -= 1
            # The file holds a part of the whole; nothing else was ever written.
            assert expected.startswith(Path("p.csv").read_bytes() if Path("p.csv").exists() else b"")
        assert Path("p.csv").read_bytes() == expected
