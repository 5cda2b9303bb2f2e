"""How the prior divides the mass of a path: from k and n alone, so that no path has to keep the parts of its mass."""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]


class Shares:
    """How a path's mass is divided where it is contested: by the parts of the prior; each cut has ``per_cut`` more."""

    def __init__(self, shares: Any, betas: Any, per_cut: float) -> None:
        self.parts = len(shares)
        self.shares, self.betas = array("d", shares), array("d", betas)
        self.per_cut = per_cut
        self.agree = self.against = 0.0
        self.right = array("d")
        self.room = 0
        self.longest = 0  # the largest n of a path
        self.singles = 0  # paths that one cell alone follows
        self.make_room(64)

    def make_room(self, room: cython.Py_ssize_t) -> cython.int:
        """Tabulate each part's mass after m contested rounds without a mistake, m < room."""
        i: cython.Py_ssize_t
        m: cython.Py_ssize_t
        mass: cython.double
        table: cython.double[::1] = array("d", bytes(8 * room * self.parts))
        for i in range(self.parts):
            mass = self.shares[i]
            for m in range(room):
                table[i * room + m] = mass
                mass = mass * ((m + self.betas[i]) / (m + 0.5 + self.betas[i]))
        self.right, self.room = table, room
        return 0

    def reserve(self) -> cython.int:
        """Have room for one more contested round."""
        if self.longest + 2 > self.room:
            self.make_room(2 * self.longest + 2)
        return 0

    def divide(self, k: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.void:
        """Set what the child that agrees with the base learner gets of a path with k mistakes in n, and the other."""
        m: cython.Py_ssize_t = n - k
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        b: cython.double
        mass: cython.double
        self.agree = self.against = 0.0
        for i in range(self.parts):
            b = self.betas[i]
            mass = self.right[i * self.room + m]
            for j in range(1, k + 1):  # the mistakes as if they had come last: the order does not matter
                mass = mass * ((j - 0.5) / (m + j - 0.5 + b))
            mass = mass / (n + 0.5 + b)
            self.agree += mass * (m + b)
            self.against += mass * (k + 0.5)
