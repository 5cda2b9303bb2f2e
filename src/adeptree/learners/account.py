"""The account of a learner: answers, losses, regret and regret bounds."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from adeptree.core.arguments import LARGEST_LINE, check_number, check_size
from adeptree.core.compiled import kernel
from adeptree.core.display import card, line, pictures, standing
from adeptree.core.errors import HorizonReached, InvalidArgument, StateError, got
from adeptree.core.types import Concept, Instance
from adeptree.families.rule_values import Constant
from adeptree.learners.certificate import SELECTIVE, Certificate, certify
from adeptree.learners.guarantees import not_rounded_below
from adeptree.learners.tickets import OpenTickets
from adeptree.roles.concept_class import ConceptClass, check_class
from adeptree.roles.frontier import Queries
from adeptree.roles.near_rules import NearRules, RankedRule
from adeptree.theory import bounds
from adeptree.theory.losses import whole

if TYPE_CHECKING:
    from adeptree.roles.round_kernel import RoundKernel
    from adeptree.theory.ledger_kernel import Ledger
else:
    RoundKernel = kernel("adeptree.roles.round_kernel").RoundKernel
    Ledger = kernel("adeptree.theory.ledger_kernel").Ledger


EVEN: tuple[float, float] = (1, 1)
"""Costs of a miss and of a false alarm, by default."""


class Account(ABC):
    """Losses, regret and bounds; a learner overrides properties for which it has a better answer."""

    follows_best_loss: ClassVar[bool] = True
    """True if ``best_loss`` is free, so that a game may record it in every round."""

    endless: ClassVar[bool] = False
    """True if the learner can run without a horizon."""

    horizon: int | None
    """T: the number of rounds; None if it is not limited."""
    scale: float = 1
    """Largest cost of a round."""
    costs: tuple[float, float] = EVEN
    partial: bool = False
    """True if labels are seen only with a known probability: for reviewed cases, or if the learner asks."""
    no_guarantee: ClassVar[str] = "it has no such guarantee, or a label came late"
    """Reason why ``in_advance`` is None."""

    def __init__(self, concept_class: ConceptClass, horizon: int | None, seed: int) -> None:
        self.concept_class = self.rules = check_class(concept_class)
        self.horizon = None if horizon is None and self.endless else _checked_horizon(horizon)
        self._end = math.inf if self.horizon is None else self.horizon
        self.seed = check_size("seed", seed, at_least=0)
        self._ledger = Ledger()
        self._kernel = RoundKernel(self._ledger, 0)  # until the learner has a structure
        self.tickets = OpenTickets()
        """The open tickets: answers whose labels are pending."""
        self._queries = Queries()

    @property
    def ledger(self) -> Ledger:
        """The sums of the account; an error during a call of another thread or after an interrupted commit."""
        self._kernel.check()
        return self._ledger

    @property
    def rounds(self) -> int:
        """Number of labelled rounds."""
        return self.ledger.rounds

    @property
    def answered(self) -> int:
        """Number of answered rounds, labelled or pending."""
        return self.ledger.answered

    @property
    def expected_loss(self) -> float:
        """Expected loss so far: the sum of |p - y| times cost, with p as it was answered."""
        return self.ledger.expected_loss

    @property
    def realised_loss(self) -> float:
        """Loss of the drawn labels so far; a whole number as an int."""
        return whole(self.ledger.realised_loss)

    @property
    def variance(self) -> float:
        """Variance of the drawn loss: the sum of cost^2 p (1 - p) over the labelled rounds."""
        return self.ledger.variance

    @property
    def overlaps(self) -> int:
        """D: other labels that came between the answer and the label of a round, summed over all labelled rounds."""
        return self.ledger.overlaps

    @property
    def late(self) -> bool:
        """True if a round was ever answered while another label was pending."""
        return self.ledger.late

    @property
    def gap(self) -> float:
        """Delta: expected loss minus mix loss, both evaluated just before the labels came."""
        return self.ledger.gap

    @property
    def drift(self) -> float:
        """Cost of late labels: each round's loss as answered minus as of just before its label came."""
        return self.ledger.drift

    @property
    def last_rate(self) -> float:
        """eta of the last round played."""
        return self.ledger.last_rate

    @property
    def heaviest_round(self) -> float:
        """The largest cost of a round so far."""
        return self.ledger.heaviest

    @property
    def weighed(self) -> bool:
        """True if rounds have different weights."""
        return self.ledger.weighed

    def random_instance(self, rng: np.random.Generator) -> Instance:
        """Draw a random instance, to try the learner on."""
        return self.concept_class.random_instance(rng)

    @property
    def waiting(self) -> int:
        """Number of answers whose labels are pending."""
        return len(self.tickets) + self.tickets.given_up.number

    @property
    def ended(self) -> bool:
        """True if all rounds of the horizon have been answered; False without a horizon."""
        return self.horizon is not None and self.answered >= self.horizon

    @property
    def regret(self) -> float:
        """Expected regret so far, exactly: expected loss minus the best concept's loss."""
        with self._held(): return self.expected_loss - self.best_loss  # fmt: skip  # noqa: E701

    def _held(self) -> Any:
        """Return a context for reading several numbers, between which no other thread may change them."""
        return nullcontext() if self._kernel.inside() else self._kernel.turn()

    @property
    @abstractmethod
    def best_loss(self) -> float:
        """Loss so far of the best concept in hindsight; a whole number if all weights are."""

    @property
    def bound(self) -> float:
        """Proven bound on ``regret`` *now*, after the rounds so far, from the data seen; infinite if there is none."""
        return math.inf

    @property
    def in_advance(self) -> float | None:
        """Bound proven before the first round for *any* stream of the horizon's length (without one, of this length).

        None if there is no such bound.
        """
        return self.bound_after(self.length)

    @property
    def length(self) -> int:
        """Number of rounds that the guarantee in advance covers: the horizon, or all rounds so far."""
        return self.rounds + self.waiting if self.horizon is None else self.horizon

    def bound_after(self, rounds: int) -> float | None:
        """Return the bound, proven before the first round, on the regret after this many rounds of any stream."""
        return None

    def _proven(self, cost: float, regret: float) -> float:
        """Return the current bound on the regret to experts of this price: price / eta + Delta + drift."""
        price = cost / self.last_rate if cost else 0.0
        return not_rounded_below(regret, min(price + self.ledger.excess, self.rounds), self.rounds)

    def realised_bound(self, confidence: float = 0.95) -> float:
        """Return a bound on the *drawn* mistakes beyond the best rule's, valid at all times with this probability.

        With at least this probability ``realised_loss - best_loss`` never exceeds the bound, however long the stream,
        if x, y and the weight are chosen without knowledge of the coin. (Open answers count with their worst label.)
        """
        return min(self.regret + self._excess(confidence), self.rounds - self.best_loss)

    def _excess(self, confidence: float, scale: float = 1.0) -> float:
        check_number("confidence", confidence, "a number between 0 and 1, e.g. 0.95", lambda chance: 0 < chance < 1)
        waiting = self.tickets.expected()
        variance = self.variance + scale**2 * waiting.variance
        return bounds.excess(variance, 1 - confidence, scale) + scale * waiting.worst

    @property
    def queries(self) -> Queries:
        """Weak-consistency queries so far (calls of ERM, if the learner uses those)."""
        return self._queries

    @property
    def width(self) -> int:
        """Number of experts (paths, schedules, concepts) kept."""
        return 1

    def best_rule(self) -> Concept:
        """Return a concept with the fewest mistakes so far, without an oracle query."""
        raise InvalidArgument(f"{type(self).__name__} keeps no rules, so that it cannot name a best one")

    def rules_within(self, k: float, limit: int = 1000) -> NearRules:
        """Return all rules that lose at most ``best_loss + k``, if the learner keeps them."""
        raise InvalidArgument(f"{type(self).__name__} keeps no losses of rules, so that it cannot list them; use Adept")

    def certificate(self, confidence: float = 0.95) -> Certificate:
        """Return the learner's numbers and proven bounds; a note explains each missing number."""
        with self._held(): return certify(self, confidence)  # fmt: skip  # noqa: E701

    def grounds(self) -> dict[str, Any]:
        """Return the certificate's fields about the prior, the rate and the paths."""
        return {"in_advance_note": self.no_guarantee if self.in_advance is None else ""}

    def best_constant(self) -> RankedRule:
        """Return the better of "always 0" and "always 1", and its loss.

        Constants need not belong to the class, so a learner may beat its best rule and still lose to a constant.
        """
        lost = self.ledger.loss_of_zeros, self.ledger.loss_of_ones
        return RankedRule(Constant(int(lost[1] < lost[0])), whole(min(lost)))

    def plot(self, ax: Any = None) -> Any:
        """Plot the guarantee in advance against rounds, with the current regret and bound; return matplotlib's axes.

        Needs the extra ``plot``. A learner keeps no history: :meth:`adeptree.Transcript.plot` draws a game.
        """
        return pictures("account_plots").plot_account(self, ax)

    def _facts(self) -> dict[str, object]:
        """Return the entries of the notebook card. (A best loss that must be computed is left out.)"""
        rule, best_loss = None, None
        if self.follows_best_loss:
            best_loss = self.best_loss
            with suppress(InvalidArgument):
                rule = str(self.best_rule())
        stands = standing(self.rounds, self.expected_loss, rule, best_loss, self.bound, self.horizon)
        warning = {"warning": SELECTIVE.partition(":")[0]} if self.tickets.selective() else {}
        losses = {"losses": "estimates"} if self.partial else {}
        return {"class": repr(self.concept_class), **stands, **warning, **losses}

    def __repr__(self) -> str:
        try:
            return line(type(self).__name__, self._facts())
        except StateError as error:  # another call is running, or the learner is torn
            return line(type(self).__name__, {"not readable now": type(error).__name__})

    def _repr_html_(self) -> str:
        return card(type(self).__name__, self._facts())

    def _check_room(self, rounds: int) -> None:
        """Refuse a batch that goes past the horizon, before its first round."""
        if self.horizon is not None and self.answered + rounds > self.horizon:
            left = self.horizon - self.answered
            raise HorizonReached(
                f"{rounds} rounds are more than the {left} that are left of the horizon of {self.horizon}; none was "
                f"learnt: give fewer, or build a learner with a longer horizon, or with horizon=None, which has no end"
            )

    def _check_horizon(self) -> None:
        if self.ended:
            raise HorizonReached(
                f"all {self.horizon} rounds of the horizon have been answered; build a learner with a longer "
                f"horizon, or with horizon=None, which has no end"
            )


def _checked_horizon(horizon: Any) -> int:
    if isinstance(horizon, bool) or not isinstance(horizon, (int, np.integer)) or horizon < 1:
        raise InvalidArgument(f"horizon must be an int >= 1, the number of rounds T; {got('horizon', horizon)}")
    return check_size("horizon", int(horizon), at_most=LARGEST_LINE)
