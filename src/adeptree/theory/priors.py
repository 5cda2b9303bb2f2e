"""Priors: the mass of a path before its losses count, and the price of a path.

A prior is a *flow*: the surviving children of a path share at most the mass of the path. The regret proof needs no more
(``docs/theory/anytime.md``), so the certificate holds for every prior here. Every tuned rate and every guarantee takes
K_t, the largest price of a path, from ``price``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache, reduce
from typing import ClassVar

import numpy as np

from adeptree.core.types import FloatArray, IntArray
from adeptree.theory import bounds
from adeptree.theory.mixture import log_capacities


class Prior(ABC):
    """A prior over paths: ln of their mass, from the round, the base learner's mistakes and the concepts' share."""

    name: ClassVar[str]
    log_total: float
    """ln of the mass before the first round."""
    settled: ClassVar[bool] = True
    """True if a path's mass changes only in contested rounds and no mass is lost."""
    parts: Sequence[tuple[float, float]] = ()
    """Share and b of each part except the counts, for a conserving prior; KT comes first."""
    counts: float = 0.0
    """The share of the mass that is distributed by counting concepts."""
    unknown: str = "the number of rules is not known, so that one of them may cost any price"
    """Reason why :meth:`price` is None if no base learner runs."""
    floor: float = 0.25
    """x of ``docs/theory/anytime.md``: the least share of the price that the adaptive rate assumes."""

    @abstractmethod
    def log_mass(
        self, t: int, mistakes: IntArray, contested: IntArray, log_share: FloatArray | None = None
    ) -> FloatArray:
        """Return ln of each path's mass after t rounds, ``mistakes`` of them wrong, among ``contested``.

        ``log_share`` is ln of the share of all concepts that follow the path, if they can be counted.
        """

    @abstractmethod
    def price(self, t: int) -> float | None:
        """Return K_t: after t rounds no path has less than e^-K_t of the total mass; None if not known.

        It does not fall with t, and K_t / t does not rise.
        """

    def further(self, t: int, scale: float) -> float:
        """Return the term that parts with separate rates add to the guarantee of the learner's rate."""
        return 0.0


class PaperPrior(Prior):
    """W_t(u) = sum_{j <= M - k(u)} C(T - t, j): the number of mistake schedules still open to the path.

    >>> PaperPrior(T=4, M=1).log_mass(1, np.array([0, 1]), np.array([1, 1])).round(6).tolist()
    [1.386294, 0.0]
    """

    name = "paper"
    settled = False

    def __init__(self, T: int, M: int) -> None:
        self.T, self.M = T, min(M, T)
        self.log_total = float(log_capacities(T, self.M)[-1])

    def log_mass(
        self, t: int, mistakes: IntArray, contested: IntArray, log_share: FloatArray | None = None
    ) -> FloatArray:
        """Return ln W_t. (T - t is clamped because LazyAdept continues to predict after its last commit.)"""
        return log_capacities(max(0, self.T - t), self.M)[self.M - mistakes]

    def price(self, t: int) -> float | None:
        """Return ln N up to the horizon, None beyond it."""
        return self.log_total if t <= self.T else None


class BetaTables:
    """ln B(k + 1/2, n - k + b) / B(1/2, b), from tables of sums of logarithms.

    Each contested round gives the child that contradicts the base learner (k + 1/2)/(n + 1/2 + b) of the mass.

    >>> np.exp(BetaTables(0.5).log_mass(np.array([0, 1, 1, 2]), np.array([2, 2, 2, 2]))).round(6).tolist()
    [0.375, 0.125, 0.125, 0.375]
    """

    def __init__(self, b: float) -> None:
        self.b = b
        self._grow(64)

    def _grow(self, size: int) -> None:
        # Summed in long doubles, because a million rounded logarithms would lose six digits.
        i = np.arange(size, dtype=np.longdouble)
        self._tables = [
            np.concatenate([[0.0], np.cumsum(np.log(i + first))]).astype(np.float64)
            for first in (0.5, self.b, 0.5 + self.b)
        ]

    def log_mass(self, mistakes: IntArray, contested: IntArray) -> FloatArray:
        """Return ln of the mass of paths with these mistakes and contested rounds."""
        most = int(contested.max(initial=0))
        if most >= len(self._tables[0]):
            self._grow(2 * most)
        wrong, right, every = self._tables  # one read, because another thread may replace them by longer ones
        mass: FloatArray = wrong[mistakes] + right[contested - mistakes] - every[contested]
        return mass


beta_tables = cache(BetaTables)
"""The tables of each b, shared by all learners."""


class BetaPrior(Prior):
    """A mixture of parts: beta priors over the base learner's mistakes, and the paths' shares of the concepts.

    A mixture of flows that conserve mass conserves mass, and each part alone bounds the price.
    """

    log_total = 0.0
    log_size: float | None = None

    def __init__(self, M: int | None, parts: Sequence[tuple[float, float]]) -> None:
        self.M = M
        self.parts = [(share, b) for share, b in parts if share]
        self.betas = [(math.log(share), beta_tables(b)) for share, b in self.parts]

    def log_mass(
        self, t: int, mistakes: IntArray, contested: IntArray, log_share: FloatArray | None = None
    ) -> FloatArray:
        """Return ln of the sum of the parts."""
        parts = [log_weight + beta.log_mass(mistakes, contested) for log_weight, beta in self.betas]
        if log_share is not None and self.counts:
            parts.append(math.log(self.counts) + log_share)
        return reduce(np.logaddexp, parts)  # the counted prior has shares only

    def price(self, t: int) -> float | None:
        """Return the least that any part guarantees."""
        by_counts = math.inf if self.log_size is None else self.log_size - math.log(self.counts)
        known = self.M is not None and len(self.parts)
        by_mistakes = bounds.kt_cost(t, self.M or 0) - math.log(self.parts[0][0]) if known else math.inf
        price = min(by_counts, by_mistakes)
        return None if price == math.inf else price


class KTPrior(BetaPrior):
    """pi(u) = B(k + 1/2, n - k + 1/2) / B(1/2, 1/2): needs neither T nor M, and no mass is ever lost.

    Mass moves only at contested rounds: the child that contradicts the base learner gets the share (k + 1/2)/(n + 1),
    the other (n - k + 1/2)/(n + 1); a forced child gets all. M is needed only for the price of a path in advance.

    >>> kt = KTPrior()
    >>> np.exp(kt.log_mass(2, np.array([0, 1, 1, 2]), np.array([2, 2, 2, 2]))).round(6).tolist()
    [0.375, 0.125, 0.125, 0.375]
    """

    name = "kt"

    def __init__(self, M: int | None = None) -> None:
        super().__init__(M, [(1.0, 0.5)])


class MixedPrior(BetaPrior):
    """A mixture of KT, a part for rules with few mistakes ("sparse"), and the share of concepts, if they are countable.

    Each part has a third, so no path costs more than min(kappa_t(M), ln|C|) + ln 3. Without counts, KT and sparse have
    a half each. Over floats, whose concepts are counted as doubles, KT has 15/16 and the counts 1/16.

    >>> mixed = MixedPrior(M=2, log_size=math.log(4))
    >>> shares = np.log([0.5, 0.25, 0.25])
    >>> np.exp(mixed.log_mass(2, np.array([0, 1, 2]), np.array([1, 2, 2]), shares)).round(3).tolist()
    [0.659, 0.131, 0.209]
    >>> round(mixed.price(1000), 3), round(math.log(4) + math.log(3), 3)
    (2.485, 2.485)
    """

    name = "mixed"
    SPARSE = (8.0, 64.0, 512.0)
    """b of the parts for rules on which the base learner rarely errs. (Measurements of the whole prior against KT
    alone: ``benchmarks/default_prior.py``, ``docs/evidence/regret.md``.)"""

    def __init__(self, M: int | None = None, log_size: float | None = None, of_floats: bool = False) -> None:
        self.kt, sparse, self.counts, self.floor = 1 / 3, 1 / 3, 1 / 3, 0.5
        if log_size is None:
            self.kt, sparse, self.counts, self.floor = 1 / 2, 1 / 2, 0.0, 0.25
        elif of_floats:
            self.kt, sparse, self.counts, self.floor = 15 / 16, 0.0, 1 / 16, 0.125
        self.log_size = log_size
        super().__init__(M, [(self.kt, 0.5), *((sparse / len(self.SPARSE), b) for b in self.SPARSE)])


class CountedPrior(BetaPrior):
    """Equal masses for all rules: a path has its share of them, and the price of a rule is at most ln|C|.

    >>> counted = CountedPrior(math.log(4))
    >>> counted.price(10) == math.log(4)
    True
    """

    name = "uniform"
    counts = 1.0
    floor = 2.0

    def __init__(self, log_size: float) -> None:
        self.log_size = log_size
        super().__init__(None, [])


def settled_prior(name: str, M: int | None, log_size: float | None, of_floats: bool) -> Prior | None:
    """Return a conserving prior by its name; None for "uniform" if the rules cannot be listed."""
    if name == "kt":
        return KTPrior(M)
    if name == "uniform":
        return None if log_size is None or of_floats else CountedPrior(log_size)
    return MixedPrior(M, log_size, of_floats)
