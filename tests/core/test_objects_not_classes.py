"""A class where an object is meant: the error says how to make one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import adeptree as at
from adeptree import errors
from adeptree.compat.shared import Reader
from reproduction.budgeted_learners import Rationed

C = at.Thresholds(8)
MADE: Any = at
"""The package, as a program without type hints sees it."""


class Mine:
    """A base learner of a user's."""

    def start(self) -> int:
        return 0

    def predict(self, state: int, x: Any) -> int:
        return state

    def update(self, state: int, x: Any, y: int) -> int:
        return y


CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "base": (lambda: MADE.Adept(C, base=at.SOA), "base must be an object, not a class; pass an instance: at.SOA()"),
    "base of LazyAdept": (lambda: MADE.LazyAdept(C, 9, base=at.SOA), "pass an instance: at.SOA()"),
    "base of Bpss": (lambda: MADE.Bpss(C, 4, base=at.Halving), "pass an instance: at.Halving()"),
    "a user's base": (lambda: MADE.Adept(C, base=Mine), "pass an instance: Mine()"),
    "class": (
        lambda: MADE.Adept(MADE.Thresholds),
        "concept_class must be an object, not a class; pass an instance: at.Th",
    ),
    "class of Hedge": (lambda: MADE.Hedge(at.Intervals), "pass an instance: at.Intervals(...)"),
    "class without arguments": (lambda: MADE.Adept(at.RealSteps), "pass an instance: at.RealSteps()"),
    "dimension": (lambda: MADE.vc_dimension(MADE.Thresholds), "pass an instance: at.Thresholds(...)"),
    "class of an adversary": (lambda: MADE.Greedy(MADE.Thresholds), "pass an instance: at.Thresholds(...)"),
    "class of a tree": (lambda: MADE.LittlestoneTree(MADE.Thresholds), "pass an instance: at.Thresholds(...)"),
    "class of noise": (lambda: MADE.Stochastic(MADE.Thresholds), "pass an instance: at.Thresholds(...)"),
    "learner": (lambda: MADE.play(MADE.Adept, at.Greedy(C), 3), "learner must be an object"),
    "adversary": (lambda: MADE.play(at.Adept(C), at.Greedy, 3), "adversary must be an object"),
    "oracle": (lambda: MADE.OracleClass(oracle=at.OracleClass), "oracle must be an object"),
    "oracle of a class": (lambda: MADE.OracleClass.from_oracle(Mine), "oracle must be an object"),
    "rules of an adapter": (lambda: Reader(at.RealThresholds, [{}]), "pass an instance: at.RealThresholds()"),
    "learner inside": (lambda: Rationed(MADE.Adept, 9, 3), "inner must be an object"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_class_is_refused_and_the_object_is_named(name: str) -> None:
    call, said = CALLS[name]
    with pytest.raises(errors.InvalidArgument) as caught:
        call()
    assert said in str(caught.value)


def test_objects_are_taken() -> None:
    assert at.Adept(C, base=at.SOA()).base.mistake_bound == 3
    assert at.Adept(C, base=Mine(), mistake_bound=9).mistake_bound == 9
