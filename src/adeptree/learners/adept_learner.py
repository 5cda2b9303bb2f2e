"""The learner that people build: ADEPT with a prior, a rate and an engine, and its account."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import numpy as np

from adeptree.core.arguments import check_size
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.types import Concept, FloatArray, Instance, IntArray, label_of, labels_of, listed
from adeptree.families.registry import NATURAL, base_for, frontier_of
from adeptree.learners import choices, promises
from adeptree.learners import engine_choice as choosing
from adeptree.learners.adept import Paths
from adeptree.learners.certificate import Certificate, certify
from adeptree.learners.online_learner import OnlineLearner, Rate
from adeptree.learners.rates import Constant, Seen
from adeptree.learners.retracing import Retrace
from adeptree.learners.tickets import Ticket
from adeptree.learners.whole_rounds import Mark
from adeptree.roles.base_learner import BaseLearner
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.engine import Engine, Limits, Odds
from adeptree.roles.frontier import Queries
from adeptree.theory.losses import check_costs, check_weight, check_weights
from adeptree.theory.mixture import SAFE_RATE, mixability_gap, mixability_gaps

SMALLEST_SCALE = 1e-12
"""A round that costs less at most is better measured in another unit."""


class Adept(OnlineLearner):
    """Agnostic online learning: O(t^VC) paths, a proven bound at every moment, no assumption about the labels.

    Parameters
    ----------
    concept_class
        The rules to compete with.
    horizon
        T, the number of rounds, for the paper's learner. None (the default) needs neither T nor M.
    base
        The realizable learner inside; by default the natural one of the class.
    rate
        "paper", "first-order", "anytime", "adaptive" or a positive number. Default: "paper" with the paper's prior,
        else "adaptive".
    prior
        "paper" (needs a horizon and M), "kt", or "mixed", the default without a horizon.
    engine
        "paths" (Algorithm 2 as it stands), "collapsed" (a structure that stands for the paths, for the classes that
        have one) or "auto". They give the same numbers, but that "collapsed" keeps a first-order rate for stretches.
        Compiled engines know the priors "paper" and "kt" (that of block unions also "mixed"), rates up to 4, prompt
        labels and weight 1.
    seed
        Of the guesses. Who knows it knows every guess.
    costs
        What a miss (label 1, guess 0) and a false alarm cost; losses and bounds are then in these units.
    max_weight
        The largest ``weight=`` that :meth:`learn` will be given. A larger one is taken, but ends what was promised
        in advance.
    mistake_bound
        M, where the base learner does not know its own. With a valid M a realizable path never has k > M.
    on_excess
        What a path with k > M is: "raise", an error, or "prune", dropped, which is Algorithm 2 to the letter.
    max_width
        Drops the lightest paths beyond it; the certificate then says what is still guaranteed.

    Examples
    --------
    >>> from adeptree import Thresholds
    >>> learner = Adept(Thresholds(16), seed=1)
    >>> for x, y in [(3, 0), (12, 1), (8, 1), (5, 0)]:
    ...     p = learner.predict_proba(x)
    ...     learner.learn(x, y)
    >>> learner.width, learner.best_loss, str(learner.best_rule())
    (5, 0, 'x >= 6')
    >>> learner.regret <= learner.bound, learner.bound_after(2000) < 120
    (True, True)

    """

    kind = "adept"
    warns: ClassVar[bool] = True
    """Whether a promise that is no better than a coin's is said where the learner is built."""

    def __init__(
        self,
        concept_class: ConceptClass,
        horizon: int | None = None,
        base: Any = None,
        rate: Rate | None = None,
        prior: str | None = None,
        engine: str = "auto",
        seed: int = 0,
        *,
        costs: tuple[float, float] = (1, 1),
        max_weight: float = 1,
        mistake_bound: int | None = None,
        on_excess: str = "raise",
        max_width: int | None = None,
    ) -> None:
        super().__init__(concept_class, horizon, seed)
        self.base: BaseLearner = base_for(base, concept_class)
        self._base_given = base is not None
        self.on_excess = choices.one_of("on_excess", on_excess, ("raise", "prune"))
        self.engine_choice = choices.one_of("engine", engine, ("auto", "paths", "collapsed"))
        self.max_width = None if max_width is None else check_size("max_width", max_width)
        self.costs = check_costs(costs)
        self.max_weight = check_weight("max_weight", max_weight)
        if max(self.costs) * self.max_weight < SMALLEST_SCALE:
            raise InvalidArgument(
                f"the largest cost times max_weight must be at least {SMALLEST_SCALE:g}; "
                f"{got('max_weight', max_weight)}"
            )
        self.scale = check_weight("the largest cost times max_weight", max(self.costs) * self.max_weight)
        """W: what a round costs at most."""
        self.heaviest_round = 0.0
        """What a round has cost at most so far."""
        self.ticketed = False
        """Whether it ever gave a ticket: then it stays with the engine that can."""
        self.weighed = self.costs != (1, 1)
        """Whether rounds weigh different amounts."""
        self.mistake_bound = choices.mistake_bound(mistake_bound, self.base, concept_class)
        frontier = frontier_of(concept_class)
        self.prior = choices.prior(prior, self.horizon, self.mistake_bound, self.base, concept_class, frontier)
        self.rate: Rate = choices.rate_name(rate, self.prior)
        self.rate_rule = choices.rate_rule(
            self.rate, self.prior, self.horizon, self.mistake_bound, engine == "collapsed", self.scale
        )
        self.gap = 0.0
        """Delta: expected loss minus mix loss, summed over the rounds."""
        self.drift = 0.0
        """What late labels cost: each round's loss as answered minus as it would be just before its label came."""
        self.last_rate = self.rate_rule.eta
        """eta of the last round played."""
        paths = Paths(
            concept_class, self.base, self.prior, self.mistake_bound, on_excess == "prune", self.max_width, frontier
        )
        self.engine: Engine = choosing.engine_for(self.engine_choice, paths, self.rate_rule, self.plain)
        self.engine.rate = self._eta = self.rate_rule.eta
        self._go_on_with(self.engine)
        if self.warns:
            promises.warn_if_weak(self, promises.why_weak(self))

    @staticmethod
    def _checked_horizon(horizon: int | None) -> int | None:
        return None if horizon is None else OnlineLearner._checked_horizon(horizon)

    @property
    def plain(self) -> bool:
        """Whether every round weighs 1 and is labelled at once: what compiled engines can do."""
        return not (self.weighed or self.late or self.ticketed) and self.scale == 1

    # --- A round -----------------------------------------------------------------------------------

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

    def _cost(self, label: int, weight: float) -> float:
        """Return what a wrong guess costs in this round."""
        if type(weight) is int and weight == 1 and self.costs == (1, 1):
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
            self._go_on_with(choosing.outgrown(engine, rule))

    def _go_on_with(self, engine: Engine) -> None:
        """Take an engine, which must have the present rate."""
        self.engine, self._eta = engine, engine.rate
        self._trace = None if type(engine) is Paths else Retrace()
        # A constant rate and an engine that is never left need no look after every round.
        may_outgrow = type(engine) is Paths and self.engine_choice == "auto"
        self._watchful = may_outgrow or not isinstance(self.rate_rule, Constant)

    def speculate(self, x: Any) -> float:
        """Return the chance of guessing 1 at x, also past the horizon (with no rounds to come)."""
        with self._lock:
            return self._probability(self.concept_class.instance(x), x)

    def discard(self) -> None:
        """Roll back: forget what was speculated since the last commit."""
        with self._lock:
            self.engine.discard()

    # --- Many rounds at once -----------------------------------------------------------------------

    def predict_proba_many(self, xs: Iterable[Any]) -> FloatArray:
        """Return the chance of guessing 1 at each of the xs, all as of now. Nothing is committed."""
        with self._lock:
            self._check_horizon()
            instances = self.concept_class.instances_of(listed("xs", xs))
            try:
                return self.engine.probabilities(instances)
            except BaseException:
                self._forget_look()
                raise

    def learn_many(self, xs: Iterable[Any], ys: Iterable[Any], weights: Iterable[float] | None = None) -> FloatArray:
        """Learn a sequence of rounds; return the chance of guessing 1 in each.

        The numbers are those of single calls. Instances, labels and weights are checked before the first round.
        """
        labels = labels_of(ys)
        instances = self.concept_class.instances_of(listed("xs", xs))
        weighed = None if weights is None else check_weights(weights)
        lengths = [len(instances), len(labels), *([] if weighed is None else [len(weighed)])]
        if len(set(lengths)) > 1:
            raise InvalidArgument(
                f"xs, ys and weights must have the same length; got {' and '.join(map(str, lengths))}"
            )
        alike = weighed is None or all(weight == 1 for weight in weighed)
        if weighed is not None and not alike:
            self._cost(0, next(weight for weight in weighed if weight != 1))  # refused now, not in the middle
        with self._lock: return self._learn_many(instances, labels, weighed, alike)  # fmt: skip  # noqa: E701

    def _learn_many(self, instances: Any, labels: IntArray, weighed: list[float] | None, alike: bool) -> FloatArray:
        room = len(labels)
        self._check_room(room)
        probabilities = np.empty(room, dtype=np.float64)
        engine, done = self.engine, 0
        if self.engine_choice == "auto" and self.plain and alike:
            engine = choosing.outgrown(engine, self.rate_rule, coming=room)
        while done < room:
            if type(engine) is Paths:
                play = self._play if alike else self._play_weighed
                done = self._play_some(play, instances, labels, weighed, probabilities, done)
            else:
                rest = slice(done, room)
                done += self._whole(self._stretch, engine, instances[rest], labels[rest], probabilities[rest])
            engine = self.engine
        return probabilities

    def _play_some(
        self,
        play: Callable[[Instance, int, float], float],
        xs: Any,
        labels: IntArray,
        weights: list[float] | None,
        probabilities: FloatArray,
        done: int,
    ) -> int:
        """Play round by round, until another engine takes over; return how many are done."""
        points = xs[done:].tolist() if isinstance(xs, np.ndarray) else xs[done:]
        for x in points:
            label = int(labels[done])
            cost = self._cost(label, 1 if weights is None else weights[done])
            probabilities[done] = self._whole(play, x, label, cost)
            done += 1
            if type(self.engine) is not Paths:
                break
        return done

    def _play_weighed(self, x: Instance, label: int, cost: float) -> float:
        """Play a round of a batch with weights: no engine may take over that counts every round once."""
        self.weighed = True
        return self._play(x, label, cost)

    def _stretch(self, engine: Engine, xs: Any, labels: IntArray, probabilities: FloatArray) -> int:
        """Play on at one rate with this engine, and return how many rounds that were."""
        if engine is not self.engine:
            self._go_on_with(engine)
        trace: Any = self._trace
        trace.begin(engine, self.rounds)
        stay = self.rate_rule.stay
        stop = int(min(len(labels), max(1, stay.rounds - self.rounds)))
        limits = Limits(stay.best_loss, stay.gap - self.gap)
        played = engine.run(xs[:stop], labels[:stop], probabilities[:stop], limits)
        trace.note_many(engine.rate, xs[:played], labels[:played])
        p, labels = probabilities[:played], labels[:played]
        losses = np.abs(p - labels)
        coins = self._coins.many(self.answered + 1, self._keys(xs[:played]))
        self.realised_loss += int(((coins < p) != labels).sum())
        # Added one by one, in order, as single calls would.
        self.expected_loss = float(np.cumsum(np.concatenate([[self.expected_loss], losses]))[-1])
        self.variance = float(np.cumsum(np.concatenate([[self.variance], p * (1.0 - p)]))[-1])
        self.rounds += played
        self.answered += played
        self.heaviest_round = 1
        self.gap += mixability_gaps(losses, self._eta)
        self._move_on()
        return played

    def _keys(self, xs: Any) -> Any:
        return xs if isinstance(xs, np.ndarray) else [self.concept_class.key(x) for x in xs]

    # --- Account -----------------------------------------------------------------------------------

    @property
    def learning_rate(self) -> float:
        """eta of the coming round."""
        return self.rate_rule.eta

    @property
    def log_experts(self) -> float:
        """ln of the prior's total mass: ln N for the paper's."""
        return self.prior.log_total

    @property
    def paths(self) -> Paths:
        """The active paths themselves, where they are kept one by one."""
        if not isinstance(self.engine, Paths):
            raise InvalidArgument(f'the engine {self.engine.kind!r} keeps no list of paths; build with engine="paths"')
        return self.engine

    def certificate(self, confidence: float = 0.95) -> Certificate:
        """Return where the learner stands and what is proven about it; no oracle is asked."""
        with self._lock:
            return certify(self, confidence)

    @property
    def bound(self) -> float:
        """What is proven of ``regret`` now, from what was seen: ln(1/pi)/eta + Delta + drift."""
        return promises.now(self)

    def bound_after(self, rounds: int) -> float | None:
        """Return what is proven, before the first round, of the regret after so many rounds of any stream.

        None if nothing is: no price is known (neither M nor a number of concepts), or labels came late, or a round
        weighed more than was said.
        """
        return promises.in_advance(self, check_size("rounds", rounds, at_least=0))

    def bound_for(self, best_loss: float, rounds: int | None = None) -> float | None:
        """Return what is proven in advance of streams whose best rule loses no more than ``best_loss``."""
        return promises.for_best_loss(self, best_loss, rounds)

    @property
    def final(self) -> float | None:
        """With a horizon: what the regret can be at the end, from here on; None without."""
        return promises.final(self)

    def realised_bound(self, confidence: float = 0.95) -> float:
        """Return what is proven of the losses *drawn* beyond the best rule's, with this probability, at all times."""
        if self.heaviest_round > self.scale:
            self._excess(confidence)
            return math.inf
        return min(self.regret + self._excess(confidence, self.scale), self.rounds * self.scale - self.best_loss)

    @property
    def width(self) -> int:
        """Number of active paths |V_t|."""
        return self.engine.width

    @property
    def queries(self) -> Queries:
        """Queries asked, posed and inferred so far."""
        return self.engine.queries

    @property
    def best_loss(self) -> float:
        """L*: the least loss of an active path, which is the best concept's; whole as long as all weights are."""
        return self.engine.best_loss

    def best_rule(self) -> Concept:
        """Return a concept of the best path."""
        return self.engine.best_rule()

    # --- Saving ------------------------------------------------------------------------------------

    def settings(self) -> dict[str, Any]:
        """Return the arguments that rebuild this learner."""
        return {
            "horizon": self.horizon,
            "base": self.base.spec(self.concept_class) or (None if self._base_given else NATURAL),
            "rate": self.rate,
            "prior": self.prior.name,
            "engine": self.engine_choice,
            "seed": self.seed,
            "costs": list(self.costs),
            "max_weight": self.max_weight,
            "mistake_bound": self.mistake_bound,
            "on_excess": self.on_excess,
            "max_width": self.max_width,
        }

    def _state(self) -> dict[str, Any]:
        return {
            "gap": self.gap,
            "drift": self.drift,
            "heaviest_round": self.heaviest_round,
            "weighed": self.weighed,
            "ticketed": self.ticketed,
            "last_rate": self.last_rate,
            "rate": self.rate_rule.state(),
            "kind": self.engine.kind,
            "engine": self.engine.state(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self.gap, self.last_rate, self.drift = state["gap"], state["last_rate"], state.get("drift", 0.0)
        self.heaviest_round, self.weighed = state.get("heaviest_round", 1), state.get("weighed", False)
        self.ticketed = state.get("ticketed", False)
        self.rate_rule.restore(state["rate"])
        engine = choosing.engine_of(state["kind"], self.engine)
        engine.rate = self.rate_rule.eta
        engine.restore(state["engine"])
        self._go_on_with(engine)

    def take_over(self, saved: dict[str, Any]) -> None:
        """Continue from a saved file's contents."""
        super().take_over(saved)
        if "drift" not in saved["learnt"] and self.last_rate > SAFE_RATE:
            # The first edition's gap lost its digits here; it is at most the loss, and eta/8 per round.
            self.gap = min(self.expected_loss, self.rounds * self.last_rate / 8)
