"""Thresholds and intervals on a line: of a grid, and of floats."""

from typing import Any

import numpy as np

from adeptree.core.cell_text import floats, wholes
from adeptree.families.line.cuts_engine import CutsEngine, StepsEngine
from adeptree.families.line.interval_bases import IntervalSearch, NearestEnds
from adeptree.families.line.intervals import IntervalFrontier, Intervals, RealIntervals, Spans
from adeptree.families.line.line_domain import OnAGrid, OnFloats
from adeptree.families.line.thresholds import (
    Bisection,
    HalfLines,
    NearestLabel,
    RealThresholds,
    ThresholdFrontier,
    Thresholds,
)
from adeptree.families.line.thresholds_engine import ThresholdsEngine
from adeptree.families.line.unions import (
    CutRules,
    CutsFrontier,
    IntervalUnions,
    NearestPoint,
    RealIntervalUnions,
    RealSteps,
)
from adeptree.roles.family import Columns, Family

ON_A_GRID = Columns(
    array=lambda c, columns: c.instances_of(np.array(wholes(columns[0]), dtype=np.int64)),
    points=lambda c: c.n,
)
OF_FLOATS = Columns(array=lambda c, columns: np.array(floats(columns[0])))


def _family(kind: Any, text: str, example: str, **options: Any) -> Family:
    """Return the record of a family on a line; over floats no mistake bound is known, so its golden game brings one."""
    of_floats = issubclass(kind, OnFloats)
    domain = "any number" if of_floats else "a whole number 0..n-1"
    golden = ({"mistake_bound": 12} if of_floats else {}) | options.pop("golden", {})
    return Family(kind.spec_name, kind, example=example, line=f"{text}; x is {domain}", golden=golden, **options)


UNION = "a <= x < b or c <= x < d ..., at most m intervals"
STEPS = "any number of cuts, 0 below the first"
TREE = {"adversary": "littlestone-tree"}

FAMILIES = (
    Family("", HalfLines, frontier=ThresholdFrontier, engines=(ThresholdsEngine,)),
    Family("", Spans, frontier=IntervalFrontier, engines=(CutsEngine,)),
    Family("", CutRules, frontier=CutsFrontier, base=NearestPoint, engines=(CutsEngine,)),
    Family("", OnAGrid, columns=ON_A_GRID),
    Family("", OnFloats, columns=OF_FLOATS),
    _family(Thresholds, "x >= a", "thresholds(n=1024)", base=Bisection, small="thresholds(n=16)"),
    _family(Intervals, "a <= x < b", "intervals(n=256)", base=IntervalSearch, small="intervals(n=9)", golden=TREE),
    _family(RealThresholds, "x >= a", "real_thresholds()", base=NearestLabel),
    _family(RealIntervals, "a <= x < b", "real_intervals()", base=NearestEnds),
    _family(IntervalUnions, UNION, "unions(n=256, m=2)", small="unions(n=6, m=2)", golden={"mistake_bound": 6}),
    _family(RealIntervalUnions, UNION, "real_unions(m=2)"),
    _family(RealSteps, STEPS, "real_steps()", frontier=CutsFrontier, engines=(StepsEngine,), golden={"rounds": 8}),
)
