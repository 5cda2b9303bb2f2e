"""A small container for tests: one folder to write to, no home, and an ordinary user."""

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
from running import MAIN, environment, small

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


def read_only_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Enter a read-only folder; yield a writable one."""
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


def run(
    *args: str, before: str = "", closed: tuple[int, ...] = (), main: str = MAIN, **options: Any
) -> tuple[int, str, str]:
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
    command = [sys.executable, "-c", f"{before}\n{main}", *args]
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = subprocess.run(command, env=env, preexec_fn=prepare, timeout=60, **{**pipes, **options})
    assert done.returncode != 99, "the child could not be made an ordinary user"
    return done.returncode, (done.stdout or b"").decode(), (done.stderr or b"").decode()
