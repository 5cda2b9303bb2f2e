"""What ``speed.py`` shows: tables, and what was aimed for; and the new processes that it starts."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np


class Page:
    """The tables, and beside them what was aimed for and what came of it."""

    def __init__(self, quick: bool) -> None:
        self.quick = quick
        self.patience = 0.1 if quick else 1.0
        self.texts: list[str] = []
        self.aims: list[list[str]] = []

    def add(self, heading: str, head: list[str], lines: list[list[str]], note: str = "") -> None:
        text = f"### {heading}\n\n" + (f"{note}\n\n" if note else "") + markdown(head, lines)
        print(text + "\n", flush=True)
        self.texts.append(text)

    def aim(self, what: str, measured: float, least: float = 0.0, most: float = np.inf, unit: str = "x") -> None:
        wanted = f"at least {least:g} {unit}" if least else f"at most {most:g} {unit}"
        met = "yes" if least <= measured <= most else "**no**"
        self.aims.append([what, wanted, f"{measured:.3g} {unit}", met])


def markdown(head: list[str], lines: list[list[str]]) -> str:
    rule = "|---|" + "---:|" * (len(head) - 1)
    rows = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in [head, *lines]]
    return "\n".join([rows[0], rule, *rows[1:]])


def us(seconds: float, T: int) -> str:
    return f"{1e6 * seconds / T:.3g}"


def process(*arguments: str, folder: str | None = None) -> tuple[float, str]:
    """Return the wall seconds of a new Python process, and what it printed."""
    path = os.pathsep.join(str(Path(part).resolve()) for part in sys.path if part)
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, check=True, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": path},
    )  # fmt: skip
    return time.perf_counter() - begun, done.stdout
