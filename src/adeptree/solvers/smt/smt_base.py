"""The natural base learner of a rule template."""

from __future__ import annotations

from adeptree.families.finite.version_space import Halving
from adeptree.ghost import Ghost, ghost_base
from adeptree.roles.base_learner import BaseLearner
from adeptree.solvers.smt.smt_class import SmtClass


def smt_base(concept_class: SmtClass) -> BaseLearner:
    """Return Halving over the settings listed, or Ghost, whichever has the smaller M."""
    declared = concept_class.littlestone_dimension
    if concept_class.listed is None:
        return ghost_base(concept_class)
    choices: list[BaseLearner] = [Halving(concept_class.listed)]
    if declared is not None:
        choices.append(Ghost(declared))
    # Both are right: the smaller M gives the smaller regret.
    return min(choices, key=lambda base: base.mistake_bound or 0)
