"""Finished runs on disk: one JSON line per cell, kept as soon as it is known and never run again."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

from adeptree.core.errors import StateError
from adeptree.core.files import seal, unseal
from adeptree.experiments.experiment import Cell, Row, key_of


class Journal:
    """The JSON lines of one experiment in a folder of results.

    A line is ``{"key": ..., "cell": ..., "row": ..., "seconds": ..., "check": ...}``. Lines that do not prove
    themselves by their checksum (torn ones, altered ones, those of the first edition), and lines about another cell
    than their key says, are passed over, so their cells are run again: a lost line costs time, never a result. So does
    a lost end; hence there is no count of lines, as there is in files that nobody can compute again.
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
                # A torn last line gets its end first, so that it does not swallow this one.
                torn = file.tell() > 0 and not self._ends_with_newline()
                file.write((b"\n" if torn else b"") + seal(json.dumps(line)).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StateError(f"{self.path} could not be written: {error.strerror or error}") from error
        # Read back as it would be from the file: a fresh run and a resumed one then see the same values.
        self.rows[key] = json.loads(json.dumps(row))
        self.seconds[key] = seconds

    def _ends_with_newline(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"

    def _read(self) -> None:
        try:
            lines = self.path.read_bytes().splitlines()
        except FileNotFoundError:
            return
        except OSError as error:
            raise StateError(f"{self.path} could not be read: {error.strerror or error}") from error
        for line in lines:
            entry = _parsed(line)
            if entry is not None and entry["key"] == self.key(entry["cell"]):
                self.rows[entry["key"]] = entry["row"]
                self.seconds[entry["key"]] = float(entry["seconds"])


def _is_finite(value: Any) -> bool:
    """Tell whether all numbers in a row are ones that a float can hold; a row with others is run again."""
    if isinstance(value, (list, dict)):
        return all(map(_is_finite, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, (int, float)) or math.isfinite(float(value))


def _parsed(line: bytes) -> dict[str, Any] | None:
    """Return a whole line's entry, or None for one that is torn or altered."""
    try:
        entry = unseal(line.decode())
        cell, row, seconds = entry["cell"], entry["row"], entry["seconds"]
        # A row holds its cell too, and something that was measured.
        whole = entry.keys() == {"key", "cell", "row", "seconds"} and {**row, **cell} == row and len(row) > len(cell)
        return entry if whole and _is_finite(row) and math.isfinite(seconds) and seconds >= 0 else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        return None
