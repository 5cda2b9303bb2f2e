"""One column of a table: rules about its numbers, and about its values one by one.

**Missing values.** A rule about numbers includes a label for rows in which the column holds no number (it is empty, or
a text): 0 or 1, with half of the mass each. Its losses on numbers and on such rows are separate, so its weight is the
line's weight times ½ (e^(-eta side0) + e^(-eta side1)), where ``side`` is the loss of label 0 or 1 in these rows. To a
rule about values, a missing value is one more value, and a number is not a value.

**Kinds.** There are three kinds k of rules: 0, about numbers (in one or both directions); 1, ``== v``, or in a set of a
few values; 2, the complement of 1. Each kind and each direction has mass 1, and the column is their sum.
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, inf, log, log1p

    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.structures.line_tree_kernel import LineTree, is_plain, key_of
    from adeptree.structures.shared_line_kernel import SharedLine
    from adeptree.structures.value_sets_kernel import ValueSets
    from adeptree.theory.ledger_kernel import Ledger, softplus, word_of_float
    from adeptree.theory.mass_kernel import log_plus

from adeptree.core.cell_text import is_storable

LARGEST = cython.declare(cython.double, 709.78)  # e^709.78 is a double still
NOTHING = cython.declare(cython.double, 745.0)  # e^-745 is the last double above 0
NUMBER = cython.declare(cython.Py_ssize_t, -1)  # marks a number, in place of a slot
LOG_2 = cython.declare(cython.double, 0.6931471805599453)
MANY = cython.declare(cython.double, 2.0**60)
WORDS = 4096  # largest number of cached words of new texts


class ColumnKernel(RoundKernel):
    """A column: its line, its values with their slots, and the losses at missing values; ``word_of`` hashes texts."""

    def __init__(self, line: LineTree, most: int, word_of: Any) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        self.line, self.word_of = line, word_of
        self.values = ValueSets(most)
        self.places, self.words, self.new_words = {}, [0], {}  # slots by value (None: a gap), by slot words of values
        self.pending = None  # a value that gets its slot when its round is committed
        self.side0 = self.side1 = 0.0
        self.gaps = False
        # The current cell: a number (``slot`` is NUMBER), or a value with its slot; ``fresh`` if it must be placed.
        self.fresh, self.value, self.cell, self.slot = True, 0.0, None, 0
        self.numbers, self.texts = array("d"), None  # of a batch
        self.weight = array("d", bytes(24))  # ln of the weights of kinds and of their sum, relative to the least loss
        self.total = self.lowest = 0.0
        self.singles, self.picked = None, array("i")

    # --- Cells -------------------------------------------------------------------------------------

    def place(self, x: object) -> cython.bint:
        """Make a cell the current one if it is a plain finite number, a bool, a text or None."""
        if (type(x) is float or type(x) is int) and is_plain(x):
            self.meet_number(float(x))  # type: ignore[arg-type]
        elif type(x) is str and (x in self.places or self.has_word(x)):
            self.meet_value(x)
        elif x is None or (type(x) is float and x != x):
            self.meet_value(None)
        elif type(x) is bool:
            return self.place("true" if x else "false")
        else:
            return False
        return True

    def place_at(self, i: cython.Py_ssize_t) -> cython.int:
        """Make the i-th cell of the batch the current one."""
        if self.numbers[i] == self.numbers[i]:
            self.meet_number(self.numbers[i])
        else:
            self.meet_value(None if self.texts is None else self.texts[i])
        return 0

    def give(self, numbers: Any, texts: Any) -> None:
        """Set the cells of a batch: numbers (NaN for other cells), and texts or None."""
        new = {self.pending} if texts is None else {self.pending, *set(texts).difference(self.places)}
        self.new_words = {cell: self.word_of(cell) for cell in new if cell is not None}
        self.numbers, self.texts = memoryview(numbers), texts

    def meet_number(self, value: cython.double) -> cython.void:
        """Make a number the current cell, if it changes."""
        if self.fresh or self.slot != NUMBER or value != self.value:
            self.fresh = True  # until all of it is set
            self.seen = self.known = False
            self.line.aim(key_of(value))
            self.value, self.slot, self.word = value, NUMBER, word_of_float(value)
            self.fresh = False

    def meet_value(self, cell: object) -> cython.int:
        """Make a text or None the current cell, if it changes."""
        if not self.fresh and self.slot != NUMBER and cell == self.cell:
            return 0
        self.fresh = True  # until the cell is complete
        self.seen = self.known = False
        slot = self.places.get(cell, 0)
        self.word = 0 if cell is None else self.words[slot] if slot else self.new_words[cell]
        self.cell = cell
        self.slot = slot if slot <= self.values.count else 0
        self.fresh = False
        return 0

    def has_word(self, cell: object) -> cython.bint:
        """Compute the word of a new text, if it can be stored; an interrupt is raised here."""
        if cell not in self.new_words:
            if not is_storable(cell):
                return False
            if len(self.new_words) >= WORDS:
                self.new_words = {}
            self.new_words[cell] = self.word_of(cell)
        return True

    def resume(self, values: Any, side0: float, side1: float, gaps: bool) -> None:
        """Restore the values met, in order, and the losses at missing values, after the line and the value sums."""
        self.places, self.words = {}, [0]
        for value in values:
            self.places[value] = len(self.words)
            self.words.append(0 if value is None else self.word_of(value))
        self.side0, self.side1, self.gaps = side0, side1, gaps
        self.fresh, self.seen, self.known = True, False, False
        self.find_least()

    def warm(self, first: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Prefetch memory for the next numbers of the batch."""
        i: cython.Py_ssize_t
        count: cython.Py_ssize_t = 0
        for i in range(first, stop):
            if self.numbers[i] == self.numbers[i]:
                self.line.coming[count] = key_of(self.numbers[i])
                count += 1
        self.line.warm_ways(count)

    # --- Kinds -------------------------------------------------------------------------------------

    def least_of(self, k: cython.int) -> cython.double:
        """Return the least loss of a kind."""
        if k > 0:
            return self.values.least(k == 2)
        return self.line.least() + (self.side0 if self.side0 < self.side1 else self.side1)

    def log_total_of(self, k: cython.int) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - least)) of a kind."""
        apart: cython.double = self.side0 - self.side1
        if k > 0:
            return self.values.log_total(k == 2)
        if self.gaps:
            return self.line.log_total() + log1p(exp(-self.eta * (apart if apart > 0.0 else -apart))) - LOG_2
        return self.line.log_total()

    def share_of(self, k: cython.int) -> cython.double:
        """Return the share of a kind that predicts 1 at the current cell (a number's line was looked at before)."""
        lean: cython.double = self.eta * (self.side0 - self.side1)
        if k > 0:
            q = 0.0 if self.slot == NUMBER else self.values.chosen(self.slot, k == 2)
            return 1.0 - q if k == 2 else q
        if self.slot == NUMBER:
            return self.line.p
        return 1.0 / (1.0 + exp(-lean)) if lean > -LARGEST else 0.0

    def log_odds_of(self, k: cython.int) -> cython.double:
        """Return the log-odds of 1 of a kind."""
        if k > 0:
            odds = -inf if self.slot == NUMBER else self.values.log_odds(self.slot, k == 2)
            return -odds if k == 2 else odds
        return self.line.log_ratio() if self.slot == NUMBER else self.eta * (self.side0 - self.side1)

    # --- Rounds ------------------------------------------------------------------------------------

    def weigh(self) -> cython.double:
        """Set ln of the weight of every kind, relative to the least loss; return the largest."""
        top: cython.double = -inf
        for k in range(3):
            self.weight[k] = self.log_total_of(k) - self.eta * (self.least_of(k) - self.lowest)
            if self.weight[k] > top:
                top = self.weight[k]
        return top

    @cython.locals(k=cython.int, far=cython.double, q=cython.double, top=cython.double, one=cython.double)
    @cython.locals(zero=cython.double)
    def look(self) -> cython.void:
        """Compute the odds from the weights of all kinds."""
        one = zero = 0.0
        if self.slot == NUMBER:
            self.line.look()
        top = self.weigh()
        for k in range(3):
            far = top - self.weight[k]
            if far < NOTHING:
                far = exp(-far) if far > 0.0 else 1.0
                q = self.share_of(k)
                one += far * q
                zero += far * (1.0 - q)
        self.p = one / (one + zero)
        self.total = top + log(one + zero)

    @cython.locals(k=cython.int, odds=cython.double, one=cython.double, zero=cython.double)
    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1 at the current cell, exact even if one side is negligible."""
        one = zero = -inf
        for k in range(3):
            odds = self.log_odds_of(k)
            if odds > -inf:
                one = log_plus(one, self.weight[k] - softplus(-odds))
            if odds < inf:
                zero = log_plus(zero, self.weight[k] - softplus(odds))
        return one - zero

    @cython.locals(k=cython.int, top=cython.double)
    def log_total(self) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - L*)): a look computes it."""
        total: cython.double = 0.0
        if self.known:
            return self.total
        top = self.weigh()
        for k in range(3):
            if top - self.weight[k] < NOTHING:
                total += exp(self.weight[k] - top)
        return top + log(total)

    def least(self) -> cython.double:
        """L*: the least loss of a rule."""
        return self.lowest

    def find_least(self) -> cython.void:
        """Set L*."""
        self.lowest = inf
        for k in range(3):
            loss = self.least_of(k)
            self.lowest = loss if loss < self.lowest else self.lowest

    def reserve(self) -> cython.int:
        """Allocate room; a new value gets its place, which is used when the round is committed."""
        if self.singles is not None:
            self.line.reserve()
            self.singles.reserve()
        if self.slot == NUMBER:
            self.line.reserve()
        elif self.slot == 0 and self.cell not in self.places:
            if len(self.words) > self.values.count + 1:  # left over from an abandoned round
                self.words.pop()
                del self.places[self.pending]
            self.values.reserve()
            self.words.append(0 if self.cell is None else self.new_words[self.cell])
            self.pending = self.cell
            self.places[self.cell] = self.values.count + 1
        return 0

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Add the current cell and charge the rules that are wrong there."""
        if self.slot == NUMBER:
            self.line.take(label, cost)
        self.charge(label, cost)

    def charge(self, label: cython.int, cost: cython.double) -> cython.void:
        """Charge missing values and values."""
        slot: cython.Py_ssize_t = self.slot
        if slot != NUMBER:
            if slot == 0:
                self.values.meet()
                slot = self.values.count
                self.fresh = True  # the value has its slot now
            self.gaps = True
            if label:
                self.side0 += cost
            else:
                self.side1 += cost
        if cost > 0.0:
            self.values.charge(slot, label, cost)
        self.find_least()

    def count(self) -> cython.longlong:
        """Return the number of rules that differ on some row; 2^60 stands for that number or more."""
        found: cython.double = self.line.count()
        found = (2.0 * found if self.gaps else found) + 2.0 * self.values.choices()
        return cython.cast(cython.longlong, found if found < MANY else MANY)

    def rebuild(self) -> cython.void:
        """Compute the sums that depend on the rate again."""
        self.line.eta = self.values.eta = self.eta
        self.line.rebuild()
        self.values.rebuild()
        self.find_least()

    # --- Drift (``sharing_kernel.py``) -----------------------------------------

    def share(self, line: SharedLine, singles: SharedLine, windows: int) -> None:
        """Keep weights of sequences for numbers and values; the i-th value met has position i below the end."""
        self.line, self.singles = line, singles
        self.picked = array("i", bytes(4 * (windows + 1)))  # per window: its best rule is about values

    def look_lanes(self, one: cython.double[::1], whole: cython.double[::1]) -> cython.void:
        """Add the weight that predicts 1, and all weight, per lane."""
        line: SharedLine = cython.cast(SharedLine, self.line)
        if self.slot == NUMBER:
            line.x = key_of(self.value)
            line.look_lanes(one, whole)
            self.singles.look_apart(one, whole)
        else:
            self.singles.x = self.singles.last - (self.slot if self.slot else self.values.count + 1)
            self.singles.look_lanes(one, whole)
            line.look_apart(one, whole)

    def take_lanes(self, label, cost, right1, right0, place):
        """Charge the wrong rules, and multiply all weights by the factor of their prediction."""
        line: SharedLine = cython.cast(SharedLine, self.line)
        if self.slot == NUMBER:
            line.take_lanes(label, cost, right1, right0, place)
            self.singles.take_apart(label, cost, right1, right0, place)
        else:
            line.take_apart(label, cost, right1, right0, place)
            self.singles.take_lanes(label, cost, right1, right0, place)
        self.charge(label, cost)
        self.seen = self.known = False

    def add_lanes(self, whole: cython.double[::1]) -> cython.void:
        """Add all weights, per lane."""
        self.line.add_lanes(whole)
        self.singles.add_lanes(whole)

    def share_lanes(self, kept: cython.double[::1], dealt: cython.double[::1]) -> cython.void:
        """Replace every weight w by kept w + dealt pi."""
        self.line.share_lanes(kept, dealt)
        self.singles.share_lanes(kept, dealt)

    def refresh(self, k, since, until, labels, costs):
        """Add these rounds to a window and remove others; return the least loss of a rule there."""
        loss: cython.double = self.line.refresh(k, since, until, labels, costs)
        other: cython.double = self.singles.refresh(k, since, until, labels, costs)
        self.picked[k] = other < loss
        return other if other < loss else loss

    def says(self, k: cython.Py_ssize_t) -> cython.bint:
        """Return the prediction of the best rule of a window."""
        line: SharedLine = self.singles if self.picked[k] else cython.cast(SharedLine, self.line)
        return line.says(k) if (self.slot == NUMBER) != self.picked[k] else line.says_apart(k)
