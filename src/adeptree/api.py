"""The public names, all of which ``import adeptree`` offers, and where each lives."""

from importlib import metadata as _metadata

from adeptree.core import errors as errors
from adeptree.core.errors import AdeptreeError as AdeptreeError
from adeptree.families.bits.bit_rules import Conjunctions as Conjunctions
from adeptree.families.bits.bit_rules import Disjunctions as Disjunctions
from adeptree.families.bits.bit_rules import Parities as Parities
from adeptree.families.blocks.block_unions import BlockUnions as BlockUnions
from adeptree.families.combined.model_votes import Experts as Experts
from adeptree.families.combined.row_rules import union as union
from adeptree.families.dimensions import littlestone_dimension as littlestone_dimension
from adeptree.families.dimensions import vc_dimension as vc_dimension
from adeptree.families.finite.finite_class import FiniteClass as FiniteClass
from adeptree.families.finite.version_space import SOA as SOA
from adeptree.families.finite.version_space import Halving as Halving
from adeptree.families.line.intervals import Intervals as Intervals
from adeptree.families.line.intervals import RealIntervals as RealIntervals
from adeptree.families.line.thresholds import Bisection as Bisection
from adeptree.families.line.thresholds import RealThresholds as RealThresholds
from adeptree.families.line.thresholds import Thresholds as Thresholds
from adeptree.families.line.unions import IntervalUnions as IntervalUnions
from adeptree.families.line.unions import RealIntervalUnions as RealIntervalUnions
from adeptree.families.line.unions import RealSteps as RealSteps
from adeptree.families.registry import register as register
from adeptree.families.specs import parse as parse
from adeptree.families.stumps.grid_stumps import Stumps as Stumps
from adeptree.families.stumps.real_stumps import RealStumps as RealStumps
from adeptree.families.tables.table_classes import TableIntervals as TableIntervals
from adeptree.families.tables.table_classes import TableSteps as TableSteps
from adeptree.families.tables.table_classes import TableStumps as TableStumps
from adeptree.families.tables.table_classes import TableThresholds as TableThresholds
from adeptree.families.tables.table_classes import TableUnions as TableUnions
from adeptree.families.tables.table_rules import TableRules as TableRules
from adeptree.families.templates.template_class import TemplateClass as TemplateClass
from adeptree.games.adversaries import Adversary as Adversary
from adeptree.games.adversaries import Drifting as Drifting
from adeptree.games.adversaries import Greedy as Greedy
from adeptree.games.adversaries import LittlestoneTree as LittlestoneTree
from adeptree.games.adversaries import Stochastic as Stochastic
from adeptree.games.play import play as play
from adeptree.games.transcript import Transcript as Transcript
from adeptree.ghost import Ghost as Ghost
from adeptree.learners.adept_learner import Adept as Adept
from adeptree.learners.bpss import Bpss as Bpss
from adeptree.learners.certificate import Certificate as Certificate
from adeptree.learners.frequency import Frequency as Frequency
from adeptree.learners.hedge import Hedge as Hedge
from adeptree.learners.lazy import LazyAdept as LazyAdept
from adeptree.learners.leaders import FollowTheLeader as FollowTheLeader
from adeptree.learners.loading import load as load
from adeptree.learners.online_learner import OnlineLearner as OnlineLearner
from adeptree.learners.tickets import Ticket as Ticket
from adeptree.oracles.oracle_class import OracleClass as OracleClass
from adeptree.roles.base_learner import BaseLearner as BaseLearner
from adeptree.roles.concept_class import ConceptClass as ConceptClass
from adeptree.roles.family import Family as Family
from adeptree.solvers.lp import Halfspaces as Halfspaces
from adeptree.solvers.sat import SatClass as SatClass
from adeptree.solvers.smt import SmtClass as SmtClass
from adeptree.theory import bounds as bounds
from adeptree.theory.decide import Review as Review

try:
    __version__ = _metadata.version("adeptree")
except _metadata.PackageNotFoundError:  # running from a source tree that was never installed
    __version__ = "0+unknown"
