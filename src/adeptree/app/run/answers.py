"""Answers on stdout, one for every row, at once: for a program that sends a row and waits for its answer."""

from __future__ import annotations

import json

from adeptree.app.terminal import show


class Answers:
    """``p,guess`` a line under a header (CSV), or an object a line (NDJSON); a bad row's answer is empty."""

    def __init__(self, form: str) -> None:
        self._json = form == "ndjson"

    def open(self) -> None:
        """Answer the header by a header, so that line i out belongs to line i in."""
        if not self._json:
            show("p,guess")

    def give(self, p: float | None, guess: int | None) -> None:
        """Answer one row."""
        show(self.line(p, guess))

    def line(self, p: float | None, guess: int | None) -> str:
        """Return the text of an answer.

        >>> Answers("csv").line(0.25, 0), Answers("csv").line(None, None), Answers("ndjson").line(0.25, 0)
        ('0.25,0', ',', '{"p": 0.25, "guess": 0}')
        """
        if self._json:
            return json.dumps({"p": p, "guess": guess})
        return "," if p is None else f"{p!r},{guess}"
