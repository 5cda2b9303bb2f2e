"""One rule per segment: a structure for each, or thresholds of all segments in one arena."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from adeptree.core.compiled import kernel
from adeptree.core.declared_state import FLAG, MOST, Array, Fields, Items, Number, need
from adeptree.core.types import Concept, FloatArray
from adeptree.families.combined.row_engine import chosen
from adeptree.families.combined.segments import PerSegment, SegmentRule
from adeptree.roles.engine import Leader, Problem
from adeptree.roles.kernel_engine import KernelEngine
from adeptree.roles.near_rules import NearRules, RankedRule
from adeptree.theory.priors import CountedPrior, Prior
from adeptree.theory.sharing import Drift

_KERNEL = kernel("adeptree.structures.segments_kernel")
SUMS = ("zeros", "charged", "clock", "log_z")
"""Numbers per line in a file."""
OWN = 5  # numbers of a segment with a separate rate: rate, kappa, excess, rounds, rate of the last round
MANY = 1e300
"""Largest number of combinations of rules that is counted exactly."""


class SegmentsPrior(CountedPrior):
    """The prior of one rule per segment."""

    def __init__(self, one: Prior, segments: int | None) -> None:
        super().__init__(0.0)
        self.unknown = "the number of segments is not known; give segments="
        self.one, self.segments, self.name = one, segments, one.name  # type: ignore[misc]
        self.floor = one.floor

    def price(self, t: int) -> float | None:
        """Return the largest price of one rule per segment; None if the number of segments is not known."""
        if self.segments is None:
            return None
        one = self.one.price(-(-t // self.segments))
        return None if one is None else self.segments * one


def check_own(own: FloatArray, many: bool) -> None:
    """Raise ValueError unless the accounts of the parts, one row each, are valid."""
    rate, kappa, excess, rounds, last = own.T
    need((rate == 0).all() and (last == 1).all() if many else (rate > 0).all() and (rate <= last).all(), "own")
    need((kappa >= 2).all() and (rounds == np.floor(rounds)).all(), "own")
    need((rate * excess <= 2.1 * kappa * (1 + 1e-9)).all(), "own")


def changing(kind: type[Any], problem: Problem, drift: Drift) -> Any:
    """Return the engine of a part with drift, without followers."""
    from adeptree.structures.restarts_engine import drifting  # imported late: most learners do not need its kernels

    how = replace(drift, followers=False, inside=True)
    return drifting((kind, problem.concept_class, problem.prior), how)


class SegmentsEngine(KernelEngine):
    """A structure per segment (``segments_kernel.py``)."""

    kind = "segments"
    runs_base = False
    kernel: Any

    def __init__(self, concept_class: PerSegment, prior: Prior) -> None:
        super().__init__()
        self.made = chosen(concept_class.one, prior.name)
        self.concept_class = concept_class
        self.prior = SegmentsPrior(self.fresh().prior, concept_class.segments)
        self._use(self._made())

    def _made(self) -> Any:
        return _KERNEL.SegmentsKernel(self.fresh)

    def fresh(self) -> Any:
        """Return the engine of a segment, before its first round."""
        engine, problem = self.made
        return engine.of(problem) if self.shares_inside is None else changing(engine, problem, self.shares_inside)

    def _use(self, kernel: Any) -> None:
        super()._use(kernel)
        kernel.by, kernel.column = self.concept_class.by, self.concept_class.column

    def share_inside(self, drift: Drift) -> None:
        """Enable fixed share in the structure of each segment, on the clock of the segment."""
        self.shares_inside = drift
        self._use(self._made())

    def visited(self, k: int) -> Any:
        """Return the engine of the k-th segment, until another is visited."""
        self.kernel.visit(k)
        return self.kernel.engines[k]

    def each(self) -> Iterator[Any]:
        """Return the engines of the segments in the order of their first rounds, one at a time."""
        self.kernel.discard()
        for k in range(len(self.kernel.places)):
            one = self.visited(k)
            one.kernel.ledger = self.kernel.ledger
            yield one
        self.kernel.visit(0)

    def named(self) -> list[tuple[str, Leader, Concept]]:
        """Return the segments, each with its best path and rule."""
        names = list(self.kernel.places)
        return [(name, one.leader(), one.best_rule()) for name, one in zip(names, self.each(), strict=True)]

    def leader(self) -> Leader:
        """Return the best rule of every segment, as one path."""
        return Leader(self.best_loss, None, None, min(0.0, -math.fsum(one.price() for one in self.each())))

    def best_rule(self) -> Concept:
        """Return the best rule of every segment."""
        return SegmentRule(self.concept_class, {name: rule for name, _, rule in self.named()})

    def rules_within(self, k: float, limit: int) -> NearRules:
        """Return only the best combination, because there are too many near-best ones."""
        return NearRules([RankedRule(self.best_rule(), self.best_loss)], k > 0)

    # --- Saving ------------------------------------------------------------------------------------

    def of_segments(self) -> dict[str, Any]:
        """Return the states of all segments."""
        return {"parts": [one.state() for one in self.each()]}

    def state(self) -> dict[str, Any]:
        """Return the segments and their totals."""
        names, kernel = list(self.kernel.places), self.kernel
        told = {"names": names, "sums": [kernel.lost, kernel.log_sum, min(kernel.paths, MANY)], **self.of_segments()}
        if kernel.rated:
            told["own"] = np.array(kernel.own)[: OWN * len(names)].reshape(-1, OWN)
        return told

    def declared(self) -> Fields:
        """Declare the names; every segment checks its own part."""
        own: Fields = {"own": Array(np.float64, ("segments", OWN), -MOST)} if self.kernel.rated else {}
        return {"names": Items("segments"), "sums": Items(3, Number()), **own}

    def invariants(self, state: dict[str, Any]) -> None:
        """The rates are in balance."""
        need(None not in state["names"], "names")
        if self.kernel.rated:
            check_own(state["own"], self.shares_inside is not None)

    def parts_of(self, state: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Return the state of every segment."""
        need(len(state["parts"]) == len(state["names"]), "parts")
        yield from state["parts"]

    def restore(self, state: dict[str, Any]) -> None:
        """Restore every segment, after checking it."""
        self.check(state)
        for k, (name, kept) in enumerate(zip(state["names"], self.parts_of(state), strict=True)):
            self.kernel.first_rate = float(state["own"][k, 0]) if self.kernel.rated else 0.0
            self.kernel.meet(name)
            self.visited(k).restore(kept)
            self.kernel.keep()
        if self.kernel.rated:
            np.asarray(self.kernel.own)[: state["own"].size] = state["own"].ravel()
        rate, self.kernel.stale = self.rate, True  # the totals must be computed again
        self.rate = rate
        lost, log_sum, paths = map(float, state["sums"])
        computed = [self.kernel.lost, self.kernel.log_sum, min(self.kernel.paths, MANY)]
        need(np.allclose(state["sums"], computed, rtol=1e-9, atol=1e-6), "sums")
        self.kernel.lost, self.kernel.log_sum = lost, log_sum
        self.kernel.paths = paths if paths < MANY else self.kernel.paths


class ArenaEngine(SegmentsEngine):
    """A line per segment, all in one arena."""

    kind = "arena"

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """Accept thresholds on one column."""
        engine, _ = chosen(problem.concept_class.one, problem.prior.name)
        return None if engine.in_arena else f"it is made for thresholds on a column; got {problem.concept_class.rules}"

    def _made(self) -> Any:
        self.line = self.made[0].of(self.made[1])
        if self.shares_inside is not None:
            self.line.share_out(1.0, 1, (), 1)
        return _KERNEL.ArenaKernel(self.line.kernel)

    def visited(self, k: int) -> Any:
        """Return the line of the k-th segment, valid until another is visited."""
        self.kernel.visit(k)
        return self.line

    def of_segments(self) -> dict[str, Any]:
        """Return the lines of all segments, one after the other."""
        kept = [one.state() for one in self.each()]
        names = [name for name, field in self.line.declared().items() if isinstance(field, Array)]
        joined = {name: np.array([one[name] for one in kept], dtype=np.float64) for name in SUMS}
        for name in names:
            columns = [one[name] for one in kept]
            joined[name] = np.concatenate(columns) if columns else self.line.state()[name][:0]
        sizes = np.array([[len(one[name]) for name in names] for one in kept], dtype=np.int64)
        return {**joined, "whole": bool(self.line.kernel.whole), "sizes_of": sizes.reshape(len(kept), len(names))}

    def declared(self) -> Fields:
        """Declare the sizes of the lines as well."""
        sums = dict.fromkeys(SUMS, Array(np.float64, "segments"))
        return {**super().declared(), "sizes_of": Array(np.int64, ("segments", "columns"), 0), "whole": FLAG, **sums}

    def parts_of(self, state: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Return the line of every segment."""
        names = [name for name, field in self.line.declared().items() if isinstance(field, Array)]
        need(state["sizes_of"].shape[1] == len(names), "sizes_of")
        need((state["sizes_of"].sum(axis=0) == [len(state[part]) for part in names]).all(), "sizes_of")
        starts = np.zeros(len(names), dtype=np.int64)
        for k, sizes in enumerate(state["sizes_of"]):
            kept = {part: state[part][at : at + size] for part, at, size in zip(names, starts, sizes, strict=True)}
            starts = starts + sizes
            yield {**kept, **{part: float(state[part][k]) for part in SUMS}, "whole": state["whole"]}
