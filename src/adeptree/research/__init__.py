"""Research: ``Transductive``, and the base learners of single families.

Nothing else in the package uses them. ``adeptree.load`` imports this package if a saved file names ``Transductive``.
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
from adeptree.research.transductive import Transductive as Transductive

_register_learner(Transductive)
