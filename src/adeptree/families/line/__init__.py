"""Thresholds and intervals on a line: of a grid, and of floats."""

from adeptree.families.line.float_line import RealIntervals, RealThresholds
from adeptree.families.line.float_line_frontiers import (
    RealIntervalFrontier,
    RealThresholdFrontier,
)
from adeptree.families.line.grid_line import Intervals, Thresholds
from adeptree.families.line.grid_line_bases import Bisection, IntervalSearch
from adeptree.families.line.grid_line_frontiers import (
    IntervalFrontier,
    ThresholdFrontier,
)
from adeptree.families.line.nearest import NearestEnds, NearestLabel
from adeptree.roles.family import Columns, Family, OnColumns

FAMILIES = (
    Family(
        "thresholds",
        Thresholds,
        frontier=ThresholdFrontier,
        base=Bisection,
        bases=(Bisection,),
        columns=Columns(points=lambda c: c.n),
        example="thresholds(n=1024)",
        line="x >= a; x is a whole number 0..n-1",
    ),
    Family(
        "intervals",
        Intervals,
        frontier=IntervalFrontier,
        base=IntervalSearch,
        bases=(IntervalSearch,),
        columns=Columns(points=lambda c: c.n),
        example="intervals(n=256)",
        line="a <= x < b; x is a whole number 0..n-1",
    ),
    Family(
        "real_thresholds",
        RealThresholds,
        frontier=RealThresholdFrontier,
        base=NearestLabel,
        bases=(NearestLabel,),
        on_columns=OnColumns(
            "thresholds",
            lambda names, d: RealThresholds(),
            {"thresholds(delay)": "column >= cut"},
        ),
        example="real_thresholds()",
        line="x >= a; x is any number",
    ),
    Family(
        "real_intervals",
        RealIntervals,
        frontier=RealIntervalFrontier,
        base=NearestEnds,
        bases=(NearestEnds,),
        on_columns=OnColumns(
            "intervals",
            lambda names, d: RealIntervals(),
            {"intervals(price)": "cut <= column < cut"},
        ),
        example="real_intervals()",
        line="a <= x < b; x is any number",
    ),
)
