"""ADEPT with the default base learner of rules on n bits, if they are few enough to be listed."""

from __future__ import annotations

from typing import Any

from adeptree.families.bits.bit_bases import Elimination, GaussianElimination
from adeptree.families.finite.partition_engine import FiniteEngine


class BitEngine(FiniteEngine):
    """The partition of all rules, for a base learner with the same prediction at all contested points.

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
        """Return the weak label (the most specific rule denies where it can) and the Littlestone dimension."""
        return int(concept_class.any_of), concept_class.littlestone_dimension
