"""Rules on one column of a table with numbers, texts and missing values; the column is part of the rule."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from adeptree.core.arguments import check_size
from adeptree.core.dataframes import framed, is_series, plain_rows, rows_of
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import Concept, Instance, Sample
from adeptree.families.blocks.block_unions import best_blocks
from adeptree.families.line.thresholds import turned
from adeptree.families.rule_values import Constant, Interval, Threshold
from adeptree.families.stumps.real_stumps import names_of
from adeptree.families.tables.cell_rules import NumberRule, ValueRule
from adeptree.families.tables.detecting import SAMPLED, FirstRows
from adeptree.families.tables.table_cells import TableCells, cells_of, clipped, row_of
from adeptree.families.tables.times import DERIVED, TimeCell, with_times
from adeptree.roles.concept_class import ConceptClass

MOST_VALUES = 8


def always(rule: Concept) -> int | None:
    """Return the label of a constant rule about numbers; None if it has both labels.

    >>> always(Constant(1)), always(Interval(0, 0)), always(Threshold(3.0)), always(Interval(-math.inf, math.inf))
    (1, 0, None, 1)
    """
    text = str(rule)
    return int(text == "always 1") if text.startswith(("always", "never 1")) else None


@dataclass(frozen=True, repr=False, init=False)
class TableRules(ConceptClass):
    """Rules about the numbers of one column, or about one of its values, with a label for missing values.

    Instances map column names to numbers and texts. None, NaN or an absent name is a missing value; other names are
    ignored. Per column the rules are: a rule about numbers with a label for rows without a number (``age >= 40``, ``age
    >= 40 or age is missing``); ``column == text``, ``column != text``, ``column is missing`` and ``column is not
    missing``. Two of them are always 0 and always 1.
    """

    features: tuple[str, ...]
    times: tuple[str, ...] = ()
    values: int = 1
    falls: ClassVar[bool] = False
    """True if rules about numbers exist in both directions."""
    one_cut: ClassVar[bool] = False
    """True if rules about numbers have one cut."""

    def __init__(self, features: Iterable[str], *, times: Iterable[str] = (), values: int = 1) -> None:
        object.__setattr__(self, "features", names_of(features))
        object.__setattr__(self, "values", check_size("values", values, at_most=MOST_VALUES))
        object.__setattr__(self, "times", () if times == () or times == [] else names_of(times, "times"))
        if missing := [name for name in self.times if all(name != cell.column for cell in self.lookups.values())]:
            raise InvalidArgument(
                f"times must be columns that the features read, as they are or by weekday(...) and hour(...); "
                f"{got('times', missing[0])}"
            )

    @classmethod
    def of(cls, frame: Any, label: str | Iterable[str] = (), **settings: Any) -> Self:
        """Return the rules on the columns of a data frame (pandas, polars, pyarrow, ...) except the label's.

        ``label`` may be several names, all of which are excluded. As in ``adeptree run``, the first 100 rows determine
        the columns that are times, which get features for weekday and hour. Columns whose texts all differ are
        excluded, unless ``times`` are given. ``settings`` are the other arguments of the class.

        >>> import pandas as pd
        >>> from adeptree import TableStumps
        >>> frame = pd.DataFrame({"age": [31, 44], "when": pd.to_datetime(["2013-05-01", "2013-05-02"]), "y": [0, 1]})
        >>> TableStumps.of(frame, label="y")
        table_stumps(features=('age', 'when', 'weekday(when)'), times=('when',))
        """
        found = framed(frame)
        if found is None or is_series(found):
            raise InvalidArgument(
                f"a data frame of pandas, polars, pyarrow or another was expected; {got('frame', frame)}"
            )
        left_out = {label} if isinstance(label, str) else set(label)
        names = list(map(str, found.columns))
        if unknown := sorted(left_out - set(names)):
            raise InvalidArgument(
                f"label must name columns of the frame ({', '.join(names)}); {got('label', unknown[0])}"
            )
        others = [name for name in names if name not in left_out]
        features, times = FirstRows.of(rows_of(found.head(SAMPLED)), names).reads([], others)
        if "times" in settings:
            features, times = tuple(others), settings.pop("times")
        return cls(features, **{"times": times} | settings)

    @property
    @abstractmethod
    def inner(self) -> Any:
        """The class of the rules about numbers."""

    @cached_property
    def lookups(self) -> dict[str, Any]:
        """Functions that find the features that are times, or derived from one, in a row."""
        found = {}
        for name in self.features:
            made = DERIVED.fullmatch(name)
            if name in self.times:
                found[name] = TimeCell(name, name, "")
            elif made and made[2] in self.times:
                found[name] = TimeCell(name, made[2], made[1])
        return found

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the rules read, with one or several features each."""
        return tuple(dict.fromkeys(self.lookups[f].column if f in self.lookups else f for f in self.features))

    def instance(self, x: Any) -> Instance:
        """Return x as a dict without missing cells."""
        return row_of(self.features, x, self.lookups)

    def instances_of(self, xs: Iterable[Any]) -> Any:
        """Return many instances, in columns."""
        if isinstance(xs, TableCells):
            return xs
        if isinstance(xs, np.ndarray) and xs.shape[1:] == (len(self.columns),):
            if xs.dtype.kind == "f" and not self.times:
                return TableCells(self.features, clipped(xs.astype(np.float64)), [None] * len(self.features))
            xs = [dict(zip(self.columns, row, strict=True)) for row in plain_rows(xs)]
        return TableCells.of(self.features, [self.instance(x) for x in xs])

    def instances_in(self, columns: Mapping[str, Any]) -> Any:
        """Return the rows of columns, in columns."""
        cells, rows = list[Any](), 0
        for name in self.features:
            look = self.lookups.get(name)
            values = columns[look.column if look else name]
            rows = len(values)
            cells.append(cells_of(name, values, look and look.of))
        return TableCells.in_columns(self.features, cells, rows)

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw a missing value with probability 1/4, else a number 0 to 7, or a text in every second column."""
        cells = (rng.choice(["red", "green", "blue"]) if f % 2 else rng.integers(8) for f in range(len(self.features)))
        drawn = zip(self.features, cells, rng.random(len(self.features)) < 0.25, strict=True)
        return row_of(self.features, {name: cell for name, cell, gap in drawn if not gap})

    def random_concept(self, rng: np.random.Generator) -> Concept:
        """Draw a column and a rule about its numbers; in every second column, about its values."""
        f, side = int(rng.integers(len(self.features))), int(rng.integers(2))
        if f % 2:
            return self.about_values(self.features[f], [str(rng.choice(["red", "green", "blue"]))], bool(side))
        cut = float(rng.integers(1, 8))
        low = bool(rng.integers(2)) and self.falls
        return self.about_numbers(self.features[f], Interval(-math.inf, cut) if low else Threshold(cut), side, ())

    def about_numbers(self, name: str, rule: Any, gap: int, points: Iterable[float]) -> NumberRule:
        """Return a rule about the numbers of a feature; for a time, with round cuts between these points."""
        if name in self.times:
            rule = with_times(rule, sorted(points))
        return NumberRule(name, rule, gap, self.lookups.get(name))

    def about_values(self, name: str, values: Sequence[str | None], equal: bool) -> ValueRule:
        """Return a rule about one or several values of a feature."""
        return ValueRule(name, *values, equal=equal, lookup=self.lookups.get(name))

    def erm(self, sample: Sample) -> Concept:
        """Return a best rule; among equals a constant, else the simplest of the first column."""
        pairs = self.clean(sample)
        return min(self._candidates(pairs), key=lambda rule: sum(rule(x) != y for x, y in pairs))

    def _candidates(self, pairs: Sample) -> Iterator[Concept]:
        """Return rules that include a best one."""
        yield from (Constant(0), Constant(1))
        for name in self.features:
            cells = [(x.get(name), y) for x, y in pairs]
            gains = Counter[str | None]()
            for cell, y in cells:
                if not isinstance(cell, float):
                    gains[cell] += 2 * y - 1
            values = sorted(gains, key=lambda value: value or "")
            yield from (self.about_values(name, [value], equal) for value in values for equal in (True, False))
            for equal, sign in (True, 1), (False, -1):
                if len(places := best_blocks(np.array([sign * gains[value] for value in values]), self.values)) > 1:
                    yield self.about_values(name, [values[place] for place in places], equal)
            numbers = [(cell, y) for cell, y in cells if isinstance(cell, float)]
            others = [y for cell, y in cells if not isinstance(cell, float)]
            gap = int(2 * sum(others) > len(others))
            points = {cell for cell, _ in numbers}
            yield self.about_numbers(name, self.inner.erm(numbers), gap, points)
            if self.falls:
                fallen = turned(self.inner.erm([(cell, 1 - y) for cell, y in numbers]))
                yield self.about_numbers(name, fallen, gap, points)
