"""Fixed share: rates and shares of the lanes, and the price of a sequence of rules (``docs/theory/drift.md``)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import FloatArray

RATES: FloatArray = np.array([15 / 16, *(0.25**i for i in range(1, 6))])
"""The rates 15/16, 1/4, 1/16, ..., 2^-10: up to V = 2^22 A, with A the price of a sequence, one is nearly optimal."""
RATE_PRICES: FloatArray = math.log(2) * np.array([1, 2, 3, 4, 5, 5])
"""ln(1 / prior mass) of each rate; large rates are best on short streams (``docs/evidence/thresholds.md``)."""
CURVES: FloatArray = (-np.log1p(-RATES) - RATES) / RATES**2
"""The least c of each eta with ln(1 + x) >= x - c x^2 for x >= -eta: 2.09, 0.61, 0.53, ... towards 1/2."""
SHARES = (1 / 8, 1 / 64, 1 / 512)
"""Constant shares, for switches that recur, in addition to 1/(t + 1)."""
SHARE_PRICES = (math.log(2), *(math.log(6),) * len(SHARES))
"""ln(1 / prior mass) of the share 1/(t + 1), and of each constant share."""
MANY = 10_000
"""Number of switches beyond which a sum over them is not worth its time."""
WINDOWS = (100, 300, 1000, 3000)
"""The windows of followers, in rounds, in addition to that of all rounds."""
FOLLOWED = 0.9
"""The followers' share of the prior; 0.5 costs more on short streams (``docs/evidence/thresholds.md``)."""


def last_round(birth: int) -> float:
    """Return the last round of a copy that begins after round ``birth``; the first copy, of birth 0, never ends.

    A copy lives for twice the largest power of 2 that divides its birth; by then another, which lives twice as long,
    has begun.

    >>> [last_round(birth) for birth in (0, 1, 2, 3, 4, 12)]
    [inf, 3, 6, 5, 12, 20]
    """
    return birth + 2 * (birth & -birth) if birth else math.inf


def restarts(switches: int, rounds: int) -> int:
    """Return the number of copies, besides the first, that can follow any sequence with this many switches.

    >>> [restarts(switches, 1024) for switches in (0, 1, 4)]
    [0, 11, 36]
    """
    return int(switches * (1 + math.log2(rounds / switches))) if switches else 0


def drift_of(value: object) -> bool | None:
    """Return True if there are followers; None without drift."""
    if value is False or value is None:
        return None
    if value is True or value == "sharing":
        return value is True
    raise InvalidArgument(f'drift must be True, False or "sharing" (without followers); {got("drift", value)}')


@dataclass(frozen=True)
class Drift:
    """The drift options: with or without followers, one lane at the learner's rate or all lanes."""

    followers: bool = True
    one_lane: bool = False
    unit: float = 1.0
    """Largest cost of a round."""
    restarts: bool = False
    """True if copies of a structure represent sequences."""
    inside: bool = False
    """True if this is the drift of a part: the price of its best rule then includes the price of not switching."""

    @property
    def spans(self) -> tuple[int, ...]:
        """The windows of followers; 0 is the window of all rounds."""
        return (0, *WINDOWS) if self.followers else ()

    @property
    def followed(self) -> float:
        """The followers' share of the prior."""
        return FOLLOWED if self.followers else 0.0

    def lanes(self) -> tuple[list[float], list[float], list[float]]:
        """Return rate, share (-1: 1/(t + 1)) and ln of the mass of each lane; a single lane has the learner's rate."""
        if self.one_lane:
            return [1.0], [-1.0], [0.0]
        logs = -np.add.outer(RATE_PRICES, SHARE_PRICES).ravel()
        return np.repeat(RATES, len(SHARE_PRICES)).tolist(), [-1.0, *SHARES] * len(RATES), logs.tolist()

    def price(self, rule: float, rounds: int, switches: int = 0) -> float:
        """Return an upper bound on ln(1 / prior mass) of a sequence with this many switches and rules of this price.

        The price of its rate is added in ``least``.

        >>> round(Drift(one_lane=True, followers=False).price(2.0, 100, 1), 3)  # two rules, ln 100 + ln 99
        13.2
        """
        t = max(1, rounds)
        m = min(switches, t - 1)
        m = min(restarts(m, t), t - 1) if self.restarts else m
        price = (m + 1) * (rule - math.log1p(-self.followed))
        falling = math.fsum(math.log(t - j) for j in range(m + 1)) if m < MANY else (m + 1) * math.log(t)
        if self.one_lane:
            return price + falling
        constant = [-m * math.log(share) - (t - 1 - m) * math.log1p(-share) for share in SHARES]
        return price + min(one + own for one, own in zip([falling, *constant], SHARE_PRICES, strict=True))

    def proven(self, price: float, best_loss: float | None, spread: float, beyond: FloatArray) -> float:
        """Return the current bound on the regret to a sequence of this price (and loss, if known).

        ``spread`` is the sum of max(l, 1 - l)^2 over the losses l; ``beyond`` holds, per rate, the sum of l - ln(1 +
        eta l)/eta.
        """
        most = CURVES * RATES * spread
        if best_loss is not None:
            most = np.minimum(most, beyond + CURVES * RATES * best_loss / self.unit)
        return self.unit * least(price, most)


def least(price: float, beyond: FloatArray) -> float:
    """Return the least of price / eta + beyond over the rates (Theorem 2 of ``docs/theory/drift.md``)."""
    return float(((price + RATE_PRICES) / RATES + beyond).min())


def in_advance(price: float, rounds: int) -> float:
    """Return the bound on the regret, in units, after any stream of this length."""
    return least(price, CURVES * RATES * rounds)
