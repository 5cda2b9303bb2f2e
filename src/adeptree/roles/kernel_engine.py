"""The base class of engines whose rounds run in a compiled kernel that represents the paths."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.errors import InvalidArgument
from adeptree.core.types import FloatArray, Instance, IntArray
from adeptree.roles.engine import Engine, Odds, Rows
from adeptree.roles.frontier import Queries
from adeptree.theory.losses import shown

if TYPE_CHECKING:
    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.theory.ledger_kernel import Ledger
else:
    Ledger = kernel("adeptree.theory.ledger_kernel").Ledger

MOST = 1 << 61
NO_COSTS: FloatArray = np.empty(0)
"""Costs argument for a batch in which every round costs 1."""


class KernelQueries(Queries):
    """Query counters kept by the kernel; all answers are deduced by logic."""

    def __init__(self, kernel: RoundKernel) -> None:
        self._kernel = kernel
        super().__init__()

    @property
    def asked(self) -> int:
        """Queries of Algorithm 2: 2 x width per round; 2^61 stands for that number or more."""
        return self._kernel.asked

    @asked.setter
    def asked(self, count: int) -> None:
        self._kernel.asked = min(count, MOST)


class KernelEngine(Engine):
    """Rounds, batches and late labels on a kernel. A subclass makes the kernel and describes its paths.

    A subclass defines :meth:`rows` (or, where paths cannot be listed, :meth:`leader`), :meth:`state` and
    :meth:`restore`, and ``accepts``. It overrides :meth:`batch` if the kernel takes points in a form other than a list.
    """

    collapsed = True
    kernel: RoundKernel

    def __init__(self) -> None:
        """Leave the kernel to the subclass."""

    def parts(self) -> list[Any]:
        """Return no objects: a compiled commit is not interrupted, and an interpreted one marks the learner torn."""
        return []

    def _use(self, kernel: RoundKernel) -> None:
        self.kernel = kernel
        self.queries = KernelQueries(kernel)

    @property
    def width(self) -> int:
        """Number of active paths |V_t|; 2^61 stands for that number or more."""
        return self.kernel.count()

    @property
    def best_loss(self) -> float:
        """L*: the least loss of a path; a whole number as an int."""
        return shown(self.kernel.least())

    def rows(self) -> Rows:
        """Raise an error: this structure does not list its paths and overrides :meth:`leader`."""
        raise InvalidArgument(f'the engine "{self.kind}" keeps no list of paths; build with engine="paths"')

    def log_potential(self) -> float:
        """Return ln sum_u pi(u) exp(-eta (L(u) - L*)); by a scan where the prior does not conserve mass."""
        total = self.kernel.log_total() + self.rate * (self.best_loss - self.kernel.least())
        return super().log_potential() if math.isnan(total) else total

    # --- Rounds: those of the kernel, which charges its ledger ---------------------------------------

    def probability(self, x: Instance) -> float:
        """Return the share of the weight that predicts 1 at x."""
        return self.kernel.chance(x)

    def odds(self, x: Instance) -> Odds:
        """Return the share with its log-odds."""
        return Odds(self.kernel.chance(x), self.kernel.log_ratio())

    def commit(self, x: Instance, label: int, weight: float = 1) -> None:
        """Commit the round."""
        self.kernel.learn(x, label, weight)

    def discard(self) -> None:
        """Discard the prediction."""
        self.kernel.discard()

    def batch(self, xs: Any) -> int:
        """Hand the points of a batch, checked by the class, to the kernel; return their number."""
        self.kernel.give(xs.tolist() if isinstance(xs, np.ndarray) else list(xs))
        return len(xs)

    def run(self, points: Any, labels: IntArray, costs: FloatArray, probabilities: FloatArray, first: int) -> int:
        """Play rounds of the batch until the rate must be updated, without a Python call per round."""
        return self.kernel.run(labels, costs, probabilities, first, len(labels))

    def probabilities(self, xs: Any) -> FloatArray:
        """Predict at many points without a Python call per point."""
        found = np.empty(self.batch(xs))
        self.kernel.look_many(found)
        return found

    def __reduce__(self) -> Any:
        return _again, (type(self), *self.made_of(), self.rate, self.state(), self.queries.asked, self.shares_inside)

    def made_of(self) -> tuple[Any, ...]:
        """Return the arguments that make such an engine again."""
        return (self.concept_class, self.prior)  # type: ignore[attr-defined]


def _again(kind: Any, concept_class: Any, prior: Any, rate: float, state: Any, asked: int, inside: Any) -> Any:
    """Restore a copied engine from its state."""
    engine = kind(concept_class, prior)
    if inside is not None:
        engine.share_inside(inside)
    engine.rate = rate
    engine.restore(state)
    engine.queries.asked = asked
    return engine
