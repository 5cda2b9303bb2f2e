"""Rows of texts, which every format of stream is read into, and their checksum."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import NamedTuple


class Row(NamedTuple):
    """One row: its line in the stream and its cells, a missing one as ""; or what is wrong with it."""

    line: int
    cells: list[str]
    fault: str = ""


class LabelRow(Row):
    """A row of ``--labels``: a key and a label in the stream's columns. There is nothing to answer."""


def digest(rows: Iterable[Row], before: int) -> int:
    """Continue the checksum of the rows before these (where they stood does not matter, nor how they were read).

    Labels of another file are left out.

    >>> a, b = Row(2, ["a", "1"]), Row(9, ["a", "1"])
    >>> digest([a, b], 0) == digest([b], digest([a], 0)) != digest([Row(2, ["a1"]), b], 0)
    True
    """
    own = (row for row in rows if type(row) is not LabelRow)
    texts = ["\x1f".join([*cells, fault]) + "\n" for _, cells, fault in own]
    return zlib.crc32("".join(texts).encode("utf-8", "surrogatepass"), before)
