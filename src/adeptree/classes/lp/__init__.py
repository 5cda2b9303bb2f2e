"""Halfspaces by linear programming (extra ``lp``), every answer checked in rational arithmetic."""

from adeptree.classes.lp.certificate import Certificate
from adeptree.classes.lp.halfspace import Halfspace
from adeptree.classes.lp.halfspaces import Halfspaces

__all__ = ["Certificate", "Halfspace", "Halfspaces"]
