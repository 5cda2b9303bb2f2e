"""Memory of ``adeptree run`` while a long pipe goes through it: python benchmarks/pipe_memory.py [rows]

Prints the resident memory of the process at every tenth of the stream. After the first tenth it should
stand still: what the learner holds (here: 65 paths at most) does not grow any more.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

MAIN = "from adeptree.app.cli import main; main()"
RULES = "thresholds(n=64)"


def feed(pipe: object, rows: int) -> None:
    """Write rows that are never all in memory here either."""
    state = 1
    with pipe as file:  # type: ignore[attr-defined]
        file.write(b"x,y\n")
        for _ in range(rows):
            state = state * 48271 % 2147483647  # Lehmer's generator
            x = state >> 7 & 63
            file.write(b"%d,%d\n" % (x, (x >= 20) ^ (state >> 20 & 7 == 0)))


def resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    command = [sys.executable, "-c", MAIN, "run", "-", "--rules", RULES, "--follow", "--quiet"]
    start = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        threading.Thread(target=feed, args=(running.stdin, rows), daemon=True).start()
        assert running.stdout is not None
        for answers, _ in enumerate(running.stdout):  # the first line is the header
            if answers and answers % (rows // 10) == 0:
                seconds = time.perf_counter() - start
                print(f"{answers:>10,} rows  {resident_mb(running.pid):7.1f} MB  {seconds:7.1f} s", flush=True)
    print("exit code", running.returncode)


if __name__ == "__main__":
    main()
