"""Tracking a world that changes: fixed-share over ADEPT's paths (``docs/drift.md`` has the theorem and its proof).

Adept competes with one rule for the whole stream. Here every path keeps a float g instead of a loss: after each
round a share alpha of all the weight is dealt out again as in the prior, so that a path which was wrong for
long is back within a few rounds. The cost a round is Adept's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from adeptree.core.arguments import LARGEST_SET, check_size
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import Concept, FloatArray, Instance, IntArray
from adeptree.families.registry import base_for
from adeptree.learners import choices
from adeptree.learners.adept import ActiveSet, Extension
from adeptree.learners.mixing import Mixing
from adeptree.learners.promises import not_rounded_below, warn_if_weak
from adeptree.learners.rates import check_rate
from adeptree.roles.base_learner import BaseLearner
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.engine import Odds
from adeptree.roles.frontier import Children, Queries
from adeptree.theory import bounds
from adeptree.theory.mixture import log_sum, odds_of_one


def switching_cost(T: int, switches: int, share: float) -> float:
    """ln of 1 / the prior probability of given rounds to switch at: S ln(1/alpha) + (T-1-S) ln(1/(1-alpha)).

    >>> switching_cost(100, 0, 0.0), round(switching_cost(100, 2, 2 / 99), 2)
    (0.0, 9.78)
    """
    S = min(switches, T - 1)
    if share == 0.0:
        return math.inf if S else 0.0
    return -S * math.log(share) - (T - 1 - S) * math.log1p(-share)


@dataclass(frozen=True)
class Expansion:
    """One round before its label: the next paths, their weights, and P(1)."""

    key: Any
    extension: Extension
    log_weight: FloatArray
    odds: Odds


class Tracking(Mixing):
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
        Of the guesses.
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
        super().__init__(concept_class, horizon, seed)
        self._rounds_planned = check_size("horizon", horizon)
        self.switches = check_size("switches", switches, at_least=0, at_most=LARGEST_SET)
        self.base: BaseLearner = base_for(base, concept_class)
        self._base_given = base is not None
        self.mistake_bound = choices.mistake_bound(mistake_bound, self.base, concept_class)
        self.tree = ActiveSet(concept_class, self.base, self.mistake_bound)
        choices.one_of("prior", prior, ("paper", "kt"))
        self.prior = choices.prior(
            prior, self._rounds_planned, self.mistake_bound, self.base, concept_class, self.tree.frontier
        )
        self.share = _fraction("share", share) if share is not None else self._tuned_share()
        self.rate = float(check_rate(rate, ())) if rate is not None else self._tuned_rate()
        self.last_rate = self.rate
        self.log_g: FloatArray = np.zeros(1, dtype=np.float64)
        """ln g of every path: its posterior over its prior, up to a common factor."""
        self.losses: IntArray = np.zeros((self.switches + 1, 1), dtype=np.int64)
        """Row s: the least loss of a sequence with at most s switches that now follows the path."""
        self._pending: Expansion | None = None
        warn_if_weak(self, f"{self.switches} switches among so many rules")

    def _parts(self) -> list[Any]:
        return [*super()._parts(), *self.tree.parts()]

    # --- The round ---------------------------------------------------------------------------------

    def _expand(self, x: Instance) -> Expansion:
        extension = self.tree.extend(x)
        children = extension.children
        mass = self.prior.log_mass(self.rounds + 1, extension.mistakes, extension.contested) - self.prior.log_total
        weight = mass + self.log_g[children.parent]
        return Expansion(self.concept_class.key(x), extension, weight, Odds(*odds_of_one(weight, children.label)))

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        now = self._expansion(x)
        children = now.extension.children
        wrong = children.label != bool(label)
        self.tree.enter(children, now.extension.mistakes, now.extension.contested)
        # g <- (1 - alpha) g e^(-eta wrong) + alpha Z, all divided by Z so that nothing ever underflows.
        log_z = log_sum(now.log_weight - self.rate * wrong)
        self.log_g = self.log_g[children.parent] - self.rate * wrong - log_z
        if self.share:
            self.log_g = np.logaddexp(math.log1p(-self.share) + self.log_g, math.log(self.share))
        self._follow_sequences(children, wrong)
        self._mixed(now.odds, self.rate)
        self._pending = None

    def _follow_sequences(self, children: Children, wrong: Any) -> None:
        # Viterbi: whoever switches at this round comes from the best of those with one switch less.
        before = self.losses.min(axis=1)
        losses = np.concatenate([self.losses[:1], np.minimum(self.losses[1:], before[:-1, np.newaxis])])
        self.losses = losses[:, children.parent] + wrong

    def _expansion(self, x: Instance) -> Expansion:
        if self._pending is None or self._pending.key != self.concept_class.key(x):
            self._pending = self._expand(x)
        return self._pending

    def _probability(self, x: Instance, raw: Any) -> float:
        return self._expansion(x).odds.p

    # --- Account -----------------------------------------------------------------------------------

    @property
    def sequence_losses(self) -> list[int]:
        """For s = 0..switches: the loss so far of the best sequence of rules with at most s switches, exactly."""
        return [int(loss) for loss in self.losses.min(axis=1)]

    @property
    def sequence_regret(self) -> float:
        """Expected regret so far to the best sequence with at most ``switches`` switches, exactly."""
        return self.expected_loss - self.sequence_losses[-1]

    @property
    def best_loss(self) -> int:
        """Loss of the best single rule in hindsight."""
        return int(self.losses[0].min())

    @property
    def bound(self) -> float:
        """What is proven of ``sequence_regret`` now, and so of ``regret`` too."""
        return not_rounded_below(self.sequence_regret, self.bound_for(self.switches), self.rounds)

    def bound_for(self, switches: int) -> float:
        """Return what is proven now of the regret to sequences with another number of switches."""
        t = max(1, self.rounds)
        S = min(check_size("switches", switches, at_least=0), t - 1)
        cost = (S + 1) * self.rule_cost + switching_cost(t, S, self.share)
        if math.isinf(cost):
            return cost
        return min((cost / self.rate if cost else 0.0) + self.gap + self.drift, self.rounds)

    def bound_after(self, rounds: int) -> float | None:
        """Return what is proven in advance of ``sequence_regret`` after so many rounds of any stream."""
        if not check_size("rounds", rounds, at_least=0):
            return 0.0
        price = self.prior.price(rounds)
        if price is None or self.late or rounds > self._end:
            return None
        S = min(self.switches, max(0, rounds - 1))
        cost = (S + 1) * price + switching_cost(rounds, S, self.share)
        return min(bounds.regret_at_rate(rounds, cost, self.rate), float(rounds)) if cost else 0.0

    @property
    def rule_cost(self) -> float:
        """ln(1 / prior mass) of a rule at most: ln N, or with "kt" that of the lightest path there is now."""
        if not self.prior.settled:
            return self.prior.log_total
        return float(-self._masses().min())

    @property
    def width(self) -> int:
        """Number of active paths."""
        return self.tree.width

    @property
    def queries(self) -> Queries:
        """Queries asked, posed and inferred so far."""
        return self.tree.frontier.queries

    def best_rule(self) -> Concept:
        """Return a rule with the fewest mistakes over the whole stream."""
        return self.tree.frontier.concept(int(self.losses[0].argmin()))

    def current_rule(self) -> Concept:
        """Return a rule of the path that weighs most now."""
        return self.tree.frontier.concept(int((self._masses() + self.log_g).argmax()))

    def _masses(self) -> FloatArray:
        return self.prior.log_mass(self.rounds, self.tree.mistakes, self.tree.contested)

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

    def _state(self) -> dict[str, Any]:
        kept = {name: getattr(self, name) for name in ("log_g", "losses", "gap", "drift")}
        return kept | self.tree.rows_state()

    def _restore(self, state: dict[str, Any]) -> None:
        self.log_g, self.losses = state["log_g"], state["losses"]
        self.gap, self.drift = state.get("gap", 0.0), state.get("drift", 0.0)
        self.tree.restore_rows(len(self.log_g), state)

    def take_over(self, saved: dict[str, Any]) -> None:
        """Continue from a saved file's contents."""
        super().take_over(saved)
        self.tree.rounds = self.rounds + len(self.tickets)
        if "gap" not in saved["learnt"]:  # files of the first edition: eta / 8 per round is what it is at most
            self.gap = self.rate * self.rounds / 8


def _fraction(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1:
        raise InvalidArgument(f"{name} must be a number in [0, 1); {got(name, value)}")
    return float(value)
