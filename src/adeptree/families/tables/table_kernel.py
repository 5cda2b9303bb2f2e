"""Rules on one column of a table, whichever it is: numbers against cuts, texts against a value, gaps on either side.

Every column has rules of its own: cuts among its numbers (a line of ``families/line``, or for stumps one with rules
that rise and that fall), and its values one by one (``column_kernel``). All have the same share of the prior, so that
the weight of the whole is the sum of the columns' weights, each computed by its own structure: the product prior.
"""

from __future__ import annotations

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.adeptree._compiled.column_kernel import Column
    from cython.cimports.adeptree._compiled.ledger_kernel import Ledger, mixed, softplus, word_of_float
    from cython.cimports.adeptree._compiled.mass_kernel import log_plus
    from cython.cimports.adeptree._compiled.round_kernel import RoundKernel
    from cython.cimports.libc.math import INFINITY as inf
    from cython.cimports.libc.math import exp, isfinite, log
else:
    from math import exp, inf, isfinite, log

    from adeptree.families.tables.column_kernel import Column
    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.theory.ledger_kernel import Ledger, mixed, softplus, word_of_float
    from adeptree.theory.mass_kernel import log_plus

from adeptree.core.cells import is_storable

NOTHING = cython.declare(cython.double, 745.0)  # e^-745 is the last double above 0
NUMBER = cython.declare(cython.Py_ssize_t, -1)  # in place of a slot
MANY = cython.declare(cython.double, 2.0**60)
PLAIN = 2**53  # ints up to this are doubles


class TableKernel(RoundKernel):
    """Columns, whose kinds of rules are so many in all; ``word_of`` gives the words of texts, for coins."""

    def __init__(self, columns: Any, kinds: cython.Py_ssize_t, word_of: Any) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        self.columns, self.word_of = list(columns), word_of
        self.log_prior = -log(kinds)
        self.cells, self.coming = [None] * len(columns), [None] * len(columns)
        self.fresh = True  # whether what is in place must be placed anew
        self.value, self.slot = array("d", bytes(8 * len(columns))), array("q", bytes(8 * len(columns)))
        self.given, self.given_texts = array("d"), []
        self.new_words, self.given_words = {}, {}  # the words of texts that no column has met, for coins
        self.lowest = self.log_one = self.log_zero = 0.0

    # --- Rounds of one call: they take the learner's lock, as looking up a row calls Python ---------------------

    def quick_look(self, x: Any) -> float:
        """Return the chance of guessing 1 at x; -1 if this is not plain."""
        self.gate.acquire()
        try:
            return -1.0 if self.due or self.ledger.answered >= self.end else self.chance(x)
        finally:
            self.gate.release()

    def quick_round(self, x: Any, y: Any) -> int:
        """Play a round that costs 1: x had label y; 1 says that the rate is due, -1 that this is not plain."""
        if type(y) is not int or not 0 <= y <= 1:
            return -1
        self.gate.acquire()
        try:
            if self.due or self.ledger.answered >= self.end or not self.learn(x, y):
                return -1
            return int(self.due)
        finally:
            self.gate.release()

    # --- Points ------------------------------------------------------------------------------------

    def place(self, x: object) -> cython.bint:
        """Put x in place, if it is a dict of plain finite numbers, texts and gaps."""
        f: cython.Py_ssize_t
        row: dict
        column: Column
        if type(x) is not dict:
            return False
        row = x
        words: dict = {}
        for f in range(len(self.columns)):
            column = cython.cast(Column, self.columns[f])
            cell = row.get(column.name) if column.lookup is None else column.lookup(row)
            if type(cell) is int:
                if not -PLAIN <= cell <= PLAIN:
                    return False
                cell = float(cell)
            elif type(cell) is str:
                if cell not in column.places:
                    if not is_storable(cell):
                        return False
                    words[cell] = self.word_of(cell)
            elif not (cell is None or (type(cell) is float and isfinite(cell))):
                return False
            self.coming[f] = cell
        self.new_words = words
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

    def warm(self, first: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Read what the coming rows of the batch will need, column by column."""
        f: cython.Py_ssize_t
        count: cython.Py_ssize_t = len(self.columns)
        for f in range(count):
            cython.cast(Column, self.columns[f]).warm(self.given, first * count + f, stop * count, count)

    def give(self, numbers: Any, texts: Any) -> None:
        """Take the rows of a batch: numbers row by row (NaN where there is none), and per column texts, or None."""
        f: cython.Py_ssize_t
        words: dict = {}
        for f in range(len(self.columns)):
            if texts[f] is not None:
                known = cython.cast(Column, self.columns[f]).places
                words.update(
                    {text: self.word_of(text) for text in set(texts[f]) if text is not None and text not in known}
                )
        self.given, self.given_texts, self.given_words = memoryview(numbers), texts, words

    def forget(self) -> None:
        """Have no row in place."""
        self.fresh = True
        self.seen = self.known = False

    def arrive(self) -> cython.void:
        """Let the row that has come be in place, if it is another one."""
        f: cython.Py_ssize_t
        slot: cython.Py_ssize_t
        column: Column
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        word: cython.ulonglong = 0
        if self.coming == self.cells and not self.fresh:
            return
        self.fresh = True  # until all of it is in place
        self.seen = self.known = False
        for f in range(len(self.columns)):
            column = cython.cast(Column, self.columns[f])
            cell = self.coming[f]
            if type(cell) is float:
                self.value[f], self.slot[f] = cell, NUMBER
                if self.value[f] != 0.0:
                    word = (word + mixed(column.word ^ word_of_float(self.value[f]))) & mask
                continue
            slot = column.places.get(cell, 0)
            self.slot[f] = slot if slot <= column.values.count else 0
            if cell is not None:
                found = column.words[slot] if slot else self.new_words.get(cell)
                text: cython.ulonglong = self.given_words[cell] if found is None else found
                word = (word + mixed(column.word ^ text)) & mask
        self.word = word
        self.cells = list(self.coming)
        self.fresh = False

    # --- Rounds ------------------------------------------------------------------------------------

    def look(self) -> cython.void:
        """Divide the weight of all columns, relative to the best rule."""
        f: cython.Py_ssize_t
        k: cython.int
        column: Column
        one: cython.double = 0.0
        zero: cython.double = 0.0
        far: cython.double
        q: cython.double
        self.least()
        for f in range(len(self.columns)):
            column = cython.cast(Column, self.columns[f])
            if self.slot[f] == NUMBER:
                column.look(self.value[f])
            for k in range(3):
                far = self.eta * (column.least(k) - self.lowest)
                if far < NOTHING:
                    far = exp(column.log_total(k, self.eta) - far)
                    q = column.share(k, self.slot[f], self.eta)
                    one += far * q
                    zero += far * (1.0 - q)
        self.p = one / (one + zero)

    def weigh(self, at_row: cython.bint) -> cython.void:
        """Sum up the weights of both labels at the row just looked at, in logarithms; or all of it as that of 1."""
        f: cython.Py_ssize_t
        k: cython.int
        column: Column
        weight: cython.double
        odds: cython.double
        self.log_one = self.log_zero = -inf
        self.least()
        for f in range(len(self.columns)):
            column = cython.cast(Column, self.columns[f])
            for k in range(3):
                weight = column.log_total(k, self.eta) - self.eta * (column.least(k) - self.lowest)
                odds = column.log_odds(k, self.slot[f], self.eta) if at_row else inf
                if odds > -inf:
                    self.log_one = log_plus(self.log_one, weight - softplus(-odds))
                if odds < inf:
                    self.log_zero = log_plus(self.log_zero, weight - softplus(odds))

    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1 at the row just looked at, right also where one side is nothing beside the other."""
        self.weigh(True)
        return self.log_one - self.log_zero

    def log_total(self) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - L*))."""
        self.weigh(False)
        return self.log_one + self.log_prior

    def reserve(self) -> cython.int:
        """Make room for one more round."""
        f: cython.Py_ssize_t
        for f in range(len(self.columns)):
            cython.cast(Column, self.columns[f]).reserve(self.slot[f], self.cells[f], self.word_of)
        return 0

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Let the row in, and charge the rules that are wrong there."""
        f: cython.Py_ssize_t
        for f in range(len(self.columns)):
            cython.cast(Column, self.columns[f]).take(self.slot[f], label, cost)
            if self.slot[f] == 0:
                self.fresh = True  # (the value has its slot now)

    def least(self) -> cython.double:
        """L*: the least loss of a rule."""
        f: cython.Py_ssize_t
        k: cython.int
        loss: cython.double
        self.lowest = inf
        for f in range(len(self.columns)):
            for k in range(3):
                loss = cython.cast(Column, self.columns[f]).least(k)
                self.lowest = loss if loss < self.lowest else self.lowest
        return self.lowest

    def count(self) -> cython.longlong:
        """The number of rules that differ on some row of their column, of each column by itself; 2^60 is many."""
        f: cython.Py_ssize_t
        total: cython.double = 0.0
        for f in range(len(self.columns)):
            total += cython.cast(Column, self.columns[f]).count()
        return cython.cast(cython.longlong, total if total < MANY else MANY)

    def ask(self) -> cython.void:
        """Count what is asked, 2 queries per rule; 2^61 stands for as many or more."""
        most: cython.longlong = 2305843009213693952
        self.asked = min(self.asked + 2 * self.count(), most)

    def rebuild(self) -> cython.void:
        """Compute anew what depends on the rate."""
        f: cython.Py_ssize_t
        for f in range(len(self.columns)):
            cython.cast(Column, self.columns[f]).rebuild(self.eta)
