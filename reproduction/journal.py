"""Journal of finished runs: one JSON line per cell, written to disk at once and never run again."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from adeptree.core.errors import StateError
from adeptree.core.json_lines import UNFIT, LineFormat, Values, seal, unseal
from reproduction.experiment import Cell, Row, key_of

FORMAT = LineFormat("adeptree experiment", 1, "the rows of an experiment")


class Journal:
    """The JSON lines of one experiment in a folder of results.

    After the header a line is ``{"key": ..., "cell": ..., "row": ..., "seconds": ..., "check": ...}``. Lines whose
    checksum does not match (torn ones, altered ones), and lines about another cell than their key says, are ignored, so
    their cells are run again: a lost line costs time, never a result. So does a lost end; hence each line is sealed
    alone, and there is none.
    """

    def __init__(self, folder: Path, experiment: str, version: str) -> None:
        self.path = folder / f"{experiment}.jsonl"
        self.experiment = experiment
        self.version = version
        self.rows: dict[str, Row] = {}
        self.seconds: dict[str, float] = {}
        self._read()

    def key(self, cell: Cell) -> str:
        """Return the name of a cell in this journal."""
        return key_of(self.experiment, cell, self.version)

    def row(self, cell: Cell) -> Row | None:
        """Return what the cell measured, if it was run."""
        return self.rows.get(self.key(cell))

    def add(self, cell: Cell, row: Row, seconds: float) -> None:
        """Keep a finished cell: when this returns, it is on the disk."""
        key = self.key(cell)
        line = {"key": key, "cell": cell, "row": row, "seconds": round(seconds, 4)}
        try:
            with self.path.open("ab") as file:
                file.write(f"{self._start(file.tell())}{seal(json.dumps(line))}\n".encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StateError(f"{self.path} could not be written: {error.strerror or error}") from error
        # Read back as it would be from the file: a fresh run and a resumed one then see the same values.
        self.rows[key] = json.loads(json.dumps(row))
        self.seconds[key] = seconds

    def _start(self, size: int) -> str:
        """Return what comes before the next line: the header of a new file, or the end of a torn line."""
        if not size:
            return FORMAT.writer(experiment=self.experiment).header
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return "" if file.read(1) == b"\n" else "\n"

    def _read(self) -> None:
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise StateError(f"{self.path} could not be read: {error.strerror or error}") from error
        for entry in lone_lines(content):
            if _is_entry(entry) and entry["key"] == self.key(entry["cell"]):
                self.rows[entry["key"]] = entry["row"]
                self.seconds[entry["key"]] = float(entry["seconds"])


def lone_lines(content: bytes) -> Iterator[Values]:
    """Yield the lines whose own checksum is right; other lines need not be."""
    for line in content.split(b"\n"):
        try:
            yield unseal(line.decode())
        except UNFIT:
            continue


def _is_finite(value: Any) -> bool:
    """Return True if all numbers in a row fit a float; other rows are run again."""
    if isinstance(value, (list, dict)):
        return all(map(_is_finite, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, (int, float)) or math.isfinite(float(value))


def _is_entry(entry: dict[str, Any]) -> bool:
    """Return True if a line describes a cell, with a row that contains the cell and measurements."""
    try:
        cell, row, seconds = entry["cell"], entry["row"], entry["seconds"]
        whole = entry.keys() == {"key", "cell", "row", "seconds"} and {**row, **cell} == row and len(row) > len(cell)
        return whole and _is_finite(row) and math.isfinite(seconds) and seconds >= 0
    except UNFIT:
        return False
