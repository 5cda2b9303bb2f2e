"""Oracles that can be sent to other processes, and one whose process is killed in the middle of the work."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Sample = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class AtLeast:
    bound: int

    def __call__(self, x: int) -> int:
        return int(x >= self.bound)


def thresholds(sample: Sample) -> AtLeast | None:
    bound = 1 + max((x for x, y in sample if not y), default=-1)
    return AtLeast(bound) if all(x >= bound for x, y in sample if y) else None


def threshold_bits(sample: Sample) -> bool:
    return thresholds(sample) is not None


def broken(sample: Sample) -> AtLeast | None:
    if any(x == 7 for x, _ in sample):
        raise ZeroDivisionError("no such luck")
    return thresholds(sample)


def unsendable(sample: Sample) -> Any:
    return lambda x: 0


def denying(sample: Sample) -> bool:
    """Contradicts itself: denies both labels of 7 to everybody."""
    return threshold_bits(sample) and all(x != 7 for x, _ in sample)


@dataclass
class KilledAt:
    """Answers like ``oracle``, but the process that is first asked about x is killed (once: there is a marker)."""

    oracle: Any
    x: int
    marker: str

    def __call__(self, sample: Sample) -> Any:
        if sample and sample[-1][0] == self.x:
            try:
                Path(self.marker).touch(exist_ok=False)
            except FileExistsError:
                return self.oracle(sample)
            os.kill(os.getpid(), signal.SIGKILL)
        return self.oracle(sample)


def quadrants() -> Any:
    import z3

    from adeptree.solvers.smt import SmtClass

    a, b = z3.Ints("a b")
    bounds = [0 <= a, a <= 20, 0 <= b, b <= 20]
    return SmtClass(lambda x: z3.And(x[0] >= a, x[1] < b), [a, b], bounds, text="x >= {a} and y < {b}")
