"""One rule per segment: the product of lines that lie in one arena, a root each.

A point is a pair of a segment's name and a point of the line. A path is a gap in every segment, its mass and weight are
products, and its loss is a sum. So p is that of the segment in question, and only its tree changes in a round.
Segments that no round had are all alike: they share one tree of one gap, until a round gives it to one of them.
With ``rate_each`` every segment has a rate of its own (``two_levels_kernel.py``).
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import inf

    from adeptree.core.arrays_kernel import longer
    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.structures.line_tree_kernel import LineTree
    from adeptree.theory.ledger_kernel import Ledger

EACH = cython.declare(cython.Py_ssize_t, 6)  # numbers of a segment: root, zeros, charged, cells, clock, ln Z
MANY = cython.declare(cython.double, 2.0**60)
OWN = cython.declare(cython.Py_ssize_t, 5)  # with own rates: rate, price it rests on, excess, rounds, rate of the last
KAPPA = cython.declare(cython.double, 2.0)
NOTHING = cython.declare(cython.double, 745.0)


class SegmentsKernel(RoundKernel):
    """Segments on a fresh ``line`` (thresholds of one or both directions); their mass before the first round is 1."""

    def __init__(self, line: LineTree) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        line.smallest = 1  # (most segments have few points)
        self.line, self.places, self.name, self.batch = line, {}, "", []
        self.kept, self.own = array("d"), array("d")
        self.rated, self.first_rate, self.by, self.column = False, 0.0, None, None
        self.at = 0
        self.lost = self.log_sum = 0.0
        self.paths = 1.0
        self.begin(0)

    def begin(self, k: cython.Py_ssize_t) -> cython.int:
        """Begin the tree of the k-th segment, of one gap."""
        if EACH * (k + 1) > len(self.kept):
            self.kept = longer(self.kept, EACH * (k + (k >> 3) + 8))
        if self.rated and OWN * (k + 1) > len(self.own):
            self.own = longer(self.own, OWN * (k + (k >> 3) + 8))
        self.kept[EACH * k], self.kept[EACH * k + 3] = self.line.new_root(), 1.0
        self.kept[EACH * k + 1] = self.kept[EACH * k + 2] = self.kept[EACH * k + 4] = self.kept[EACH * k + 5] = 0.0
        return 0

    def rate_each(self) -> cython.int:
        """Let every segment have a rate of its own, before the first round."""
        self.rated, self.own = True, array("d", bytes(8 * OWN))
        self.line.longest, self.line.table = 0.0, 0
        return 0

    def meet(self, name: object) -> cython.int:
        """Give a segment that is new its tree, and have one for the next."""
        k: cython.Py_ssize_t = OWN * len(self.places)
        if self.rated:
            self.own[k], self.own[k + 1], self.own[k + 4] = self.first_rate, KAPPA, self.first_rate
        self.visit(len(self.places))
        self.begin(self.at + 1)
        self.places[name] = self.at
        self.paths *= self.line.count()
        return 0

    def visit(self, k: cython.Py_ssize_t) -> cython.void:
        """Let the line be that of the k-th segment."""
        line: LineTree = self.line
        self.at = k
        line.root = cython.cast(cython.Py_ssize_t, self.kept[EACH * k])
        line.cells = cython.cast(cython.longlong, self.kept[EACH * k + 3])
        line.zeros, line.charged = self.kept[EACH * k + 1], self.kept[EACH * k + 2]
        line.clock, line.log_z = self.kept[EACH * k + 4], self.kept[EACH * k + 5]
        if self.rated:
            line.eta = self.own[OWN * k]
            line.nothing = NOTHING / line.eta if line.eta > 0.0 else inf

    def keep(self) -> cython.void:
        """Keep what a round has changed in the line."""
        k: cython.Py_ssize_t = EACH * self.at
        self.kept[k + 1], self.kept[k + 2], self.kept[k + 3] = self.line.zeros, self.line.charged, self.line.cells
        self.kept[k + 4], self.kept[k + 5] = self.line.clock, self.line.log_z

    # --- Rounds ------------------------------------------------------------------------------------

    def place(self, x: object) -> cython.bint:
        """Put in place a pair of a name and a point of the line, or a row with both, if it is one."""
        before: cython.longlong = self.line.x
        k: cython.Py_ssize_t
        if type(x) is dict and self.by is not None:
            name, value = x.get(self.by), x.get(self.column)
            if type(name) is int and -MANY < name < MANY:
                name = str(name)
            name = "" if name is None else name
        elif type(x) is tuple and len(x) == 2:
            name, value = x
        else:
            return False
        if type(name) is not str or not self.line.place(value):
            return False
        self.name = name
        k = self.places.get(self.name, len(self.places))
        if k != self.at or self.line.x != before:
            self.seen = self.known = False
            self.visit(k)
        return True

    def give(self, pairs: Any) -> None:
        """Take the pairs of a batch."""
        self.batch = pairs

    def place_at(self, i: cython.Py_ssize_t) -> cython.void:
        """Put the i-th pair of the batch in place."""
        self.place(self.batch[i])

    def look(self) -> cython.void:
        """Divide the weight of the segment: that of the others is the same on either side."""
        self.line.look()
        self.p, self.word = self.line.p, self.line.word

    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1."""
        return self.line.log_ratio()

    def reserve(self) -> cython.int:
        """Make room for one more round; a segment that is new keeps its tree."""
        if self.at == len(self.places):
            self.meet(self.name)
        return self.line.reserve()

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Let the point in, and charge the rules that are wrong there."""
        line: LineTree = self.line
        self.lost -= line.least()
        self.log_sum -= line.log_total()
        self.paths /= line.count()
        line.take(label, cost)
        self.lost += line.least()
        self.log_sum += line.log_total()
        self.paths *= line.count()
        self.keep()

    # --- Account -----------------------------------------------------------------------------------

    def least(self) -> cython.double:
        """L*: the sum of the least losses."""
        return self.lost

    def log_total(self) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - L*)): the sum of those of all segments."""
        return self.log_sum

    def count(self) -> cython.longlong:
        """The number of paths, the product of those of segments; 2^60 stands for that number or more."""
        return cython.cast(cython.longlong, self.paths if self.paths < MANY else MANY)

    def rebuild(self) -> cython.void:
        """Compute again what depends on the rate, in every tree."""
        k: cython.Py_ssize_t = len(self.places)
        at: cython.Py_ssize_t = self.at
        line: LineTree = self.line
        line.eta = self.eta
        self.visit(k)  # the tree that no segment has: its weight is the mass of one line
        if self.rated:
            line.table = 0
            line.sum_again()
        else:
            line.rebuild()
        self.lost, self.log_sum, self.paths = 0.0, -k * line.log_total(), 1.0
        while k > 0:
            k -= 1
            self.visit(k)
            line.sum_again()
            self.lost += line.least()
            self.log_sum += line.log_total()
            self.paths *= line.count()
        self.visit(at)
