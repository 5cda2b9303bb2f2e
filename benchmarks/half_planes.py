"""The time of a round with half-planes: python benchmarks/half_planes.py [T ...]

Uniform whole points and normal floats, 10 % of the labels flipped. ``paths``: the learner with linear programs, in the
same process and on the same stream. Processor time, the best of three games up to 300 rounds, else of one.
"""

from __future__ import annotations

import random
import sys
import time

import adeptree as at

LONGEST_PATHS = 148
"""Rounds up to which the linear programs play, too."""


def stream(kind: str, T: int) -> list[tuple[tuple[float, float], int]]:
    """Return points and labels."""
    rng = random.Random(5)
    whole = kind == "whole"
    points = [
        (rng.randrange(10**6), rng.randrange(10**6)) if whole else (rng.gauss(0, 1), rng.gauss(0, 1)) for _ in range(T)
    ]
    middle = 10**6 if whole else 0
    return [(x, int(x[0] + x[1] > middle) ^ int(rng.random() < 0.1)) for x in points]


def measured(rows: list[tuple[tuple[float, float], int]], engine: str) -> tuple[float, float, int]:
    """Return milliseconds per round, those of the last 20 rounds, and the number of rows."""
    T = len(rows)
    learner = at.Adept(at.Halfspaces(2), engine=engine)
    start = time.process_time()
    for x, y in rows[:-20]:
        learner.learn(x, y)
    middle = time.process_time()
    for x, y in rows[-20:]:
        learner.learn(x, y)
    end = time.process_time()
    return 1e3 * (end - start) / T, 1e3 * (end - middle) / 20, learner.width


def main(lengths: list[int]) -> None:
    """Print a line per length."""
    print("| T | points | rows | ms per round | the last 20 | paths, ms | ratio |")
    print("|--:|---|--:|--:|--:|--:|--:|")
    for T in lengths or [50, 100, 148, 300, 1000]:
        for kind in ("whole", "floats"):
            rows = stream(kind, T)
            games = [measured(rows, "auto") for _ in range(3 if T <= 300 else 1)]
            each, last, width = min(game[0] for game in games), min(game[1] for game in games), games[0][2]
            line = f"| {T:,} | {kind} | {width:,} | {each:.3f} | {last:.3f} |"
            if T <= LONGEST_PATHS and kind == "whole":
                paths = measured(rows, "paths")[0]
                print(f"{line} {paths:.1f} | {paths / each:,.0f} |", flush=True)
            else:
                print(f"{line} | |", flush=True)


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]])
