"""The interface of engines: they compute ADEPT's distribution from a list of paths or from a structure."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from adeptree.core.declared_state import Declared
from adeptree.core.errors import InvalidArgument, UnsupportedCombination
from adeptree.core.types import Concept, FloatArray, Instance, IntArray
from adeptree.roles.base_learner import BaseLearner
from adeptree.roles.dropping import Dropped
from adeptree.roles.frontier import Extension, Queries
from adeptree.roles.near_rules import NearRules, RankedRule, nearest, reach_of
from adeptree.roles.structure import PythonStructure
from adeptree.theory.losses import Losses
from adeptree.theory.mixture import log_sum, log_weights
from adeptree.theory.priors import Prior


@dataclass(frozen=True)
class Odds:
    """The odds of both labels at a point."""

    p: float
    """Share of the weight that predicts 1."""
    log_odds: float
    """ln of the weight that predicts 1 over the weight that predicts 0."""


@dataclass(frozen=True)
class Expansion:
    """Steps 1-3 of one round, ready to be committed: the next active set V_t and its prediction."""

    key: Any
    extension: Extension
    log_share: FloatArray | None
    """ln of the share of all concepts that follow each child, if the prior needs it."""
    log_mass: FloatArray
    odds: Odds


class Entered(NamedTuple):
    """A point that has entered the tree and whose label is pending."""

    ticket: int


@dataclass(frozen=True)
class Leader:
    """A best path: one of least loss with the largest prior mass."""

    loss: float
    mistakes: int | None
    """k*: mistakes of the base learner on this path; None if no base learner runs."""
    contested: int | None
    """n*: rounds at which both labels were realizable on this path; None if no base learner runs."""
    log_prior: float
    """ln of its current prior mass, at most 0: the total before the first round is 1."""


@dataclass(frozen=True)
class Rows:
    """Losses and prior masses of all paths, from which the leader and the potential are computed."""

    losses: Losses
    mistakes: IntArray
    contested: IntArray
    log_mass: FloatArray
    """ln of the current prior mass; the total before the first round is 1."""

    @property
    def best_loss(self) -> float:
        """L*: the least loss of a path."""
        least: float = self.losses.min().item()
        return least

    def leader(self) -> Leader:
        """Return the best path; among equals, the one with the largest prior mass."""
        row = int(np.where(self.losses == self.best_loss, self.log_mass, -np.inf).argmax())
        return Leader(self.best_loss, int(self.mistakes[row]), int(self.contested[row]), float(self.log_mass[row]))

    def log_best_mass(self) -> float:
        """Return ln of the total prior mass of all paths of least loss."""
        return log_sum(self.log_mass[self.losses == self.best_loss])

    def log_potential(self, rate: float) -> float:
        """Return ln sum_u pi(u) exp(-rate (L(u) - L*))."""
        return log_sum(log_weights(self.log_mass, self.losses, self.best_loss, rate))


@dataclass(frozen=True)
class Problem:
    """The task of an engine: the rules and options that decide which engines can run them."""

    concept_class: Any
    """The concept class."""
    base: BaseLearner
    prior: Prior
    mistake_bound: int | None = None
    max_width: int | None = None
    own_rates: bool = False  # the parts need separate rates: one common rate has no guarantee

    @property
    def drops(self) -> bool:
        """True if paths may be dropped."""
        M, proven = self.mistake_bound, self.base.mistake_bound
        return self.max_width is not None or not (M is None or (proven is not None and proven <= M))

    def beyond(self, priors: Sequence[str], *bases: type[BaseLearner]) -> str | None:
        """Return the first option that an engine with these priors and base learners cannot run, or None."""
        if self.prior.name not in priors:
            known = " and ".join(f'"{name}"' for name in priors)
            return f"it knows the priors {known}; got prior={self.prior.name!r}"
        if self.drops or type(self.base) not in bases:
            made_for = " and ".join(base.__name__ for base in bases)
            return f"it is made for {made_for}, all paths kept; got {self.base!r} on {self.concept_class!r}"
        return None


class Engine(PythonStructure, Declared, ABC):
    """An algorithm that maintains ADEPT's distribution on a stream, at the learning rate :attr:`rate`.

    A family lists its engines in its record; the first one that accepts a problem is used.
    """

    kind: ClassVar[str]
    """Name in saved files and certificates: "paths", "ordered", "blocks", ..."""

    collapsed: ClassVar[bool] = False
    """True if the engine keeps only sums over paths, so that each change of the rate costs a rebuild."""
    lists_paths: ClassVar[bool] = False
    """True if the engine keeps each path separately; with drift a plain list is then as good."""
    runs_base: ClassVar[bool] = True
    """True if a base learner predicts on every path; otherwise the structure defines the prior."""
    best_may_fall: ClassVar[bool] = False
    """True if ``best_loss`` may fall between rounds; then no bound holds for the final regret."""
    in_arena: ClassVar[bool] = False
    """True if many engines, one per segment, can share one arena."""
    drift: Any = None
    """The drift that the whole engine handles; None if there is none or if the parts handle their own."""
    shares_inside: Any = None
    """The drift of the parts, each with its own round counter; None if there is none."""
    prior: Prior
    """The prior in use, which determines the price of a path: the problem's, or the engine's default."""
    dropped = Dropped()
    """The paths dropped to keep within a width; most engines drop none."""

    def __init__(self) -> None:
        super().__init__()
        self.queries = Queries()

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """Return the reason why the engine cannot run this problem, as the end of a message; None if it can."""
        return None

    @classmethod
    def of(cls, problem: Problem) -> Engine:
        """Create the engine of an accepted problem, before the first round."""
        return cls(problem.concept_class, problem.prior)  # type: ignore[call-arg]

    @property
    def rate(self) -> float:
        """eta: the learning rate of the coming round."""
        return self.kernel.eta

    @rate.setter
    def rate(self, eta: float) -> None:
        self.kernel.set_rate(eta)

    def see(self, x: Instance) -> tuple[float, float, Any]:
        """Return the odds at x and the key of x for its coin."""
        odds = self.odds(x)
        return odds.p, odds.log_odds, self.concept_class.key(x)  # type: ignore[attr-defined]

    def take(self, x: Instance, label: int, cost: float) -> None:
        """Commit a round."""
        self.commit(x, label, cost)

    def forget_look(self) -> None:
        """Discard predictions made since the last commit."""
        self.discard()

    def price(self) -> float:
        """Return ln(1 / prior mass) of the best path."""
        return -self.leader().log_prior

    def sequence_price(self, rule: float, rounds: int, switches: int = 0) -> float:
        """Return the price of a sequence with this many switches, if a rule's price is at most this."""
        return rule if self.drift is None else self.drift.price(rule, rounds, switches)

    def pooled(self) -> tuple[Concept, float, float, bool] | None:
        """Return the best common rule of all segments, its loss, price, and whether it wins; None without segments."""
        return None

    def by_segment(self) -> list[tuple[str, str, float]]:
        """Return the segments, each with its best rule and that rule's loss; empty without segments."""
        return []

    def segments(self) -> int:
        """Return the number of segments so far."""
        return 0

    def exceeded(self) -> str:
        """Describe input beyond the announced limits; empty if there was none."""
        return ""

    def sequence_loss(self, switches: int) -> float | None:
        """Return the loss of the best sequence with this many switches; None if it is not known."""
        return None if switches else self.best_loss

    def proven(self, price: float, best_loss: float | None) -> float:
        """Return the current bound on the regret to a rule or sequence of this price (and loss, if known)."""
        ledger = self.kernel.ledger
        rated = (price / ledger.last_rate if ledger.last_rate else math.inf) if price > 0.0 else 0.0
        return rated + float(ledger.excess)

    def share_out(self, share: float, lanes: int, spans: tuple[int, ...], room: int) -> list[Any]:
        """Make the kernel keep weights of sequences with this share of the prior; return all leaf kernels."""
        raise UnsupportedCombination(
            f"drift= without review= needs one rate for {self.concept_class!r}; give "  # type: ignore[attr-defined]
            f'a positive number as rate=, or engine="paths" where there are few paths'
        )

    @abstractmethod
    def probability(self, x: Instance) -> float:
        """Return the share of the weight that predicts 1 at x. Nothing is committed, and a second call is free."""

    def odds(self, x: Instance) -> Odds:
        """Return the share with its log-odds, by default computed from the share, which suffices at rates up to 4."""
        p = self.probability(x)
        return Odds(p, math.log(p / (1.0 - p)) if 0.0 < p < 1.0 else math.copysign(math.inf, p - 0.5))

    @abstractmethod
    def commit(self, x: Instance, label: int, weight: float = 1) -> None:
        """Commit the round: x has this label, and an error costs this much."""

    @abstractmethod
    def rows(self) -> Rows:
        """Return the paths (may cost a scan). An engine that cannot list them overrides the methods below."""

    def discard(self) -> None:
        """Discard predictions made since the last commit."""

    @property
    def width(self) -> int:
        """Number of active paths |V_t|, listed or represented."""
        return len(self.rows().losses)

    @property
    def best_loss(self) -> float:
        """L*: the least loss of a path."""
        return self.rows().best_loss

    def leader(self) -> Leader:
        """Return the best path (may cost a scan)."""
        return self.rows().leader()

    def log_potential(self) -> float:
        """Return ln sum_u pi(u) exp(-eta (L(u) - L*)), where pi starts with total mass 1 (may cost a scan)."""
        return self.rows().log_potential(self.rate)

    def as_paths(self) -> Any:
        """Return the list of paths if the engine keeps one."""
        raise InvalidArgument(f'the engine {self.kind!r} keeps no list of paths; build with engine="paths"')

    def rules_of(self, places: Sequence[int]) -> list[Concept]:
        """Return a concept for each of these paths, given by their row numbers."""
        raise InvalidArgument(f"the engine {self.kind!r} keeps no rules, so that it cannot name a best one")

    def best_rule(self) -> Concept:
        """Return a concept that follows a best path."""
        return self.rules_of([int(self.rows().losses.argmin())])[0]

    def rules_within(self, k: float, limit: int) -> NearRules:
        """Return one rule per path whose loss is at most ``best_loss + k``, the best first, up to a limit."""
        losses = self.rows().losses
        places, more = nearest(losses, reach_of(self.best_loss, k, float(losses.max())), limit)
        rules = map(RankedRule, self.rules_of(places.tolist()), losses[places].tolist())
        return NearRules(rules, more or self.dropped != Dropped())

    def state(self) -> dict[str, Any]:
        """Return the state for :meth:`restore` as plain values and arrays: by default all attributes."""
        return {name: value for name, value in vars(self).items() if name not in ("queries", "kernel")}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state` returned."""
        vars(self).update(state)
