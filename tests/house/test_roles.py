"""Roles are small: an implementation needs at most three methods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import adeptree as at
from adeptree.checks import check, subject
from adeptree.core.errors import InvalidArgument, InvalidInstance
from adeptree.families.listed import EnumerableClass
from adeptree.games.adversaries import Adversary
from adeptree.learners.rates import RateRule
from adeptree.oracles.chain import Layer
from adeptree.roles.base_learner import BaseLearner, RowLearner
from adeptree.roles.concept_class import ConceptClass
from adeptree.roles.engine import Engine
from adeptree.roles.frontier import Frontier
from adeptree.roles.oracle import ErmOracle, Oracle
from adeptree.theory.priors import Prior

ROLES: list[type[Any]] = [
    *(ConceptClass, EnumerableClass, Frontier, BaseLearner, RowLearner),
    *(Engine, at.OnlineLearner, Adversary, Oracle, Layer, ErmOracle, Prior, RateRule),
]
MOST = 3


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.__name__)
def test_a_role_asks_for_at_most_three_methods(role: Any) -> None:
    must = role.__abstractmethods__
    assert 1 <= len(must) <= MOST, sorted(must)


class Even:
    """A rule: 1 on all numbers with this remainder."""

    def __init__(self, remainder: int) -> None:
        self.remainder = remainder

    def __call__(self, x: int) -> int:
        return int(x % 2 == self.remainder)

    def __str__(self) -> str:
        return f"x % 2 == {self.remainder}"


class Smallest(ConceptClass):
    """No more than must be written."""

    def instance(self, x: Any) -> int:
        if not isinstance(x, int):
            raise InvalidInstance(f"x must be an int; got {x!r}")
        return x

    def erm(self, sample: Any) -> Even:
        pairs = self.clean(sample)
        return min((Even(0), Even(1)), key=lambda rule: sum(rule(x) != y for x, y in pairs))


class SmallestListed(EnumerableClass):
    """The same, listed."""

    size = 2

    def concept(self, index: int) -> Even:
        return Even(index)

    def instances(self) -> Iterator[int]:
        return iter(range(4))


def test_the_least_class_is_a_class() -> None:
    c = Smallest()
    assert check(subject(c, instances=range(4))).failed == {}
    assert repr(c) == "Smallest()" and c.vc_dimension is c.littlestone_dimension is None
    assert c.realizable([(1, 1), (2, 0)]) and not c.realizable([(1, 1), (2, 1)])
    for draw in (c.random_instance, c.random_concept):
        with pytest.raises(InvalidArgument, match="give the adversary"):
            draw(None)  # type: ignore[arg-type]


def test_the_least_listed_class_is_a_class() -> None:
    c = SmallestListed()
    assert check(subject(c, instances=range(4))).failed == {}
    with pytest.raises(InvalidInstance, match="one of the instances"):
        c.instance(7)


@pytest.mark.parametrize("c", [Smallest(), SmallestListed()], ids=repr)
def test_learners_play_against_them(c: ConceptClass) -> None:
    base = None if isinstance(c, EnumerableClass) else at.Ghost(1)
    learner = at.Adept(c, base=base)
    for x in (3, 2, 1, 0, 3, 2):
        learner.learn(x, int(x % 2 == 1))
    assert learner.best_loss == 0 and [learner.best_rule()(x) for x in range(4)] == [0, 1, 0, 1]


class Unnamed(BaseLearner):
    """A base learner of three methods."""

    def start(self) -> int:
        return 0

    def predict(self, state: int, x: Any) -> int:
        return state

    def update(self, state: int, x: Any, y: int) -> int:
        return y


def test_the_least_base_learner_promises_no_bound() -> None:
    assert Unnamed().mistake_bound is None
    at.Adept(at.Thresholds(6), base=Unnamed()).learn(3, 1)
