"""Oracle calls of an OracleFrontier: python benchmarks/query_counts.py [witnesses] [bits] [quick]

For every class and order: the calls Algorithm 2 asks for, the calls made, their ratio, the ratio's lower bound
|V_T| / asked for oracles that return concepts (every row needs a call that finds it), the exponents of asked and
posed in T fitted over three horizons, and the time of the library a call (processor time without the oracle's).
The oracles are tables of all labellings, so the answers are exact.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

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


def line(name: str, build: Build, horizons: list[int], order: str, form: str) -> str:
    runs = [played(build(T), order, form) for T in horizons]
    asked = [frontier.queries.asked for frontier, _ in runs]
    posed = [frontier.queries.posed for frontier, _ in runs]
    frontier, seconds = runs[-1]
    numbers = f"{horizons[-1]} | {frontier.width:,} | {asked[-1]:,} | {posed[-1]:,} | {posed[-1] / asked[-1]:.4f}"
    bound = f"{frontier.width / asked[-1]:.4f}" if form == "find" else "-"
    fit = f"{slope(horizons, asked):.2f} | {slope(horizons, posed):.2f}"
    return f"| {name} | {order} | {numbers} | {bound} | {fit} | {1e6 * seconds / posed[-1]:.0f} |"


def main(arguments: list[str]) -> None:
    forms = [form for form, word in (("find", "witnesses"), ("realizable", "bits")) if word in arguments]
    for form in forms or ["find", "realizable"]:
        print(f"\n{'with witnesses' if form == 'find' else 'bits only'}\n")
        print("| class | order | T | rows | asked | posed | ratio | rows/asked | exp. asked | exp. posed | us/call |")
        print("|---|---|---|---|---|---|---|---|---|---|---|")
        for name, build, with_witnesses, with_bits in CLASSES:
            horizons = list(with_witnesses if form == "find" else with_bits)
            if "quick" in arguments:
                horizons = horizons[:2]
            for order in ("random", "sorted"):
                print(line(name, build, horizons, order, form), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
