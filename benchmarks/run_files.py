"""``adeptree run`` on CSV files against River on the same files: python benchmarks/run_files.py [--rows N]

Per row, processor time, the best of some runs that take turns in one process (then once more as commands of their own,
imports included). River reads with ``iter_csv`` and plays predict then learn, alone and behind a StandardScaler.
"the rest" is ``adeptree run`` with a learner that does nothing: what reading, checking, counting and saving take.
The ratios are what repeats; the microseconds are those of the machine.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import adeptree as at
from adeptree.app.cli import app

RIVER = """
import sys
from river import linear_model, preprocessing, stream
def play(path, scaled):
    model = linear_model.LogisticRegression()
    model = preprocessing.StandardScaler() | model if scaled else model
    with open(path) as file:
        names = file.readline().strip().split(",")
    converters = {**dict.fromkeys(names, float), "y": int}
    for x, y in stream.iter_csv(path, target="y", converters=converters):
        model.predict_proba_one(x)
        model.learn_one(x, y)
"""
ADEPTREE = "from adeptree.app.cli import main; main()"
CASES = {
    "thresholds": (1, "thresholds(a)", []),
    "thresholds, --predictions": (1, "thresholds(a)", ["--predictions", "p.csv"]),
    "thresholds, --save": (1, "thresholds(a)", ["--save", "s"]),
    "grid": (0, "thresholds(n=1024)", []),
    "stumps": (5, "stumps", []),
    "stumps, --predictions": (5, "stumps", ["--predictions", "p.csv"]),
}
"""Columns of x (0: one of whole numbers), rules, and further options."""


def write(path: str, columns: int, rows: int) -> None:
    """Write a stream: the first column decides, 10 % of the labels are flipped."""
    rng = random.Random(0)
    with open(path, "w") as file:
        file.write(",".join("abcde"[: columns or 1]) + ",y\n")
        for _ in range(rows):
            x = [rng.gauss(0, 1) for _ in range(columns)] or [float(rng.randrange(1024))]
            y = int(x[0] >= (0.3 if columns else 400)) ^ int(rng.random() < 0.1)
            file.write(",".join(f"{v:.4f}" if columns else f"{v:.0f}" for v in x) + f",{y}\n")


@contextmanager
def without_learner() -> Iterator[None]:
    """Let the learner do nothing, and be asked nothing at the end."""

    def learn_many(self: at.Adept, xs: Any, ys: Any) -> Any:
        self.rounds += len(ys)
        self.answered += len(ys)
        return np.full(len(ys), 0.25)

    with patch.object(at.Adept, "learn_many", learn_many):
        yield


def best(calls: dict[str, Callable[[], None]], repeats: int) -> dict[str, float]:
    """Return the processor seconds of each, the best of some, taken in turns."""
    found = dict.fromkeys(calls, float("inf"))
    for _ in range(repeats):
        for name, call in calls.items():
            start = time.process_time()
            call()
            found[name] = min(found[name], time.process_time() - start)
    return found


def command(*arguments: str) -> float:
    """Return the processor seconds of a new process."""
    before = os.times()
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-c", *arguments], env=environment, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def measured(name: str, rows: int, repeats: int) -> None:
    """Print what a case takes, and how many times as fast as River it is."""
    columns, rules, options = CASES[name]
    write("f.csv", columns, rows)
    spaces: dict[str, Any] = {}
    exec(RIVER, spaces)

    def run() -> None:
        for folder in Path("s").glob("*"):
            folder.unlink()
        app(["run", "f.csv", "--rules", rules, "--quiet", *options], standalone_mode=False)

    def rest() -> None:
        with without_learner():
            run()

    taken = best(
        {
            "River, LogisticRegression": lambda: spaces["play"]("f.csv", False),
            "River, scaled": lambda: spaces["play"]("f.csv", True),
            "adeptree run": run,
            "the rest": rest,
        },
        repeats,
    )
    bare, scaled = taken["River, LogisticRegression"], taken["River, scaled"]
    print(f"\n{name} ({rows:,} rows, {' '.join(['--rules', rules, *options])})")
    for what, seconds in taken.items():
        print(
            f"  {what:28} {1e6 * seconds / rows:7.2f} us/row {bare / seconds:7.2f} x {scaled / seconds:7.2f} x scaled"
        )
    for folder in Path("s").glob("*"):
        folder.unlink()
    ours = command(ADEPTREE, "run", "f.csv", "--rules", rules, "--quiet", *options)
    theirs = command(f"{RIVER}\nplay('f.csv', False)")
    print(f"  as commands: {ours:.2f} s, River {theirs:.2f} s {theirs / ours:15.2f} x", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", choices=CASES, action="append")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in given.only or CASES:
            measured(name, given.rows, given.repeats)


if __name__ == "__main__":
    main()
