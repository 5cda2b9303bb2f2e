"""The Perceptron in exact arithmetic: a base learner for halfspaces that keep a margin."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from adeptree.core.declared_state import need
from adeptree.core.types import Instance
from adeptree.families.finite.version_space import Halving
from adeptree.roles.base_learner import BaseLearner, MadeFor
from adeptree.solvers.lp.halfspaces import Halfspaces
from adeptree.solvers.lp.lifting import dot, lift, primitive

State = tuple[int, ...]


@dataclass(frozen=True)
class Perceptron(MadeFor[Halfspaces]):
    """Rosenblatt's Perceptron on (x, c), with c^2 = R (R - g): M = floor((2R/g - 1)^2).

    R and g are the ``radius`` and ``margin`` of the class. The bound holds for labels that some halfspace
    w.x >= b, |w| = 1, gives with |w.x - b| >= g throughout. Proof: if both labels occur, |b| <= R - g, and
    Novikoff's bound for u = (w, -b/c) is (R^2 + c^2)(1 + b^2/c^2)/g^2 <= (2R - g)^2/g^2. If only one occurs,
    u = (0, 1) has margin c and gives 1 + R/(R - g) <= 3 as g <= R/2, where M is at least 9.

    Without a margin c is 1, and M is not known.

    The state is (w, theta, k), integers over the common denominator k, with prediction 1[w.x + theta > 0 ].
    The last entry of the embedding only enters as its square, so nothing is ever rounded.

    >>> perceptron = Perceptron(Halfspaces(1, radius=10, margin=1))
    >>> state = perceptron.update(perceptron.start(), (4,), 1)
    >>> perceptron.mistake_bound, state, perceptron.predict(state, (-9,))
    (361, (4, 90, 1), 1)
    """

    kind = Halfspaces

    @property
    def mistake_bound(self) -> int | None:
        """M, if the class has a margin; else None."""
        if self.concept_class is None or self.concept_class.margin is None:
            return None
        return math.floor((2 * self._radius / Fraction(self.concept_class.margin) - 1) ** 2)

    @property
    def _radius(self) -> Fraction:
        return Fraction(self.known.radius or 0)

    @property
    def _square(self) -> Fraction:
        """c^2, the square of the last entry of the embedding; 1 without a margin."""
        if self.known.margin is None:
            return Fraction(1)
        return self._radius * (self._radius - Fraction(self.known.margin))

    def start(self) -> State:
        """Return w = 0, theta = 0."""
        return (0,) * (self.known.dim + 1) + (1,)

    def restored(self, state: Any) -> State:
        """Convert a saved state: dim + 2 whole numbers, the last of them positive."""
        need(isinstance(state, (list, tuple)) and len(state) == self.known.dim + 2, "a state of the Perceptron")
        need(all(type(value) is int for value in state) and state[-1] > 0, "a state of the Perceptron")
        return tuple(state)

    def predict(self, state: State, x: Instance) -> int:
        """Return the side of x; on the boundary, 0."""
        return int(dot(state[:-1], lift(x)) > 0)

    def update(self, state: State, x: Instance, y: int) -> State:
        """Add the point (subtract it if its label is 0) after a mistake."""
        if self.predict(state, x) == y:
            return state
        sign = 1 if y else -1
        *point, common = lift(x)
        step = [*(Fraction(value, common) for value in point), self._square]
        moved = [Fraction(old, state[-1]) + sign * by for old, by in zip(state[:-1], step, strict=True)]
        scale = math.lcm(*(value.denominator for value in moved))
        return primitive([*(value.numerator * (scale // value.denominator) for value in moved), scale])


def halfspace_base(concept_class: Halfspaces) -> BaseLearner:
    """Return the default base learner: Halving over the grid's labellings, else the Perceptron.

    Without a grid or a margin no learner has a finite mistake bound: the KT prior (``horizon=None``) needs none.
    """
    if concept_class.grid is not None:
        return Halving(concept_class.enumerated())
    return Perceptron(concept_class)
