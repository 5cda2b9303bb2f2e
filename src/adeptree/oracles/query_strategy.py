"""Decide between cube queries and row queries, from the declared call cost and past counts (never from timing).

Sets need fewer calls, but each must be thought out, and that takes longer than asking about one row. How many calls
they need is counted in the rounds that use them. So the choice, and with it the number of calls, is the same in every
run.
"""

from __future__ import annotations

from adeptree.core.declared_state import SUM, Declared, Fields, Number

MEMORY = 0.5
"""How much of the calls per row in earlier rounds is carried over to the next."""
LONGEST_WAIT = 64
"""Most rounds between two trials of a way that did not pay."""

FEW = 64
"""With fewer rows than this there is little time to save, and sets are asked about in any case."""

THINKING = {"cubes": (120e-6, 50e-9), "bits": (500e-6, 150e-9)}
"""Seconds to find a question: for itself, and for every word of the table (measured: ``benchmarks/strategies.py``)."""
READING = (15e-6, 0.5e-6)
"""Seconds to ask about one row: for itself, and for each of its labels."""
CALLS = {"cubes": 1.0, "bits": 1.5}
"""Calls per row without sets: with bits there is a second one where the first label was not denied."""
CALLS_TO_SPLIT = {"cubes": 1, "bits": 2}
"""Calls that a row takes in any case if both labels can continue it."""


class Choice(Declared):
    """Chooses between sets of rows and single rows, round by round.

    >>> choice = Choice("cubes", call_cost=1e-5)
    >>> choice.sets_pay(rows=64, points=6, words=1)
    True
    >>> choice.used_sets(rows=64, calls=60, points=6, words=1)
    >>> choice.sets_pay(rows=120, points=7, words=2)
    False
    """

    def __init__(self, way: str, call_cost: float) -> None:
        self.way = way
        self.call_cost = call_cost
        self.calls_a_row = 0.0
        """Of sets, in the last rounds; at first nothing speaks against them."""
        self.wait = 0
        """Rounds to go until sets are tried again."""
        self.next_wait = 1

    def sets_pay(self, rows: int, points: int, words: int) -> bool:
        """Return whether to ask about sets of rows of a table of this size."""
        return rows < FEW or self.wait == 0 or self._sets_win(self.calls_a_row, points, words)

    def _sets_win(self, calls_a_row: float, points: int, words: int) -> bool:
        each, word = THINKING[self.way]
        start, label = READING
        thinking = each + word * points * words
        return calls_a_row * (self.call_cost + thinking) <= CALLS[self.way] * (self.call_cost + start + label * points)

    def used_sets(self, rows: int, calls: int, points: int, words: int) -> None:
        """Take note of a round that asked about sets."""
        if rows < FEW:
            return
        share = calls / rows
        self.calls_a_row = share if not self.calls_a_row else MEMORY * self.calls_a_row + (1 - MEMORY) * share
        if self._sets_win(self.calls_a_row, points, words):
            self.next_wait = 1
        else:
            self.wait, self.next_wait = self.next_wait, min(2 * self.next_wait, LONGEST_WAIT)

    def used_rows(self, rows: int, splits: int, points: int, words: int) -> None:
        """Take note of a round that asked row by row: is there a chance that sets would have been better?"""
        if self.wait and self._sets_win(CALLS_TO_SPLIT[self.way] * splits / rows, points, words):
            self.wait -= 1

    def declared(self) -> Fields:
        """Return what was learnt."""
        wait = Number(int, 0, LONGEST_WAIT)
        return {"calls_a_row": SUM, "wait": wait, "next_wait": wait}
