"""Going back with a kernel that is interpreted: to a snapshot, and over the rounds since then once more.

Compiled, a round is one call that nothing interrupts. Interpreted, it may be torn, and it cannot be undone: it writes
over what was there. So what is played is written down, with a snapshot now and then, and a kernel that was torn is made
anew from both: with the same bits, as a loaded one is.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from adeptree.core.types import FloatArray, IntArray
from adeptree.roles.kernel_engine import KernelEngine

SELDOM = 4096
"""Rounds from one snapshot to the next, at least."""


class Snapshot(NamedTuple):
    """Where an engine stood, and what it has played since: all that it takes to be there again."""

    state: dict[str, Any]
    sums: list[Any]
    log: list[tuple[str, float, tuple[Any, ...]]]


class Retrace:
    """What a learner holds beside such an engine.

    >>> from adeptree import Thresholds
    >>> from adeptree.families.line.thresholds_engine import ThresholdsEngine
    >>> from adeptree.theory.priors import KTPrior
    >>> engine, trace = ThresholdsEngine(Thresholds(16), KTPrior()), Retrace()
    >>> for x in [3, 12, 8]:
    ...     trace.begin(engine)
    ...     trace.note("learn", engine.rate, (x, 1))
    ...     engine.commit(x, 1)
    >>> engine.width, trace.again(engine).width  # it was interrupted in the third round, say
    (4, 3)
    """

    def __init__(self) -> None:
        self._kept: Snapshot | None = None
        self._before = self._played = 0  # entries of the log when the last call began; rounds in it
        self._rate = 0.0
        self._asked = 0
        self.torn = False
        """Whether the kernel was called since the last :meth:`begin`, and so may be torn."""

    def begin(self, engine: KernelEngine) -> None:
        """Say that the engine is about to be changed."""
        kept = self._kept
        if kept is None or self._played >= max(SELDOM, engine.width):
            state, sums = engine.state(), engine.kernel.ledger.copy()
            self._kept = kept = Snapshot(state, sums, [])
            self._played = 0
        self.torn = False
        self._before, self._rate, self._asked = len(kept.log), engine.rate, engine.queries.asked

    def note(self, name: str, rate: float, arguments: tuple[Any, ...]) -> None:
        """Write down a call of the kernel, before it is made."""
        self._played += 1
        self.torn = True
        self._kept.log.append((name, rate, arguments))  # type: ignore[union-attr]

    def note_many(self, rate: float, xs: Any, labels: IntArray, prices: FloatArray) -> None:
        """Write down the rounds of a batch, after they were played."""
        self._played += len(labels)
        points = xs.copy() if isinstance(xs, np.ndarray) else list(xs)  # a caller may use its array again
        self._kept.log.append(("run", rate, (points, labels.copy(), prices.copy())))  # type: ignore[union-attr]

    def again(self, engine: KernelEngine) -> KernelEngine:
        """Return the engine as it was before the last call began, made anew; may be called again."""
        kept: Any = self._kept
        fresh: KernelEngine = type(engine)(*engine.made_of())
        fresh.kernel.scale = math.inf  # no rate is due on the way: where it changed was written down
        fresh.kernel.ledger.back_to(kept.sums)
        fresh.restore(kept.state)
        for name, rate, arguments in kept.log[: self._before]:
            fresh.rate = rate
            if name == "run":
                xs, labels, prices = arguments
                fresh.batch(xs)
                fresh.kernel.run(labels, prices, np.empty(len(labels)), 0, len(labels))
            else:
                getattr(fresh.kernel, name)(*arguments)
        fresh.rate = self._rate
        fresh.queries.asked = self._asked
        del kept.log[self._before :]
        return fresh
