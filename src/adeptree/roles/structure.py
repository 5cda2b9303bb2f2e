"""The protocol of structures: the methods that the rounds of a learner call, whatever keeps the weights.

A structure has a kernel, which plays, opens and settles rounds and charges the ledger (``round_kernel.py``). The
kernel of a structure in Python is an adapter (``adapter_kernel.py``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.types import FloatArray, Instance, IntArray

if TYPE_CHECKING:
    from adeptree.roles.adapter_kernel import AdapterKernel
    from adeptree.roles.round_kernel import RoundKernel
else:
    AdapterKernel = kernel("adeptree.roles.adapter_kernel").AdapterKernel


class Structure(ABC):
    """The part of a learner that keeps the weights: a kernel with Python around it."""

    kernel: RoundKernel

    def parts(self) -> list[Any]:
        """Return the Python objects that a round changes by replacing their attributes; empty for a compiled kernel."""
        return []

    def point(self, x: Instance, raw: Any) -> Any:
        """Convert a canonical instance, which the caller gave as ``raw``, to the kernel's form."""
        return x

    def entered(self, ticket: int, x: Instance, raw: Any) -> Any:
        """Convert the point of an open ticket to the kernel's form, when its label comes."""
        return self.point(x, raw)

    def abandon(self, ticket: int) -> None:
        """Discard an open ticket whose label will never come."""

    @abstractmethod
    def batch(self, xs: Any) -> Any:
        """Return the points of a batch, checked by the class, for :meth:`run`."""

    @abstractmethod
    def run(self, points: Any, labels: IntArray, costs: FloatArray, probabilities: FloatArray, first: int) -> int:
        """Play rounds of a batch, starting with ``first``, until the rate is due; return the next round."""

    def probabilities(self, xs: Any) -> FloatArray:
        """Return the probability of guessing 1 at each point, without learning in between."""
        return np.array([self.kernel.chance(x) for x in self.batch(xs)], dtype=np.float64)

    @property
    def best_loss(self) -> float:
        """L*: the least loss of a path; 0 if only the learner knows it."""
        return 0

    @property
    def width(self) -> int:
        """Number of paths."""
        return 1

    def price(self) -> float:
        """Return ln(1 / prior mass) of the best path (may cost a scan)."""
        return 0.0


class PythonStructure(Structure):
    """A structure written in Python: the adapter plays its rounds, and each round is one transaction."""

    def __init__(self) -> None:
        self.kernel = AdapterKernel(self)

    def parts(self) -> list[Any]:
        """Return the objects that change in a round."""
        return [self, self.kernel]

    @abstractmethod
    def see(self, x: Any) -> tuple[float, float, Any]:
        """Return the share of the weight that predicts 1 at x, its log-odds, and the key of x for its coin."""

    @abstractmethod
    def take(self, x: Any, label: int, cost: float) -> None:
        """Commit a round: x has this label, and an error costs this much."""

    def open(self, ticket: int, x: Any) -> None:
        """Let x enter before its label is known; by default a point enters with its label."""

    def rate_changed(self) -> None:
        """Rebuild all sums that depend on the rate (none by default)."""

    def forget_look(self) -> None:
        """Discard predictions made since the last commit."""

    def batch(self, xs: Any) -> Any:
        """Return the points as a list of Python objects."""
        return xs.tolist() if isinstance(xs, np.ndarray) else xs

    def run(self, points: Any, labels: IntArray, costs: FloatArray, probabilities: FloatArray, first: int) -> int:
        """Play one round."""
        self.kernel.learn(points[first], int(labels[first]), float(costs[first]) if len(costs) else 1.0)
        probabilities[first] = self.kernel.p
        return first + 1

    def __getstate__(self) -> dict[str, Any]:
        return {**{name: value for name, value in vars(self).items() if name != "kernel"}, "_eta": self.kernel.eta}

    def __setstate__(self, state: dict[str, Any]) -> None:
        eta = state.pop("_eta")
        vars(self).update(state)
        self.kernel = AdapterKernel(self)
        self.kernel.eta = eta
