"""The time of a round with drift, as multiples of a round without: python benchmarks/drift_time.py [ROUNDS]

Thresholds over floats, one batch. Ratios of processor time within one run, the least of five games that take turns.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import adeptree as at

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "review": {"review": 0.3},
    "one lane": {"review": 0.3, "drift": "sharing"},
    "one lane, followers": {"review": 0.3, "drift": True},
    "24 lanes": {"drift": "sharing"},
    "24 lanes, followers": {"drift": True},
}


def main() -> None:
    """Print a line per option."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    rng = np.random.default_rng(1)
    xs = rng.random(rounds)
    ys = ((xs > 0.4) ^ (rng.random(rounds) < 0.2)).astype(int)
    taken: dict[str, list[float]] = {name: [] for name in OPTIONS}
    for _ in range(5):
        for name, given in OPTIONS.items():
            learner = at.Adept(at.RealThresholds(), **given)
            began = time.process_time()
            learner.learn_many(xs, ys)
            taken[name].append(1e6 * (time.process_time() - began) / rounds)
    for name, times in taken.items():
        print(f"{name}: {min(times):.2f} us, {min(times) / min(taken['plain']):.1f} x plain")


if __name__ == "__main__":
    main()
