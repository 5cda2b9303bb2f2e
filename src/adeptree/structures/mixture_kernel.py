"""A mixture of structures: a rule of one of the parts, whichever it is.

Part i has the share rho_i of the prior, so that a path of it weighs rho_i times what it weighs in the part. The weight
of the whole is the sum of the parts' weights, all at one rate, and p is the mean of their p by these weights. Weights
are compared relative to the largest: the part with the least loss may have next to no mass. Parts must conserve mass
(``log_total``), which the paper's prior does not. Two parts may have the same labelling; it then has two masses.
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
    """Parts, and ln of their shares; a row is a dict, in which each part finds its cell by a name.

    ``word_of`` gives the words of names, for coins. Where there is one for a part, ``readers`` find the cell instead;
    but first the part is tried on the cell of the column ``direct``, or, if that is True, on the row.
    """

    def __init__(self, parts: Any, names: Any, readers: Any, log_shares: Any, word_of: Any) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        self.parts, self.names, self.readers = list(parts), list(names), list(readers)
        self.log_share, self.words = array("d", log_shares), array("Q", [word_of(name) for name in names])
        self.weight = array("d", bytes(8 * len(self.parts)))
        self.direct = []
        # What a ticket keeps of a row: these columns, numbers as floats unless they are kept as they came.
        self.columns, self.raw = list(names) if set(readers) == {None} else [], False

    # --- Points ------------------------------------------------------------------------------------

    def place(self, x: object) -> cython.bint:
        """Put x in place, if it is a dict in which every part finds a point of its own."""
        i: cython.Py_ssize_t
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
        """Return the columns that are read and not missing, as the class's instance has them."""
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
        """Put the i-th row of the batch in place: every part has a batch of its own."""
        f: cython.Py_ssize_t
        for f in range(len(self.parts)):
            cython.cast(RoundKernel, self.parts[f]).place_at(i)
        self.arrive()
        return 0

    def arrive(self) -> cython.void:
        """Take note whether some part has another point in place."""
        i: cython.Py_ssize_t
        for i in range(len(self.parts)):
            if not cython.cast(RoundKernel, self.parts[i]).seen:
                self.seen = self.known = False
                return

    def warm(self, first: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Read what the coming rows of the batch will need, part by part."""
        i: cython.Py_ssize_t
        for i in range(len(self.parts)):
            cython.cast(RoundKernel, self.parts[i]).warm(first, stop)

    # --- Rounds ------------------------------------------------------------------------------------

    def weigh(self) -> cython.double:
        """Set ln of the weight of every part, relative to the least loss; return the largest."""
        i: cython.Py_ssize_t
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
        """Let every part look that does not know its share, and set the word of the row."""
        i: cython.Py_ssize_t
        part: RoundKernel
        for i in range(len(self.parts)):
            part = cython.cast(RoundKernel, self.parts[i])
            if not part.known:
                part.look()
                part.known = True
        self.spell()

    def look(self) -> cython.void:
        """Divide the weight of all parts."""
        i: cython.Py_ssize_t
        part: RoundKernel
        one: cython.double = 0.0
        zero: cython.double = 0.0
        far: cython.double
        top: cython.double
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
        """Let the word be that of all parts that have one."""
        i: cython.Py_ssize_t
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
        """Return the log-odds of 1 at the row just looked at, right also where one side is nothing to the other."""
        i: cython.Py_ssize_t
        odds: cython.double
        one: cython.double = -inf
        zero: cython.double = -inf
        for i in range(len(self.parts)):
            odds = cython.cast(RoundKernel, self.parts[i]).log_ratio()
            if odds > -inf:
                one = log_plus(one, self.weight[i] - softplus(-odds))
            if odds < inf:
                zero = log_plus(zero, self.weight[i] - softplus(odds))
        return one - zero

    def reserve(self) -> cython.int:
        """Make room for one more round."""
        i: cython.Py_ssize_t
        for i in range(len(self.parts)):
            cython.cast(RoundKernel, self.parts[i]).reserve()
        return 0

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Let the row in, and charge the rules that are wrong there."""
        i: cython.Py_ssize_t
        part: RoundKernel
        for i in range(len(self.parts)):
            part = cython.cast(RoundKernel, self.parts[i])
            part.ahead = self.ahead
            part.take(label, cost)
            part.seen = part.known = False

    # --- Account -----------------------------------------------------------------------------------

    def least(self) -> cython.double:
        """L*: the least loss of a rule."""
        i: cython.Py_ssize_t
        loss: cython.double
        low: cython.double = inf
        for i in range(len(self.parts)):
            loss = cython.cast(RoundKernel, self.parts[i]).least()
            low = loss if loss < low else low
        return low

    def log_total(self) -> cython.double:
        """Return ln of the sum of prior mass times e^(-eta (loss - L*))."""
        i: cython.Py_ssize_t
        total: cython.double = 0.0
        if len(self.parts) == 1:
            return self.log_share[0] + cython.cast(RoundKernel, self.parts[0]).log_total()
        top: cython.double = self.weigh()
        for i in range(len(self.parts)):
            if top - self.weight[i] < NOTHING:
                total += exp(self.weight[i] - top)
        return top + log(total)

    def count(self) -> cython.longlong:
        """The number of paths of each part alone; 2^60 stands for that number or more."""
        i: cython.Py_ssize_t
        total: cython.double = 0.0
        for i in range(len(self.parts)):
            total += cython.cast(RoundKernel, self.parts[i]).count()
        return cython.cast(cython.longlong, total if total < MANY else MANY)

    def ask(self) -> cython.void:
        """Count what is asked, and let the parts know."""
        i: cython.Py_ssize_t
        part: RoundKernel
        for i in range(len(self.parts)):
            part = cython.cast(RoundKernel, self.parts[i])
            part.ask()  # (a part may be a mixture, whose own parts are then seen too)
            part.seen = True
        RoundKernel.ask(self)

    def rebuild(self) -> cython.void:
        """Let all parts have the rate."""
        i: cython.Py_ssize_t
        part: RoundKernel
        for i in range(len(self.parts)):
            part = cython.cast(RoundKernel, self.parts[i])
            part.eta, part.known = self.eta, False
            part.rebuild()
