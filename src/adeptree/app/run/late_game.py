"""A run whose labels may come late: a row without one is answered with a ticket, and waits under its key."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from adeptree.app.run.layout import UNKNOWN, Examples
from adeptree.app.run.playing import Game
from adeptree.app.run.progress import ProgressBar
from adeptree.app.run.rounds import MOST
from adeptree.app.run.row_keys import LABEL, Keys
from adeptree.app.run.streams import Stream
from adeptree.app.run.writing import inert
from adeptree.app.terminal import show
from adeptree.core.errors import AdeptreeError
from adeptree.pages.summary import Account
from adeptree.pages.summary_words import waiting
from adeptree.runner.rows import LabelRow, Row
from adeptree.runner.ticket_book import Opened


class LateGame(Game):
    """A game with keys. Rows are told apart as they come, by what the rows before them did."""

    def __init__(self, *game: Any, key: str, labels: Stream | None) -> None:
        super().__init__(*game)
        self.keys, self.labels = Keys(self.stream, key, self.layout), labels
        self.ahead = False

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

    def _is_round(self, row: Row, y: int) -> bool:
        return y >= 0 or (y == UNKNOWN and self.keys.of(row) != "")

    def _play(self, part: Examples, bar: ProgressBar | None) -> None:
        if part.ys[0] == LABEL:
            self._settle(part.rows, bar)
        elif not part.learnt:
            self._open(part, bar)
        else:
            super()._play(part, bar)
            for row, y in zip(part.rows, part.ys, strict=True):
                key = self.keys.of(row)
                self.keys.book.note(int(y), key)
                self.keys.early.pop(key, None)

    def _open(self, part: Examples, bar: ProgressBar | None) -> None:
        """Answer rows without labels; those that have keys wait for them."""
        for row, number in zip(part.rows, self._numbers(part), strict=True):
            x, key, learner = self.layout.example(row, False).x, self.keys.of(row), self.learner
            cells = [str(number), *self.layout.shown_values(row)]
            if key:
                ticket = learner.answer(x)
                p, guess = ticket.p, ticket.guess
            else:
                p, guess = learner.predict_proba(x), learner.predict(x)
            frequency = self.frequency.of(p) if self.frequency else None
            if key:
                weight = self.weight.of([row])[0] if self.weight else None
                self.keys.book.add(Opened(ticket, cells, key, weight, frequency))
            self._log(cells, p, guess, None, frequency, key)
            if bar is not None and self.answers:
                self.answers.give(p, guess, frequency)

    def _settle(self, rows: list[Row], bar: ProgressBar | None) -> None:
        """Learn labels of rows that wait, and keep those whose rows are to come."""
        for row in rows:
            key, text = self.keys.of(row), row.cells[self.layout.label.place]
            y, opened = self.layout.label.of(text), self.keys.book.waiting(key)
            if y is not None and opened is not None:
                ticket, cells, _, weight, frequency = opened
                self.learner.learn(ticket, y, **({} if weight is None else {"weight": weight}))
                self.rounds.note()
                if self.frequency:
                    self.frequency.learn(ticket.p, y, frequency)
                self.sureness.note([ticket.p], [y])
                self.keys.book.settle(ticket.id, y)
                self.position = replace(self.position, ones=self.position.ones + y)
                self._log(cells, ticket.p, ticket.guess, y, frequency, key)
            elif y is not None and key not in self.keys.book.keys:
                self.keys.early[key] = text
            if bar is not None and self.answers and not isinstance(row, LabelRow):
                self.answers.give(None, None)

    def _log(self, cells: list[str], p: float, guess: int | None, y: int | None, given: float | None, key: str) -> None:
        if self.log:
            more = [[given]] if self.frequency else []
            self.log.write(cells[:1], [cells[1:]], [p], [guess], [y], *more, [inert(key)])

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
        self.keys.restore(found["keys"], self.learner)

    def _kept(self) -> dict[str, Any]:
        return super()._kept() | {"keys": self.keys.state()}

    def _sentence(self, row: Row, error: AdeptreeError) -> str:
        if not isinstance(row, LabelRow):
            return super()._sentence(row, error)
        return f"{self.options.labels}, line {row.line}{':' if row.fault else ','} {error}"

    def _summarise(self) -> None:
        super()._summarise()
        if self.keys.book.open and not (self.learner.rounds or self.options.quiet):
            said = f"{self.stream.name}: no label has come; {waiting(len(self.keys.book.open))}"
            show("\n\n".join([said, *self.notes]), err=self.options.follow)

    def _account(self) -> Account:
        return replace(super()._account(), waiting=len(self.keys.book.open), early=len(self.keys.early))
