"""The families with a solver as their oracle (extras)."""

from adeptree.core.cell_text import number
from adeptree.roles.family import Columns, Family
from adeptree.solvers.lp.half_plane_engine import HalfPlaneEngine
from adeptree.solvers.lp.halfspaces import Halfspaces
from adeptree.solvers.lp.perceptron import Perceptron, halfspace_base
from adeptree.solvers.sat.named import NAMED
from adeptree.solvers.sat.sat_class import SatClass
from adeptree.solvers.smt.smt_base import smt_base
from adeptree.solvers.smt.smt_class import SmtClass

_POINTS = Columns(lambda c, texts: tuple(map(number, texts)), count=lambda c: c.dim)
_PLANE = "halfspaces(dim=2)"
FAMILIES = (
    Family(
        "halfspaces",
        Halfspaces,
        base=halfspace_base,
        bases=(Perceptron,),
        engines=(HalfPlaneEngine,),
        columns=_POINTS,
        example=_PLANE,
    ),
    Family("sat", SatClass, holds_code=True),
    *(Family(name, SatClass, make=make) for name, make in NAMED.items()),
    Family("smt", SmtClass, base=smt_base, holds_code=True),
)
