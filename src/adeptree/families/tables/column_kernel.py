"""One column of a table: rules about its numbers, and about its values one by one.

**Gaps.** A rule about numbers has, as part of it, a label for rows where the column holds none (it is empty, or a
text): 0 or 1, with half of the mass each. On numbers and on gaps it loses apart, so that its weight is a product, of
the line's and of ½ (e^(-eta side0) + e^(-eta side1)), ``side`` being what the label 0 or 1 has lost at gaps. Until the
first gap that is 1. To a rule about values a gap is one more value, and a number is none.
"""

from __future__ import annotations

from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.adeptree._compiled.line_tree_kernel import LineTree, key_of
    from cython.cimports.adeptree._compiled.value_sets_kernel import ValueSets
    from cython.cimports.adeptree._compiled.values_kernel import Values
    from cython.cimports.libc.math import INFINITY as inf
    from cython.cimports.libc.math import exp, log1p
else:
    from math import exp, inf, log1p

    from adeptree.families.line.line_tree_kernel import LineTree, key_of
    from adeptree.families.tables.value_sets_kernel import ValueSets
    from adeptree.families.tables.values_kernel import Values

LARGEST = cython.declare(cython.double, 709.78)  # e^709.78 is a double still
NUMBER = cython.declare(cython.Py_ssize_t, -1)  # in place of a slot
LOG_2 = cython.declare(cython.double, 0.6931471805599453)


class Column:
    """What is known of a column: its line, its values and their slots, and what gaps cost.

    Its rules are of three kinds k: 0, about numbers (those that rise and those that fall, where both may be); 1, ``==
    v``, or in a set of at most so many values; 2, the opposite. Where there is a ``lookup``, this finds the cell in a
    row.
    """

    def __init__(self, name: Any, word: int, line: LineTree, lookup: Any, most: int) -> None:
        self.name, self.word, self.line, self.lookup = name, word, line, lookup
        self.values = Values() if most == 1 else ValueSets(most)
        self.places, self.words = {}, [0]  # slots by value (None: a gap), and by slot the words of values
        self.pending = None  # what has a place, and no slot before its round is taken
        self.side0 = self.side1 = 0.0
        self.gaps = False

    def least(self, k: cython.int) -> cython.double:
        """Return the least loss of a kind."""
        if k > 0:
            return self.values.least(k == 2)
        return self.line.least() + (self.side0 if self.side0 < self.side1 else self.side1)

    def log_total(self, k: cython.int, eta: cython.double) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - least)) of a kind."""
        apart: cython.double = self.side0 - self.side1
        if k > 0:
            return self.values.log_total(k == 2)
        if self.gaps:
            return self.line.log_total() + log1p(exp(-eta * (apart if apart > 0.0 else -apart))) - LOG_2
        return self.line.log_total()

    def share(self, k: cython.int, slot: cython.Py_ssize_t, eta: cython.double) -> cython.double:
        """Return how much of a kind says 1 at the row in place (a number's line was looked at)."""
        lean: cython.double = eta * (self.side0 - self.side1)
        q: cython.double
        if k > 0:
            q = 0.0 if slot == NUMBER else self.values.chosen(slot, k == 2)
            return 1.0 - q if k == 2 else q
        if slot == NUMBER:
            return self.line.p
        return 1.0 / (1.0 + exp(-lean)) if lean > -LARGEST else 0.0

    def log_odds(self, k: cython.int, slot: cython.Py_ssize_t, eta: cython.double) -> cython.double:
        """Return ln of (what says 1 / what says 0) of a kind."""
        odds: cython.double
        if k > 0:
            odds = -inf if slot == NUMBER else self.values.log_odds(slot, k == 2)
            return -odds if k == 2 else odds
        return self.line.log_ratio() if slot == NUMBER else eta * (self.side0 - self.side1)

    def look(self, value: cython.double) -> cython.void:
        """Let the line look at a number."""
        self.line.x = key_of(value)
        self.line.look()

    def warm(
        self, given: cython.double[::1], first: cython.Py_ssize_t, stop: cython.Py_ssize_t, step: cython.Py_ssize_t
    ) -> cython.void:
        """Read what the numbers of the coming rows will need; they stand ``step`` places apart."""
        at: cython.Py_ssize_t = first
        count: cython.Py_ssize_t = 0
        while at < stop:
            if given[at] == given[at]:
                self.line.coming[count] = key_of(given[at])
                count += 1
            at += step
        self.line.warm_ways(count)

    def take(self, slot: cython.Py_ssize_t, label: cython.int, cost: cython.double) -> cython.void:
        """Let a cell in, and charge the rules that are wrong there."""
        if slot == NUMBER:
            self.line.take(label, cost)
        else:
            if slot == 0:
                self.values.meet()
                slot = self.values.count
            self.gaps = True
            if label:
                self.side0 += cost
            else:
                self.side1 += cost
        self.values.charge(slot, label, cost)

    def reserve(self, slot: cython.Py_ssize_t, cell: object, word_of: object) -> cython.int:
        """Make room; a value that is new gets its place, to be used when the round is taken."""
        if slot == NUMBER:
            self.line.reserve()
        elif slot == 0 and cell not in self.places:
            if len(self.words) > self.values.count + 1:  # of a round that was given up
                self.words.pop()
                del self.places[self.pending]
            self.values.reserve()
            self.words.append(0 if cell is None else word_of(cell))
            self.pending = cell
            self.places[cell] = self.values.count + 1
        return 0

    def count(self) -> cython.double:
        """The number of rules that differ on some row."""
        found: cython.double = self.line.count()
        return (2.0 * found if self.gaps else found) + 2.0 * self.values.choices()

    def rebuild(self, eta: cython.double) -> cython.void:
        """Compute anew what depends on the rate."""
        self.line.eta = self.values.eta = eta
        self.line.rebuild()
        self.values.rebuild()
