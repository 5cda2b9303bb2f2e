"""The tickets of a service: which are open, under which keys, and what became of all others."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np

from adeptree.core.declared_state import need
from adeptree.learners import Adept, Ticket

OPEN, ZERO, ONE, EXPIRED = range(4)
"""What is known of a ticket: one byte each, for as long as the service is kept."""


class Opened(NamedTuple):
    """An answer that waits for its label: the learner's ticket, the texts of x, and the key of who asked ("": none)."""

    ticket: Ticket
    cells: list[str]
    key: str


class TicketBook:
    """Tickets by number, from 1 on without a gap.

    >>> book = TicketBook()
    >>> for number in (1, 2, 3):
    ...     book.add(Opened(Ticket(number, 7, 0.5, 1, 0), ["7"], f"key {number}"))
    >>> book.settle(2, 1), list(book.open), book.status(2) == ONE, book.status(4), sorted(book.keys.values())
    (None, [1, 3], True, None, [1, 3])
    """

    def __init__(self) -> None:
        self.open: OrderedDict[int, Opened] = OrderedDict()
        self.keys: dict[str, int] = {}
        self._status = bytearray()

    def __len__(self) -> int:
        return len(self._status)

    def add(self, opened: Opened) -> None:
        """Note an answer."""
        self._status.append(OPEN)
        self.open[opened.ticket.id] = opened
        if opened.key:
            self.keys[opened.key] = opened.ticket.id

    def status(self, number: int) -> int | None:
        """Return what became of a ticket; None if it was never given."""
        return self._status[number - 1] if 0 < number <= len(self._status) else None

    def settle(self, number: int, y: int) -> None:
        """Note the label of a ticket."""
        self._close(number, ONE if y else ZERO)

    def expire(self, number: int) -> None:
        """Note that no label is waited for any more."""
        self._close(number, EXPIRED)

    def _close(self, number: int, status: int) -> None:
        self._status[number - 1] = status
        self.keys.pop(self.open.pop(number).key, None)

    # --- On disk ---------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return it as plain values; the tickets are the learner's."""
        waiting = [[number, opened.cells, opened.key] for number, opened in self.open.items()]
        return {"status": np.frombuffer(bytes(self._status), np.uint8), "open": waiting}

    def restore(self, state: dict[str, Any], learner: Adept, columns: int) -> None:
        """Take over what :meth:`state` returned; ValueError and its like if it does not fit the open tickets."""
        status, given = state["status"], {ticket.id: ticket for ticket in learner.tickets}
        need(status.dtype == np.uint8 and status.shape == (learner.answered,), "status")
        settled, gone = int(((status == ZERO) | (status == ONE)).sum()), int((status == EXPIRED).sum())
        need((settled, gone) == (learner.rounds, learner.tickets.given_up.number), "status")
        for number, cells, key in state["open"]:
            need(isinstance(key, str) and all(isinstance(cell, str) for cell in cells), "open")
            need(len(cells) == columns and key not in self.keys, "open")
            self.open[number] = Opened(given.pop(number), cells, key)
            self.keys |= {key: number} if key else {}
        need(not given and (np.flatnonzero(status == OPEN) + 1).tolist() == sorted(self.open), "open tickets")
        self._status = bytearray(status.tobytes())
