"""Going on with a saved learner."""

from __future__ import annotations

import os
import warnings
from typing import Any

from adeptree import state as files
from adeptree.bases import base_named
from adeptree.classes.base import ConceptClass
from adeptree.errors import AdeptreeError, DamagedFile, InvalidSpec, NoBetterThanACoin, StateError
from adeptree.learners.adept_learner import Adept
from adeptree.learners.base import OnlineLearner
from adeptree.learners.hedge import Hedge
from adeptree.learners.lazy import LazyAdept
from adeptree.learners.leaders import FollowTheLeader, FollowThePerturbedLeader
from adeptree.learners.tracking import Tracking
from adeptree.specs import parse

KINDS: dict[str, type[OnlineLearner]] = {
    kind.kind: kind for kind in (Adept, LazyAdept, Tracking, Hedge, FollowTheLeader, FollowThePerturbedLeader)
}


def load(path: str | os.PathLike[str], concept_class: ConceptClass | None = None, base: Any = None) -> OnlineLearner:
    """Return the learner saved at ``path``, to go on as if it had never stopped.

    Files hold data, no code: a class made of your own functions, and your own base learner, are passed
    again. Everything else is in the file.

    >>> import tempfile, os, adeptree
    >>> learner = adeptree.Adept(adeptree.Thresholds(16), horizon=10)
    >>> learner.learn(3, 0)
    >>> path = os.path.join(tempfile.mkdtemp(), "learner.adept")
    >>> learner.save(path)
    >>> adeptree.load(path).predict_proba(5) == learner.predict_proba(5)
    True
    """
    saved = files.load(path)
    try:
        return _rebuild(saved, concept_class, base, path)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        if isinstance(error, AdeptreeError):
            raise
        raise DamagedFile(f"{path} does not hold a learner that this release can rebuild ({error!r})") from error


def _rebuild(saved: dict[str, Any], concept_class: ConceptClass | None, base: Any, path: object) -> OnlineLearner:
    if saved["kind"] not in KINDS:
        raise StateError(f"{path} holds a learner of kind {saved['kind']!r}; this release loads {', '.join(KINDS)}")
    settings = dict(saved["settings"])
    name = settings.get("base")
    if "base" in settings:
        settings["base"] = _base(name, base, path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoBetterThanACoin)  # it was said when the learner was built
        learner = KINDS[saved["kind"]](_class(saved["class"], concept_class, path), **settings)
    if learner.settings().get("base") != name:
        raise StateError(
            f"{path} was learnt with {name or 'a base learner of your own'}, but base={base!r} was given; "
            f"pass the same one"
        )
    learner.take_over(saved)
    return learner


def _class(spec: str, given: ConceptClass | None, path: object) -> ConceptClass:
    if given is not None:
        if repr(given) != spec:
            raise StateError(f"{path} was learnt on {spec}, but concept_class={given!r} was given; pass the same class")
        return given
    try:
        return parse(spec)
    except InvalidSpec:
        raise StateError(f"{path} was learnt on {spec}, which holds code: pass it again as concept_class=") from None


def _base(name: str | None, given: Any, path: object) -> Any:
    if given is not None:
        return given
    if name is None:
        raise StateError(f"{path} was learnt with a base learner of your own: pass it again as base=")
    return base_named(name)
