"""What ``speed.py`` shows: tables, and what was aimed for; and the new processes that it starts."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

DATA = "import random; r = random.Random(0); xs = [r.random() for _ in range(10000)]; ys = [int(x > .37) for x in xs]\n"
COLD = {
    "adeptree": "import adeptree as at\nm = at.Adept(at.RealThresholds())\n"
    "for x, y in zip(xs, ys): m.predict_proba(x); m.learn(x, y)",
    "River": "from river import linear_model\nm = linear_model.LogisticRegression()\n"
    "for x, y in zip(xs, ys): m.predict_proba_one({'x': x}); m.learn_one({'x': x}, y)",
    "imports of adeptree alone": "import adeptree as at; at.Adept, at.RealThresholds",
    "imports of River alone": "from river import linear_model",
}
FIRST = """
import sys, time; sys.path.insert(0, {here!r})
import adeptree as at, speed_players as sp
c, stream = sp.growing()[{name!r}]
xs, ys = stream(2000)
longest = [0.0, '']
def call(what, function, *given):
    begun = time.perf_counter(); found = function(*given); taken = time.perf_counter() - begun
    if taken > longest[0]: longest[:] = [taken, what]
    return found
concepts = call('the class', c)
m = call('Adept', at.Adept, concepts)
for x, y in zip(sp.rows(xs)[:1000], ys.tolist()):
    call('predict_proba', m.predict_proba, x)
    call('learn', m.learn, x, y)
call('learn_many of 1,000', m.learn_many, xs[1000:], ys[1000:])
call('best_rule', m.best_rule)
call('certificate', lambda: str(m.certificate()))
print(*longest)
"""
PEAK = """
from adeptree.app.cli import app
app(['run', 'f.csv', '--rules', 'blocklist(sender, d=20)', '--quiet'], standalone_mode=False)
print(max(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmHWM')) / 1024)
"""


class Page:
    """The tables, and beside them what was aimed for and what came of it."""

    def __init__(self, quick: bool) -> None:
        self.quick = quick
        self.patience = 0.1 if quick else 1.0
        self.texts: list[str] = []
        self.aims: list[list[str]] = []
        self.taken: dict[tuple[str, str, int], float] = {}
        """Our seconds, of a class, "single" or "batch", and T: every table that shows one shows the same."""

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
