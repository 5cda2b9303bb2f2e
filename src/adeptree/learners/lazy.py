"""Fewer queries for more regret: the lazy rollback version of ADEPT (Theorem "Oracle-Regret Tradeoff")."""

from __future__ import annotations

from typing import Any

from adeptree.core.arguments import check_number, check_size, one_of
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.seeds import stream
from adeptree.core.types import Instance
from adeptree.learners.adept import Paths
from adeptree.learners.adept_learner import Adept
from adeptree.learners.history_learner import HistoryLearner
from adeptree.learners.late_paths import LatePaths
from adeptree.learners.online_learner import Rate
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.frontier import Frontier, Queries
from adeptree.theory import bounds


class _Committed(Adept):
    warns = False  # a warning about its horizon K would confuse the user


class _PrunedLate(_Committed):
    def _paths(self, frontier: Frontier | None = None) -> Paths:
        prune = self.on_excess == "prune"
        return LatePaths(self.concept_class, self.problem.base, self.prior, self.mistake_bound, prune, None, frontier)


class LazyAdept(HistoryLearner):
    """Predict in every round, but commit only K = floor(T^c) of them, drawn uniformly after predicting.

    ADEPT runs inside with horizon K, on the sampled rounds only. Its active set stays small between commits, so T
    rounds pose O(T^(1 + c VC)) queries, for an expected regret of order T^(1 - c/2). A prediction does not depend on
    whether its round will be committed. After the K-th commit the state is frozen. ``bound`` is infinite, because the
    theorem does not state its constant (``bounds.tradeoff_regret`` is the formula without it).

    Parameters
    ----------
    concept_class
        The rules to compete with.
    horizon
        T, the number of rounds.
    exponent
        c, between 0 and 1. Give this or ``commits``.
    commits
        K itself, the number of rounds that are committed.
    base, mistake_bound, on_excess
        Parameters of :class:`Adept`.
    rate
        The rate of the inner :class:`Adept`.
    seed
        Seed of the random guesses and of the choice of committed rounds.
    prune
        "now": every round queries which labels can continue each path. "late": only committed rounds query, so T rounds
        pose O(T^(c (VC + 1))) queries, for an expected regret of the same order (``docs/theory/deferred-pruning.md``).
        That needs a base learner whose mistake bound counts every round, such as ``Halving``, ``SOA`` or your own.

    Examples
    --------
    >>> from adeptree import Thresholds
    >>> learner = LazyAdept(Thresholds(16), horizon=100, exponent=0.5, seed=3)
    >>> for t in range(100):
    ...     learner.learn(t % 16, int(t % 16 >= 9))
    >>> len(learner.sampled_rounds), learner.width, learner.best_loss
    (10, 8, 0)
    """

    kind = "lazy-adept"
    no_guarantee = "the theorem does not state its constant"
    GROWS = ("history", "sampled_rounds")

    def __init__(
        self,
        concept_class: ConceptClass,
        horizon: int,
        exponent: float | None = None,
        commits: int | None = None,
        base: Any = None,
        rate: Rate = "paper",
        seed: int = 0,
        *,
        mistake_bound: int | None = None,
        on_excess: str = "raise",
        prune: str = "now",
    ) -> None:
        super().__init__(concept_class, horizon, seed)
        self.prune = one_of("prune", prune, ("now", "late"))
        self.commits = _commits(self.horizon, exponent, commits)
        self.inner = (_PrunedLate if prune == "late" else _Committed)(
            concept_class,
            self.commits,
            base=base,
            rate=rate,
            engine="paths",
            seed=seed,
            mistake_bound=mistake_bound,
            on_excess=on_excess,
        )
        self.sampled_rounds: list[int] = []
        self._sampler = stream(seed, "sampled rounds")

    def _parts(self) -> list[Any]:
        return [*super()._parts(), *self.inner._parts(), self._sampler]

    def _probability(self, x: Instance, raw: Any) -> float:
        """Steps 1-3 of Algorithm 2 as internal round r + 1 of K, from the committed state."""
        return self.inner.speculate(raw)

    def _commit(self, x: Instance, raw: Any, label: int) -> None:
        """Decide by sequential sampling whether this round is one of the K; commit it or roll back."""
        wanted = self.commits - len(self.sampled_rounds)
        if self._sampler.random() * (self.horizon - self.rounds) < wanted:
            self.inner.learn(raw, label)
            self.sampled_rounds.append(self.rounds + 1)
        else:
            self.inner.discard()
        super()._commit(x, raw, label)

    @property
    def width(self) -> int:
        """Number of committed active paths."""
        return self.inner.width

    @property
    def queries(self) -> Queries:
        """Queries of all rounds, committed or rolled back."""
        return self.inner.queries

    def settings(self) -> dict[str, Any]:
        """Return the arguments that rebuild this learner."""
        inner = self.inner.settings()
        kept = {name: inner[name] for name in ("base", "rate", "mistake_bound", "on_excess")}
        return {"horizon": self.horizon, "commits": self.commits, "seed": self.seed, "prune": self.prune, **kept}

    def _state(self) -> dict[str, Any]:
        return {
            "inner": self.inner.saved(),
            "sampled": self.sampled_rounds,
            "sampler": self._sampler.bit_generator.state,
            **super()._state(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self.inner.take_over(state["inner"])
        super()._restore(state)
        self.sampled_rounds = list(state["sampled"])
        self._sampler.bit_generator.state = state["sampler"]


def _commits(horizon: int, exponent: float | None, commits: int | None) -> int:
    if (exponent is None) == (commits is None):
        if exponent is not None:
            raise InvalidArgument("give exponent= or commits=, not both")
        exponent = 0.5
    if commits is None:
        return bounds.commits(horizon, check_number("exponent", exponent, "a number c in (0, 1]", lambda c: 0 < c <= 1))
    if check_size("commits", commits) > horizon:
        raise InvalidArgument(f"commits must be at most the horizon {horizon}; {got('commits', commits)}")
    return int(commits)
