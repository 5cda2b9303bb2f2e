"""All sets of at most d blocks at once: ADEPT's exact distribution in O(d^2 log blocks) per round.

The weight of a set S is its prior mass times the product of r_j = e^(eta gain_j) over the blocks j in S. A node of a
binary tree over the blocks, in order of arrival, holds two polynomials, by the size s of a set:

    E_s = the sum over the sets of s of its blocks of the product of r_j,
    H_s = the same times q_j, where j is the last block of the set, which is not empty.

The mass of a set of fewer than d blocks depends on its size only, because every new block is contested for it. A set of
d blocks has no contested round after its last block j, so its mass is q_j, fixed when j arrived. (With the paper's
prior all masses depend on the size only, and there is no H.) If blocks A came before blocks B, their union has

    E = E_A E_B,    H = H_A + E_A H_B.

The weight of all sets is linear in E and H of any node: sum_s u_s E_s + v_s H_s + rest. From the root, where u is the
mass by size, v selects s = d and the rest is 0, these are computed downwards to one block, where u_0 + rest is the
weight that predicts 0 and r (u_1 + q v_1) the weight that predicts 1. They are kept for one path from the root to a
leaf, with u and v reversed, so that this too multiplies polynomials. Only nodes on that path may be out of date; they
are summed again from their children when the next point lies elsewhere. So the gains and the rate determine every bit.
Leaves are not stored: those of the current block and its sibling are computed from their gains.

Nothing cancels, because all numbers are positive. Nothing overflows, because a number is stored as M e^(X L): X is
whole, and L = eta Q for a power of two Q, so that the rate multiplies differences of gains, not their sums.

The gain of a block is the cost of its 1s minus the cost of its 0s. So the loss of a set is the cost of all 1s minus the
gains of its blocks, and the best set has the d largest positive gains.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, floor, ldexp, log, log2

    from adeptree.core.arrays_kernel import longer
    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.theory.ledger_kernel import Ledger
    from adeptree.theory.mass_kernel import log_plus, sets_within

FAR = cython.declare(cython.double, 2.0**600)  # masses are rescaled beyond this
LOG_FAR = cython.declare(cython.double, 415.88830833596717)  # ln of it
SLOWEST = cython.declare(cython.double, 1e-270)  # a double cannot tell lower rates from 0


class BlocksKernel(RoundKernel):
    """The tree of all sets of blocks. The paper's prior has no ``betas``, but a horizon and a mistake bound >= d.

    ``block_of`` maps a point to its block, and ``word_of`` a block to 64 bits, for its coins; ``plain`` is True if
    texts and ints are their own blocks.
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
        self.fill([], [], 0.0, 0)

    @cython.locals(j=cython.Py_ssize_t, n=cython.Py_ssize_t)
    def fill(self, names: list[Hashable], gains: Any, lost: float, rounds: int) -> None:
        """Continue from these blocks in order of arrival, their gains, and the loss of a path without blocks."""
        n = len(names)
        self.number, self.coming, self.blocks = {}, {}, 0
        self.gains, self.last, self.words = array("d"), array("d"), array("Q")
        self.central = array("d", self.shares)
        self.make_room(max(16, n + 1))
        for j in range(n):
            self.number[names[j]] = j
            self.words[j] = self.word_of(names[j])
            self.admit()
            self.gains[j] = gains[j]
        self.lost, self.rounds, self.width = lost, rounds, sets_within(n, self.d)
        self.at, self.name = n, self.number  # no block equals a dict
        self.choose_all()
        self.rebuild()

    @cython.locals(h=cython.Py_ssize_t, i=cython.Py_ssize_t, size=cython.Py_ssize_t)
    def make_room(self, room):
        """Allocate room for this number of blocks; all sums must then be computed again."""
        room = room + 1 & ~1  # every leaf has a sibling
        most, levels = min(self.d, room), (room - 1).bit_length()
        self.polynomials = 2 if self.parts else 1  # per node: E, and H
        length = array("q", [min(most, 1 << h) + 1 for h in range(levels + 1)])
        start, size = array("q"), 0
        for h in range(levels + 1):
            start.append(size)
            size += (((room - 1) >> h) + 2 & ~1 if h else 2) * length[h] * self.polynomials  # every node has a sibling
        M = array("d", bytes(8 * (size + 3 * (levels + 2) * (most + 1) + 1)))
        X = array("d", bytes(8 * len(M)))
        gains, last, words = longer(self.gains, room), longer(self.last, room), longer(self.words, room)
        free, chosen = array("d", bytes(16 * room)), array("q", bytes(8 * most))
        logs = array("d", bytes(8 * (most + 1)))
        # No step fails from here on.
        self.gains, self.last, self.words, self.logs = gains, last, words, logs
        self.free, self.chosen, self.room, self.most = free, chosen, room, most
        self.start, self.length, self.levels, self.M, self.X = start, length, levels, M, X
        self.way, self.unit = size, len(M) - 1
        self.M[self.unit] = 1.0  # the polynomial 1
        for h in range(levels + 1):
            for i in range(((room - 1) >> h) + 2 & ~1 if h else 2):
                self.M[self.node(h, i)] = 1.0  # E without blocks
        # v of the root; while there is no room for d blocks, no set has d.
        self.M[self.row(levels, 1)] = 1.0 if most == self.d or not self.parts else 0.0
        return 0

    # --- Points ------------------------------------------------------------------------------------

    def quick(self, x: object) -> cython.bint:
        """Return True if x is plainly its own block."""
        return self.plain and (type(x) is str or type(x) is int)

    def place(self, x):
        """Make the block of x the current one."""
        name = x if self.plain and (type(x) is str or type(x) is int) else self.block_of(x)
        if name not in self.number and name not in self.coming:
            self.coming = {name: self.word_of(name)}  # computed before any change, because it may be interrupted
        self.put(name)
        return True

    @cython.locals(j=cython.Py_ssize_t)
    def put(self, name):
        """Make a block the current one; a new one gets its future position."""
        found = self.number.get(name)
        j = self.blocks if found is None else found
        if j != self.at or (found is None and self.name is not name and self.name != name):
            self.word = self.coming[name] if found is None else self.words[j]
            self.at, self.name = j, name
            self.seen = self.known = False
        return 0

    def reserve(self):
        """Add the block if it is new, and reserve room for the next one."""
        if self.at == self.blocks:
            if self.blocks + 2 > self.room:
                self.make_room(self.room + self.room // 4)
                self.choose_all()
                self.rebuild()
                self.known = False
            self.number[self.name] = self.blocks
        return 0

    @cython.locals(j=cython.Py_ssize_t)
    def take(self, label, cost):
        """Count the label of the current block."""
        j = self.at
        if self.finger != j:  # ``log_total`` may have moved the path, and only the last two leaves are kept
            self.look()
        if j == self.blocks:
            self.words[j] = self.word
            self.admit()
            self.width = sets_within(self.blocks, self.d)
        self.rounds += self.ahead
        self.gains[j] += cost if label else -cost
        self.lost += cost if label else 0.0
        self.weigh(j)
        self.rank(j)

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

    def last_mass(self, n):
        """Return q of the n-th block, whose masses are set; its logarithm if that is below -180, 0 being that of 1."""
        if n < self.d:
            return 0.0
        return exp(self.logs[self.d]) if self.logs[self.d] > -180.0 else self.logs[self.d]

    @cython.locals(i=cython.Py_ssize_t, n=cython.Py_ssize_t)
    def admit(self):
        """Add the next block with q, the mass of a set of d whose last block it is."""
        n = self.blocks
        if self.parts:
            self.weigh_sizes(n + 1)
            self.last[n] = self.last_mass(n + 1)
        for i in range(self.parts):
            self.central[i] *= (n + self.betas[i]) / (n + 0.5 + self.betas[i])
        self.blocks = n + 1

    def count(self):
        """Return the number of sets of blocks; 2^61 stands for that number or more."""
        return self.width

    # --- The best set ----------------------------------------------------------------------------------

    def least(self):
        """L*: the cost of all 1s minus the gains of the best blocks."""
        return self.lost - self.surplus

    def gains_now(self) -> Any:
        """Return the gain of every block, in order of arrival."""
        return self.gains[: self.blocks]

    @cython.locals(i=cython.Py_ssize_t)
    def rank(self, j):
        """Insert a block by its gain among the chosen or the other blocks."""
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
        """Set the value of a block for the choice (-1: it is chosen); a node of this tree has the largest below it."""
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
        """Choose the best d blocks in order of their gains, so that ties do not affect their sum."""
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
        """Choose again from all blocks."""
        for i in range(self.blocks):
            self.free[self.room + i] = max(self.gains[i], 0.0)
        for i in range(self.room - 1, 0, -1):
            self.free[i] = max(self.free[2 * i], self.free[2 * i + 1])
        self.choices = 0
        self.choose()

    # --- Numbers M e^(X L) -------------------------------------------------------------------------

    @cython.locals(x=cython.double, y=cython.double, log_rest=cython.double)
    def put_number(self, at, gain, log_factor):
        """Set an entry to e^(eta gain) times a factor with this logarithm."""
        x = floor(gain / self.quantum + 0.5)
        log_rest = self.eta * (gain - x * self.quantum) + log_factor
        y = floor(log_rest / self.log_radix + 0.5)
        self.M[at], self.X[at] = exp(log_rest - y * self.log_radix), x + y

    @cython.locals(s=cython.Py_ssize_t, i=cython.Py_ssize_t, gap=cython.double)
    @cython.locals(m=cython.double, total=cython.double, top=cython.double)
    def multiply(self, out, low, high, a, degree_a, b, degree_b, more):
        """Set the coefficients ``low`` to ``high`` of polynomial ``out`` to those of a b, or add them."""
        for s in range(low, high + 1):
            total, top = (self.M[out + s], self.X[out + s]) if more else (0.0, 0.0)
            for i in range(max(0, s - degree_a), min(degree_b, s) + 1):
                m, gap = self.M[a + s - i] * self.M[b + i], top - (self.X[a + s - i] + self.X[b + i])
                if gap == 0.0:
                    total += m
                elif total == 0.0:
                    total, top = m, top - gap
                elif gap > 0.0:
                    if gap <= 2.0:  # beyond, the term is below the last digit
                        total += m * self.less if gap == 1.0 else m * self.less * self.less
                elif m != 0.0:
                    if gap < -2.0:
                        total = 0.0
                    total, top = m + (total * self.less if gap == -1.0 else total * self.less * self.less), top - gap
            # Rescale M to between e^(-L/2) and e^(L/2), so that the next product does not overflow.
            if total >= self.high:
                total, top = total * self.less, top + 1.0
            elif total < self.low:
                total, top = (total * self.radix, top - 1.0) if total > 0.0 else (0.0, 0.0)
            self.M[out + s], self.X[out + s] = total, top

    # --- The tree ----------------------------------------------------------------------------------

    def node(self, h, i):
        """Return the index of E of the i-th node of a level; H follows it. Only two leaves exist at a time."""
        return self.start[h] + (i if h else i & 1) * self.length[h] * self.polynomials

    def row(self, h, which):
        """Return the index of u (0), v (1) or the rest (2, in its last entry) of the path's node at a level."""
        return self.way + (3 * h + which) * (self.most + 1)

    def degree(self, h, i):
        """Return the largest number of blocks below a node that a set can have."""
        return max(0, min(self.most, self.blocks - (i << h), 1 << h))

    @cython.locals(e=cython.Py_ssize_t)
    def weigh(self, j):
        """Make the leaf of a block: E is 1 + r z, H is q r z."""
        e = self.node(0, j)
        self.put_number(e + 1, self.gains[j], 0.0)
        if self.parts and self.last[j] > 0.0:
            self.M[e + 3], self.X[e + 3] = self.last[j] * self.M[e + 1], self.X[e + 1]
        elif self.parts:
            self.put_number(e + 3, self.gains[j], self.last[j])

    def make_leaves(self, j):
        """Compute the leaf of a block and its sibling, the two leaves that are kept."""
        self.paired = -1
        self.weigh(j)
        self.weigh(j ^ 1)
        self.paired = j >> 1

    @cython.locals(a=cython.Py_ssize_t, b=cython.Py_ssize_t, down=cython.Py_ssize_t, out=cython.Py_ssize_t)
    @cython.locals(degree=cython.Py_ssize_t, degree_a=cython.Py_ssize_t, degree_b=cython.Py_ssize_t)
    def set_node(self, h, i):
        """Compute a node from its children."""
        out, a, b = self.node(h, i), self.node(h - 1, 2 * i), self.node(h - 1, 2 * i + 1)
        degree, degree_a, degree_b = self.degree(h, i), self.degree(h - 1, 2 * i), self.degree(h - 1, 2 * i + 1)
        self.multiply(out, 0, degree, a, degree_a, b, degree_b, False)
        if self.parts:
            out, down = out + self.length[h], self.length[h - 1]
            self.multiply(out, 0, degree, a + down, degree_a, self.unit, 0, False)
            self.multiply(out, 0, degree, a, degree_a, b + down, degree_b, True)

    @cython.locals(h=cython.Py_ssize_t, i=cython.Py_ssize_t, rate=cython.double)
    def rebuild(self):
        """Compute everything that depends on the rate."""
        rate = max(self.eta, SLOWEST)
        self.quantum = ldexp(1.0, cython.cast(cython.int, 8.0 - floor(log2(rate))))
        self.log_radix = rate * self.quantum  # between 256 and 512
        self.radix, self.less = exp(self.log_radix), exp(-self.log_radix)
        self.high, self.low = exp(self.log_radix / 2.0), exp(-self.log_radix / 2.0)
        for h in range(1, self.levels + 1):
            for i in range(((self.blocks - 1) >> h) + 1):
                if h == 1:
                    self.make_leaves(2 * i)
                self.set_node(h, i)
        self.make_leaves(0)
        self.finger, self.massed, self.good = 0, -1, self.levels

    # --- A look ------------------------------------------------------------------------------------

    @cython.locals(k=cython.Py_ssize_t, u=cython.Py_ssize_t)
    def set_masses(self, n):
        """Set u of the root, reversed: the mass by size, with 0 for sets of d, whose masses are in H."""
        u = self.row(self.levels, 0) + self.most
        self.weigh_sizes(n)
        for k in range(self.most + 1):
            self.M[u - k] = self.X[u - k] = 0.0
            if not self.parts or (k <= n and k < self.d):
                self.put_number(u - k, 0.0, self.logs[k])

    @cython.locals(low=cython.Py_ssize_t, most=cython.Py_ssize_t, up=cython.Py_ssize_t, n=cython.Py_ssize_t)
    @cython.locals(u=cython.Py_ssize_t, v=cython.Py_ssize_t, rest=cython.Py_ssize_t)
    @cython.locals(e=cython.Py_ssize_t, f=cython.Py_ssize_t)
    def step_down(self, h, i):
        """Set u, v and the rest of the i-th node of a level, from those of its parent and its sibling's E and H."""
        most, n = self.most, self.degree(h, i ^ 1)
        if h == 0:
            self.make_leaves(i)
        u, v, rest = self.row(h, 0), self.row(h, 1), self.row(h, 2)
        up = self.row(h + 1, 0) - u
        e = self.node(h, i ^ 1)
        f = e + self.length[h]
        if not self.parts:  # the masses change in every round and are applied at the end: v is E of the other blocks
            self.multiply(v, 0, most, v + up, most, e, n, False)
            return
        low = max(0, most - (1 << h))  # skip coefficients that no lower level reads
        self.multiply(u, low, most, u + up, most, e, n, False)
        self.multiply(rest, most, most, rest + up, most, self.unit, 0, False)
        if i & 1:  # the sibling's blocks came earlier
            self.multiply(v, low, most, v + up, most, e, n, False)
            self.multiply(rest, most, most, v + up, most, f, n, True)
        else:
            self.multiply(v, low, most, v + up, most, self.unit, 0, False)
            self.multiply(u, low, most, v + up, most, f, n, True)

    @cython.locals(h=cython.Py_ssize_t, j=cython.Py_ssize_t, n=cython.longlong, gap=cython.double, odds=cython.double)
    @cython.locals(most=cython.Py_ssize_t, e=cython.Py_ssize_t, u=cython.Py_ssize_t, v=cython.Py_ssize_t)
    @cython.locals(out=cython.Py_ssize_t)
    def look(self):
        """Compute the odds at the current block, from the root downwards."""
        j, most, h = self.at, self.most, 0
        n = max(self.blocks, j + 1)
        while self.finger >> h != j >> h:  # up to the common ancestor of the last path and the new one
            if h == 1 and self.paired != self.finger >> 1:  # an interpreted look may have been interrupted there
                self.make_leaves(self.finger)
            if h > 0:
                self.set_node(h, self.finger >> h)
            h += 1
        self.good = max(self.good, h)
        self.finger = j
        if not self.parts:
            self.set_masses(max(0, self.horizon - self.rounds - self.ahead))
        elif n != self.massed:
            self.massed, self.good = -1, self.levels
            self.set_masses(n)
            self.massed = n
        while self.good > 0:
            self.step_down(self.good - 1, j >> self.good - 1)
            self.good -= 1  # an interrupted look leaves the remaining nodes to the next one
        e, u, v, out = self.node(0, j), self.row(0, 0), self.row(0, 1), self.row(self.levels + 1, 0)
        if not self.parts:
            self.multiply(u, most - 1, most, self.row(self.levels, 0), most, v, most, False)
        if j == self.blocks:
            self.gains[j], self.last[j] = 0.0, self.last_mass(n) if self.parts else 0.0
            self.weigh(j)
        # The weights that predict 0 and 1, at the end of separate rows.
        self.multiply(out, most, most, u, most, self.unit, 0, False)
        self.multiply(out, most, most, self.row(0, 2), most, self.unit, 0, True)
        self.multiply(out, most - 1, most - 1, u, most, e + 1, 0, False)
        if self.parts:
            self.multiply(out, most - 1, most - 1, v, most, e + 3, 0, True)
        out += most
        odds, gap = self.M[out] / self.M[out - 1], self.X[out] - self.X[out - 1]
        while 0.0 < gap <= 2.0:
            odds, gap = odds * self.radix, gap - 1.0
        while -2.0 <= gap < 0.0:
            odds, gap = odds * self.less, gap + 1.0
        self.p = 1.0 / (1.0 + odds) if gap == 0.0 else 1.0 if gap < 0.0 else 0.0

    @cython.locals(out=cython.Py_ssize_t)
    def log_ratio(self):
        """Return the log-odds of 1 at the current block."""
        out = self.row(self.levels + 1, 0) + self.most
        return log(self.M[out - 1] / self.M[out]) + (self.X[out - 1] - self.X[out]) * self.log_radix

    @cython.locals(out=cython.Py_ssize_t, here=cython.Py_ssize_t, best=cython.double)
    def log_total(self) -> float:
        """Return ln of the sum of mass times e^(-eta (loss - L*)): of both labels, at the current block.

        It is the same at every block. With the paper's prior it is computed again for the rounds so far.
        """
        here = self.at
        if not self.known or not self.parts:
            self.at, self.ahead, self.known = max(0, min(here, self.blocks - 1)), 0, False
            self.look()
            self.at, self.ahead = here, 1
        out = self.row(self.levels + 1, 0) + self.most
        best = self.surplus / self.quantum
        return log_plus(
            log(self.M[out]) + (self.X[out] - best) * self.log_radix,
            log(self.M[out - 1]) + (self.X[out - 1] - best) * self.log_radix,
        )
