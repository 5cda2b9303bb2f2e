"""The subjects of checks: an object of one of the four roles, with everything needed to run it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

import adeptree as at
from adeptree.checks.findings import skip
from adeptree.core.errors import InvalidArgument, InvalidInstance, got
from adeptree.core.seeds import stream
from adeptree.core.types import Sample
from adeptree.families.listed import EnumerableClass
from adeptree.families.registry import base_for
from adeptree.roles.base_learner import StateMachine

HORIZON = 16
"""Default number of rounds that a learner plays."""

Pairs = list[tuple[Any, int]]


class Factory(Protocol):
    """A function that makes an online learner, e.g. ``functools.partial(Adept, Thresholds(16))``."""

    def __call__(self, *, horizon: int, seed: int) -> at.OnlineLearner:
        """Return a fresh learner."""


@dataclass(frozen=True)
class Domain:
    """A class with the source of its instances: ``instances``, or else random draws of the class."""

    concept_class: at.ConceptClass
    instances: tuple[Any, ...] | None = None

    def draw(self, rng: np.random.Generator) -> Any:
        """Draw an instance as a user would give it."""
        if self.instances is not None:
            return self.instances[int(rng.integers(len(self.instances)))]
        try:
            return self.concept_class.random_instance(rng)
        except InvalidArgument as error:
            skip(f"no instances to try: {error}; or check(..., instances=[...])")

    def points(self, count: int, name: str) -> list[Any]:
        """Draw instances with repetition; the same ones for the same name."""
        rng = stream(0, f"checks {name}")
        return [self.draw(rng) for _ in range(count)]

    def distinct(self, count: int, name: str) -> list[Any]:
        """Draw at most ``count`` instances, no two of them equal to the class."""
        return self.unlike(self.points(8 * count, name))[:count]

    def unlike(self, points: Iterable[Any]) -> list[Any]:
        """Remove points that are equal, to the class, to an earlier one."""
        found: list[Any] = []
        keys: list[Any] = []
        for x in points:
            if (key := self.key(x)) not in keys:
                found.append(x)
                keys.append(key)
        return found

    def key(self, x: Any) -> Any:
        """Return the key that tells instances apart."""
        return self.concept_class.key(self.concept_class.instance(x))

    def continuations(self, sample: Sample, x: Any) -> list[int]:
        """Return the labels that x can have after a realizable sample."""
        return [y for y in (0, 1) if self.concept_class.realizable([*sample, (x, y)])]

    def labellings(self, points: Sequence[Any]) -> set[tuple[int, ...]]:
        """Return every realizable labelling of a few points, by asking about each one."""
        every = itertools.product((0, 1), repeat=len(points))
        return {ys for ys in every if self.concept_class.realizable(list(zip(points, ys, strict=True)))}

    def realizable_sample(self, count: int, name: str) -> Pairs:
        """Label random points at random, keeping the sample realizable."""
        rng = stream(0, f"checks {name} labels")
        sample: Pairs = []
        for x in self.points(count, name):
            y = int(rng.integers(2))
            if not self.concept_class.realizable([*sample, (x, y)]):
                y = 1 - y
            sample.append((x, y))
        return sample

    def samples(self, count: int, size: int, name: str) -> Iterator[Pairs]:
        """Draw samples with labels at random, realizable or not; points repeat."""
        for i in range(count):
            rng = stream(i, f"checks {name} labels")
            some = self.distinct(max(1, size * 2 // 3), f"{name} {i}")
            yield [(some[int(rng.integers(len(some)))], int(rng.integers(2))) for _ in range(size)]

    def refused(self) -> Any:
        """Return a value that is not an instance of the class."""
        if self.concept_class.reads_by_function:
            skip("a function of the user's reads its instances")
        for x in STRANGERS:
            try:
                self.concept_class.instance(x)
            except InvalidInstance:
                return x
        skip("nothing that was tried is invalid for this class")


STRANGERS: tuple[Any, ...] = (
    object(),
    "no such point",
    -1,
    10**30,
    0.5,
    float("nan"),
    None,
    {},
    [],
    [[0]],
    {0},
    (2, 2),
)
"""Values that are not instances of most classes."""


@dataclass(frozen=True)
class ClassSubject:
    """A concept class."""

    name: str
    domain: Domain

    @property
    def concept_class(self) -> at.ConceptClass:
        """The class itself."""
        return self.domain.concept_class

    def listed(self, limit: int = 1 << 14) -> EnumerableClass:
        """Return the class if its concepts can be listed and are few; else skip."""
        c = self.concept_class
        if not isinstance(c, EnumerableClass):
            skip("its concepts cannot be listed (no EnumerableClass)")
        if c.size > limit:
            skip(f"it has {c.size} concepts, too many to list here (limit {limit})")
        return c


@dataclass(frozen=True)
class BaseSubject:
    """A base learner on a class; points are given as users give them."""

    name: str
    domain: Domain
    base: at.BaseLearner

    def predict(self, state: Any, x: Any) -> int:
        """Return what the learner predicts at x."""
        return self.base.predict(state, self.domain.concept_class.instance(x))

    def update(self, state: Any, x: Any, y: int) -> Any:
        """Return the state after x had label y."""
        return self.base.update(state, self.domain.concept_class.instance(x), y)


@dataclass(frozen=True)
class LearnerSubject:
    """An online learner, as the factory that makes it."""

    name: str
    domain: Domain
    factory: Factory
    horizon: int = HORIZON

    def make(self, seed: int = 0) -> at.OnlineLearner:
        """Return a fresh learner."""
        return self.factory(horizon=self.horizon, seed=seed)


@dataclass(frozen=True)
class AdversarySubject:
    """An adversary, and a learner for it to play with."""

    name: str
    adversary: at.Adversary
    learner: LearnerSubject


Subject = ClassSubject | BaseSubject | LearnerSubject | AdversarySubject


def subject(
    obj: Any,
    *,
    concept_class: at.ConceptClass | None = None,
    instances: Sequence[Any] | None = None,
    learner: Factory | None = None,
    horizon: int = HORIZON,
    name: str | None = None,
) -> Subject:
    """Wrap an object for its checks, as ``check`` and ``checks_for`` do with their arguments.

    >>> from adeptree import Bisection, Thresholds
    >>> subject(Bisection(), concept_class=Thresholds(7)).name
    'Bisection(concept_class=thresholds(n=7))'
    """
    some = None if instances is None else tuple(instances)
    if isinstance(obj, ClassSubject | BaseSubject | LearnerSubject | AdversarySubject):
        return obj
    if isinstance(obj, at.ConceptClass):
        return ClassSubject(name or repr(obj), Domain(obj, some))
    if isinstance(obj, at.Adversary):
        c: Any = vars(obj).get("concept_class") if concept_class is None else concept_class
        if learner is None and c is None:
            raise InvalidArgument(
                f"an adversary plays with a learner: give concept_class=, or learner= (a factory); {got('obj', obj)}"
            )
        return AdversarySubject(name or repr(obj), obj, _learner(learner or partial(at.Adept, c), some, horizon, None))
    if isinstance(obj, StateMachine) and not isinstance(obj, type):
        return _base(obj, concept_class, some, name)
    if callable(obj) and not isinstance(obj, at.OnlineLearner):
        return _learner(obj, some, horizon, name)
    raise InvalidArgument(
        "expected a concept class, a base learner, an adversary, or a function of (horizon, seed) that makes an online "
        f"learner, e.g. functools.partial(Adept, Thresholds(16)); {got('obj', obj)}"
    )


def _base(
    obj: StateMachine, concept_class: at.ConceptClass | None, some: tuple[Any, ...] | None, name: str | None
) -> BaseSubject:
    c = obj.concept_class if concept_class is None and isinstance(obj, at.BaseLearner) else concept_class
    if c is None:
        raise InvalidArgument(f"a base learner is checked on a class: check(base, concept_class=c); {got('base', obj)}")
    base = base_for(obj, c)
    known = repr(base) if repr(c) in repr(base) else f"{base!r} on {c!r}"
    return BaseSubject(name or known, Domain(c, some), base)


def _learner(
    factory: Callable[..., Any], some: tuple[Any, ...] | None, horizon: int, name: str | None
) -> LearnerSubject:
    made = factory(horizon=horizon, seed=0)
    if not isinstance(made, at.OnlineLearner):
        raise InvalidArgument(f"factory(horizon=..., seed=...) must return an OnlineLearner; {got('made', made)}")
    known = f"{type(made).__name__}({made.concept_class!r})"
    return LearnerSubject(name or known, Domain(made.concept_class, some), factory, horizon)
