"""The public names, all of which ``import adeptree`` offers."""

from importlib.metadata import PackageNotFoundError, version

from adeptree.core import errors, workers
from adeptree.core.errors import AdeptreeError
from adeptree.families.bits.bit_bases import Elimination, GaussianElimination
from adeptree.families.bits.bit_rules import Conjunctions, Disjunctions, Parities
from adeptree.families.blocks.block_base import DefaultZero
from adeptree.families.blocks.block_unions import BlockUnions
from adeptree.families.dimensions import littlestone_dimension, vc_dimension
from adeptree.families.finite.finite_class import FiniteClass
from adeptree.families.finite.version_space import SOA, Halving
from adeptree.families.line.interval_bases import IntervalSearch, NearestEnds
from adeptree.families.line.intervals import Intervals, RealIntervals
from adeptree.families.line.thresholds import Bisection, NearestLabel, RealThresholds, Thresholds
from adeptree.families.line.unions import IntervalUnions, NearestPoint, RealIntervalUnions, RealSteps
from adeptree.families.registry import register
from adeptree.families.specs import parse
from adeptree.families.stumps.cell_vote import CellVote
from adeptree.families.stumps.stumps_found import RealStumps
from adeptree.families.stumps.stumps_given import Stumps
from adeptree.families.templates.template_class import TemplateClass
from adeptree.games import Adversary, BlockReset, Drifting, Greedy, LittlestoneTree, Stochastic, Transcript, play
from adeptree.ghost import Ghost
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
from adeptree.oracles.oracle_class import OracleClass
from adeptree.roles.base_learner import BaseLearner
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.family import Family
from adeptree.solvers.lp import Halfspaces
from adeptree.solvers.sat import SatClass
from adeptree.solvers.smt import SmtClass
from adeptree.theory import bounds

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
    "Family",
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
    "IntervalUnions",
    "Intervals",
    "LazyAdept",
    "LittlestoneTree",
    "NearestEnds",
    "NearestLabel",
    "NearestPoint",
    "OnlineLearner",
    "OracleClass",
    "Parities",
    "RealIntervalUnions",
    "RealIntervals",
    "RealSteps",
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
    "register",
    "vc_dimension",
    "workers",
]
