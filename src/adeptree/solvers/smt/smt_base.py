"""The default base learner of a rule template."""

from __future__ import annotations

from adeptree.core.errors import InvalidArgument
from adeptree.families.finite.version_space import Halving
from adeptree.ghost.ghost_learner import Ghost
from adeptree.roles.base_learner import BaseLearner
from adeptree.solvers.smt.smt_class import SmtClass


def smt_base(concept_class: SmtClass) -> BaseLearner:
    """Return Halving over the settings listed, or Ghost, whichever has the smaller M."""
    declared = concept_class.littlestone_dimension
    if concept_class.listed is None:
        if declared is None:
            raise InvalidArgument(
                f"{concept_class!r} has too many settings of its constants to list them for Halving; bound them in "
                f"where= (2^20 settings at most), or give the class littlestone_dimension=, or the learner base="
            )
        return Ghost(declared)
    choices: list[BaseLearner] = [Halving(concept_class.listed)]
    if declared is not None:
        choices.append(Ghost(declared))
    # Both are valid: the smaller M gives the smaller regret.
    return min(choices, key=lambda base: base.mistake_bound or 0)
