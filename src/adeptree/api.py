"""The public names, all of which ``import adeptree`` offers."""

from importlib.metadata import PackageNotFoundError, version

from adeptree import bounds, errors
from adeptree.bases import (
    SOA,
    BaseLearner,
    Bisection,
    CellVote,
    DefaultZero,
    Elimination,
    GaussianElimination,
    Ghost,
    Halving,
    IntervalSearch,
    NearestEnds,
    NearestLabel,
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
    RealIntervals,
    RealStumps,
    RealThresholds,
    Stumps,
    Thresholds,
)
from adeptree.classes.lp import Halfspaces
from adeptree.classes.sat import SatClass
from adeptree.classes.smt import SmtClass
from adeptree.classes.templates import TemplateClass
from adeptree.dimensions import littlestone_dimension, vc_dimension
from adeptree.errors import AdeptreeError
from adeptree.games import Adversary, BlockReset, Drifting, Greedy, LittlestoneTree, Stochastic, Transcript, play
from adeptree.learners import (
    Adept,
    Bpss,
    Certificate,
    FollowTheLeader,
    FollowThePerturbedLeader,
    Hedge,
    LazyAdept,
    OnlineLearner,
    Ticket,
    Tracking,
    load,
)
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
    "BlockReset",
    "BlockUnions",
    "Bpss",
    "CellVote",
    "Certificate",
    "ConceptClass",
    "Conjunctions",
    "DefaultZero",
    "Disjunctions",
    "Drifting",
    "Elimination",
    "FiniteClass",
    "FollowTheLeader",
    "FollowThePerturbedLeader",
    "GaussianElimination",
    "Ghost",
    "Greedy",
    "Halfspaces",
    "Halving",
    "Hedge",
    "IntervalSearch",
    "Intervals",
    "LazyAdept",
    "LittlestoneTree",
    "NearestEnds",
    "NearestLabel",
    "OnlineLearner",
    "OracleClass",
    "Parities",
    "RealIntervals",
    "RealStumps",
    "RealThresholds",
    "SatClass",
    "SmtClass",
    "Stochastic",
    "Stumps",
    "TemplateClass",
    "Thresholds",
    "Ticket",
    "Tracking",
    "Transcript",
    "__version__",
    "bounds",
    "errors",
    "littlestone_dimension",
    "load",
    "parse",
    "play",
    "vc_dimension",
]
