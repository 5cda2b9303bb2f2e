"""Rounds of a structure that is written in Python, under the compiled round: the same charge for every learner.

Python may raise anywhere, and a compiled commit may not. So the look happens in :meth:`place`, which may raise, and an
exception in the commit is kept until the round is over and raised then. The learner marks a structure in Python before
a round and restores it (``learners/transactions.py``).
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
    """What the round calls of ``structure``: see, take, open, best_loss, rate_changed, forget_look."""

    def __init__(self, structure: Any) -> None:
        RoundKernel.__init__(self, Ledger(), 0)
        self.structure = structure
        self.point = None
        self.lowest = 0.0

    # --- What a structure writes -------------------------------------------------------------------

    def place(self, x: object) -> cython.bint:
        """Look at x, and name it for its coin: all that may raise happens here."""
        self.point = x
        self.p, self.log_odds, key = self.structure.see(x)
        self.word = key & 0xFFFFFFFFFFFFFFFF if type(key) is int else word_of(key)
        self.seen = self.known = True
        return True

    def take(self, label: cython.int, cost: cython.double) -> cython.void:
        """Commit the round; the learner raises what is raised here, when the round is over."""
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
        """L* after the last round, where the rate follows it."""
        return self.lowest

    def ask(self) -> cython.void:
        """The structure counts its own queries."""

    # --- Rounds ------------------------------------------------------------------------------------

    def set_rate(self, eta: float) -> None:
        """Play at this rate from now on."""
        if eta != self.eta:
            self.structure.rate_changed()  # (may be interrupted, and is repeated then: the rate is still due)
            self.eta = eta

    def quick(self, x: object) -> cython.bint:
        """Return False: the learner checks every point, and marks the structure."""
        return False

    def discard(self) -> None:
        """Forget the look: the transaction restores the structure, so that nothing is torn."""
        RoundKernel.discard(self)
        self.structure.forget_look()
        self.torn = False

    # --- Marks -------------------------------------------------------------------------------------

    def copy(self) -> list[Any]:
        """Return where the round stands, for :meth:`back_to`."""
        return [self.eta, self.stay_rounds, self.stay_loss, self.stay_gap, self.scale, self.due, self.stamp]

    def back_to(self, stood: list[Any]) -> None:
        """Stand there again: the structure is restored by then, so that nothing is torn."""
        self.eta, self.stay_rounds, self.stay_loss, self.stay_gap, self.scale, self.due, self.stamp = stood
        self.seen = self.known = self.torn = False
