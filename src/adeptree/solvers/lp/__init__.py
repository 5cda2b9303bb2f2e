"""Halfspaces by linear programming (extra ``lp``), every answer checked in rational arithmetic."""

from adeptree.solvers.lp.halfspace import Halfspace
from adeptree.solvers.lp.halfspaces import Halfspaces
from adeptree.solvers.lp.infeasible import Certificate

__all__ = ["Certificate", "Halfspace", "Halfspaces"]
