"""Start processes of the command with everything imported: each worker of the tests forks them from one parent.

Most of the time of a short command is the start of Python with its imports. A forked process has its own streams,
folder, environment and arguments, and it ends as the interpreter ends.
"""

from __future__ import annotations

import atexit
import gc
import io
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

CAN_FORK = sys.platform == "linux"
READ = ("PYTHON", "ADEPTREE_ENGINE", "LC_", "LANG", "TERM", "NO_COLOR", "FORCE_", "TYPER", "_TYPER", "PATH", "HOME")
"""Prefixes of environment variables that the interpreter or an import reads: a process has them as its parent has."""


def shared(env: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    """Return the part of an environment that a process has in common with its parent."""
    return frozenset((name, text) for name, text in env.items() if name.startswith(READ))


@cache
def parent(env: frozenset[tuple[str, str]]) -> str:
    """Start the process that imports everything, with these variables; return the address of its socket."""
    folder = Path(tempfile.mkdtemp(prefix="forks"))
    command = [sys.executable, __file__, str(folder / "socket")]
    running = subprocess.Popen(command, env={**os.environ, **dict(env)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def end() -> None:
        running.communicate()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    assert running.stdout is not None and running.stdout.readline() == b"ready\n", "no process can be forked"
    return command[-1]


class Forked(subprocess.Popen[bytes]):
    """``Popen`` of Python code with its arguments; the code is executed in a fork of the parent."""

    def __init__(self, code: str, args: tuple[str, ...], env: dict[str, str], **options: Any) -> None:
        self._request = json.dumps({"code": code, "args": ["-c", *args], "env": env, "cwd": os.getcwd()}).encode()
        self._link = socket.socket(socket.AF_UNIX)
        self._link.connect(parent(shared(env)))
        super().__init__(["python", "-c", code, *args], **options)

    def _execute_child(self, *given: Any) -> None:
        """Ask the parent for a fork, which gets the child's ends of the pipes."""
        ends = given[10:16]
        theirs = [fd if fd != -1 else number for number, fd in enumerate((ends[0], ends[3], ends[5]))]
        socket.send_fds(self._link, [b"."], theirs)
        self._link.sendall(self._request)
        self._link.shutdown(socket.SHUT_WR)
        for fd, other in ((ends[0], ends[1]), (ends[3], ends[2]), (ends[5], ends[4])):
            if fd != -1 and other != -1:
                os.close(fd)
        (self.pid,) = struct.unpack("i", self._link.recv(4))
        self._child_created = True

    def _try_wait(self, flags: int) -> tuple[int, int]:
        if flags & os.WNOHANG and not select.select([self._link], [], [], 0)[0]:
            return 0, 0
        (status,) = struct.unpack("i", self._link.recv(4))
        self._link.close()
        return self.pid, status

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        if self.returncode is None and self._waitpid_lock.acquire(False):  # type: ignore[attr-defined]
            try:
                pid, status = self._try_wait(os.WNOHANG) if self.returncode is None else (0, 0)
                if pid:
                    self._handle_exitstatus(status)  # type: ignore[attr-defined]
            finally:
                self._waitpid_lock.release()  # type: ignore[attr-defined]
        return self.returncode


CLIENT = """#!{python} -SEs
import json, os, signal, socket, struct, sys
link = socket.socket(socket.AF_UNIX)
link.connect({address!r})
socket.send_fds(link, [b"."], [0, 1, 2])
asked = dict(code={code!r}, args=sys.argv, env=dict(os.environ), cwd=os.getcwd())
link.sendall(json.dumps(asked).encode())
link.shutdown(socket.SHUT_WR)
(pid,) = struct.unpack("i", link.recv(4))
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, _: os.kill(pid, number))
code = os.waitstatus_to_exitcode(struct.unpack("i", link.recv(4))[0])
sys.exit(code if code >= 0 else 128 - code)
"""


def write_command(path: Path, code: str, env: Mapping[str, str]) -> None:
    """Write a script for shells that executes the code in a fork (elsewhere than on Linux: in Python itself)."""
    fresh = f"#!{sys.executable}\n{code}\n"
    filled = {"python": sys.executable, "code": code}
    path.write_text(CLIENT.format(address=parent(shared(env)), **filled) if CAN_FORK else fresh)
    path.chmod(0o755)


def forks(address: str) -> tuple[socket.socket, dict[str, Any], list[int]]:
    """Fork for every connection; return in each fork what was asked of it."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # (a fork has no waiting threads)
    os.write(1, b"ready\n")
    while True:
        if 0 in select.select([listener.fileno(), 0], [], [])[0]:
            os._exit(0)  # the tests are over
        link, _ = listener.accept()
        if os.fork() == 0:
            break
        link.close()
    listener.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, fds, _, _ = socket.recv_fds(link, 1, 3)
    request = b""
    while piece := link.recv(1 << 16):
        request += piece
    return link, json.loads(request), fds


def become(link: socket.socket, asked: dict[str, Any], fds: list[int]) -> str:
    """Fork once more, and tell from outside how that process ends; inside, take all that was asked for."""
    pid = os.fork()
    if pid:
        for fd in fds:
            os.close(fd)
        link.sendall(struct.pack("i", pid))
        link.sendall(struct.pack("i", os.waitpid(pid, 0)[1]))
        os._exit(0)
    link.close()
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
        os.close(fd)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    sys.argv[:], sys.path[0] = asked["args"], ""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        raw: Any = open(number, "wb" if number else "rb", closefd=False)
        lines, errors = number == 2 or raw.isatty(), "backslashreplace" if number == 2 else "strict"
        stream = io.TextIOWrapper(raw, "utf-8", errors, line_buffering=lines)
        vars(sys).update({name: stream, f"__{name}__": stream})
    return str(asked["code"])


if __name__ == "__main__":
    from adeptree.app.cli import app

    if all(map(find_spec, ("uvicorn", "starlette", "prometheus_client"))):
        import uvicorn  # noqa: F401

    with open(os.devnull, "w") as nowhere:
        kept, sys.stdout, sys.stderr = (sys.stdout, sys.stderr), nowhere, nowhere
        app(["run", "-q"], standalone_mode=False)  # modules that are imported at first use
        sys.stdout, sys.stderr = kept
    gc.collect()
    gc.freeze()  # (a fork copies each page that a collection touches)
    exec(compile(become(*forks(sys.argv[1])), "<string>", "exec"), {"__name__": "__main__"})
