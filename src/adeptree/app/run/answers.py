"""Answers on stdout, one for every row, at once: for a program that sends a row and waits for its answer."""

from __future__ import annotations

import json

from adeptree.app.terminal import show


class Answers:
    """``p,guess`` a line under a header (CSV), or an object a line (NDJSON); a bad row's answer is empty.

    If asked for, the frequency comes third.
    """

    def __init__(self, form: str, frequency: bool = False) -> None:
        self._json, self._frequency = form == "ndjson", frequency

    def open(self) -> None:
        """Answer the header by a header, so that line i out belongs to line i in."""
        if not self._json:
            show("p,guess,frequency" if self._frequency else "p,guess")

    def give(self, p: float | None, guess: int | None, frequency: float | None = None) -> None:
        """Answer one row."""
        show(self.line(p, guess, frequency))

    def line(self, p: float | None, guess: int | None, frequency: float | None = None) -> str:
        """Return the text of an answer.

        >>> Answers("csv").line(0.25, 0), Answers("csv").line(None, None), Answers("ndjson").line(0.25, 0)
        ('0.25,0', ',', '{"p": 0.25, "guess": 0}')
        >>> Answers("csv", frequency=True).line(0.25, 0, 0.08), Answers("csv", frequency=True).line(None, None)
        ('0.25,0,0.08', ',,')
        """
        said = {"p": p, "guess": guess} | ({"frequency": frequency} if self._frequency else {})
        if self._json:
            return json.dumps(said)
        return ",".join("" if value is None else repr(value) for value in said.values())
