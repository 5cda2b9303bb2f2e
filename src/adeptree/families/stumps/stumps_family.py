"""The families of decision stumps: the comparison of one named feature with one cut."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from adeptree.core.cell_text import floats
from adeptree.core.types import FloatArray
from adeptree.families.stumps.cell_vote import CellVote
from adeptree.families.stumps.grid_stumps import Stumps
from adeptree.families.stumps.real_stumps import RealStumps
from adeptree.families.stumps.stump_frontier import RealStumpFrontier
from adeptree.families.stumps.stumps_engine import StumpsEngine
from adeptree.roles.family import Columns, Family


def _table(concept_class: Any, columns: Sequence[Sequence[str]]) -> FloatArray:
    return np.array([floats(column) for column in columns]).T


FAMILIES = (
    Family(
        "stumps",
        Stumps,
        engines=(StumpsEngine,),
        columns=Columns(array=_table, names=lambda c: tuple(c.cuts)),
        example="stumps(cuts={'age': [30, 50]})",
        line="feature >= cut or feature < cut, one feature at a time",
        small="stumps(cuts={'age': (30.0, 50.0), 'bmi': (25.0,)})",
        golden={"rate": 0.5},
    ),
    Family(
        "real_stumps",
        RealStumps,
        frontier=RealStumpFrontier,
        base=CellVote,
        engines=(StumpsEngine,),
        columns=Columns(array=_table, names=lambda c: c.features),
        example="real_stumps(features=['age'])",
        line="feature >= cut or feature < cut; cuts are not given",
        small="real_stumps(features=('age', 'bmi'))",
        golden={"mistake_bound": 12},
    ),
)
