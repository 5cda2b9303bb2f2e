"""Tracking without a horizon and without a number of switches: a mixture over rates (``docs/drift.md``, Theorem 2).

Every path has a g for each rate and each way to share, multiplied by 1 + eta r, r being how much better than the
learner the path did; then a share is dealt out again. With many switches a large rate and large shares win.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adeptree.core.arguments import check_size
from adeptree.core.declared_state import need
from adeptree.core.types import FloatArray, Instance
from adeptree.learners.guarantees import warn_if_weak
from adeptree.research.sequence_learner import SequenceLearner
from adeptree.research.tracking import switching_cost
from adeptree.roles.concept_class import ConceptClass

RATES: FloatArray = np.array([15 / 16, *(0.25**i for i in range(1, 6))])
"""15/16, 1/4, 1/16, ..., 2^-10: up to V = 2^22 A, A being the cost of a sequence, one of them is near the best."""
CURVES: FloatArray = (-np.log1p(-RATES) - RATES) / RATES**2
"""The least c of each eta with ln(1 + x) >= x - c x^2 for x >= -eta: 2.09, 0.61, 0.53, ... towards 1/2."""
SHARES = (1 / 8, 1 / 64, 1 / 512)
"""Shares that stay, beside 1/(t + 1): those are for switches that come again and again."""
EACH: FloatArray = np.repeat(RATES, len(SHARES) + 1)[:, np.newaxis]
"""The rate of each g of a path."""


def shares(t: int) -> FloatArray:
    """Return the share of each g of a path after round t.

    >>> shares(9)[:4, 0].tolist()
    [0.1, 0.125, 0.015625, 0.001953125]
    """
    return np.tile([1.0 / (t + 1), *SHARES], len(RATES))[:, np.newaxis]


def sharing_cost(t: int, switches: int) -> float:
    """ln of 1 / the prior probability of rounds to switch at, at most, in the best way to share.

    >>> round(math.exp(sharing_cost(5, 0)), 3), round(math.exp(sharing_cost(5, 2)), 9)
    (1.008, 60.0)
    """
    falling = math.log(t) + math.lgamma(t) - math.lgamma(t - switches)
    return min(falling, *(switching_cost(t, switches, share) for share in SHARES))


class TrackingAnytime(SequenceLearner):
    """Compete with every sequence of rules, however often it changes, on a stream of any length.

    :class:`Tracking` is told the number of rounds and of switches; this one needs neither, and its regret to a sequence
    with m switches is of the order sqrt(m T ln T) for all m and T at once: ``bound_for(m)`` says what is proven now.

    Parameters
    ----------
    concept_class
        The rules to compete with.
    switches
        Up to how many switches the best sequences are followed, for ``sequence_losses``, ``sequence_regret`` and
        ``bound``. Predictions do not depend on it.
    base
        The realizable learner inside; by default the natural one of the class.
    seed
        Seed of the random guesses.
    horizon
        The number of rounds, if there is to be an end; nothing is tuned to it.
    mistake_bound
        M, where the base learner does not know its own.

    Examples
    --------
    >>> from adeptree import Thresholds
    >>> learner = TrackingAnytime(Thresholds(16), switches=1)
    >>> for t in range(400):
    ...     x = 5 * t % 16
    ...     learner.learn(x, int(x >= (3 if t < 200 else 12)))
    >>> learner.sequence_losses  # of the best rule; of the best two, one after the other
    [112, 0]
    >>> learner.sequence_regret < learner.bound < learner.bound_for(5), str(learner.current_rule())
    (True, 'x >= 12')
    """

    kind = "tracking-anytime"
    endless = True

    def __init__(
        self,
        concept_class: ConceptClass,
        switches: int = 3,
        base: Any = None,
        seed: int = 0,
        *,
        horizon: int | None = None,
        mistake_bound: int | None = None,
    ) -> None:
        super().__init__(concept_class, horizon, switches, base, "kt", seed, mistake_bound)
        self.log_g = np.zeros((len(EACH), 1), dtype=np.float64)
        self.excess: FloatArray = np.zeros(len(RATES))
        """For each eta, the sum of l - ln(1 + eta l) / eta, l being the loss of a round as its label came."""
        self.spread = 0.0
        """The sum of the squares of the larger of l and 1 - l."""
        if horizon is not None:
            warn_if_weak(self, f"{self.switches} switches among so many rules")

    def _log_now(self, log_g: FloatArray) -> FloatArray:
        """Return ln of the sum of eta g: with these weights the mean of eta r is 0."""
        mixed: FloatArray = np.logaddexp.reduce(log_g + np.log(EACH), axis=0)
        return mixed

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        now = self._expansion(x)
        wrong = now.extension.children.label != bool(label)
        loss = abs(now.odds.p - label)
        gain = EACH * np.where(wrong, loss - 1.0, loss)
        change = np.log1p(gain)
        log_z = np.logaddexp.reduce(now.log_weight + change, axis=1, keepdims=True)
        share = shares(self.rounds + 1)
        log_g = self.log_g[:, now.extension.children.parent] + change
        log_g = np.logaddexp(np.log1p(-share) + log_g, np.log(share) + log_z)
        self._enter(now, wrong)
        self.log_g = log_g
        self.excess = self.excess + loss - np.log1p(RATES * loss) / RATES
        self.spread += max(loss, 1.0 - loss) ** 2

    def bound_for(self, switches: int) -> float:
        """Return what is proven now of the regret to sequences with so many switches."""
        t = max(1, self.rounds)
        m = min(check_size("switches", switches, at_least=0), t - 1)
        beyond = CURVES * RATES * self.spread
        if m <= self.switches:
            beyond = np.minimum(beyond, self.excess + CURVES * RATES * self.sequence_losses[m])
        return min(_least((m + 1) * self.rule_cost + sharing_cost(t, m), beyond) + self.drift, self.rounds)

    def _promised(self, rounds: int, switches: int, price: float) -> float:
        return _least((switches + 1) * price + sharing_cost(rounds, switches), CURVES * RATES * rounds)

    def _state(self) -> dict[str, Any]:
        return super()._state() | {"excess": self.excess, "spread": self.spread}

    def _restore(self, state: dict[str, Any]) -> None:
        super()._restore(state)
        self.excess, self.spread = state["excess"], state["spread"]
        need(self.excess.shape == RATES.shape and (self.excess >= 0).all(), "excess")


def _least(cost: float, beyond: FloatArray) -> float:
    """Return the least of A / eta + what comes beyond it over the rates, A with the price of choosing among all g."""
    return float(((cost + math.log(len(EACH))) / RATES + beyond).min())
