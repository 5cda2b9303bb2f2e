"""Halfspaces by linear programming (extra ``lp``), every answer checked in rational arithmetic."""

from adeptree.solvers.lp.halfspace import Halfspace as Halfspace
from adeptree.solvers.lp.halfspaces import Halfspaces as Halfspaces
from adeptree.solvers.lp.infeasible import Infeasibility as Infeasibility
