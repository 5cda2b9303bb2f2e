"""A mixture of structures: each rule belongs to one of the parts.

Part i has the share rho_i of the prior, the total weight Z_i and the prediction p_i. All parts have the same rate, so

    Z = sum_i rho_i Z_i    and    p = (sum_i rho_i Z_i p_i) / Z.

``log_total`` of a part is ln(Z_i e^(eta L_i)), with L_i its least loss, so that ln(rho_i Z_i) never overflows. Weights
are then relative to the largest, because the part with the least loss may have almost no mass. Parts must conserve
mass, which the paper's prior does not. If two parts have the same labelling, it has two masses.

Read :meth:`MixtureKernel.place` (which cell does each part read?), ``weigh``, ``look`` and ``take`` first.
"""

from __future__ import annotations

from array import array
from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import exp, inf, log

    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.theory.ledger_kernel import Ledger, mixed, softplus
    from adeptree.theory.mass_kernel import log_plus

NOTHING = cython.declare(cython.double, 745.0)  # e^-745 is the last double above 0
MANY = cython.declare(cython.double, 2.0**60)


class MixtureKernel(RoundKernel):
    """The parts and ln of their shares; a row is a dict, in which each part reads a cell by name.

    ``word_of`` hashes names, for coins. If a part has a reader in ``readers``, the reader finds the cell, but only
    after the part has tried the cell of the column ``direct``, or the whole row if ``direct`` is True.
    """

    def __init__(self, parts: Any, names: Any, readers: Any, log_shares: Any, word_of: Any) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        self.parts, self.names, self.readers = list(parts), list(names), list(readers)
        self.log_share, self.words = array("d", log_shares), array("Q", [word_of(name) for name in names])
        self.weight = array("d", bytes(8 * len(self.parts)))
        self.direct = []
        # A ticket keeps these columns of a row, numbers as floats unless they are kept unchanged.
        self.columns, self.raw = list(names) if set(readers) == {None} else [], False

    # --- Points ------------------------------------------------------------------------------------

    def place(self, x: object) -> cython.bint:
        """Make x the current row if it is a dict in which every part finds a point."""
        row: dict
        part: RoundKernel
        if type(x) is not dict:
            return False
        row = x
        for i in range(len(self.parts)):
            part = cython.cast(RoundKernel, self.parts[i])
            key = self.direct[i] if i < len(self.direct) else None
            if key is not None and part.place(row if key is True else row.get(key)):
                continue
            read = self.readers[i]
            if not part.place(row.get(self.names[i]) if read is None else read(row)):
                return False
        self.arrive()
        return True

    def for_ticket(self, x: object) -> object:
        """Return the columns that are read and not missing, in the form of the class's instances."""
        found: dict = {}
        row: dict = x
        for name in self.columns:
            value = row.get(name)
            kind = type(value)
            if kind is str or ((kind is int or kind is bool) and self.raw):
                found[name] = value
            elif kind is float or kind is int:
                if value == value:
                    found[name] = value if self.raw else value + 0.0
            elif kind is bool:
                found[name] = "true" if value else "false"
            elif value is not None:
                return None
        return found if self.columns else None

    def place_at(self, i: cython.Py_ssize_t) -> cython.int:
        """Make the i-th row of the batch the current one; every part has its own batch."""
        for f in range(len(self.parts)):
            cython.cast(RoundKernel, self.parts[f]).place_at(i)
        self.arrive()
        return 0

    def arrive(self) -> cython.void:
        """Detect if the current point of some part has changed."""
        for i in range(len(self.parts)):
            if not cython.cast(RoundKernel, self.parts[i]).seen:
                self.seen = self.known = False
                return

    def warm(self, first: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Prefetch memory for the next rows of the batch, part by part."""
        for i in range(len(self.parts)):
            cython.cast(RoundKernel, self.parts[i]).warm(first, stop)

    # --- Rounds ------------------------------------------------------------------------------------

    def weigh(self) -> cython.double:
        """Set ln of the weight of every part, relative to the least loss; return the largest."""
        part: RoundKernel
        low: cython.double = self.least()
        top: cython.double = -inf
        for i in range(len(self.parts)):
            part = cython.cast(RoundKernel, self.parts[i])
            self.weight[i] = self.log_share[i] + part.log_total() - self.eta * (part.least() - low)
            if self.weight[i] > top:
                top = self.weight[i]
        return top

    def look_at_parts(self) -> cython.void:
        """Update the odds of every part that is out of date, and set the word of the row."""
        part: RoundKernel
        for i in range(len(self.parts)):
            part = cython.cast(RoundKernel, self.parts[i])
            if not part.known:
                part.look()
                part.known = True
        self.spell()

    def look(self) -> cython.void:
        """Compute the odds from the weights of all parts."""
        part: RoundKernel
        one = zero = 0.0
        self.look_at_parts()
        top = self.weigh()
        for i in range(len(self.parts)):
            far = top - self.weight[i]
            if far < NOTHING:
                far = exp(-far) if far > 0.0 else 1.0
                part = cython.cast(RoundKernel, self.parts[i])
                one += far * part.p
                zero += far * (1.0 - part.p)
        self.p = one / (one + zero)

    def spell(self) -> cython.void:
        """Set the word from the words of all parts that have one."""
        part: RoundKernel
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        word: cython.ulonglong = 0
        for i in range(len(self.parts)):
            part = cython.cast(RoundKernel, self.parts[i])
            part.spell()
            if part.word:
                word = (word + mixed(self.words[i] ^ part.word)) & mask
        self.word = word

    def log_ratio(self) -> cython.double:
        """Return the log-odds of 1 at the current row, exact even if one side is negligible."""
        one = zero = -inf
        for i in range(len(self.parts)):
            odds = cython.cast(RoundKernel, self.parts[i]).log_ratio()
            if odds > -inf:
                one = log_plus(one, self.weight[i] - softplus(-odds))
            if odds < inf:
                zero = log_plus(zero, self.weight[i] - softplus(odds))
        return one - zero

    def reserve(self) -> cython.int:
        """Make room for one more round."""
        for i in range(len(self.parts)):
            cython.cast(RoundKernel, self.parts[i]).reserve()
        return 0

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Add the row and charge the rules that are wrong there."""
        part: RoundKernel
        for i in range(len(self.parts)):
            part = cython.cast(RoundKernel, self.parts[i])
            part.ahead = self.ahead
            part.take(label, cost)
            part.seen = part.known = False

    # --- Account -----------------------------------------------------------------------------------

    def least(self) -> cython.double:
        """L*: the least loss of a rule."""
        low: cython.double = inf
        for i in range(len(self.parts)):
            loss = cython.cast(RoundKernel, self.parts[i]).least()
            low = loss if loss < low else low
        return low

    def log_total(self) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - L*))."""
        total: cython.double = 0.0
        if len(self.parts) == 1:
            return self.log_share[0] + cython.cast(RoundKernel, self.parts[0]).log_total()
        top: cython.double = self.weigh()
        for i in range(len(self.parts)):
            if top - self.weight[i] < NOTHING:
                total += exp(self.weight[i] - top)
        return top + log(total)

    def count(self) -> cython.longlong:
        """Return the sum of the parts' numbers of paths; 2^60 stands for that number or more."""
        total: cython.double = 0.0
        for i in range(len(self.parts)):
            total += cython.cast(RoundKernel, self.parts[i]).count()
        return cython.cast(cython.longlong, total if total < MANY else MANY)

    def ask(self) -> cython.void:
        """Count the queries, also in the parts."""
        part: RoundKernel
        for i in range(len(self.parts)):
            part = cython.cast(RoundKernel, self.parts[i])
            part.ask()  # a part may be a mixture, which then counts in its own parts
            part.seen = True
        RoundKernel.ask(self)

    def rebuild(self) -> cython.void:
        """Set the rate of all parts."""
        part: RoundKernel
        for i in range(len(self.parts)):
            part = cython.cast(RoundKernel, self.parts[i])
            part.eta, part.known = self.eta, False
            part.rebuild()
