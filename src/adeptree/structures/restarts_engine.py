"""Restarts: drift for any structure, through copies that begin in different rounds (``docs/theory/drift.md``)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.declared_state import COUNT, MOST, Array, Fields, Number, need
from adeptree.core.errors import UnsupportedCombination
from adeptree.roles.kernel_engine import KernelEngine
from adeptree.structures.sharing_engine import SharingEngine
from adeptree.theory.sharing import Drift, last_round

_KERNEL = kernel("adeptree.structures.restarts_kernel")


class RestartsEngine(SharingEngine):
    """Copies of the structure ``made``; the first began in the first round and has the losses of all rounds."""

    kind = "restarts"
    rows = KernelEngine.rows
    batch = KernelEngine.batch

    def __init__(self, made: tuple[Any, Any, Any], drift: Drift) -> None:
        KernelEngine.__init__(self)
        self.made, self.drift = made, replace(drift, followers=False, restarts=True)
        self._inner = self._copy(0.0)
        self.prior = self._inner.prior
        self.concept_class, self.runs_base = made[1], self._inner.runs_base  # type: ignore[misc]
        self.best_may_fall = self._inner.best_may_fall  # type: ignore[misc]
        self._use(_KERNEL.RestartsKernel(self._inner, self._copy))

    def _copy(self, rate: float) -> Any:
        kind, concept_class, prior = self.made
        engine = kind(concept_class, prior)
        engine.rate = rate
        return engine

    @property
    def best_loss(self) -> float:
        """L* of all rounds."""
        return self.inner.best_loss

    def state(self) -> dict[str, Any]:
        """Return all copies, and their weights."""
        kept, copies = self.kernel, self.kernel.engines
        weights = np.array(kept.log_share[: len(copies)])
        return {
            "clock": int(kept.clock),
            "log_z": float(kept.log_z),
            "log_share": weights,
            "copies": [one.state() for one in copies],
        }

    def declared(self) -> Fields:
        """Return the weights."""
        return {
            "clock": COUNT,
            "log_z": Number(float, -MOST, 1e-6),
            "log_share": Array(np.float64, "copies", high=1e-9),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state` returned, after checking it."""
        self.check(state)
        clock, weights = state["clock"], state["log_share"]
        births = [0, *(s for s in range(1, clock + 1) if last_round(s) > clock)]
        need(len(births) == len(weights) == len(state["copies"]), "copies")
        need(np.exp(weights).sum() < 1 + 1e-9 and math.isclose(weights[-1], -math.log1p(clock)), "log_share")
        copies = [self._inner, *(self._copy(self.rate) for _ in births[1:])]
        for copy, kept in zip(copies, state["copies"], strict=True):
            copy.restore(kept)
        self.kernel.resume(copies, births, weights, clock, state["log_z"])


def drifting(made: tuple[Any, Any, Any], drift: Drift) -> SharingEngine:
    """Return the engine for drift on a structure: fixed share if it is supported, else restarts at one rate."""
    try:
        return SharingEngine(made, drift)
    except UnsupportedCombination:
        if not drift.one_lane:
            raise
    return RestartsEngine(made, drift)
