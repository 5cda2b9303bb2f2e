"""A model's vote as a rule: 1 where a score reaches a cut; what it says of missing scores is part of the rule.

There are two paths, one for either label of the missing scores. Each has half of the mass once a score was missing.
"""

from __future__ import annotations

try:
    import cython
except ModuleNotFoundError:
    from adeptree.core import cython_shim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.adeptree._compiled.ledger_kernel import Ledger, softplus, word_of_float
    from cython.cimports.adeptree._compiled.round_kernel import RoundKernel
    from cython.cimports.libc.math import INFINITY as inf
    from cython.cimports.libc.math import exp, log
else:
    from math import exp, inf, log

    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.theory.ledger_kernel import Ledger, softplus, word_of_float


class VoteKernel(RoundKernel):
    """Losses: ``lost`` where a score was there, and of saying 0 or 1 where it was missing."""

    def __init__(self, cut: float) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        self.cut, self.score = cut, 0.0
        self.missing = False
        self.ever_missing = False
        self.lost = self.zeros = self.ones = 0.0

    def place(self, x: object) -> cython.bint:
        """Put a score in place, a float or None."""
        if x is not None and type(x) is not float:
            return False
        self.put(x is None, 0.0 if x is None else x)  # type: ignore[arg-type]
        return True

    def put(self, missing: cython.bint, score: cython.double) -> cython.void:
        """Have this score in place."""
        if missing != self.missing or score != self.score:
            self.seen = self.known = False
        self.missing, self.score = missing, score
        self.word = 0 if missing else word_of_float(score)

    def give(self, scores: object) -> None:
        """Take the scores of a batch, NaN for a missing one."""
        self.scores = memoryview(scores)  # type: ignore[arg-type]

    def place_at(self, i: cython.Py_ssize_t) -> cython.void:
        """Put the i-th score of the batch in place."""
        score: cython.double = self.scores[i]
        self.put(score != score, 0.0 if score != score else score)

    def look(self) -> cython.void:
        """Follow the score; where it is missing, divide the weight of the two paths."""
        if self.missing:
            self.log_odds = self.eta * (self.zeros - self.ones)
            self.p = exp(-softplus(-self.log_odds))
        else:
            self.p = 1.0 if self.score >= self.cut else 0.0
            self.log_odds = inf if self.score >= self.cut else -inf

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Charge what is wrong."""
        if self.missing:
            self.ever_missing = True
            if label:
                self.zeros += cost
            else:
                self.ones += cost
        elif (self.score >= self.cut) != label:
            self.lost += cost

    def least(self) -> cython.double:
        """L*: the loss of the better path."""
        return self.lost + min(self.zeros, self.ones)

    def log_total(self) -> cython.double:
        """Return ln of the mean of e^(-eta (loss - L*)) over the two paths."""
        further: cython.double = self.zeros - self.ones if self.zeros > self.ones else self.ones - self.zeros
        return log(0.5 + 0.5 * exp(-self.eta * further))

    def count(self) -> cython.longlong:
        """The number of paths."""
        return 2 if self.ever_missing else 1
