"""Where a learner stands, and what is proven about it: numbers to act on. No oracle is asked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from adeptree import bounds
from adeptree.learners.engines.base import Leader
from adeptree.learners.rates import Constant

if TYPE_CHECKING:
    from adeptree.learners.adept_learner import Adept


@dataclass(frozen=True)
class Certificate:
    """The account of a learner at one moment. ``str()`` is a paragraph, ``dict()`` is for machines.

    >>> from adeptree import Adept, Thresholds
    >>> learner = Adept(Thresholds(16))
    >>> for x, y in [(3, 0), (12, 1), (8, 1), (5, 0)]:
    ...     learner.learn(x, y)
    >>> certificate = learner.certificate()
    >>> certificate.best_rule, certificate.best_loss, certificate.regret <= certificate.bound
    ('x >= 6', 0, True)
    >>> dict(certificate)["prior"]
    'kt'
    """

    rounds: int
    horizon: int | None
    expected_loss: float
    realised_loss: int
    best_rule: str
    best_loss: int
    regret: float
    """Expected loss minus the best rule's, exactly."""
    realised_regret: int
    bound: float
    """What is proven for ``regret`` now, from what was seen: ln(1/pi)/eta + Delta, pi the best path's prior mass."""
    worst_case: float
    """What the formula promises for any stream of this many rounds (of the horizon, if there is one)."""
    final_bound: float | None
    """With a horizon and a constant rate: the regret at the end will be at most this, whatever comes."""
    prior: str
    rate: str
    eta: float
    base: str
    mistake_bound: int | None
    mistakes: int
    """k*: what the base learner got wrong on the best path."""
    contested: int
    """n*: rounds of the best path at which both labels were realizable."""
    width: int
    engine: str
    asked: int
    posed: int
    inferred: int
    dropped_paths: int
    dropped_mass: float
    best_is_kept: bool | None
    """Whether the best kept path is surely a best one of the class: always, unless paths were dropped."""

    def keys(self) -> Iterator[str]:
        """Name the fields, so that ``dict(certificate)`` works."""
        return iter(asdict(self))

    def __getitem__(self, name: str) -> Any:
        return asdict(self)[name]

    def __str__(self) -> str:
        sentences = [self._so_far(), self._now(), self._later(), self._rests_on(), self._kept()]
        return " ".join(filter(None, sentences))

    def _so_far(self) -> str:
        return (
            f"After {_count(self.rounds, 'round')} the learner expects {self.expected_loss:,.2f} mistakes "
            f"({self.realised_loss:,} were drawn); the best rule, {self.best_rule}, makes {self.best_loss:,}; "
            f"so the regret is {self.regret:,.2f}, exactly."
        )

    def _now(self) -> str:
        scope = "any stream" if self.mistake_bound is not None else "any stream with a best path as likely a priori"
        return f"Proven from what was seen: at most {self.bound:,.2f}; for {scope}: at most {self.worst_case:,.2f}."

    def _later(self) -> str:
        if self.final_bound is None:
            return ""
        return f"After all {self.horizon:,} rounds it will be at most {self.final_bound:,.2f}, whatever comes."

    def _rests_on(self) -> str:
        M = "no mistake bound" if self.mistake_bound is None else f"mistake bound {self.mistake_bound}"
        return (
            f"This rests on the prior {self.prior!r}, the rate {self.rate!r} (now {self.eta:.4g}) and the base learner "
            f"{self.base} ({M}; {_count(self.mistakes, 'mistake')} in {_count(self.contested, 'contested round')} of "
            f"the best path). Width {self.width:,}; queries asked {self.asked:,}, posed {self.posed:,}."
        )

    def _kept(self) -> str:
        if not self.dropped_paths:
            return ""
        surely = (
            "the best rule is among the kept"
            if self.best_is_kept
            else "a dropped rule may be better than the best kept one"
        )
        return (
            f"{_count(self.dropped_paths, 'path')} with {self.dropped_mass:.3g} of the prior mass were dropped to keep "
            f"the width: the bounds hold against every rule whose path was kept; {surely}."
        )


def certify(learner: Adept) -> Certificate:
    """Return the certificate of a learner."""
    engine, leader, queries = learner.engine, learner.engine.leader(), learner.queries
    dropped = engine.dropped
    return Certificate(
        rounds=learner.rounds,
        horizon=learner.horizon,
        expected_loss=learner.expected_loss,
        realised_loss=learner.realised_loss,
        best_rule=str(learner.best_rule()),
        best_loss=leader.loss,
        regret=learner.expected_loss - leader.loss,
        realised_regret=learner.realised_loss - leader.loss,
        bound=bound_now(leader.log_prior, learner.last_rate, learner.gap),
        worst_case=worst_case(learner, leader),
        final_bound=final_bound(learner),
        prior=learner.prior.name,
        rate=str(learner.rate),
        eta=learner.learning_rate,
        base=type(learner.base).__name__,
        mistake_bound=learner.mistake_bound,
        mistakes=leader.mistakes,
        contested=leader.contested,
        width=engine.width,
        engine=engine.kind,
        asked=queries.asked,
        posed=queries.posed,
        inferred=queries.inferred,
        dropped_paths=dropped.paths,
        dropped_mass=dropped.mass,
        best_is_kept=dropped.least_loss is None or leader.loss <= dropped.least_loss,
    )


def bound_now(log_prior: float, eta: float, gap: float) -> float:
    """Theorem 1 of ``docs/anytime.md``: regret to a path <= ln(1/pi) / eta + Delta, at any non-increasing rate."""
    if log_prior == 0.0:
        return gap
    return -log_prior / eta + gap if eta else math.inf


def promised(learner: Adept) -> float:
    """Return the bound to compare the regret with: the worst case with a horizon, else what holds now."""
    leader = learner.engine.leader()
    if learner.horizon is None:
        return bound_now(leader.log_prior, learner.last_rate, learner.gap)
    return worst_case(learner, leader)


def worst_case(learner: Adept, leader: Leader) -> float:
    """Return what is promised for any stream: of the horizon, or without one of the rounds so far."""
    T, M = learner.rounds if learner.horizon is None else learner.horizon, learner.mistake_bound
    if learner.prior.name == "paper":
        if learner.rate == "paper":
            return bounds.regret(T, M or 0)
        return learner.rate_rule.worst_case(T, learner.prior.log_total, leader.loss)
    # Without M the bound is in terms of what the best path itself cost.
    cost = -leader.log_prior if M is None else bounds.kt_cost(T, M)
    return learner.rate_rule.worst_case(T, cost, leader.loss)


def final_bound(learner: Adept) -> float | None:
    """C2: U_t = regret + (ln Z_t + kappa)/eta + (T - t) eta/8 never grows, and bounds the final regret.

    kappa is what the best path's prior can cost at the end: ln N for the paper's prior.
    """
    T, M, eta = learner.horizon, learner.mistake_bound, learner.learning_rate
    if T is None or not isinstance(learner.rate_rule, Constant):
        return None
    if learner.prior.name == "paper":
        cost = learner.prior.log_total
    else:
        cost = bounds.kt_cost(T, T if M is None else M)
    if not eta:
        return 0.0
    return learner.regret + (learner.engine.log_potential() + cost) / eta + (T - learner.rounds) * eta / 8


def _count(n: int, thing: str) -> str:
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"
