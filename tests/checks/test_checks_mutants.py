"""Objects broken on purpose: each must be caught by the check that is there for it."""

from __future__ import annotations

from typing import Any

import pytest
from mutant_players import ADVERSARIES, LEARNERS
from mutant_rules import BASES, CLASSES, ON_LINE, Machine

import adeptree as at
from adeptree.checks import check
from adeptree.core.errors import InvalidInstance
from adeptree.core.types import Sample
from adeptree.families.registry import forget, register
from adeptree.roles.family import Family

MUTANTS = [
    pytest.param(law, obj, needed, id=f"{law}-{i}-{getattr(obj, 'func', type(obj)).__name__}")
    for role in (CLASSES, BASES, LEARNERS, ADVERSARIES)
    for law, mutants in role.items()
    for i, (obj, needed) in enumerate(mutants)
]


@pytest.mark.parametrize(("law", "obj", "needed"), MUTANTS)
def test_mutant_is_caught(law: str, obj: Any, needed: dict[str, Any]) -> None:
    assert law in check(obj, **needed).failed


def test_the_machine_is_sound_before_it_is_broken() -> None:
    assert check(Machine(), **ON_LINE).passed


def test_a_spec_that_says_too_little_is_caught() -> None:
    class Terse(at.Thresholds):
        spec_name = "terse"

        def __repr__(self) -> str:
            return "terse(n=1)"

    family = register(Family("terse", Terse))
    assert "check_spec_round_trip" in check(Terse(6)).failed
    forget(family)


def test_whatever_an_object_raises_is_a_failure_with_its_words() -> None:
    class Broken(at.Thresholds):
        def realizable(self, sample: Sample) -> bool:
            raise InvalidInstance("no luck")

    sentence = check(Broken(6)).failed["check_contradiction"]
    assert sentence == "raised InvalidInstance: no luck"
