"""The families of thresholds and intervals on a line, for a grid and for floats."""

from dataclasses import replace
from typing import Any

import numpy as np

from adeptree.core.cell_text import floats
from adeptree.families.line import thresholds, unions
from adeptree.families.line.cuts_engine import CutsEngine, StepsEngine
from adeptree.families.line.interval_bases import IntervalSearch, NearestEnds
from adeptree.families.line.intervals import IntervalFrontier, Intervals, RealIntervals, Spans
from adeptree.families.line.line_domain import OnAGrid, OnFloats
from adeptree.families.line.thresholds_engine import ThresholdsEngine
from adeptree.roles.family import Columns, Family

OF_FLOATS = Columns(array=lambda c, columns: np.array(floats(columns[0])))
ON_A_GRID = replace(OF_FLOATS, points=lambda c: c.n)


def _family(kind: Any, text: str, example: str, **options: Any) -> Family:
    """Return the record of a family on a line; floats have no mistake bound, so the golden game sets one."""
    of_floats = issubclass(kind, OnFloats)
    domain = "any number" if of_floats else "a whole number 0..n-1"
    golden = ({"mistake_bound": 12} if of_floats else {}) | options.pop("golden", {})
    return Family(kind.spec_name, kind, example=example, line=f"{text}; x is {domain}", golden=golden, **options)


UNION = "a <= x < b or c <= x < d ..., at most m intervals"
STEPS = "any number of cuts, 0 below the first"
TREE = {"adversary": "littlestone-tree"}
FEW = {"rounds": 8}

FAMILIES = (
    Family("", thresholds.HalfLines, frontier=thresholds.ThresholdFrontier, engines=(ThresholdsEngine,)),
    Family("", Spans, frontier=IntervalFrontier, engines=(CutsEngine,)),
    Family("", unions.CutRules, frontier=unions.CutsFrontier, base=unions.NearestPoint, engines=(CutsEngine,)),
    Family("", OnAGrid, columns=ON_A_GRID),
    Family("", OnFloats, columns=OF_FLOATS),
    _family(thresholds.Thresholds, "x >= a", "thresholds(n=1024)", base=thresholds.Bisection, small="thresholds(n=16)"),
    _family(Intervals, "a <= x < b", "intervals(n=256)", base=IntervalSearch, small="intervals(n=9)", golden=TREE),
    _family(thresholds.RealThresholds, "x >= a", "real_thresholds()", base=thresholds.NearestLabel),
    _family(RealIntervals, "a <= x < b", "real_intervals()", base=NearestEnds),
    _family(unions.IntervalUnions, UNION, "unions(n=256, m=2)", small="unions(n=6, m=2)", golden={"mistake_bound": 6}),
    _family(unions.RealIntervalUnions, UNION, "real_unions(m=2)"),
    _family(unions.RealSteps, STEPS, "real_steps()", frontier=unions.CutsFrontier, engines=(StepsEngine,), golden=FEW),
)
