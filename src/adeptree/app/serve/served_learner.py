"""A learner behind a service, whose answers and labels are rows of a run's journal, replayed after a crash.

This module is independent of HTTP. One thread answers and learns, and flushes to the disk (``commit``); others may read
under the lock. A result is sent to a client only after it is on the disk.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from itertools import islice
from typing import Any, NamedTuple

from adeptree.app.serve.requests import Refusal
from adeptree.app.serve.service_columns import OWN, ServiceColumns
from adeptree.core import files
from adeptree.core.cell_text import as_text, brief
from adeptree.core.errors import StateError
from adeptree.learners.adept_learner import Adept
from adeptree.pages.run_history import Course
from adeptree.pages.standing import RunFacts, Standing
from adeptree.runner.rows import LabelRow, Row
from adeptree.runner.run_folder import ROWS, RunFolder
from adeptree.runner.ticket_book import EXPIRED, OPEN, UNASKED, Opened, TicketBook

RECENT = 12
"""Number of rounds that the page lists."""
LONG_JOURNAL = 50_000
"""Number of rows after which a checkpoint does not wait for an idle moment, because a crash replays them all."""


class FolderGone(StateError):
    """The folder was moved or removed."""


class Asked(NamedTuple):
    """An instance to be answered: its texts, the instance, and the client's key ("" for none)."""

    cells: list[Any]
    x: Any
    key: str = ""


class Told(NamedTuple):
    """The label of a ticket, and the weight of the round (None: the default)."""

    ticket: int
    y: int
    weight: float | None = None


class ServedLearner:
    """A learner, its tickets and its folder."""

    def __init__(self, name: str, columns: ServiceColumns, learner: Adept, max_open: int) -> None:
        self.name, self.columns, self.learner, self.max_open = name, columns, learner, max_open
        self.folder: RunFolder | None = None
        self.book, self.course = TicketBook(most=max_open), Course()
        self.recent: OrderedDict[int, tuple[Opened, int | None]] = OrderedDict()
        self.lock = threading.RLock()
        self.taken = self.saved = self.expired = self.repeated = 0
        """Numbers of rows in total and at the last checkpoint; since the start, of expired tickets and repeats."""
        self.torn = False
        """True if an exception came between a complete step of the learner and its row in the journal."""
        self._rows: list[Row] = []

    # --- Answers and labels --------------------------------------------------------------------------

    def answer(self, asked: list[Asked]) -> list[dict[str, Any]]:
        """Answer instances, all or none; a key that already waits gets its first answer again."""
        with self.lock:
            keyed = [one for one in asked if one.key]
            kept = {one.key: before for one in keyed if (before := self.book.waiting(one.key))}
            waiting, fresh = {key: before.cells for key, before in kept.items()}, len(asked) - len(keyed)
            for one in keyed:
                if list(map(as_text, waiting.get(one.key, one.cells))) != list(map(as_text, one.cells)):
                    raise Refusal(
                        409, f'key "{brief(one.key)}" waits for the label of another x; every x needs its own key'
                    )
                fresh += one.key not in waiting
                waiting[one.key] = one.cells
            self._check_room(fresh, len(kept))
            opened = [
                (one.key and (kept.get(one.key) or self.book.waiting(one.key))) or self._open(one) for one in asked
            ]
            # Only after all are answered, so that a refused request expires no ticket, nor does a request expire its
            # own.
            own, over = {one.ticket.id for one in opened}, len(self.book.open) - self.max_open if fresh else 0
            for number in list(islice((number for number in self.book.open if number not in own), max(0, over))):
                self._expire(number)
            return [self._said(one) for one in opened]

    def _check_room(self, rounds: int, kept: int) -> None:
        horizon, answered = self.learner.horizon, self.learner.answered
        if horizon is not None and answered + rounds > horizon:
            raise Refusal(
                409,
                f"{answered:,} of the {horizon:,} rounds of --horizon are answered, and this asks for {rounds:,}; "
                f"start a service with a longer --horizon, or without one",
            )
        if rounds and rounds + kept > self.max_open:
            raise Refusal(409, f"at most {self.max_open:,} answers may wait for their labels, and this asks for more")

    def _open(self, asked: Asked) -> Opened:
        ticket, self.torn = self.learner.answer(asked.x), True
        opened = Opened(ticket, asked.cells, asked.key)
        self.book.add(opened)
        self._show(opened, None)
        self._note(Row, asked.cells, asked.key, ticket.p, ticket.id, None, None)
        return opened

    def _said(self, opened: Opened) -> dict[str, Any]:
        one = opened.ticket
        return {"ticket": one.id, "action": str(one.action), "guess": one.guess, "p": one.p, "ask": one.ask}

    def _expire(self, number: int) -> None:
        """Give up a ticket, and journal it, so that the limit may change after a restart."""
        self.learner.give_up(self.book.open[number].ticket)
        self.torn = True
        self.book.expire(number)
        self.expired += 1
        self._note(LabelRow, None, None, None, number, None, None)

    @property
    def reviews(self) -> tuple[int, int]:
        """Numbers of reviews that wait for their labels, and that will get none."""
        with self.lock:
            tickets, handed = self.learner.tickets, self.learner.review is not None
            gone = tickets.unlabelled[-1]
            return handed * self.learner.ledger.picked - tickets.labelled[-1] - gone, gone

    def standing(self) -> Standing | None:
        """Return the learner's standing in numbers and words; None before its first label."""
        account = RunFacts(self.name, self.columns.layout.shown, self.columns.names)
        return Standing(self.learner, account) if self.learner.rounds else None

    def certificate(self) -> dict[str, Any]:
        """Return the certificate of the learner and the state of its tickets, between two rounds."""
        with self.lock:
            found, (waiting, gone) = self.learner.certificate(), self.reviews
            counts = {"stored_labels": self.book.stored, "open_reviews": waiting, "expired_reviews": gone}
            return {**dict(found), **counts, "text": str(found)}

    def learn(self, given: list[Told]) -> dict[str, Any]:
        """Learn labels, all or none, but only store those that the learner does not want.

        A repeated label is ignored, and a contradicting one is refused.
        """
        with self.lock:
            fresh, labels, usual = dict[int, Told](), list[dict[str, Any]](), self.learner.max_weight >= 1
            for place, told in enumerate(given):
                number, weighed = told.ticket, told.weight is not None
                new = asked = usual and not weighed and number in self.book.open and number not in fresh
                if not new:
                    where = f"labels[{place}]: " if len(given) > 1 else ""
                    new = self._is_new(told, fresh.get(number), where)
                    asked = (self.book.status(number) or OPEN) < UNASKED
                if new:
                    fresh[number] = told
                labels.append({"ticket": number, "learnt": asked, "repeated": not new})
            for told in fresh.values():
                self._settle(told)
            self.repeated += len(given) - len(fresh)
            return {"labels": labels, "rounds": self.learner.rounds}

    def _is_new(self, told: Told, before: Told | None, where: str) -> bool:
        """Return True if a label is new, False if it is a repetition; refuse an impossible one."""
        number, status = told.ticket, self.book.status(told.ticket)
        if status is None:
            raise Refusal(404, f"{where}ticket {brief(str(number))} was never given; {len(self.book):,} were")
        if status == EXPIRED:
            raise Refusal(
                410,
                f"{where}ticket {number} has expired: at most {self.max_open:,} answers wait for their labels, and the "
                f"oldest go first",
            )
        # Check in advance what the learner would refuse in the middle of a batch.
        self.learner.round_cost(told.y, 1 if told.weight is None else told.weight)
        known = before.y if before else self.book.label_of(number)
        if known is not None and known != told.y:
            raise Refusal(409, f"{where}ticket {number} has the label {known} already; got {told.y}")
        if before is not None and before.weight != told.weight:
            raise Refusal(409, f"{where}ticket {number} comes twice, with another weight")
        return known is None

    def _settle(self, told: Told) -> None:
        number, opened = told.ticket, self.book.open.get(told.ticket)
        if opened:
            self.learner.learn(opened.ticket, told.y, **({} if told.weight is None else {"weight": told.weight}))
            self.torn = True
            self.book.settle(number, told.y)
            self.course.note(self.learner, str)  # reading the best rule in every round would cost more than the round
            self._show(opened, told.y)
        else:
            self.book.store(number, told.y)
            if number in self.recent:
                self.recent[number] = self.recent[number][0], told.y
        self._note(LabelRow, None, None, None, number, told.y, told.weight)

    def _show(self, opened: Opened, y: int | None) -> None:
        """Add a round to those that the page lists."""
        self.recent[opened.ticket.id] = opened, y
        self.recent.move_to_end(opened.ticket.id)
        if len(self.recent) > RECENT:
            self.recent.popitem(last=False)

    # --- On disk -------------------------------------------------------------------------------------

    def _note(self, kind: type[Row], cells: list[Any] | None, *own: Any) -> None:
        self.taken += 1
        if self.folder is not None:
            known = cells or [None] * len(self.columns.names)
            self._rows.append(kind(self.taken, list(map(as_text, [*known, *own]))))
        self.torn = False

    def commit(self) -> None:
        """Flush all answers and labels since the last commit to the disk."""
        rows, self._rows = self._rows, []
        if self.folder is not None and rows:
            self.folder.append(rows[0].line, rows)
            self._check_place()

    def _check_place(self) -> None:
        """Raise an error if the journal's file has been removed or replaced, because its content would be lost."""
        if self.folder is not None and (fate := self.folder.fate()):
            raise FolderGone(
                f"{self.folder.path / ROWS} was {fate} while the service wrote to it; put the folder back that was "
                f"there, and start the service again"
            )

    @property
    def unsaved(self) -> int:
        """Rows in the journal since the last checkpoint."""
        return self.taken - self.saved if self.folder else 0

    def due(self, quiet: bool) -> bool:
        """Return True if it is time for a checkpoint: when idle, or after very many rows."""
        return self.unsaved >= LONG_JOURNAL or bool(quiet and self.unsaved and self.folder and self.folder.due())

    def checkpoint(self) -> None:
        """Replace the checkpoint."""
        if self.folder is not None:
            self._check_place()
            run = {"position": {"taken": self.taken}, "course": self.course.state(), "book": self.book.state()}
            self.folder.checkpoint(self.learner.saved(), run)
            self.saved = self.taken

    def go_on(self, folder: RunFolder) -> int:
        """Save the learner in a folder, resuming from it; return the number of replayed rows."""
        folder.restore(self._restore)
        rows = folder.rows_after(self.taken)
        folder.take_again(rows, self.taken, self._take_again)
        self.folder, self.expired, self.repeated = folder, 0, 0
        self.checkpoint()
        for place in (folder.path, *list(folder.path.resolve().parents)[:2]):
            files.sync_folder(place)  # the names of journal and folder survive a power failure too
        return len(rows)

    def _restore(self, found: dict[str, Any]) -> None:
        taken, learner = found["position"]["taken"], self.learner
        self.book.restore(found["book"], learner, len(self.columns.names))
        self.course.restore(found["course"], learner.rounds)
        gone = learner.tickets.given_up.number
        if type(taken) is not int or taken != learner.answered + learner.rounds + gone + self.book.stored:
            raise ValueError("every row is an answer, a label, or the end of waiting for one")
        self.taken = self.saved = taken

    def _take_again(self, rows: list[Row]) -> None:
        (row,) = rows
        cells, own = row.cells[: -len(OWN)], row.cells[-len(OWN) :]
        key, p, number, label, weight = own
        if row.fault:
            raise ValueError(row.fault)
        if isinstance(row, LabelRow):
            told = Told(int(number), int(label or 0), float(weight) if weight else None)
            if label not in ("", "0", "1") or not self._is_new(told, None, ""):
                raise ValueError(f"ticket {number} was not open")
            if label:
                self._settle(told)
            else:
                self._expire(told.ticket)
        else:
            before, ticket = self.book.waiting(key), self.learner.answer(self.columns.instance(cells))
            if repr(ticket.p) != p or str(ticket.id) != number or (before and before.ticket.ask):
                raise ValueError(f"ticket {number} was answered with p={p}, and now it would be {ticket.p!r}")
            self.book.add(Opened(ticket, cells, key))
            self.taken += 1
