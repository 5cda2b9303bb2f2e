"""What is counted of blocks, whatever the rate: what each gained, how many sets there are, and which is the best.

A path is a set of at most d of the blocks seen. A block gains what its 1s cost and loses what its 0s cost; so the loss
of a set is what all 1s cost minus the gains of its blocks, and the best set has the d largest gains above 0.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable
from math import comb
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import log

    from adeptree.core.arrays_kernel import longer
    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.theory.ledger_kernel import Ledger

FAR = cython.declare(cython.double, 2.0**600)  # masses are brought back from beyond
LOG_FAR = cython.declare(cython.double, 415.88830833596717)  # ln of it


class BlockCounts(RoundKernel):
    """The counts. With the paper's prior there are no ``betas``, but a horizon, and a mistake bound of at least d.

    ``block_of`` maps a point to its block, and ``word_of`` a block to 64 bits, for its coins; ``plain`` says that texts
    and ints are their own blocks.
    """

    def __init__(
        self,
        d: int,
        block_of: Callable[[Any], Hashable],
        word_of: Callable[[Any], int],
        plain: bool,
        shares: list[float],
        betas: list[float],
        horizon: int,
        bound: int,
    ) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        self.d, self.parts, self.horizon, self.bound = d, len(betas), horizon, bound
        self.shares, self.betas = array("d", [*shares, 0.0]), array("d", [*betas, 0.0])
        self.terms = array("d", self.shares)
        self.block_of, self.word_of, self.plain = block_of, word_of, plain
        self.width, self.asked_before = 1, 0
        self.fill([], [], 0.0, 0)

    @cython.locals(j=cython.Py_ssize_t, n=cython.Py_ssize_t)
    def fill(self, names: list[Hashable], gains: Any, lost: float, rounds: int) -> None:
        """Go on from here: these blocks have arrived, with these gains, and a path without blocks has lost so much."""
        n = len(names)
        self.set_asked(self.asked_in_all())
        self.sizes = [comb(n, j) for j in range(min(n, self.d) + 1)]
        self.width = sum(self.sizes)
        self.number, self.coming, self.points = {}, {}, []
        self.blocks = 0
        self.gains, self.log_q, self.words = array("d"), array("d"), array("Q")
        self.central = array("d", self.shares)
        self.make_room(max(16, n + 1))
        for j in range(n):
            self.number[names[j]] = j
            self.words[j] = self.word_of(names[j])
            self.admit()
            self.gains[j] = gains[j]
        self.lost, self.rounds = lost, rounds
        self.at, self.name = n, self.number  # (no block is equal to a dict)
        self.choose_all()
        self.rebuild()

    def make_room(self, room):
        """Have room for so many blocks; what is made of their gains must then be made anew."""
        gains, log_q, words = longer(self.gains, room), longer(self.log_q, room), longer(self.words, room)
        most = min(self.d, room)
        free, chosen = array("d", bytes(16 * room)), array("q", bytes(8 * most))
        logs = array("d", bytes(8 * (most + 1)))
        # From here on nothing fails.
        self.gains, self.log_q, self.words, self.logs = gains, log_q, words, logs
        self.free, self.chosen = free, chosen
        self.room, self.most = room, most
        return 0

    # --- Points ------------------------------------------------------------------------------------

    def quick_look(self, x: Any) -> float:
        """Look at x at once, if it is plainly its own block."""
        return RoundKernel.quick_look(self, x) if self.plain and (type(x) is str or type(x) is int) else -1.0

    def quick_round(self, x: Any, y: Any) -> int:
        """Play a round at once, if x is plainly its own block."""
        return RoundKernel.quick_round(self, x, y) if self.plain and (type(x) is str or type(x) is int) else -1

    def place(self, x):
        """Put the block of x in place."""
        name = x if self.plain and (type(x) is str or type(x) is int) else self.block_of(x)
        if name not in self.number and name not in self.coming:
            self.coming = {name: self.word_of(name)}  # (found out before anything changes: it may be interrupted)
        self.put(name)
        return True

    def place_at(self, i):
        """Put the i-th block of the batch in place."""
        self.put(self.points[i])

    @cython.locals(j=cython.Py_ssize_t)
    def put(self, name):
        """Put a block in place; a new one is looked at where it would be."""
        found = self.number.get(name)
        j = self.blocks if found is None else found
        if j != self.at or (found is None and self.name is not name and self.name != name):
            self.word = self.coming[name] if found is None else self.words[j]
            self.at, self.name = j, name
            self.seen = self.known = False
        return 0

    def give(self, names: list[Hashable]) -> None:
        """Take the blocks of a batch."""
        coming = {name: self.word_of(name) for name in set(names).difference(self.number)}
        self.points, self.coming = names, coming

    def reserve(self):
        """Name the block, if it is new; have room for it, and for the next one to be looked at."""
        if self.at == self.blocks:
            if self.blocks + 2 > self.room:
                self.make_room(self.room + self.room // 2)
                self.choose_all()
                self.rebuild()
                self.known = False
            self.number[self.name] = self.blocks
        return 0

    @cython.locals(j=cython.Py_ssize_t)
    def take(self, label, cost):
        """Count the label for the block in place."""
        j = self.at
        if j == self.blocks:
            self.widen()
            self.words[j] = self.word
            self.admit()
        self.rounds += self.ahead
        self.gains[j] += cost if label else -cost
        self.lost += cost if label else 0.0
        self.weigh(j)
        self.rank(j)

    def weigh(self, j):
        """Take the gain of a block over."""

    # --- The prior -----------------------------------------------------------------------------------

    @cython.locals(k=cython.longlong, i=cython.Py_ssize_t, term=cython.double, total=cython.double, scale=cython.double)
    def weigh_sizes(self, n):
        """Set ``logs[k]`` to ln of the mass of k mistakes in n contested rounds; paper: with n rounds to come."""
        total, term, scale = 0.0, 1.0, 0.0
        if self.parts:  # the sum over the parts of share B(k + 1/2, n - k + b) / B(1/2, b)
            for i in range(self.parts):
                self.terms[i] = self.central[i]
                if n > self.blocks:
                    self.terms[i] *= (n - 1 + self.betas[i]) / (n - 0.5 + self.betas[i])
            for k in range(min(self.d, n) + 1):
                total = 0.0
                for i in range(self.parts):
                    if k > 0:
                        self.terms[i] *= (k - 0.5) / (n - k + self.betas[i])
                    total += self.terms[i]
                self.logs[k] = log(total) + scale
                if total * FAR < 1.0:
                    scale -= LOG_FAR
                    for i in range(self.parts):
                        self.terms[i] *= FAR
            return
        for k in range(min(self.bound, n) + 1):  # the sum over i <= bound - k of C(n, i)
            total += term
            if self.bound - k <= self.most:
                self.logs[self.bound - k] = log(total) + scale
            if total > FAR:
                total, term, scale = total / FAR, term / FAR, scale + LOG_FAR
            term *= (n - k) / (k + 1.0)
        for k in range(min(self.bound - n, self.most + 1)):
            self.logs[k] = log(total) + scale

    @cython.locals(i=cython.Py_ssize_t, n=cython.Py_ssize_t)
    def admit(self):
        """Let the next block in, with the mass that a set of d has when this is its last."""
        n = self.blocks
        if self.parts:
            self.weigh_sizes(n + 1)
            self.log_q[n] = self.logs[self.d] if n + 1 >= self.d else 0.0
        for i in range(self.parts):
            self.central[i] *= (n + self.betas[i]) / (n + 0.5 + self.betas[i])
        self.blocks = n + 1

    # --- How many sets there are: any number ---------------------------------------------------------

    @cython.locals(s=cython.Py_ssize_t)
    def widen(self):
        """Count the sets of each size after one more block, by Pascal's rule."""
        self.set_asked(self.asked_in_all())
        self.width = 2 * self.width
        if len(self.sizes) > self.d:
            self.width -= self.sizes[self.d]
        else:
            self.sizes.append(0)
        for s in range(len(self.sizes) - 1, 0, -1):
            self.sizes[s] += self.sizes[s - 1]

    def ask(self):
        """Count a look at the present width."""
        self.asked += 1

    def asked_in_all(self) -> int:
        """Return what was asked, at every width."""
        count: int = self.asked_before + 2 * self.width * self.asked
        return count

    def set_asked(self, count: int) -> None:
        """Go on counting from here."""
        self.asked_before, self.asked = count, 0

    # --- The best set ----------------------------------------------------------------------------------

    def least(self):
        """L*: all 1s are lost but for the surplus of the best blocks."""
        return self.lost - self.surplus

    def gains_now(self) -> Any:
        """Return the gain of every block, in order of arrival."""
        return self.gains[: self.blocks]

    @cython.locals(i=cython.Py_ssize_t)
    def rank(self, j):
        """Put a block where its gain belongs, chosen or not."""
        if self.free[self.room + j] < 0.0:
            self.choices -= 1
            i = self.choices
            last = self.chosen[i]
            while last != j:
                i -= 1
                last, self.chosen[i] = self.chosen[i], last
        self.offer(j, max(self.gains[j], 0.0))
        self.choose()

    @cython.locals(i=cython.Py_ssize_t)
    def offer(self, j, worth):
        """Let a block be worth so much to who chooses (-1: it is chosen); a node of this tree has the most below it."""
        i = self.room + j
        self.free[i] = worth
        while i > 1:
            i >>= 1
            worth = max(self.free[2 * i], self.free[2 * i + 1])
            if self.free[i] == worth:
                return
            self.free[i] = worth

    @cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t)
    def choose(self):
        """Choose the best d blocks, in order of their gains: so ties decide nothing about their sum."""
        while self.free[1] > 0.0:
            if self.choices == self.most:
                j = self.chosen[self.choices - 1]
                if self.free[1] <= self.gains[j]:
                    break
                self.choices -= 1
                self.offer(j, self.gains[j])
            i = 1
            while i < self.room:
                i = 2 * i if self.free[2 * i] == self.free[i] else 2 * i + 1
            j = i - self.room
            self.offer(j, -1.0)
            i = self.choices
            while i > 0 and self.gains[self.chosen[i - 1]] < self.gains[j]:
                self.chosen[i] = self.chosen[i - 1]
                i -= 1
            self.chosen[i] = j
            self.choices += 1
        self.surplus = 0.0
        for i in range(self.choices):
            self.surplus += self.gains[self.chosen[i]]

    @cython.locals(i=cython.Py_ssize_t)
    def choose_all(self):
        """Choose anew."""
        for i in range(self.blocks):
            self.free[self.room + i] = max(self.gains[i], 0.0)
        for i in range(self.room - 1, 0, -1):
            self.free[i] = max(self.free[2 * i], self.free[2 * i + 1])
        self.choices = 0
        self.choose()
