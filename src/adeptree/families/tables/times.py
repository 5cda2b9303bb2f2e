"""Columns of times: convert ISO 8601 texts and datetimes to seconds since 1970, weekday and hour."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from adeptree.families.rule_values import Interval, IntervalUnion
from adeptree.families.tables.table_cells import cell_of, plain_value

ISO = re.compile(
    r"\d{4}([-/])\d\d\1\d\d(?:[T ](?:[01]\d|2[0-3]):\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?", re.ASCII
)
"""Accepts 2013-05-01, 2013-05-01T17:00, 2013-05-01 17:00:30.25+02:00, and slashes as in 2013/05/01; no other order."""
DERIVED = re.compile(r"(weekday|hour)\((.+)\)", re.DOTALL)
"""A derived column: the part of the time, and the time's column."""
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def time_in(text: str) -> datetime | None:
    """Parse a time in ISO 8601; return None if the text is not one.

    >>> time_in("2013-05-01 17:00:30Z").isoformat(), time_in("2013-02-30"), time_in("01/05/2013")
    ('2013-05-01T17:00:30+00:00', None, None)
    >>> time_in("2013/05/01") == time_in("2013-05-01"), time_in("2013/05-01")
    (True, None)
    """
    try:
        return datetime.fromisoformat(text.replace("/", "-", 2)) if ISO.fullmatch(text) else None
    except ValueError:
        return None


@dataclass(frozen=True)
class TimeCell:
    """Finds a feature in a row: a time as seconds since 1970 (UTC), or its weekday or hour as written.

    A text that is not a time stays a text, without weekday and hour. A number counts as seconds.

    >>> day, hour = TimeCell("weekday(t)", "t", "weekday"), TimeCell("hour(t)", "t", "hour")
    >>> row = {"t": "2013-05-01T23:30-04:00"}
    >>> TimeCell("t", "t", "")(row), day(row), hour(row), hour({"t": 3600}), day({"t": "soon"})
    (1367465400.0, 'Wed', 23.0, 1.0, None)
    """

    name: str
    column: str
    part: str

    def __call__(self, row: Mapping[str, Any]) -> float | str | None:
        """Return the cell; a value under the feature's own name is used unchanged."""
        own = cell_of(self.name, row.get(self.name)) if self.part else None
        return self.of(row.get(self.column)) if own is None else own

    def of(self, value: Any) -> float | str | None:
        """Return the cell of a value of the time's column."""
        value = plain_value(self.column, value)
        if isinstance(value, str):
            value = time_in(value) or value
        cell = cell_of(self.column, value)
        if not self.part or not isinstance(cell, float):
            return None if self.part else cell
        days, seconds = divmod(cell + _offset(value), 86400.0)
        return DAYS[int(days % 7 + 3) % 7] if self.part == "weekday" else min(23.0, seconds // 3600)


def _offset(value: Any) -> float:
    zone = value.utcoffset() if isinstance(value, datetime) else None
    return zone.total_seconds() if zone else 0.0


class TimeOfRow(float):
    """A number of seconds since 1970 that is displayed as a time in UTC.

    >>> [str(TimeOfRow(seconds)) for seconds in (86400, 3600, 3601.5, 1e300, 1e-7)]
    ['1970-01-02', '1970-01-01T01:00', '1970-01-01T01:00:01.500000', '1e+300', '1e-07']
    """

    def __str__(self) -> str:
        try:
            time = EPOCH + timedelta(seconds=self)
        except OverflowError:
            return repr(self)
        if time.timestamp() != self:  # finer than a microsecond: the text would be another cut
            return repr(self)
        return time.replace(tzinfo=None).isoformat().removesuffix(":00").removesuffix("T00:00")


def with_times(rule: Any, points: Sequence[float]) -> Any:
    """Return the same rule about times with round cuts between the same points.

    >>> from adeptree.families.rule_values import Threshold
    >>> str(with_times(Threshold(4000.0), [0.0, 3000.0, 9000.0]))
    'x >= 1970-01-01T02:00'
    """
    if isinstance(rule, IntervalUnion):
        return IntervalUnion(tuple(with_times(part, points) for part in rule.intervals))
    if isinstance(rule, Interval):
        return Interval(_round(rule.start, points), _round(rule.stop, points))
    return type(rule)(_round(rule.start, points)) if "start" in vars(rule) else rule


def _round(cut: float, points: Sequence[float]) -> float:
    """Return a round time between the same points: the start of a year, else of a month, a day, an hour, ..."""
    place = bisect_left(points, cut)
    if not math.isfinite(cut) or not 0 < place < len(points):
        return cut if math.isinf(cut) else TimeOfRow(cut)
    low, point = points[place - 1 : place + 1]
    try:
        high = EPOCH + timedelta(seconds=point)
    except OverflowError:
        return TimeOfRow(cut)
    if high.timestamp() > point:  # rounded up to a microsecond if the point is finer
        high -= timedelta(microseconds=1)
    second = high.replace(microsecond=0)
    minute = second.replace(second=0)
    hour = minute.replace(minute=0)
    day = hour.replace(hour=0)
    for time in (day.replace(month=1, day=1), day.replace(day=1), day, hour, minute, second, high):
        if (seconds := time.timestamp()) > low:
            return TimeOfRow(seconds)
    return TimeOfRow(point)
