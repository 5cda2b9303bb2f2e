"""What computes ADEPT's distribution, at the rate of the learner: the paths themselves, or a structure for them."""

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
    """How the weight is divided at a point."""

    p: float
    """The share that says 1."""
    log_odds: float
    """ln of (what says 1 / what says 0)."""


@dataclass(frozen=True)
class Expansion:
    """Steps 1-3 of one round, ready to be committed: the next active set V_t and what it predicts."""

    key: Any
    extension: Extension
    log_share: FloatArray | None
    """ln of the share of all concepts that follow each child, where the prior wants to know."""
    log_mass: FloatArray
    odds: Odds


class Entered(NamedTuple):
    """A point that is in the tree and waits for its label."""

    ticket: int


@dataclass(frozen=True)
class Leader:
    """A best path: least loss, and among those the largest prior mass."""

    loss: float
    mistakes: int | None
    """k*: what the base learner gets wrong on it; None where no base learner runs."""
    contested: int | None
    """n*: its rounds at which both labels were realizable; None where no base learner runs."""
    log_prior: float
    """ln of its prior mass now, the mass before the first round being 1; so never positive."""


@dataclass(frozen=True)
class Rows:
    """The paths, one entry each: what leader and potential are made of, whatever engine keeps them."""

    losses: Losses
    mistakes: IntArray
    contested: IntArray
    log_mass: FloatArray
    """ln of the prior mass now, the mass before the first round being 1."""

    @property
    def best_loss(self) -> float:
        """L*: the least loss of a path."""
        least: float = self.losses.min().item()
        return least

    def leader(self) -> Leader:
        """Return the best path, of several the one with the largest prior mass."""
        row = int(np.where(self.losses == self.best_loss, self.log_mass, -np.inf).argmax())
        return Leader(self.best_loss, int(self.mistakes[row]), int(self.contested[row]), float(self.log_mass[row]))

    def log_best_mass(self) -> float:
        """Return ln of the mass of all paths of least loss together."""
        return log_sum(self.log_mass[self.losses == self.best_loss])

    def log_potential(self, rate: float) -> float:
        """Return ln sum_u pi(u) exp(-rate (L(u) - L*))."""
        return log_sum(log_weights(self.log_mass, self.losses, self.best_loss, rate))


@dataclass(frozen=True)
class Problem:
    """What a learner wants computed: all that decides which engines can."""

    concept_class: Any
    """The rules, as the family has them."""
    base: BaseLearner
    prior: Prior
    mistake_bound: int | None = None
    max_width: int | None = None
    own_rates: bool = False  # (parts must have rates of their own: one for all has no guarantee)

    @property
    def drops(self) -> bool:
        """Whether a path may ever be dropped."""
        M, proven = self.mistake_bound, self.base.mistake_bound
        return self.max_width is not None or not (M is None or (proven is not None and proven <= M))

    def beyond(self, priors: Sequence[str], *bases: type[BaseLearner]) -> str | None:
        """Return what is too much for an engine that knows these priors and base learners; None if nothing is."""
        if self.prior.name not in priors:
            known = " and ".join(f'"{name}"' for name in priors)
            return f"it knows the priors {known}; got prior={self.prior.name!r}"
        if self.drops or type(self.base) not in bases:
            made_for = " and ".join(base.__name__ for base in bases)
            return f"it is made for {made_for}, all paths kept; got {self.base!r} on {self.concept_class!r}"
        return None


class Engine(PythonStructure, Declared, ABC):
    """ADEPT's distribution on a stream, at a rate that :attr:`rate` sets.

    A family names its engines in its record; the first that accepts a problem is taken.
    """

    kind: ClassVar[str]
    """Name in saved files and certificates: "paths", "ordered", "blocks", ..."""

    collapsed: ClassVar[bool] = False
    """Whether it keeps sums over paths only; then a rate that changes in every round would cost it a rebuild each."""
    lists_paths: ClassVar[bool] = False
    """Whether it keeps each path on its own, so that where the best rule may change a plain list is as good."""
    runs_base: ClassVar[bool] = True
    """Whether a base learner predicts on every path; without one the prior is the structure's own."""
    best_may_fall: ClassVar[bool] = False
    """Whether ``best_loss`` may fall from one round to the next: then nothing is proven of the regret at the end."""
    in_arena: ClassVar[bool] = False
    """Whether many of them, one per segment, can lie in one arena."""
    drift: Any = None
    """How the best rule may change; None if it does not, or if parts share for themselves."""
    shares_inside: Any = None
    """How the best rule of each part may change, each on its own clock; None if it does not."""
    prior: Prior
    """The prior that it computes with, which says what a path may cost: that of the problem, or one of its own."""
    dropped = Dropped()
    """What was dropped to keep within a width: nothing, in most engines."""

    def __init__(self) -> None:
        super().__init__()
        self.queries = Queries()

    @classmethod
    def accepts(cls, problem: Problem) -> str | None:
        """Return why the engine cannot compute this, as the end of a sentence; None if it can."""
        return None

    @classmethod
    def of(cls, problem: Problem) -> Engine:
        """Return an engine for a problem that was accepted, before the first round."""
        return cls(problem.concept_class, problem.prior)  # type: ignore[call-arg]

    @property
    def rate(self) -> float:
        """eta of the coming round."""
        return self.kernel.eta

    @rate.setter
    def rate(self, eta: float) -> None:
        self.kernel.set_rate(eta)

    def see(self, x: Instance) -> tuple[float, float, Any]:
        """Return the odds, and the key of x for its coin."""
        odds = self.odds(x)
        return odds.p, odds.log_odds, self.concept_class.key(x)  # type: ignore[attr-defined]

    def take(self, x: Instance, label: int, cost: float) -> None:
        """Commit a round."""
        self.commit(x, label, cost)

    def forget_look(self) -> None:
        """Forget what was looked at since the last commit."""
        self.discard()

    def price(self) -> float:
        """Return ln(1 / prior mass) of the best path."""
        return -self.leader().log_prior

    def sequence_price(self, rule: float, rounds: int, switches: int = 0) -> float:
        """Return what a sequence with this many switches costs, if a rule costs at most this much."""
        return rule if self.drift is None else self.drift.price(rule, rounds, switches)

    def pooled(self) -> tuple[Concept, float, float, bool] | None:
        """Return the best rule for all segments, its loss, its price, is it the better part; None without segments."""
        return None

    def by_segment(self) -> list[tuple[str, str, float]]:
        """Return the segments, each with its best rule and the loss of that; none without segments."""
        return []

    def segments(self) -> int:
        """Return the number of segments so far."""
        return 0

    def exceeded(self) -> str:
        """Say what came that was not announced; empty if nothing did."""
        return ""

    def sequence_loss(self, switches: int) -> float | None:
        """Return the loss of the best sequence of rules with this many switches; None if it is not known."""
        return None if switches else self.best_loss

    def proven(self, price: float, best_loss: float | None) -> float:
        """Return the bound now on the regret to a rule or sequence of this price (and of this loss, if it is known)."""
        ledger = self.kernel.ledger
        rated = (price / ledger.last_rate if ledger.last_rate else math.inf) if price > 0.0 else 0.0
        return rated + float(ledger.excess)

    def share_out(self, share: float, lanes: int, spans: tuple[int, ...], room: int) -> list[Any]:
        """Let the kernel keep weights of sequences, with this share of the prior; return the kernels of all leaves."""
        raise UnsupportedCombination(
            f"drift= without review= needs one rate for {self.concept_class!r}; give "  # type: ignore[attr-defined]
            f'a positive number as rate=, or engine="paths" where there are few paths'
        )

    @abstractmethod
    def probability(self, x: Instance) -> float:
        """Return the share of the weight that says 1 at x; commits nothing, and asking again costs nothing."""

    def odds(self, x: Instance) -> Odds:
        """Return it with its log-odds (from the share, where an engine knows no better: enough at rates up to 4)."""
        p = self.probability(x)
        return Odds(p, math.log(p / (1.0 - p)) if 0.0 < p < 1.0 else math.copysign(math.inf, p - 0.5))

    @abstractmethod
    def commit(self, x: Instance, label: int, weight: float = 1) -> None:
        """Take over the round: x had this label, and an error costs this much."""

    @abstractmethod
    def rows(self) -> Rows:
        """Return the paths (may cost a scan; an engine that cannot list them overrides what is made of them below)."""

    def discard(self) -> None:
        """Forget what was looked at since the last commit."""

    @property
    def width(self) -> int:
        """Number of active paths |V_t|, kept or stood for."""
        return len(self.rows().losses)

    @property
    def best_loss(self) -> float:
        """L*: the least loss of a path."""
        return self.rows().best_loss

    def leader(self) -> Leader:
        """Return the best path (may cost a scan)."""
        return self.rows().leader()

    def log_potential(self) -> float:
        """Return ln sum_u pi(u) exp(-eta (L(u) - L*)), the mass before the first round being 1 (may cost a scan)."""
        return self.rows().log_potential(self.rate)

    def as_paths(self) -> Any:
        """Return the list of paths, where an engine keeps one."""
        raise InvalidArgument(f'the engine {self.kind!r} keeps no list of paths; build with engine="paths"')

    def rules_of(self, places: Sequence[int]) -> list[Concept]:
        """Return a concept of each of these paths, by their places among the rows."""
        raise InvalidArgument(f"the engine {self.kind!r} keeps no rules, so that it cannot name a best one")

    def best_rule(self) -> Concept:
        """Return a concept of a best path."""
        return self.rules_of([int(self.rows().losses.argmin())])[0]

    def rules_within(self, k: float, limit: int) -> NearRules:
        """Return a rule of every path whose loss is at most ``best_loss + k``, the best first, up to a limit."""
        losses = self.rows().losses
        places, more = nearest(losses, reach_of(self.best_loss, k, float(losses.max())), limit)
        rules = map(RankedRule, self.rules_of(places.tolist()), losses[places].tolist())
        return NearRules(rules, more or self.dropped != Dropped())

    def state(self) -> dict[str, Any]:
        """Return what :meth:`restore` needs, plain values and arrays: by default all attributes."""
        return {name: value for name, value in vars(self).items() if name not in ("queries", "kernel")}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state` returned."""
        vars(self).update(state)
