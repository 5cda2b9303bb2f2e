"""A run whose labels may come late: a row without one is answered with a ticket, and waits under its key."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from adeptree.app.run.layout import UNKNOWN, Examples
from adeptree.app.run.progress import ProgressBar
from adeptree.app.run.rounds import MOST
from adeptree.app.run.row_keys import LABEL, Keys
from adeptree.app.run.streams import Stream
from adeptree.app.run.ticket_game import TicketGame
from adeptree.app.run.writing import inert
from adeptree.core.errors import AdeptreeError
from adeptree.pages.standing import Account
from adeptree.runner.rows import LabelRow, Row


class LateGame(TicketGame):
    """A game with keys. Rows are told apart as they come, by what the rows before them did."""

    def __init__(self, *game: Any, key: str, labels: Stream | None) -> None:
        super().__init__(*game)
        self.keys, self.labels = Keys(self.stream, key, self.layout, self.book), labels

    # --- Rows ----------------------------------------------------------------------------------------

    def _next_rows(self) -> list[Row]:
        """Return labels that are there, else rows; a file of labels is read to its end before the first row."""
        if found := self._labels_there(wait=not self.options.follow, most=MOST):
            return found
        rows = self.stream.take(self.step)
        # What was written before the row is learnt before it is answered; after the last row, labels may still come.
        return [*self._labels_there(wait=not rows), *rows]

    def _labels_there(self, wait: bool, most: float = math.inf) -> list[Row]:
        """Return the labels that a second file has now; ``wait`` for some, or for its end."""
        found = list[Row]()
        while self.labels and len(found) < most and (self.labels.ready() or (wait and not found)):
            some = self.labels.take(MOST)
            found += some
            self.labels = self.labels if some else None
        return found

    def _take(self, rows: list[Row], bar: ProgressBar | None) -> None:
        for segment in self.keys.segments(rows):
            try:
                super()._take(segment, bar)
            except AdeptreeError as error:
                if bar is None and self.folder:
                    raise self.folder.impossible(self.position.taken + 1, error) from None
                raise

    def _refuse_untakeable(self) -> None:
        """Leave it to when the rows are taken again: what they mean depends on those before."""

    def _examples(self, rows: list[Row]) -> Examples:
        if self.keys.is_label(rows[0]):
            return self.keys.labels(rows)
        return super()._examples(self.keys.marked(rows))

    def _first_untakeable(self, examples: Examples) -> tuple[int, AdeptreeError] | None:
        if not len(examples.ys) or examples.ys[0] != LABEL:
            return super()._first_untakeable(examples)
        # (labels of answered rows come after the horizon, too)
        stop = examples.bad and self.options.on_bad_row != "skip"
        return next(iter(examples.bad.items())) if stop else None

    def _key(self, row: Row) -> str:
        return self.keys.of(row)

    def _is_round(self, row: Row, y: int) -> bool:
        return super()._is_round(row, y) or self.keys.of(row) != ""

    def _play(self, part: Examples, bar: ProgressBar | None) -> None:
        if part.ys[0] == LABEL:
            self._settle(part.rows, bar)
            return
        super()._play(part, bar)
        for row, y in zip(part.rows, part.ys, strict=True) if part.learnt else ():
            if not self.decides:
                self.book.note(int(y), self.keys.of(row))
            self.keys.early.pop(self.keys.of(row), None)

    def _settle(self, rows: list[Row], bar: ProgressBar | None) -> None:
        """Learn labels of rows that wait, and keep those whose rows are to come."""
        for row in rows:
            key, text = self.keys.of(row), row.cells[self.layout.label.place]
            y, opened = self.layout.label.of(text), self.book.waiting(key)
            if y is not None and opened is not None:
                self._learn(opened, y)
                self.position = replace(self.position, ones=self.position.ones + y)
                self._tell(opened, y)
            elif y is not None and key not in self.book.keys:
                self.keys.early[key] = text
            if bar is not None and self.answers and not isinstance(row, LabelRow):
                self.answers.give()

    def _last(self, key: str) -> list[str]:
        return [inert(key)]

    def _more_columns(self) -> tuple[str, ...]:
        return (*super()._more_columns(), "key")

    def _more(self, examples: Examples, given: list[float]) -> list[Any]:
        return [*super()._more(examples, given), [inert(self.keys.of(row)) for row in examples.rows]]

    def _taken(self, rows: list[Row], examples: Examples) -> None:
        before, ys = self.position, zip(examples.rows, examples.ys, strict=True)
        unlabelled = sum(y == UNKNOWN and not self.keys.of(row) for row, y in ys)
        super()._taken(rows, examples)
        self.position = replace(
            self.position,
            unlabelled=before.unlabelled + unlabelled,
            labels=before.labels + sum(y == LABEL for y in examples.ys),
            apart=before.apart + sum(isinstance(row, LabelRow) for row in rows),
        )

    # --- On disk, and what is shown --------------------------------------------------------------------

    def _restore(self, found: dict[str, Any]) -> None:
        super()._restore(found)
        self.keys.restore(found["early"])

    def _kept(self) -> dict[str, Any]:
        return super()._kept() | {"early": dict(self.keys.early)}

    def _sentence(self, row: Row, error: AdeptreeError) -> str:
        if not isinstance(row, LabelRow):
            return super()._sentence(row, error)
        return f"{self.options.labels}, line {row.line}{':' if row.fault else ','} {error}"

    def _account(self) -> Account:
        return replace(super()._account(), waiting=len(self.book.open), early=len(self.keys.early))
