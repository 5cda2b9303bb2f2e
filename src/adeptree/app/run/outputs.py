"""Check output paths before a run starts, and write its outputs."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

from adeptree.app.terminal import ClosedOutput, show, special, unwritable
from adeptree.core.cell_text import is_number
from adeptree.core.errors import InvalidArgument, StateError
from adeptree.core.escaping import counted
from adeptree.runner.appended_file import AppendedFile

if TYPE_CHECKING:
    from adeptree.app.run.batching import Position
    from adeptree.app.run.run_command import Options


def check_outputs(options: Options) -> None:
    """Raise an error, before learning, for an output that would fail at the end or destroy the input."""
    stream = options.stream
    _check_separate(options)
    if options.labels and not options.key:
        raise InvalidArgument("--labels: say which column joins its labels to the rows, with --key COLUMN")
    if options.labels and os.path.realpath(options.labels) == os.path.realpath(stream):
        raise InvalidArgument("--labels: that is the stream itself, whose rows may bring labels too; leave it out")
    for option, path in (("--predictions", options.predictions), ("--report", options.report)):
        for source in (stream, options.labels or ""):
            if path and os.path.exists(path) and os.path.exists(source) and os.path.samefile(path, source):
                what = "the stream itself" if source == stream else "the file of the labels"
                raise InvalidArgument(f"{option}: {path} is {what}; name another file")
    both = [os.path.realpath(path) for path in (options.predictions, options.report) if path]
    if len(both) == 2 and both[0] == both[1]:
        raise InvalidArgument(f"--report: {options.report} is the file of the predictions too; name another")
    if options.resume and not options.save:
        raise InvalidArgument("--resume continues the run in a directory; name it with --save")
    if options.save and options.predictions and special(options.predictions):
        raise InvalidArgument(
            f"--predictions: {options.predictions} is not an ordinary file, so a resumed run could not continue it; "
            f"name another"
        )
    if options.follow and isinstance(sys.stdout, ClosedOutput):
        raise InvalidArgument("--follow: stdout is closed, and the answers go there; open it, or leave --follow out")
    if options.predictions and (why := unwritable(options.predictions, in_place=True)):
        raise StateError(f"--predictions: {options.predictions} could not be written: {why}")
    if options.report:
        _check_report(options.report)


def _check_separate(options: Options) -> None:
    """Raise an error for options that separate learners do not support."""
    if options.jobs and not options.separate:
        raise InvalidArgument(
            "--jobs is the number of processes of --separate --by COLUMN; give these, or leave it out"
        )
    if options.separate and not options.by:
        raise InvalidArgument("--separate needs --by COLUMN, the column that names the segment of a row")
    for name in ("follow", "save", "resume", "key", "labels", "predictions", "report", "frequency", "segments"):
        if options.separate and getattr(options, name):
            raise InvalidArgument(f"--separate cannot be used with --{name}; leave one of them out")


def _check_report(path: str) -> None:
    if special(path):
        raise InvalidArgument(f"--report: {path} is not an ordinary file; name another")
    if why := unwritable(path):
        raise StateError(f"--report: {path} cannot be written: {why}")


class Answers:
    """Writes answers: values under a header (CSV), or one object per line (NDJSON); a bad row's answer is empty.

    >>> plain, asking = Answers("csv", ("p", "guess")), Answers("ndjson", ("p", "guess", "action", "ask"))
    >>> plain.line(0.25, 0), plain.line(), asking.line(0.25, 0, "0", True), asking.line()[:25]
    ('0.25,0', ',', '{"p": 0.25, "guess": 0, "action": "0", "ask": true}', '{"p": null, "guess": null')
    """

    def __init__(self, form: str, columns: Sequence[str]) -> None:
        self._json, self._columns = form == "ndjson", columns

    def open(self) -> None:
        """Write a header, so that output line i belongs to input line i."""
        if not self._json:
            show(",".join(self._columns))

    def give(self, *values: Any) -> None:
        """Write the answer of one row."""
        show(self.line(*values))

    def line(self, *values: Any) -> str:
        """Return the text of an answer; without arguments all of its values are missing."""
        said = dict(zip(self._columns, values or repeat(None), strict=False))
        if self._json:
            return json.dumps(said)
        cells = (int(value) if value is True or value is False else value for value in said.values())
        return ",".join("" if cell is None else str(cell) for cell in cells)


COLUMNS, FREQUENCY = ("p", "guess", "y"), ("frequency",)
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""Characters that begin a formula in a spreadsheet, or that it ignores before one."""
SEPARATOR = re.compile("([;\t\r\n])")
"""Separators of cells in spreadsheets that do not split at commas."""
SUSPECT = re.compile(f"{SEPARATOR.pattern}|^[{re.escape(''.join(FORMULA))}]")
"""Characters that need escaping; most texts have none of them."""


class PredictionLog(AppendedFile):
    """A CSV file of predictions: row number, value of the only column, probability p of guessing 1, guess, true label.

    A column whose name is already used here is called x.
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

    def write(self, rows: Iterable[Any], shown: list[list[str]], *columns: Any, plain: bool = False) -> None:
        """Write lines from the values of each column in order; None stays empty. ``plain`` lines hold numbers only."""
        if plain:
            lines = map(",".join, zip(*(map(str, column) for column in (rows, *shown, *columns)), strict=True))
            self.append("\n".join([*lines, ""]).encode())
        else:
            self.append(csv_lines(zip(rows, *(map(inert, cells) for cells in shown), *columns, strict=False)))


def inert(text: str) -> str:
    """Prefix a text that a spreadsheet could take for a formula with an apostrophe (CSV injection).

    Do the same for every part that is a separate cell if lines are split at semicolons or tabs.

    >>> [inert(text) for text in ("=1+1", "-3.5", "-3.5 2", "-a", "a=b")]
    ["'=1+1", '-3.5', '-3.5 2', "'-a", 'a=b']
    >>> inert("a;=1+1"), inert("a;b;-3"), inert("=1;@b")
    ("a;'=1+1", 'a;b;-3', "'=1;'@b")
    """
    if SUSPECT.search(text) is None:
        return text
    parts = SEPARATOR.split(text)
    later = [f"'{part}" if _is_formula(part) else part for part in parts[1:]]  # a separator alone is not a formula
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
