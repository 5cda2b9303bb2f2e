"""Realizable base learners, and which one is natural for which class."""

import re
from functools import singledispatch
from typing import Any

from adeptree.bases.base import BaseLearner, Lifted, PerPath, RowLearner, StateMachine
from adeptree.bases.bits import Elimination, GaussianElimination
from adeptree.bases.blocks import DefaultZero
from adeptree.bases.ghost import Ghost
from adeptree.bases.nearest import CellVote, NearestEnds, NearestLabel
from adeptree.bases.ordered import Bisection, IntervalSearch
from adeptree.bases.perceptron import Perceptron, halfspace_base
from adeptree.bases.version_space import SOA, Halving
from adeptree.classes import (
    BlockUnions,
    ConceptClass,
    Conjunctions,
    Disjunctions,
    EnumerableClass,
    FiniteClass,
    Intervals,
    OracleClass,
    Parities,
    RealIntervals,
    RealStumps,
    RealThresholds,
    Thresholds,
)
from adeptree.classes.lp import Halfspaces
from adeptree.classes.smt import SmtClass
from adeptree.errors import InvalidArgument, got

SOA_LIMIT = 4096
"""Largest table (concepts x points) for which SOA is the default; beyond it, Halving."""


@singledispatch
def default_base(concept_class: ConceptClass) -> BaseLearner:
    """Return the natural base learner of a class, the one used when none is given.

    >>> default_base(Thresholds(256)).mistake_bound
    8
    """
    raise InvalidArgument(
        f"{concept_class!r} has no natural base learner; give base= an object with start(), predict(state, x) "
        f"and update(state, x, y)"
    )


@default_base.register
def _(concept_class: EnumerableClass) -> BaseLearner:
    return Halving(concept_class)


@default_base.register
def _(concept_class: FiniteClass) -> BaseLearner:
    return SOA(concept_class) if concept_class.table.size <= SOA_LIMIT else Halving(concept_class)


@default_base.register
def _(concept_class: OracleClass) -> BaseLearner:
    if concept_class.littlestone_dimension is None:
        raise InvalidArgument(
            f"{concept_class!r} says neither its littlestone_dimension= (then base Ghost(d) is used, which needs only "
            f"the oracle) nor do you give base=; give one of them"
        )
    return Ghost(concept_class.littlestone_dimension)


@default_base.register
def _(concept_class: SmtClass) -> BaseLearner:
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
    # Both are right: the smaller M gives the smaller regret.
    return min(choices, key=lambda base: base.mistake_bound or 0)


default_base.register(Thresholds, Bisection)
default_base.register(Intervals, IntervalSearch)
default_base.register(BlockUnions, DefaultZero)
default_base.register(Conjunctions, Elimination)
default_base.register(Disjunctions, Elimination)
default_base.register(Parities, GaussianElimination)
default_base.register(Halfspaces, halfspace_base)
default_base.register(RealThresholds, NearestLabel)
default_base.register(RealIntervals, NearestEnds)
default_base.register(RealStumps, CellVote)


BY_NAME: dict[str, type[BaseLearner]] = {
    kind.__name__: kind
    for kind in (
        SOA,
        Halving,
        Bisection,
        IntervalSearch,
        DefaultZero,
        Elimination,
        GaussianElimination,
        Perceptron,
        NearestLabel,
        NearestEnds,
        CellVote,
    )
}
"""The base learners that a saved file names."""


NATURAL = "natural"
"""In a saved file: the natural base learner of the class, where that has no name of its own."""


def base_named(spec: str) -> BaseLearner | None:
    """Return the base learner of a saved file's text, e.g. "Bisection" or "Ghost(d=2)"; None is the natural one.

    >>> base_named("Ghost(d=2)")
    Ghost(d=2)
    """
    if spec == NATURAL:
        return None
    ghost = re.fullmatch(r"Ghost\(d=(\d+)\)", spec)
    return Ghost(int(ghost[1])) if ghost else BY_NAME[spec]()


def base_for(base: Any, concept_class: ConceptClass) -> BaseLearner:
    """Return ``base`` ready for the class: the natural one if None, a user's state machine lifted."""
    if base is None:
        return default_base(concept_class)
    if isinstance(base, BaseLearner):
        return base.bind(concept_class)
    if isinstance(base, StateMachine):
        return Lifted(base)
    raise InvalidArgument(
        f"base must be a base learner, or have start(), predict(state, x) and update(state, x, y); {got('base', base)}"
    )


__all__ = [
    "NATURAL",
    "SOA",
    "BaseLearner",
    "Bisection",
    "CellVote",
    "DefaultZero",
    "Elimination",
    "GaussianElimination",
    "Ghost",
    "Halving",
    "IntervalSearch",
    "NearestEnds",
    "NearestLabel",
    "PerPath",
    "Perceptron",
    "RowLearner",
    "StateMachine",
    "base_for",
    "default_base",
]
