"""The paths engine, compiled: the frontiers' rows in the frontiers' order, 1 to 2 ns per path and round."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import Concept, FloatArray, Instance, IntArray
from adeptree.learners.sweep.sweep_shapes import Columns, shape_of
from adeptree.learners.sweep.sweep_store import MISSING, SweepStore, load_kernels
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.engine import Engine, Leader, Limits
from adeptree.theory.mixture import SAFE_LOG, log_sum, probability_of_one
from adeptree.theory.priors import KTPrior, PaperPrior, Prior

_NOTHING = 690.0
"""e^-690 counts as 0 beside a path of least loss, whose prior mass is at least e^-SAFE_LOG of the largest."""


class SweepEngine(Engine):
    """Every active path, in columns of small ints that compiled passes change in place.

    For Thresholds, Intervals and BlockUnions with their natural base learners, which never exceed M: nothing
    is ever pruned. The passes read 13 bytes per path (21 for intervals; 8 more with the KT prior, its mass) and write
    a byte of scratch; 4 more, its contested rounds, lie still until it is cut. Files are those of the numpy engine.

    >>> from adeptree import Thresholds
    >>> engine = SweepEngine(Thresholds(16), PaperPrior(T=100, M=4))
    >>> engine.rate = 0.5
    >>> round(engine.probability(3), 6), engine.width
    (0.039579, 1)
    >>> engine.commit(3, 0)
    >>> engine.width, engine.best_loss, str(engine.best_rule())
    (2, 0, 'x >= 4')
    """

    kind = "sweep"
    round_cost = math.inf

    def __init__(self, concept_class: ConceptClass, prior: Prior) -> None:
        super().__init__()
        if not isinstance(prior, (PaperPrior, KTPrior)):
            raise InvalidArgument(f'the compiled paths engine knows the priors "paper" and "kt"; {got("prior", prior)}')
        self.concept_class, self.prior = concept_class, prior
        self.shape = shape_of(concept_class)
        self.store = SweepStore(self.shape, masses=isinstance(prior, KTPrior))
        self._head = self.store.head
        self._gauge = np.zeros(2)
        self._here: Columns = np.zeros(1, dtype=self.shape.dtype)
        self._sums = np.zeros(16 * (self.shape.dimension + 1))
        self._capacities = np.zeros(prior.M + 1 if isinstance(prior, PaperPrior) else 1)
        self._reach = 0
        """Rounds that the tables are long enough for."""
        self._looked: int | None = None
        self._p: float | None = None
        self._prepare(rounds=1)

    @staticmethod
    def available() -> tuple[bool, str]:
        """Return whether the engine can be built here, and if not, why (nothing is imported to find out)."""
        return (True, "") if find_spec("numba") else (False, MISSING)

    # --- One round -------------------------------------------------------------------------------------

    def probability(self, x: Instance) -> float:
        """Return the share that says 1 at x; a repeated question costs nothing."""
        point = self.shape.point(x)
        if self._looked != point:
            self._look(point)
        elif self._p is None:
            self._p = self._weigh()
        return self._p  # type: ignore[return-value]

    def commit(self, x: Instance, label: int) -> None:
        """Append the children and charge every path."""
        point = self.shape.point(x)
        if self._looked != point:
            self._look(point)
        k, head = load_kernels(), self._head
        self._prepare(rounds=1)
        k.commit(
            self.shape.code, self.store.rows, head, self._gauge, self.store.seen, self._weights, self._here[0], label
        )
        self.shape.remember([x])
        self.discard()

    def discard(self) -> None:
        """Forget the look; the rows were not changed by it."""
        self._looked = self._p = None
        self._head[load_kernels().SPLITS] = 0

    def _look(self, point: int) -> None:
        store, k = self.store, load_kernels()
        self._here[0] = point
        if self._in_range():
            self._p = k.ask(self.shape.code, store.rows, self._head, store.seen, self._weights, self._here[0])
        else:
            k.look(self.shape.code, store.rows, self._head, store.seen, self._here[0])
            self._p = self._weigh_in_logs()
        self.queries.asked += 2 * self.width
        self._looked = point

    def _weigh(self) -> float:
        """Weigh again what was looked at, at a new rate."""
        if self._in_range():
            return float(load_kernels().weigh(self.store.rows, self._head, self._weights))
        return self._weigh_in_logs()

    def _in_range(self) -> bool:
        """Do the prior masses of all paths fit into doubles together?"""
        if isinstance(self.prior, PaperPrior):
            return self.prior.log_total < SAFE_LOG
        return bool(self._gauge[load_kernels().LOWEST] > -SAFE_LOG)

    def _weigh_in_logs(self) -> float:
        """Weigh every child in log space: slower, and right whatever the masses are."""
        k, store = load_kernels(), self.store
        codes = store.rows.codes[: self.width]
        both, guess = codes >= k.BOTH, codes == k.BOTH_BUT_ONE
        twins = np.flatnonzero(both)
        parent = np.concatenate([np.arange(self.width), twins])
        label = np.concatenate([codes == k.ONE, np.ones(len(twins), dtype=np.bool_)])
        mistakes = store.mistakes[parent] + (both[parent] & (label != guess[parent]))
        log_mass = self.prior.log_mass(self.rounds + 1, mistakes, store.contested[parent] + both[parent])
        behind = store.losses[parent] - self.best_loss
        return probability_of_one(log_mass - self.rate * behind, label)

    # --- Batches ---------------------------------------------------------------------------------------

    def run(self, xs: Sequence[Instance], labels: IntArray, probabilities: FloatArray, limits: Limits) -> int:
        """Play rounds without a Python call each, as far as the masses fit into doubles."""
        if not self._in_range():
            return super().run(xs, labels, probabilities, limits)
        k, head, gauge, points = load_kernels(), self._head, self._gauge, self.shape.points(xs)
        labels = np.ascontiguousarray(labels, dtype=np.int64)
        lowest = -SAFE_LOG if isinstance(self.prior, KTPrior) else -math.inf
        # What was looked at is not asked again.
        head[k.ASKED] = -2 * self.width if len(points) and points[0] == self._looked else 0
        self.discard()
        gauge[k.GAP], done, stopped = 0.0, 0, False
        while done < len(points) and not stopped and self._in_range():
            # (After the first time: room for the children that did not fit.)
            self._prepare(rounds=len(points) - done)
            played = k.run(
                self.shape.code, self.store.rows, head, gauge, self.store.seen, self._weights, points[done:],
                labels[done:], probabilities[done:], self.rate, float(limits.best_loss), float(limits.gap), lowest,
            )  # fmt: skip
            done += played
            stopped = played > 0 and bool(head[k.BEST] >= limits.best_loss or gauge[k.GAP] >= limits.gap)
        self.queries.asked += int(head[k.ASKED])
        self.shape.remember(xs[:done])
        self.discard()
        if stopped or done == len(points):
            return done
        rest = Limits(limits.best_loss, limits.gap - float(gauge[k.GAP]))
        return done + super().run(xs[done:], labels[done:], probabilities[done:], rest)

    # --- Account ---------------------------------------------------------------------------------------

    @property
    def width(self) -> int:
        """Number of rows."""
        return self.store.width

    @property
    def rounds(self) -> int:
        """Rounds committed."""
        return self.store.rounds

    @property
    def best_loss(self) -> int:
        """L*, found when the losses were added."""
        return int(self._head[load_kernels().BEST])

    @property
    def nbytes(self) -> int:
        """Bytes held: columns with their room to grow, and tables."""
        return self.store.nbytes + sum(array.nbytes for array in (self._sums, self._capacities, self._table))

    def leader(self) -> Leader:
        """Return the path of least loss with the largest mass among those."""
        best = np.flatnonzero(self.store.losses == self.best_loss)
        mistakes, contested = self.store.mistakes[best], self.store.contested[best]
        log_prior = self.prior.log_mass(self.rounds, mistakes, contested) - self.prior.log_total
        i = int(log_prior.argmax())
        return Leader(self.best_loss, int(mistakes[i]), int(contested[i]), float(log_prior[i]))

    def log_potential(self) -> float:
        """Return ln of the sum of all weights, by a scan in log space."""
        log_mass = self.prior.log_mass(self.rounds, self.store.mistakes, self.store.contested)
        return log_sum(log_mass - self.rate * (self.store.losses - self.best_loss)) - self.prior.log_total

    def best_rule(self) -> Concept:
        """Return a concept of the first path of least loss."""
        return self.shape.concept(self.store.rows.columns, int(self.store.losses.argmin()))

    # --- Saving ----------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return what the numpy engine would: either can go on where the other stopped."""
        return self.store.state()

    def restore(self, state: dict[str, Any]) -> None:
        """Take over rows, the numpy engine's too: nobody needs to wait for a compiler before it pays."""
        self.store.restore(state)
        if isinstance(self.prior, KTPrior):
            log_mass = self.prior.log_mass(self.rounds, self.store.mistakes, self.store.contested)
            self._gauge[load_kernels().LOWEST] = log_mass.min()
            # (One by one: numpy's exp may differ from that of the passes in the last bit.)
            self.store.rows.masses[: self.width] = [math.exp(log) for log in log_mass.tolist()]
        self.discard()
        self._prepare(rounds=1)

    # --- Tables ----------------------------------------------------------------------------------------

    def _prepare(self, rounds: int) -> None:
        """See to it that the children of the last look fit, and that the tables reach so many rounds further."""
        k, head = load_kernels(), self._head
        self.store.make_room(int(head[k.WIDTH] + head[k.SPLITS]), rounds)
        if head[k.ROUNDS] + rounds > self._reach:
            self._reach = 2 * (self.rounds + rounds) + 1024
            self._rate_changed()

    def _rate_changed(self) -> None:
        # (Only the weights: what was looked at stays right.)
        self._p = None
        self._table = decay(self.rate, self._reach)
        half = factorial = self._capacities
        if isinstance(self.prior, KTPrior):
            half, factorial = self.prior.tables(self._reach + 1)
        horizon = self.prior.T if isinstance(self.prior, PaperPrior) else -1
        self._weights = load_kernels().Weights(self._table, self._sums, self._capacities, half, factorial, horizon)


def decay(rate: float, reach: int) -> FloatArray:
    """Return e^(-rate d) for d = 0, 1, ..., up to ``reach`` or until it is nothing beside 1 (then 0 comes last).

    An outer product of two short tables: a rate that changes in every round would spend its time on exponentials.

    >>> decay(0.5, 3).round(6).tolist(), len(decay(0.5, 10**9)), float(decay(0.5, 10**9)[-1])
    ([1.0, 0.606531, 0.367879, 0.22313], 1383, 0.0)
    """
    if rate == 0.0:
        return np.ones(1)
    last = min(reach, int(_NOTHING / rate) + 1)
    near = np.exp(-rate * np.arange(min(256, last + 1)))
    far = np.exp(-rate * 256 * np.arange(last // 256 + 1))
    table: FloatArray = np.multiply.outer(far, near).ravel()[: last + 1]
    return np.concatenate([table, [0.0]]) if last < reach else table
