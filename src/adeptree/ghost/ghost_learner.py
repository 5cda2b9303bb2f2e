"""``Ghost(d)``: a realizable learner that knows its class only through a weak-consistency oracle."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

from adeptree.core.arguments import LARGEST_INT, check_size
from adeptree.core.errors import ContradictoryOracle, InvalidArgument, MistakeBoundExceeded
from adeptree.core.types import Instance, Sample, label_of
from adeptree.ghost.ghost_plans import mistake_bound
from adeptree.ghost.ghost_rows import FIRST_D, GhostRows
from adeptree.ghost.ghost_stages import Stage, StageDecision, after_plan_mistake, decide, fresh_stage
from adeptree.roles.base_learner import BaseLearner, RowLearner
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.frontier import Frontier

Labels = tuple[int, ...]
Oracle = Callable[[Sample], bool]

LARGEST_D = 32
"""Largest d: M(d) is about 2^(d (d + 1) / 2), and beyond that the bound is vacuous."""


class GhostHistory(NamedTuple):
    """A scalar state: the labelled points, the ghosts' labels on them, and the stage."""

    points: tuple[Instance, ...]
    truth: Labels
    ghosts: tuple[Labels, ...]
    stage: Stage
    d: int
    """The dimension that this history does not refute."""


class GhostAnswers(NamedTuple):
    """The answers of the oracle about a history at a point."""

    possible: tuple[bool, bool]
    ones: int
    """The ghosts that continue with label 1, having no 0."""


@dataclass
class RecentAnswers:
    """A cache of the last query, so that an update does not repeat the query of its prediction."""

    history: Any = None
    x: Instance = None
    answers: Any = None


class OracleLearner(BaseLearner):
    """A base learner that queries a bound oracle on a single history, and needs no query on a frontier's rows.

    A subclass is a frozen dataclass with these two fields.
    """

    oracle: Oracle | None
    _recent: RecentAnswers

    def bind(self, concept_class: ConceptClass) -> Self:
        """Return this learner with the oracle of a class, needed to run on a single history."""
        return replace(self, oracle=concept_class.realizable)  # type: ignore[type-var]

    def spec(self, concept_class: ConceptClass) -> str:
        """Return the name and settings, from which a saved learner makes it again."""
        return repr(self)

    def unasked_rows(self, frontier: Frontier) -> RowLearner:
        """Raise an error: the learner does not see forced rounds, and the mistake bound does not count them."""
        raise InvalidArgument(
            f'prune="late" cannot be used with {self!r}: its mistake bound counts only rounds at which both labels are '
            f"realizable, and between commits no oracle says which these are; use a base learner that knows the class, "
            f"such as Halving or SOA"
        )

    @abstractmethod
    def _query(self, state: Any, x: Instance) -> Any:
        """Query the oracle for a prediction at x."""

    def _ask(self, state: Any, x: Instance) -> Any:
        """Return the oracle's answers, with one query for a prediction and the update that follows it."""
        recent = self._recent
        if recent.answers is None or recent.history is not state or not _same_point(recent.x, x):
            answers = self._query(state, x)
            recent.history, recent.x, recent.answers = state, x, answers
        return recent.answers

    def _realizable(self, points: tuple[Instance, ...], labels: Labels, x: Instance, y: int) -> bool:
        if self.oracle is None:
            raise InvalidArgument(f"{self!r} on a single history needs an oracle; call bind(concept_class) first")
        return bool(self.oracle([*zip(points, labels, strict=True), (x, y)]))


@dataclass(frozen=True)
class Ghost(OracleLearner):
    """A deterministic learner for any class of Littlestone dimension <= d, by weak-consistency queries only.

    It errs at most M(d) = 2, 9, 67, 1012, 39631 times for d = 1, ..., 5, which is optimal among oracle learners for d
    <= 2. Whenever it errs although both labels were realizable, the history with the wrong label is realizable too;
    such *ghosts* are its virtual functions. On a frontier it needs no query, because a ghost is one of the frontier's
    rows. ``docs/theory/ghost.md`` has the proof and its debt to Kozachinskiy and Steifer (arXiv 2308.08055).

    Parameters
    ----------
    d
        The Littlestone dimension of the class, or an upper bound. If d is too small and the stream reveals this,
        ``MistakeBoundExceeded`` is raised. None: not known. The learner then assumes 1, and one more whenever a history
        refutes it, keeping its ghosts: M(1) + ... + M(d) = 2, 11, 78, 1090 mistakes at most on a class of dimension d,
        for every d.
    oracle
        The oracle for a single history; ``bind`` sets that of the class.

    Examples
    --------
    >>> Ghost(2), Ghost(2).mistake_bound
    (Ghost(d=2), 9)
    >>> Ghost().mistake_bound is None
    True
    """

    d: int | None = None
    oracle: Oracle | None = field(default=None, repr=False, compare=False)
    _recent: RecentAnswers = field(default_factory=RecentAnswers, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the dimension."""
        if self.d is not None:
            object.__setattr__(self, "d", check_size("d", self.d, at_least=0, at_most=LARGEST_D))

    @property
    def mistake_bound(self) -> int | None:
        """M(d), or 2^256 if that is less, as no game has more rounds. None if d is not known."""
        return None if self.d is None else min(mistake_bound(self.d), LARGEST_INT)

    def rows(self, frontier: Frontier) -> RowLearner:
        """Return this learner run on the frontier's rows, where it needs no query."""
        return GhostRows(self.d)

    def start(self) -> GhostHistory:
        """Return the empty history."""
        d = FIRST_D if self.d is None else self.d
        return GhostHistory((), (), (), fresh_stage(d), d)

    def predict(self, state: GhostHistory, x: Instance) -> int:
        """Return the label predicted at x; if only one label is realizable, return that one."""
        answers = self._ask(state, x)
        if not all(answers.possible):
            return int(answers.possible[1])
        return self._decide(state, answers)[1].label

    def update(self, state: GhostHistory, x: Instance, y: int) -> GhostHistory:
        """Return the history with label y at x."""
        y = label_of(y)
        answers = self._ask(state, x)
        if not answers.possible[y]:
            raise InvalidArgument(
                f"Ghost learns realizable histories, and no concept of the class continues this one "
                f"by {y} at x={x!r}; check the labels"
            )
        decision = StageDecision(y, by_tree=False)
        if all(answers.possible):
            state, decision = self._decide(state, answers)
        ghosts = tuple((*labels, answers.ones >> number & 1) for number, labels in enumerate(state.ghosts))
        grown = state._replace(points=(*state.points, x), truth=(*state.truth, y), ghosts=ghosts)
        return grown if decision.label == y else self._after_mistake(state, grown, answers.ones, decision)

    def _after_mistake(
        self, old: GhostHistory, grown: GhostHistory, ones: int, decision: StageDecision
    ) -> GhostHistory:
        """Add the newborn ghost to the plan, or end the stage (see ``ghost_stages.py``)."""
        if not decision.by_tree:
            newborn = (*old.truth, decision.label)
            stage = after_plan_mistake(old.stage, len(old.ghosts), ones, decision.label)
            return grown._replace(ghosts=(*grown.ghosts, newborn), stage=stage)
        right = tuple(labels for labels in grown.ghosts if labels[-1] != decision.label)
        return grown._replace(ghosts=right, stage=fresh_stage(old.stage.dimension - 1, len(right)))

    def _decide(self, state: GhostHistory, answers: GhostAnswers) -> tuple[GhostHistory, StageDecision]:
        """Return the prediction and the history; if d is refuted, the history starts over with d + 1."""
        columns = [
            sum(label << number for number, label in enumerate(column))
            for column in zip(*state.ghosts, state.truth, strict=True)
        ]
        while True:
            try:
                return state, decide(state.d, state.stage, len(state.ghosts), answers.ones, columns)
            except MistakeBoundExceeded:
                if self.d is not None:
                    raise
            state = state._replace(d=state.d + 1, stage=fresh_stage(state.d + 1, len(state.ghosts)))

    def _query(self, state: GhostHistory, x: Instance) -> GhostAnswers:
        """Query both labels of the history, and one label of each ghost: 0, and 1 only if 0 is denied."""
        points, truth, ghosts = state[:3]
        possible = (self._realizable(points, truth, x, 0), self._realizable(points, truth, x, 1))
        if not any(possible):
            raise ContradictoryOracle(
                f"the oracle denies both labels at x={x!r} for a history it accepted; check that it is "
                f"deterministic and that labels once realizable together stay so"
            )
        return GhostAnswers(possible, sum((not self._realizable(points, g, x, 0)) << at for at, g in enumerate(ghosts)))


def _same_point(one: Instance, other: Instance) -> bool:
    """Return True if two points are certainly equal; an unhashable one is only equal to itself."""
    try:
        return one is other or (hash(one) == hash(other) and bool(one == other))
    except (TypeError, ValueError):
        return False
