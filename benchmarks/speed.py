"""Measure what users wait for, and draw the page from stored results.

    python benchmarks/speed.py                       measure every case once, and store it in speed_results.json
    python benchmarks/speed.py --only http           some cases
    python benchmarks/speed.py --against ../old/src  the same in turns with another commit, built there
    python benchmarks/speed.py --page                draw the page from the last two runs, half an hour apart

Compared with: pip install river polars pyarrow pandas. Each case (``speed_cases.py``) runs in a separate process. Times
are processor time; ratios within a run are what repeats.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from speed_cases import CASES
from speed_page import RESULTS, write_page

HERE = Path(__file__).resolve().parent
PACKAGES = ("numpy", "river", "pandas", "polars", "pyarrow")


def measured(case: str, source: Path) -> dict[str, float]:
    """Return the numbers of a case with the package in this folder; none if it fails there."""
    command = [sys.executable, str(HERE / "speed_cases.py"), case]
    environment = os.environ | {"PYTHONPATH": str(source)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(f"{case}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return {}
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(cases: list[str], sources: dict[str, Path], turns: int) -> dict[str, Any]:
    """Return a run: the best of some turns of every case, with each source in turn."""
    run: dict[str, Any] = {"when": time.time(), "load": [os.getloadavg()[0]], "python": platform.python_version()}
    run |= {"machine": f"{platform.machine()}, {os.cpu_count()} cores"}
    run["packages"] = {name: version(name) for name in PACKAGES}
    run["found"] = {name: {} for name in sources}
    for case in cases:
        for _ in range(turns):
            for name, source in sources.items():
                best = run["found"][name].setdefault(case, {})
                for what, number in measured(case, source).items():
                    best[what] = min(number, best.get(what, number))
        print(case, {name: found[case] for name, found in run["found"].items()}, flush=True)
    run["load"].append(os.getloadavg()[0])
    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=CASES, action="append", help="a case; several may be given")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--source", type=Path, default=HERE.parent / "src", help="the package to measure")
    parser.add_argument("--against", type=Path, help="the src folder of another commit")
    parser.add_argument("--page", action="store_true", help="draw docs/evidence/speed.md, and measure nothing")
    given = parser.parse_args()
    if not given.page:
        sources = {"new": given.source} | ({"old": given.against} if given.against else {})
        run = measure(given.only or list(CASES), sources, given.turns)
        stored = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
        RESULTS.write_text(json.dumps([*stored, run], indent=1) + "\n")
    write_page()


if __name__ == "__main__":
    main()
