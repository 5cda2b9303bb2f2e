"""Rules on one column of a table, whichever it is: numbers against cuts, texts against a value, gaps on either side.

Every column has rules of its own: cuts among its numbers (a line of ``families/line`` that rises and, for stumps, one
that falls), and its values one by one (``values_kernel``). All have the same share of the prior, so that the weight of
the whole is the sum of the columns' weights, each computed by its own structure: the product prior.

**Gaps.** A rule about numbers has, as part of it, a label for rows where the column holds none (it is empty, or a
text): 0 or 1, with half of the mass each. On numbers and on gaps it loses apart, so that its weight is a product, of
the line's and of ½ (e^(-eta side0) + e^(-eta side1)), ``side`` being what the label 0 or 1 has lost at gaps. Until the
first gap that is 1. To a rule about values a gap is one more value, and a number is none.
"""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.adeptree._compiled.ledger_kernel import Ledger, mixed, word_of_float
    from cython.cimports.adeptree._compiled.line_tree_kernel import LineTree, key_of
    from cython.cimports.adeptree._compiled.round_kernel import RoundKernel
    from cython.cimports.adeptree._compiled.values_kernel import Values
    from cython.cimports.libc.math import INFINITY as inf
    from cython.cimports.libc.math import exp, isfinite, log, log1p
else:
    from math import exp, inf, isfinite, log, log1p

    from adeptree.families.line.line_tree_kernel import LineTree, key_of
    from adeptree.families.tables.values_kernel import Values
    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.theory.ledger_kernel import Ledger, mixed, word_of_float

from adeptree.core.cells import is_storable

NOTHING = cython.declare(cython.double, 745.0)  # e^-745 is the last double above 0
NUMBER = cython.declare(cython.Py_ssize_t, -1)  # in place of a slot
PLAIN = 2**53  # ints up to this are doubles


@cython.cfunc
@cython.exceptval(check=False)
def softplus(x: cython.double) -> cython.double:
    """Return ln(1 + e^x)."""
    if x > 0.0:
        return x + log1p(exp(-x))
    return log1p(exp(x))


@cython.cfunc
@cython.exceptval(check=False)
def log_plus(a: cython.double, b: cython.double) -> cython.double:
    """Return ln(e^a + e^b)."""
    if a < b:
        return b + log1p(exp(a - b))
    return a + log1p(exp(b - a)) if a > -inf else a


class Column:
    """What is known of a column: its lines, its values and their slots, and what gaps cost."""

    def __init__(self, name: Any, word: int, up: LineTree, down: Any) -> None:
        self.name, self.word = name, word
        self.up, self.down = up, down
        self.values = Values()
        self.places, self.words = {}, [0]  # slots by value (None: a gap), and by slot the words of values
        self.pending = None  # what has a place, and no slot before its round is taken
        self.side0 = self.side1 = 0.0
        self.gaps = False

    def apart(self) -> cython.double:
        """Return how much worse the worse label of gaps is."""
        return self.side0 - self.side1 if self.side0 > self.side1 else self.side1 - self.side0

    def side(self) -> cython.double:
        """Return what the better label of gaps has lost."""
        return self.side0 if self.side0 < self.side1 else self.side1

    def best(self) -> cython.double:
        """Return the least loss of the column's rules."""
        least: cython.double = self.up.least() + self.side()
        loss: cython.double
        if self.down is not None:
            loss = self.down.least() + self.side()
            least = loss if loss < least else least
        loss = self.values.least(False)
        least = loss if loss < least else least
        loss = self.values.least(True)
        return loss if loss < least else least


class TableKernel(RoundKernel):
    """Columns; ``word_of`` gives the words of texts, for coins."""

    def __init__(self, columns: Any, word_of: Any) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        kinds: cython.int = 4 if columns[0].down is not None else 3
        self.columns, self.word_of = list(columns), word_of
        self.log_prior = -log(len(columns) * kinds)
        self.cells, self.coming = [inf] * len(columns), [None] * len(columns)
        self.value, self.slot = array("d", bytes(8 * len(columns))), array("q", bytes(8 * len(columns)))
        self.given, self.given_texts = array("d"), []
        self.lowest = 0.0

    # --- Points ------------------------------------------------------------------------------------

    def place(self, x: object) -> cython.bint:
        """Put x in place, if it is a dict of plain finite numbers, texts and gaps."""
        f: cython.Py_ssize_t
        row: dict
        if type(x) is not dict:
            return False
        row = x
        for f in range(len(self.columns)):
            cell = row.get(cython.cast(Column, self.columns[f]).name)
            if type(cell) is int:
                if not -PLAIN <= cell <= PLAIN:
                    return False
                cell = float(cell)
            elif type(cell) is str:
                if cell not in cython.cast(Column, self.columns[f]).places and not is_storable(cell):
                    return False
            elif not (cell is None or (type(cell) is float and isfinite(cell))):
                return False
            self.coming[f] = cell
        self.arrive()
        return True

    def place_at(self, i: cython.Py_ssize_t) -> cython.void:
        """Put the i-th row of the batch in place."""
        f: cython.Py_ssize_t
        count: cython.Py_ssize_t = len(self.columns)
        value: cython.double
        for f in range(count):
            value = self.given[i * count + f]
            if value == value:
                self.coming[f] = value
            else:
                texts = self.given_texts[f]
                self.coming[f] = None if texts is None else texts[i]
        self.arrive()

    def give(self, numbers: Any, texts: Any) -> None:
        """Take the rows of a batch: numbers row by row (NaN where there is none), and per column texts, or None."""
        self.given, self.given_texts = numbers, texts

    def forget(self) -> None:
        """Have no row in place."""
        self.cells = [inf] * len(self.columns)
        self.seen = self.known = False

    def arrive(self) -> cython.void:
        """Let the row that has come be in place, if it is another one."""
        f: cython.Py_ssize_t
        slot: cython.Py_ssize_t
        column: Column
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        word: cython.ulonglong = 0
        if self.coming == self.cells:
            return
        self.cells = list(self.coming)
        self.seen = self.known = False
        for f in range(len(self.columns)):
            column = cython.cast(Column, self.columns[f])
            cell = self.cells[f]
            if type(cell) is float:
                self.value[f], self.slot[f] = cell, NUMBER
                if self.value[f] != 0.0:
                    word = (word + mixed(column.word ^ word_of_float(self.value[f]))) & mask
                continue
            slot = column.places.get(cell, 0)
            self.slot[f] = slot if slot <= column.values.count else 0
            if cell is not None:
                text: cython.ulonglong = column.words[slot] if slot else self.word_of(cell)
                word = (word + mixed(column.word ^ text)) & mask
        self.word = word

    # --- Rounds ------------------------------------------------------------------------------------

    def count_in(self, least: cython.double, log_total: cython.double, q: cython.double) -> cython.void:
        """Count in the rules of a structure, of which the share q says 1."""
        far: cython.double = self.eta * (least - self.lowest)
        weight: cython.double
        if far < NOTHING:
            weight = exp(log_total - far)
            self.one += weight * q
            self.zero += weight * (1.0 - q)

    def look(self) -> cython.void:
        """Divide the weight of all columns, relative to the best rule."""
        f: cython.Py_ssize_t
        column: Column
        side: cython.double
        factor: cython.double
        q: cython.double
        lean: cython.double
        self.one = self.zero = 0.0
        self.least()
        for f in range(len(self.columns)):
            column = cython.cast(Column, self.columns[f])
            side, factor = column.side(), 0.0
            if column.gaps:
                factor = log1p(exp(-self.eta * column.apart())) - 0.6931471805599453
            if self.slot[f] == NUMBER:
                column.up.x = key_of(self.value[f])
                column.up.look()
                self.count_in(column.up.least() + side, column.up.log_total() + factor, column.up.p)
                if column.down is not None:
                    column.down.x = column.up.x
                    column.down.look()
                    self.count_in(column.down.least() + side, column.down.log_total() + factor, 1.0 - column.down.p)
                self.count_in(column.values.least(False), column.values.log_total(False), 0.0)
                self.count_in(column.values.least(True), column.values.log_total(True), 1.0)
                continue
            lean = self.eta * (column.side0 - column.side1)
            q = 1.0 / (1.0 + exp(-lean)) if lean > -NOTHING else 0.0
            self.count_in(column.up.least() + side, column.up.log_total() + factor, q)
            if column.down is not None:
                self.count_in(column.down.least() + side, column.down.log_total() + factor, q)
            self.count_in(
                column.values.least(False), column.values.log_total(False), column.values.chosen(self.slot[f], False)
            )
            q = 1.0 - column.values.chosen(self.slot[f], True)
            self.count_in(column.values.least(True), column.values.log_total(True), q)
        self.p = self.one / (self.one + self.zero)

    def count_log(self, least: cython.double, log_total: cython.double, log_odds: cython.double) -> cython.void:
        """Count in the rules of a structure, in logarithms."""
        weight: cython.double = log_total - self.eta * (least - self.lowest)
        if log_odds > -inf:
            self.log_one = log_plus(self.log_one, weight - softplus(-log_odds))
        if log_odds < inf:
            self.log_zero = log_plus(self.log_zero, weight - softplus(log_odds))

    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1 at the row just looked at, right also where one side is nothing beside the other."""
        f: cython.Py_ssize_t
        column: Column
        side: cython.double
        factor: cython.double
        lean: cython.double
        self.log_one = self.log_zero = -inf
        for f in range(len(self.columns)):
            column = cython.cast(Column, self.columns[f])
            side, factor = column.side(), 0.0
            if column.gaps:
                factor = log1p(exp(-self.eta * column.apart())) - 0.6931471805599453
            if self.slot[f] == NUMBER:
                self.count_log(column.up.least() + side, column.up.log_total() + factor, column.up.log_ratio())
                if column.down is not None:
                    lean = -column.down.log_ratio()
                    self.count_log(column.down.least() + side, column.down.log_total() + factor, lean)
                self.count_log(column.values.least(False), column.values.log_total(False), -inf)
                self.count_log(column.values.least(True), column.values.log_total(True), inf)
                continue
            lean = self.eta * (column.side0 - column.side1)
            self.count_log(column.up.least() + side, column.up.log_total() + factor, lean)
            if column.down is not None:
                self.count_log(column.down.least() + side, column.down.log_total() + factor, lean)
            lean = column.values.log_odds(self.slot[f], False)
            self.count_log(column.values.least(False), column.values.log_total(False), lean)
            lean = -column.values.log_odds(self.slot[f], True)
            self.count_log(column.values.least(True), column.values.log_total(True), lean)
        return self.log_one - self.log_zero

    def reserve(self) -> cython.int:
        """Make room for one more round; a value that is new gets its place, to be used when the round is taken."""
        f: cython.Py_ssize_t
        column: Column
        for f in range(len(self.columns)):
            column = cython.cast(Column, self.columns[f])
            if self.slot[f] == NUMBER:
                column.up.reserve()
                if column.down is not None:
                    column.down.reserve()
            elif self.slot[f] == 0:
                cell = self.cells[f]
                if cell not in column.places:
                    if len(column.words) > column.values.count + 1:  # of a round that was given up
                        column.words.pop()
                        del column.places[column.pending]
                    column.values.reserve()
                    column.words.append(0 if cell is None else self.word_of(cell))
                    column.pending = cell
                    column.places[cell] = column.values.count + 1
        return 0

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Let the row in, and charge the rules that are wrong there."""
        f: cython.Py_ssize_t
        column: Column
        for f in range(len(self.columns)):
            column = cython.cast(Column, self.columns[f])
            if self.slot[f] == NUMBER:
                column.up.take(label, cost)
                if column.down is not None:
                    column.down.take(1 - label, cost)
            else:
                if self.slot[f] == 0:
                    column.values.meet()
                    self.slot[f] = column.values.count
                column.gaps = True
                if label:
                    column.side0 += cost
                else:
                    column.side1 += cost
            column.values.charge(self.slot[f], label, cost)
        self.least()

    def least(self) -> cython.double:
        """L*: the least loss of a rule."""
        f: cython.Py_ssize_t
        loss: cython.double
        lowest: cython.double = inf
        for f in range(len(self.columns)):
            loss = cython.cast(Column, self.columns[f]).best()
            lowest = loss if loss < lowest else lowest
        self.lowest = lowest
        return lowest

    def log_total(self) -> float:
        """Return ln of the sum of prior mass times e^(-eta (loss - L*))."""
        f: cython.Py_ssize_t
        column: Column
        factor: cython.double
        self.log_one = self.log_zero = -inf
        self.least()
        for f in range(len(self.columns)):
            column = cython.cast(Column, self.columns[f])
            factor = log1p(exp(-self.eta * column.apart())) - 0.6931471805599453 if column.gaps else 0.0
            self.count_log(column.up.least() + column.side(), column.up.log_total() + factor, inf)
            if column.down is not None:
                self.count_log(column.down.least() + column.side(), column.down.log_total() + factor, inf)
            self.count_log(column.values.least(False), column.values.log_total(False), inf)
            self.count_log(column.values.least(True), column.values.log_total(True), inf)
        return self.log_one + self.log_prior

    def count(self) -> cython.longlong:
        """The number of rules that differ on some row of their column, those of each column by themselves."""
        f: cython.Py_ssize_t
        column: Column
        total: cython.longlong = 0
        found: cython.longlong
        for f in range(len(self.columns)):
            column = cython.cast(Column, self.columns[f])
            found = column.up.count() + (column.down.count() if column.down is not None else 0)
            total += (2 * found if column.gaps else found) + 2 * (column.values.count + 1)
        return total

    def rebuild(self) -> cython.void:
        """Compute anew what depends on the rate."""
        f: cython.Py_ssize_t
        column: Column
        for f in range(len(self.columns)):
            column = cython.cast(Column, self.columns[f])
            column.up.eta = column.values.eta = self.eta
            column.up.rebuild()
            if column.down is not None:
                column.down.eta = self.eta
                column.down.rebuild()
            column.values.rebuild()
