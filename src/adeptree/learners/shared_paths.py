"""Algorithm 2's paths with drift: fixed share over the listed paths (``docs/theory/drift.md``).

Every path has a factor g per lane in place of e^(-eta loss). After a charged round, a share of the weight is
redistributed according to the prior. There are no followers here: a window would need the labels of all paths in its
rounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adeptree.core.declared_state import is_count, need
from adeptree.core.types import BoolArray, FloatArray, Instance
from adeptree.learners.adept import Paths
from adeptree.roles.engine import Expansion
from adeptree.theory.losses import Losses, charged
from adeptree.theory.sharing import RATES, Drift

FOLLOWED = 10
"""The most switches of sequences whose losses are kept."""


class SharedPaths(Paths):
    """The active paths with a factor g per lane; ``drift`` defines the lanes."""

    kind = "shared-paths"

    def __init__(self, drift: Drift, *made: Any) -> None:
        super().__init__(*made)
        self.drift = Drift(False, drift.one_lane, drift.unit)
        rates, shares, logs = (np.array(column)[:, np.newaxis] for column in drift.lanes())
        self.rates: FloatArray = rates
        self.shares: FloatArray = shares
        self.g: FloatArray = np.ones((len(rates), 1))
        self.log_scale: FloatArray = logs
        """ln of the weight of each lane; mass times g sums to 1 in each lane."""
        self.clock, self.spread, self.beyond = 0, 0.0, np.zeros(len(RATES))
        self.sequences: Losses = np.zeros((FOLLOWED + 1, 1), dtype=np.int64)
        """Row s: the least loss of a sequence with at most s switches that currently follows the path."""

    def proven(self, price: float, best_loss: float | None) -> float:
        """Return the current bound on the regret to a sequence of this price (and loss, if known)."""
        if self.drift.one_lane:
            return super().proven(price, best_loss)
        return float(self.drift.proven(price, best_loss, self.spread, self.beyond) + self.kernel.ledger.excess)

    def sequence_loss(self, switches: int) -> float | None:
        """Return the exact loss of the best sequence with this many switches; None if it is not kept."""
        best: float | None = self.sequences[switches].min().item() if switches <= FOLLOWED else None
        return best

    def _log_weights(self, log_mass: FloatArray, rows: Any) -> FloatArray:
        mix = self.rates * np.exp(self.log_scale - self.log_scale.max())
        weights: FloatArray = log_mass + np.log((mix * self.g[:, rows]).sum(axis=0))
        return weights

    def commit(self, x: Instance, label: int, weight: float = 1) -> None:
        """Charge and share after the paths have entered."""
        expansion = self._expansion(x)
        loss = abs(expansion.odds.p - label)
        super().commit(x, label, weight)
        self._share(expansion.extension.children.label != bool(label), loss, weight)

    def settle(self, ticket: int, label: int, weight: float = 1) -> None:
        """Charge and share when a pending label comes."""
        wrong, loss = self.waiting.labels(ticket) != bool(label), abs(self.odds_of(ticket).p - label)
        super().settle(ticket, label, weight)
        self._share(wrong, loss, weight)

    def _grow(self, expansion: Expansion, losses: Losses, ticket: int | None = None) -> None:
        super()._grow(expansion, losses, ticket)
        parent = expansion.extension.children.parent
        self.g, self.sequences = self.g[:, parent], self.sequences[:, parent]

    def _share(self, wrong: BoolArray, loss: float, cost: float) -> None:
        """Charge the wrong paths, normalise each lane to 1, and redistribute its share according to the prior."""
        if not cost:
            return
        unit = cost / self.drift.unit
        if self.drift.one_lane:
            factor = np.where(wrong, np.exp(-self.kernel.eta * cost), 1.0)[np.newaxis]
        else:
            factor = 1.0 + self.rates * unit * (loss - wrong)
            self.spread += max(unit * loss, 1.0 - unit * loss) ** 2
            self.beyond = self.beyond + unit * loss - np.log1p(RATES * unit * loss) / RATES
        self.clock += 1
        # Viterbi: a sequence that switches in this round extends the best one with one switch less.
        before = self.sequences.min(axis=1)[:-1, np.newaxis]
        switched: Any = np.concatenate([self.sequences[:1], np.minimum(self.sequences[1:], before)])
        self.sequences = charged(switched, wrong, cost)
        g, mass = self.g * factor, np.exp(self._masses_now() - self.prior.log_total)
        whole = (g * mass).sum(axis=1, keepdims=True)
        share = np.where(self.shares < 0, 1 / (self.clock + 1), self.shares)
        self.g, self.log_scale = (1 - share) * g / whole + share, self.log_scale + np.log(whole)

    def state(self) -> dict[str, Any]:
        """Return the rows and the state of sharing."""
        shared = {"g": self.g, "log_scale": self.log_scale, "beyond": self.beyond, "sequences": self.sequences}
        return super().state() | shared | {"clock": self.clock, "spread": self.spread}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state` returned, after checking it."""
        super().restore(state)
        g, scale, beyond = (np.asarray(state[name]) for name in ("g", "log_scale", "beyond"))
        need(g.shape == (len(self.rates), self.width) and bool((g > 0).all() and np.isfinite(g).all()), "g")
        need(scale.shape == self.log_scale.shape and bool(np.isfinite(scale).all()), "log_scale")
        sequences = np.asarray(state["sequences"])
        need(sequences.shape == (FOLLOWED + 1, self.width) and bool((sequences >= 0).all()), "sequences")
        need(beyond.shape == self.beyond.shape and bool((beyond >= 0).all()), "beyond")
        self.g, self.log_scale, self.beyond, self.sequences = g, scale, beyond, sequences
        need(is_count(state["clock"]) and state["clock"] <= self.rounds, "clock")
        self.clock, self.spread = state["clock"], state["spread"]
