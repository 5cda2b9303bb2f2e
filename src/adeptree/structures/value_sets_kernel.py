"""The rules "column in {..}" of at most d values, and their complements, in O(d^2 log values) per round.

Predicting 0 everywhere loses ``ones``. The rule "== v" loses its ``gain`` more: the 0s minus the 1s at v. A set loses
the sum of its values' gains more, and its complement loses ``zeros`` minus that sum. So a round changes only the gain
of its value. The weights of all sets of k values are a polynomial in the values' weights, which a tree over the values,
in the order in which they were met, multiplies.

**The prior.** The number of values is not known in advance. First the prior draws the final number k of values of a
set, uniformly from 1 to d. Then the i-th value met belongs to the set with probability 1/(i + 1), until there are k. So
a set of k values, the last of which was met as the m-th, has mass 1/((m + 1) product of all i). A set that is not
complete after n values has mass 1/((n + 1) product of all i). A new value neither adds nor removes mass. With d = 1,
the price of "== v" of the i-th value is ln i (i + 1).

Per node and k there are three numbers for its sets of k values: ``best``, the least sum of gains; ``every``, the sum of
products of 1/i; and ``ended``, the sum of the same divided by m + 1. Both sums are weighted by e^(-eta (sum of gains -
best)).
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, inf, log

    from adeptree.core.arrays_kernel import longer
    from adeptree.theory.mass_kernel import sets_within

NOTHING = cython.declare(cython.double, 745.0)  # e^-745 is the last double above 0


class ValueSets:
    """The tree of sets, followed by the tree of complements and two scratch nodes.

    Slot i is the i-th value that was met; slot 0 represents future values, which are in no set yet.
    """

    def __init__(self, most: cython.Py_ssize_t) -> None:
        self.most, self.stride, self.floor = most, most + 1, 0.0
        self.count = 0
        self.ones = self.zeros = self.eta = 0.0
        self.size = 2
        self.gain = array("d", bytes(16))
        self.best = self.every = self.ended = array("d")
        self.totals, self.floors = array("d", bytes(16)), array("d", bytes(16))  # of sets and of complements
        self.logs = array("d", bytes(16))  # ln of the totals
        self.rebuild_all()

    def rebuild_all(self) -> None:
        """Allocate trees for ``size`` leaves, and sum them up."""
        room: cython.Py_ssize_t = (4 * self.size + 2) * self.stride
        self.best, self.every = array("d", bytes(8 * room)), array("d", bytes(8 * room))
        self.ended = array("d", bytes(8 * room))
        self.rebuild()

    def shrunk(self, loss: cython.double) -> cython.double:
        """Return e^(-eta loss)."""
        if loss == 0.0:
            return 1.0
        return exp(-self.eta * loss) if self.eta * loss < NOTHING else 0.0

    def reserve(self) -> cython.int:
        """Allocate room for one more value."""
        if self.count + 1 >= self.size:
            self.gain = longer(self.gain, 2 * self.size)
            self.size = 2 * self.size
            self.rebuild_all()
        return 0

    def set(self, count: cython.Py_ssize_t, gain: Any, ones: float, zeros: float, eta: float) -> None:
        """Continue from these values and sums."""
        self.count, self.ones, self.zeros, self.eta = count, ones, zeros, eta
        while self.count + 1 >= self.size:
            self.size = 2 * self.size
        self.gain = array("d", [*gain, *[0.0] * (self.size - len(gain))])
        self.rebuild_all()

    # --- The trees ---------------------------------------------------------------------------------

    def fill(
        self, node: cython.Py_ssize_t, slot: cython.Py_ssize_t, sign: cython.double, kept: cython.int
    ) -> cython.void:
        """Set a leaf to the sets of a value: 0, only the set without it; 1, only the set with it; 2, both."""
        first: cython.Py_ssize_t = node * self.stride
        for k in range(self.stride):
            self.best[first + k], self.every[first + k], self.ended[first + k] = inf, 0.0, 0.0
        if kept != 1:
            self.best[first], self.every[first] = 0.0, 1.0
        if kept != 0:
            self.best[first + 1] = sign * self.gain[slot]
            self.every[first + 1], self.ended[first + 1] = 1.0 / slot, 1.0 / (slot * (slot + 1.0))

    def join(self, into: cython.Py_ssize_t, left: cython.Py_ssize_t, right: cython.Py_ssize_t) -> cython.void:
        """Multiply the sums of two nodes; the values of the left one were met first."""
        a: cython.Py_ssize_t = left * self.stride
        b: cython.Py_ssize_t = right * self.stride
        c: cython.Py_ssize_t = into * self.stride
        # Empty sets, then sets of one value from either side, which suffices for d = 1; then larger sets.
        self.best[c], self.every[c], self.ended[c] = self.best[a] + self.best[b], self.every[a] * self.every[b], 0.0
        best, worth = self.best[a] + self.best[b + 1], self.best[a + 1] + self.best[b]
        every, ended = self.every[a] * self.every[b + 1], self.every[a] * self.ended[b + 1]
        if worth < best:
            self.best[c + 1], best, worth = worth, self.shrunk(best - worth), 1.0
        else:
            self.best[c + 1], best, worth = best, 1.0, self.shrunk(worth - best)
        self.every[c + 1] = every * best + self.every[a + 1] * self.every[b] * worth
        self.ended[c + 1] = ended * best + self.ended[a + 1] * worth
        for k in range(2, self.stride):
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
            self.best[c + k], self.every[c + k], self.ended[c + k] = best, every, ended

    def set_leaf(self, slot: cython.Py_ssize_t) -> cython.void:
        """Set a leaf from the gain of its slot."""
        kept: cython.int = 2 if 0 < slot <= self.count else 0
        self.fill(self.size + slot, slot, 1.0, kept)
        self.fill(3 * self.size + slot, slot, -1.0, kept)

    def climb(self, node: cython.Py_ssize_t) -> cython.void:
        """Sum up from a node to the roots of both trees."""
        behind: cython.Py_ssize_t = 2 * self.size
        while node > 0:
            self.join(node, 2 * node, 2 * node + 1)
            self.join(behind + node, behind + 2 * node, behind + 2 * node + 1)
            node //= 2
        self.sum_up()

    def sum_up(self) -> cython.void:
        """Sum up all sets, and all complements."""
        for side in range(2):
            self.totals[side] = self.weigh(2 * self.size * side + 1, 1.0, 1.0 / (self.count + 1.0))
            self.floors[side] = self.floor
            self.logs[side] = log(self.totals[side])

    def rebuild(self) -> cython.void:
        """Recompute all sums."""
        behind: cython.Py_ssize_t = 2 * self.size
        for i in range(self.size):
            self.set_leaf(i)
        i = self.size - 1
        while i > 0:
            self.join(i, 2 * i, 2 * i + 1)
            self.join(behind + i, behind + 2 * i, behind + 2 * i + 1)
            i -= 1
        self.sum_up()

    def meet(self) -> cython.void:
        """Give the next value its slot; its rules have been constant so far, like those of future values."""
        self.count += 1
        self.gain[self.count] = 0.0
        self.set_leaf(self.count)
        self.climb((self.size + self.count) // 2)

    def charge(self, slot: cython.Py_ssize_t, label: cython.int, cost: cython.double) -> cython.void:
        """Charge the rules that are wrong at a row with this value (-1: no value)."""
        if label:
            self.ones += cost
        else:
            self.zeros += cost
        if slot < 0:
            return
        self.gain[slot] += -cost if label else cost
        self.set_leaf(slot)
        self.climb((self.size + slot) // 2)

    def only(self, slot: cython.Py_ssize_t, unequal: cython.bint, kept: cython.int) -> cython.Py_ssize_t:
        """Return a node for the sets with a value, or without it."""
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

        ``ended`` is the share of the complete sets, ``open`` the share for each number of values still to come.
        """
        first: cython.Py_ssize_t = node * self.stride
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

    # --- Predictions -----------------------------------------------------------------------------

    def part(self, slot: cython.Py_ssize_t, unequal: cython.bint, inside: cython.bint) -> cython.double:
        """Sum up the sets with a value, or those without it (0: a new value)."""
        root: cython.Py_ssize_t = 2 * self.size + 1 if unequal else 1
        n: cython.double = self.count + 1.0
        if slot and inside and self.most == 1:
            self.floor = -self.gain[slot] if unequal else self.gain[slot]
            return 1.0 / (slot * (slot + 1.0))
        if slot:
            return self.weigh(self.only(slot, unequal, 1 if inside else 0), 1.0, 1.0 / n)
        return self.weigh(root, 0.0, 1.0 / (n * (n + 1.0))) if inside else self.weigh(root, 1.0, 1.0 / (n + 1.0))

    def chosen(self, slot: cython.Py_ssize_t, unequal: cython.bint) -> cython.double:
        """Return the share of the rules that contain the value."""
        total: cython.double = self.part(slot, unequal, True)
        return total * self.shrunk(self.floor - self.floors[unequal]) / self.totals[unequal]

    def least(self, unequal: cython.bint) -> cython.double:
        """Return the least loss of the rules of a kind."""
        return self.floors[unequal] + (self.zeros if unequal else self.ones)

    def log_total(self, unequal: cython.bint) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - least))."""
        return self.logs[unequal]

    def log_odds(self, slot: cython.Py_ssize_t, unequal: cython.bint) -> cython.double:
        """Return the log-odds of the rules that contain the value against the others."""
        inside: cython.double = log(self.part(slot, unequal, True)) - self.eta * self.floor
        outside: cython.double = log(self.part(slot, unequal, False)) - self.eta * self.floor
        return inside - outside

    def choices(self) -> cython.longlong:
        """Return the number of sets."""
        return sets_within(self.count, self.most)
