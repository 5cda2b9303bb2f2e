"""Set up adeptree in its own virtual environment, then run it, test it or reproduce the paper.

    python3 make.py [--venv DIR] run [args...]          adeptree run args...
    python3 make.py [--venv DIR] test [args...]         ruff, then mypy, pyright and pytest args...
    python3 make.py [--venv DIR] reproduce [args...]    the paper's claims; reproduce --help lists the options

The environment is made in .venv, or in the folder of --venv. make.py installs into it only when pyproject.toml or a
kernel has changed. Kernels are compiled where a C compiler is found, and interpreted elsewhere, with the same numbers.
The first time needs a package index (network); later runs do not, unless a kernel has changed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent
OLDEST = (3, 11)
STAMP = "adeptree-installed"
INTERRUPTED = 130
KINDS = ("", "reproduce", "dev")
"""Installations, each with everything of the one before: for users, for the reproduction, and for tests."""


def say(message: str) -> None:
    """Print the current step, in addition to the output of the commands."""
    print(f"make.py: {message}", file=sys.stderr, flush=True)


def stop(message: str) -> NoReturn:
    """End with an error message instead of a traceback."""
    say(message)
    raise SystemExit(1)


def tool(venv: Path, name: str) -> str:
    """Return the path of a command installed in the environment."""
    return str(venv / "Scripts" / f"{name}.exe" if os.name == "nt" else venv / "bin" / name)


def requirements(kind: str) -> list[str]:
    """Return the dependencies of a kind of installation: "dev" has all extras and tools, "reproduce" has plot."""
    import tomllib  # (main refuses an older Python, which does not have it)

    told = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras, groups = told["project"]["optional-dependencies"], told["dependency-groups"]
    named = {"": [], "reproduce": ["plot"], "dev": [name for name in extras if name != "all"]}[kind]
    wanted = [line for name in named for line in extras[name]]
    parts = [part["include-group"] for part in groups[kind]] if kind == "dev" else []
    return [*told["project"]["dependencies"], *wanted, *(line for part in parts for line in groups[part])]


def key(kind: str) -> str:
    """Return what an installation depends on: pyproject.toml, the kernels, its kind and where the sources are."""
    kernels = sorted([*ROOT.glob("src/**/*_kernel.py"), *ROOT.glob("src/**/*_kernel.pxd"), ROOT / "build_kernels.py"])
    parts = [(ROOT / "pyproject.toml").read_bytes(), *(path.read_bytes() for path in kernels)]
    parts += [kind.encode(), os.fsencode(ROOT), os.environ.get("ADEPTREE_BUILD", "auto").encode()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def installed(venv: Path, kind: str) -> bool:
    """Is the package installed, with everything of a kind of installation?"""
    stamp = venv / STAMP
    if not (stamp.is_file() and Path(tool(venv, "python")).exists()):
        return False
    return stamp.read_text().strip() in {key(more) for more in KINDS[KINDS.index(kind) :]}


def usable(venv: Path) -> bool:
    """Is there an environment whose Python and pip start?"""
    python = tool(venv, "python")
    command = [python, "-m", "pip", "--version"]
    return Path(python).exists() and subprocess.run(command, capture_output=True).returncode == 0


def create(venv: Path) -> None:
    """Make the environment, replacing one that is broken."""
    if venv.exists() and not (venv / "pyvenv.cfg").is_file() and (not venv.is_dir() or any(venv.iterdir())):
        stop(f"{venv} exists and is not a virtual environment; name another place with --venv DIR")
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        stop("this Python cannot make virtual environments; on Debian or Ubuntu install python3-venv")
    say(f"making a virtual environment in {venv}")
    command = [sys.executable, "-m", "venv", "--clear", str(venv)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        reason = (done.stdout.strip().splitlines() or ["no reason given"])[-1]
        stop(f"the virtual environment could not be made: {reason}")


def install(venv: Path, kind: str) -> None:
    """Bring the environment up to date, if it is not."""
    if installed(venv, kind):
        return
    if not usable(venv):
        create(venv)
    (venv / STAMP).unlink(missing_ok=True)
    with_ = {"reproduce": " with the extra plot", "dev": " with all extras and the dependency group dev"}
    say(f"pip install -e .{with_.get(kind, '')}")
    pip = [tool(venv, "python"), "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-warn-conflicts"]
    # Tests import a third of the modules that they install: bytecode of the others would take longer than theirs.
    fetch = [*pip, "--no-compile"] if kind == "dev" else pip
    # The kernels are compiled while everything else is fetched.
    if any(together([[*pip, "--no-deps", "-e", "."], [*fetch, *requirements(kind)]])):
        stop(
            "pip could not install adeptree; the first set-up needs the network or a package index "
            "(pip's own words are above)"
        )
    (venv / STAMP).write_text(key(kind) + "\n")


def run(venv: Path, args: list[str]) -> NoReturn:
    """Become `adeptree run`."""
    install(venv, "")
    become([tool(venv, "adeptree"), "run", *args])


def reproduce(venv: Path, args: list[str]) -> NoReturn:
    """Become `python -m reproduction`, from any folder."""
    install(venv, "reproduce")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    become([tool(venv, "python"), "-m", "reproduction", *args])


def become(command: list[str]) -> NoReturn:
    """Replace this process by a command of the environment."""
    say(" ".join([Path(command[0]).stem, *command[1:]]))
    if os.name == "nt":
        raise SystemExit(subprocess.call(command))
    os.execv(command[0], command)


def test(venv: Path, args: list[str]) -> None:
    """Run every check; the first that fails ends it with its own exit code."""
    install(venv, "dev")
    # Hundreds of processes are started by the tests; without bytecode each would compile all modules that it loads.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    check(venv, ["ruff", "check", "."])
    check(venv, ["ruff", "format", "--check", "."])
    # The tests wait now and then; the type checkers use these moments.
    types = [["mypy"], ["basedpyright", "--pythonpath", tool(venv, "python")]]
    check(venv, ["pytest", "-n", "auto", "--dist", "worksteal", *args], *types)
    say("all checks passed")


def check(venv: Path, main: list[str], *others: list[str]) -> None:
    """Run commands of the environment side by side; the first that fails ends all of them with its exit code.

    The first command is seen while it runs. The output of another one is shown as a whole when that one ends.
    """
    running: list[tuple[str, subprocess.Popen[str]]] = []
    for command in (main, *others):
        say(" ".join(command))
        stdout = None if command is main else subprocess.PIPE
        start = [tool(venv, command[0]), *command[1:]]
        started = subprocess.Popen(start, cwd=ROOT, stdout=stdout, stderr=stdout and subprocess.STDOUT, text=True)
        running.append((command[0], started))
    with ThreadPoolExecutor(len(running)) as waiting:
        ends = {waiting.submit(one.communicate): (name, one) for name, one in running}
        try:
            for done in as_completed(ends):
                name, one = ends[done]
                shown = (done.result()[0] or "").strip()
                if shown:
                    say(f"{name}:\n{shown}")
                if one.returncode:
                    say(f"{name} failed (exit code {one.returncode})")
                    raise SystemExit(one.returncode if one.returncode > 0 else 128 - one.returncode)
        finally:
            for _, one in running:
                if one.poll() is None:
                    one.terminate()


def together(commands: list[list[str]]) -> list[int]:
    """Run commands side by side and return their exit codes."""
    running = [subprocess.Popen(command, cwd=ROOT) for command in commands]
    try:
        return [one.wait() for one in running]
    except KeyboardInterrupt:  # which they heard too
        for one in running:
            one.terminate()
        raise


def main(args: list[str]) -> None:
    """Read the command line and do what it says."""
    if sys.version_info < OLDEST:
        found = ".".join(str(part) for part in sys.version_info[:3])
        stop(f"adeptree needs Python 3.11 or newer; this is {found}. Run make.py with a newer one")
    venv = ROOT / ".venv"
    if args[:1] == ["--venv"]:
        if len(args) < 2:
            stop("--venv needs a directory, e.g. --venv .venv")
        venv, args = Path(args[1]).absolute(), args[2:]
    commands = {"run": run, "test": test, "reproduce": reproduce}
    if not args or args[0] in ("-h", "--help", "help"):
        print(__doc__.strip(), file=sys.stderr)
    elif args[0] in commands:
        commands[args[0]](venv, args[1:])
    else:
        stop(f"expected run, test or reproduce, got {args[0]!r}; python3 make.py alone shows help")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        say("interrupted")
        sys.exit(INTERRUPTED)
