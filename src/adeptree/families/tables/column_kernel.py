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
    """What is known of a column: its lines, its values and their slots, and what gaps cost.

    Its rules are of four kinds k: 0, about rising numbers; 1, about falling ones; 2, ``== v``, or in a set of
    at most so many values; 3, the opposite. Where there is a ``lookup``, this finds the cell in a row.
    """

    def __init__(self, name: Any, word: int, up: LineTree, down: Any, lookup: Any, most: int) -> None:
        self.name, self.word, self.lookup = name, word, lookup
        self.up, self.down = up, down
        self.values = Values() if most == 1 else ValueSets(most)
        self.places, self.words = {}, [0]  # slots by value (None: a gap), and by slot the words of values
        self.pending = None  # what has a place, and no slot before its round is taken
        self.side0 = self.side1 = 0.0
        self.gaps = False

    def has(self, k: cython.int) -> cython.bint:
        """Whether there are rules of this kind."""
        return k != 1 or self.down is not None

    def least(self, k: cython.int) -> cython.double:
        """Return the least loss of a kind."""
        if k >= 2:
            return self.values.least(k == 3)
        side: cython.double = self.side0 if self.side0 < self.side1 else self.side1
        return (self.down.least() if k else self.up.least()) + side

    def log_total(self, k: cython.int, eta: cython.double) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - least)) of a kind."""
        apart: cython.double = self.side0 - self.side1
        if k >= 2:
            return self.values.log_total(k == 3)
        total: cython.double = self.down.log_total() if k else self.up.log_total()
        if self.gaps:
            total += log1p(exp(-eta * (apart if apart > 0.0 else -apart))) - LOG_2
        return total

    def share(self, k: cython.int, slot: cython.Py_ssize_t, eta: cython.double) -> cython.double:
        """Return how much of a kind says 1 at the row in place (a number's lines were looked at)."""
        lean: cython.double = eta * (self.side0 - self.side1)
        q: cython.double
        if k >= 2:
            q = 0.0 if slot == NUMBER else self.values.chosen(slot, k == 3)
            return 1.0 - q if k == 3 else q
        if slot == NUMBER:
            return 1.0 - self.down.p if k else self.up.p
        return 1.0 / (1.0 + exp(-lean)) if lean > -LARGEST else 0.0

    def log_odds(self, k: cython.int, slot: cython.Py_ssize_t, eta: cython.double) -> cython.double:
        """Return ln of (what says 1 / what says 0) of a kind."""
        odds: cython.double
        if k >= 2:
            odds = -inf if slot == NUMBER else self.values.log_odds(slot, k == 3)
            return -odds if k == 3 else odds
        if slot == NUMBER:
            return -self.down.log_ratio() if k else self.up.log_ratio()
        return eta * (self.side0 - self.side1)

    def look(self, value: cython.double) -> cython.void:
        """Let the lines look at a number."""
        self.up.x = key_of(value)
        self.up.look()
        if self.down is not None:
            self.down.x = self.up.x
            self.down.look()

    def warm(
        self, given: cython.double[::1], first: cython.Py_ssize_t, stop: cython.Py_ssize_t, step: cython.Py_ssize_t
    ) -> cython.void:
        """Read what the numbers of the coming rows will need; they stand ``step`` places apart."""
        at: cython.Py_ssize_t = first
        count: cython.Py_ssize_t = 0
        while at < stop:
            if given[at] == given[at]:
                self.up.coming[count] = key_of(given[at])
                if self.down is not None:
                    self.down.coming[count] = self.up.coming[count]
                count += 1
            at += step
        self.up.warm_ways(count)
        if self.down is not None:
            self.down.warm_ways(count)

    def take(self, slot: cython.Py_ssize_t, label: cython.int, cost: cython.double) -> cython.void:
        """Let a cell in, and charge the rules that are wrong there."""
        if slot == NUMBER:
            self.up.take(label, cost)
            if self.down is not None:
                self.down.take(1 - label, cost)
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
            self.up.reserve()
            if self.down is not None:
                self.down.reserve()
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
        found: cython.double = self.up.count() + (self.down.count() if self.down is not None else 0.0)
        return (2.0 * found if self.gaps else found) + 2.0 * self.values.choices()

    def rebuild(self, eta: cython.double) -> cython.void:
        """Compute anew what depends on the rate."""
        self.up.eta = self.values.eta = eta
        self.up.rebuild()
        if self.down is not None:
            self.down.eta = eta
            self.down.rebuild()
        self.values.rebuild()
