"""The book of tickets: open answers under their keys, and the outcome of all settled ones."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np

from adeptree.core.cell_text import as_text
from adeptree.core.declared_state import need
from adeptree.learners.adept_learner import Adept
from adeptree.learners.tickets import Ticket

OPEN, ZERO, ONE, EXPIRED, UNASKED = range(5)
"""The status of a ticket, one byte each, kept as long as the learner.

A ticket whose label the learner does not want has UNASKED + guess; once its label came, UNASKED + 2 + 2 guess + y."""


class Opened(NamedTuple):
    """An open answer: the learner's ticket, the values of x or their texts, and the client's key ("" for none)."""

    ticket: Ticket
    cells: list[Any]
    key: str = ""
    weight: float | None = None
    frequency: float | None = None


class TicketBook:
    """Tickets by number, from 1 without gaps. A key is free again after its label, unless keys are kept.

    The label of a ticket that does not ask for one is stored, not learnt. Such a ticket keeps its key for ``most``
    further answers, so that a request can be repeated.

    >>> book = TicketBook()
    >>> for number in (1, 2, 3):
    ...     book.add(Opened(Ticket(number, 7, 0.5, 1, 0), ["7"], f"key {number}"))
    >>> book.settle(2, 1), list(book.open), book.status(2) == ONE, book.status(4), sorted(book.keys.values())
    (None, [1, 3], True, None, [1, 3])
    """

    def __init__(self, keep_keys: bool = False, most: float = math.inf) -> None:
        self.open: OrderedDict[int, Opened] = OrderedDict()
        self.unasked: OrderedDict[int, Opened] = OrderedDict()
        """Answers with a key whose label the learner does not want."""
        self.keys: dict[str, int] = {}
        self._status, self._keep_keys, self._most = bytearray(), keep_keys, most

    def __len__(self) -> int:
        return len(self._status)

    def add(self, opened: Opened) -> None:
        """Add an answer."""
        ticket, key = opened.ticket, opened.key
        self._status.append(OPEN if ticket.ask else UNASKED + (ticket.guess or 0))
        if key:
            self.unasked.pop(self.keys.get(key, 0), None)
            self.keys[key] = ticket.id
        if ticket.ask:
            self.open[ticket.id] = opened
        elif key:
            self.unasked[ticket.id] = opened
        while self.unasked and (first := next(iter(self.unasked))) <= len(self) - self._most:
            self._free(self.unasked.pop(first))

    def note(self, y: int, key: str) -> None:
        """Add a round that was answered and learnt at once."""
        self._status.append(ONE if y else ZERO)
        if key:
            self.keys[key] = len(self._status)

    def waiting(self, key: str) -> Opened | None:
        """Return the open answer of a key, or None."""
        number = self.keys.get(key, 0)
        return self.open.get(number) or self.unasked.get(number)

    def status(self, number: int) -> int | None:
        """Return the status of a ticket; None if it was never issued."""
        return self._status[number - 1] if 0 < number <= len(self._status) else None

    def label(self, key: str) -> int | None:
        """Return the label of a key; None if it is unknown."""
        return self.label_of(self.keys.get(key, 0))

    def label_of(self, number: int) -> int | None:
        """Return the label of a ticket, learnt or only stored; None if none came."""
        status = self.status(number) or OPEN
        return status & 1 if status > UNASKED + 1 else {ZERO: 0, ONE: 1}.get(status)

    @property
    def stored(self) -> int:
        """The number of labels that came but were not wanted."""
        return sum(self._status.count(status) for status in range(UNASKED + 2, UNASKED + 6))

    def settle(self, number: int, y: int) -> None:
        """Note the label of a ticket."""
        self._close(number, ONE if y else ZERO)

    def store(self, number: int, y: int) -> None:
        """Note the label of a ticket that did not ask for it."""
        self._status[number - 1] = UNASKED + 2 + 2 * (self._status[number - 1] - UNASKED) + y
        if opened := self.unasked.pop(number, None):
            self._free(opened)

    def expire(self, number: int) -> None:
        """Record that the label of a ticket is no longer awaited."""
        self._close(number, EXPIRED)

    def _close(self, number: int, status: int) -> None:
        self._status[number - 1] = status
        self._free(self.open.pop(number))

    def _free(self, opened: Opened) -> None:
        if not self._keep_keys:
            self.keys.pop(opened.key, None)

    # --- On disk ---------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the book as plain values, without the tickets, which the learner saves."""
        waiting = [[n, list(map(as_text, one.cells)), *one[2:]] for n, one in self.open.items()]
        waiting += [[n, list(map(as_text, one.cells)), *one[2:], one.ticket.p] for n, one in self.unasked.items()]
        kept = {key: number for key, number in self.keys.items() if self.label_of(number) is not None}
        return {"status": np.frombuffer(bytes(self._status), np.uint8), "open": waiting, "keys": kept}

    def restore(self, state: dict[str, Any], learner: Adept, columns: int) -> None:
        """Restore what :meth:`state` returned; raises an error such as ValueError if it is malformed."""
        status, given = state["status"], {ticket.id: ticket for ticket in learner.tickets}
        need(status.dtype == np.uint8 and status.shape == (learner.answered,), "status")
        settled, gone = int(((status == ZERO) | (status == ONE)).sum()), int((status == EXPIRED).sum())
        need((settled, gone) == (learner.rounds, learner.tickets.given_up.number), "status")
        unasked, picked = int((status >= UNASKED).sum()), learner.ledger.picked
        need(status.max(initial=0) < UNASKED + 6 and unasked == (learner.answered - picked) * learner.partial, "status")
        self._status = bytearray(status.tobytes())
        for key, number in state["keys"].items():
            need(self._keep_keys and isinstance(key, str) and key and self.label_of(number) is not None, "keys")
            self.keys[key] = number
        need(len(set(self.keys.values())) == len(self.keys) and min(self.keys.values(), default=1) > 0, "keys")
        for number, cells, key, weight, frequency, *p in state["open"]:
            need(isinstance(key, str) and all(isinstance(cell, str) for cell in cells), "open")
            need(len(cells) == columns and key not in self.keys, "open")
            need(all(value is None or 0 <= value < math.inf for value in (weight, frequency)), "open")
            if p:
                guess = (self.status(number) or OPEN) - UNASKED
                need(key and guess in (0, 1) and len(p) == 1 and 0 <= p[0] <= 1, "tickets that ask for no label")
                self.unasked[number] = Opened(
                    Ticket(number, None, p[0], guess, 0, ask=False), cells, key, weight, frequency
                )
            else:
                self.open[number] = Opened(given.pop(number), cells, key, weight, frequency)
            self.keys |= {key: number} if key else {}
        need(not given and (np.flatnonzero(status == OPEN) + 1).tolist() == sorted(self.open), "open tickets")
