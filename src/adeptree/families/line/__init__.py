"""Thresholds and intervals on a line: of a grid, and of floats."""

from adeptree.families.line.interval_bases import IntervalSearch, NearestEnds
from adeptree.families.line.intervals import IntervalFrontier, Intervals, RealIntervals
from adeptree.families.line.thresholds import Bisection, NearestLabel, RealThresholds, ThresholdFrontier, Thresholds
from adeptree.families.line.thresholds_engine import ThresholdsEngine
from adeptree.roles.family import Columns, Family, OnColumns

FAMILIES = (
    Family(
        "thresholds",
        Thresholds,
        frontier=ThresholdFrontier,
        base=Bisection,
        engines=(ThresholdsEngine,),
        columns=Columns(points=lambda c: c.n),
        example="thresholds(n=1024)",
        line="x >= a; x is a whole number 0..n-1",
        small="thresholds(n=16)",
    ),
    Family(
        "intervals",
        Intervals,
        frontier=IntervalFrontier,
        base=IntervalSearch,
        columns=Columns(points=lambda c: c.n),
        example="intervals(n=256)",
        line="a <= x < b; x is a whole number 0..n-1",
        small="intervals(n=9)",
        golden={"adversary": "littlestone-tree"},
    ),
    Family(
        "real_thresholds",
        RealThresholds,
        frontier=ThresholdFrontier,
        base=NearestLabel,
        engines=(ThresholdsEngine,),
        on_columns=OnColumns(
            "thresholds",
            lambda names, d: RealThresholds(),
            {"thresholds(delay)": "column >= cut"},
        ),
        example="real_thresholds()",
        line="x >= a; x is any number",
        golden={"mistake_bound": 12},
    ),
    Family(
        "real_intervals",
        RealIntervals,
        frontier=IntervalFrontier,
        base=NearestEnds,
        on_columns=OnColumns(
            "intervals",
            lambda names, d: RealIntervals(),
            {"intervals(price)": "cut <= column < cut"},
        ),
        example="real_intervals()",
        line="a <= x < b; x is any number",
        golden={"mistake_bound": 12},
    ),
)
