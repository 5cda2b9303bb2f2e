"""ADEPT with the natural base learner of rules on n bits, where these are few enough to be listed."""

from __future__ import annotations

from typing import Any

from adeptree.families.bits.bit_bases import Elimination, GaussianElimination
from adeptree.families.finite.partition_engine import FiniteEngine


class BitEngine(FiniteEngine):
    """The partition of all rules; wherever both labels are possible, the base learner says always the same.

    >>> from adeptree import Conjunctions
    >>> from adeptree.theory.priors import KTPrior
    >>> engine = BitEngine(Conjunctions(2), KTPrior())
    >>> engine.probability((1, 0)), engine.width
    (0.5, 1)
    >>> engine.commit((1, 0), 1)
    >>> engine.width, engine.best_loss, str(engine.best_rule())
    (2, 0, 'always 1')
    """

    kind = "bits"
    bases = (Elimination, GaussianElimination)
    most_concepts = 1 << 16

    def base(self, concept_class: Any) -> tuple[int, int]:
        """Return the weak label, as the most specific rule denies what it may deny; and the dimension."""
        return int(concept_class.any_of), concept_class.littlestone_dimension
