"""Thresholds in an unknown order: python benchmarks/unknown_order.py   (writes docs/evidence/base-learners.md)

The oracle knows the order of the points and returns the smallest rule that fits, the largest, or any. Each label is
the opposite of the prediction as long as some rule fits. Four orders each: the most mistakes, and the calls on average.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
from evidence_page import put, table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import adeptree as at
from reproduction.unknown_order import UnknownOrder

ORDERS = 4


def played(n: int, ties: str, seed: int) -> tuple[int, int]:
    """Return the mistakes and the calls on all points, each once."""
    rng = random.Random(seed)
    place = {x: i for i, x in enumerate(rng.sample(range(n), n))}

    def find(sample: Any) -> Any:
        low = max((place[x] + 1 for x, y in sample if y), default=0)
        high = min((place[x] for x, y in sample if not y), default=n)
        if low > high:
            return None
        cut = {"smallest": low, "largest": high, "any": rng.randint(low, high)}[ties]
        return lambda x: int(place[x] < cut)

    learner = UnknownOrder(at.OracleClass(find=find), range(n), seed=seed)
    low, high = 0, n
    for x in rng.sample(range(n), n):
        p = learner.predict_proba(x)
        y = int(place[x] < low) if not low <= place[x] < high else 1 - int(p)
        low, high = (max(low, place[x] + 1), high) if y else (low, min(high, place[x]))
        learner.learn(x, y)
    return int(learner.realised_loss), learner.queries.posed


if __name__ == "__main__":
    rows = []
    for n in (100, 1000, 4000):
        for ties in ("smallest", "largest", "any"):
            mistakes, calls = zip(*(played(n, ties, seed) for seed in range(ORDERS)), strict=True)
            rows.append([f"{n:,}", ties, f"{max(mistakes)}", f"{np.mean(calls):.0f}"])
    head = ["points", "the oracle returns the rule that is", "mistakes, at most", "calls, on average"]
    put("base-learners.md", "table of benchmarks/unknown_order.py", table(head, rows, "rlrr"))
