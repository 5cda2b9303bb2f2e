"""Adept, the main learner: ADEPT with a prior, a rate, an engine and an account."""

from __future__ import annotations

import math
from dataclasses import astuple
from typing import Any, ClassVar

from adeptree.core.arguments import check_size, one_of
from adeptree.core.errors import InvalidArgument, UnsupportedCombination, got
from adeptree.core.types import Concept
from adeptree.families.registry import base_for, frontier_of
from adeptree.learners import engine_choice as choosing
from adeptree.learners import guarantees, settings
from adeptree.learners.account import EVEN
from adeptree.learners.adept import Paths
from adeptree.learners.inputs import one
from adeptree.learners.online_learner import OnlineLearner, Rate
from adeptree.learners.rates import RateRule
from adeptree.learners.shared_paths import SharedPaths
from adeptree.learners.weak_promises import warn_if_weak, why_weak
from adeptree.roles.base_learner import BaseLearner
from adeptree.roles.concept_class import ConceptClass, check_class, combined_family
from adeptree.roles.engine import Engine, Problem
from adeptree.roles.frontier import Frontier, Queries
from adeptree.roles.near_rules import NearRules
from adeptree.roles.structure import Structure
from adeptree.theory.losses import SMALLEST, check_costs, check_reach, check_weight
from adeptree.theory.priors import Prior
from adeptree.theory.sharing import Drift, drift_of


class Adept(OnlineLearner):
    """Learn 0/1 labels online: O(t^VC) paths, a proven bound at every moment, no assumption about the labels.

    Parameters
    ----------
    concept_class
        The rules to compete with.
    horizon
        T, the number of rounds, for the paper's learner. None (the default) needs neither T nor M.
    base
        The realizable base learner; by default that of the class.
    rate
        "paper", "first-order", "anytime", "adaptive" or a positive number. Default: "paper" with the paper's prior,
        else "adaptive".
    prior
        "paper" (needs a horizon and M), "kt", "uniform" (equal masses, for rules that can be listed), or "mixed", the
        default without a horizon and with ``review``.
    engine
        "paths" (Algorithm 2 as it stands), "collapsed" (a structure that represents the paths, for classes that have
        one) or "auto", which takes the structure if there is one. They give the same numbers, with two exceptions. With
        a structure, a first-order rate stays constant until L* + 1 has grown by 5 %. Without a horizon, the structures
        of rules with several cuts (intervals and their unions) use another prior.
    seed
        Seed of the random guesses. Anyone who knows it can predict every guess.
    costs
        The costs of a miss (label 1, guess 0) and of a false alarm; losses and bounds are then in these units.
    review
        The cost of handing a case to a person, or a :class:`Review`. The learner then has three actions: 0, 1 and
        "review". Its expected cost is at most that of the best rule plus K/eta, which the certificate prints. K is the
        largest price of a rule: ln(3 x number of rules) for thresholds on a grid, more for intervals and unions. Every
        label must come before the next answer; if labels come late, give ``Review(c, delay=d)``.
    feedback
        "all": every label may come. "reviewed": labels are seen for reviewed cases only. It needs ``review``. "asked":
        ``ticket.ask`` is True if the learner wants the label, mostly in uncertain cases. In both modes losses are
        estimates.
    max_labels
        With ``feedback="asked"``: the largest number of labels. The learner then asks for no more.
    drift
        True if the best rule may change. The learner then competes with sequences of rules. It redistributes a share of
        the weight after each round, and *followers* predict like the best rule of the last 100, 300, 1,000, 3,000 or
        all rounds. "sharing" omits the followers; so do ``by``, ``engine="paths"`` and rules such as intervals, which
        need ``review`` or a number as ``rate`` (``docs/theory/drift.md``). Without ``review``, many rates run in
        parallel.
    by
        A column with the name of a segment, such as "tenant"; rows without a value form a separate segment. The learner
        competes with one common rule and with one rule per segment. Not with ``engine="paths"``, steps or oracles.
    segments
        The number of segments, or the largest possible one, if it is known. Only then is there a guarantee in advance.
    max_weight
        The largest ``weight=`` that you will pass to :meth:`learn`. A larger one is accepted, but voids the guarantee
        in advance; with ``drift`` and without ``review`` it is an error. Weight times cost is at most 1,000,000.
    mistake_bound
        M, if the base learner does not define it. With a valid M, a realizable path never has k > M.
    on_excess
        What to do with a path that has k > M: "raise" an error, or "prune" it, as Algorithm 2 does literally.
    max_width
        The largest number of paths. The lightest paths beyond it are dropped; the certificate accounts for them.

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
    endless = True
    weighs = True
    rate_rule: RateRule
    prior: Prior
    base: BaseLearner
    """The base learner, if one runs."""
    mistake_bound: int | None = None
    max_width: int | None = None
    on_excess: str = "raise"
    feedback: str = "all"
    max_labels: int | None = None
    warns: ClassVar[bool] = True
    """True to warn, when the learner is built, if the guarantee is no better than random guessing."""

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
        review: Any = None,
        feedback: str = "all",
        max_labels: int | None = None,
        drift: bool | str = False,
        by: str | None = None,
        segments: int | None = None,
        max_weight: float = 1,
        mistake_bound: int | None = None,
        on_excess: str = "raise",
        max_width: int | None = None,
    ) -> None:
        if by is None and segments is not None:
            raise InvalidArgument(
                f"segments= is the number of segments of by=, which is missing; {got('segments', segments)}"
            )
        given = check_class(concept_class)
        if by is not None:
            if engine == "paths":
                raise UnsupportedCombination('by= cannot be used with engine="paths"; use engine="auto"')
            concept_class = combined_family().Segmented(given, by, segments)
        super().__init__(concept_class, horizon, seed)
        self.rules, self.by, self.segments, self.max_labels = given, by, segments, max_labels
        self.base = base_for(base, concept_class)
        self._base_given = base is not None
        self.on_excess = one_of("on_excess", on_excess, ("raise", "prune"))
        self.engine_choice = one_of("engine", engine, ("auto", "paths", "collapsed"))
        self.max_width = None if max_width is None else check_size("max_width", max_width)
        self._set_costs(costs, max_weight)
        self.review = settings.review(review)
        followers = None if drift is False else drift_of(drift)
        drifts, asks = followers is not None, feedback == "asked"
        self.feedback = settings.check_feedback(feedback, self.review, max_labels, drifts, self.horizon)
        self.partial = feedback != "all"
        combined = {"review=": self.review is not None, "drift=": drifts, 'feedback="asked"': asks}
        combined["a union of rules" if by is None else "by="] = concept_class.combines
        prior = settings.check_combination([name for name, used in combined.items() if used], prior, self.max_width)
        # The largest rate at which review keeps its guarantee in rounds of the largest weight.
        largest = None if self.review is None else self.review.rate(*self.costs) / self.max_weight
        self.mistake_bound = settings.mistake_bound(mistake_bound, self.base, concept_class)
        # parts have their own priors, and most engines need no frontier
        frontier = None if concept_class.combines and engine != "paths" else frontier_of(concept_class)
        self.prior = settings.prior(prior, self.horizon, self.mistake_bound, self.base, concept_class, frontier)
        of_asking = None if not asks else "anytime" if self.horizon is None else "paper"
        self.rate: Rate = settings.rate_name(rate, self.prior, largest, drifts, of_asking)
        joint = concept_class.one_rate
        adapts = joint and self.rate in ("adaptive", "lanes")
        if joint and not (asks or adapts or self.rate == "review" or isinstance(self.rate, float)):
            raise UnsupportedCombination(
                f"by= with rate={self.rate!r} needs review=, or a positive number as rate=; give one"
            )
        if followers is not None:
            self.drift_of = Drift(followers, self.rate != "lanes", self.scale)
        self.problem = Problem(concept_class, self.base, self.prior, self.mistake_bound, self.max_width, adapts)
        structure = choosing.structure_for(self.engine_choice, self.problem, self.drift_of is not None)
        made = None if structure is None else self._made(structure)
        if made is not None:
            self.prior = made.prior
        paid = None if not self.partial else 0.0 if self.review is None else self.review.cost * self.max_weight
        on_grid = structure is not None and structure.collapsed
        of_rate = (self.prior, self.horizon, self.mistake_bound, on_grid, self.scale, largest, paid)
        self.rate_rule = settings.rate_rule("adaptive" if adapts else self.rate, *of_rate)
        settings.check_drift(self.drift_of, self.review, self.rate_rule.eta * self.scale)
        self._use(self._paths(frontier) if made is None else made)
        if self.warns:
            warn_if_weak(self, why_weak(self))

    def _set_costs(self, costs: tuple[float, float], max_weight: float) -> None:
        self.costs = check_costs(costs)
        self.max_weight = check_weight("max_weight", max_weight)
        self.scale = check_weight("the largest cost times max_weight", max(self.costs) * self.max_weight, SMALLEST)
        """Set the costs and W, the largest cost of a round."""
        self._ledger.weighed = self.costs != EVEN

    def _use(self, structure: Structure) -> None:
        super()._use(structure)
        settings.put_policy(structure.kernel, self.review, self.partial, self.max_weight, self.max_labels)

    def _made(self, structure: type[Engine]) -> Engine:
        if self.drift_of is None or self.concept_class.one_rate:
            engine: Any = structure.of(self.problem)
            if self.drift_of is not None:
                engine.share_inside(self.drift_of)
            return engine  # type: ignore[no-any-return]
        from adeptree.structures.restarts_engine import drifting  # imported late: most learners do not need its kernels

        return drifting((structure, self.concept_class, self.problem.prior), self.drift_of)

    def _paths(self, frontier: Frontier | None = None) -> Paths:
        prune, base, M = self.on_excess == "prune", self.problem.base, self.mistake_bound
        made = (self.concept_class, base, self.prior, M, prune, self.max_width, frontier)
        return Paths(*made) if self.drift_of is None else SharedPaths(self.drift_of, *made)

    @property
    def engine(self) -> Engine:
        """The structure that keeps the weights; an error while a call of another thread is running."""
        self._kernel.check()
        self._catch_up()  # some numbers depend on the rate, whose update an interrupted call may have left pending
        engine: Engine = self._structure  # type: ignore[assignment]
        return engine

    @property
    def paths(self) -> Paths:
        """The active paths, if the engine lists them."""
        paths: Paths = self.engine.as_paths()
        return paths

    def speculate(self, x: Any) -> float:
        """Return the probability of guessing 1 at x, also past the horizon."""
        given = one(self.concept_class, x)
        point = self._structure.point(self.concept_class.instance(given), given)
        with self._kernel.turn(): return self._look(point)  # fmt: skip  # noqa: E701

    def discard(self) -> None:
        """Roll back: forget what was speculated since the last commit."""
        self._kernel.discard()

    # --- Account -----------------------------------------------------------------------------------

    @property
    def plain(self) -> bool:
        """True if every round has weight 1 and is labelled at once."""
        return not (self.weighed or self.late or self.waiting) and self.scale == 1

    @property
    def learning_rate(self) -> float:
        """eta of the coming round."""
        self._kernel.check()
        self._catch_up()
        return self.rate_rule.eta

    @property
    def log_experts(self) -> float:
        """ln of the total prior mass: ln N for the paper's prior."""
        return self.prior.log_total

    def grounds(self) -> dict[str, Any]:
        """Return the certificate's fields about the prior, the rate and the paths, without an oracle query."""
        return guarantees.grounds(self)

    @property
    def bound(self) -> float:
        """Proven bound on ``regret`` now, computed from the data seen: ln(1/pi)/eta + Delta + drift."""
        with self._held(): return guarantees.now(self)  # fmt: skip  # noqa: E701

    @property
    def length(self) -> int:
        """The rounds that the guarantee in advance is about: those of the horizon, or all so far."""
        return self.answered if self.partial and self.horizon is None else super().length

    def bound_after(self, rounds: int) -> float | None:
        """Return the bound, proven before the first round, on the regret after this many rounds of any stream.

        None if there is no bound: no price is known (neither M nor a number of concepts), labels came late, or a round
        weighed more than announced.
        """
        return guarantees.in_advance(self, check_size("rounds", rounds, at_least=0))

    def bound_for(self, best_loss: float, rounds: int | None = None) -> float | None:
        """Return the guarantee in advance for streams whose best rule loses at most ``best_loss``."""
        return guarantees.for_best_loss(self, best_loss, rounds)

    def sequence_bound(self, switches: int) -> float:
        """Return the current bound on the regret to any sequence of rules with at most this many switches.

        Without ``drift`` there is no bound for sequences with switches.
        """
        check_size("switches", switches, at_least=0)
        if switches and self.drift_of is None:
            return math.inf
        with self._held(): return guarantees.to_sequences(self, switches)  # fmt: skip  # noqa: E701

    def sequence_loss(self, switches: int) -> float:
        """Return the loss so far of the best sequence of rules with at most this many switches, exactly.

        Listed paths know it for up to 10 switches. Other structures know it for 0 switches, the best rule.
        """
        loss = self.engine.sequence_loss(check_size("switches", switches, at_least=0))
        if loss is None:
            raise InvalidArgument(
                f"only the losses of sequences with up to 10 switches are kept, with drift=True and "
                f'engine="paths"; {got("switches", switches)}'
            )
        return loss

    def by_segment(self) -> list[tuple[str, str, float]]:
        """Return the segments of ``by`` in order of appearance, each with its best rule and that rule's loss."""
        with self._held(): return self.engine.by_segment()  # fmt: skip  # noqa: E701

    @property
    def final(self) -> float | None:
        """With a horizon: the largest regret still possible at the end; None without one."""
        return guarantees.final(self)

    def realised_bound(self, confidence: float = 0.95) -> float:
        """Return a bound on the *drawn* loss beyond the best rule's, valid at all times with this probability."""
        if self.heaviest_round > self.scale or self.partial:
            self._excess(confidence)
            return math.inf
        if self.review is not None and self.review.promise == "drawn":
            confidence = (1 + confidence) / 2  # union bound: two statements must hold together
        most = min(guarantees.drawn(self, confidence), self.rounds * self.scale - self.best_loss)
        return min(most, self.regret + self._excess(confidence, self.scale))

    @property
    def width(self) -> int:
        """Number of active paths |V_t|; with a structure, 2^61 stands for that number or more."""
        return self.engine.width

    @property
    def queries(self) -> Queries:
        """Queries asked, posed and inferred so far."""
        return self.engine.queries

    @property
    def best_loss(self) -> float:
        """L*: the least loss of an active path, which is the best concept's; a whole number if all weights are."""
        return self.engine.best_loss

    def best_rule(self) -> Concept:
        """Return a concept of the best path."""
        return self.engine.best_rule()

    def rules_within(self, k: float, limit: int = 1000) -> NearRules:
        """Return all rules that lose at most ``best_loss + k``, the best first: one per labelling of the points seen.

        The result is exact and needs no query. Rules that agree on all points seen are one path, represented by one
        rule. The list ends after ``limit`` rules; its ``more`` is then True.

        >>> from adeptree import Thresholds
        >>> learner = Adept(Thresholds(16))
        >>> _ = learner.learn_many([3, 12, 8, 5, 7], [0, 1, 1, 1, 1])
        >>> [str(near) for near in learner.rules_within(1)], learner.rules_within(1).more
        (['x >= 4 (loss 0)', 'x >= 0 (loss 1)', 'x >= 6 (loss 1)'], False)
        """
        reach, most = check_reach("k", k), check_size("limit", limit)
        return self.engine.rules_within(reach, most)

    # --- Saving ------------------------------------------------------------------------------------

    def _argument(self, name: str) -> Any:
        if name == "review" and self.review is not None:
            return list(astuple(self.review))
        if name == "drift":
            return False if self.drift_of is None else self.drift_of.followers or "sharing"
        return self.engine_choice if name == "engine" else super()._argument(name)

    def _engine_named(self, kind: str) -> Engine:
        return choosing.engine_of(kind, self.problem, self.engine, self._paths)

    def _state(self) -> dict[str, Any]:
        engine = {"kind": self.engine.kind, "engine": self.engine.state()}
        return {"rate": self.rate_rule.state()} | engine

    def _restore(self, state: dict[str, Any]) -> None:
        self.rate_rule.restore(state["rate"])
        engine = self._engine_named(state["kind"])
        engine.rate = self.rate_rule.eta
        engine.restore(state["engine"])
        self._use(engine)
