"""Reference implementations of the learners that the corollary cites, transcribed from their papers' pseudocode.

As in ``paper``, nothing of adeptree is used. A function is the tuple of its labels on the points so far; at a
new point it takes 0 where the oracle allows that, else 1 (Attias, Hanneke and Ramaswami, arXiv 2506.00135).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from typing import Any, Self

from reproduction.reference.listed_classes import Concepts, Labels, Listed

Realizable = Callable[[tuple[Any, ...], Labels], bool]
"""Return True if some concept has these labels at these points."""


class Transcribed(ABC):
    """One history of a learner; ``after`` returns the next one."""

    def __init__(self, realizable: Realizable) -> None:
        self.realizable = realizable
        self.points: tuple[Any, ...] = ()
        self.truth: Labels = ()
        self.functions: list[Labels] = []

    def says(self, x: Any) -> list[int]:
        """Return the label of each function at x."""
        points = (*self.points, x)
        return [0 if self.realizable(points, (*labels, 0)) else 1 for labels in self.functions]

    def predict(self, x: Any) -> int:
        """Return the vote."""
        return self.vote(self.says(x))

    def after(self, x: Any, y: int) -> Self:
        """Return the learner that has seen y at x."""
        new, labels = copy(self), self.says(x)
        new.points, new.truth = (*self.points, x), (*self.truth, y)
        new.functions = [(*function, label) for function, label in zip(self.functions, labels, strict=True)]
        new.learn(labels, self.vote(labels), y)
        return new

    @abstractmethod
    def vote(self, labels: list[int]) -> int:
        """Return what is predicted where the functions say that."""

    @abstractmethod
    def learn(self, labels: list[int], predicted: int, y: int) -> None:
        """Change functions (which have moved on) and counts; ``truth`` is a function that fits all examples."""


class LastFunction(Transcribed):
    """Some function that fits, until it errs."""

    def __init__(self, realizable: Realizable) -> None:
        super().__init__(realizable)
        self.functions = [()]

    def vote(self, labels: list[int]) -> int:
        """Return what it says."""
        return labels[0]

    def learn(self, labels: list[int], predicted: int, y: int) -> None:
        """Take another after a mistake."""
        if predicted != y:
            self.functions = [self.truth]


class KozachinskiySteifer(Transcribed):
    """Algorithm 3 of arXiv 2308.08055: Procedure(j) for j = 0, ..., max{i : 16^i divides N}, N = 1, 2, ..."""

    N, j = 1, 0

    @property
    def w(self) -> int:
        """Number of functions that vote: w_0 = 1, w_j = 2^(3j + 1)."""
        return 2 ** (3 * self.j + 1) if self.j else 1

    def vote(self, labels: list[int]) -> int:
        """Return the majority of the last w_j, and 0 if there are fewer."""
        return int(len(labels) >= self.w and sum(labels[-self.w :]) > self.w / 2)

    def learn(self, labels: list[int], predicted: int, y: int) -> None:
        """Take a function after a mistake of the last one; of a family keep half, which said what was predicted."""
        if predicted == y:
            return
        if self.j == 0:
            self.functions.append(self.truth)
        else:
            older = len(labels) - self.w
            wrong = [i for i in range(older, len(labels)) if labels[i] == predicted]
            self.functions = self.functions[:older] + [self.functions[i] for i in wrong[: self.w // 2]]
        self.N, self.j = (self.N, self.j + 1) if self.N % 16 ** (self.j + 1) == 0 else (self.N + 1, 0)


class AssosEtAl(Transcribed):
    """Algorithms 1 and 2 of arXiv 2307.01689, improper: phases of lazy multiplicative weights, alpha = 1/4."""

    def __init__(self, realizable: Realizable) -> None:
        super().__init__(realizable)
        self.functions, self.errors, self.k = [()], [0], 0

    @property
    def length(self) -> int:
        """T_j = C ln(j) / alpha^2 updates in the phase of j functions, C = 1/2."""
        return max(1, math.ceil(0.5 * math.log(len(self.functions)) / 0.25**2))

    def weight(self, labels: list[int], y: int) -> float:
        """Return the share of the weight that says y; eta = sqrt(8 ln(j) / T_j)."""
        eta = math.sqrt(8 * math.log(len(labels)) / self.length)
        weights = [math.exp(-eta * e) for e in self.errors]
        return math.fsum(w for w, label in zip(weights, labels, strict=True) if label == y) / math.fsum(weights)

    def vote(self, labels: list[int]) -> int:
        """Return 1 if half of the weight predicts 1."""
        return int(self.weight(labels, 1) >= 0.5)

    def learn(self, labels: list[int], predicted: int, y: int) -> None:
        """Count errors if half of the weight was wrong; a function joins at the end of the phase."""
        if self.weight(labels, 1 - y) < 0.5:
            return
        self.errors = [e + (label != y) for e, label in zip(self.errors, labels, strict=True)]
        self.k += 1
        if self.k == self.length:
            self.functions.append(self.truth)
            self.errors, self.k = [0] * len(self.functions), 0


PSEUDOCODE: dict[str, type[Transcribed]] = {
    "MajorityPruning": KozachinskiySteifer,
    "WeightedVote": AssosEtAl,
    "Consistent": LastFunction,
}
"""By the name of the library's learner."""


class Machine:
    """A transcribed learner as the paper's A, on a class that is a list of concepts."""

    def __init__(self, pseudocode: type[Transcribed], listed: Listed) -> None:
        self.pseudocode, self.listed = pseudocode, listed
        self._known: dict[tuple[tuple[Any, ...], Labels], Concepts] = {}

    def start(self) -> Transcribed:
        """Return the empty history."""
        return self.pseudocode(lambda points, labels: bool(self._with(points, labels)))

    def predict(self, state: Transcribed, x: Any) -> int:
        """Return its vote."""
        return state.predict(x)

    def update(self, state: Transcribed, x: Any, y: int) -> Transcribed:
        """Return the history with y at x."""
        return state.after(x, y)

    def _with(self, points: tuple[Any, ...], labels: Labels) -> Concepts:
        """Return the concepts that have these labels."""
        if not points:
            return self.listed.all
        if (points, labels) not in self._known:
            fewer = self._with(points[:-1], labels[:-1])
            self._known[points, labels] = self.listed.with_label(fewer, points[-1], labels[-1])
        return self._known[points, labels]
