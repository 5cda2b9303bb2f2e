"""The rounds of ADEPT on an engine: what is answered, charged and, if something is raised, undone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from adeptree.core.errors import InvalidArgument
from adeptree.core.types import Instance, label_of
from adeptree.learners import engine_choice as choosing
from adeptree.learners.adept import Paths
from adeptree.learners.mixing import Mixing
from adeptree.learners.rates import ConstantRate, RateRule, Seen
from adeptree.learners.retracing import Retrace
from adeptree.learners.tickets import Ticket
from adeptree.learners.whole_rounds import Mark
from adeptree.roles.engine import Engine, Odds, Problem
from adeptree.theory.losses import check_weight
from adeptree.theory.mixture import mixability_gap

EVEN: tuple[float, float] = (1, 1)
"""What a miss and a false alarm cost, unless somebody says otherwise."""


class RoundsOnEngine(Mixing):
    """One round after the other, at the rate of a rule, on the engine that is the best by then."""

    engine: Engine
    engine_choice: str
    rate_rule: RateRule
    problem: Problem
    """What the engine computes, at the start."""
    costs: tuple[float, float]
    heaviest_round: float
    """What a round has cost at most so far."""
    ticketed: bool
    """Whether it ever gave a ticket: then it stays with the engine that can."""
    weighed: bool
    """Whether rounds weigh different amounts."""
    _eta: float
    _trace: Retrace | None
    _watchful: bool

    def _problem_now(self) -> Problem:
        return replace(self.problem, rate=self.rate_rule.eta, plain=self.plain)

    @property
    def plain(self) -> bool:
        """Whether every round weighs 1 and is labelled at once: what compiled engines can do."""
        return not (self.weighed or self.late or self.ticketed) and self.scale == 1

    @property
    def paths(self) -> Paths:
        """The active paths themselves, where they are kept one by one."""
        if not isinstance(self.engine, Paths):
            raise InvalidArgument(f'the engine {self.engine.kind!r} keeps no list of paths; build with engine="paths"')
        return self.engine

    # (predict_proba and learn are OnlineLearner's, without the calls in between: a stream waits for them.)

    def predict_proba(self, x: Any) -> float:
        """Return the chance that the learner guesses 1 at x (not the chance that the label is 1). Commits nothing."""
        with self._lock: return self._looked_at(x)  # fmt: skip  # noqa: E701

    def _looked_at(self, x: Any) -> float:
        if self.answered >= self._end:
            self._check_horizon()
        instance = self.concept_class.instance(x)
        try:
            return self.engine.probability(instance)
        except BaseException:
            self._forget_look()
            raise

    def learn(self, x: Any, y: Any, weight: float = 1) -> None:
        """Commit a round: x had label y. Or settle a ticket of :meth:`answer`, given in place of x.

        It is all or nothing: whatever is raised, the learner is as before the call or as after it.
        """
        label = label_of(y)
        self._whole(self._learn_at, x, label, self._cost(label, weight))

    def _learn_at(self, x: Any, label: int, cost: float) -> None:
        if isinstance(x, Ticket):
            self._settle_ticket(self.tickets.find(x), label, cost)
            return
        if self.answered >= self._end:
            self._check_horizon()
        self._play(self.concept_class.instance(x), label, cost)

    def _parts(self) -> list[Any]:
        return [*super()._parts(), self.rate_rule, *self.engine.parts()]

    def _undo(self, mark: Mark) -> None:
        super()._undo(mark)
        trace = self._trace
        if trace is not None and trace.touched(self.rounds):
            self.engine = trace.again(self.engine, self.rounds, self._eta)
            trace.settled()

    def _forget_look(self) -> None:
        """After a look that was interrupted: what is kept of it may be another point's."""
        if self._trace is not None:
            try:
                self.engine.discard()
            finally:
                self.engine.discard()  # whatever is raised in the first

    def _play(self, x: Instance, label: int, cost: float) -> float:
        """Play a round whose label is there, and return the chance of guessing 1 that was answered."""
        odds = self._odds(x)
        guess = self._guess(x, odds.p)
        self._commit_at(x, label, cost)
        self._count_answer()
        self._charge(odds.p, guess, label, cost, odds.against(label))
        return odds.p

    def _odds(self, x: Instance) -> Odds:
        try:
            return self.engine.odds(x)
        except BaseException:
            self._forget_look()
            raise

    def _commit_at(self, x: Instance, label: int, cost: float) -> None:
        engine = self.engine
        if type(engine) is Paths:
            engine.commit(x, label, cost)
        else:
            self._trace.note(engine, self.rounds, x, label)  # type: ignore[union-attr]
            engine.commit(x, label)

    def _cost(self, label: int, weight: Any) -> float:
        """Return what a wrong guess costs in this round."""
        if type(weight) is int and weight == 1 and self.costs == EVEN:
            return 1
        cost = check_weight("weight times cost", check_weight("weight", weight) * self.costs[1 - label])
        if cost != 1 and type(self.engine) is not Paths:
            raise InvalidArgument(
                f"the engine {self.engine.kind!r} has taken over, which counts every round once; to give weights, "
                f'build the learner with max_weight= or engine="paths"'
            )
        return cost

    def answer(self, x: Any) -> Ticket:
        """Answer x now and be told its label later: the ticket holds the chance ``p`` and the drawn ``guess``.

        The round is charged at this p, whenever its label comes: ``learn(ticket, y)``, in any order, or never.
        """
        if not isinstance(self.engine, Paths):
            raise InvalidArgument(
                f"the engine {self.engine.kind!r} has taken over, which learns a label at once; to have labels late, "
                f'build the learner with engine="paths"'
            )
        return super().answer(x)

    def _open(self, ticket: Ticket, x: Instance) -> None:
        # The point enters the tree now, and its loss when the label comes: so the answer cannot drift by more than
        # the labels that come in between (docs/anytime.md, Theorem C).
        self.paths.open(ticket.id, x)
        self.ticketed = True
        super()._open(ticket, x)

    def _learn_answered(
        self, x: Instance, raw: Any, label: int, p: float, guess: int, overlaps: int, late: bool
    ) -> None:
        cost = self._cost(label, 1)
        now = self._odds(x)
        self._commit_at(x, label, cost)
        self._count_answer(overlaps, late)
        self.drift += cost * (now.p - p if label else p - now.p)
        self._charge(p, guess, label, cost, now.against(label), abs(now.p - label))

    def _settle_ticket(self, ticket: Ticket, label: int, cost: float) -> None:
        paths = self.paths
        now = paths.odds_of(ticket.id)
        paths.settle(ticket.id, label, cost)
        self.tickets.remove(ticket)
        self.overlaps += self.rounds - ticket.arrivals
        self.drift += cost * ((ticket.p - now.p) if not label else (now.p - ticket.p))
        self._charge(ticket.p, ticket.guess, label, cost, now.against(label), abs(now.p - label))

    def _charge(
        self, p: float, guess: int, label: int, cost: float, log_odds: float, loss: float | None = None
    ) -> None:
        """Count a labelled round: answered with p, and (if not the same) a loss and log-odds as of now."""
        answered = 1.0 - p if label else p
        self.rounds += 1
        self.expected_loss += cost * answered
        self.realised_loss += cost * (guess != label)
        self.variance += cost * cost * p * (1.0 - p)
        self.gap += mixability_gap(answered if loss is None else loss, log_odds, self._eta, cost)
        if cost != 1:
            self.weighed = True
        if cost > self.heaviest_round:
            self.heaviest_round = cost
        if self._watchful:
            self._move_on()

    def _probability(self, x: Instance, raw: Any) -> float:
        return self._odds(x).p

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        self._commit_at(x, label, 1)

    def _move_on(self) -> None:
        """After rounds at one rate: bring rate and engine up to date."""
        engine, rule, stay = self.engine, self.rate_rule, self.rate_rule.stay
        self.last_rate = self._eta
        lost, seen = self.gap + self.drift, self.answered + 2 * self.overlaps
        if lost >= stay.gap or seen >= stay.rounds or engine.best_loss >= stay.best_loss:
            rule.look(Seen(seen, engine.best_loss, lost, lambda: -engine.leader().log_prior))
        if self.heaviest_round > self.scale:
            rule.slow_down(self.heaviest_round)
        if rule.eta != self._eta:
            engine.rate = self._eta = rule.eta
        if type(engine) is Paths and self.engine_choice == "auto" and self.plain:
            self._go_on_with(choosing.outgrown(engine, self._problem_now))

    def _go_on_with(self, engine: Engine) -> None:
        """Take an engine, which must have the present rate."""
        self.engine, self._eta = engine, engine.rate
        self._trace = None if type(engine) is Paths else Retrace()
        # A constant rate and an engine that is never left need no look after every round.
        may_outgrow = type(engine) is Paths and self.engine_choice == "auto"
        self._watchful = may_outgrow or not isinstance(self.rate_rule, ConstantRate)

    def speculate(self, x: Any) -> float:
        """Return the chance of guessing 1 at x, also past the horizon (with no rounds to come)."""
        with self._lock:
            return self._probability(self.concept_class.instance(x), x)

    def discard(self) -> None:
        """Roll back: forget what was speculated since the last commit."""
        with self._lock:
            self.engine.discard()
