"""A run that answers rows one by one, or whose labels may come late, while rows wait under their keys."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from adeptree.app.run.batching import MOST
from adeptree.app.run.label_keys import LABEL, Keys
from adeptree.app.run.layout import UNKNOWN, Examples
from adeptree.app.run.outputs import inert
from adeptree.app.run.progress import ProgressBar
from adeptree.app.run.run_loop import Game
from adeptree.app.run.streams import Stream
from adeptree.app.terminal import show
from adeptree.core.declared_state import is_real, need
from adeptree.core.errors import AdeptreeError
from adeptree.core.escaping import counted
from adeptree.learners.adept_learner import Adept
from adeptree.learners.tickets import Ticket
from adeptree.pages.standing import RunFacts
from adeptree.pages.summary import waiting
from adeptree.runner.rows import LabelRow, Row
from adeptree.runner.ticket_book import Opened, TicketBook


@dataclass
class Tally:
    """Counts of drawn actions against the labels of the file, learnt or not."""

    reviews: int = 0
    verdicts: int = 0
    """Labels of reviewed rows."""
    labels: int = 0
    missed: int = 0
    alarmed: int = 0
    cost: float = 0.0

    def note(self, ticket: Ticket, y: int, costs: tuple[float, float], review: float, weight: float | None) -> None:
        """Count the label of an answered row."""
        missed, alarmed = ticket.guess == 0 < y, ticket.guess == 1 > y
        handed = ticket.guess is None
        self.labels, self.verdicts = self.labels + 1, self.verdicts + handed
        self.missed, self.alarmed = self.missed + missed, self.alarmed + alarmed
        self.cost += (1 if weight is None else weight) * (missed * costs[0] + alarmed * costs[1] + handed * review)

    def lines(self, learner: Adept) -> list[str]:
        """Return the lines of the summary, with the labels that did not come."""
        reviews = [counted(self.reviews, "review")] if learner.review else []
        missed = f"{self.missed:,} miss{'' if self.missed == 1 else 'es'}"
        drawn = ", ".join([missed, counted(self.alarmed, "false alarm"), *reviews])
        told = [f"Drawn, by {counted(self.labels, 'label')} of the file: {drawn}; cost {self.cost:,.10g}."]
        if learner.partial:
            told.append(f"The learner learnt {counted(learner.rounds, 'label')}; its own numbers are estimates.")
        if missing := self.reviews - self.verdicts:
            void = "; until all have come, nothing is proven of the cost" if learner.partial else ""
            told.append(f"Without a label so far: {counted(missing, 'review')}; no loss of theirs is counted{void}.")
        certificate = learner.certificate()
        if learner.partial and certificate.average_bound is None:
            told.append(f"Nothing is proven of the cost: {certificate.in_advance_note}.")
        return told

    def restore(self, state: list[Any], rows: int) -> None:
        """Restore saved counts; raises an error such as ValueError if this many rows cannot have them."""
        *counts, cost = state
        need(len(state) == len(fields(self)) and all(type(n) is int and 0 <= n <= rows for n in counts), "tally")
        need(is_real(cost) and 0 <= cost < math.inf, "tally")
        self.__init__(*counts, cost)  # type: ignore[misc]


class TicketGame(Game):
    """A game that answers each row before the next (``--follow`` or decisions), or whose labels may come late.

    With keys, the meaning of a row depends on the rows before it.
    """

    def __init__(self, *game: Any, labels: Stream | None) -> None:
        super().__init__(*game)
        self.decides, self.labels = bool(self.options.decisions), labels
        self.alone = self.decides or self.options.follow
        """True if rows are answered one by one."""
        self.book, self.tally = TicketBook(keep_keys=True), Tally()
        key = self.options.key
        self.keys = None if key is None else Keys(self.stream, key, self.layout, self.book)

    # --- Rows ----------------------------------------------------------------------------------------

    def _next_rows(self) -> list[Row]:
        """Return available labels, else rows; a file of labels is read to its end before the first row."""
        if found := self._labels_there(wait=not self.options.follow, most=MOST):
            return found
        rows = list(super()._next_rows())
        # Learn labels written before a row before answering it; labels may still come after the last row.
        return [*self._labels_there(wait=not rows), *rows]

    def _labels_there(self, wait: bool, most: float = math.inf) -> list[Row]:
        """Return the labels that the second file has now; with ``wait``, block until there are some or it ends."""
        found = list[Row]()
        while self.labels and len(found) < most and (self.labels.ready() or (wait and not found)):
            some = self.labels.take(MOST)
            found += some
            self.labels = self.labels if some else None
        return found

    def _take(self, rows: Sequence[Row], bar: ProgressBar | None) -> None:
        for segment in self.keys.segments(rows) if self.keys else [rows]:
            super()._take(segment, bar)

    def _refuse_untakeable(self) -> None:
        if not self.keys:  # with keys, rows depend on those before them and are checked in the replay
            super()._refuse_untakeable()

    def _examples(self, rows: Sequence[Row]) -> Examples:
        if self.keys and self.keys.is_label(rows[0]):
            return self.keys.labels(rows)
        return super()._examples(self.keys.marked(rows) if self.keys else rows)

    def _first_untakeable(self, examples: Examples) -> tuple[int, AdeptreeError] | None:
        if not len(examples.ys) or examples.ys[0] != LABEL:
            return super()._first_untakeable(examples)
        # labels of answered rows may come after the horizon
        stop = examples.bad and self.options.on_bad_row != "skip"
        return next(iter(examples.bad.items())) if stop else None

    def _key(self, row: Row) -> str:
        """Return the key of a row, "" if it has none."""
        return self.keys.of(row) if self.keys else ""

    def _is_round(self, row: Row, y: int) -> bool:
        return self.decides or super()._is_round(row, y) or self._key(row) != ""

    def _play(self, part: Examples, bar: ProgressBar | None) -> None:
        if part.ys[0] == LABEL:
            self._settle(part.rows, bar)
            return
        if part.learnt and not self.alone:
            super()._play(part, bar)
        else:
            xs = part.xs if isinstance(part.xs, list) else [self.layout.example(row, False).x for row in part.rows]
            for row, x, y, number in zip(part.rows, xs, part.ys, self._numbers(part), strict=True):
                self._open(row, x, None if y == UNKNOWN else int(y), number, bar)
        if (keys := self.keys) and part.learnt:
            for row, y in zip(part.rows, part.ys, strict=True):
                if not self.alone:
                    self.book.note(int(y), keys.of(row))
                keys.early.pop(keys.of(row), None)

    def _open(self, row: Row, x: Any, y: int | None, number: int, bar: ProgressBar | None) -> None:
        """Answer a row and learn its label; without a label the row waits, if it has a key."""
        key, learner = self._key(row), self.learner
        ticket = learner.preview(x)
        weight = self.weight.of([row])[0] if self.weight else None
        given = self.frequency.of(ticket.p) if self.frequency else None
        shown = [cell for (cell,) in self.layout.shown_columns([row])]
        opened = Opened(ticket, [str(number), *shown], key, weight, given)
        self._tell(opened, y)
        if bar is not None and self.answers:
            self.answers.give(ticket.p, ticket.guess, *self._decision(ticket), given)
        self.whole = False
        self.tally.reviews += ticket.guess is None
        if y is not None:
            self.book.add(opened)
            self._learn(opened, y, x)
        elif key or self.decides:
            learner.answer(x)
            self.book.add(opened)
            if ticket.ask and not key:
                learner.give_up(ticket)
                self.book.expire(ticket.id)

    def _learn(self, opened: Opened, y: int, x: Any = None) -> None:
        """Learn the label of an answered row, if the learner wants it; ``x`` is set if the row came with its label."""
        ticket, _, _, weight, given = opened
        if x is not None or ticket.ask:
            self.learner.learn(ticket if x is None else x, y, **({} if weight is None else {"weight": weight}))
        if ticket.ask:
            self.rounds.note()
            if self.frequency:
                self.frequency.learn(ticket.p, y, given)
            self.book.settle(ticket.id, y)
        else:
            self.book.store(ticket.id, y)
        self.record.note([ticket.x], [y], weight, [ticket.p], [ticket.r])
        review = self.learner.review
        self.tally.note(ticket, y, self.learner.costs, review.cost if review else 0.0, weight)

    def _settle(self, rows: Sequence[Row], bar: ProgressBar | None) -> None:
        """Learn labels of waiting rows, and store those whose rows have not come."""
        assert self.keys
        for row in rows:
            key, text = self.keys.of(row), row.cells[self.layout.label.place]
            y, opened = self.layout.label.of(text), self.book.waiting(key)
            self.whole = False
            if y is not None and opened is not None:
                self._learn(opened, y)
                self.position = replace(self.position, ones=self.position.ones + y)
                self._tell(opened, y)
            elif y is not None and key not in self.book.keys:
                self.keys.early[key] = text
            if bar is not None and self.answers and not isinstance(row, LabelRow):
                self.answers.give()

    def _decision(self, ticket: Ticket) -> list[Any]:
        """Return the values of the decision columns: the action, and whether the label is asked for."""
        return [str(ticket.action), ticket.ask][: len(self.options.decisions)]

    def _tell(self, opened: Opened, y: int | None) -> None:
        """Write one line of the predictions."""
        if self.log:
            ticket, cells, key, _, given = opened
            action, ask = self._decision(ticket)[:1], map(int, self._decision(ticket)[1:])
            more = [*action, *ask, *([given] if self.frequency else []), *([inert(key)] if self.keys else [])]
            values = [[value] for value in (ticket.p, ticket.guess, y, *more)]
            self.log.write(cells[:1], [[cell] for cell in cells[1:]], *values)

    def _more_columns(self) -> tuple[str, ...]:
        return (*self.options.decisions, *super()._more_columns(), *(["key"] if self.keys else []))

    def _more(self, examples: Examples, given: list[float]) -> list[Any]:
        keys = [[inert(self._key(row)) for row in examples.rows]] if self.keys else []
        return [*super()._more(examples, given), *keys]

    def _taken(self, rows: Sequence[Row], examples: Examples) -> None:
        before, ys = self.position, zip(examples.rows, examples.ys, strict=True)
        super()._taken(rows, examples)
        if not self.keys:
            return
        unlabelled = sum(y == UNKNOWN and not self.keys.of(row) for row, y in ys)
        self.position = replace(
            self.position,
            unlabelled=before.unlabelled + unlabelled,
            labels=before.labels + sum(y == LABEL for y in examples.ys),
            apart=before.apart + sum(isinstance(row, LabelRow) for row in rows),
        )

    # --- Saving and output --------------------------------------------------------------------

    def _restore(self, found: dict[str, Any]) -> None:
        super()._restore(found)
        self.book.restore(found["book"], self.learner, columns=1 + (len(self.layout.places) == 1))
        self.tally.restore(found["tally"], self.position.taken)
        if self.keys:
            self.keys.restore(found["early"])

    def _kept(self) -> dict[str, Any]:
        tally = [getattr(self.tally, field.name) for field in fields(self.tally)]
        early = {"early": dict(self.keys.early)} if self.keys else {}
        return super()._kept() | {"book": self.book.state(), "tally": tally} | early

    def _sentence(self, row: Row, error: AdeptreeError) -> str:
        if not isinstance(row, LabelRow):
            return super()._sentence(row, error)
        return f"{self.options.labels}, line {row.line}{':' if row.fault else ','} {error}"

    def _run_facts(self) -> RunFacts:
        early = len(self.keys.early) if self.keys else 0
        return replace(super()._run_facts(), waiting=len(self.book.open), early=early)

    def _summarise(self) -> None:
        if self.decides:
            self.notes[:0] = ["\n".join(self.tally.lines(self.learner))]
        super()._summarise()
        waits = len(self.book.open)
        if (self.decides or waits) and not (self.learner.rounds or self.options.quiet):
            said = f"{self.stream.name}: no label {'was learnt' if self.tally.labels else 'has come'}"
            show("\n\n".join([f"{said}; {waiting(waits)}" if waits else said, *self.notes]), err=self.options.follow)
