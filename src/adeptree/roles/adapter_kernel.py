"""An adapter that plays the compiled round on a structure written in Python, so all learners are charged alike.

Python may raise anywhere, and a compiled commit may not. So the structure predicts in :meth:`place`, which may raise,
and an exception in the commit is stored and raised when the round is over. The learner marks a structure in Python
before a round and restores it (``learners/transactions.py``).
"""

from __future__ import annotations

from typing import Any

from adeptree.core import cython_shim as cython

if not cython.compiled:
    from math import inf

    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.theory.ledger_kernel import Ledger

from adeptree.theory.coins import word_of


class AdapterKernel(RoundKernel):
    """Forwards the calls of a round to ``structure``: see, take, open, best_loss, rate_changed, forget_look."""

    def __init__(self, structure: Any) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        self.structure = structure
        self.point = None
        self.lowest = 0.0

    # --- What a structure writes -------------------------------------------------------------------

    def place(self, x: object) -> cython.bint:
        """Predict at x and set its key for the coin; all calls that may raise happen here."""
        self.point = x
        self.p, self.log_odds, key = self.structure.see(x)
        self.word = key & 0xFFFFFFFFFFFFFFFF if type(key) is int else word_of(key)
        self.seen = self.known = True
        return True

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Commit the round; the learner raises any exception of this call when the round is over."""
        try:
            if self.opening:
                self.structure.open(self.ledger.answered + 1, self.point)
            else:
                self.structure.take(self.point, label, int(cost) if cost == int(cost) else cost)
                if self.stay_loss < inf:
                    self.lowest = self.structure.best_loss
        except BaseException as error:
            self.raised = error

    def least(self) -> cython.double:
        """L* after the last round, if the rate depends on it."""
        return self.lowest

    def ask(self) -> cython.void:
        """Do nothing: the structure counts its own queries."""

    # --- Rounds ------------------------------------------------------------------------------------

    def set_rate(self, eta: float) -> None:
        """Set the rate of the coming rounds."""
        if eta != self.eta:
            self.structure.rate_changed()  # if this is interrupted, the rate is still due and the call is repeated
            self.eta = eta

    def quick(self, x: object) -> cython.bint:
        """Return False: the learner checks every point, and marks the structure."""
        return False

    def discard(self) -> None:
        """Discard the prediction. The transaction restores the structure, so the learner is not torn."""
        RoundKernel.discard(self)
        self.structure.forget_look()
        self.torn = False

    # --- Marks -------------------------------------------------------------------------------------

    def copy(self) -> list[Any]:
        """Return a snapshot of the round, for :meth:`back_to`."""
        return [self.eta, self.stay_rounds, self.stay_loss, self.stay_gap, self.scale, self.due, self.stamp]

    def back_to(self, stood: list[Any]) -> None:
        """Restore the snapshot. The structure is restored before, so the learner is not torn."""
        self.eta, self.stay_rounds, self.stay_loss, self.stay_gap, self.scale, self.due, self.stamp = stood
        self.seen = self.known = self.torn = False
