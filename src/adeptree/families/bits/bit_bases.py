"""Optimal realizable learners over bit strings."""

from __future__ import annotations

from dataclasses import dataclass

from adeptree.core.types import Instance
from adeptree.families.bits.bit_frontiers import MonomialFrontier, ParityFrontier
from adeptree.families.bits.bit_rules import Conjunctions, Disjunctions, Parities, _Monomials, extended, reduced
from adeptree.roles.base_learner import Always, MadeFor, PerPath, RowLearner
from adeptree.roles.frontier import Frontier


@dataclass(frozen=True)
class Elimination(MadeFor[Conjunctions | Disjunctions]):
    """Conjunctions and disjunctions: predict with the most specific rule that fits.

    For conjunctions a mistake is a 1 that the rule denied, and removes at least one literal (the first one: all n that
    fail there), so M = n for bits and n + 1 for literals. Disjunctions are symmetric.

    >>> learner = Elimination().bind(Conjunctions(2))
    >>> learner.mistake_bound, learner.predict(learner.start(), (1, 1))
    (3, 0)
    """

    kind = _Monomials

    def start(self) -> int:
        """Return the mask of all literals."""
        return (1 << len(self.known.literal_numbers())) - 1

    def predict(self, state: int, x: Instance) -> int:
        """Predict the strong label iff every remaining literal holds at x."""
        return int((state & ~self._held(x) == 0) != self.known.any_of)

    def update(self, state: int, x: Instance, y: int) -> int:
        """Drop the literals that a strong label refutes."""
        return state & self._held(x) if y != self.known.any_of else state

    def _held(self, x: Instance) -> int:
        return int.from_bytes(self.known.holding(x).tobytes(), "little")

    def rows(self, frontier: Frontier) -> RowLearner:
        """Predict the weak label: at a contested point the most specific rule always denies."""
        if isinstance(frontier, MonomialFrontier):
            return Always(frontier.concept_class.any_of)
        return PerPath(self)


@dataclass(frozen=True)
class GaussianElimination(MadeFor[Parities]):
    """Parities: solve for the label if x is a sum of points seen, else predict 0; M = n.

    >>> learner = GaussianElimination().bind(Parities(2))
    >>> state = learner.update(learner.update(learner.start(), (1, 0), 1), (0, 1), 0)
    >>> learner.mistake_bound, learner.predict(state, (1, 1))
    (2, 1)
    """

    kind = Parities

    def start(self) -> tuple[int, ...]:
        """Return an empty basis; its vectors carry the label as lowest bit, largest vector first."""
        return ()

    def predict(self, state: tuple[int, ...], x: Instance) -> int:
        """Reduce (x, 0); if x is reduced to 0, the remainder is the label."""
        return int(reduced(state, x, 0) == 1)

    def update(self, state: tuple[int, ...], x: Instance, y: int) -> tuple[int, ...]:
        """Add (x, y) to the basis if it is independent."""
        return extended(state, reduced(state, x, y))

    def rows(self, frontier: Frontier) -> RowLearner:
        """Predict 0: only points outside the span are contested."""
        return Always(False) if isinstance(frontier, ParityFrontier) else PerPath(self)
