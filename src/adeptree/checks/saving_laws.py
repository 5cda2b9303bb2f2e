"""Laws of saved learners: a resumed run equals an uninterrupted one."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import adeptree as at
from adeptree.checks.findings import fail, skip
from adeptree.checks.subjects import LearnerSubject
from adeptree.checks.trial_runs import account, twins
from adeptree.core.errors import InvalidSpec, StateError
from adeptree.learners.loading import kinds


def check_save_and_load(subject: LearnerSubject) -> None:
    """A run saved and loaded in the middle continues, to the bit, like the uninterrupted one."""
    learner, alone, pairs = twins(subject)
    for t, (x, y) in enumerate(pairs):
        if t in (0, len(pairs) // 2):
            learner = _reloaded(learner)
        seen = [_seen(one, x) for one in (learner, alone)]
        if seen[0] != seen[1]:
            fail(f"after loading, round {t + 1} shows {seen[0]} instead of {seen[1]}")
        learner.learn(x, y)
        alone.learn(x, y)
    if account(learner) != account(alone) or learner.queries.asked != alone.queries.asked:
        fail(f"after loading, the account ends as {account(learner)} instead of {account(alone)}")
    c = learner.concept_class
    # Witnesses are not saved, so the oracle is queried for them again.
    if learner.queries.posed != alone.queries.posed and not (c.finds and c.gives_witnesses):
        fail(f"after loading, {learner.queries} were counted instead of {alone.queries}")


def check_save_after_predicting(subject: LearnerSubject) -> None:
    """An uncommitted prediction is not saved, and saving commits nothing."""
    learner, alone, pairs = twins(subject)
    for x, y in pairs[: len(pairs) // 2]:
        learner.learn(x, y)
        alone.learn(x, y)
    x, y = pairs[-1]
    learner.predict_proba(x)
    loaded = _reloaded(learner)
    for one in (learner, loaded, alone):
        one.learn(x, y)
    if not account(learner) == account(loaded) == account(alone):
        fail(f"saving after a prediction changed the account to {account(loaded)} instead of {account(alone)}")


def _seen(learner: at.OnlineLearner, x: Any) -> tuple[Any, ...]:
    return learner.predict_proba(x), learner.predict(x), account(learner)


def _reloaded(learner: at.OnlineLearner) -> at.OnlineLearner:
    """Save to a file and load it again as users do: ``learner.save(path)``, ``adeptree.load(path)``.

    An unregistered learner type is registered during the check, as its own package would do.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "learner.adept"
        try:
            learner.save(path)
        except StateError as error:
            skip(f"it is not saved: {error}")
        own = learner.settings().get("base", "") is None
        with mock.patch.dict(kinds(), {} if learner.kind in kinds() else {learner.kind: type(learner)}):
            again = at.load(path, concept_class=_class(learner.concept_class), base=_base(learner) if own else None)
    if type(again) is not type(learner):
        fail(
            f"adeptree.load returned a {type(again).__name__}, not a {type(learner).__name__}: kind {learner.kind!r} "
            f"is that of another learner; give it a different kind"
        )
    return again


def _class(c: at.ConceptClass) -> at.ConceptClass | None:
    """Return a class that a file cannot describe, to be passed again at loading; None if the file can."""
    try:
        return None if at.parse(repr(c)) == c else c
    except InvalidSpec:
        return c


def _base(learner: Any) -> Any:
    """Return a base learner of the user's own, which is passed again at loading."""
    return learner.inner.base if "inner" in vars(learner) else learner.base
