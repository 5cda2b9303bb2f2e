"""When do sets of paths pay?  python benchmarks/strategies.py

For solver-backed classes and every strategy: calls, processor seconds in the solver and in the library, and from
these the cost of a call at which asking about sets ("cubes", "bits") takes as long as asking path by path. The table is
put into docs/evidence/oracle-calls.md.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable
from typing import Any

from evidence_page import put, table

from adeptree.oracles.oracle_class import OracleClass
from adeptree.oracles.oracle_frontier import OracleFrontier
from adeptree.solvers.lp import Halfspaces
from adeptree.solvers.sat import DecisionTrees, Dfas, KTermDnf, SatClass


def bits(n: int, count: int) -> list[Any]:
    return random.Random(0).sample(list(itertools.product((0, 1), repeat=n)), count)


def words(longest: int, count: int) -> list[Any]:
    listed = ["".join(w) for size in range(longest + 1) for w in itertools.product("ab", repeat=size)]
    return random.Random(0).sample(listed, count)


def plane(count: int, dim: int) -> list[Any]:
    rng = random.Random(0)
    return [tuple(rng.randrange(10**6) for _ in range(dim)) for _ in range(count)]


CASES: dict[str, tuple[Callable[[], OracleClass], list[Any]]] = {
    "half-planes": (lambda: Halfspaces(2), plane(40, 2)),
    "half-spaces, 4 dimensions": (lambda: Halfspaces(4), plane(14, 4)),
    "2-term DNF, 6 bits": (lambda: SatClass(KTermDnf(6, 2)), bits(6, 18)),
    "decision trees, depth 2, 5 bits": (lambda: SatClass(DecisionTrees(5, 2)), bits(5, 24)),
    "DFAs, 2 states": (lambda: SatClass(Dfas(2, "ab"), solver="minisat22"), words(6, 100)),
    "DFAs, 3 states": (lambda: SatClass(Dfas(3, "ab"), solver="minisat22"), words(5, 40)),
    "DFAs, 4 states": (lambda: SatClass(Dfas(4, "ab"), solver="minisat22"), words(6, 12)),
}


def played(concept_class: OracleClass, xs: list[Any], form: str, **options: Any) -> tuple[int, int, float, float]:
    """Return rows, calls, and processor seconds in the solver and outside it."""
    inside = 0.0

    def timed(sample: Any) -> Any:
        nonlocal inside
        start = time.process_time()
        answer = getattr(concept_class, form)(sample)
        inside += time.process_time() - start
        return answer

    asked: dict[str, Any] = {form: timed}
    frontier = OracleFrontier(OracleClass(**asked, **options))
    start = time.process_time()
    for x in xs:
        frontier.grow(frontier.split(x).children)
    return frontier.width, frontier.queries.posed, inside, time.process_time() - start - inside


def strategies() -> str:
    """Return the table."""
    rows = []
    for name, (make, xs) in CASES.items():
        for form, sets in (("find", "cubes"), ("realizable", "bits")):
            if form == "realizable" and len(xs) > 30:
                continue
            literal = played(make(), xs, form, strategy="literal")
            clever = played(make(), xs, form, strategy=sets)
            saved = literal[1] - clever[1]
            even = 1e6 * (clever[3] - literal[3]) / saved if saved else float("inf")
            for strategy, run in (("literal", literal), (sets, clever)):
                note = f"{max(0.0, even):.0f}" if strategy == sets else ""
                paths, calls, solver, library = run
                numbers = [f"{calls:,}", f"{solver:.2f}", f"{library:.2f}", note]
                rows.append([name, f"{len(xs)}", f"{paths:,}", f"{form}: {strategy}", *numbers])
    head = ["class", "T", "paths", "strategy", "calls", "solver s", "library s", "pays from (us a call)"]
    return table(head, rows, "lrrlrrrr")


if __name__ == "__main__":
    put("oracle-calls.md", "table of benchmarks/strategies.py", strategies())
