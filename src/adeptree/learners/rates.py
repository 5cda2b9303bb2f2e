"""Learning rates: eta of the coming round, from what is over.

Every rule here never raises eta and looks only at the past, which is all that the regret proof asks of it
(``docs/anytime.md``). A rule says how long its present eta surely stays, so that engines can play
many rounds in one go.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from adeptree import bounds
from adeptree.errors import InvalidArgument, got
from adeptree.learners.mixture import first_order_rate

GRID = 1.05
"""Where a rate is kept on a grid, it changes when what it depends on has grown by 5 %."""


@dataclass(frozen=True)
class Seen:
    """What a rule may look at: all of it is over."""

    rounds: int
    best_loss: int
    gap: float
    """Delta: the sum of the mixability gaps, expected loss minus mix loss."""
    cost: Callable[[], float]
    """ln(1 / prior mass) of the best path; a scan, so it is a function."""


@dataclass(frozen=True)
class Stay:
    """How long a rate stays: it may change once one of these is reached."""

    rounds: float = math.inf
    best_loss: float = math.inf
    gap: float = math.inf


class RateRule(ABC):
    """eta as a function of the past."""

    name: ClassVar[str]

    def __init__(self) -> None:
        self.eta = 0.0
        self.stay = Stay()

    @abstractmethod
    def look(self, seen: Seen) -> None:
        """Set ``eta`` for the coming round and ``stay``; called once a limit is reached (or earlier)."""

    @abstractmethod
    def worst_case(self, T: int, cost: float, best_loss: int) -> float:
        """Return what is proven for T rounds of any stream, if the best path's prior costs at most ``cost``."""

    def state(self) -> dict[str, Any]:
        """Return what :meth:`restore` needs."""
        stay = self.stay
        return {"eta": self.eta, "stay": [stay.rounds, stay.best_loss, stay.gap]}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`state` returned."""
        self.eta, self.stay = state["eta"], Stay(*state["stay"])


class Constant(RateRule):
    """The same rate in every round: the paper's, or the user's number."""

    name = "constant"

    def __init__(self, eta: float) -> None:
        super().__init__()
        self.eta = eta

    def look(self, seen: Seen) -> None:
        """Nothing changes."""

    def worst_case(self, T: int, cost: float, best_loss: int) -> float:
        """cost / eta + eta T / 8."""
        if cost == 0.0:
            return 0.0
        return bounds.regret_at_rate(T, cost, self.eta) if self.eta else math.inf


class FirstOrder(RateRule):
    """Corollary "Instance-Dependent Bound": eta_t = min{1/2, sqrt(ln N / (L*_{t-1} + 1))}.

    ``grid`` keeps eta until L* + 1 has grown by 5 %: for engines that must rebuild when it changes.

    >>> rule = FirstOrder(log_experts=4.0)
    >>> rule.look(Seen(200, 99, 0.0, lambda: 0.0))
    >>> rule.eta, rule.stay.best_loss
    (0.2, 100)
    """

    name = "first-order"

    def __init__(self, log_experts: float, grid: bool = False) -> None:
        super().__init__()
        self.log_experts = log_experts
        self.grid = grid
        self.look(Seen(0, 0, 0.0, float))

    def look(self, seen: Seen) -> None:
        """Follow L*."""
        if self.grid and seen.best_loss < self.stay.best_loss and self.eta:
            return
        self.eta = first_order_rate(self.log_experts, seen.best_loss)
        step = math.ceil((seen.best_loss + 1) * GRID) - 1 if self.grid else 0
        self.stay = Stay(best_loss=max(seen.best_loss + 1, step))

    def worst_case(self, T: int, cost: float, best_loss: int) -> float:
        """The corollary's bound, with its constants."""
        return bounds.first_order_regret(best_loss, self.log_experts, self.grid)


class Anytime(RateRule):
    """eta_t = 2 sqrt(kappa_t / t) with kappa_t the KT prior's cost at M mistakes: good for all t at once.

    On a grid of t, so that eta changes at few rounds, known in advance.

    >>> rule = Anytime(M=8)
    >>> rule.look(Seen(999, 0, 0.0, float))
    >>> round(rule.eta, 3), rule.stay.rounds
    (0.451, 1049)
    """

    name = "anytime"

    def __init__(self, M: int) -> None:
        super().__init__()
        self.M = M
        self.look(Seen(0, 0, 0.0, float))

    def look(self, seen: Seen) -> None:
        """Set the rate of round t = rounds + 1, up to 5 % beyond."""
        if seen.rounds < self.stay.rounds < math.inf:
            return
        t = seen.rounds + 1
        self.eta = 2 * math.sqrt(bounds.kt_cost(t, self.M) / t)
        self.stay = Stay(rounds=max(t, math.floor(t * GRID) - 1))

    def worst_case(self, T: int, cost: float, best_loss: int) -> float:
        """sqrt(kappa_T T) (1 + sqrt(1.05)) / 2."""
        return bounds.anytime_regret(T, self.M)


class Adaptive(RateRule):
    """eta = 2 kappa / Delta on a 5 % grid: what was lost to mixing (Delta) is kept in balance with the prior's price.

    kappa is the largest ln(1/pi) that a best path had where the rate was looked at. Needs neither T nor M, and is
    fast on easy streams, where Delta stays small; the theorem and the measurements are in ``docs/anytime.md``. Where
    M is known, kappa is at least an eighth of what any path may cost, which makes the bound in advance sqrt(K t).

    >>> rule = Adaptive()
    >>> rule.eta, rule.stay.gap
    (4.0, 1.05)
    >>> rule.look(Seen(100, 20, 2.0, lambda: 3.5))
    >>> rule.eta, rule.kappa
    (3.5, 3.5)
    """

    name = "adaptive"
    FIRST = 4.0
    SHARE = 8

    def __init__(self, kappa: float = 2.0, M: int | None = None) -> None:
        super().__init__()
        self.M = M
        self.first_kappa = self.kappa = kappa
        self.eta = self.FIRST
        self._settle()

    def _settle(self) -> None:
        self.stay = Stay(gap=2 * GRID * self.kappa / self.eta)

    def look(self, seen: Seen) -> None:
        """Where Delta has outgrown the price, look at the price again, and lower eta to the balance."""
        if seen.gap < self.stay.gap:
            return
        dearest = 0.0 if self.M is None else bounds.kt_cost(seen.rounds, self.M)
        self.kappa = max(self.kappa, seen.cost(), dearest / self.SHARE)
        self.eta = min(self.eta, 2 * self.kappa / seen.gap)
        self._settle()

    def worst_case(self, T: int, cost: float, best_loss: int) -> float:
        """Of order sqrt(kappa T): see the bounds."""
        known = bounds.adaptive_regret(T, cost, self.first_kappa, self.kappa)
        return known if self.M is None else min(known, bounds.adaptive_regret_in_advance(T, self.M))

    def state(self) -> dict[str, Any]:
        """Return the price too."""
        return super().state() | {"kappa": self.kappa}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the price too."""
        super().restore(state)
        self.kappa = state["kappa"]


def check_rate(rate: str | float, names: tuple[str, ...]) -> str | float:
    """Return the rate if it is one of the names or a positive number."""
    if isinstance(rate, str) and rate in names:
        return rate
    if isinstance(rate, (int, float)) and not isinstance(rate, bool) and 0 < rate < math.inf:
        return float(rate)
    known = ", ".join(f'"{name}"' for name in names)
    raise InvalidArgument(f"rate must be one of {known} or a positive number; {got('rate', rate)}")
