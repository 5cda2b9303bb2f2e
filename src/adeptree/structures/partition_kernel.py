"""ADEPT on a listed class: the cell of every concept, and k, n, L and the weight of every cell.

A cell is a set of concepts that agree on all points so far: an active path. The concepts are ordered by cell, so a
point at which some of a cell differ divides its range in two. A repeated point divides no cell, and then one concept
per cell is read. Labels are bits, one cached column per point. Python code computes the columns and may raise, so only
a round at a point whose column is cached runs without a transaction.

``weight`` is mass times e^(-eta L), up to a common factor (without the mass, if that changes in every round). The
weight of a wrong cell is multiplied by e^(-eta cost). All weights are recomputed periodically, so that rounding does
not accumulate. A weight below 1e-290 counts as 0; use log_ratio for the exact log-odds.
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, inf, log

    from adeptree.core.arrays_kernel import longer
    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.theory.ledger_kernel import Ledger
    from adeptree.theory.mass_kernel import Masses

MAJORITY = cython.declare(cython.int, -1)
ASK = cython.declare(cython.int, -2)
NOTHING = cython.declare(cython.double, 1e-290)
FRESH = cython.declare(cython.longlong, 1024)  # rounds after which weights are computed again
KINDS = {"losses": "d", "log_mass": "d", "weight": "d", "say": "B", "guesses": "B"}
ROWS = ("start", "size", "ones", "mistakes", "contested", *KINDS)


class RowsKernel(RoundKernel):
    """Paths as rows of arrays: k, n, L and the weight of each.

    A subclass writes :meth:`answer`, :meth:`log_part` and ``take``, which divides rows and calls :meth:`charge_rows`.
    """

    def __init__(self, masses: Masses) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        self.masses, self.moving = masses, not masses.settled
        self.step = array("d", bytes(32))
        self.side = array("d", [0, 1, 0, 0, 1, 0, 0, 0])  # by ``say``: predicts 1, then predicts 0

    def answer(self) -> cython.void:
        """Compute the answer of every row: 0 or 1; or 2 or 3 if both are possible and 0 or 1 is predicted."""

    def log_part(self, c: cython.Py_ssize_t, label: cython.int) -> cython.double:
        """Return ln of the mass of the nonempty part of a row with this label."""
        return 0.0

    @cython.locals(c=cython.Py_ssize_t)
    def look(self) -> cython.void:
        """Compute the odds from the answers of the rows."""
        say: cython.uchar[::1] = self.say
        weight: cython.double[::1] = self.weight
        capacity: cython.double[::1] = self.masses.capacity
        mistakes: cython.int[::1] = self.mistakes
        side: cython.double[::1] = self.side
        one = zero = 0.0
        self.answer()
        self.masses.set_round(self.rounds + self.ahead)
        for c in range(self.width):
            here = weight[c] * capacity[mistakes[c] * self.moving]
            one += here * side[say[c]]
            zero += here * side[4 + say[c]]
        if self.parted:
            for c in range(self.width):
                if say[c] > 1:
                    here = self.log_mass[c] + self.masses.log_capacity[0]
                    one += weight[c] * exp(self.log_part(c, 1) - here)
                    zero += weight[c] * exp(self.log_part(c, 0) - here)
        self.p = one / (one + zero)

    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1 at the current point, exact even if one side is negligible."""
        return self.log_side(1) - self.log_side(0)

    def log_side(self, label: cython.int) -> cython.double:
        """Return ln of the weight that predicts this label."""
        top, total = -inf, 0.0
        for c in range(self.width):
            if self.say[c] == label or self.say[c] > 1:
                z = self.log_part(c, label) - self.eta * (self.losses[c] - self.best)
                if z > top:
                    total = total * exp(top - z) + 1.0
                    top = z
                elif z > top - 60.0:
                    total += exp(z - top)
        return top + log(total) if total > 0.0 else -inf

    def charge_rows(self, label: cython.int, cost: cython.double) -> cython.void:
        """Charge the wrong rows, after all have been divided."""
        say: cython.uchar[::1] = self.say
        losses: cython.double[::1] = self.losses
        weight: cython.double[::1] = self.weight
        step: cython.double[::1] = self.step
        best, top = inf, 0.0
        # Costs and remaining weight factors of answers 0 and 1. (Without branches, because labels are unpredictable.)
        step[label], step[2 + label] = 0.0, 1.0
        step[1 - label], step[3 - label] = cost, exp(-self.eta * cost)
        for c in range(self.width):
            here = losses[c] + step[say[c]]
            losses[c] = here
            best = here if here < best else best
            here = weight[c] * step[2 + say[c]]
            here = here if here > NOTHING else 0.0
            weight[c] = here
            top = here if here > top else top
        self.best = best
        self.since += 1
        if self.since >= FRESH or self.eta * (best - self.anchor) > 100.0 or top < 1e-100:
            self.rebuild()

    @cython.locals(c=cython.Py_ssize_t)
    def rebuild(self) -> cython.void:
        """Compute all weights again, scaled to maximum 1."""
        top = -inf
        for c in range(self.width):
            z = self.log_mass[c] - self.eta * (self.losses[c] - self.best)
            top = z if z > top else top
        for c in range(self.width):
            z = self.log_mass[c] - self.eta * (self.losses[c] - self.best) - top
            self.weight[c] = exp(z) if z > -660.0 else 0.0
        self.anchor, self.since = self.best, 0  # L* at that time, and the rounds since

    def least(self) -> cython.double:
        """L*: the least loss of a row."""
        return self.best

    @cython.locals(c=cython.Py_ssize_t)
    def log_total(self) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - L*)), by a scan; NaN with the paper's prior."""
        total = 0.0
        for c in range(self.width):
            total += exp(self.log_mass[c] - self.eta * (self.losses[c] - self.best))
        return log(total) if self.masses.settled else inf - inf

    def count(self) -> cython.longlong:
        """The number of rows."""
        return self.width


class Column:
    """A point: its labels by all concepts, as bits, and the word of its coin."""

    def __init__(self, x: Any, key: Any, word: cython.ulonglong, bits: Any) -> None:
        self.x, self.kind, self.word, self.bits = x, type(key), word, bits
        self.entered = False  # the point has occurred


class PartitionKernel(RowsKernel):
    """The partition of a listed class into cells.

    ``guess`` is the base learner's prediction where a cell is divided: a label; MAJORITY, the label of most of the
    cell's concepts; or ASK, which calls ``judge``. ``read`` computes the column of a point and caches it.
    """

    def __init__(self, concepts: int, guess: cython.int, masses: Masses, read: Any, judge: Any) -> None:
        RowsKernel.__init__(self, masses)
        self.concepts, self.guess, self.read, self.judge = concepts, guess, read, judge
        self.columns, self.column = {}, None
        self.store = 1 << 26  # size in bytes beyond which cached columns are dropped
        self.arrays = {name: array(KINDS.get(name, "i")) for name in ROWS}
        self.arrays["order"] = array("i", range(concepts))  # the concepts, cell by cell
        self.room = 0
        self.make_room(1)
        self.size[0] = concepts
        self.width = 1
        self.rounds = 0  # number of points so far
        self.ready()

    # --- Points ------------------------------------------------------------------------------------

    def found(self, x: object) -> Column:
        """Return the cached column of a point, or None."""
        column: Column
        try:
            column = self.columns.get(x)
        except TypeError:  # not hashable
            return None
        # 1, 1.0 and True are equal as keys, but not all of them need be points.
        return column if column is not None and type(x) is column.kind else None

    def quick(self, x: object) -> cython.bint:
        """Return True if a round at x runs no Python code."""
        column: Column = self.found(x)
        return column is not None and (column.entered or self.guess != ASK)

    def place(self, x: object) -> cython.bint:
        """Make x the current point; query the base learner if needed."""
        column: Column = self.found(x)
        if column is None:
            if (self.concepts / 8 + 400) * len(self.columns) > self.store:  # 400 bytes for the point itself
                self.columns = {}
            column = self.read(x)
        if column is not self.column:
            self.column = None  # interpreted code may be interrupted below
            self.word = column.word
            self.seen = self.known = False
            self.column = column
        if self.guess == ASK and not (self.known or self.column.entered):
            self.answer()
            if self.parted:
                self.judge(self.column.x)  # fills in ``guesses``
        return True

    # --- A round -----------------------------------------------------------------------------------

    @cython.locals(
        c=cython.Py_ssize_t,
        i=cython.Py_ssize_t,
        a=cython.Py_ssize_t,
        ones=cython.int,
        size=cython.int,
        fresh=cython.bint,
    )
    def answer(self) -> cython.void:
        """Compute the answer of every cell: 0 or 1; or 2 or 3 if its concepts differ and 0 or 1 is predicted."""
        bits: cython.uchar[::1] = self.column.bits
        say: cython.uchar[::1] = self.say
        order: cython.int[::1] = self.order
        start: cython.int[::1] = self.start
        fresh = not self.column.entered
        self.parted = 0
        for c in range(self.width):
            a = order[start[c]]
            say[c] = (bits[a >> 3] >> (a & 7)) & 1
            if fresh and self.size[c] > 1:
                size, ones = self.size[c], 0
                for i in range(start[c], start[c] + size):
                    a = order[i]
                    ones += (bits[a >> 3] >> (a & 7)) & 1
                if 0 < ones < size:
                    self.parted += 1
                    self.ones[c] = ones
                    if self.guess == MAJORITY:  # a tie is 0
                        say[c] = 2 + (2 * ones > size)
                    else:
                        say[c] = 2 + (self.guesses[c] if self.guess == ASK else self.guess)

    @cython.locals(s=cython.int)
    def log_part(self, c: cython.Py_ssize_t, label: cython.int) -> cython.double:
        """Return ln of the mass of the nonempty part of a cell with this label."""
        s = self.say[c]
        if s < 2:
            return self.log_mass[c] if self.masses.settled else self.masses.log_capacity[self.mistakes[c]]
        size = self.ones[c] if label else self.size[c] - self.ones[c]
        return self.masses.log_mass(self.mistakes[c] + (s - 2 != label), self.contested[c] + 1, size / self.concepts)

    def divide(self, c: cython.Py_ssize_t) -> cython.void:
        """Divide a cell: concepts with label 0 stay, concepts with label 1 form a new cell."""
        bits: cython.uchar[::1] = self.column.bits
        order: cython.int[::1] = self.order
        new = self.width
        i = self.start[c]
        j = i + self.size[c] - 1
        mass1 = self.log_part(c, 1)
        mass0 = self.log_part(c, 0)
        while i <= j:
            a = order[i]
            if (bits[a >> 3] >> (a & 7)) & 1:
                order[i] = order[j]
                order[j] = a
                j -= 1
            else:
                i += 1
        self.start[new] = i
        self.size[new] = self.ones[c]
        self.size[c] -= self.ones[c]
        self.contested[c] += 1
        self.contested[new] = self.contested[c]
        self.deepest = max(self.deepest, self.contested[c])
        self.mistakes[new] = self.mistakes[c] + 3 - self.say[c]
        self.mistakes[c] += self.say[c] - 2
        self.losses[new] = self.losses[c]
        self.weight[new] = self.weight[c]
        if self.masses.settled:
            self.weight[new] *= exp(mass1 - self.log_mass[c])
            self.weight[c] *= exp(mass0 - self.log_mass[c])
            self.log_mass[new] = mass1
            self.log_mass[c] = mass0
        self.say[new] = 1
        self.say[c] = 0
        self.width += 1

    @cython.locals(c=cython.Py_ssize_t)
    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Divide cells, and charge the wrong ones."""
        if self.parted:
            for c in range(self.width):
                if self.say[c] > 1:
                    self.divide(c)
        self.column.entered = True
        self.rounds += self.ahead
        self.charge_rows(label, cost)

    # --- Room --------------------------------------------------------------------------------------

    def reserve(self) -> cython.int:
        """Allocate room for twice the cells, for this contested round and the next prediction."""
        if 2 * self.width > self.room and self.room < self.concepts:
            self.make_room(min(4 * self.width, self.concepts))
        self.masses.reserve(self.deepest + 2)
        return 0

    def make_room(self, room: cython.Py_ssize_t) -> None:
        """Make room for this number of cells."""
        held: dict[str, Any] = {"order": self.arrays["order"]}
        for name in ROWS:
            held[name] = longer(self.arrays[name], room)
        self.arrays, self.room = held, room
        self.order, self.start, self.size, self.ones = held["order"], held["start"], held["size"], held["ones"]
        self.mistakes, self.contested, self.losses = held["mistakes"], held["contested"], held["losses"]
        self.log_mass, self.weight, self.say = held["log_mass"], held["weight"], held["say"]
        self.guesses = held["guesses"]

    @cython.locals(c=cython.Py_ssize_t)
    def ready(self) -> None:
        """Compute the derived sums after the arrays are filled."""
        self.columns, self.column = {}, None
        self.best, self.deepest, self.parted = inf, 0, 0
        for c in range(self.width):
            self.best = min(self.best, self.losses[c])
            self.deepest = max(self.deepest, self.contested[c])
        self.reserve()
        if self.masses.settled:
            for c in range(self.width):
                share = self.size[c]
                self.log_mass[c] = self.masses.log_mass(self.mistakes[c], self.contested[c], share / self.concepts)
        self.rebuild()
