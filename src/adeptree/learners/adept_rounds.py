"""The rounds of ADEPT on an engine: what is answered, charged and, if something is raised, undone.

On a compiled kernel a round is one call, which nothing interrupts; whatever is raised after it leaves a whole round,
and what is then still to do (the rate) is done before the next one. The paths, and kernels that are interpreted, go
the way of all learners: marked before, and undone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

from adeptree.core.errors import InvalidArgument, PromiseEnded
from adeptree.core.types import Instance, label_of
from adeptree.learners.adept import Paths
from adeptree.learners.given import PLAIN, one
from adeptree.learners.online_learner import OnlineLearner
from adeptree.learners.rates import ConstantRate, RateRule, Seen
from adeptree.learners.retracing import Retrace
from adeptree.learners.tickets import Ticket
from adeptree.learners.whole_rounds import Mark, Result
from adeptree.roles.engine import Engine, Odds, Problem
from adeptree.roles.kernel_engine import KernelEngine
from adeptree.theory.losses import check_cost

EVEN: tuple[float, float] = (1, 1)
"""What a miss and a false alarm cost, unless somebody says otherwise."""


ONE: float = 1
"""What a round weighs, unless somebody says otherwise."""


def not_plain(*arguments: Any) -> float:
    """Leave a round to the way that takes all kinds: there is no kernel for it."""
    return -1.0


class RoundsOnEngine(OnlineLearner):
    """One round after the other, at the rate of a rule, on the engine that the family has for it."""

    engine: Engine
    engine_choice: str
    rate_rule: RateRule
    problem: Problem
    """What the engine computes."""
    costs: tuple[float, float]
    _trace: Retrace | None
    _watchful: bool
    _rounds_at_once: Any
    _looks_at_once: Any

    @property
    def plain(self) -> bool:
        """Whether every round weighs 1 and is labelled at once."""
        return not (self.weighed or self.late or self.waiting) and self.scale == 1

    @property
    def paths(self) -> Paths:
        """The active paths themselves, where they are kept one by one."""
        if not isinstance(self.engine, Paths):
            raise InvalidArgument(f'the engine {self.engine.kind!r} keeps no list of paths; build with engine="paths"')
        return self.engine

    def predict_proba(self, x: Any) -> float:
        """Return the chance that the learner guesses 1 at x (not the chance that the label is 1). Commits nothing."""
        p: float = self._looks_at_once(x)
        if p >= 0.0:
            return p
        with self._lock: return self._looks(self._looked_at, x)  # fmt: skip  # noqa: E701

    def _looks(self, look: Callable[[Any], Result], given: Any) -> Result:
        """Look at points: a look, too, changes an interpreted kernel, which is made again if it is interrupted."""
        return look(given) if self._trace is None else self._undone_if_raised(look, (given,))

    def _looked_at(self, x: Any) -> float:
        self._catch_up()
        if self.ledger.answered >= self._end:
            self._check_horizon()
        given = x if type(x) in PLAIN else one(self.concept_class, x)
        return self._odds(self.concept_class.instance(given)).p

    def learn(self, x: Any, y: Any, weight: float = ONE) -> None:
        """Commit a round: x had label y. Or settle a ticket of :meth:`answer`, given in place of x.

        It is all or nothing: whatever is raised, the learner is as before the call or as after it.
        """
        done = self._rounds_at_once(x, y) if weight is ONE else -1  # (others are checked first)
        if done < 0:
            label = label_of(y)
            self._whole(self._learn, x, label, self._cost(label, weight))
        elif done:
            with self._lock: self._catch_up()  # fmt: skip  # noqa: E701

    def _parts(self) -> list[Any]:
        return [*super()._parts(), self.rate_rule, *self.engine.parts()]

    def _mark(self) -> Mark:
        mark = super()._mark()
        if isinstance(self.engine, KernelEngine):
            mark.stamp = self.engine.kernel.stamp
            if self._trace is not None:
                self._trace.begin(self.engine)
        return mark

    def _undo(self, mark: Mark) -> None:
        engine = self.engine
        if isinstance(engine, KernelEngine) and engine.atomic and engine.kernel.stamp != mark.stamp:
            return  # the round is over: nothing of it was left undone but the rate, which is due
        super()._undo(mark)  # (which brings back the engine and its trace, too, if an undo was interrupted)
        if self._trace is not None and self._trace.torn:
            self._go_on_with(self._trace.again(self.engine), self._trace)  # type: ignore[arg-type]

    def _play(self, x: Instance, raw: Any, label: int, cost: float) -> float:
        self._catch_up()
        engine = self.engine
        if isinstance(engine, KernelEngine):
            self._called(engine, "learn", x, label, cost)
            return engine.kernel.p
        odds = self._odds(x, raw)
        guess = self._guess(x, odds.p)
        engine.commit(x, label, cost)
        self.ledger.answer(0, False)
        self._charge(odds.p, guess, label, cost, odds)
        return odds.p

    def _called(self, engine: KernelEngine, name: str, *arguments: Any) -> None:
        """Have the kernel do something that is a round, or part of one, and look after the rate."""
        if self._trace is not None:
            self._trace.note(name, engine.rate, arguments)
        getattr(engine.kernel, name)(*arguments)
        self._catch_up()

    def _odds(self, x: Instance, raw: Any = None) -> Odds:
        try:
            self._touch()
            return self.engine.odds(x)
        except BaseException:
            # What is kept of a look that was interrupted may be another point's.
            try:
                self.engine.discard()
            finally:
                self.engine.discard()  # whatever is raised in the first
            raise

    def _touch(self) -> None:
        """Note that an interpreted kernel is about to change, and may be torn from now on."""
        if self._trace is not None:
            self._trace.torn = True

    def _cost(self, label: int, weight: Any) -> float:
        """Return what a wrong guess costs in this round."""
        cost = self._cost_of(label, weight)
        self._warn_if_over(cost)
        return cost

    def _cost_of(self, label: int, weight: Any) -> float:
        if type(weight) is int and weight == 1 and self.costs == EVEN:
            return 1
        return check_cost(weight, self.costs[1 - label], self.scale)

    def _warn_if_over(self, cost: float) -> None:
        """Warn before the first round that ends what was promised."""
        if cost > self.scale >= self.heaviest_round:
            warnings.warn(
                f"a round costs {cost:g}, more than the {self.scale:g} announced by max_weight and costs: what was "
                f"promised in advance ends with it; build with a larger max_weight=",
                PromiseEnded,
                stacklevel=4,
            )

    def _open(self, ticket: Ticket, x: Instance) -> None:
        # The point enters the tree now, and its loss when the label comes: so the answer cannot drift by more than
        # the labels that come in between (docs/anytime.md, Theorem C).
        if isinstance(self.engine, KernelEngine):
            self.tickets.add(ticket)
            self._called(self.engine, "open", x)
        else:
            self.paths.open(ticket.id, x)
            super()._open(ticket, x)

    def _learn_answered(
        self, x: Instance, raw: Any, label: int, p: float, guess: int, overlaps: int, late: bool, cost: float
    ) -> None:
        engine = self.engine
        if isinstance(engine, KernelEngine):
            self._called(engine, "learn_answered", x, label, cost, p, guess, overlaps, late)
            return
        now = self._odds(x, raw)
        engine.commit(x, label, cost)
        self.ledger.answer(overlaps, late)
        self._charge(p, guess, label, cost, now)

    def _settle_late(self, ticket: Ticket, label: int, cost: float) -> None:
        self._catch_up()
        overlaps, engine = self.rounds - ticket.arrivals, self.engine
        self.tickets.remove(ticket)
        if isinstance(engine, KernelEngine):
            x = self.concept_class.instance(ticket.x)
            self._called(engine, "settle", x, label, cost, ticket.p, ticket.guess, overlaps)
            return
        now = self.paths.odds_of(ticket.id)
        self.paths.settle(ticket.id, label, cost)
        self.ledger.waiting -= 1
        self.ledger.overlaps += overlaps
        self._charge(ticket.p, ticket.guess, label, cost, now)

    def _give_up(self, given: Ticket) -> None:
        super()._give_up(given)
        if isinstance(self.engine, Paths):
            self.engine.waiting.remove(given.id)

    def _charge(self, p: float, guess: int, label: int, cost: float, now: Odds) -> None:
        super()._charge(p, guess, label, cost, now)
        if self._watchful:
            self._move_on()

    def _probability(self, x: Instance, raw: Any) -> float:
        self._catch_up()
        return self._odds(x).p

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        raise NotImplementedError("rounds on an engine are played by _play")

    def _catch_up(self) -> None:
        """Do what is due before the next round."""
        if isinstance(self.engine, KernelEngine) and self.engine.kernel.due:
            self._move_on()

    def _up_to_date(self) -> Self:
        self._catch_up()
        return self

    def _move_on(self) -> None:
        """After rounds at one rate: bring it up to date. (May be done again, if it is interrupted.)"""
        engine, rule, stay = self.engine, self.rate_rule, self.rate_rule.stay
        lost, seen = self.ledger.excess, self.answered + 2 * self.overlaps
        if lost >= stay.gap or seen >= stay.rounds or engine.best_loss >= stay.best_loss:
            rule.look(Seen(seen, engine.best_loss, lost, lambda: -engine.leader().log_prior))
        if self.heaviest_round > self.scale:
            rule.slow_down(self.heaviest_round)
        if rule.eta != self._eta:
            self._touch()
            engine.rate = self._eta = rule.eta
        self._limit()

    def _limit(self) -> None:
        """Tell a kernel when the rate will be due."""
        if isinstance(self.engine, KernelEngine):
            kernel, stay = self.engine.kernel, self.rate_rule.stay
            kernel.scale = max(self.scale, self.heaviest_round)
            kernel.set_limits(stay.rounds, stay.best_loss, stay.gap)

    def _go_on_with(self, engine: Engine, trace: Retrace | None = None) -> None:
        """Take an engine, which must have the present rate."""
        self.engine, self._eta = engine, engine.rate
        self._trace = None
        self._looks_at_once = self._rounds_at_once = not_plain
        self._watchful = not isinstance(self.rate_rule, ConstantRate)
        if isinstance(engine, KernelEngine):
            kernel = engine.kernel
            kernel.ledger, kernel.seed, kernel.end = self.ledger, self._coins.seed, self._end
            self._limit()
            if engine.atomic:
                kernel.gate = self._lock
                self._looks_at_once = kernel.quick_look
                self._rounds_at_once = kernel.quick_round if self.costs == EVEN and self.scale >= 1 else not_plain
            else:
                self._trace = Retrace() if trace is None else trace

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("_looks_at_once", "_rounds_at_once", "_trace")
        return {name: value for name, value in super().__getstate__().items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._go_on_with(self.engine)

    def speculate(self, x: Any) -> float:
        """Return the chance of guessing 1 at x, also past the horizon (with no rounds to come)."""
        with self._lock: return self._looks(self._speculated, x)  # fmt: skip  # noqa: E701

    def _speculated(self, x: Any) -> float:
        return self._probability(self.concept_class.instance(one(self.concept_class, x)), x)

    def discard(self) -> None:
        """Roll back: forget what was speculated since the last commit."""
        with self._lock:
            self.engine.discard()
