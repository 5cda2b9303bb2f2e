"""Adversaries, which choose the stream. Adaptive ones see the past and P_t, but not the coin of the round."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from adeptree.core.arguments import check_number, check_size, refuse_class
from adeptree.core.dataframes import refuse_frame
from adeptree.core.errors import InvalidArgument, got
from adeptree.core.seeds import stream
from adeptree.core.types import Concept
from adeptree.families.dimensions import littlestone_dimension
from adeptree.games.transcript import Round
from adeptree.learners.online_learner import OnlineLearner
from adeptree.roles.concept_class import ConceptClass, check_class
from adeptree.roles.frontier import Query
from adeptree.theory.littlestone import MistakeTree

Instances = Sequence[Any] | Callable[["np.random.Generator"], Any]


class History(list[Round]):
    """H_{t-1}: the rounds so far, and the learner's oracle queries in each of them, with the answers.

    A learner on a class with a known structure queries no oracle; one on an ``OracleClass``, or one that follows
    leaders, does. Queries before the first round count as part of it.

    >>> from adeptree import Adept, Ghost, OracleClass, Thresholds, play
    >>> class Curious(Adversary):
    ...     def instance(self, history):
    ...         return len(history)
    ...     def label(self, history, x, p):
    ...         if history:
    ...             last = history.queries[-1]
    ...             print(len(last), "questions,", sum(not query.answer for query in last), "refused")
    ...         return 0
    >>> oracle = OracleClass(realizable=Thresholds(8).realizable, strategy="literal")
    >>> run = play(Adept(oracle, base=Ghost(4)), Curious(), rounds=4)
    2 questions, 0 refused
    3 questions, 1 refused
    4 questions, 2 refused
    """

    def __init__(self, rounds: Iterable[Round] = (), queries: Iterable[tuple[Query, ...]] = ()) -> None:
        super().__init__(rounds)
        self.queries: list[tuple[Query, ...]] = list(queries)
        """Queries per round, for an adversary that ``listens``."""

    def until(self, t: int) -> History:
        """Return H_t: the first t rounds."""
        return History(self[:t], self.queries[:t])

    def add(self, played: Round, calls: list[Query] | None) -> None:
        """Add a round with the queries recorded in it."""
        self.append(played)
        if calls is not None:
            self.queries.append(tuple(calls))
            calls.clear()


class Adversary(ABC):
    """Chooses x_t from the past, then y_t from the past, x_t and the learner's probability P_t."""

    listens: ClassVar[bool] = True
    """True if the adversary reads ``history.queries``, which are only kept if it does."""

    def start(self, rounds: int, seed: int) -> None:
        """Begin a game; the same seed gives the same choices against the same learner."""
        self.rounds = rounds
        self.rng = stream(seed, f"adversary {type(self).__name__}")

    @abstractmethod
    def instance(self, history: History) -> Any:
        """Return x_t."""

    @abstractmethod
    def label(self, history: History, x: Any, p: float) -> int:
        """Return y_t, knowing P_t(1) = p but not the learner's coin."""


@dataclass
class Recorded(Adversary):
    """A stream fixed in advance: any iterable of (x, y) pairs."""

    listens = False
    pairs: Iterable[tuple[Any, Any]] = field(repr=False)

    def start(self, rounds: int, seed: int) -> None:
        """Begin at the first pair."""
        super().start(rounds, seed)
        self._iterator: Iterator[tuple[Any, Any]] = iter(self.pairs)
        self._label: Any = None

    def instance(self, history: Sequence[Round]) -> Any:
        """Return the next x."""
        try:
            x, self._label = next(self._iterator)
        except StopIteration:
            raise InvalidArgument(
                f"the stream ended after {len(history)} of {self.rounds} rounds; play with rounds={len(history)}"
            ) from None
        return x

    def label(self, history: Sequence[Round], x: Any, p: float) -> int:
        """Return the recorded label."""
        return self._label  # type: ignore[no-any-return]


@dataclass
class _Drawing(Adversary):
    """Draws instances: from ``instances`` (a sequence or a function of a generator), else from the class."""

    listens = False
    concept_class: ConceptClass
    instances: Instances | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        check_class(self.concept_class)

    def start(self, rounds: int, seed: int) -> None:
        """Begin a game."""
        refuse_frame("instances", self.instances, "list its rows, e.g. frame.to_dict('records') in pandas")
        super().start(rounds, seed)

    def instance(self, history: Sequence[Round]) -> Any:
        """Draw x_t independently of the past."""
        if self.instances is None:
            return self.concept_class.random_instance(self.rng)
        if callable(self.instances):
            return self.instances(self.rng)
        return self.instances[int(self.rng.integers(len(self.instances)))]


class _Noisy(_Drawing):
    """Labels of a target concept, each flipped with probability ``noise``."""

    noise: float
    _target: Concept

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number("noise", self.noise, "a probability between 0 and 1", lambda noise: 0 <= noise <= 1)

    def label(self, history: Sequence[Round], x: Any, p: float) -> int:
        """Return the target's label, flipped with probability ``noise``."""
        return int(self._target(x)) ^ int(self.rng.random() < self.noise)


@dataclass
class Stochastic(_Noisy):
    """Labels of one target concept, each flipped with probability ``noise``.

    >>> from adeptree import Thresholds
    >>> Stochastic(Thresholds(16), noise=0.1)
    Stochastic(concept_class=thresholds(n=16), noise=0.1, target=None)
    """

    noise: float = 0.1
    target: Concept | None = None

    def start(self, rounds: int, seed: int) -> None:
        """Draw the target, unless one was given."""
        super().start(rounds, seed)
        self._target = self.target or self.concept_class.random_concept(self.rng)


@dataclass
class Drifting(_Noisy):
    """As :class:`Stochastic`, but a new target is drawn every ``period`` rounds."""

    period: int = 100
    noise: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_size("period", self.period)

    def instance(self, history: Sequence[Round]) -> Any:
        """Draw x_t, and a new target at the start of each period."""
        if len(history) % self.period == 0:
            self._target = self.concept_class.random_concept(self.rng)
        return super().instance(history)


@dataclass
class Greedy(_Drawing):
    """Always chooses the less likely label, so that any deterministic learner errs in every round."""

    def label(self, history: Sequence[Round], x: Any, p: float) -> int:
        """Return the less likely label (1 if both are equally likely)."""
        return less_likely(p)


@dataclass
class LittlestoneTree(_Drawing):
    """Walks down a mistake tree, always to the less likely side; the stream stays realizable.

    A deterministic learner errs at every node, which makes as many mistakes as the Littlestone dimension. Below the
    tree the labels are those of a concept that fits so far.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        _, self._tree = littlestone_dimension(self.concept_class, witness=True)

    def start(self, rounds: int, seed: int) -> None:
        """Begin at the root."""
        super().start(rounds, seed)
        self._node: MistakeTree | None = self._tree
        self._target: Concept | None = None

    def instance(self, history: Sequence[Round]) -> Any:
        """Return the node's point; below the tree, an arbitrary one."""
        return super().instance(history) if self._node is None else self._node.x

    def label(self, history: Sequence[Round], x: Any, p: float) -> int:
        """Return the less likely label and go down; below the tree stay consistent."""
        if self._node is not None:
            y = less_likely(p)
            self._node = self._node.one if y else self._node.zero
            return y
        if self._target is None:
            self._target = self.concept_class.erm([(r.x, r.y) for r in history])
        return int(self._target(x))


def less_likely(p: float) -> int:
    """Return the label that is less likely if P(1) = p.

    >>> less_likely(0.9), less_likely(0.1), less_likely(0.5)
    (0, 1, 1)
    """
    return int(p <= 0.5)


@contextmanager
def listening(adversary: Adversary, learner: OnlineLearner) -> Iterator[list[Query] | None]:
    """Record the learner's oracle queries for an adversary that listens; return None for others."""
    calls: list[Query] | None = [] if adversary.listens else None
    learner.queries.heard = calls
    try:
        yield calls
    finally:
        learner.queries.heard = None


def as_adversary(source: Any) -> Adversary:
    """Return an adversary; an iterable of (x, y) pairs becomes a recorded stream."""
    refuse_class("adversary", source)
    if isinstance(source, Adversary):
        return source
    refuse_frame(
        "a stream",
        source,
        "give pairs (x, y), e.g. zip(frame[columns].to_dict('records'), frame[label]) in pandas; or use learn_many",
    )
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes, Mapping)):
        return Recorded(source)
    raise InvalidArgument(f"expected an adversary or an iterable of (x, y) pairs; {got('adversary', source)}")
