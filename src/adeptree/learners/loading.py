"""Load a saved learner and continue from it."""

from __future__ import annotations

import os
import re
import warnings
from functools import cache
from importlib import import_module
from typing import Any

from adeptree.core import errors, files
from adeptree.core.errors import InvalidArgument, StateError, got
from adeptree.families.registry import NATURAL, base_kind, family_named
from adeptree.families.specs import base_named, called, is_long, parse
from adeptree.learners.adept_learner import Adept
from adeptree.learners.callbacks import INFO, log
from adeptree.learners.online_learner import OnlineLearner
from adeptree.learners.state_validation import check_rebuilt, check_saved
from adeptree.roles.concept_class import ConceptClass

RESEARCH = "adeptree.research"
"""Package of research learners, imported only if a file needs it."""


@cache
def kinds() -> dict[str, type[OnlineLearner]]:
    """Return the learners that :func:`load` knows, by the names that files have for them."""
    from adeptree.learners.hedge import Hedge
    from adeptree.learners.lazy import LazyAdept
    from adeptree.learners.leaders import FollowTheLeader

    return {kind.kind: kind for kind in (Adept, LazyAdept, Hedge, FollowTheLeader)}


def register_learner(kind: type[OnlineLearner]) -> type[OnlineLearner]:
    """Register your learner type with :func:`load` under its ``kind``; also a decorator.

    Its ``settings()`` are the arguments that rebuild it, after the class.
    """
    is_learner = isinstance(kind, type) and issubclass(kind, OnlineLearner)
    name = next((vars(one)["kind"] for one in kind.__mro__ if "kind" in vars(one)), None) if is_learner else None
    if not isinstance(name, str):
        raise InvalidArgument(f"a learner to register has a kind, its name in files; {got('kind', kind)}")
    if kinds().get(name, kind) is not kind:
        raise InvalidArgument(f"{name!r} is the kind of another learner; choose another")
    kinds()[name] = kind
    return kind


def load(path: str | os.PathLike[str], concept_class: ConceptClass | None = None, base: Any = None) -> OnlineLearner:
    """Load the learner saved at ``path``; it continues as if it had never stopped.

    Files hold data and no code: pass again every argument that contains your own functions.

    Parameters
    ----------
    path
        The file that ``learner.save(path)`` wrote.
    concept_class
        The class, if the file cannot describe it.
    base
        The base learner, if it is your own.

    Examples
    --------
    >>> import tempfile, os, adeptree
    >>> learner = adeptree.Adept(adeptree.Thresholds(16), horizon=10)
    >>> learner.learn(3, 0)
    >>> path = os.path.join(tempfile.mkdtemp(), "learner.adept")
    >>> learner.save(path)
    >>> adeptree.load(path).predict_proba(5) == learner.predict_proba(5)
    True
    """
    saved = files.load(path)
    saved.pop("run", None)  # the state of a run may be long and does not belong to the learner
    try:
        learner = _rebuild(saved, concept_class, base, path)
    except (StateError, errors.MissingExtra):
        raise
    except Exception as error:  # the checksum matches, so another program wrote the wrong content
        if isinstance(error, errors.AdeptreeError) and not (concept_class is None and base is None):
            raise  # the error may be about the given arguments
        raise errors.DamagedFile(f"{path} does not hold a learner that this release can rebuild ({error!r})") from error
    log(INFO, "loaded from %s: %r", path, learner)
    return learner


def check_written(path: str) -> None:
    """Raise an error for a file that does not load, before it replaces one that does."""
    try:
        load(path)
    except MemoryError:  # the check ran out of memory; the file is whole
        return
    except Exception as error:
        raise StateError(
            f"the file just written does not load ({error}); the file before it stays: please report this"
        ) from error


def _rebuild(saved: dict[str, Any], concept_class: ConceptClass | None, base: Any, path: object) -> OnlineLearner:
    if saved["kind"] not in kinds():
        import_module(RESEARCH)  # whose learners register themselves
    if saved["kind"] not in kinds():
        raise StateError(
            f"{path} holds a learner of kind {saved['kind']!r}; known here are {', '.join(kinds())}: import the "
            f"package that defines it (which makes it known with adeptree.learners.loading.register_learner)"
        )
    c = _class(saved["class"], concept_class, path)
    check_saved(saved)
    return check_rebuilt(lambda data: _filled(data, c, base, path), saved, concept_class is None)


def _filled(saved: dict[str, Any], c: ConceptClass, base: Any, path: object) -> OnlineLearner:
    settings = dict(saved["settings"])
    name = settings.get("base")
    if "base" in settings:
        settings["base"] = _base(name, base, path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.NoBetterThanACoin)  # the warning came when the learner was built
        learner = kinds()[saved["kind"]](c, **settings)
    if learner.settings().get("base") != name:
        raise StateError(
            f"{path} was learnt with {name or 'your own base learner'}, but base={base!r} was given; pass the same one"
        )
    learner.take_over(saved)
    return learner


def _class(spec: str, given: ConceptClass | None, path: object) -> ConceptClass:
    if given is not None:
        if repr(given) != spec:
            raise StateError(f"{path} was learnt on {spec}, but concept_class={given!r} was given; pass the same class")
        return given
    if is_long(spec):
        raise StateError(f"{path} was learnt on {spec[:60]}..., too long to be read: pass it again as concept_class=")
    holds_code = False
    try:
        name, _, _ = called(spec)
    except errors.InvalidSpec:
        # Either a known class whose spec contains code, or an unknown class.
        found = re.match(r"(\w+)\(", spec)
        name = found[1] if found else spec
        holds_code = True
    family = family_named(name)
    if family is not None and (holds_code or family.holds_code):
        raise StateError(f"{path} was learnt on {spec}, which holds code: pass it again as concept_class=")
    if family is None:
        raise StateError(
            f"{path} was learnt on {spec}; its class {name!r} is not known here: pass concept_class=, or import the "
            f"package that defines it (which makes it known with adeptree.register)"
        )
    return parse(spec)


def _base(name: str | None, given: Any, path: object) -> Any:
    if given is not None:
        return given
    if name is None:
        raise StateError(f"{path} was learnt with your own base learner: pass it again as base=")
    if (kind := name.partition("(")[0]) != NATURAL and base_kind(kind) is None:
        raise StateError(
            f"{path} was learnt with {name}; its base learner {kind!r} is not known here: pass it as base=, or import "
            f"the module that defines it (which makes it known with adeptree.register)"
        )
    return base_named(name)
