"""Laws of concept classes as values, and of the instances they accept."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import adeptree as at
from adeptree.checks.findings import fail, skip
from adeptree.checks.subjects import STRANGERS, ClassSubject
from adeptree.core.errors import InvalidInstance, InvalidLabel, InvalidSpec
from adeptree.core.types import Sample
from adeptree.families.registry import families_of


def check_spec_round_trip(subject: ClassSubject) -> None:
    """A spec is how a class is saved, replayed and given on the command line."""
    c = subject.concept_class
    if not any(family.name and family.kind is type(c) and not family.holds_code for family in families_of(c)):
        skip(f"adeptree.parse does not know {type(c).__name__}")
    try:
        again = at.parse(repr(c))
    except InvalidSpec as error:
        if any(callable(value) for value in vars(c).values()):
            skip(f"it holds a function, which no text describes: {error}")
        fail(f"parse refuses its own repr: {error}")
    if again != c or repr(again) != repr(c):
        fail(f"parse(repr(c)) gives {again!r} instead of {c!r}")


def check_hashable(subject: ClassSubject) -> None:
    """Classes are values: keys of dictionaries, compared when a learner is loaded."""
    c = subject.concept_class
    if hash(c) != hash(c) or c != c or c == object():
        fail("hash and == must be those of a value")
    if type(c).__eq__ is object.__eq__:
        skip("it does not define equality, so it equals only itself")
    twin = copy.deepcopy(c)
    if twin != c or hash(twin) != hash(c):
        fail("a copy must be equal and have the same hash")


def check_frozen(subject: ClassSubject) -> None:
    """A class that changes while a learner uses it invalidates everything learnt."""
    c: Any = copy.copy(subject.concept_class)
    if not dataclasses.is_dataclass(c):
        skip("not a dataclass: its attributes are its own affair")
    for field in dataclasses.fields(c):
        try:
            setattr(c, field.name, getattr(c, field.name))
        except AttributeError:
            continue
        fail(f"the attribute {field.name} can be assigned; use @dataclass(frozen=True)")


def check_use_changes_nothing(subject: ClassSubject) -> None:
    """A query must not change the class."""
    c = subject.concept_class
    before = hash(c), repr(c)
    for sample in subject.domain.samples(3, 4, "use"):
        if _answers(c, sample) != _answers(c, sample):
            fail(f"the same question got another answer the second time: {sample}")
    if (hash(c), repr(c)) != before:
        fail("its hash or repr changed by being asked")


def check_invalid_instance(subject: ClassSubject) -> None:
    """A point outside the domain raises an error with a message, in place of a wrong answer later."""
    c = subject.concept_class
    stranger = subject.domain.refused()
    for x in STRANGERS:
        try:
            c.instance(x)
        except InvalidInstance as error:
            if not str(error):
                fail(f"InvalidInstance for x={x!r} must say what is accepted")
    _refuse(c, (stranger, 1), InvalidInstance, f"x={stranger!r}, which instance(x) refuses")


def check_invalid_label(subject: ClassSubject) -> None:
    """A label other than 0 and 1 raises an error with a message."""
    c, x = subject.concept_class, subject.domain.points(1, "label")[0]
    _refuse(c, (x, 2), InvalidLabel, "the label 2")


def check_canonical_instance(subject: ClassSubject) -> None:
    """A canonical instance is its own canonical form, and keys tell instances apart."""
    c = subject.concept_class
    for x in subject.domain.points(10, "canonical"):
        once = c.instance(x)
        if c.key(c.instance(once)) != c.key(once):
            fail(f"instance(instance(x)) is {c.instance(once)!r}, instance(x) is {once!r}")


def _refuse(c: at.ConceptClass, pair: tuple[Any, int], error: type[at.AdeptreeError], what: str) -> None:
    # A user's oracle is queried directly, without a check of the sample.
    for ask in (c.erm,) if c.oracle is not None else (c.erm, c.realizable):
        try:
            ask([pair])
        except error:
            continue
        fail(f"{ask.__name__} accepted {what}")


def _answers(c: at.ConceptClass, sample: Sample) -> tuple[bool, list[int]]:
    found = c.erm(sample)
    return c.realizable(sample), [found(x) for x, _ in sample]
