"""One process, two processes, threads for a remote oracle:  python benchmarks/many_workers.py [seams] [name ...]

Wall seconds of a whole frontier; processor seconds in this process and in the workers (their start included); and how
much of two processors two busy processes got just before: on a busy machine they cannot be twice as fast as one.

"seams" measures from which cost of a call on two workers pay in the default strategy, for threads, processes and Dask:
seconds of a frontier whose oracle waits that long (so that it needs no second processor), without and with workers.
"""

from __future__ import annotations

import itertools
import math
import multiprocessing
import random
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, cast

from adeptree.oracles.oracle_class import OracleClass
from adeptree.oracles.oracle_frontier import OracleFrontier
from adeptree.solvers.sat import Dfas, SatClass

LATENCY = 0.02
_rng = random.Random(0)
WORDS = ["".join(w) for size in range(7) for w in itertools.product("ab", repeat=size)]
NUMBERS = [_rng.randrange(1000) for _ in range(16)]
POINTS = random.Random(3).sample(range(10**6), 60)


def remote(sample: Any) -> Any:
    """Intervals, a network away."""
    time.sleep(LATENCY)
    ones = [x for x, y in sample if y]
    low, high = min(ones, default=0), max(ones, default=-1)
    return None if any(low <= x <= high for x, y in sample if not y) else lambda x: int(low <= x <= high)


CASES: dict[str, tuple[Callable[..., OracleClass], list[Any], list[dict[str, Any]]]] = {
    "DFAs of 4 states, 13 words": (
        lambda **options: SatClass(Dfas(4, "ab"), solver="minisat22", **options),
        random.Random(0).sample(WORDS, 13),
        [{"strategy": "literal"}],
    ),
    "a remote oracle, 20 ms per call": (
        lambda **options: OracleClass(find=remote, **options),
        NUMBERS,
        [{}, {"strategy": "literal"}],
    ),
}


def played(concept_class: OracleClass, xs: list[Any]) -> tuple[int, int, float]:
    frontier = OracleFrontier(concept_class)
    start = time.perf_counter()
    for x in xs:
        frontier.grow(frontier.split(x).children)
    return frontier.width, frontier.queries.posed, time.perf_counter() - start


def share() -> float:
    """Return how much of two processors two busy processes get just now."""
    with _two() as executor:
        list(executor.map(_busy, [0.01, 0.01]))
        return sum(executor.map(_busy, [1.0, 1.0]))


def _busy(seconds: float) -> float:
    cpu, end = time.process_time(), time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
    return (time.process_time() - cpu) / seconds


class Waiting:
    """Intervals, from an oracle that takes some time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __call__(self, sample: Any) -> Between | None:
        time.sleep(self.seconds)
        ones = [x for x, y in sample if y]
        rule = Between(min(ones, default=0), max(ones, default=-1))
        return None if any(rule(x) for x, y in sample if not y) else rule


@dataclass(frozen=True)
class Between:
    """A rule that can be sent."""

    low: int
    high: int

    def __call__(self, x: int) -> int:
        return int(self.low <= x <= self.high)


class Cut(Waiting):
    """Thresholds in an order that only the oracle knows, from an oracle that takes some time."""

    def __call__(self, sample: Any) -> Between | None:
        time.sleep(self.seconds)
        low = max((x for x, y in sample if not y), default=-1)
        return None if any(x <= low for x, y in sample if y) else Between(low + 1, 1 << 60)


COSTS = {"2 threads": (0.2, 0.5, 1, 2, 5), "2 processes": (1, 2, 4, 6, 10), "2 of Dask": (10, 25, 50, 100)}
"""Milliseconds of a call."""
RULES: dict[str, tuple[type[Waiting], list[int]]] = {"thresholds": (Cut, POINTS), "intervals": (Waiting, NUMBERS[:12])}


def asked(find: Waiting, executor: Executor | None) -> OracleClass:
    """Return the class in the default strategy, whose workers are used whatever a call takes."""
    made = OracleClass(find=find, executor=executor, call_cost=1)
    made.call_cost = find.seconds
    if executor is not None:
        workers: Any = made.oracle.oracle
        workers.call_cost = find.seconds
    return made


def seams() -> None:
    kinds: dict[str, Callable[[], Executor]] = {"2 threads": lambda: ThreadPoolExecutor(2), "2 processes": _two}
    kinds["2 of Dask"] = _dask
    print("| workers | way, ms | rules | ms per call | calls | s without | s with workers | gain |")
    print("|---|--:|---|--:|--:|--:|--:|--:|")
    for kind, pool in kinds.items():
        with pool() as executor:
            list(executor.map(_busy, [0.01] * 4))  # started
            sends, start = 200, time.perf_counter()
            for _ in range(sends):
                executor.submit(pow, 2, 2).result()
            way = 1e3 * (time.perf_counter() - start) / sends
            for (rules, (kind_of, xs)), cost in itertools.product(RULES.items(), COSTS[kind]):
                find, best = kind_of(cost / 1e3), [math.inf, math.inf]
                for _ in range(2):  # in turns, best of two
                    runs = [played(asked(find, one), xs) for one in (None, executor)]
                    best = [min(was, run[2]) for was, run in zip(best, runs, strict=True)]
                row = f"| {kind} | {way:.2f} | {rules} | {cost:g} | {runs[1][1]} | {best[0]:.2f} | {best[1]:.2f}"
                print(f"{row} | {best[0] / best[1]:.2f} |", flush=True)


def main(names: list[str]) -> None:
    if names == ["seams"]:
        return seams()
    print("| class | paths | strategy | workers | calls | wall s | CPU s here | CPU s in workers | free |")
    print("|---|--:|---|---|--:|--:|--:|--:|--:|")
    for name, (make, xs, ways) in CASES.items():
        if names and name not in names:
            continue
        for way in ways:
            kinds: list[tuple[str, Callable[[], Executor] | None]] = [("none", None)]
            threads = lambda: ThreadPoolExecutor(16)  # noqa: E731
            pools = [("16 threads", threads)] if name.startswith("a remote") else [("2 processes", _two)]
            for kind, pool in [*kinds, *pools]:
                free = share()
                executor = None if pool is None else pool()
                if executor is not None:
                    list(executor.map(_busy, [0.01] * 4))  # started
                here, there = time.process_time(), _of_children()
                width, calls, wall = played(make(executor=executor, **way), xs)
                here = time.process_time() - here
                if executor is not None:
                    executor.shutdown()
                there = _of_children() - there
                row = f"| {name} | {width:,} | {way.get('strategy', 'auto')} | {kind} | {calls:,} | {wall:.1f} |"
                print(f"{row} {here:.1f} | {there:.1f} | {free:.1f} |", flush=True)


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _two() -> Executor:
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


def _dask() -> Executor:
    from distributed import Client

    client: Any = Client(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)
    return cast(Executor, client.get_executor(pure=False))


if __name__ == "__main__":
    main(sys.argv[1:])
