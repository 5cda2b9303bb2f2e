"""Learners limited to Q oracle queries: the opponents of ``BlockReset``.

None of them ever poses more than Q queries, whatever comes. They spend evenly: by round t at most
``allowance(t, T, Q)``, which cuts the T rounds into Q + 1 equal parts with one query between each two.
"""

from __future__ import annotations

from typing import Any

from adeptree.core.arguments import check_size, refuse_class
from adeptree.core.errors import BudgetExhausted, InvalidArgument, StateError, got
from adeptree.core.frozen import freeze
from adeptree.core.types import Concept, Instance
from adeptree.learners.history_learner import HistoryLearner
from adeptree.learners.lazy import LazyAdept
from adeptree.learners.online_learner import OnlineLearner
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.frontier import Queries
from adeptree.theory import bounds

REFUSED = object()  # stands for the instance of a round without budget


def allowance(t: int, T: int, Q: int) -> int:
    """Return how many of Q queries may be spent by the end of round t of T.

    >>> [allowance(t, 9, 2) for t in range(1, 10)]
    [0, 0, 1, 1, 1, 2, 2, 2, 2]
    """
    return min(Q, t * (Q + 1) // T)


def affordable_rounds(Q: int, d_vc: int, commits: int) -> int:
    """Return in how many rounds a LazyAdept with that many commits can be asked for at most Q queries.

    A round costs 2 Sauer(committed points) at most; in the worst case the commits come first.

    >>> affordable_rounds(31, d_vc=1, commits=1), affordable_rounds(1, 1, 1)
    (8, 0)
    """
    rounds = spent = 0
    while (spent := spent + 2 * bounds.sauer(min(rounds, commits), d_vc)) <= Q:
        rounds += 1
    return rounds


class _Budgeted(HistoryLearner):
    def __init__(self, concept_class: ConceptClass, horizon: int, budget: int, seed: int) -> None:
        super().__init__(concept_class, horizon, seed)
        self.budget = check_size("budget", budget, at_least=0)

    @property
    def _allowed(self) -> int:
        """Queries still free in the coming round."""
        return allowance(self.rounds + 1, self.horizon, self.budget) - self.queries.posed

    def _state(self) -> dict[str, Any]:
        raise StateError(f"{self.kind} belongs to one game and is not saved; play it again from its seed")


class Guesser(_Budgeted):
    """Asks nothing and says 1/2: expected loss exactly T/2 on every stream.

    >>> from adeptree import Thresholds
    >>> Guesser(Thresholds(4), horizon=10).predict_proba(2)
    0.5
    """

    kind = "guesser"

    def __init__(self, concept_class: ConceptClass, horizon: int, budget: int = 0, seed: int = 0) -> None:
        super().__init__(concept_class, horizon, budget, seed)

    def _probability(self, x: Instance, raw: Any) -> float:
        return 0.5

    @property
    def bound(self) -> float:
        """Half a mistake per round, as the best loss is at least 0."""
        return self.rounds / 2

    def bound_after(self, rounds: int) -> float | None:
        """Half a mistake per round."""
        return rounds / 2


class BudgetedLeader(_Budgeted):
    """Follow the leader, but the leader is asked for only Q times, at even distances; between, the last one rules.

    Before the first query it predicts 1/2. ``recent`` asks for the leader of the rounds since the last query instead of
    all: against ``BlockReset`` that is the strongest play, right in (nearly) every query round. ``every`` asks after
    this many rounds each time, and so early: best where what was once asked stays true.

    >>> from adeptree import Thresholds
    >>> learner = BudgetedLeader(Thresholds(16), horizon=9, budget=2)
    >>> learner.learn_many([3, 9, 3, 9, 3, 9], [0, 1, 0, 1, 0, 1]).tolist(), learner.queries.posed
    ([0.5, 0.5, 0.0, 1.0, 0.0, 1.0], 2)
    """

    kind = "budgeted-leader"

    def __init__(
        self,
        concept_class: ConceptClass,
        horizon: int,
        budget: int,
        recent: bool = False,
        seed: int = 0,
        *,
        every: int | None = None,
    ) -> None:
        super().__init__(concept_class, horizon, budget, seed)
        self.recent = bool(recent)
        self.every = None if every is None else check_size("every", every)
        self._leader: Concept | None = None
        self._asked_round = -1
        self._used = 0

    @property
    def _allowed(self) -> int:
        if self.every is None:
            return super()._allowed
        return min(self.budget, self.rounds // self.every) - self.queries.posed

    def _probability(self, x: Instance, raw: Any) -> float:
        if self._allowed > 0 and self._asked_round < self.rounds:
            self._leader = self.ask(self.history[self._used :])
            self._asked_round = self.rounds
            # The coming window begins after this round: a game that resets on queries resets there.
            self._used = self.rounds + 1 if self.recent else 0
        return 0.5 if self._leader is None else float(self._leader(raw))


class Rationed(_Budgeted):
    """Lets any ADEPT-like learner speak only in rounds that the budget can pay for; else says 1/2.

    A round of ``inner`` poses at most 2 x width queries (with the frontier's literal strategy); if that many are not
    free, the inner learner neither predicts nor learns. Only the first instance asked for in a round is worth queries.
    If the oracle has its own budget (``oracles.Budgeting``) and refuses, the round counts as not affordable.

    >>> from adeptree import Adept, OracleClass, Thresholds
    >>> c = OracleClass(realizable=Thresholds(16).realizable, strategy="literal")
    >>> class Zero:
    ...     mistake_bound, start, update = 16, lambda self: None, lambda self, s, x, y: None
    ...     predict = lambda self, state, x: 0
    >>> learner = Rationed(Adept(c, horizon=20, base=Zero()), horizon=20, budget=7)
    >>> p = learner.learn_many(range(10), [0] * 10)
    >>> learner.queries.posed, learner.inner.rounds, float(p[0])
    (2, 1, 0.5)
    """

    kind = "rationed"

    def __init__(self, inner: OnlineLearner, horizon: int, budget: int, seed: int = 0) -> None:
        refuse_class("inner", inner)
        if not isinstance(inner, OnlineLearner) or inner.rounds:
            raise InvalidArgument(f"inner must be an online learner that has not learnt yet; {got('inner', inner)}")
        super().__init__(inner.concept_class, horizon, budget, seed)
        self.inner = inner
        self._served: tuple[int, Any] = (-1, None)

    def _parts(self) -> list[Any]:
        return [*super()._parts(), *self.inner._parts()]

    def _serves(self, x: Instance) -> bool:
        key = freeze(self.concept_class.key(x))
        payable = 2 * self.inner.width <= self._allowed and not self.inner.ended
        if self._served[0] < self.rounds and payable:
            self._served = (self.rounds, key)
        return self._served == (self.rounds, key)

    def _probability(self, x: Instance, raw: Any) -> float:
        if not self._serves(x):
            return 0.5
        try:
            return self.inner.predict_proba(raw)
        except BudgetExhausted:
            self._served = (self.rounds, REFUSED)
            return 0.5

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        if self._serves(x):
            self.inner.learn(raw, label)
        super()._commit(x, raw, label)

    @property
    def queries(self) -> Queries:
        """The inner learner's."""
        return self.inner.queries

    @property
    def width(self) -> int:
        """The inner learner's."""
        return self.inner.width

    def settings(self) -> dict[str, Any]:
        """Return the arguments that rebuild this learner, the inner one's under "inner"."""
        inner = {name: value for name, value in self.inner.settings().items() if name != "base"}
        kept = {"horizon": self.horizon, "budget": self.budget, "seed": self.seed}
        return kept | {"inner": {"kind": self.inner.kind, **inner}}


def budgeted_lazy_adept(
    concept_class: ConceptClass, horizon: int, budget: int, commits: int = 1, seed: int = 0, **options: Any
) -> Rationed:
    """Return a LazyAdept that poses at most ``budget`` queries in ``horizon`` rounds.

    A full LazyAdept asks two queries in every round, more than any Q < 2T allows; so it plays only the
    ``affordable_rounds``, spread evenly, as its whole horizon, with at most ``commits`` commits in them.
    """
    d = concept_class.vc_dimension
    if d is None:
        raise InvalidArgument(f"the VC dimension of {concept_class!r} must be known to plan its queries")
    rounds = min(horizon, affordable_rounds(budget, d, commits)) or 1
    inner = LazyAdept(concept_class, rounds, commits=min(commits, rounds), seed=seed, **options)
    return Rationed(inner, horizon, budget, seed)
