"""The contract of every role as code, for the objects that adeptree ships and for your own.

>>> from functools import partial
>>> import adeptree as at
>>> report = check(at.Thresholds(5))
>>> report.passed, len(report.ran) > 20
(True, True)
>>> check(at.Bisection(), concept_class=at.Thresholds(5)).passed
True
>>> check(partial(at.Adept, at.Thresholds(5))).passed
True

In a test file, one test per law, named so that ``pytest -k`` finds it:

    @parametrize_with_checks([MyClass(3), partial(MyLearner, MyClass(3))])
    def test_contract(check):
        check()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from adeptree.checks import adversary_laws as adversaries
from adeptree.checks import base_laws as bases
from adeptree.checks import class_laws as classes
from adeptree.checks import frontier_laws as frontiers
from adeptree.checks import learner_laws as learners
from adeptree.checks import saving_laws as saving
from adeptree.checks import value_laws as values
from adeptree.checks.checking import Checking as Checking
from adeptree.checks.findings import CheckFailed as CheckFailed
from adeptree.checks.findings import CheckSkipped as CheckSkipped
from adeptree.checks.findings import Report as Report
from adeptree.checks.subjects import AdversarySubject, BaseSubject, ClassSubject, LearnerSubject, Subject
from adeptree.checks.subjects import subject as subject
from adeptree.core.errors import TooLarge

if TYPE_CHECKING:
    import pytest

LAWS: dict[type[Any], tuple[ModuleType, ...]] = {
    ClassSubject: (values, classes, frontiers),
    BaseSubject: (bases,),
    LearnerSubject: (learners, saving),
    AdversarySubject: (adversaries,),
}
"""The modules that hold the laws of each role."""


@dataclass(frozen=True)
class Check:
    """One law for one object. Call it: it returns, or raises CheckFailed or CheckSkipped with a reason."""

    law: Callable[[Any], None]
    subject: Subject

    @property
    def name(self) -> str:
        """Name of the law, e.g. ``check_empty_sample``."""
        return self.law.__name__

    @property
    def reason(self) -> str:
        """The reason for the law."""
        return (self.law.__doc__ or "").strip()

    def __call__(self) -> None:
        """Run the check. Every other exception of the object is a failure too, except TooLarge."""
        try:
            self.law(self.subject)
        except (CheckFailed, CheckSkipped):
            raise
        except TooLarge as error:
            raise CheckSkipped(f"refused as too large: {error}") from error
        except Exception as error:
            raise CheckFailed(f"raised {type(error).__name__}: {error}") from error

    def __str__(self) -> str:
        return f"{self.subject.name}-{self.name}"


def checks_for(obj: Any, **needed: Any) -> list[Check]:
    """Return the checks of an object's role; ``needed`` as for :func:`check`.

    >>> import adeptree as at
    >>> checks_for(at.Thresholds(5))[0].name
    'check_spec_round_trip'
    """
    ready = subject(obj, **needed)
    return [
        Check(law, ready)
        for module in LAWS[type(ready)]
        for name, law in vars(module).items()
        if name.startswith("check_") and law.__module__ == module.__name__
    ]


def check(obj: Any, **needed: Any) -> Report:
    """Run every check of the object's role; report the checks that ran, were skipped (with the reason) and failed.

    ``obj`` is a concept class; a base learner (any object with ``start``, ``predict`` and ``update``) with
    ``concept_class=``; a function of ``horizon`` and ``seed`` that makes an online learner, of at most ``horizon=``
    rounds; or an adversary, with ``learner=`` (such a function) or ``concept_class=`` unless it has a class itself.
    ``instances=`` is for classes that cannot draw instances. ``name=`` names the object in the report.
    """
    ran: list[str] = []
    skipped: dict[str, str] = {}
    failed: dict[str, str] = {}
    for one in checks_for(obj, **needed):
        try:
            one()
        except CheckSkipped as reason:
            skipped[one.name] = str(reason)
            continue
        except CheckFailed as sentence:
            failed[one.name] = str(sentence)
        ran.append(one.name)
    return Report(tuple(ran), skipped, failed)


def parametrize_with_checks(objects: Iterable[Any]) -> pytest.MarkDecorator:
    """Return a pytest decorator: the test is called with ``check``, once for each law of each object.

    An object that needs more (a class for a base learner, instances, ...) is given as ``subject(obj, ...)``.
    """
    import pytest

    return pytest.mark.parametrize("check", [one for obj in objects for one in checks_for(obj)], ids=str)
