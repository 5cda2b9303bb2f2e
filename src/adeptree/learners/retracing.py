"""Going back with an engine that changes its arrays in place: to a snapshot, and over the rounds since then once more.

A round of these engines cannot be undone: passes write over what was there. So what is played is written down, with a
snapshot now and then, and an engine that was torn is made anew from both: with the same bits, as a loaded one is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from adeptree.core.types import Instance, IntArray
from adeptree.roles.engine import Engine, Limits

OFTEN, SELDOM = 512, 4096
"""Rounds from one snapshot to the next, at least: where a round costs much beside one, and where it does not."""


class Snapshot(NamedTuple):
    """Where an engine stood, and what it has played since: all that it takes to be there again."""

    state: dict[str, Any]
    rate: float
    rounds: int  # of the learner, at that time
    log: list[tuple[Any, Any, float]]  # a round (x, label, rate), or several of one rate: (xs, labels, rate)


class Retrace:
    """What a learner holds beside such an engine; the rounds meant here are the learner's.

    >>> from adeptree import Thresholds
    >>> from adeptree.families.line.line_engine import OrderedEngine
    >>> from adeptree.theory.priors import KTPrior
    >>> engine, trace = OrderedEngine(Thresholds(16), KTPrior()), Retrace()
    >>> for rounds, x in enumerate([3, 12, 8]):
    ...     trace.note(engine, rounds, x, 1)
    ...     engine.commit(x, 1)
    >>> engine.width, trace.touched(2), trace.again(engine, 2, 0.0).width  # it was interrupted in the third round, say
    (4, True, 3)
    """

    def __init__(self) -> None:
        self._due = 0  # from so many rounds on a snapshot is due before the engine is touched again
        self._noted = -1  # the rounds before the last one that was begun
        self._asked = 0
        self._kept: Any = None

    def __reduce__(self) -> Any:
        return Retrace, ()  # a copy of the learner begins with a snapshot of its own

    def begin(self, engine: Engine, rounds: int) -> None:
        """Say that the engine is about to be changed, after so many whole rounds."""
        if rounds >= self._due:
            state = engine.state()
            self._kept = Snapshot(state, engine.rate, rounds, [])
            self._due = rounds + due_after(engine, state)
        self._asked = engine.queries.asked
        self._noted = rounds

    def note(self, engine: Engine, rounds: int, x: Instance, label: int) -> None:
        """Begin a round, and write it down."""
        self.begin(engine, rounds)
        self._kept.log.append((x, label, engine.rate))

    def note_many(self, rate: float, xs: Any, labels: IntArray) -> None:
        """Write down the rounds that were begun and are played; not those after which a snapshot is due anyway."""
        if self._noted + len(labels) < self._due:
            played = xs.copy() if isinstance(xs, np.ndarray) else list(xs)  # a caller may use its array again
            self._kept.log.append((played, labels.copy(), rate))

    def touched(self, rounds: int) -> bool:
        """Return whether the engine may be beyond the learner, which stands at so many rounds."""
        return self._noted == rounds

    def again(self, engine: Any, rounds: int, rate: float) -> Engine:
        """Return the engine as it was after so many rounds, at this rate, made anew; may be called again."""
        kept: Snapshot = self._kept
        fresh: Engine = type(engine)(engine.concept_class, engine.prior)
        fresh.rate = kept.rate
        fresh.restore(kept.state)
        done, entries = kept.rounds, 0
        while done < rounds:
            done += _replay(fresh, *kept.log[entries])
            entries += 1
        fresh.rate, fresh.queries = rate, engine.queries
        fresh.queries.asked = self._asked
        del kept.log[entries:]
        return fresh

    def settled(self) -> None:
        """Say that the learner has taken the engine made anew."""
        self._noted = -1


def _replay(engine: Engine, x: Any, label: Any, rate: float) -> int:
    """Play what was written down, and return how many rounds that were."""
    engine.rate = rate
    if isinstance(label, np.ndarray):
        return engine.run(x, label, np.empty(len(label)), Limits())
    engine.odds(x)
    engine.commit(x, label)
    return 1


def due_after(engine: Engine, state: dict[str, Any]) -> int:
    """Return after how many rounds a snapshot costs little beside them; as many may have to be played again."""
    return max(SELDOM if engine.round_cost <= 1 else OFTEN, int(size_of(state) / engine.round_cost))


def size_of(state: Any) -> int:
    """Return how many numbers a state has.

    >>> size_of({"rounds": 3, "losses": np.zeros(5), "frontier": {"blocks": ["a", "b"]}})
    8
    """
    if isinstance(state, dict):
        return sum(map(size_of, state.values()))
    return state.size if isinstance(state, np.ndarray) else len(state) if isinstance(state, list) else 1
