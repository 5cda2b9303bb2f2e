"""Concept classes: one file a family."""

from adeptree.classes.base import ConceptClass, EnumerableClass
from adeptree.classes.bits import Conjunctions, Disjunctions, Parities
from adeptree.classes.blocks import BlockUnions
from adeptree.classes.finite import FiniteClass
from adeptree.classes.oracle import OracleClass
from adeptree.classes.ordered import Intervals, Thresholds
from adeptree.classes.real_line import RealIntervals, RealThresholds
from adeptree.classes.real_stumps import RealStumps
from adeptree.classes.stumps import Stumps

__all__ = [
    "BlockUnions",
    "ConceptClass",
    "Conjunctions",
    "Disjunctions",
    "EnumerableClass",
    "FiniteClass",
    "Intervals",
    "OracleClass",
    "Parities",
    "RealIntervals",
    "RealStumps",
    "RealThresholds",
    "Stumps",
    "Thresholds",
]
