"""The label of a row: a column of 0 and 1, or a comparison of a column such as ``arr_delay>15``."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.app.run.rows import Stream
from adeptree.core.cells import LABELS, brief, is_missing, is_number, number
from adeptree.core.errors import InvalidArgument, InvalidLabel
from adeptree.core.types import IntArray

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
COMPARISON = re.compile(r"(?P<column>.+?)\s*(?P<sign>>=|<=|==|!=|>|<|=)\s*(?P<value>.*)")


@dataclass(frozen=True)
class Label:
    """Where the label is, and how it is read: ``label(cells)`` is 0, 1, or None where it is missing."""

    column: str
    place: int
    sign: str | None = None
    value: Any = None

    def __call__(self, cells: Sequence[str]) -> int | None:
        """Return the label of a row, or raise InvalidLabel.

        >>> late = Label("delay", 1, ">", 15)
        >>> late(["x", "20"]), late(["x", "15"]), late(["x", "NA"])
        (1, 0, None)
        """
        return self.of(cells[self.place])

    def many(self, rows: Iterable[Sequence[str]]) -> IntArray:
        """Return the labels of many rows, each text read once; -1 where one is missing or none.

        >>> Label("y", 0).many([["1"], ["no"], ["0"], ["1"]]).tolist()
        [1, -1, 0, 1]
        """
        texts = [cells[self.place] for cells in rows]
        found = {text: self._known(text) for text in set(texts)}
        return np.fromiter(map(found.__getitem__, texts), np.int64, len(texts))

    def _known(self, text: str) -> int:
        try:
            found = self.of(text)
        except InvalidLabel:
            found = None
        return -1 if found is None else found

    def of(self, cell: str) -> int | None:
        """Return the label that a cell says, None for nothing; or raise InvalidLabel."""
        text = cell.strip()
        if self.sign is None:
            return self._plain(text)
        if text == "" or (is_missing(text) and not isinstance(self.value, str)):
            return None
        value = number(text)
        both = not isinstance(self.value, str) and not isinstance(value, str) and math.isfinite(value)
        if not both and self.sign not in ("==", "!="):
            raise InvalidLabel(f"expected a number, to compare it with {self.value:g}; got {brief(text)!r}")
        left, right = (value, self.value) if both else (text, str(self.value))
        return int(OPERATORS[self.sign](left, right))

    def _plain(self, text: str) -> int | None:
        found = LABELS.get(text.lower())
        if found is None and not is_missing(text):
            raise InvalidLabel(
                f"a label must be 0, 1, true or false; got {brief(text)!r}. "
                f'Other values need a comparison, e.g. --label "{self.column}=={brief(text)}"'
            )
        return found


def label_of(stream: Stream, text: str | None) -> Label:
    """Return the label that ``--label`` means; by default the last column."""
    name = stream.columns[-1] if text is None else text.strip()
    found = None if name in stream.columns else COMPARISON.fullmatch(name)
    if found is None:
        return Label(name, stream.place(name, "--label"))
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
    """Return what is compared with: a number if it is one; quotes keep it a text."""
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return number(text) if is_number(text) else text
