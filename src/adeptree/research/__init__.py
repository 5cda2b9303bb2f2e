"""Research: learners and dimensions that are neither in the paper nor for engineers.

Nothing else in the package uses them. ``adeptree.load`` imports this package if a saved file names one of its learners.
"""

from adeptree.families.bits.bit_bases import Elimination as Elimination
from adeptree.families.bits.bit_bases import GaussianElimination as GaussianElimination
from adeptree.families.blocks.block_base import DefaultZero as DefaultZero
from adeptree.families.line.interval_bases import IntervalSearch as IntervalSearch
from adeptree.families.line.interval_bases import NearestEnds as NearestEnds
from adeptree.families.line.thresholds import NearestLabel as NearestLabel
from adeptree.families.line.unions import NearestPoint as NearestPoint
from adeptree.families.stumps.cell_vote import CellVote as CellVote
from adeptree.families.tables.best_so_far import BestSoFar as BestSoFar
from adeptree.learners.loading import register_learner as _register_learner
from adeptree.research.littlestone_variants import bandit_littlestone_dimension as bandit_littlestone_dimension
from adeptree.research.littlestone_variants import k_littlestone_dimension as k_littlestone_dimension
from adeptree.research.littlestone_variants import randomized_littlestone_dimension as randomized_littlestone_dimension
from adeptree.research.perturbed_leader import FollowThePerturbedLeader as FollowThePerturbedLeader
from adeptree.research.rand_soa import RandSOA as RandSOA
from adeptree.research.transductive import Transductive as Transductive
from adeptree.research.unknown_order import UnknownOrder as UnknownOrder

for _learner in (FollowThePerturbedLeader, RandSOA, Transductive, UnknownOrder):
    _register_learner(_learner)
