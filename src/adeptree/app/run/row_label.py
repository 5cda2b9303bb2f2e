"""The label of a row: a column of two values, or a comparison of a column such as ``arr_delay>15``."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from adeptree.app.run.label_values import PLAIN, WORDS, Values, key, values_of
from adeptree.app.run.streams import Stream
from adeptree.core.cell_text import brief, is_missing, is_number, number
from adeptree.core.errors import InvalidArgument, InvalidLabel
from adeptree.core.types import FloatArray, IntArray

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
MOST_VALUES = 100
"""Largest range of whole numbers whose labels are looked up in a table."""
COMPARISON = re.compile(r"(?P<column>.+?)\s*(?P<sign>>=|<=|==|!=|>|<|=)\s*(?P<value>.*)")


@dataclass(frozen=True)
class Label:
    """The label's column and meaning: ``label(cells)`` is 0, 1, or None if it is missing."""

    column: str
    place: int
    sign: str | None = None
    value: Any = None
    values: Values = PLAIN
    """The values 0 and 1 of a column without a comparison."""

    def __call__(self, cells: Sequence[str]) -> int | None:
        """Return the label of a row, or raise InvalidLabel.

        >>> late = Label("delay", 1, ">", 15)
        >>> late(["x", "20"]), late(["x", "15"]), late(["x", "NA"]), Label("state", 0, "!=", "CA")(["NA"])
        (1, 0, None, None)
        """
        return self.of(cells[self.place])

    def many(self, rows: Iterable[Sequence[str]]) -> IntArray:
        """Return the labels of many rows, reading each distinct text once; -1 if missing, -2 if not a label.

        >>> Label("y", 0).many([["1"], ["no"], ["0"], [""]]).tolist()
        [1, -2, 0, -1]
        """
        texts = [cells[self.place] for cells in rows]
        found = {text: self._known(text) for text in set(texts)}
        return np.fromiter(map(found.__getitem__, texts), np.int64, len(texts))

    def of_numbers(self, column: FloatArray) -> IntArray:
        """Return the labels of numbers, as :meth:`many` does; raise ValueError if they depend on the texts.

        >>> Label("y", 0).of_numbers(np.array([1.0, 0.0])).tolist(), Label("x", 0, ">", 2).of_numbers(np.array([3.0]))
        ([1, 0], array([1]))
        """
        low, high = column.min(), column.max()
        if isinstance(self.value, str) or high - low > MOST_VALUES or (column != np.floor(column)).any():
            raise ValueError
        known = [self._known(str(value)) for value in range(int(low), int(high) + 1)]
        if min(known) < 0:
            raise ValueError
        return np.array(known, dtype=np.int64)[(column - low).astype(np.int64)]  # type: ignore[no-any-return]

    def _known(self, text: str) -> int:
        try:
            found = self.of(text)
        except InvalidLabel:
            return -2
        return -1 if found is None else found

    def of(self, cell: str) -> int | None:
        """Return the label of a cell, None if it is missing; or raise InvalidLabel."""
        text = cell.strip()
        if self.sign is None:
            return self._plain(text)
        if is_missing(text) and text != self.value:
            return None
        value = number(text)
        both = not isinstance(self.value, str) and not isinstance(value, str) and math.isfinite(value)
        if not both and self.sign not in ("==", "!="):
            raise InvalidLabel(f"expected a number, to compare it with {self.value:g}; got {brief(text)!r}")
        left, right = (value, self.value) if both else (text, str(self.value))
        return int(OPERATORS[self.sign](left, right))

    def fits(self, positive: str | None) -> bool:
        """Return True if these values can be labels, with the given one as 1."""
        ones, zeros = map(set, (map(key, texts) for texts in self.values))
        return bool(ones) and not ones & zeros and (positive is None or ones == {key(positive)})

    def said(self) -> str:
        """Describe which value is 1; "" if it is given."""
        return "" if self.sign else self.values.said(self.column)

    def never_one(self) -> str:
        """Return a hint after a run without the label 1."""
        if self.sign:
            return f"no row had {self.column} {self.sign} {self.value}, so the label was never 1; is that spelt right?"
        return f'no row had {brief(self.values.ones[0])} in column "{self.column}", so the label was never 1'

    @cached_property
    def _table(self) -> dict[Any, int]:
        return self.values.table()

    def _plain(self, text: str) -> int | None:
        found = self._table.get(key(text))
        if found is not None or is_missing(text):
            return found
        if not self.values.zeros:
            return 0
        one, zero = brief(self.values.ones[0]), brief(self.values.zeros[0])
        two = f"{one} (which is 1) or {zero} (0)"
        if self.values == WORDS:
            two = "0, 1, true, false, yes or no here, or say which value is 1 with --positive VALUE"
        elif self._table == PLAIN.table():
            two = "0, 1, true or false"
        raise InvalidLabel(
            f"a label must be {two}; got {brief(text)!r}"
            + ("" if self.values == WORDS else f'. If all but {one} are to be 0, say --label "{self.column}=={one}"')
        )


def label_of(
    stream: Stream, text: str | None, positive: str | None = None, follow: bool = False, known: Values | None = None
) -> Label:
    """Return the label of ``--label`` and ``--positive``; by default the last column.

    ``known`` is an earlier result for these rows; ``follow`` reads no rows ahead.
    """
    name = stream.columns[-1] if text is None else text.strip()
    found = None if name in stream.columns else COMPARISON.fullmatch(name)
    if found is None:
        place = stream.place(name, "--label")
        if known is None and follow:
            known = WORDS if positive is None else Values((positive,), ())
        return Label(name, place, values=known or values_of(stream, name, place, positive))
    if positive is not None:
        raise InvalidArgument(f"--positive: {name} is a comparison, and 1 where it is true; leave --positive out")
    column, sign, value = found["column"], found["sign"], _value(found["value"])
    place = stream.place(column, "--label")
    if sign == "=":
        raise InvalidArgument(f'--label: write == to compare, e.g. --label "{column}=={found["value"]}"')
    equality = sign in ("==", "!=")
    if value == "" or (isinstance(value, str) and not equality):
        kind = "value" if equality else "number"
        raise InvalidArgument(
            f'--label: expected a {kind} after {sign}, e.g. --label "{column}{sign}15"; got {found["value"]!r}'
        )
    return Label(column, place, sign, value)


def _value(text: str) -> Any:
    """Return the compared value: a number if it is one; quotes keep it a text."""
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return number(text) if is_number(text) else text
