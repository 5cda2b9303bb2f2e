"""The rules "column == v" and "column != v", one pair per value v, in O(log values) per round.

Against saying 0 everywhere, which loses ``ones``, the rule "== v" loses its ``gain`` more: the 0s minus the 1s at v.
And "!= v" loses ``zeros``, as saying 1 everywhere does, minus the gain. So only the value that came changes, and a tree
over the values keeps, for both kinds, the best gain and the sum of prior mass times e^(-eta (what is worse by)).

**The prior.** Nobody knows how many values there will be. The i-th that is met has mass 1/(i (i + 1)); what is left,
1/(count + 1), is that of the values still to come (slot 0), whose rules have been constant until now. So no mass is
made or lost when one is met, and "== v" costs ln i (i + 1).
"""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.adeptree._compiled.arrays_kernel import longer
    from cython.cimports.libc.math import INFINITY as inf
    from cython.cimports.libc.math import exp, log
else:
    from math import exp, inf, log

    from adeptree.core.arrays_kernel import longer

NOTHING = cython.declare(cython.double, 745.0)  # e^-745 is the last double above 0


class SingleValues:
    """Slot 0 stands for the values to come, slot i for the i-th that was met; a tree of pairs is over them."""

    def __init__(self) -> None:
        self.count = 0
        self.ones = self.zeros = self.eta = 0.0
        self.size = 2
        self.gain = array("d", bytes(16))
        self.low = self.lows = self.high = self.highs = array("d")
        self.rebuild_all()

    def rebuild_all(self) -> None:
        """Have trees for ``size`` leaves, and sum them up."""
        self.low, self.lows = array("d", bytes(16 * self.size)), array("d", bytes(16 * self.size))
        self.high, self.highs = array("d", bytes(16 * self.size)), array("d", bytes(16 * self.size))
        self.rebuild()

    def prior(self, slot: cython.Py_ssize_t) -> cython.double:
        """Return the mass of a slot."""
        if slot == 0:
            return 1.0 / (self.count + 1.0)
        return 1.0 / (slot * (slot + 1.0)) if slot <= self.count else 0.0

    def shrunk(self, loss: cython.double) -> cython.double:
        """Return e^(-eta loss)."""
        if loss == 0.0:
            return 1.0
        return exp(-self.eta * loss) if self.eta * loss < NOTHING else 0.0

    def reserve(self) -> cython.int:
        """Have room for one more value."""
        if self.count + 1 >= self.size:
            self.gain = longer(self.gain, 2 * self.size)
            self.size = 2 * self.size
            self.rebuild_all()
        return 0

    def set(self, count: cython.Py_ssize_t, gain: Any, ones: float, zeros: float, eta: float) -> None:
        """Go on with these values and sums."""
        self.count, self.ones, self.zeros, self.eta = count, ones, zeros, eta
        while self.count + 1 >= self.size:
            self.size = 2 * self.size
        self.gain = array("d", [*gain, *[0.0] * (self.size - len(gain))])
        self.rebuild_all()

    # --- The trees ---------------------------------------------------------------------------------

    def set_leaf(self, slot: cython.Py_ssize_t) -> cython.void:
        """Take over the gain and mass of a slot."""
        node: cython.Py_ssize_t = self.size + slot
        self.low[node] = self.high[node] = self.gain[slot]
        self.lows[node] = self.highs[node] = self.prior(slot)
        if slot > self.count:  # nothing there
            self.low[node], self.high[node] = inf, -inf

    def climb(self, node: cython.Py_ssize_t) -> cython.void:
        """Sum up the two children."""
        a: cython.Py_ssize_t = 2 * node
        b: cython.Py_ssize_t = 2 * node + 1
        if self.low[a] <= self.low[b]:
            self.low[node] = self.low[a]
            self.lows[node] = self.lows[a] + self.lows[b] * self.shrunk(self.low[b] - self.low[a])
        else:
            self.low[node] = self.low[b]
            self.lows[node] = self.lows[b] + self.lows[a] * self.shrunk(self.low[a] - self.low[b])
        if self.high[a] >= self.high[b]:
            self.high[node] = self.high[a]
            self.highs[node] = self.highs[a] + self.highs[b] * self.shrunk(self.high[a] - self.high[b])
        else:
            self.high[node] = self.high[b]
            self.highs[node] = self.highs[b] + self.highs[a] * self.shrunk(self.high[b] - self.high[a])

    def rebuild(self) -> cython.void:
        """Compute all sums anew."""
        i: cython.Py_ssize_t
        for i in range(self.size):
            self.set_leaf(i)
        i = self.size - 1
        while i > 0:
            self.climb(i)
            i -= 1

    def meet(self) -> cython.void:
        """Give the next value its slot: its rules have been constant, as those of slot 0."""
        node: cython.Py_ssize_t = (self.size + self.count + 1) // 2
        self.count += 1
        self.gain[self.count] = 0.0
        self.set_leaf(0)
        self.set_leaf(self.count)
        while node > 0:
            self.climb(node)
            node //= 2
        node = self.size // 2
        while node > 0:
            self.climb(node)
            node //= 2

    def charge(self, slot: cython.Py_ssize_t, label: cython.int, cost: cython.double) -> cython.void:
        """Charge the rules that are wrong at a row with this value (-1: it has none)."""
        node: cython.Py_ssize_t = (self.size + slot) // 2
        if label:
            self.ones += cost
        else:
            self.zeros += cost
        if slot < 0:
            return
        self.gain[slot] += -cost if label else cost
        self.set_leaf(slot)
        while node > 0:
            self.climb(node)
            node //= 2

    # --- What is asked -----------------------------------------------------------------------------

    def chosen(self, slot: cython.Py_ssize_t, unequal: cython.bint) -> cython.double:
        """Return the share of the rules whose value it is (0: a value that is new)."""
        gain: cython.double = self.gain[slot]
        mass: cython.double = self.prior(slot) if slot else 1.0 / ((self.count + 1.0) * (self.count + 2.0))
        if unequal:
            return mass * self.shrunk(self.high[1] - gain) / self.highs[1]
        return mass * self.shrunk(gain - self.low[1]) / self.lows[1]

    def least(self, unequal: cython.bint) -> cython.double:
        """Return the least loss of the rules of a kind."""
        return self.zeros - self.high[1] if unequal else self.ones + self.low[1]

    def log_total(self, unequal: cython.bint) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - least))."""
        return log(self.highs[1] if unequal else self.lows[1])

    def log_odds(self, slot: cython.Py_ssize_t, unequal: cython.bint) -> cython.double:
        """Return ln of (the rules whose value it is / the others), right also where one is nothing beside the other."""
        node: cython.Py_ssize_t = self.size + slot
        sign: cython.double = -1.0 if unequal else 1.0
        gain: cython.double = sign * self.gain[slot]
        mass: cython.double = self.prior(slot) if slot else 1.0 / ((self.count + 1.0) * (self.count + 2.0))
        # The others, the best of them first: siblings on the way up, and what is left of the values to come.
        best: cython.double = inf if slot else gain
        total: cython.double = 0.0 if slot else 1.0 / (self.count + 2.0)
        worth: cython.double
        weight: cython.double
        while node > 1:
            worth = sign * (self.high[node ^ 1] if unequal else self.low[node ^ 1])
            weight = self.highs[node ^ 1] if unequal else self.lows[node ^ 1]
            if worth < best:
                total = weight + (total * self.shrunk(best - worth) if total > 0.0 else 0.0)
                best = worth
            elif weight > 0.0:
                total += weight * self.shrunk(worth - best)
            node //= 2
        return log(mass) - self.eta * (gain - best) - log(total)

    def choices(self) -> cython.double:
        """The number of rules of a kind that differ on some row."""
        return self.count + 1.0
