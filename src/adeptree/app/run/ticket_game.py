"""A run whose rows are answered with tickets, one by one: it decides what to review, or which labels to ask for."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from adeptree.app.run.layout import UNKNOWN, Examples
from adeptree.app.run.playing import Game
from adeptree.app.run.progress import ProgressBar
from adeptree.app.terminal import show
from adeptree.core.declared_state import is_real, need
from adeptree.core.escaping import counted
from adeptree.learners.adept_learner import Adept
from adeptree.learners.tickets import Ticket
from adeptree.pages.summary_words import waiting
from adeptree.runner.rows import Row
from adeptree.runner.ticket_book import Opened, TicketBook


@dataclass
class Tally:
    """Drawn actions against the labels of the file, learnt or not."""

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
        """Return it for the summary, and which labels did not come."""
        reviews = [counted(self.reviews, "review")] if learner.review else []
        missed = f"{self.missed:,} miss{'' if self.missed == 1 else 'es'}"
        drawn = ", ".join([missed, counted(self.alarmed, "false alarm"), *reviews])
        told = [f"Drawn, by {counted(self.labels, 'label')} of the file: {drawn}; cost {self.cost:,.10g}."]
        if learner.partial:
            told.append(f"The learner learnt {counted(learner.rounds, 'label')}; its own numbers are estimates.")
        if missing := self.reviews - self.verdicts:
            told.append(f"Without a label so far: {counted(missing, 'review')}; no loss of theirs is counted.")
        certificate = learner.certificate()
        if learner.partial and certificate.average_bound is None:
            told.append(f"Nothing is proven of the cost: {certificate.in_advance_note}.")
        return told

    def restore(self, state: list[Any], rows: int) -> None:
        """Take over saved counts; ValueError and its like if so many rows cannot have them."""
        *counts, cost = state
        need(len(state) == len(fields(self)) and all(type(n) is int and 0 <= n <= rows for n in counts), "tally")
        need(is_real(cost) and 0 <= cost < math.inf, "tally")
        self.__init__(*counts, cost)  # type: ignore[misc]


class TicketGame(Game):
    """A game that answers rows with tickets: all rows where it decides, else those whose labels come late."""

    def __init__(self, *game: Any) -> None:
        super().__init__(*game)
        self.ahead = False
        self.decides = bool(self.options.decisions)
        self.book, self.tally = TicketBook(keep_keys=True), Tally()

    def _key(self, row: Row) -> str:
        """Return the key under which a row waits, "" if it has none."""
        return ""

    def _is_round(self, row: Row, y: int) -> bool:
        return self.decides or super()._is_round(row, y)

    def _play(self, part: Examples, bar: ProgressBar | None) -> None:
        if part.learnt and not self.decides:
            super()._play(part, bar)
            return
        for row, y, number in zip(part.rows, part.ys, self._numbers(part), strict=True):
            self._open(row, None if y == UNKNOWN else int(y), number, bar)

    def _open(self, row: Row, y: int | None, number: int, bar: ProgressBar | None) -> None:
        """Answer a row, and learn its label; without one it waits, if it has a key."""
        x, key, learner = self.layout.example(row, False).x, self._key(row), self.learner
        if key or self.decides:
            ticket = learner.answer(x)
        else:  # not a round: no label will come
            ticket = Ticket(0, None, learner.predict_proba(x), learner.predict(x), 0)
        weight = self.weight.of([row])[0] if self.weight else None
        given = self.frequency.of(ticket.p) if self.frequency else None
        opened = Opened(ticket, [str(number), *self.layout.shown_values(row)], key, weight, given)
        self.tally.reviews += ticket.guess is None
        self._tell(opened, y)
        if bar is not None and self.answers:
            self.answers.give(ticket.p, ticket.guess, *self._decision(ticket), given)
        if ticket.id:
            self.book.add(opened)
            if y is not None:
                self._learn(opened, y)
            elif ticket.ask and not key:
                learner.give_up(ticket)
                self.book.expire(ticket.id)

    def _learn(self, opened: Opened, y: int) -> None:
        """Learn the label of an answered row, if the learner wants it."""
        ticket, _, _, weight, given = opened
        if ticket.ask:
            self.learner.learn(ticket, y, **({} if weight is None else {"weight": weight}))
            self.rounds.note()
            if self.frequency:
                self.frequency.learn(ticket.p, y, given)
            self.book.settle(ticket.id, y)
        else:
            self.book.store(ticket.id, y)
        self.record.note([ticket.x], [y], weight, [ticket.p], [ticket.r])
        review = self.learner.review
        self.tally.note(ticket, y, self.learner.costs, review.cost if review else 0.0, weight)

    def _decision(self, ticket: Ticket) -> list[Any]:
        """Return the action, and whether the label is asked for, where these are columns."""
        return [str(ticket.action), ticket.ask][: len(self.options.decisions)]

    def _tell(self, opened: Opened, y: int | None) -> None:
        """Write a line of the predictions."""
        if self.log:
            ticket, cells, _, _, given = opened
            action, ask = self._decision(ticket)[:1], map(int, self._decision(ticket)[1:])
            more = [*action, *ask, *([given] if self.frequency else []), *self._last(opened.key)]
            self.log.write(cells[:1], [cells[1:]], *([value] for value in (ticket.p, ticket.guess, y, *more)))

    def _last(self, key: str) -> list[str]:
        """Return the last values of a line."""
        return []

    def _more_columns(self) -> tuple[str, ...]:
        return (*self.options.decisions, *super()._more_columns())

    # --- On disk, and what is shown --------------------------------------------------------------------

    def _restore(self, found: dict[str, Any]) -> None:
        super()._restore(found)
        self.book.restore(found["book"], self.learner, columns=1 + (len(self.layout.places) == 1))
        self.tally.restore(found["tally"], self.position.taken)

    def _kept(self) -> dict[str, Any]:
        tally = [getattr(self.tally, field.name) for field in fields(self.tally)]
        return super()._kept() | {"book": self.book.state(), "tally": tally}

    def _summarise(self) -> None:
        if self.decides:
            self.notes[:0] = ["\n".join(self.tally.lines(self.learner))]
        super()._summarise()
        waits = len(self.book.open)
        if (self.decides or waits) and not (self.learner.rounds or self.options.quiet):
            said = f"{self.stream.name}: no label {'was learnt' if self.tally.labels else 'has come'}"
            show("\n\n".join([f"{said}; {waiting(waits)}" if waits else said, *self.notes]), err=self.options.follow)
