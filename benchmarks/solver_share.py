"""Measure the solver's share of a frontier's time:  python benchmarks/solver_share.py [name ...]

For every class that a solver decides: calls, processor seconds of all rounds, and the share of them that was spent
inside the solver (pysat, z3, HiGHS, or for short samples of points our simplex method on integers). The rest is Python:
choosing questions, labelling by the rules found, keeping the table of labels.
"""

from __future__ import annotations

import functools
import itertools
import pkgutil
import random
import sys
import time
from collections.abc import Callable
from typing import Any

from adeptree.oracles.oracle_class import OracleClass
from adeptree.oracles.oracle_frontier import OracleFrontier
from adeptree.solvers.lp import Halfspaces
from adeptree.solvers.sat import DecisionLists, DecisionTrees, Dfas, KTermDnf, SatClass
from adeptree.solvers.smt import SmtClass

Z3 = tuple(f"Z3_{name}" for name in ("solver_check_assumptions", "solver_get_model", "solver_assert", "optimize_check"))
INSIDE: dict[str, tuple[str, ...]] = {
    "pysat.solvers.Solver": ("solve", "solve_limited", "get_model", "get_core", "add_clause"),
    "z3": Z3,
    "z3.z3": Z3,
    "highspy.Highs": ("run",),
    "adeptree.solvers.lp.exact_simplex": ("separate",),
}
"""The solver's code: functions of a module, or methods of a class."""


class Clock:
    """Processor seconds inside the wrapped functions; nested calls are not counted twice."""

    def __init__(self) -> None:
        self.seconds, self.deep = 0.0, False

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def timed(*args: Any, **named: Any) -> Any:
            if self.deep:
                return function(*args, **named)
            self.deep, start = True, time.process_time()
            try:
                return function(*args, **named)
            finally:
                self.deep, self.seconds = False, self.seconds + time.process_time() - start

        return timed


def bits(n: int, count: int) -> list[Any]:
    return random.Random(0).sample(list(itertools.product((0, 1), repeat=n)), count)


def words(longest: int, count: int) -> list[Any]:
    listed = ["".join(w) for size in range(longest + 1) for w in itertools.product("ab", repeat=size)]
    return random.Random(0).sample(listed, count)


def points(count: int, dim: int, side: int) -> list[Any]:
    rng = random.Random(0)
    return [tuple(rng.randrange(side) for _ in range(dim)) for _ in range(count)]


def diamonds() -> SmtClass:
    """Points within an unknown L1 distance of an unknown centre."""
    import z3

    a, b, r = z3.Ints("a b r")
    bounds = [0 <= a, a < 30, 0 <= b, b < 30, 0 <= r, r < 60]
    return SmtClass(lambda x: z3.Abs(x[0] - a) + z3.Abs(x[1] - b) <= r, [a, b, r], bounds)


def boxes() -> SmtClass:
    """Age and weight between unknown bounds."""
    import z3

    a, b, c, d = z3.Ints("a b c d")
    bounds = [0 <= v for v in (a, b, c, d)] + [v <= 60 for v in (a, b, c, d)]
    return SmtClass(lambda x: z3.And(a <= x[0], x[0] <= b, c <= x[1], x[1] <= d), [a, b, c, d], bounds)


CASES: dict[str, tuple[Callable[[], OracleClass], list[Any]]] = {
    "2-term DNF, 6 bits": (lambda: SatClass(KTermDnf(6, 2)), bits(6, 17)),
    "decision lists, 3 rules, 6 bits": (lambda: SatClass(DecisionLists(6, 3)), bits(6, 22)),
    "decision trees, depth 2, 5 bits": (lambda: SatClass(DecisionTrees(5, 2)), bits(5, 28)),
    "DFAs, 3 states": (lambda: SatClass(Dfas(3, "ab"), solver="minisat22"), words(5, 40)),
    "DFAs, 4 states": (lambda: SatClass(Dfas(4, "ab"), solver="minisat22"), words(6, 12)),
    "L1 balls by z3": (diamonds, points(20, 2, 30)),
    "boxes by z3": (boxes, points(14, 2, 60)),
    "half-planes": (lambda: Halfspaces(2), points(40, 2, 10**6)),
    "half-planes, HiGHS": (lambda: Halfspaces(2, solver="highs"), points(30, 2, 10**6)),
    "half-spaces, 4 dimensions": (lambda: Halfspaces(4), points(13, 4, 10**6)),
}


def main(names: list[str]) -> None:
    clock = Clock()
    for place, names_inside in INSIDE.items():
        target = pkgutil.resolve_name(place)
        for name in names_inside:
            setattr(target, name, clock.around(getattr(target, name)))
    print("| class | T | paths | calls | CPU s | us per call | solver s | share of the solver |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for name, (make, xs) in CASES.items():
        if names and name not in names:
            continue
        concept_class = make()
        frontier, clock.seconds, start = OracleFrontier(concept_class), 0.0, time.process_time()
        for x in map(concept_class.instance, xs):
            frontier.grow(frontier.split(x).children)
        whole, calls = time.process_time() - start, frontier.queries.posed
        row = f"| {name} | {len(xs)} | {frontier.width:,} | {calls:,} | {whole:.2f} | {1e6 * whole / calls:.0f} |"
        print(f"{row} {clock.seconds:.2f} | {clock.seconds / whole:.0%} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
