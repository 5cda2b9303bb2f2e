"""Answers on stdout, one for every row, at once: for a program that sends a row and waits for its answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import repeat
from typing import Any

from adeptree.app.terminal import show


class Answers:
    """One value per column on a line under a header (CSV), or an object a line (NDJSON); a bad row's answer is empty.

    >>> plain, asking = Answers("csv", ("p", "guess")), Answers("ndjson", ("p", "guess", "action", "ask"))
    >>> plain.line(0.25, 0), plain.line(), asking.line(0.25, 0, "0", True), asking.line()[:25]
    ('0.25,0', ',', '{"p": 0.25, "guess": 0, "action": "0", "ask": true}', '{"p": null, "guess": null')
    """

    def __init__(self, form: str, columns: Sequence[str]) -> None:
        self._json, self._columns = form == "ndjson", columns

    def open(self) -> None:
        """Answer the header by a header, so that line i out belongs to line i in."""
        if not self._json:
            show(",".join(self._columns))

    def give(self, *values: Any) -> None:
        """Answer one row."""
        show(self.line(*values))

    def line(self, *values: Any) -> str:
        """Return the text of an answer; all of its values are missing if none is given."""
        said = dict(zip(self._columns, values or repeat(None), strict=False))
        if self._json:
            return json.dumps(said)
        cells = (int(value) if value is True or value is False else value for value in said.values())
        return ",".join("" if cell is None else str(cell) for cell in cells)
