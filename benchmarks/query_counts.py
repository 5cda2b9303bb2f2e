"""Oracle calls of an OracleFrontier: python benchmarks/query_counts.py [witnesses] [bits] [batches]

For every class and order: the calls Algorithm 2 asks for, the calls made, their ratio, the ratio's lower bound
|V_T| / asked for oracles that return concepts (every row needs a call that finds it), the exponents of asked and
posed in T fitted over three horizons, and the time of the library a call (processor time without the oracle's).
The oracles are tables of all labellings, so the answers are exact. "batches": calls and round trips if several
questions go out together. The tables are put into docs/evidence/oracle-calls.md.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from evidence_page import put, table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))

import dichotomies as di

from adeptree.oracles.oracle_class import OracleClass
from adeptree.oracles.oracle_frontier import OracleFrontier

Build = Callable[[int], Any]

CLASSES: list[tuple[str, Build, tuple[int, int, int], tuple[int, int, int]]] = [
    # class, table of all labellings, horizons with witnesses, horizons with bits only
    ("thresholds", di.thresholds, (250, 500, 1000), (75, 150, 300)),
    ("intervals", di.intervals, (20, 40, 80), (20, 40, 80)),
    ("stumps, 5 features", di.stumps, (50, 100, 200), (25, 50, 100)),
    ("half-planes", di.half_planes, (25, 50, 75), (12, 25, 50)),
    ("boxes in the plane", lambda T: di.boxes(T, seed=23), (13, 18, 26), (10, 14, 20)),
    ("monotone conjunctions", lambda T: di.conjunctions(T.bit_length() - 1), (64, 128, 256), (32, 64, 128)),
    ("parities", lambda T: di.parities(T.bit_length() - 1), (64, 128, 256), (16, 32, 64)),
    ("singletons", di.singletons, (50, 100, 200), (25, 50, 100)),
    ("unions of 2 blocks", di.pairs, (10, 20, 40), (10, 15, 20)),
]


def played(table: Any, order: str, form: str) -> tuple[OracleFrontier, float]:
    """Return the frontier after all points, and the processor time spent outside the oracle."""
    oracle = di.TableOracle(table)
    inside = 0.0

    def timed(sample: Any) -> Any:
        nonlocal inside
        start = time.process_time()
        answer = getattr(oracle, form)(sample)
        inside += time.process_time() - start
        return answer

    asked: dict[str, Any] = {form: timed}
    frontier = OracleFrontier(OracleClass(**asked))
    start = time.process_time()
    for x in di.ordered(table.shape[1], order):
        frontier.grow(frontier.split(x).children)
    return frontier, time.process_time() - start - inside


def slope(horizons: list[int], counts: list[int]) -> float:
    return float(np.polyfit(np.log(horizons), np.log(counts), 1)[0])


def line(name: str, build: Build, horizons: list[int], order: str, form: str) -> list[str]:
    runs = [played(build(T), order, form) for T in horizons]
    asked = [frontier.queries.asked for frontier, _ in runs]
    posed = [frontier.queries.posed for frontier, _ in runs]
    frontier, seconds = runs[-1]
    counts = [f"{horizons[-1]}", f"{frontier.width:,}", f"{asked[-1]:,}", f"{posed[-1]:,}"]
    bound = f"{frontier.width / asked[-1]:.4f}" if form == "find" else "-"
    fit = [f"{slope(horizons, asked):.2f}", f"{slope(horizons, posed):.2f}"]
    return [name, order, *counts, f"{posed[-1] / asked[-1]:.4f}", bound, *fit, f"{1e6 * seconds / posed[-1]:.0f}"]


def calls(form: str) -> str:
    """Return the table of the calls of an oracle that returns rules, or bits only."""
    head = ["class", "order", "T", "rows", "asked", "posed", "ratio", "rows/asked"]
    head += ["exp. asked", "exp. posed", "us/call"]
    rows = []
    for name, build, with_witnesses, with_bits in CLASSES:
        for order in ("random", "sorted"):
            rows.append(line(name, build, list(with_witnesses if form == "find" else with_bits), order, form))
    return table(head, rows, "ll" + 9 * "r")


BATCHED = {"intervals": 60, "half-planes": 40, "boxes in the plane": 20, "stumps, 5 features": 80}
BATCHED |= {"monotone conjunctions": 128, "thresholds": 300}


def batches() -> str:
    """Return the table of calls and round trips in random order."""
    rows = []
    for name, T in BATCHED.items():
        ((build, *_),) = [case[1:] for case in CLASSES if case[0] == name]
        cells = []
        for size in (1, 16, 64):
            oracle, trips = di.TableOracle(build(T)), 0

            def together(samples: Any, oracle: Any = oracle) -> list[Any]:
                nonlocal trips
                trips += 1
                return [oracle.find(sample) for sample in samples]

            frontier = OracleFrontier(OracleClass(find_many=together, batch=size))
            for x in di.ordered(oracle.table.shape[1], "random"):
                frontier.grow(frontier.split(x).children)
            posed = frontier.queries.posed
            cells.append(f"{posed:,}" if size == 1 else f"{posed:,} / {trips:,}")
        rows.append([name, f"{T}", *cells])
    return table(["class", "T", "one at a time", "batch=16", "batch=64"], rows, "lrrrr")


TABLES = {"witnesses": lambda: calls("find"), "bits": lambda: calls("realizable"), "batches": batches}


def main(arguments: list[str]) -> None:
    for name in arguments or TABLES:
        put("oracle-calls.md", f"{name} of benchmarks/query_counts.py", TABLES[name]())


if __name__ == "__main__":
    main(sys.argv[1:])
