"""Tickets for late labels: answers whose labels are pending."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

from adeptree.core.errors import UnknownTicket

ENOUGH, NEARLY_ALL = 20, 0.95
"""Number and share of tickets from which labels seem to depend on the decision."""
SPARE = 64
"""Settled tickets that are always kept, so that removing them costs little per ticket."""
GUESSES = (0, 1, None)
"""The guess of each action of a kernel; None for a review."""


class Ticket(NamedTuple):
    """An answer that waits for its label; ``learner.learn(ticket, y)`` settles it at any later time, in any order.

    >>> from adeptree import Adept, Thresholds
    >>> learner = Adept(Thresholds(16))
    >>> late = learner.answer(3)
    >>> learner.learn(9, 1)
    >>> learner.learn(late, 0)
    >>> learner.rounds, learner.certificate().overlaps
    (2, 1)
    """

    id: int
    """The number of the answer, from 1."""
    x: Any
    p: float
    """The probability of action 1, fixed when the learner answered."""
    guess: int | None
    """The drawn label; None for a review."""
    arrivals: int
    """Number of labels before the answer; the account charges the labels from here to its own as delay."""
    owner: int = 0
    """Number of the learner that issued the ticket, derived from its class and seed."""
    r: float = 0.0
    """The probability of a review."""
    q: float = 1.0
    """The probability q that the label is wanted; the round then counts 1/q times."""
    ask: bool = True
    """True if the learner wants the label: always, unless ``feedback`` is "reviewed" or "asked"."""

    @property
    def action(self) -> int | str:
        """Return the action: 0, 1 or "review"."""
        return "review" if self.guess is None else self.guess


class GivenUp(NamedTuple):
    """Aggregate statistics of abandoned answers: sums of p (1 - p), max(p, 1 - p); with review 1/4 and 1, their bounds.

    >>> GivenUp().and_also(0.25).and_also(0.5)
    GivenUp(number=2, variance=0.4375, worst=1.25)
    """

    number: int = 0
    variance: float = 0.0
    worst: float = 0.0

    def and_also(self, p: float, r: float = 0.0) -> GivenUp:
        """Return the sums with one more ticket."""
        variance, worst = (0.25, 1.0) if r else (p * (1 - p), max(p, 1 - p))
        return GivenUp(self.number + 1, self.variance + variance, self.worst + worst)


class OpenTickets:
    """The open tickets of a learner, oldest first.

    Both dictionaries only grow until they are replaced, because thousands of tickets may be open and a copy per round
    would be slow (``transactions.py``). Kernels, whose commits cannot be interrupted, also remove tickets
    (``round_kernel.py``).
    """

    GROWS: ClassVar[tuple[str, ...]] = ("given", "settled")

    def __init__(self) -> None:
        self.given: dict[int, Ticket] = {}
        self.settled: dict[int, None] = {}
        self.given_up = GivenUp()
        self.labelled = [0, 0, 0]
        """Number of labelled tickets by action: 0, 1, review."""
        self.unlabelled = [0, 0, 0]
        """Number of tickets given up."""

    def __len__(self) -> int:
        return len(self.given) - len(self.settled)

    def __repr__(self) -> str:
        return f"{len(self)} open tickets: {list(self)!r}"

    def __iter__(self) -> Iterator[Ticket]:
        return iter([ticket for ticket in self.given.values() if ticket.id not in self.settled])

    def add(self, ticket: Ticket) -> None:
        """Keep an answer until its label comes."""
        self.given[ticket.id] = ticket

    def find(self, ticket: Ticket) -> Ticket:
        """Return the open ticket that equals this one; raise an error if there is none."""
        known = self.given.get(ticket.id)
        if known is None or ticket.id in self.settled or (known is not ticket and known[2:8] != ticket[2:8]):
            raise UnknownTicket(
                f"ticket {ticket.id} is not open here: it was settled before, or it is another learner's; "
                f"each ticket takes one label, and {len(self)} wait"
            )
        return known

    def settle(self, ticket: Ticket) -> None:
        """Remove a ticket whose label came."""
        self.remove(ticket)
        self.labelled = _one_more(self.labelled, ticket)

    def remove(self, ticket: Ticket) -> None:
        """Remove a ticket."""
        self.settled[ticket.id] = None
        if 2 * len(self.settled) > len(self.given) + SPARE:
            self.given, self.settled = {other.id: other for other in self}, {}

    def give_up(self, ticket: Ticket) -> None:
        """Remove a ticket whose label will never come; the sums over waiting answers keep its terms."""
        self.remove(ticket)
        self.given_up = self.given_up.and_also(ticket.p, ticket.r)
        self.unlabelled = _one_more(self.unlabelled, ticket)

    def expected(self) -> GivenUp:
        """Return the sums over all answers without a label: given up, of adapters, and open."""
        sums = self.given_up
        for ticket in self:
            sums = sums.and_also(ticket.p, ticket.r)
        return sums

    def selective(self) -> bool:
        """Return True if labels seem to depend on the decision.

        That is, nearly all answers without a label had one guess and those with a label did not, or only reviews have a
        label.
        """
        without, labelled = self.unlabelled, self.labelled
        for ticket in self:
            without = _one_more(without, ticket)
        if min(sum(without), sum(labelled)) < ENOUGH:
            return False
        return any(_apart(without, labelled, guess) for guess in (0, 1)) or _apart(labelled, without, 2)

    def state(self) -> list[list[Any]]:
        """Return the tickets as plain values."""
        return [[t.id, t.x, t.p, t.guess, t.arrivals, t.owner, t.r, t.q] for t in self]

    def restore(self, state: list[list[Any]], given_up: Sequence[Any] = GivenUp()) -> None:
        """Restore what :meth:`state` returned."""
        tickets = [
            Ticket(int(number), x, float(p), None if guess is None else int(guess), int(arrivals), int(owner), *chances)
            for number, x, p, guess, arrivals, owner, *chances in state
        ]
        self.given, self.settled = {ticket.id: ticket for ticket in tickets}, {}
        self.given_up = GivenUp(*given_up)


def _one_more(counts: list[int], ticket: Ticket) -> list[int]:
    return [count + (ticket.guess == guess) for count, guess in zip(counts, GUESSES, strict=True)]


def _apart(these: list[int], others: list[int], action: int) -> bool:
    """Return True if nearly all of these tickets had this action, and hardly any of the others."""
    return these[action] >= NEARLY_ALL * sum(these) and others[action] <= (1 - NEARLY_ALL) * sum(others)
