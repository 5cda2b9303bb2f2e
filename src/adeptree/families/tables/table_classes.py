"""The classes of rules on one column of a table, which differ in their rules about numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from adeptree.core.arguments import check_size
from adeptree.families.line.intervals import RealIntervals
from adeptree.families.line.thresholds import RealThresholds
from adeptree.families.line.unions import MOST_INTERVALS, RealIntervalUnions, RealSteps
from adeptree.families.tables.table_rules import TableRules


@dataclass(frozen=True, repr=False, init=False)
class TableThresholds(TableRules):
    """``column >= cut``, ``column == text``, ``column != text``, missing values included.

    Parameters
    ----------
    features
        The names of the columns; of a time also ``weekday(when)`` and ``hour(when)``.
    times
        The columns that hold times: datetimes, or texts in ISO 8601 such as 2013-05-01T17:00.
    values
        The largest number of texts in a rule such as ``column in {a, b}``, up to 8.

    Examples
    --------
    >>> c = TableThresholds(["age"])
    >>> str(c.erm([({"age": 30}, 0), ({"age": 44}, 1), ({}, 1)]))
    'age >= 40 or age is missing'
    """

    spec_name = "table_thresholds"
    one_cut = True

    inner = RealThresholds()
    """Thresholds."""


@dataclass(frozen=True, repr=False, init=False)
class TableStumps(TableRules):
    """``column >= cut``, ``column < cut``, ``column == text``, ``column != text``, missing values included.

    Parameters
    ----------
    features
        The names of the columns; of a time also ``weekday(when)`` and ``hour(when)``.
    times
        The columns that hold times: datetimes, or texts in ISO 8601 such as 2013-05-01T17:00.
    values
        The largest number of texts in a rule such as ``column in {a, b}``, up to 8.

    Examples
    --------
    >>> c = TableStumps(["age", "sex"])
    >>> c
    table_stumps(features=('age', 'sex'))
    >>> rows = [{"age": 30, "sex": "f"}, {"age": None, "sex": "m"}, {"age": 44, "sex": "f"}, {"sex": "f"}]
    >>> str(c.erm(zip(rows, [1, 0, 1, 1]))), str(c.erm(zip(rows, [0, 1, 1, 1])))
    ('sex == f', 'age >= 40 or age is missing')
    """

    spec_name = "table_stumps"
    falls = one_cut = True

    inner = RealThresholds()
    """Thresholds, which also fall."""


@dataclass(frozen=True, repr=False, init=False)
class TableIntervals(TableRules):
    """``cut <= column < cut``, ``column == text``, ``column != text``, missing values included.

    Parameters
    ----------
    features
        The names of the columns; of a time also ``weekday(when)`` and ``hour(when)``.
    times
        The columns that hold times: datetimes, or texts in ISO 8601 such as 2013-05-01T17:00.
    values
        The largest number of texts in a rule such as ``column in {a, b}``, up to 8.

    Examples
    --------
    >>> c = TableIntervals(["age", "sex"])
    >>> str(c.erm([({"age": 30}, 0), ({"age": 40}, 1), ({"age": 50}, 0), ({"sex": "f"}, 0)]))
    '40 <= age < 50'
    """

    spec_name = "table_intervals"

    inner = RealIntervals()
    """Intervals."""


@dataclass(frozen=True, repr=False, init=False)
class TableUnions(TableRules):
    """At most m intervals of one column, ``column == text``, ``column != text``, missing values included.

    Parameters
    ----------
    features
        The names of the columns; of a time also ``weekday(when)`` and ``hour(when)``.
    times
        The columns that hold times: datetimes, or texts in ISO 8601 such as 2013-05-01T17:00.
    values
        The largest number of texts in a rule such as ``column in {a, b}``, up to 8.
    m
        The largest number of intervals, up to 12.

    Examples
    --------
    >>> c = TableUnions(["age"], 2)
    >>> str(c.erm([({"age": age}, y) for age, y in [(1, 1), (2, 0), (3, 1), (4, 0)]]))
    'age < 2 or 3 <= age < 4'
    """

    m: int = field(kw_only=True)
    spec_name = "table_unions"

    def __init__(self, features: Iterable[str], m: int, *, times: Iterable[str] = (), values: int = 1) -> None:
        super().__init__(features, times=times, values=values)
        object.__setattr__(self, "m", check_size("m", m, at_most=MOST_INTERVALS))

    @property
    def inner(self) -> Any:
        """Unions of at most m intervals."""
        return RealIntervalUnions(self.m)


@dataclass(frozen=True, repr=False, init=False)
class TableSteps(TableRules):
    """Any number of cuts in one column, 0 below the first, ``column == text``, ``column != text``, missing values
    included.

    A learner reports its numbers against the *most probable* rule, as for :class:`RealSteps`, because the best rule
    memorises.

    Parameters
    ----------
    features
        The names of the columns; of a time also ``weekday(when)`` and ``hour(when)``.
    times
        The columns that hold times: datetimes, or texts in ISO 8601 such as 2013-05-01T17:00.
    values
        The largest number of texts in a rule such as ``column in {a, b}``, up to 8.

    Examples
    --------
    >>> c = TableSteps(["age"])
    >>> str(c.erm([({"age": age}, y) for age, y in [(1, 1), (2, 0), (3, 1), (4, 0), (5, 1)]]))
    'age < 2 or 3 <= age < 4 or age >= 5'
    """

    spec_name = "table_steps"

    inner = RealSteps()
    """Steps."""
