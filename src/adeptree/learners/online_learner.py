"""The round of an online learner: look, act, play, charge, adapt the rate.

A structure keeps the weights (``roles/structure.py``). Its kernel plays a round (``roles/round_kernel.py``).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from adeptree.core.compiled import COMPILED
from adeptree.core.errors import BusyLearner, InvalidArgument, got
from adeptree.core.types import FloatArray, Instance, IntArray, label_of, labels_of
from adeptree.learners.account import EVEN
from adeptree.learners.callbacks import INFO, OnBestRule, OnRound, Progress, Watch, is_logged
from adeptree.learners.guarantees import warn_if_over
from adeptree.learners.inputs import PLAIN, Inputs, kept_for_later, one, same_length
from adeptree.learners.rates import RateRule, Seen
from adeptree.learners.saving import Saved
from adeptree.learners.tickets import GUESSES, Ticket
from adeptree.learners.transactions import Result, undone_if_raised
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.kernel_engine import NO_COSTS
from adeptree.roles.structure import Structure
from adeptree.theory.coins import Coins, word_of
from adeptree.theory.losses import check_cost, check_weights

Rate = str | float
ONE: float = 1
"""The default weight of a round, compared by identity to detect calls without a weight quickly."""


def not_plain(x: Any, y: Any = None) -> int:
    """Return the code of the slow path: the round does not cost 1, or the kernel is interpreted."""
    return -1


class OnlineLearner(Saved):
    """An online learner of 0/1 labels against a concept class.

    ``predict_proba`` commits nothing. ``learn`` commits a round, with or without a prediction before it. If labels come
    late, ``answer`` returns a ticket, which you pass to ``learn`` with the label. The coin of a round depends on
    ``seed``, the round and x, so ``predict`` may be repeated. One thread at a time uses a learner.
    """

    weighs: ClassVar[bool] = False
    """True if rounds may have costs and weights."""
    rate_rule: RateRule | None = None
    """The rule that adapts the rate; None if the learner sets its rate itself."""

    def __init__(self, concept_class: ConceptClass, horizon: int | None, seed: int) -> None:
        super().__init__(concept_class, horizon, seed)
        self._coins = Coins(seed)

    def _use(self, structure: Structure) -> None:
        """Play all coming rounds with this structure."""
        self._structure, self._kernel = structure, structure.kernel
        kernel, plain = self._kernel, self.scale >= max(self.costs)  # rounds of weight 1 are within the announced limit
        kernel.cost1, kernel.cost0 = self.costs
        kernel.ledger, kernel.seed, kernel.end = self._ledger, self._coins.seed, self._end
        self._quick_look: Callable[[Any], float] = kernel.quick_look if COMPILED else not_plain
        self._quick_round: Callable[[Any, Any], int] = kernel.quick_round if COMPILED and plain else not_plain
        if type(structure).entered is Structure.entered:
            kernel.lend(vars(self.tickets), Ticket, self._owner)
        self._quick_answer: Callable[[Any], Any] = kernel.quick_answer
        if self.rate_rule is not None and not self._ledger.answered:
            self._ledger.last_rate = self.rate_rule.eta
        self._adapt(look=not self._ledger.answered)

    # --- A look ------------------------------------------------------------------------------------

    def predict_proba(self, x: Any) -> float:
        """Return the share of the weight that predicts 1 at x: without review, the probability of guessing 1."""
        look = self._quick_look  # a local name is faster than an attribute
        p = look(x)
        if p >= 0.0:
            return p
        with self._kernel.turn(): return self._look(self._placed(x)[2])  # fmt: skip  # noqa: E701

    def predict(self, x: Any) -> int:
        """Guess a label by the round's coin, 1 with chance ``predict_proba(x)``; :meth:`answer` may also review."""
        with self._kernel.turn(): return self._guess(*self._placed(x)[1:])  # fmt: skip  # noqa: E701

    def _placed(self, x: Any) -> tuple[Any, Instance, Any]:
        """Return the point of a new round in three forms: one row, an instance, and the structure's form."""
        if self._ledger.answered >= self._end:
            self._check_horizon()
        given = x if type(x) in PLAIN else one(self.concept_class, x)
        instance = self.concept_class.instance(given)
        return given, instance, self._structure.point(instance, given)

    def _look(self, point: Any) -> float:
        self._catch_up()
        return self._call(self._kernel.chance, point)

    def _call(self, do: Callable[..., Result], *arguments: Any) -> Result:
        """Call the structure; if it is interrupted, discard its prediction, which may mix two points."""
        try:
            result = do(*arguments)
            if self._kernel.raised is not None:
                raise self._kernel.raised
            return result
        except BaseException:
            try:
                self._kernel.discard()
            finally:
                self._kernel.discard()
            raise

    def _guess(self, x: Instance, point: Any) -> int:
        return int(self._coins.of(self._ledger.answered + 1, self.concept_class.key(x)) < self._look(point))

    # --- A round -----------------------------------------------------------------------------------

    def learn(self, x: Any, y: Any, weight: float = ONE) -> None:
        """Commit a round in which x has label y, or settle a ticket of :meth:`answer`, given in place of x.

        If an exception is raised, the learner is as before or as after the call. A wrong guess costs ``weight`` times
        its cost.
        """
        learn = self._quick_round
        due = learn(x, y) if weight is ONE else -1
        if due < 0:
            label = label_of(y)
            self._whole(self._learn, x, label, self.round_cost(label, weight))
        elif due:
            with suppress(BusyLearner):  # the rate stays due, and the next call adapts it
                self._whole(self._adapt)

    def _learn(self, x: Any, label: int, cost: float) -> None:
        if isinstance(x, Ticket):
            if not x.ask:
                raise InvalidArgument(
                    f"the learner did not ask for the label of ticket {x.id}; give it labels of tickets with ask=True"
                )
            self._settle(self.tickets.find(x), label, cost)
        else:
            self._play("learn", self._placed(x)[2], label, cost)

    def _play(self, call: str, *arguments: Any) -> None:
        """Run a function of the kernel that plays a round or a part of one."""
        self._catch_up()
        self._call(getattr(self._kernel, call), *arguments)
        if self._kernel.due:  # saves a Python call in each answer and each label
            self._adapt()

    def answer(self, x: Any) -> Ticket:
        """Answer x now; the ticket holds the drawn action and its chances, by which the round is charged later."""
        answer = self._quick_answer
        return self._whole(self._answered, x) if (ticket := answer(x)) is None else ticket

    def preview(self, x: Any) -> Ticket:
        """Return the ticket that :meth:`answer` would return now; nothing is committed."""
        with self._kernel.turn(): return self._ticket(self._placed(x))[0]  # fmt: skip  # noqa: E701

    def _ticket(self, placed: tuple[Any, Instance, Any]) -> tuple[Ticket, int]:
        """Return a ticket, and the kernel's number of its action."""
        ledger, (given, instance, point) = self._ledger, placed
        self._catch_up()
        p, r, q, action, ask = self._call(self._kernel.decide, point)
        kept = kept_for_later(given, instance)
        ticket = Ticket(ledger.answered + 1, kept, p, GUESSES[action], ledger.rounds, self._owner, r, q, ask)
        return ticket, action

    def _answered(self, x: Any) -> Ticket:
        placed = self._placed(x)
        ticket, action = self._ticket(placed)
        # The point enters now, and its loss when the label comes (docs/theory/anytime.md, Theorem C).
        if ticket.ask:
            self.tickets.add(ticket)
        self._play("open", placed[2], action, ticket.ask)
        return ticket

    @cached_property
    def _owner(self) -> int:
        return word_of(f"{self.kind} {self.concept_class!r} {self.seed}")

    def _settle(self, ticket: Ticket, label: int, cost: float) -> None:
        x = ticket.x if type(ticket.x) in PLAIN else one(self.concept_class, ticket.x)
        entered = self._structure.entered(ticket.id, self.concept_class.instance(x), ticket.x)
        overlaps = self._ledger.rounds - ticket.arrivals
        self.tickets.settle(ticket)
        how = (ticket.p, ticket.r, GUESSES.index(ticket.guess), overlaps, ticket.q)
        self._play("settle", entered, label, cost, *how)

    def give_up(self, ticket: Ticket) -> None:
        """Discard a ticket whose label will never come; the certificate keeps counting it as waiting."""
        self._whole(self._give_up, ticket)

    def _give_up(self, given: Ticket) -> None:
        self.tickets.give_up(self.tickets.find(given))
        self._structure.abandon(given.id)

    def round_cost(self, label: int, weight: Any) -> float:
        """Return the cost of a wrong guess in a round of this weight; raise an error for an invalid weight."""
        cost = self._cost_of(label, weight)
        if cost > self.scale:
            warn_if_over(self, cost)
        return cost

    def _cost_of(self, label: int, weight: Any) -> float:
        if type(weight) is int and weight == 1 and self.costs == EVEN:
            return 1
        if not self.weighs and weight != 1:
            raise InvalidArgument(f"{type(self).__name__} weighs all rounds alike; {got('weight', weight)}; use Adept")
        return check_cost(weight, self.costs[1 - label], self.scale) if self.weighs else 1

    def _catch_up(self) -> None:
        if self._kernel.due:
            self._adapt()

    def _adapt(self, look: bool = True) -> None:
        """Update the rate. (An interrupted update can be repeated.)"""
        rule, kernel, ledger, structure = self.rate_rule, self._kernel, self._ledger, self._structure
        if rule is None:
            return
        stay, seen = rule.stay, ledger.answered + 2 * ledger.overlaps
        if look and (ledger.excess >= stay.gap or seen >= stay.rounds or structure.best_loss >= stay.best_loss):
            rule.look(Seen(seen, structure.best_loss, ledger.excess, structure.price))
        if ledger.heaviest > self.scale:
            rule.slow_down(ledger.heaviest)
        kernel.scale = max(self.scale, ledger.heaviest)
        kernel.set_rate(rule.eta)
        kernel.set_limits(rule.stay.rounds, rule.stay.best_loss, rule.stay.gap)

    # --- A round is a transaction ------------------------------------------------------------------

    def _parts(self) -> list[Any]:
        """Return the objects that a round changes outside the compiled commit."""
        rule, inside = [] if self.rate_rule is None else [self.rate_rule], self._structure.parts()
        return [self.tickets, *rule, *([self, self._ledger, *inside] if inside or not COMPILED else [])]

    def _whole(self, do: Callable[..., Result], *arguments: Any) -> Result:
        """Run a function in one transaction, on one line, so that no signal can raise before the block ends."""
        parts = self._parts()
        with self._kernel.turn(): return undone_if_raised(self._structure, parts, do, *arguments)  # fmt: skip  # noqa: E701

    # --- Many rounds -------------------------------------------------------------------------------

    def predict_proba_many(self, xs: Any) -> Any:
        """Return the share of the weight that predicts 1 at each of the xs (as in :meth:`learn_many`)."""
        inputs = Inputs(self.concept_class, xs)
        with self._kernel.turn(): return inputs.back(self._look_many(self._checked(inputs.xs)))  # fmt: skip  # noqa: E701

    def _look_many(self, xs: Any) -> FloatArray:
        self._check_horizon()
        self._catch_up()
        return self._call(self._structure.probabilities, xs)

    def learn_many(
        self,
        xs: Any,
        ys: Any,
        weights: Any = None,
        *,
        on_round: OnRound | None = None,
        on_best_rule_changed: OnBestRule | None = None,
        progress: Progress = False,
    ) -> Any:
        """Learn a sequence of rounds, with optional weights; return the share of the weight that predicts 1 in each.

        The share is the one before the label of the round, as ``predict_proba`` returns it. Without review it is the
        probability of guessing 1; with review ``preview(x).p`` is the probability that the learner chooses 1. The xs
        are a list of instances, an array with a row per instance, or a data frame (pandas, polars, pyarrow and others),
        for which the result is a series of the same kind. All input is checked before the first round. The results
        equal those of single calls, and an exception in the middle leaves whole rounds. ``on_round`` and
        ``on_best_rule_changed`` are called as in :func:`adeptree.play`. ``progress=True`` reports progress on the
        standard error; a function is called with the number of rounds done and the total.
        """
        inputs, labels = Inputs(self.concept_class, xs), labels_of(ys)
        weighed = None if weights is None else check_weights(weights)
        same_length(xs=inputs.xs, ys=labels, weights=weighed)
        points, costs = self._checked(inputs.xs), self._costs(labels, weighed)
        self._check_room(len(labels))
        if on_round is None and on_best_rule_changed is None and progress is False and not is_logged(INFO):
            return inputs.back(self._learn_all(points, labels, costs))
        watch = Watch(self, on_round, on_best_rule_changed, progress, total=len(labels))
        return inputs.back(watch.learn(self._learn_all, points, labels, costs))

    def _checked(self, xs: Any) -> Any:
        """Return the instances in canonical form, as this learner needs them."""
        return self.concept_class.instances_of(xs)

    def _costs(self, labels: IntArray, weights: list[float] | None) -> list[float] | None:
        """Return the cost of a wrong guess in each round; None if all are 1."""
        if weights is None and self.costs == EVEN and self.scale >= 1:
            return None
        costs = [self._cost_of(y, w) for y, w in zip(labels.tolist(), weights or [1] * len(labels), strict=True)]
        warn_if_over(self, max(costs, default=0.0))
        return costs

    def _learn_all(self, xs: Any, labels: IntArray, costs: list[float] | None) -> FloatArray:
        prices = NO_COSTS if costs is None else np.array(costs, dtype=np.float64)
        with self._kernel.turn(): return self._run(xs, labels.astype(np.int64), prices)  # fmt: skip  # noqa: E701

    def _run(self, xs: Any, labels: IntArray, prices: FloatArray) -> FloatArray:
        """Play the batch in stretches of constant rate, each in one transaction."""
        self._check_room(len(labels))  # checked again, because a callback may have played rounds
        probabilities: FloatArray = np.empty(len(labels), dtype=np.float64)
        self._kernel.actions, self._kernel.plays = array("i", bytes(4 * len(labels))), 0
        points, done = self._structure.batch(xs), 0
        while done < len(labels):
            step = (self._stretch, points, labels, prices, probabilities, done)
            done = undone_if_raised(self._structure, self._parts(), *step)
        return probabilities

    @property
    def drawn(self) -> list[int]:
        """The actions drawn in the last call of :meth:`learn_many`: 0, 1, or 2 for a review."""
        return list(self._kernel.actions)

    def _stretch(self, points: Any, labels: IntArray, prices: FloatArray, probabilities: FloatArray, done: int) -> int:
        self._catch_up()
        done = self._call(self._structure.run, points, labels, prices, probabilities, done)
        self._catch_up()
        return done
