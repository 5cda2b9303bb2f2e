"""The learner that people build: ADEPT with a prior, a rate and an engine, and its account."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from adeptree.bases import NATURAL, BaseLearner, base_for
from adeptree.classes.base import ConceptClass, check_size
from adeptree.errors import InvalidArgument
from adeptree.frontiers import Queries
from adeptree.learners import choices
from adeptree.learners.adept import Paths
from adeptree.learners.base import OnlineLearner, Rate
from adeptree.learners.certificate import Certificate, certify, promised
from adeptree.learners.engines import Engine, Limits, choosing, mixability_gap, mixability_gaps
from adeptree.learners.rates import Constant, Seen
from adeptree.types import Concept, FloatArray, Instance, IntArray, label_of, labels_of

PIECE = 1000
"""Rounds of a batch after which the numpy engine is looked at again."""


class Adept(OnlineLearner):
    """Agnostic online learning with O(t^VC) paths and regret at most sqrt(T M ln(eT/M) / 2).

    ``horizon=None`` needs no T and no M: the prior is then "kt" and the rate adapts to the stream, with a
    bound at every moment (:meth:`certificate`).

    ``base`` is the realizable learner (by default the natural one of the class) and M its mistake bound
    (``mistake_bound`` overrides it). ``prior`` is "paper" or "kt", ``rate`` is "paper", "first-order",
    "anytime", "adaptive" or a positive number. With a valid M a realizable path never has k > M, so one that
    does is an error; ``on_excess="prune"`` drops it instead, which is Algorithm 2 to the letter.
    ``max_width`` drops the lightest paths beyond it; the certificate then says what is still guaranteed.

    ``engine`` is "paths" (Algorithm 2 as it stands), "collapsed" (a structure that stands for the paths, for the
    classes that have one) or "auto", the fastest; all give the same numbers.

    >>> from adeptree import Thresholds
    >>> learner = Adept(Thresholds(16), horizon=100, seed=1)
    >>> for x, y in [(3, 0), (12, 1), (8, 1), (5, 0)]:
    ...     p = learner.predict_proba(x)
    ...     learner.learn(x, y)
    >>> learner.width, learner.best_loss, str(learner.best_rule())
    (5, 0, 'x >= 6')
    >>> learner.regret < learner.bound
    True
    """

    kind = "adept"

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
        self.mistake_bound = choices.mistake_bound(mistake_bound, self.base, concept_class)
        self.prior = choices.prior(prior, self.horizon, self.mistake_bound, self.base, concept_class)
        self.rate: Rate = choices.rate_name(rate, self.prior)
        on_grid = engine == "collapsed"
        self.rate_rule = choices.rate_rule(self.rate, self.prior, self.horizon, self.mistake_bound, on_grid)
        self.gap = 0.0
        """Delta: expected loss minus mix loss, summed over the rounds."""
        self.last_rate = self.rate_rule.eta
        """eta of the last round played."""
        paths = Paths(concept_class, self.base, self.prior, self.mistake_bound, on_excess == "prune", self.max_width)
        self.engine: Engine = choosing.engine_for(self.engine_choice, paths)
        self.engine.rate = self._eta = self.rate_rule.eta
        self._go_on_with(self.engine)

    @staticmethod
    def _checked_horizon(horizon: int | None) -> int | None:
        return None if horizon is None else OnlineLearner._checked_horizon(horizon)

    # --- A round -----------------------------------------------------------------------------------

    # (predict_proba and learn are OnlineLearner's, without the calls in between: a stream waits for them.)

    def predict_proba(self, x: Any) -> float:
        """Return P(label = 1) at x. Nothing is committed."""
        if self.rounds >= self._end:
            self._check_horizon()
        return self.engine.probability(self.concept_class.instance(x))

    def learn(self, x: Any, y: Any) -> None:
        """Commit the round: x had label y."""
        label = label_of(y)
        if self.rounds >= self._end:
            self._check_horizon()
        instance = self.concept_class.instance(x)
        p = self.engine.probability(instance)
        self.engine.commit(instance, label)
        self._settle(p, label)

    def _settle(self, p: float, label: int) -> None:
        loss = 1.0 - p if label else p
        self.rounds += 1
        self.expected_loss += loss
        self.realised_loss += (self._coin < p) != label
        self._coin = self._coins.random()
        self.gap += mixability_gap(loss, self._eta)
        if self._watchful:
            self._move_on()

    def _probability(self, x: Instance, raw: Any) -> float:
        return self.engine.probability(x)

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        self.engine.commit(x, label)

    def _move_on(self) -> None:
        """After rounds at one rate: bring rate and engine up to date."""
        engine, rule, stay = self.engine, self.rate_rule, self.rate_rule.stay
        self.last_rate = self._eta
        if self.gap >= stay.gap or self.rounds >= stay.rounds or engine.best_loss >= stay.best_loss:
            rule.look(Seen(self.rounds, engine.best_loss, self.gap, lambda: -engine.leader().log_prior))
            engine.rate = self._eta = rule.eta
        if type(engine) is Paths and self.engine_choice == "auto":
            self._go_on_with(choosing.outgrown(engine, rule))

    def _go_on_with(self, engine: Engine) -> None:
        """Take an engine, which must have the present rate."""
        self.engine, self._eta = engine, engine.rate
        # A constant rate and an engine that is never left need no look after every round.
        may_outgrow = type(engine) is Paths and self.engine_choice == "auto"
        self._watchful = may_outgrow or not isinstance(self.rate_rule, Constant)

    def speculate(self, x: Any) -> float:
        """Return P(label = 1) at x, also past the horizon (with no rounds to come)."""
        return self.engine.probability(self.concept_class.instance(x))

    def discard(self) -> None:
        """Roll back: forget what was speculated since the last commit."""
        self.engine.discard()

    # --- Many rounds at once -----------------------------------------------------------------------

    def predict_proba_many(self, xs: Iterable[Any]) -> FloatArray:
        """Return P(label = 1) at each of the xs, all as of now. Nothing is committed."""
        self._check_horizon()
        return self.engine.probabilities(self.concept_class.instances_of(xs))

    def learn_many(self, xs: Iterable[Any], ys: Iterable[Any]) -> FloatArray:
        """Learn a sequence of rounds; return the probability predicted in each.

        The numbers are those of single calls. Instances and labels are checked before the first round.
        """
        labels = labels_of(ys)
        instances = self.concept_class.instances_of(xs)
        if len(instances) != len(labels):
            raise InvalidArgument(f"xs and ys must have the same length; got {len(instances)} and {len(labels)}")
        room = len(labels) if self.horizon is None else min(len(labels), self.horizon - self.rounds)
        probabilities = np.empty(len(labels), dtype=np.float64)
        if self.engine_choice == "auto":
            self._go_on_with(choosing.outgrown(self.engine, self.rate_rule, coming=room))
        done = 0
        while done < room:
            done += self._stretch(instances[done:room], labels[done:room], probabilities[done:room])
        if done < len(labels):
            self._check_horizon()
        return probabilities

    def _stretch(self, xs: Any, labels: IntArray, probabilities: FloatArray) -> int:
        """Play on at one rate, and return how many rounds that were."""
        stay = self.rate_rule.stay
        stop = int(min(len(labels), max(1, stay.rounds - self.rounds)))
        if type(self.engine) is Paths:
            stop = min(stop, PIECE)  # to see in time that another engine would pay
        limits = Limits(stay.best_loss, stay.gap - self.gap)
        played = self.engine.run(xs[:stop], labels[:stop], probabilities[:stop], limits)
        p, labels = probabilities[:played], labels[:played]
        losses = np.abs(p - labels)
        coins = np.concatenate([[self._coin], self._coins.random(played)])
        self.realised_loss += int(((coins[:-1] < p) != labels).sum())
        self._coin = float(coins[-1])
        # Added one by one, in order, as single calls would.
        self.expected_loss = float(np.cumsum(np.concatenate([[self.expected_loss], losses]))[-1])
        self.rounds += played
        self.gap += mixability_gaps(losses, self._eta)
        self._move_on()
        return played

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

    def certificate(self) -> Certificate:
        """Return where the learner stands and what is proven about it; no oracle is asked."""
        return certify(self)

    @property
    def bound(self) -> float:
        """The proven bound on the expected regret: over the whole horizon, or without one as of now."""
        return promised(self)

    @property
    def width(self) -> int:
        """Number of active paths |V_t|."""
        return self.engine.width

    @property
    def queries(self) -> Queries:
        """Queries asked, posed and inferred so far."""
        return self.engine.queries

    @property
    def best_loss(self) -> int:
        """L*: the least loss of an active path, which is the best concept's."""
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
            "mistake_bound": self.mistake_bound,
            "on_excess": self.on_excess,
            "max_width": self.max_width,
        }

    def _state(self) -> dict[str, Any]:
        return {
            "gap": self.gap,
            "last_rate": self.last_rate,
            "rate": self.rate_rule.state(),
            "kind": self.engine.kind,
            "engine": self.engine.state(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self.gap, self.last_rate = state["gap"], state["last_rate"]
        self.rate_rule.restore(state["rate"])
        engine = choosing.engine_of(state["kind"], self.engine)
        engine.rate = self.rate_rule.eta
        engine.restore(state["engine"])
        self._go_on_with(engine)
