"""How many queries were asked, where the paths are all labellings of the points with at most d flips.

Two per path and look, and paths may be more than 64 bits count. So a round only counts its look, by the number of
points there were, and the numbers are put together as Python's ints every now and then.
"""

from __future__ import annotations

from array import array
from math import comb

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

KEPT = cython.declare(cython.Py_ssize_t, 1024)


class Tally:
    """Looks at labellings with at most ``cuts`` flips, while there were ``first``, ``first + 1``, ... points."""

    def __init__(self, cuts: cython.Py_ssize_t) -> None:
        self.cuts = cuts
        self.looks = array("q", bytes(8 * KEPT))
        self.first = 0
        self.total = 0

    def look(self, points: cython.longlong) -> cython.void:
        """Count a look."""
        self.looks[points - self.first] += 1

    def reserve(self, points: cython.longlong) -> cython.int:
        """Have room for looks at one more point than these."""
        if points + 1 - self.first >= KEPT:
            self.add_up()
            self.first = points
        return 0

    def add_up(self) -> object:
        """Return the number of queries; the sum of C(m, j) over m = a .. b-1 is C(b, j + 1) - C(a, j + 1)."""
        i: cython.Py_ssize_t = 0
        begin: cython.Py_ssize_t
        j: cython.Py_ssize_t
        while i < KEPT:
            begin = i
            while i < KEPT and self.looks[i] == self.looks[begin]:
                i += 1
            if self.looks[begin]:
                a, b, looks = int(self.first) + begin, int(self.first) + i, int(self.looks[begin])
                for j in range(1, self.cuts + 2):
                    self.total = self.total + 2 * looks * (comb(b, j) - comb(a, j))
        for i in range(KEPT):
            self.looks[i] = 0
        return self.total

    def restart(self, total: int, points: int) -> None:
        """Go on from so many queries and points."""
        self.add_up()
        self.total, self.first = total, points
