"""What a command-line user waits for: new processes, with and without compiled code kept from an earlier one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

GAME = """
import numpy as np, adeptree as at
rng = np.random.default_rng(0)
learner = at.Adept(at.Thresholds(65536), horizon={T}, engine={engine!r})
learner.learn_many(rng.integers(0, 65536, {T}), rng.integers(0, 2, {T}))
"""
HELP = "import sys; sys.argv = ['adeptree', '--help']; from adeptree.app.cli import main; main()"

PROGRAMS: list[tuple[str, str, bool]] = [
    ("python -c pass", "pass", False),
    ("import numpy", "import numpy", False),
    ("adeptree --help", HELP, False),
    ("1,000 rounds, engine=paths (numpy)", GAME.format(T=1000, engine="paths"), False),
    ("1,000 rounds, engine=auto (stays with numpy)", GAME.format(T=1000, engine="auto"), False),
    ("1,000 rounds, engine=collapsed", GAME.format(T=1000, engine="collapsed"), True),
    ("100,000 rounds, engine=auto", GAME.format(T=100_000, engine="auto"), True),
]


def seconds(program: str, cache: str) -> tuple[float, float]:
    """Return the wall and processor seconds of a new process."""
    before, begun = os.times(), time.perf_counter()
    environment = os.environ | {"NUMBA_CACHE_DIR": cache, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - begun, os.times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def starts(repeats: int) -> list[dict[str, object]]:
    """Measure every program; the compiled ones first with an empty cache, then with what that left."""
    found: list[dict[str, object]] = []
    for name, program, compiles in PROGRAMS:
        with tempfile.TemporaryDirectory() as cache:
            cold = seconds(program, cache)[1] if compiles else None
            runs = [seconds(program, cache) for _ in range(repeats)]
        best = {"wall": min(wall for wall, _ in runs), "cpu": min(cpu for _, cpu in runs)}
        found.append({"what": name, "cold cpu": cold, **best})
    return found
