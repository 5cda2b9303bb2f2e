"""Stumps without touching each path: ADEPT's exact distribution in O(F log t) per round for F features.

Most paths are followed by one cell alone (a gap of one feature, in one direction). From then on they behave like paths
of thresholds, and are kept in the line of their feature (``stump_line_kernel``). The few others are rows of a table
(``shared_paths_kernel``): the two constants, and what features that repeat each other have in common; a round looks at
all their cells.
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
    from cython.cimports.adeptree._compiled.ledger_kernel import Ledger, mixed, word_of_float
    from cython.cimports.adeptree._compiled.line_tree_kernel import key_of
    from cython.cimports.adeptree._compiled.round_kernel import RoundKernel
    from cython.cimports.adeptree._compiled.shared_paths_kernel import SharedPaths
    from cython.cimports.adeptree._compiled.shares_kernel import Shares
    from cython.cimports.adeptree._compiled.stump_line_kernel import StumpLine
    from cython.cimports.libc.math import INFINITY as inf
    from cython.cimports.libc.math import isfinite
else:
    from math import inf, isfinite

    from adeptree.core.arrays_kernel import longer
    from adeptree.families.line.line_tree_kernel import key_of
    from adeptree.families.stumps.shared_paths_kernel import SharedPaths
    from adeptree.families.stumps.shares_kernel import Shares
    from adeptree.families.stumps.stump_line_kernel import StumpLine
    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.theory.ledger_kernel import Ledger, mixed, word_of_float

BEYOND = cython.declare(cython.longlong, 9223372036854775806)
PLAIN = 2**53  # ints up to this are doubles


def is_plain(value: object) -> cython.bint:
    """Whether it is plainly a finite number that is a double."""
    if type(value) is float:
        return isfinite(value)
    return type(value) is int and -PLAIN <= value <= PLAIN


class StumpsKernel(RoundKernel):
    """Lines and the table.

    ``names`` are the features, and ``word_of`` gives the words of names, for coins. Where cuts are given, ``cuts`` has
    those of one feature after those of the other, and ``ends`` says where each one's end. Without given names features
    come as they are met (``is_open``): a feature that is absent is 0, and the first line stands for all that are still
    to come.
    """

    def __init__(
        self, names: Any, word_of: Any, parts: Any, per_cut: float, cuts: Any, ends: Any, is_open: bool
    ) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        self.shares = Shares(parts, per_cut)
        self.word_of = word_of
        self.is_open, self.given = is_open, len(ends) > 0
        self.cuts, self.ends = array("d", cuts), array("q", ends)
        self.words = array("Q")
        self.values = self.coming = self.points = array("d")
        self.mappings = []
        self.begin(names)

    def begin(self, names: Any) -> None:
        """Begin with these features: all cells follow one path."""
        self.names, self.lines, self.places, self.strangers = [], [], {}, {}
        self.fresh = True  # whether no point has been in place since the last line began
        self.best = 0.0
        self.lead = None
        self.table = SharedPaths(self.shares, self.given)
        self.table.line_room(len(self.values))
        for f in range(len(names)):
            line: StumpLine = self.add_line(names[f])
            self.table.add(0, f, False, line.first, line.last)
            self.table.add(0, f, True, line.first, line.last)
        if self.given:  # the constants are concepts of their own
            self.table.add(0, 0, False, BEYOND, BEYOND + 1)
            self.table.add(0, 0, True, BEYOND, BEYOND + 1)

    def add_line(self, name: object) -> StumpLine:
        """Begin the line of one more feature."""
        f: cython.Py_ssize_t = len(self.lines)
        line: StumpLine
        if self.given:
            line = StumpLine(False, 0, self.ends[f] - (self.ends[f - 1] if f else 0), self.shares)
        else:
            line = StumpLine(True, key_of(-inf), key_of(inf), self.shares)
        if f == 0:
            self.lead = line
        else:
            line.lead = self.lead
        if f >= len(self.values):
            room = f + f // 2 + 1
            self.values, self.coming = longer(self.values, room), longer(self.coming, room)
            self.words = longer(self.words, room)
            self.table.line_room(room)
        self.table.reserve()
        self.lines.append(line)
        self.names.append(name)
        self.words[f] = self.word_of(name)
        self.places[name] = f
        self.fresh = True
        return line

    # --- Points ------------------------------------------------------------------------------------

    def place(self, x: object) -> cython.bint:
        """Put x in place, if it is a dict of plain finite numbers."""
        given: dict
        strangers: dict
        if type(x) is not dict:
            return False
        given = x
        if self.is_open:
            strangers = {}
            for name, value in given.items():
                if type(name) is not str or not name or not is_plain(value):
                    return False
                if name not in self.places and value != 0:
                    strangers[name] = value
            for f in range(len(self.lines)):
                self.coming[f] = 0.0
            for name, value in given.items():
                if name in self.places:
                    self.coming[self.places[name]] = value
            if strangers != self.strangers:
                self.strangers = strangers
                self.table.opening = len(strangers) > 0
                self.fresh = True
        else:
            for f in range(len(self.lines)):
                value = given.get(self.names[f])
                if not is_plain(value):
                    return False
                self.coming[f] = value
        self.arrive()
        return True

    def place_at(self, i: cython.Py_ssize_t) -> cython.void:
        """Put the i-th point of the batch in place."""
        f: cython.Py_ssize_t
        if self.is_open:
            self.place(self.mappings[i])
            return
        for f in range(len(self.lines)):
            self.coming[f] = self.points[i * len(self.lines) + f]
        self.arrive()

    def warm(self, first: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Read what the coming points of the batch will need, line by line."""
        i: cython.Py_ssize_t
        f: cython.Py_ssize_t
        for f in range(0 if self.is_open or self.given else len(self.lines)):
            line: StumpLine = cython.cast(StumpLine, self.lines[f])
            for i in range(stop - first):
                line.coming[i] = key_of(self.points[(first + i) * len(self.lines) + f])
            line.warm_ways(stop - first)

    def give(self, points: Any, mappings: list[Any]) -> None:
        """Take the points of a batch: the values of all features, row by row; or, where features may come, mappings."""
        self.points, self.mappings = points, mappings

    def arrive(self) -> cython.void:
        """Let the point that has come be in place, if it is another one."""
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        word: cython.ulonglong = 0
        moved: cython.bint = self.fresh
        for f in range(len(self.lines)):
            if self.coming[f] != self.values[f]:
                moved = True
        if not moved:
            return
        self.seen = self.known = self.fresh = False
        for f in range(len(self.lines)):
            self.values[f] = self.coming[f]
            self.table.x[f] = self.key_at(f, self.values[f])
            if self.values[f] != 0.0:
                word = (word + mixed(self.words[f] ^ word_of_float(self.values[f]))) & mask
        for name, value in self.strangers.items():
            word = (word + mixed(self.word_of(name) ^ word_of_float(value))) & mask
        self.word = word

    def key_at(self, f: cython.Py_ssize_t, value: cython.double) -> cython.longlong:
        """Return the key of a value: its place among all doubles, or how many of the given cuts are not above it."""
        first: cython.longlong = self.ends[f - 1] if f and self.given else 0
        low: cython.longlong = first
        high: cython.longlong = self.ends[f] if self.given else 0
        middle: cython.longlong
        if not self.given:
            return key_of(value)
        while low < high:
            middle = (low + high) // 2
            if self.cuts[middle] <= value:
                low = middle + 1
            else:
                high = middle
        return low - first

    # --- Rounds ------------------------------------------------------------------------------------

    def look(self) -> cython.void:
        """Divide the weight of all lines and of the table; the lead gathers it, least loss and sum of either label."""
        lead: StumpLine = self.lead
        for f in range(len(self.lines)):
            line: StumpLine = cython.cast(StumpLine, self.lines[f])
            line.x = self.table.x[f]
            line.gather()
            self.table.lean[f] = 1.0 if line.guess else -1.0
            if f:
                lead.add1(line.least1, line.sum1)
                lead.add0(line.least0, line.sum0)
        self.table.look(lead)
        lead.share()
        self.p = lead.p

    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1 at x."""
        return self.lead.log_ratio()

    def reserve(self) -> cython.int:
        """Make room for one more round; features that are new get their lines."""
        if self.strangers:
            self.meet()
        for f in range(len(self.lines)):
            cython.cast(StumpLine, self.lines[f]).reserve()
        self.shares.reserve(self.shares.longest + 1)
        self.table.reserve()
        return 0

    def meet(self) -> cython.int:
        """Begin lines for features that are new at x: until now they were 0 at every point, as on the first line."""
        cells: cython.Py_ssize_t = self.table.cells
        lead: StumpLine = self.lead
        for name, value in sorted(self.strangers.items()):
            f = len(self.lines)
            line: StumpLine = self.add_line(name)
            line.eta, line.zeros, line.charged, line.whole = self.eta, lead.zeros, lead.charged, lead.whole
            line.rebuild()
            if lead.cells > 1:
                line.x = key_of(0.0)
                line.locate()
                line.insert()
                line.gain[line.at] = lead.gain[1]
                line.climb()
            for i in range(cells):  # its cells are those of the constants, and vote like the others of these
                if self.table.line[i] == 0:
                    self.table.add(self.table.row[i], f, self.table.down[i], self.table.low[i], self.table.high[i])
            self.values[f] = value
            self.table.x[f] = line.x = key_of(value)
            line.locate()
        self.strangers = {}
        self.table.opening = False
        return 0

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Let x in, and charge the paths that are wrong there."""
        for f in range(len(self.lines)):
            cython.cast(StumpLine, self.lines[f]).take(label, cost)
        self.table.take(label, cost, self.lines)
        self.find_best()

    def find_best(self) -> cython.void:
        """Set L*."""
        self.best = self.table.lowest()
        for f in range(len(self.lines)):
            self.best = min(self.best, cython.cast(StumpLine, self.lines[f]).least())

    def least(self) -> cython.double:
        """L*: the least loss of a path."""
        return self.best

    def count(self) -> cython.longlong:
        """The number of paths."""
        return self.shares.singles + self.table.rows

    def rebuild(self) -> cython.void:
        """Compute anew what depends on the rate."""
        for f in range(len(self.lines)):
            line: StumpLine = cython.cast(StumpLine, self.lines[f])
            line.eta = self.eta
            line.rebuild()
