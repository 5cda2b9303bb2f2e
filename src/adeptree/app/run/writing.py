"""The predictions of a run as CSV, with texts that no spreadsheet takes for formulas."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

from adeptree.app.run.position import Position
from adeptree.core.cell_text import is_number
from adeptree.core.errors import InvalidArgument
from adeptree.core.escaping import counted
from adeptree.runner.appended_file import AppendedFile

COLUMNS, FREQUENCY = ("p", "guess", "y"), ("frequency",)
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""What spreadsheets take for the beginning of a formula, or leave out in front of one."""
SEPARATOR = re.compile("([;\t\r\n])")
"""After which a cell begins, for a spreadsheet that splits lines elsewhere than at commas."""
SUSPECT = re.compile(f"{SEPARATOR.pattern}|^[{re.escape(''.join(FORMULA))}]")
"""What most texts have nothing of."""


class PredictionLog(AppendedFile):
    """A CSV file of predictions: row number, value of the only column, the chance p of guessing 1, guess, true label.

    A column whose name is also that of another one here is called x.
    """

    def __init__(self, path: str, position: Position, names: tuple[str, ...], more: tuple[str, ...] = ()) -> None:
        new = not position.predictions.length
        if new and position.taken:
            raise InvalidArgument(
                f"--predictions: the saved run took {counted(position.taken, 'row')} without this option, so the file "
                f"would lack them; leave it out, or start again with another --save"
            )
        super().__init__(path, "--predictions", position.predictions)
        if new:
            others, only = ("row", *COLUMNS, *more), names if len(names) == 1 else ()
            shown = ("x" if name.strip() in others else inert(name) for name in only)
            self.append(csv_lines([(others[0], *shown, *others[1:])]))

    def write(self, rows: Iterable[Any], values: Iterable[list[str]], *columns: Any) -> None:
        """Write lines, of the values of each column in order; a label of None is left out."""
        first = ([row, *map(inert, value)] for row, value in zip(rows, values, strict=False))
        self.append(csv_lines([*start, *rest] for start, *rest in zip(first, *columns, strict=False)))


def inert(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula: a text that could be one gets an apostrophe in front.

    So does every part of it that is a cell of its own where lines are split at semicolons or tabs, not at commas.

    >>> [inert(text) for text in ("=1+1", "-3.5", "-3.5 2", "-a", "a=b")]
    ["'=1+1", '-3.5', '-3.5 2', "'-a", 'a=b']
    >>> inert("a;=1+1"), inert("a;b;-3"), inert("=1;@b")
    ("a;'=1+1", 'a;b;-3', "'=1;'@b")
    """
    if SUSPECT.search(text) is None:
        return text
    parts = SEPARATOR.split(text)
    later = [f"'{part}" if _is_formula(part) else part for part in parts[1:]]  # (a separator itself is none)
    return "".join(["'" if _is_formula(text) else "", parts[0], *later])


def _is_formula(text: str) -> bool:
    return text.startswith(FORMULA) and not all(map(is_number, text.split(" "))) and not SEPARATOR.fullmatch(text)


def csv_lines(rows: Iterable[Iterable[object]]) -> bytes:
    """Return lines of CSV.

    >>> csv_lines([(1, 'a "b", c', 0.5, None), "xy"])
    b'1,"a ""b"", c",0.5,\\nx,y\\n'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8", "surrogatepass")
