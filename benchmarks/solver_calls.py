"""Measure the cost of a SAT solver's call: python benchmarks/solver_calls.py   (writes docs/evidence/solvers.md)

For every encoding and solver: processor time of ``find`` on samples of 2 to 39 of 40 random instances. The labels are
those of a rule that fits five random labels; in every second sample the last label is flipped.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from evidence_page import put, table

from adeptree.solvers.sat import DecisionLists, DecisionTrees, Dfas, KTermDnf, SatClass

WORDS = ["".join(word) for size in range(9) for word in itertools.product("ab", repeat=size)]
CASES: dict[str, tuple[Callable[[], Any], Callable[[random.Random], Any]]] = {
    "`KTermDnf(8, 2)`": (lambda: KTermDnf(8, 2), lambda rng: bits(rng, 8)),
    "`KTermDnf(16, 2)`": (lambda: KTermDnf(16, 2), lambda rng: bits(rng, 16)),
    "`DecisionLists(8, 3)`": (lambda: DecisionLists(8, 3), lambda rng: bits(rng, 8)),
    "`DecisionTrees(8, 2)`": (lambda: DecisionTrees(8, 2), lambda rng: bits(rng, 8)),
    "`DecisionTrees(8, 3)`": (lambda: DecisionTrees(8, 3), lambda rng: bits(rng, 8)),
    '`Dfas(3, "ab")`, words of at most 8 letters': (lambda: Dfas(3, "ab"), lambda rng: rng.choice(WORDS)),
    '`Dfas(5, "ab")`, words of at most 8 letters': (lambda: Dfas(5, "ab"), lambda rng: rng.choice(WORDS)),
}
SOLVERS = ("glucose4", "minisat22")
CALLS = 200


def bits(rng: random.Random, n: int) -> tuple[int, ...]:
    return tuple(rng.randrange(2) for _ in range(n))


def microseconds(encoding: Any, drawn: Callable[[random.Random], Any], solver: str) -> tuple[float, float]:
    """Return the mean and the 99th percentile."""
    rng, c = random.Random(0), SatClass(encoding, solver=solver)
    instances = list({drawn(rng): None for _ in range(60)})[:40]
    times = []
    for call in range(CALLS):
        while (rule := c.find([(x, rng.randrange(2)) for x in rng.sample(instances, 5)])) is None:
            pass
        sample = [(x, int(rule(x))) for x in rng.sample(instances, rng.randint(2, 39))]
        if call % 2:
            sample[-1] = sample[-1][0], 1 - sample[-1][1]
        start = time.process_time()
        c.find(sample)
        times.append(1e6 * (time.process_time() - start))
    return float(np.mean(times)), float(np.percentile(times, 99))


if __name__ == "__main__":
    rows = []
    for name, (made, drawn) in CASES.items():
        found = [microseconds(made(), drawn, solver) for solver in SOLVERS]
        rows.append([name, *(f"{mean:,.0f} / {most:,.0f}" for mean, most in found)])
    put("solvers.md", "table of benchmarks/solver_calls.py", table(["encoding", *SOLVERS], rows, "lrr"))
