"""How much mass a path has before its losses are looked at: the paper's capacities, or Krichevsky-Trofimov.

A prior is a *flow*: what the surviving children of a path get is at most what the path had. That is all
the regret proof needs (``docs/anytime.md``), so the bounds hold for every prior here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from adeptree.learners.mixture import log_capacities
from adeptree.types import FloatArray, IntArray


class Prior(ABC):
    """ln of the mass of paths, from the round and from the base learner's record on them."""

    name: ClassVar[str]
    log_total: float
    """ln of the mass before the first round."""

    @abstractmethod
    def log_mass(self, t: int, mistakes: IntArray, contested: IntArray) -> FloatArray:
        """Return ln of each path's mass after t rounds, ``mistakes`` of them wrong, among ``contested``."""


class PaperPrior(Prior):
    """W_t(u) = sum_{j <= M - k(u)} C(T - t, j): how many schedules of mistakes are still open to the path.

    >>> PaperPrior(T=4, M=1).log_mass(1, np.array([0, 1]), np.array([1, 1])).round(6).tolist()
    [1.386294, 0.0]
    """

    name = "paper"

    def __init__(self, T: int, M: int) -> None:
        self.T, self.M = T, min(M, T)
        self.log_total = float(log_capacities(T, self.M)[-1])

    def log_mass(self, t: int, mistakes: IntArray, contested: IntArray) -> FloatArray:
        """Return ln W_t. (T - t is clamped for LazyAdept, which predicts on after its last commit.)"""
        return log_capacities(max(0, self.T - t), self.M)[self.M - mistakes]


class KTPrior(Prior):
    """pi(u) = B(k + 1/2, n - k + 1/2) / B(1/2, 1/2): needs neither T nor M, and no mass is ever lost.

    Mass moves only at contested rounds: the child that contradicts the base learner gets the share
    (k + 1/2)/(n + 1), the other (n - k + 1/2)/(n + 1); a forced child gets all.

    >>> kt = KTPrior()
    >>> np.exp(kt.log_mass(2, np.array([0, 1, 1, 2]), np.array([2, 2, 2, 2]))).round(6).tolist()
    [0.375, 0.125, 0.125, 0.375]
    """

    name = "kt"
    log_total = 0.0

    def __init__(self) -> None:
        self._grow(64)

    def _grow(self, size: int) -> None:
        # half[k] = ln (1/2)(3/2)...(k - 1/2), factorial[n] = ln n!: ln pi = half[k] + half[n-k] - factorial[n].
        # Summed in long doubles: a million rounded logarithms would cost six digits.
        i = np.arange(size, dtype=np.longdouble)
        self.half: FloatArray = np.concatenate([[0.0], np.cumsum(np.log(i + 0.5))]).astype(np.float64)
        self.factorial: FloatArray = np.concatenate([[0.0], np.cumsum(np.log(i + 1.0))]).astype(np.float64)

    def tables(self, n: int) -> tuple[FloatArray, FloatArray]:
        """Return ``half`` and ``factorial``, long enough for n contested rounds."""
        if n >= len(self.half):
            self._grow(2 * n)
        return self.half, self.factorial

    def log_mass(self, t: int, mistakes: IntArray, contested: IntArray) -> FloatArray:
        """Return ln pi."""
        half, factorial = self.tables(int(contested.max(initial=0)))
        mass: FloatArray = half[mistakes] + half[contested - mistakes] - factorial[contested]
        return mass
