"""Tracking a world that changes: fixed-share over ADEPT's paths (``docs/drift.md`` has the theorem and its proof).

Adept competes with one rule for the whole stream. Here every path keeps a float g instead of a loss: after each
round a share alpha of all the weight is dealt out again as in the prior, so that a path which was wrong for
long is back within a few rounds. A round costs time and memory of the order of (switches + 1) x paths.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adeptree.core.arguments import check_number, check_size
from adeptree.core.types import FloatArray, Instance
from adeptree.learners.guarantees import warn_if_weak
from adeptree.learners.rates import check_rate
from adeptree.research.sequence_learner import SequenceLearner
from adeptree.roles.concept_class import ConceptClass
from adeptree.theory import bounds
from adeptree.theory.mixture import log_sum


def switching_cost(T: int, switches: int, share: float) -> float:
    """ln of 1 / the prior probability of given rounds to switch at: S ln(1/alpha) + (T-1-S) ln(1/(1-alpha)).

    >>> switching_cost(100, 0, 0.0), round(switching_cost(100, 2, 2 / 99), 2)
    (0.0, 9.78)
    """
    S = min(switches, T - 1)
    if share == 0.0:
        return math.inf if S else 0.0
    return -S * math.log(share) - (T - 1 - S) * math.log1p(-share)


class Tracking(SequenceLearner):
    """Compete with every sequence of rules that changes at most ``switches`` times in ``horizon`` rounds.

    The expected regret so far to the best such sequence (``sequence_regret``) is at most ``bound``, and after T rounds
    of any stream at most ``in_advance``.

    Parameters
    ----------
    concept_class
        The rules to compete with.
    horizon
        T, the number of rounds.
    switches
        How often the best rule may change; 0 is Adept. A wrong number costs what ``bound_for`` says.
    base
        The realizable learner inside; by default the natural one of the class.
    prior
        "kt", which needs no mistake bound (without one nothing is promised in advance), or "paper".
    rate
        eta; by default tuned to the horizon and the switches.
    share
        alpha, the part of the weight that is shared out per round; by default tuned too.
    seed
        Seed of the random guesses.
    mistake_bound
        M, where the base learner does not know its own.

    Examples
    --------
    >>> from adeptree import Thresholds
    >>> learner = Tracking(Thresholds(16), horizon=200, switches=1)
    >>> for t in range(200):
    ...     x = 5 * t % 16
    ...     learner.learn(x, int(x >= (3 if t < 100 else 12)))
    >>> learner.sequence_losses  # of the best rule; of the best two, one after the other
    [55, 0]
    >>> learner.sequence_regret < learner.bound, str(learner.current_rule())
    (True, 'x >= 12')
    """

    kind = "tracking"

    def __init__(
        self,
        concept_class: ConceptClass,
        horizon: int,
        switches: int,
        base: Any = None,
        prior: str = "kt",
        rate: float | None = None,
        share: float | None = None,
        seed: int = 0,
        *,
        mistake_bound: int | None = None,
    ) -> None:
        super().__init__(concept_class, horizon, switches, base, prior, seed, mistake_bound)
        self._rounds_planned = check_size("horizon", horizon)
        if share is not None:
            check_number("share", share, "a number in [0, 1)", lambda part: 0 <= part < 1)
        self.share = self._tuned_share() if share is None else float(share)
        self.rate = float(check_rate(rate, ())) if rate is not None else self._tuned_rate()
        self.ledger.last_rate = self._eta = self.rate
        warn_if_weak(self, f"{self.switches} switches among so many rules")

    # --- The round ---------------------------------------------------------------------------------

    def _log_now(self, log_g: FloatArray) -> FloatArray:
        return log_g

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        now = self._expansion(x)
        wrong = now.extension.children.label != bool(label)
        # g <- (1 - alpha) g e^(-eta wrong) + alpha Z, all divided by Z so that nothing ever underflows.
        log_z = log_sum(now.log_weight - self.rate * wrong)
        log_g = self.log_g[now.extension.children.parent] - self.rate * wrong - log_z
        if self.share:
            log_g = np.logaddexp(math.log1p(-self.share) + log_g, math.log(self.share))
        self._enter(now, wrong)
        self.log_g = log_g

    # --- Account -----------------------------------------------------------------------------------

    def bound_for(self, switches: int) -> float:
        """Return what is proven now of the regret to sequences with another number of switches."""
        t = max(1, self.rounds)
        S = min(check_size("switches", switches, at_least=0), t - 1)
        cost = (S + 1) * self.rule_cost + switching_cost(t, S, self.share)
        if math.isinf(cost):
            return cost
        return min((cost / self.rate if cost else 0.0) + self.ledger.excess, self.rounds)

    def _promised(self, rounds: int, switches: int, price: float) -> float:
        cost = (switches + 1) * price + switching_cost(rounds, switches, self.share)
        return bounds.regret_at_rate(rounds, cost, self.rate) if cost else 0.0

    # --- Tuning and saving -------------------------------------------------------------------------

    def _tuned_share(self) -> float:
        # S/(T-1) makes given switching rounds likeliest; beyond one half nothing is gained.
        return min(0.5, self.switches / max(1, self._rounds_planned - 1))

    def _tuned_rate(self) -> float:
        T = self._rounds_planned
        S = min(self.switches, T - 1)
        # Where nothing is known the tuning takes M for 1; the bound does not depend on that guess.
        price = self.prior.price(T)
        known = bounds.kt_cost(T, 1) if price is None else price
        return bounds.tuned_rate(T, (S + 1) * known + switching_cost(T, S, self.share or self._tuned_share()))

    def settings(self) -> dict[str, Any]:
        """Return the arguments that rebuild this learner."""
        return super().settings() | {"rate": self.rate or None}
