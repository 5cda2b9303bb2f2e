"""Learning rates: eta for the next round, computed from past rounds.

A rule never raises eta and uses past rounds only; the regret proof needs no more (``docs/theory/anytime.md``). A rule
also states how long its current eta stays, so that engines can play many rounds in one call.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from adeptree.core.errors import InvalidArgument, got
from adeptree.theory import bounds, sharing
from adeptree.theory.mixture import first_order_rate

GRID = 1.05
"""Step of rates on a grid: a rate changes when the quantity it depends on has grown by 5 %.

The theorems of ``docs/theory/anytime.md`` account for this."""


@dataclass(frozen=True)
class Seen:
    """The data that a rate rule may use: past rounds only."""

    rounds: int
    """Rounds answered (plus twice the overlaps, if labels come late)."""
    best_loss: float
    gap: float
    """Lambda = Delta + drift: the cost of mixing and of late labels so far."""
    cost: Callable[[], float]
    """Function that returns ln(1 / prior mass) of the best path, which may cost a scan."""


@dataclass(frozen=True)
class Stay:
    """The limits of a rate: it may change once one of these is reached."""

    rounds: float = math.inf
    best_loss: float = math.inf
    gap: float = math.inf


class RateRule(ABC):
    """eta as a function of the past."""

    name: ClassVar[str]
    weighs: ClassVar[bool] = True
    """True if the guarantee in advance covers rounds of different weights."""

    def __init__(self) -> None:
        self.eta = 0.0
        self.stay = Stay()

    @abstractmethod
    def look(self, seen: Seen) -> None:
        """Set ``eta`` for the coming round and ``stay``; called once a limit is reached (or earlier)."""

    @abstractmethod
    def in_advance(self, T: int, price: float, scale: float = 1.0) -> float | None:
        """Return the bound for any stream of T rounds with weights up to ``scale``; None if there is none.

        ``price`` is K_T, the largest price of a path. Labels come at once.
        """

    def given_best_loss(self, best_loss: float) -> float:
        """Return the bound for streams of any length whose best rule loses at most this."""
        return math.inf

    def slow_down(self, scale: float) -> None:
        """Adapt to a round that may weigh this much; most rules do nothing."""

    def state(self) -> dict[str, Any]:
        """Return what :meth:`restore` needs."""
        stay = self.stay
        return {"eta": self.eta, "stay": [stay.rounds, stay.best_loss, stay.gap]}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what :meth:`state` returned."""
        self.eta, self.stay = state["eta"], Stay(*state["stay"])


class ConstantRate(RateRule):
    """The same rate in every round: the paper's, or the user's number."""

    name = "constant"

    def __init__(self, eta: float) -> None:
        super().__init__()
        self.eta = eta

    def look(self, seen: Seen) -> None:
        """Do nothing: the rate is constant."""

    def in_advance(self, T: int, price: float, scale: float = 1.0) -> float | None:
        """Return price / eta + eta T scale^2 / 8."""
        if price == 0.0:
            return 0.0
        return bounds.regret_at_rate(T, price, self.eta, scale) if self.eta else None


class ReviewRate(ConstantRate):
    """A constant rate at which three actions cost at most the mix loss (Theorem R of ``docs/theory/decide.md``)."""

    name = "review"

    def in_advance(self, T: int, price: float, scale: float = 1.0) -> float | None:
        """Return price / eta, without a term that grows with T."""
        return price / self.eta


class ReviewedRate(RateRule):
    """The rate for labels of reviewed rounds only (Theorem S): sqrt(K eta* / (c t)), t the horizon or the round."""

    name = "reviewed"

    def __init__(self, best: float, review: float, price: Callable[[int], float | None], horizon: int | None) -> None:
        super().__init__()
        self.best, self.review, self.price, self.horizon = best, review, price, horizon
        self.look(Seen(0, 0, 0.0, float))

    def look(self, seen: Seen) -> None:
        """Set the rate of the coming rounds."""
        if seen.rounds < self.stay.rounds < math.inf or (self.horizon is not None and self.eta):
            return
        t = self.horizon or seen.rounds + 1
        eta = min(self.best, math.sqrt((self.price(t) or 0.0) * self.best / (self.review * t)))
        self.eta = min(self.eta, eta) if self.eta else eta
        if self.horizon is None:
            self.stay = Stay(rounds=max(t, math.floor(t * GRID) - 1))

    def in_advance(self, T: int, price: float, scale: float = 1.0) -> float | None:
        """Return 2 sqrt(c K T / eta*) with a horizon, 3.05 times sqrt(c K T / eta*) without; more for few rounds."""
        root = math.sqrt(self.review * price * T / self.best)
        if self.horizon is not None:
            return price / self.eta + T * self.review * self.eta / self.best
        return max(price / self.best, root) + 2 * math.sqrt(GRID) * root


class LanesRate(ConstantRate):
    """Many rates in parallel, each with separate weights (Theorem 2 of ``docs/theory/drift.md``), so none is tuned."""

    name = "lanes"

    def in_advance(self, T: int, price: float, scale: float = 1.0) -> float | None:
        """Return the least price / eta + c eta T over the rates."""
        return scale * sharing.in_advance(price, T)


class FirstOrder(RateRule):
    """Corollary "Instance-Dependent Bound": eta_t = min{1/2, sqrt(ln N / (L*_{t-1} + 1))}.

    ``grid`` keeps eta until L* + 1 has grown by 5 %, for engines that must rebuild when it changes.

    >>> rule = FirstOrder(log_experts=4.0)
    >>> rule.look(Seen(200, 99, 0.0, lambda: 0.0))
    >>> rule.eta, rule.stay.best_loss
    (0.2, 100)
    """

    name = "first-order"
    weighs = False  # the proof counts whole mistakes

    def __init__(self, log_experts: float, grid: bool = False) -> None:
        super().__init__()
        self.log_experts = log_experts
        self.grid = grid
        self.look(Seen(0, 0, 0.0, float))

    def look(self, seen: Seen) -> None:
        """Set the rate from L*."""
        if self.grid and seen.best_loss < self.stay.best_loss and self.eta:
            return
        self.eta = first_order_rate(self.log_experts, seen.best_loss)
        step = math.ceil((seen.best_loss + 1) * GRID) - 1 if self.grid else 0
        self.stay = Stay(best_loss=max(seen.best_loss + 1, step))

    def in_advance(self, T: int, price: float, scale: float = 1.0) -> float | None:
        """Return the corollary's bound at the worst L*; the regret is also at most T - L*."""
        if scale != 1.0 or price > self.log_experts:
            return None
        return bounds.first_order_regret_in_advance(T, self.log_experts, self.grid)

    def given_best_loss(self, best_loss: float) -> float:
        """Return the corollary's bound, with its constants."""
        return bounds.first_order_regret(best_loss, self.log_experts, self.grid)


class Anytime(RateRule):
    """eta_t = 2 sqrt(K_t / t) / scale, where K_t is the largest price of a path: valid for all t at once.

    It is computed on a grid of t, so that eta changes in few rounds, which are known in advance.

    >>> rule = Anytime(lambda t: bounds.kt_cost(t, 8))
    >>> rule.look(Seen(999, 0, 0.0, float))
    >>> round(rule.eta, 3), rule.stay.rounds
    (0.451, 1049)
    """

    name = "anytime"

    def __init__(self, price: Callable[[int], float | None], scale: float = 1.0) -> None:
        super().__init__()
        self.price, self.scale = price, scale
        self.look(Seen(0, 0, 0.0, float))

    def look(self, seen: Seen) -> None:
        """Set the rate of round t = rounds + 1, up to 5 % beyond."""
        if seen.rounds < self.stay.rounds < math.inf:
            return
        t = seen.rounds + 1
        price = self.price(t)
        if price is not None:  # past a horizon there is no price, and the rate stays
            self.eta = 2 * math.sqrt(price / t) / self.scale
        self.stay = Stay(rounds=max(t, math.floor(t * GRID) - 1))

    def in_advance(self, T: int, price: float, scale: float = 1.0) -> float | None:
        """Return sqrt(K_T T) (1 + sqrt(1.05)) / 2."""
        return scale * bounds.anytime_regret(T, price)


def unknown_price(t: int) -> float | None:
    """Return None: the largest price of a path is not known."""
    return None


class Adaptive(RateRule):
    """eta = 2 kappa / Lambda on a 5 % grid, which balances the cost of mixing with the prior's price.

    kappa is the largest ln(1/pi) of a best path at the times when the rate was examined. If the largest price of a path
    (K_t) is known, kappa is at least ``floor``/2 times K_t, which makes the bound in advance sqrt(K t). The rule needs
    neither T nor M, and its rate stays large on easy streams, where Lambda stays small. ``docs/theory/anytime.md`` has
    the theorem, and ``docs/evidence/regret.md`` the measurements behind 2 kappa and the start at 4.

    >>> rule = Adaptive()
    >>> rule.eta, rule.stay.gap
    (4.0, 1.05)
    >>> rule.look(Seen(100, 20, 2.0, lambda: 3.5))
    >>> rule.eta, rule.kappa
    (3.5, 3.5)
    """

    name = "adaptive"
    FIRST = 4.0

    def __init__(
        self,
        kappa: float = 2.0,
        price: Callable[[int], float | None] = unknown_price,
        floor: float = 0.25,
        scale: float = 1.0,
    ) -> None:
        super().__init__()
        self.price, self.floor = price, floor
        self.kappa = kappa
        self._settle(self.FIRST / scale)

    def _settle(self, eta: float) -> None:
        """Set the rate and its limit together: an interrupt in between would leave the limit of another rate."""
        self.eta, self.stay = eta, Stay(gap=2 * GRID * self.kappa / eta)

    def look(self, seen: Seen) -> None:
        """Examine the price again once Lambda has outgrown it, and lower eta to the balance."""
        if seen.gap < self.stay.gap:
            return
        dearest = self.price(seen.rounds) or 0.0
        self.kappa = max(self.kappa, seen.cost(), dearest * self.floor / 2)
        self._settle(min(self.eta, 2 * self.kappa / seen.gap))

    def slow_down(self, scale: float) -> None:
        """Lower the first rate to at most 4 / scale."""
        if self.eta * scale > self.FIRST:
            self._settle(self.FIRST / scale)

    def in_advance(self, T: int, price: float, scale: float = 1.0) -> float | None:
        """Return 1.087 sqrt(K T) + K/8 + 1/2, with other constants for other floors."""
        return scale * bounds.adaptive_regret_in_advance(T, price, self.floor)

    def state(self) -> dict[str, Any]:
        """Return the state with the price."""
        return super().state() | {"kappa": self.kappa}

    def restore(self, state: dict[str, Any]) -> None:
        """Restore the state with the price."""
        super().restore(state)
        self.kappa = state["kappa"]


def check_rate(rate: str | float, names: tuple[str, ...]) -> str | float:
    """Return the rate if it is one of the names or a positive number."""
    if isinstance(rate, str) and rate in names:
        return rate
    if isinstance(rate, (int, float)) and not isinstance(rate, bool) and 0 < rate <= 1e300:
        return float(rate)
    known = ", ".join(f'"{name}"' for name in names)
    raise InvalidArgument(f"rate must be one of {known} or a positive number; {got('rate', rate)}")
