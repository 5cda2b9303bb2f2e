"""The base learner of classes that are given by an oracle: ``Ghost`` (``docs/theory/ghost.md``)."""

from __future__ import annotations

from adeptree.core.errors import InvalidArgument
from adeptree.ghost.ghost_learner import Ghost
from adeptree.oracles.oracle_class import OracleClass
from adeptree.oracles.oracle_frontier import OracleFrontier
from adeptree.roles.base_learner import BaseLearner
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.family import Family


def ghost_base(concept_class: OracleClass) -> BaseLearner:
    """Return the default base learner of a class that is given by an oracle."""
    if concept_class.littlestone_dimension is None and concept_class.mistake_bound is not None:
        raise InvalidArgument(
            f"{concept_class!r} says with mistake_bound= how often your base learner errs; give that as base=, or "
            f"leave mistake_bound= out (then base Ghost() is used, which needs only the oracle)"
        )
    return Ghost(concept_class.littlestone_dimension)


# Classes without a faster form use their oracle. (Registered here, because oracles and families do not import each
# other.)
FAMILIES = (
    Family("", ConceptClass, frontier=OracleFrontier),
    Family("oracle", OracleClass, base=ghost_base, bases=(Ghost,), holds_code=True),
)
