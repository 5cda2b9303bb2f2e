"""The time of a round with segments, as multiples of one without, and their bytes: python benchmarks/by_time.py

Thresholds over floats, single calls. Ratios of processor time within one run, the least of three games that take turns,
the last quarter of each game (when all segments are known). Bytes are those that Python's allocator sees.
"""

from __future__ import annotations

import gc
import sys
import time
import tracemalloc
from typing import Any

import numpy as np

import adeptree as at

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "by, review": {"by": "tenant", "review": 0.3},
    "by, two levels": {"by": "tenant"},
}


def stream(segments: int, rounds: int) -> tuple[list[dict[str, Any]], list[int]]:
    """Return rows of this number of segments, equally often, and their labels."""
    rng = np.random.default_rng(1)
    scores = rng.random(rounds)
    ys = ((scores > 0.4) ^ (rng.random(rounds) < 0.2)).astype(int)
    names = [f"tenant {k}" for k in range(segments)]
    return [{"tenant": names[t % segments], "score": x} for t, x in enumerate(scores.tolist())], ys.tolist()


def play(learner: at.Adept, rows: list[Any], ys: list[int]) -> float:
    """Play a game; return the microseconds per round of its last quarter."""
    last = 3 * len(rows) // 4
    for x, y in zip(rows[:last], ys, strict=False):
        learner.learn(x, y)
    began = time.process_time()
    for x, y in zip(rows[last:], ys[last:], strict=True):
        learner.learn(x, y)
    return 1e6 * (time.process_time() - began) / (len(rows) - last)


def main() -> None:
    """Print a line per option and number of segments."""
    for segments, rounds in ((1_000, 100_000), (100_000, 300_000)) if len(sys.argv) < 2 else ((1_000, 20_000),):
        rows, ys = stream(segments, rounds)
        scores = [row["score"] for row in rows]
        taken: dict[str, list[float]] = {name: [] for name in OPTIONS}
        for _ in range(3):
            for name, given in OPTIONS.items():
                gc.collect()
                rules: Any = at.RealThresholds() if name == "plain" else at.RealThresholds().on("score")
                taken[name].append(play(at.Adept(rules, **given), scores if name == "plain" else rows, ys))
        used = {}
        for name, given in OPTIONS.items():
            learner = at.Adept(at.RealThresholds() if name == "plain" else at.RealThresholds().on("score"), **given)
            tracemalloc.start()
            play(learner, scores if name == "plain" else rows, ys)
            used[name] = tracemalloc.get_traced_memory()[0]
            tracemalloc.stop()
        for name, times in taken.items():
            each = (used[name] - used["plain"]) / segments
            ratio = f"{min(times) / min(taken['plain']):.1f} x plain"
            size = f"{segments:,} segments, {rounds:,} rounds"
            print(f"{size}, {name}: {min(times):.2f} us, {ratio}, {each:,.0f} bytes per segment")


if __name__ == "__main__":
    main()
