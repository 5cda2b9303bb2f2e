"""Choose the engine of a learner: the first of the family that accepts the problem, else the paths."""

from __future__ import annotations

from collections.abc import Callable

from adeptree.core.errors import InvalidArgument
from adeptree.families.registry import engines_of
from adeptree.roles.engine import Engine, Problem


def structure_for(choice: str, problem: Problem, drifts: bool = False) -> type[Engine] | None:
    """Return the type of the engine that represents the paths; None if the paths are listed."""
    reasons = []
    for engine in engines_of(problem.concept_class) if choice != "paths" else ():
        reason = engine.accepts(problem)
        if reason is None:
            return None if drifts and engine.lists_paths and choice == "auto" else engine
        reasons.append(reason)
    if choice == "collapsed":
        why = "; ".join(reasons) or f"{problem.concept_class!r} has no such engine"
        raise InvalidArgument(f'engine="collapsed" cannot be used here: {why}: use engine="auto"')
    return None


def engine_of(kind: str, problem: Problem, fresh: Engine, paths: Callable[[], Engine]) -> Engine:
    """Return an engine of the kind that a file names; ``fresh`` is the engine of a new learner.

    A resumed run must be equal to the last bit, so it needs the same engine, not one that is equal up to rounding.
    """
    if kind == fresh.kind:
        return fresh
    for engine in engines_of(problem.concept_class):
        if kind == engine.kind:
            return engine.of(problem)
    return paths()
