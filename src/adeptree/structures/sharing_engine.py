"""Drift for any structure whose rules are leaves: fixed share over all of its rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.declared_state import COUNT, SUM, Array, Fields, check_fields
from adeptree.core.types import Concept, Instance
from adeptree.roles.engine import Leader, Rows
from adeptree.roles.kernel_engine import KernelEngine
from adeptree.roles.near_rules import NearRules
from adeptree.theory.sharing import SHARES, Drift

_KERNEL = kernel("adeptree.structures.sharing_kernel")


class SharingEngine(KernelEngine):
    """The structure ``made`` (an engine, its class and its prior) with weights of sequences of rules.

    Rules, losses and points are those of the inner structure; the weights are in ``sharing_kernel.py``.
    """

    kind = "sharing"
    kernel: Any

    def __init__(self, made: tuple[Any, Any, Any], drift: Drift) -> None:
        super().__init__()
        self.made, self.drift = made, drift
        kind, concept_class, prior = made
        self._inner: KernelEngine = kind(concept_class, prior)
        self.prior = self._inner.prior
        self.concept_class, self.runs_base = concept_class, self._inner.runs_base  # type: ignore[misc]
        lanes = drift.lanes()
        rounds = (drift.spans, _KERNEL.ring_size(drift.spans))
        self.leaves = self._inner.share_out(1.0 - drift.followed, len(lanes[0]), *rounds)
        part = drift.followed / max(1, len(drift.spans))
        self._use(_KERNEL.SharingKernel(self._inner.kernel, self.leaves, lanes, *rounds, drift.unit, part))

    @property
    def inner(self) -> KernelEngine:
        """The inner structure, with the ledger of the learner."""
        self._inner.kernel.ledger = self.kernel.ledger
        return self._inner

    def made_of(self) -> tuple[Any, ...]:
        """Return the arguments that make such an engine."""
        return (self.made, self.drift)

    # --- Bounds ----------------------------------------------------------------------------

    def proven(self, price: float, best_loss: float | None) -> float:
        """Return the current bound on the regret to a sequence of this price (and loss, if known)."""
        if self.drift.one_lane:
            return super().proven(price, best_loss)
        return self._over_lanes(price, best_loss) + float(self.kernel.ledger.excess)

    def _over_lanes(self, price: float, best_loss: float | None) -> float:
        kept = self.kernel.kept()
        return float(self.drift.proven(price, best_loss, kept["spread"], kept["beyond"][:: 1 + len(SHARES)]))

    def price(self) -> float:
        """Return the price of the best rule; for a part with many rates, the bound on the regret to it."""
        price = super().price()
        return price if self.drift.one_lane or not self.drift.inside else self._over_lanes(price, self.best_loss)

    # --- The inner structure -------------------------------------------------------------

    def point(self, x: Instance, raw: Any) -> Any:
        """Return the point in the structure's form."""
        return self.inner.point(x, raw)

    def batch(self, xs: Any) -> int:
        """Hand the points of a batch to the structure."""
        return self.inner.batch(xs)

    def rows(self) -> Rows:
        """Return the rules and their losses over all rounds."""
        return self.inner.rows()

    def leader(self) -> Leader:
        """Return a rule that is best over all rounds."""
        leader: Leader = self.inner.leader()
        if not self.drift.inside:
            return leader
        return replace(leader, log_prior=-self.sequence_price(-leader.log_prior, self.kernel.clock))

    def best_rule(self) -> Concept:
        """Return a rule that is best over all rounds."""
        return self.inner.best_rule()

    def rules_within(self, k: float, limit: int) -> NearRules:
        """Return the near-best rules over all rounds."""
        return self.inner.rules_within(k, limit)

    # --- Saving ------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return the inner structure, and the weights of lanes and followers."""
        return {**self.kernel.kept(), "inner": self.inner.state()}

    def declared(self) -> Fields:
        """Return the weights, and the last rounds."""
        lanes, room, followers = len(self.drift.lanes()[0]), _KERNEL.ring_size(self.drift.spans), len(self.drift.spans)
        return {
            **{"log_scale": Array(np.float64, (lanes,)), "followed": Array(np.float64, (lanes * followers,), 0)},
            **{"beyond": Array(np.float64, (lanes,), 0), "mix": Array(np.float64, (lanes,), 0)},
            **{"labels": Array(np.int32, (room,), 0, 1), "costs": Array(np.float64, (room,), 0)},
            **{"chosen": Array(np.int32, (followers + 1,), 0, len(self.leaves) - 1)},
            **{"clock": COUNT, "next": COUNT, "spread": SUM},
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state` returned, after checking it."""
        check_fields(state, self.declared())
        self.inner.restore(state["inner"])
        self.kernel.resume(state)
