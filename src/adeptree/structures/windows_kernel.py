"""Windows of the last rounds on a line, and the cut that loses the least in each: what followers do."""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from adeptree.core.arrays_kernel import longer

LOWEST = cython.declare(cython.longlong, -0x7FFFFFFFFFFFFFFF)  # below and above all keys
HIGHEST = cython.declare(cython.longlong, 0x7FFFFFFFFFFFFFFF)


def step(span: cython.longlong) -> cython.longlong:
    """Return how many rounds there are between two updates of a window: 4 % of its span."""
    return span // 25 if span >= 25 else 1


def ring_size(spans: Any) -> int:
    """Return how many of the last rounds must be known."""
    longest = max(spans, default=0)
    return longest + step(longest) + 1 if longest else 1  # type: ignore[no-any-return]


class Window:
    """Points in order, each with what a 1 costs there (a 0: less than 0), and the cut that loses the least.

    They are those of the last ``span`` rounds (0: all), and are brought up to date once in :func:`step` rounds.
    """

    def __init__(self, span: int) -> None:
        self.span, self.count, self.fresh, self.half, self.room = span, 0, 0, 0, 0
        self.keys, self.rounds, self.gains = array("q"), array("q"), array("d")
        self.loss, self.rises, self.low, self.high, self.side0, self.side1 = 0.0, True, LOWEST, LOWEST, 0.0, 0.0
        self.grow(span + step(span) + 1)

    def grow(self, room: cython.Py_ssize_t) -> cython.int:
        """Have two halves of this size, one of them in use, and at the end room for the rounds that are to enter."""
        self.keys, self.gains = longer(self.keys, 3 * room), longer(self.gains, 3 * room)
        self.rounds, self.room = longer(self.rounds, 3 * room), room
        return 0

    def enter(self, key: cython.longlong, gain: cython.double, t: cython.longlong) -> cython.void:
        """Let a round wait to enter, in order."""
        i: cython.Py_ssize_t = 2 * self.room + self.fresh
        while i > 2 * self.room and self.keys[i - 1] > key:
            self.keys[i], self.gains[i], self.rounds[i] = self.keys[i - 1], self.gains[i - 1], self.rounds[i - 1]
            i -= 1
        self.keys[i], self.gains[i], self.rounds[i] = key, gain, t
        self.fresh += 1

    @cython.locals(old=cython.Py_ssize_t, new=cython.Py_ssize_t, to=cython.Py_ssize_t, limit=cython.longlong)
    def merge(self, until: cython.longlong) -> cython.void:
        """Let the waiting rounds in, and those leave that are more than a span old."""
        end: cython.Py_ssize_t = self.half * self.room + self.count
        old, self.half = self.half * self.room, 1 - self.half
        to = self.half * self.room
        for new in range(2 * self.room, 2 * self.room + self.fresh + 1):
            limit = self.keys[new] if new < 2 * self.room + self.fresh else HIGHEST
            while old < end and self.keys[old] <= limit:
                self.keys[to], self.gains[to], self.rounds[to] = self.keys[old], self.gains[old], self.rounds[old]
                to += self.rounds[old] + self.span >= until
                old += 1
            if new < 2 * self.room + self.fresh:
                self.keys[to], self.gains[to], self.rounds[to] = limit, self.gains[new], self.rounds[new]
                to += 1
        self.count, self.fresh = to - self.half * self.room, 0

    @cython.locals(i=cython.Py_ssize_t, at=cython.Py_ssize_t, other=cython.Py_ssize_t, zeros=cython.double)
    @cython.locals(least=cython.double, most=cython.double, over=cython.double, total=cython.double)
    def choose(self, falls: cython.bint, single: cython.bint) -> cython.void:
        """Find the cut that loses the least, of rules that rise there and, if ``falls``, of those that fall.

        If rules are about ``single`` points, it is the point whose own gains are the least, or the largest. Rounds
        without a point come first, at ``LOWEST``; they count in ``side0`` and ``side1``, what 0 and 1 lost there.
        """
        first: cython.Py_ssize_t = self.half * self.room
        end: cython.Py_ssize_t = first + self.count
        while first < end and self.keys[first] == LOWEST:
            self.side0 += self.gains[first] if self.gains[first] > 0.0 else 0.0
            self.side1 -= self.gains[first] if self.gains[first] < 0.0 else 0.0
            first += 1
        at = other = first - 1  # the last point left of the best cut of either direction
        least = most = over = zeros = total = 0.0
        for i in range(first, end):
            over += self.gains[i]
            total += self.gains[i]
            zeros -= self.gains[i] if self.gains[i] < 0.0 else 0.0
            if i + 1 == end or self.keys[i + 1] != self.keys[i]:
                if over < least:
                    least, at = over, i
                if over > most:
                    most, other = over, i
                over = 0.0 if single else over
        if single:
            total, zeros = total + self.side0 - self.side1, zeros + self.side1
        self.rises = not falls or least + most <= total
        self.loss = zeros + (least if self.rises else total - most)
        self.loss += 0.0 if single else min(self.side0, self.side1)
        at = at if self.rises else other
        self.low = self.keys[at] if at >= first else LOWEST
        self.high = LOWEST if at < first else self.keys[at + 1] if at + 1 < end else HIGHEST
