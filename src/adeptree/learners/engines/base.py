"""What computes ADEPT's distribution: the paths themselves, or a structure that stands for them.

Every engine gives the same probabilities (to rounding). The learner tells it the rate; the engine knows
the prior, and keeps paths in whatever form is cheapest.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from adeptree.frontiers.base import Queries
from adeptree.learners.engines.dropping import Dropped
from adeptree.types import Concept, FloatArray, Instance, IntArray


@dataclass(frozen=True)
class Leader:
    """A best path: least loss, and among those the largest prior mass."""

    loss: int
    mistakes: int
    """k*: what the base learner gets wrong on it."""
    contested: int
    """n*: its rounds at which both labels were realizable (0 where the engine has no need to know)."""
    log_prior: float
    """ln of its prior mass now, the mass before the first round being 1; so never positive."""


@dataclass(frozen=True)
class Limits:
    """Where a batch must stop, because the rate may change there: reached values stop it *after* that round."""

    best_loss: float = math.inf
    """Stop once L* is at least this."""
    gap: float = math.inf
    """Stop once the mixability gap, counted from the start of the batch, is at least this."""


class Engine(ABC):
    """ADEPT's distribution on a stream, at a rate that :attr:`rate` sets."""

    kind: ClassVar[str]
    """Name in saved files and certificates: "paths", "ordered", "blocks", ..."""

    dropped = Dropped()
    """What was dropped to keep within a width: nothing, in most engines."""

    def __init__(self) -> None:
        self.queries = Queries()
        self._rate = 0.0

    @property
    def rate(self) -> float:
        """eta of the coming round."""
        return self._rate

    @rate.setter
    def rate(self, eta: float) -> None:
        if eta != self._rate:
            self._rate = eta
            self._rate_changed()

    def _rate_changed(self) -> None:
        """Rebuild what depends on the rate (nothing, by default)."""

    @abstractmethod
    def probability(self, x: Instance) -> float:
        """Return P(label = 1) at x; commits nothing, and asking again about the same x costs nothing."""

    def probabilities(self, xs: Sequence[Instance]) -> FloatArray:
        """Return P(label = 1) at each of the xs, all as of now."""
        points = xs.tolist() if isinstance(xs, np.ndarray) else xs
        return np.array([self.probability(x) for x in points], dtype=np.float64)

    @abstractmethod
    def commit(self, x: Instance, label: int) -> None:
        """Take over the round: x had this label."""

    @abstractmethod
    def discard(self) -> None:
        """Forget what was looked at since the last commit."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Number of active paths |V_t|, kept or stood for."""

    @property
    @abstractmethod
    def best_loss(self) -> int:
        """L*: the least loss of a path."""

    @abstractmethod
    def leader(self) -> Leader:
        """Return the best path (may cost a scan)."""

    @abstractmethod
    def log_potential(self) -> float:
        """Return ln sum_u pi(u) exp(-eta (L(u) - L*)), the mass before the first round being 1 (may cost a scan)."""

    @abstractmethod
    def best_rule(self) -> Concept:
        """Return a concept of a best path."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return what :meth:`restore` needs: plain values and arrays."""

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state` returned."""

    def run(self, xs: Sequence[Instance], labels: IntArray, probabilities: FloatArray, limits: Limits) -> int:
        """Play rounds until the data or a limit ends; fill in ``probabilities``; return how many were played.

        At least one round is played. The rate stays what it is all along.
        """
        gap = 0.0
        for i, x in enumerate(xs.tolist() if isinstance(xs, np.ndarray) else xs):
            label = int(labels[i])
            probabilities[i] = p = self.probability(x)
            self.commit(x, label)
            gap += mixability_gap(abs(p - label), self.rate)
            if self.best_loss >= limits.best_loss or gap >= limits.gap:
                return i + 1
        return len(xs)


def mixability_gap(loss: float, rate: float) -> float:
    """Return l - delta: how much Hedge's expected loss l exceeds its mix loss at the rate.

    The experts lose 0 or 1, so the mix loss is -ln(1 - l + l e^-eta) / eta.

    >>> round(mixability_gap(0.5, 1.0), 6), mixability_gap(0.0, 1.0), mixability_gap(0.3, 0.0)
    (0.120115, 0.0, 0.0)
    """
    if rate == 0.0 or loss >= 1.0:
        return 0.0
    gap = loss + math.log1p(loss * math.expm1(-rate)) / rate
    return gap if gap > 0.0 else 0.0  # it may be rounded to just below


def mixability_gaps(losses: FloatArray, rate: float) -> float:
    """Return the sum of the gaps of many rounds at one rate.

    >>> mixability_gaps(np.array([0.5, 0.0]), 1.0) == mixability_gap(0.5, 1.0)
    True
    """
    if rate == 0.0 or len(losses) == 0:
        return 0.0
    open_ = np.where(losses < 1.0, losses, 0.0)
    gaps = np.maximum(0.0, open_ + np.log1p(open_ * math.expm1(-rate)) / rate)
    # Summed in order, as single rounds would be.
    return float(np.cumsum(gaps)[-1])


def as_array(xs: Sequence[Instance]) -> IntArray:
    """Return the instances of a line as one array of int64."""
    return np.ascontiguousarray(xs, dtype=np.int64)
