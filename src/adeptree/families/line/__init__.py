"""Thresholds and intervals on a line: of a grid, and of floats."""

from typing import Any

import numpy as np

from adeptree.core.cell_text import floats, wholes
from adeptree.families.line.cuts_engine import CutsEngine, StepsEngine
from adeptree.families.line.interval_bases import IntervalSearch, NearestEnds
from adeptree.families.line.intervals import IntervalFrontier, Intervals, RealIntervals
from adeptree.families.line.thresholds import Bisection, NearestLabel, RealThresholds, ThresholdFrontier, Thresholds
from adeptree.families.line.thresholds_engine import ThresholdsEngine
from adeptree.families.line.unions import CutsFrontier, IntervalUnions, NearestPoint, RealIntervalUnions, RealSteps
from adeptree.roles.family import Columns, Family

ON_A_GRID = Columns(
    array=lambda c, columns: c.instances_of(np.array(wholes(columns[0]), dtype=np.int64)),
    points=lambda c: c.n,
)
OF_FLOATS = Columns(array=lambda c, columns: np.array(floats(columns[0])))

THRESHOLDS: dict[str, Any] = {"frontier": ThresholdFrontier, "engines": (ThresholdsEngine,)}
INTERVALS: dict[str, Any] = {"frontier": IntervalFrontier, "engines": (CutsEngine,)}
UNIONS: dict[str, Any] = {"frontier": CutsFrontier, "base": NearestPoint, "engines": (CutsEngine,)}

FAMILIES = (
    Family(
        "thresholds",
        Thresholds,
        base=Bisection,
        **THRESHOLDS,
        columns=ON_A_GRID,
        example="thresholds(n=1024)",
        line="x >= a; x is a whole number 0..n-1",
        small="thresholds(n=16)",
    ),
    Family(
        "intervals",
        Intervals,
        base=IntervalSearch,
        **INTERVALS,
        columns=ON_A_GRID,
        example="intervals(n=256)",
        line="a <= x < b; x is a whole number 0..n-1",
        small="intervals(n=9)",
        golden={"adversary": "littlestone-tree"},
    ),
    Family(
        "real_thresholds",
        RealThresholds,
        base=NearestLabel,
        **THRESHOLDS,
        columns=OF_FLOATS,
        example="real_thresholds()",
        line="x >= a; x is any number",
        golden={"mistake_bound": 12},
    ),
    Family(
        "real_intervals",
        RealIntervals,
        base=NearestEnds,
        **INTERVALS,
        columns=OF_FLOATS,
        example="real_intervals()",
        line="a <= x < b; x is any number",
        golden={"mistake_bound": 12},
    ),
    Family(
        "unions",
        IntervalUnions,
        **UNIONS,
        columns=Columns(points=lambda c: c.n),
        example="unions(n=256, m=2)",
        line="a <= x < b or c <= x < d ..., at most m intervals; x is a whole number 0..n-1",
        small="unions(n=6, m=2)",
        golden={"mistake_bound": 6},
    ),
    Family(
        "real_unions",
        RealIntervalUnions,
        **UNIONS,
        columns=Columns(),
        example="real_unions(m=2)",
        line="a <= x < b or c <= x < d ..., at most m intervals; x is any number",
        golden={"mistake_bound": 12},
    ),
    Family(
        "real_steps",
        RealSteps,
        **{**UNIONS, "engines": (StepsEngine,)},
        columns=Columns(),
        example="real_steps()",
        line="any number of cuts, 0 below the first; x is any number",
        golden={"mistake_bound": 12, "rounds": 8},
    ),
)
