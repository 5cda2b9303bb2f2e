"""Frontiers: one file a representation, and which one belongs to which class."""

from functools import singledispatch

from adeptree.classes import (
    BlockUnions,
    ConceptClass,
    Conjunctions,
    Disjunctions,
    EnumerableClass,
    Intervals,
    Parities,
    RealIntervals,
    RealStumps,
    RealThresholds,
    Thresholds,
)
from adeptree.frontiers.base import Children, Frontier, Queries, Split
from adeptree.frontiers.bits import MonomialFrontier, ParityFrontier
from adeptree.frontiers.blocks import BlockFrontier
from adeptree.frontiers.oracle import OracleFrontier
from adeptree.frontiers.ordered import IntervalFrontier, ThresholdFrontier
from adeptree.frontiers.partition import Partition, PartitionFrontier
from adeptree.frontiers.real_line import RealIntervalFrontier, RealThresholdFrontier
from adeptree.frontiers.real_stumps import RealStumpFrontier


@singledispatch
def frontier_of(concept_class: ConceptClass) -> Frontier:
    """Return an empty frontier for a class: by its oracle, unless a faster form is registered.

    >>> from adeptree import Thresholds
    >>> frontier = frontier_of(Thresholds(8))
    >>> frontier.grow(frontier.split(3).children)
    >>> frontier.width
    2
    """
    return OracleFrontier(concept_class)


frontier_of.register(EnumerableClass, PartitionFrontier)
frontier_of.register(Thresholds, ThresholdFrontier)
frontier_of.register(Intervals, IntervalFrontier)
frontier_of.register(BlockUnions, BlockFrontier)
frontier_of.register(Conjunctions, MonomialFrontier)
frontier_of.register(Disjunctions, MonomialFrontier)
frontier_of.register(Parities, ParityFrontier)
frontier_of.register(RealThresholds, RealThresholdFrontier)
frontier_of.register(RealIntervals, RealIntervalFrontier)
frontier_of.register(RealStumps, RealStumpFrontier)

__all__ = [
    "BlockFrontier",
    "Children",
    "Frontier",
    "IntervalFrontier",
    "MonomialFrontier",
    "OracleFrontier",
    "ParityFrontier",
    "Partition",
    "PartitionFrontier",
    "Queries",
    "RealIntervalFrontier",
    "RealStumpFrontier",
    "RealThresholdFrontier",
    "Split",
    "ThresholdFrontier",
    "frontier_of",
]
