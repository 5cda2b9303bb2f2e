"""How near the compiled sweep comes to the memory's limit: the passes, beside loops that only move the same bytes."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numba
import numpy as np

import adeptree as at
from adeptree.learners.sweep.sweep_engine import SweepEngine
from adeptree.theory.priors import KTPrior, PaperPrior, Prior

_u64 = np.uint64
BYTES = 24
"""Moved per path and round: look reads 8 and writes 1, weigh reads 6, commit reads 5 and writes 4."""


@numba.njit(cache=True)
def move(low: Any, high: Any, k: Any, losses: Any, codes: Any, label: int) -> int:
    """Read and write what a round reads and writes, with next to no arithmetic."""
    size, total = _u64(len(low)), 0
    for start in range(_u64(0), size, _u64(512)):
        for i in range(start, min(size, start + _u64(512))):
            codes[i] = low[i] <= high[i]
    for start in range(_u64(0), size, _u64(512)):
        for i in range(start, min(size, start + _u64(512))):
            total += codes[i] + k[i] + losses[i]
    for start in range(_u64(0), size, _u64(512)):
        for i in range(start, min(size, start + _u64(512))):
            losses[i] += codes[i] & label
    return total


def wide_engine(width: int, prior: Prior) -> SweepEngine:
    """An engine with that many paths in random order, each a cell of four thresholds."""
    rng = np.random.default_rng(0)
    c = at.Thresholds(4 * width - 1)
    engine = SweepEngine(c, prior)
    low = 4 * rng.permutation(width)
    state = engine.state() | {
        "mistakes": rng.integers(0, 17, width),
        "contested": np.full(width, 20),
        "losses": rng.integers(20_000, 21_000, width),
        "frontier": {"low": low, "high": low + 3},
        "rounds": 30_000,
    }
    engine.restore(state)
    engine.rate = 0.03
    return engine


def best(call: Callable[[], Any], seconds: float = 0.4) -> float:
    """Return the least processor time of a call, repeated for a while."""
    call()
    least, begun = float("inf"), time.process_time()
    while time.process_time() - begun < seconds:
        start = time.process_time()
        for _ in range(3):
            call()
        least = min(least, (time.process_time() - start) / 3)
    return least


def shares(widths: list[int]) -> list[dict[str, float]]:
    """Return, for each width, ns per path of a round at a point seen before, and of moving its bytes."""
    found = []
    for width in widths:
        line: dict[str, float] = {"width": width}
        for name, prior in (("paper", PaperPrior(10**6, 32)), ("kt", KTPrior())):
            engine = wide_engine(width, prior)
            x = 4 * (width // 3) - 1  # between two cells: every path is forced
            engine.probability(x)

            def round_of(engine: SweepEngine = engine, x: int = x) -> None:
                engine.probability(x)
                engine.commit(x, 1)

            line[name] = 1e9 * best(round_of) / width
            if name == "paper":
                rows = engine.store.rows
                low, high = rows.columns[0, :width].copy(), rows.columns[1, :width].copy()
                columns = (low, high, rows.mistakes[:width], rows.losses[:width].copy(), rows.codes[:width].copy())
                line["bound"] = 1e9 * best(partial(move, *columns, 1)) / width
        line["gigabytes"] = BYTES / line["bound"]
        line["share"] = line["bound"] / line["paper"]
        found.append(line)
    return found
