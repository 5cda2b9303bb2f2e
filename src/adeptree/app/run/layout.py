"""The layout of a stream: the columns of x and of the label, and the conversion of texts to instances."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from adeptree.app.run.label_values import Values, copies
from adeptree.app.run.row_label import Label, label_of
from adeptree.app.run.rules_option import Reads, competition
from adeptree.app.run.streams import Stream
from adeptree.core.cell_text import is_missing, number
from adeptree.core.errors import InvalidArgument, InvalidInstance, InvalidLabel
from adeptree.families.registry import columns_of
from adeptree.learners.adept_learner import Adept
from adeptree.roles.concept_class import ConceptClass
from adeptree.runner.rows import EXACT, NumberRows, Row
from adeptree.theory.losses import check_cost, check_weight

UNKNOWN = -1
"""Marks a missing label."""
Convert = Callable[[Sequence[str]], Any]
Tabulate = Callable[[Sequence[Sequence[str]]], Any]


class Example(NamedTuple):
    """One row: the instance, and its label (None if it is missing)."""

    x: Any
    y: int | None


class Examples(NamedTuple):
    """The examples of some rows: the good ones in order, and the faults of the bad ones."""

    rows: Sequence[Row]
    xs: Any
    """A list of instances, or an array for ``instances_of``."""
    ys: Any
    """Their labels, ``UNKNOWN`` if missing."""
    bad: dict[int, InvalidArgument]
    """Faults of bad rows by their index among all rows."""
    places: Sequence[int] = ()
    """Indices of the good rows among all rows."""

    @property
    def learnt(self) -> bool:
        """True if the rows have labels; in a part, all or none have one."""
        return len(self.ys) > 0 and self.ys[0] != UNKNOWN

    def parts(self) -> Iterator[Examples]:
        """Return the rows in parts, each with all of its labels or none."""
        known = np.asarray(self.ys) != UNKNOWN
        if len(known) and known.all():
            yield self
            return
        places = [0, *(np.flatnonzero(known[1:] != known[:-1]) + 1).tolist(), len(known)]
        for start, stop in pairwise(places):
            if start < stop:
                yield Examples(
                    self.rows[start:stop], self.xs[start:stop], self.ys[start:stop], {}, self.places[start:stop]
                )


@dataclass(frozen=True)
class Layout:
    """The columns of x and of the label, the class of their values, and the name of its rules."""

    concept_class: ConceptClass
    names: tuple[str, ...]
    shown: str
    places: tuple[int, ...]
    convert: Convert
    tabulate: Tabulate | None
    label: Label
    reads: Reads

    def examples(self, rows: Sequence[Row], labelled: bool) -> Examples:
        """Return the checked examples of rows, read by columns if possible; ``labelled`` rows must have a label."""
        if len(rows) > 1 and self.tabulate is not None:
            try:
                return self._by_columns(rows, self.tabulate, labelled)
            except (ValueError, OverflowError):
                if isinstance(rows, NumberRows):
                    return self.examples(list(rows), labelled)
        found: tuple[list[Row], list[Any], list[int], dict[int, InvalidArgument], list[int]] = [], [], [], {}, []
        good, xs, ys, bad, places = found
        for place, row in enumerate(rows):
            try:
                x, y = self.example(row, labelled)
            except InvalidArgument as error:
                bad[place] = error.with_traceback(None)
            else:
                good.append(row)
                places.append(place)
                xs.append(x)
                ys.append(UNKNOWN if y is None else y)
        return Examples(*found)

    def _by_columns(self, rows: Sequence[Row], tabulate: Tabulate, labelled: bool) -> Examples:
        """Read rows at once; raise ValueError if they must be read row by row."""
        if isinstance(rows, NumberRows):
            columns, ys = rows.values[:, self.places], self.label.of_numbers(rows.values[:, self.label.place])
            named = columns_of(self.concept_class).names(self.concept_class)
            xs = self.concept_class.instances_of(columns if named else columns[:, 0])
            return Examples(rows, xs, ys, {}, range(len(rows)))
        cells = [row.cells for row in rows if not row.fault]
        ys = self.label.many(cells)
        xs = tabulate([[row[place] for row in cells] for place in self.places])
        fine = ys >= (0 if labelled else UNKNOWN)
        if not columns_of(self.concept_class).gaps:
            fine &= (np.abs(xs) < EXACT).reshape(len(cells), -1).all(axis=1)  # (larger ones are not exact)
        if len(cells) == len(rows) and fine.all():
            return Examples(rows, self.concept_class.instances_of(xs), ys, {}, range(len(rows)))
        good = np.array([not row.fault for row in rows])
        good[good] = fine
        bad = {place: self._fault(rows[place], labelled) for place in np.flatnonzero(~good).tolist()}
        places = np.flatnonzero(good).tolist()
        xs = self.concept_class.instances_of(xs[fine])
        return Examples([rows[place] for place in places], xs, ys[fine], bad, places)

    def _fault(self, row: Row, labelled: bool) -> InvalidArgument:
        try:
            self.example(row, labelled)
        except InvalidArgument as error:
            return error.with_traceback(None)
        raise ValueError("a good row after all, which its column did not show")

    def example(self, row: Row, labelled: bool) -> Example:
        """Return the example of a row; raise InvalidArgument with the fault of its values or its label."""
        if row.fault:
            raise InvalidArgument(row.fault)
        x = self.instance(self._texts(row))
        try:
            y = self.label(row.cells)
        except InvalidLabel as error:
            raise InvalidLabel(f"column {self.label.column}: {error}") from None
        if y is None and labelled:
            raise InvalidArgument(f"column {self.label.column}: the label is missing")
        return Example(x, y)

    def instance(self, texts: list[str]) -> Any:
        """Return the instance of these texts (stripped of blanks) in the columns of x."""
        try:
            return self.concept_class.instance(self.convert(texts))
        except InvalidInstance as error:
            # With several columns, the class names the one.
            where = f"column {', '.join(self.names)}: " if len(self.names) <= 4 else ""
            others = "stumps, intervals, unions and steps do"
            gap = f" ({self.shown} reads no gaps; {others})" if any(map(is_missing, texts)) else ""
            raise InvalidInstance(f"{where}{error}{gap}") from None

    def copies(self, rows: Sequence[Row]) -> list[str]:
        """Return the columns of x that equal the label in all of these rows."""
        ys = [max(y, UNKNOWN) for y in self.label.many(row.cells for row in rows).tolist()]
        found = copies(rows, self.places, ys)
        return [name for name, place in zip(self.names, self.places, strict=True) if place in found]

    def _texts(self, row: Row) -> list[str]:
        return [row.cells[place].strip() for place in self.places]

    def shown_columns(self, rows: Sequence[Row]) -> list[list[str]]:
        """Return the texts of the only column that the rules read; empty if there are several columns."""
        if len(self.places) > 1:
            return []
        (place,) = self.places
        return [rows.texts(place) if isinstance(rows, NumberRows) else [row.cells[place].strip() for row in rows]]


def layout_of(
    stream: Stream,
    rules: str,
    x: str | None,
    label: str | None,
    follow: bool = False,
    known: Reads | None = None,
    values: Values | None = None,
    positive: str | None = None,
    by: str | None = None,
    apart: Sequence[str | None] = (),
) -> Layout:
    """Resolve the options on this stream (``known`` is for ``competition``, ``values`` for ``label_of``)."""
    wanted = label_of(stream, label, positive, follow, values)
    concept_class, names, shown, reads = competition(rules, x, stream, wanted, follow, known, by, apart)
    places = tuple(stream.place(column, "--rules" if x is None else "--features") for column in names)
    if wanted.place in places:
        raise InvalidArgument(
            f'"{wanted.column}" is the label and cannot be a feature; choose with --features and --label'
        )
    columns = columns_of(concept_class)
    convert: Convert = partial(columns.value, concept_class)
    if columns.names(concept_class) is not None and not columns.gaps:
        convert = partial(_mapping, names)
    tabulate = None if columns.array is None else partial(columns.array, concept_class)
    return Layout(concept_class, names, shown, places, convert, tabulate, wanted, reads)


def _mapping(names: Sequence[str], texts: Sequence[str]) -> dict[str, Any]:
    return {name: number(text) for name, text in zip(names, texts, strict=True)}


class WeightColumn:
    """Reads the weight of every row; a row without a valid weight is a bad row."""

    def __init__(self, stream: Stream, column: str, layout: Layout, learner: Adept) -> None:
        self.place, self.column = stream.place(column, "--weight"), column
        self.units = max(learner.costs), learner.scale
        self.limit = learner.max_weight if learner.partial or learner.rate == "lanes" else None
        if column in layout.names or self.place == layout.label.place:
            whose = "a feature" if column in layout.names else "the label"
            raise InvalidArgument(f'--weight: "{column}" is {whose}; name a column that only holds weights')

    def _weight(self, row: Row) -> float:
        weight = check_weight("weight", number(row.cells[self.place].strip()))
        check_cost(weight, *self.units)
        if self.limit is not None and weight > self.limit:
            why = f"with --drift or --feedback no weight may be above --max-weight {self.limit:g}; got {weight:g}"
            raise InvalidArgument(f"{why}; give a larger --max-weight")
        return weight

    def of(self, rows: Sequence[Row]) -> list[float]:
        """Return the weights of good rows."""
        return [self._weight(row) for row in rows]

    def marked(self, rows: Sequence[Row]) -> list[Row]:
        """Return the rows; those without a valid weight get a fault."""
        return [row if row.fault else row._replace(fault=self._fault(row)) for row in rows]

    def _fault(self, row: Row) -> str:
        try:
            self._weight(row)
        except InvalidArgument as error:
            return f"column {self.column}: {error}"
        return ""
