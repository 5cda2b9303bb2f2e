"""The engine of a mixture of structures: its best rule, near-best rules and saved state."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from adeptree.core.declared_state import need
from adeptree.core.types import Concept, FloatArray, IntArray
from adeptree.roles.engine import Leader
from adeptree.roles.kernel_engine import KernelEngine
from adeptree.roles.near_rules import NearRules, RankedRule, nearest, reach_of
from adeptree.theory.priors import Prior


class MixturePrior(Prior):
    """Kinds of rules with equal shares; ``one`` is the prior of one cut."""

    log_total = 0.0

    def __init__(self, name: str, kinds: int, one: Prior) -> None:
        self.name, self.kinds, self.one = name, kinds, one  # type: ignore[misc]
        self.floor = one.floor

    def log_mass(
        self, t: int, mistakes: IntArray, contested: IntArray, log_share: FloatArray | None = None
    ) -> FloatArray:
        """Return ln of the mass of one cut."""
        return self.one.log_mass(t, mistakes, contested, log_share)


class MixtureEngine(KernelEngine):
    """The engines of the parts of a ``MixtureKernel``, in the same order. No base learner runs.

    A subclass makes the parts, and defines their rules (:meth:`constants`, :meth:`near`).
    """

    runs_base = False
    kernel: Any
    members: Sequence[Any]

    def share_out(self, share: float, lanes: int, spans: tuple[int, ...], room: int) -> list[Any]:
        """Make all parts keep weights of sequences, because the best rule may move from one part to another."""
        leaves: list[Any] = []
        for f, (member, log_share) in enumerate(zip(self.members, self.kernel.log_share, strict=True)):
            leaves += member.share_out(share * math.exp(log_share), lanes, spans, room)
            self.kernel.parts[f] = member.kernel
        return leaves

    @abstractmethod
    def constants(self) -> list[RankedRule]:
        """Return "always 0" and "always 1", which every part has, with their losses."""

    @abstractmethod
    def near(self, f: int, reach: float, limit: int) -> NearRules:
        """Return the rules of a part that lose at most ``reach`` and are not constants, at least ``limit`` of them."""

    def reach(self, best: float, k: float) -> float:
        """Return the largest loss within k of the best."""
        return reach_of(best, k, sum(rule.loss for rule in self.constants()))

    def leading(self) -> tuple[int, Leader]:
        """Return a best path and its part; among equals, the path with the largest prior mass."""
        reach, shares = self.reach(self.kernel.least(), 0), np.asarray(self.kernel.log_share).tolist()
        found = [(f, one.leader()) for f, one in enumerate(self.members) if one.kernel.least() <= reach]
        f, leader = max(found, key=lambda one: shares[one[0]] + one[1].log_prior)
        return f, Leader(self.best_loss, None, None, min(0.0, shares[f] + leader.log_prior))

    def leader(self) -> Leader:
        """Return a best path."""
        return self.leading()[1]

    def best_rule(self) -> Concept:
        """Return a constant if one is best, else the first part's first best rule."""
        return self.rules_within(0, 1)[0].rule

    def rules_within(self, k: float, limit: int) -> NearRules:
        """Return the near-best rules of all parts; among equals the constants come first, and each appears once."""
        reach, more, found = self.reach(self.best_loss, k), False, self.constants()
        found = found if any(rule.loss for rule in found) else found[:1]  # constants are equal at first
        for f, member in enumerate(self.members):
            if member.kernel.least() <= reach:
                near = self.near(f, reach, limit)
                found += near
                more = more or near.more
        found.sort(key=self.precedence)
        order, others = nearest(np.array([rule.loss for rule in found]), reach, limit)
        return NearRules((found[i] for i in order), more or others)

    def precedence(self, near: RankedRule) -> int:
        """Return the sort key among rules with equal losses; by default the order of the parts."""
        return 0

    def state(self) -> dict[str, Any]:
        """Return the states of all parts."""
        return {"columns": [member.state() for member in self.members]}

    def invariants(self, state: dict[str, Any]) -> None:
        """Raise ValueError unless every part has a state."""
        need(len(state["columns"]) == len(self.members), "columns")
        for member, kept in zip(self.members, state["columns"], strict=True):
            member.check(kept)

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state` returned; every part checks its own state."""
        for member, kept in zip(self.members, state["columns"], strict=True):
            member.restore(kept)
