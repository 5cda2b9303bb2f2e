"""``--key``: rows wait under their keys until their labels come, in later rows or from ``--labels``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from adeptree.app.run.layout import Examples, Layout
from adeptree.app.run.row_label import COMPARISON
from adeptree.app.run.streams import Stream
from adeptree.core.cell_text import brief, is_missing
from adeptree.core.declared_state import need
from adeptree.core.errors import InvalidArgument
from adeptree.runner.rows import LabelRow, Row
from adeptree.runner.ticket_book import TicketBook

LABEL = -2
"""Marks a row that only brings a label."""


class Keys:
    """The keys of a run: rows that wait, rows with labels, and labels that came before their rows."""

    def __init__(self, stream: Stream, column: str, layout: Layout, book: TicketBook) -> None:
        self.place, self._layout, self._label = stream.place(column, "--key"), layout, layout.label
        if column in layout.names or self.place == self._label.place:
            whose = "a feature" if column in layout.names else "the label"
            raise InvalidArgument(f'--key: "{column}" is {whose}; name a column that only holds keys')
        self.book = book
        self.early: dict[str, str] = {}
        """Labels that came before their rows, as texts."""

    def of(self, row: Row) -> str:
        """Return the key of a row, "" if it has none."""
        key = "" if row.fault else row.cells[self.place].strip()
        return "" if is_missing(key) else key

    def segments(self, rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
        """Yield the rows in parts without repeated keys, each with labels only or without labels.

        Take each part before you request the next, because the meaning of a row depends on the rows before it.
        """
        done = 0
        while done < len(rows):
            kind, seen, end = self.is_label(rows[done]), set[str](), done
            while end < len(rows) and (key := self.of(rows[end])) not in seen and self.is_label(rows[end]) == kind:
                seen |= {key} if key else set()
                end += 1
            yield rows[done:end]
            done = end

    def is_label(self, row: Row) -> bool:
        """Return True if a row only brings a label: its key waits, or all of x is missing."""
        if isinstance(row, LabelRow):
            return True
        key = self.of(row)
        if not key or not self._has_label(row):
            return False
        missing = (is_missing(row.cells[place].strip()) for place in self._layout.places)
        return self.book.waiting(key) is not None or all(missing)

    def _has_label(self, row: Row) -> bool:
        try:
            return self._label(row.cells) is not None
        except InvalidArgument:
            return True

    # --- Rows that bring labels ------------------------------------------------------------------------

    def labels(self, rows: Sequence[Row]) -> Examples:
        """Return rows that only bring labels, and the faults of bad ones."""
        bad: dict[int, InvalidArgument] = {}
        for place, row in enumerate(rows):
            try:
                self._check_label(row)
            except InvalidArgument as error:
                bad[place] = error.with_traceback(None)
        good = [row for place, row in enumerate(rows) if place not in bad]
        return Examples(good, [None] * len(good), [LABEL] * len(good), bad)

    def _check_label(self, row: Row) -> None:
        if row.fault:
            raise InvalidArgument(row.fault)
        key = self.of(row)
        if not key:
            raise InvalidArgument("the key is missing, so the label belongs to no row")
        try:
            y = self._label.of(row.cells[self._label.place])
        except InvalidArgument as error:
            raise type(error)(f"column {self._label.column}: {error}") from None
        known = self.known(key)
        if y is not None and known is not None and y != known:
            raise InvalidArgument(f'key "{brief(key)}" has the label {known} already; got {y}')

    def known(self, key: str) -> int | None:
        """Return the label that came for a key, or None."""
        return self._label.of(self.early[key]) if key in self.early else self.book.label(key)

    # --- Rows that are answered ------------------------------------------------------------------------

    def marked(self, rows: Sequence[Row]) -> list[Row]:
        """Return rows with the labels that came before them, or with the faults of their keys."""
        return [row if row.fault or not (key := self.of(row)) else self._marked(row, key) for row in rows]

    def _marked(self, row: Row, key: str) -> Row:
        if key in self.book.keys:
            has = "waits for its label" if self.book.waiting(key) else "has its label"
            return row._replace(fault=f'key "{brief(key)}" came before and {has}; each row needs a different key')
        if key not in self.early:
            return row
        place, cells = self._label.place, list(row.cells)
        if not self._has_label(row):
            cells[place] = self.early[key]
            return row._replace(cells=cells)
        try:
            self._check_label(row)
        except InvalidArgument as error:
            return row._replace(fault=str(error))
        return row

    # --- On disk ---------------------------------------------------------------------------------------

    def restore(self, early: dict[str, str]) -> None:
        """Restore the labels that came before their rows; raises an error such as ValueError if they are not valid."""
        need("" not in self.book.keys and all(opened.key for opened in self.book.open.values()), "tickets without keys")
        need(all(self._label.of(text) is not None for text in early.values()), "early")
        self.early = dict(early)


# --- A second file ---------------------------------------------------------------------------------------


def label_column(label: str) -> str:
    """Return the column that ``--label`` reads, which may be a comparison.

    >>> label_column("delay>15"), label_column("late")
    ('delay', 'late')
    """
    found = COMPARISON.fullmatch(label)
    return found["column"] if found else label


def with_labels(stream: Stream, labels: Stream, key: str, label: str | None) -> tuple[Stream, Stream, str]:
    """Return the stream with a label column, the labels as rows of that stream, and the value of ``--label``."""
    places = [labels.place(key, "--labels")]
    wanted = label or [column for column in labels.columns if column != key][-1]
    column = wanted if wanted in labels.columns else label_column(wanted)
    places.append(labels.place(column, "--labels"))
    if column not in stream.columns:
        wider = ([row if row.fault else row._replace(cells=[*row.cells, ""]) for row in rows] for rows in stream.source)
        stream = replace(stream, columns=[*stream.columns, column], source=wider)
    goals = [stream.place(key, "--key"), stream.place(column, "--label")]
    rows: Any = ([_label_row(row, places, goals, len(stream.columns)) for row in rows] for rows in labels.source)
    return stream, replace(labels, columns=stream.columns, source=rows), wanted


def _label_row(row: Row, places: list[int], goals: list[int], width: int) -> LabelRow:
    cells = [""] * width
    for place, goal in zip(places, goals, strict=True):
        cells[goal] = "" if row.fault else row.cells[place]
    return LabelRow(row.line, cells, row.fault)
