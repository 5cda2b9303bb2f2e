"""The rules "column in {..}" of at most d values, and their complements, in O(d^2 log values) per round.

As in ``values_kernel``, a set loses the sum of its values' gains more than saying 0 everywhere, and its complement as
much less than saying 1. So the weights of all sets of k values are a polynomial of the values' weights, and a tree over
the values, in the order in which they were met, multiplies them.

**The prior.** First it is drawn how many values there shall be at last, k = 1 to d, all alike. Then the i-th value that
is met is among them with probability 1/(i + 1), until there are k. So a set of k values, the last of which was met as
the m-th, has mass 1/((m + 1) product of all i), and one that has fewer so far, of n met, 1/((n + 1) product of all i):
when a value is met, no mass is made or lost. Of d = 1 this is the prior of ``values_kernel``.

Per node and k there are three numbers of its sets of k values: ``best``, the least sum of gains; ``every``, the sum of
products of 1/i, and ``ended``, of the same over m + 1, each times e^(-eta (sum of gains - best)).
"""

from __future__ import annotations

from array import array

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.adeptree._compiled.values_kernel import SingleValues
    from cython.cimports.libc.math import INFINITY as inf
    from cython.cimports.libc.math import log
else:
    from math import inf, log

    from adeptree.families.tables.values_kernel import SingleValues


class ValueSets(SingleValues):
    """The tree of sets, the one of complements behind it, and two nodes more to compute in."""

    def __init__(self, most: cython.Py_ssize_t) -> None:
        self.most, self.stride, self.floor = most, most + 1, 0.0
        self.best = self.every = self.ended = array("d")
        SingleValues.__init__(self)

    def rebuild_all(self) -> None:
        """Have trees for ``size`` leaves, and sum them up."""
        room: cython.Py_ssize_t = (4 * self.size + 2) * self.stride
        self.best, self.every = array("d", bytes(8 * room)), array("d", bytes(8 * room))
        self.ended = array("d", bytes(8 * room))
        self.rebuild()

    # --- The trees ---------------------------------------------------------------------------------

    def fill(
        self, node: cython.Py_ssize_t, slot: cython.Py_ssize_t, sign: cython.double, kept: cython.int
    ) -> cython.void:
        """Let a leaf stand for the sets of a value: 0, only that without it; 1, only that with it; 2, both."""
        first: cython.Py_ssize_t = node * self.stride
        k: cython.Py_ssize_t
        for k in range(self.stride):
            self.best[first + k], self.every[first + k], self.ended[first + k] = inf, 0.0, 0.0
        if kept != 1:
            self.best[first], self.every[first] = 0.0, 1.0
        if kept != 0:
            self.best[first + 1] = sign * self.gain[slot]
            self.every[first + 1], self.ended[first + 1] = 1.0 / slot, 1.0 / (slot * (slot + 1.0))

    def join(self, into: cython.Py_ssize_t, left: cython.Py_ssize_t, right: cython.Py_ssize_t) -> cython.void:
        """Multiply the sums of two nodes, the left with the values that were met before."""
        a: cython.Py_ssize_t = left * self.stride
        b: cython.Py_ssize_t = right * self.stride
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        best: cython.double
        every: cython.double
        ended: cython.double
        worth: cython.double
        for k in range(self.stride):
            best = inf
            for i in range(k + 1):
                worth = self.best[a + i] + self.best[b + k - i]
                best = worth if worth < best else best
            every = ended = 0.0
            for i in range(k + 1):
                worth = self.best[a + i] + self.best[b + k - i]
                if worth < inf:
                    worth = self.shrunk(worth - best)
                    every += self.every[a + i] * self.every[b + k - i] * worth
                    ended += (self.ended[a + k] if i == k else self.every[a + i] * self.ended[b + k - i]) * worth
            self.best[into * self.stride + k] = best
            self.every[into * self.stride + k], self.ended[into * self.stride + k] = every, ended

    def set_leaf(self, slot: cython.Py_ssize_t) -> cython.void:
        """Take over the gain of a slot; of slot 0, the values to come, there is no set yet."""
        kept: cython.int = 2 if 0 < slot <= self.count else 0
        self.fill(self.size + slot, slot, 1.0, kept)
        self.fill(3 * self.size + slot, slot, -1.0, kept)

    def climb(self, node: cython.Py_ssize_t) -> cython.void:
        """Sum up the two children, in both trees."""
        behind: cython.Py_ssize_t = 2 * self.size
        self.join(node, 2 * node, 2 * node + 1)
        self.join(behind + node, behind + 2 * node, behind + 2 * node + 1)

    def only(self, slot: cython.Py_ssize_t, unequal: cython.bint, kept: cython.int) -> cython.Py_ssize_t:
        """Return a node that stands for the sets with a value, or without it."""
        behind: cython.Py_ssize_t = 2 * self.size if unequal else 0
        here: cython.Py_ssize_t = 4 * self.size
        there: cython.Py_ssize_t = 4 * self.size + 1
        node: cython.Py_ssize_t = self.size + slot
        self.fill(here, slot, -1.0 if unequal else 1.0, kept)
        while node > 1:
            if node % 2:
                self.join(there, behind + node - 1, here)
            else:
                self.join(there, here, behind + node + 1)
            here, there = there, here
            node //= 2
        return here

    def weigh(self, node: cython.Py_ssize_t, ended: cython.double, open: cython.double) -> cython.double:
        """Sum up the sets of a node, relative to the least sum of gains, ``floor``.

        ``ended`` is the share of those that have all their values, ``open`` that of each number that is still to come.
        """
        first: cython.Py_ssize_t = node * self.stride
        k: cython.Py_ssize_t
        sizes: cython.Py_ssize_t = self.stride if ended > 0.0 else self.most
        total: cython.double = 0.0
        self.floor = inf
        for k in range(sizes):
            if self.best[first + k] < self.floor:
                self.floor = self.best[first + k]
        for k in range(sizes):
            if self.best[first + k] < inf:
                total += self.shrunk(self.best[first + k] - self.floor) * (
                    ended * self.ended[first + k] + open * (self.most - k) * self.every[first + k]
                )
        return total / self.most

    # --- What is asked -----------------------------------------------------------------------------

    def part(self, slot: cython.Py_ssize_t, unequal: cython.bint, inside: cython.bint) -> cython.double:
        """Sum up the sets that have a value, or those that do not (0: a value that is new)."""
        root: cython.Py_ssize_t = 2 * self.size + 1 if unequal else 1
        n: cython.double = self.count + 1.0
        if slot:
            return self.weigh(self.only(slot, unequal, 1 if inside else 0), 1.0, 1.0 / n)
        return self.weigh(root, 0.0, 1.0 / (n * (n + 1.0))) if inside else self.weigh(root, 1.0, 1.0 / (n + 1.0))

    def whole(self, unequal: cython.bint) -> cython.double:
        """Sum up all sets."""
        return self.weigh(2 * self.size + 1 if unequal else 1, 1.0, 1.0 / (self.count + 1.0))

    def chosen(self, slot: cython.Py_ssize_t, unequal: cython.bint) -> cython.double:
        """Return the share of the rules whose value it is, too."""
        total: cython.double = self.part(slot, unequal, True)
        floor: cython.double = self.floor
        whole: cython.double = self.whole(unequal)
        return total * self.shrunk(floor - self.floor) / whole

    def least(self, unequal: cython.bint) -> cython.double:
        """Return the least loss of the rules of a kind."""
        self.whole(unequal)
        return self.floor + (self.zeros if unequal else self.ones)

    def log_total(self, unequal: cython.bint) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - least))."""
        return log(self.whole(unequal))

    def log_odds(self, slot: cython.Py_ssize_t, unequal: cython.bint) -> cython.double:
        """Return ln of (the rules whose value it is, too / the others)."""
        inside: cython.double = log(self.part(slot, unequal, True)) - self.eta * self.floor
        outside: cython.double = log(self.part(slot, unequal, False)) - self.eta * self.floor
        return inside - outside

    def choices(self) -> cython.double:
        """The number of sets."""
        k: cython.Py_ssize_t
        term: cython.double = 1.0
        total: cython.double = 1.0
        for k in range(1, self.stride):
            term = term * (self.count - k + 1) / k if k <= self.count else 0.0
            total += term
        return total
