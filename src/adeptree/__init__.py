"""Agnostic online learning with provable regret, through a consistency oracle alone.

>>> import adeptree as at
>>> learner = at.Adept(at.Thresholds(256), horizon=1000)
>>> 0.0 <= learner.predict_proba(17) <= 1.0
True
"""

from importlib.metadata import PackageNotFoundError, version

from adeptree import bounds, errors
from adeptree.bases import (
    SOA,
    BaseLearner,
    Bisection,
    DefaultZero,
    Elimination,
    GaussianElimination,
    Ghost,
    Halving,
    IntervalSearch,
)
from adeptree.classes import (
    BlockUnions,
    ConceptClass,
    Conjunctions,
    Disjunctions,
    FiniteClass,
    Intervals,
    OracleClass,
    Parities,
    Stumps,
    Thresholds,
)
from adeptree.dimensions import littlestone_dimension, vc_dimension
from adeptree.errors import AdeptreeError
from adeptree.games import Adversary, Drifting, Greedy, LittlestoneTree, Stochastic, Transcript, play
from adeptree.learners import Adept, Bpss, Hedge, LazyAdept, OnlineLearner, load
from adeptree.specs import parse

try:
    __version__ = version("adeptree")
except PackageNotFoundError:  # running from a source tree that was never installed
    __version__ = "0+unknown"

__all__ = [
    "SOA",
    "Adept",
    "AdeptreeError",
    "Adversary",
    "BaseLearner",
    "Bisection",
    "BlockUnions",
    "Bpss",
    "ConceptClass",
    "Conjunctions",
    "DefaultZero",
    "Disjunctions",
    "Drifting",
    "Elimination",
    "FiniteClass",
    "GaussianElimination",
    "Ghost",
    "Greedy",
    "Halving",
    "Hedge",
    "IntervalSearch",
    "Intervals",
    "LazyAdept",
    "LittlestoneTree",
    "OnlineLearner",
    "OracleClass",
    "Parities",
    "Stochastic",
    "Stumps",
    "Thresholds",
    "Transcript",
    "bounds",
    "errors",
    "littlestone_dimension",
    "load",
    "parse",
    "play",
    "vc_dimension",
]
