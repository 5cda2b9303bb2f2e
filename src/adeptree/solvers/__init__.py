"""Families that are decided by a real solver (extras). Importing this room makes them known."""

from adeptree.core.cell_text import number
from adeptree.families.registry import register
from adeptree.roles.family import Columns, Family
from adeptree.solvers.lp.halfspaces import Halfspaces
from adeptree.solvers.lp.perceptron import Perceptron, halfspace_base
from adeptree.solvers.sat.named import NAMED
from adeptree.solvers.sat.sat_class import SatClass
from adeptree.solvers.smt.smt_base import smt_base
from adeptree.solvers.smt.smt_class import SmtClass

_POINTS = Columns(lambda c, texts: tuple(map(number, texts)), count=lambda c: c.dim)
_PLANE = "halfspaces(dim=2)"
register(Family("halfspaces", Halfspaces, base=halfspace_base, bases=(Perceptron,), columns=_POINTS, example=_PLANE))
register(Family("sat", SatClass, holds_code=True))
for _name, _make in NAMED.items():
    register(Family(_name, SatClass, make=_make))
register(Family("smt", SmtClass, base=smt_base, holds_code=True))
